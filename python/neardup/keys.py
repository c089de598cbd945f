"""Keys of the rows of an index, both ways, and as bytes: int, str and bytes come back typed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from neardup.errors import NeardupTypeError, NeardupValueError

Key = Hashable
OnConflict = Literal["refuse", "replace"]

GONE: Any = object()
"""The name of a row that was removed."""

_INT, _STR, _BYTES = range(3)


class Keys:
    """The key of each row, and the row of each key. The caller holds a lock to change it.

    Attributes
    ----------
    names : list
        The key of each row ever inserted; `GONE` where it was removed.
    rows : dict
        The row of each key that is there.
    """

    __slots__ = ("names", "rows")

    def __init__(self, names: Iterable[Any] = ()) -> None:
        self.names: list[Any] = list(names)
        self.rows = {name: row for row, name in enumerate(self.names) if name is not GONE}

    def displaced(self, keys: Sequence[Key], on_conflict: OnConflict) -> list[int]:
        """Rows that have to go for new rows of these keys; an error if none may go."""
        first, taken = len(self.names), dict[Key, int]()
        gone = []
        for row, key in enumerate(keys, first):
            before = taken.get(key, self.rows.get(key))
            if before is not None:
                if on_conflict == "refuse":
                    where = "is given twice" if before >= first else "is there already"
                    raise NeardupValueError(
                        f'key {key!r} {where}; give another, or on_conflict="replace"'
                    )
                gone.append(before)
            taken[key] = row
        return gone

    def settle(self, keys: Sequence[Key], displaced: Iterable[int]) -> None:
        """After the last `len(keys)` names were inserted for good."""
        for row, key in enumerate(keys, len(self.names) - len(keys)):
            self.rows[key] = row
        for row in displaced:
            self.names[row] = GONE


def key_list(keys: Any, count: int) -> list[Any]:
    """Keys as given, one a row; those of a numpy array as Python values."""
    if isinstance(keys, str | bytes):
        raise NeardupTypeError(
            f"keys must be one key a row, got one {type(keys).__name__}; pass [key]"
        )
    if isinstance(keys, np.ndarray):
        keys = keys.tolist()
    try:
        every = list(keys)
    except TypeError:
        raise NeardupTypeError(
            f"keys must be an iterable of keys, got {type(keys).__name__}"
        ) from None
    if len(every) != count:
        raise NeardupValueError(f"{len(every)} keys were given for {count} rows; give one a row")
    for key in every:
        hashable(key, "key")
    return every


def hashable(key: Any, name: str) -> Any:
    """Return a key that can be looked up, or raise an error that names it."""
    try:
        hash(key)
    except TypeError:
        raise NeardupTypeError(
            f"{name} {key!r} is a {type(key).__name__}, which cannot be looked up; "
            "use an int, str or bytes"
        ) from None
    return key


def conflict_rule(value: object) -> OnConflict:
    """Check what is to happen to a key that is there already."""
    if value not in get_args(OnConflict):
        raise NeardupValueError(f'on_conflict must be "refuse" or "replace", got {value!r}')
    return "replace" if value == "replace" else "refuse"


def to_sections(keys: Iterable[Any], name: str = "key") -> list[npt.NDArray[Any] | bytes]:
    """Kind, length and bytes of each key, for a file.

    Raises
    ------
    NeardupTypeError
        A key that is no int, str or bytes.
    """
    kinds, lengths, parts = bytearray(), [], []
    for key in keys:
        if type(key) is int:
            kind, part = _INT, key.to_bytes(key.bit_length() // 8 + 1, "little", signed=True)
        elif type(key) is str:
            kind, part = _STR, key.encode("utf-8", "surrogatepass")
        elif type(key) is bytes:
            kind, part = _BYTES, key
        else:
            raise NeardupTypeError(
                f"{name} {key!r} is a {type(key).__name__}, which no file can hold; only int, str "
                "and bytes can be saved"
            )
        kinds.append(kind)
        lengths.append(len(part))
        parts.append(part)
    return [bytes(kinds), np.array(lengths, "<u8"), b"".join(parts)]


def of_sections(kinds: memoryview, lengths: memoryview, data: memoryview) -> list[Any]:
    """The keys that `to_sections` wrote.

    Raises
    ------
    ValueError
        They do not add up.
    """
    if len(lengths) != 8 * len(kinds):
        raise ValueError("its keys do not add up")
    keys: list[Any] = []
    at = 0
    for kind, length in zip(kinds, np.frombuffer(lengths, "<u8").tolist(), strict=True):
        part = bytes(data[at : at + length])
        at += length
        if at > len(data) or kind > _BYTES:
            raise ValueError("its keys do not add up")
        if kind == _INT:
            keys.append(int.from_bytes(part, "little", signed=True))
        else:
            keys.append(part.decode("utf-8", "surrogatepass") if kind == _STR else part)
    if at != len(data) or len(set(keys)) != len(keys):
        raise ValueError("its keys do not add up")
    return keys
