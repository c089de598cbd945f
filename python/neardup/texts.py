"""A collection of texts as columns that the native module reads; and one text, checked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from neardup.columns import NativeColumn, native_column
from neardup.errors import NeardupTypeError, NeardupValueError
from neardup.tokenizer import Place

if TYPE_CHECKING:
    import pyarrow as pa

    from neardup import _native
    from neardup.config import Config

__all__ = ["columns", "listed", "one_text", "tokenized"]


def columns(texts: Any) -> list[NativeColumn]:
    """Columns of texts, nothing copied.

    Parameters
    ----------
    texts : iterable of str, or a string column that speaks Arrow
        A pyarrow Array or ChunkedArray, or anything with ``__arrow_c_array__`` or
        ``__arrow_c_stream__`` (polars, pandas). pyarrow is needed for these alone.

    Returns
    -------
    list of NativeColumn
        A list of str, or the chunks of the column; at least one.

    Raises
    ------
    NeardupTypeError
        Not a collection of texts.
    NeardupValueError
        A text is null.
    """
    if isinstance(texts, str | bytes | bytearray | os.PathLike):
        raise NeardupTypeError(
            f"a collection of texts is needed, got one {type(texts).__name__}; pass [text], or "
            "read the file first"
        )
    if hasattr(texts, "__arrow_c_stream__") or hasattr(texts, "__arrow_c_array__"):
        return [native_column(chunk) for chunk in _arrow(texts).chunks] or [[]]
    if isinstance(texts, Mapping) or getattr(texts, "ndim", 1) != 1:
        raise NeardupTypeError(
            f"one column of texts is needed, got a {type(texts).__name__}; pass the column, for "
            'example data["text"]'
        )
    if isinstance(texts, list):
        return [texts]
    try:
        items = iter(texts)
    except TypeError:
        raise NeardupTypeError(
            f"a collection of texts is needed, got {type(texts).__name__}; pass a list of str, or "
            "a string column that speaks Arrow"
        ) from None
    return [list(items)]


def listed(texts: Any) -> list[str]:
    """A collection of texts, as `columns` takes them, as a list of str.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        As `columns`; or a row that is no str or has no UTF-8 form, which the message names.
    """
    if hasattr(texts, "__arrow_c_stream__") or hasattr(texts, "__arrow_c_array__"):
        column = _arrow(texts)
        for chunk in column.chunks:
            native_column(chunk)  # refuses what is not a string
        found: list[str] = column.to_pylist()
        return found
    rows = [each for part in columns(texts) for each in part]
    return [one_text(each, f"row {row}: a text") for row, each in enumerate(rows)]


def _arrow(texts: Any) -> pa.ChunkedArray:
    import pyarrow as pa

    if hasattr(texts, "__arrow_c_stream__"):
        column = pa.chunked_array(texts)
    else:
        column = pa.chunked_array([texts if isinstance(texts, pa.Array) else pa.array(texts)])
    if pa.types.is_struct(column.type):
        raise NeardupTypeError(
            f"one column of texts is needed, got a table of {', '.join(column.type.names)}; pass "
            'the column, for example data["text"]'
        )
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.null_count:
        raise NeardupValueError(
            f"row {_first_null(column)}: the text is null; leave it out, or fill it, for example "
            "with ''"
        )
    if pa.types.is_null(column.type):  # of no rows
        column = column.cast(pa.string())
    return column


def _first_null(column: pa.ChunkedArray) -> int:
    start = 0
    for chunk in column.chunks:
        if chunk.null_count:
            return start + int(chunk.is_null().to_numpy(zero_copy_only=False).argmax())
        start += len(chunk)
    return start


def tokenized(
    parts: list[NativeColumn], spec: _native.TextSpec, config: Config
) -> Iterator[NativeColumn]:
    """Columns with the tokens that the tokenizer of a configuration gives, if it has one."""
    first = 0
    for column in parts:
        if config.tokenizer is None:
            yield column
            continue
        size = len(column) if isinstance(column, list) else _length(column)
        rows = np.arange(size, dtype=np.uint32)
        yield config.tokenizer.column(spec, column, Place(first, rows), rows, size)
        first += size


def _length(column: NativeColumn) -> int:
    values, offsets = column
    return len(values) // 16 if isinstance(offsets, list) else len(offsets) - 1


def one_text(text: Any, name: str) -> str:
    """Return an argument that is one text, or raise an error that names it."""
    if not isinstance(text, str):
        raise NeardupTypeError(f"{name} must be a str, got {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NeardupValueError(
            f"{name} holds a lone surrogate and has no UTF-8 form; encode it with "
            "errors='replace' first"
        ) from None
    return text
