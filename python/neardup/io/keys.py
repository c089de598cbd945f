"""Values of a field to keep by, as text formats write them: numbers, or dates as strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neardup.errors import NeardupError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["written_values"]

_NONE, _STRING, _NUMBER, _OTHER = range(4)


def written_values(texts: pa.Array, kinds: np.ndarray[Any, Any], where: str) -> pa.Array:
    """The values of a batch as int64, float64 or strings.

    Parameters
    ----------
    texts : pyarrow.Array of large_string
        The values as written, null where there is none.
    kinds : numpy.ndarray of uint8
        0 none, 1 string, 2 number, 3 anything else.
    where : str
        Source and field, for messages.
    """
    import pyarrow as pa

    seen = set(kinds.tolist()) - {_NONE}
    if _OTHER in seen:
        row = kinds.tolist().index(_OTHER)
        raise NeardupError(f"{where} holds {texts[row].as_py()[:40]}: a number or a date is needed")
    if seen == {_STRING, _NUMBER}:
        raise NeardupError(f"{where} holds numbers and strings: rows cannot be put in order by it")
    if seen != {_NUMBER}:
        return texts
    try:
        return texts.cast(pa.int64())
    except pa.ArrowInvalid:
        # Python's reader knows every number JSON can write, and NaN, Infinity, 1e400 as inf.
        numbers = [None if value is None else float(value) for value in texts.to_pylist()]
        return pa.array(numbers, pa.float64())
