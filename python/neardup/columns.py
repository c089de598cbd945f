"""Arrow string columns as plain buffers, the only form the native module knows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup.errors import NeardupTypeError

if TYPE_CHECKING:
    import pyarrow as pa

NativeColumn = Any
"""`(data, offsets)` of bytes and int32 or int64 offsets, `(views, buffers)`, or a list of str."""


def native_column(array: pa.Array | list[str]) -> NativeColumn:
    """Buffers of a string array, nothing copied.

    Parameters
    ----------
    array : pyarrow.Array of string, large_string or string_view, or list of str
        Nulls are allowed; the caller says which rows to read.
    """
    if isinstance(array, list):
        return array
    import pyarrow as pa

    kind = array.type
    start, stop = array.offset, array.offset + len(array)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        _, offsets, data = array.buffers()
        width: Any = np.int32 if pa.types.is_string(kind) else np.int64
        if not len(array):
            return np.empty(0, np.uint8), np.zeros(1, width)
        return _bytes(data), np.frombuffer(offsets, width)[start : stop + 1]
    if pa.types.is_string_view(kind):
        _, views, *buffers = array.buffers()
        if not len(array):
            return np.empty(0, np.uint8), []
        return _bytes(views)[16 * start : 16 * stop], [_bytes(buffer) for buffer in buffers]
    raise NeardupTypeError(f"a text column holds strings, got {kind}")


def validity(array: pa.Array) -> npt.NDArray[np.bool_] | None:
    """Which rows are not null; None if all are."""
    if not array.null_count:
        return None
    valid: npt.NDArray[np.bool_] = array.is_valid().to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(valid)


def arrow(values: npt.NDArray[Any], missing: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Numbers or booleans as an Arrow array over the same memory; null where ``missing``.

    `pyarrow.array` would import pandas, where it is installed, to ask whether this is a series:
    a third of a second in every short run.

    Examples
    --------
    >>> import numpy as np
    >>> arrow(np.array([1, 2, 3]), np.array([False, True, False])).to_pylist()
    [1, None, 3]
    >>> arrow(np.array([True, False])).to_pylist()
    [True, False]
    """
    import pyarrow as pa

    kind = pa.from_numpy_dtype(values.dtype)
    valid = None if missing is None else pa.py_buffer(np.packbits(~missing, bitorder="little"))
    is_bool = values.dtype == np.bool_
    data = np.packbits(values, bitorder="little") if is_bool else np.ascontiguousarray(values)
    return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(data)])


def strings(values: Iterable[str]) -> pa.StringArray:
    """A few strings as an Arrow array, without `pyarrow.array` for the reason of `arrow`.

    Examples
    --------
    >>> strings(["exact", "", "é"]).to_pylist()
    ['exact', '', 'é']
    """
    import pyarrow as pa

    encoded = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    buffers = pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))
    return pa.StringArray.from_buffers(len(encoded), *buffers)


def _bytes(buffer: pa.Buffer | None) -> npt.NDArray[np.uint8]:
    return np.empty(0, np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)
