"""The index of fingerprints by Hamming distance: every one within d bits, nearest first.

Pigeonhole blocks (Manku, Jain, Das Sarma 2007) or multi-index hashing (Norouzi, Punjani, Fleet
2012), whichever costs less for so many fingerprints; crates/core/src/lsh/blocks.rs says how.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.errors import DataError, NeardupTypeError, NeardupValueError
from neardup.fingerprints import Fingerprints, Words
from neardup.lsh import _is_id
from neardup.sealed import Kind, Path
from neardup.sketching import native_array, thread_count, whole

__all__ = ["HammingIndex"]

_FILE = Kind(b"ndhammng", "a Hamming index file")
Mask = npt.NDArray[np.bool_]


class HammingIndex:
    """An index of fingerprints that finds every one within a number of bits.

    Fingerprints are numbered from 0 in order of insertion; a number is never given twice. That of
    a text without shingles gets a number and counts, but is never found. Any number of threads may
    use one index at once: queries run side by side, an insert is seen whole or not at all.

    Parameters
    ----------
    bits : int, default 64
        Bits of a fingerprint, 64 or 128.
    distance : int, default 3
        How many bits may differ, from 0 to `bits`.
    num_threads : int, default 0
        Threads for many queries; 0 is one for every core. No answer depends on it.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        A value out of range.

    Notes
    -----
    Memory: 9 or 17 bytes a fingerprint, and 8 to 12 for each block, mostly 3 or 4 of them. A query
    among random fingerprints takes microseconds for small distances; where blocks do not pay, all
    fingerprints are scanned.

    Examples
    --------
    >>> from neardup import HammingIndex, simhash
    >>> index = HammingIndex(bits=64, distance=3)
    >>> index.insert(simhash(["to be or not to be", "a rose by any other name", "", "to be!"]))
    range(0, 4)
    >>> index.query(simhash(["To be, or not to be", ""]))
    [[(0, 0)], []]
    >>> HammingIndex(distance=2).insert([0x0123456789ABCDEF, 7])
    range(0, 2)
    """

    __slots__ = ("_native", "num_threads")

    def __init__(self, bits: int = 64, distance: int = 3, num_threads: int = 0) -> None:
        if whole(bits, "bits", 1, 65536) not in (64, 128):
            raise NeardupValueError(f"bits must be 64 or 128, got {bits}")
        self.num_threads = thread_count(num_threads)
        self._native = _native.Hamming(bits, whole(distance, "distance", 0, bits))

    @property
    def bits(self) -> int:
        """Bits of a fingerprint."""
        return self._native.bits

    @property
    def distance(self) -> int:
        """How many bits may differ."""
        return self._native.distance

    @property
    def identity(self) -> str | None:
        """What made the fingerprints, if `Fingerprints` were inserted; bare numbers do not say."""
        return self._native.identity

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._native.nbytes

    def __len__(self) -> int:
        return len(self._native)

    def __contains__(self, id: object) -> bool:
        return _is_id(id) and self._native.contains(int(id))  # type: ignore[call-overload]

    def __repr__(self) -> str:
        return f"<HammingIndex of {len(self)} fingerprints: {self.distance} of {self.bits} bits>"

    def insert(self, fingerprints: Any) -> range:
        """Insert fingerprints.

        Parameters
        ----------
        fingerprints : Fingerprints, iterable of int, or array of uint64
            Arrays have shape (n,) for 64 bits, or (n, bits / 64) with the low word first. Once
            `Fingerprints` were inserted, others of another identity are refused.

        Returns
        -------
        range
            The numbers they were given.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            No fingerprints, of another number of bits, or of another identity.
        """
        words, mask, identity = self._words(fingerprints)
        first = self._native.insert(words, mask, identity)
        return range(first, first + len(words))

    def query(self, fingerprints: Any, format: Literal["lists", "csr"] = "lists") -> Any:
        """Find every fingerprint within the distance of one, or of each of many.

        Parameters
        ----------
        fingerprints : int, Fingerprints, iterable of int, or array of uint64
            An int is one fingerprint; everything else is as of `insert`.
        format : "lists" or "csr"
            For many: a list a fingerprint, or flat arrays: the answers to row i are
            ``ids[offsets[i]:offsets[i + 1]]``.

        Returns
        -------
        list of (int, int)
            For one: number and distance, nearest first, equal distances by number.
        list of list of (int, int)
            For many, with ``format="lists"``.
        (ids, offsets, distances)
            For many, with ``format="csr"``: numpy arrays of int64, int64, uint32.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            As of `insert`; another `format`.
        """
        if format not in ("lists", "csr"):
            raise NeardupValueError(f'format must be "lists" or "csr", got {format!r}')
        if isinstance(fingerprints, int | np.integer):
            if format == "csr":
                message = 'format="csr" is for many fingerprints, got one; pass a list'
                raise NeardupValueError(message)
            number = whole(fingerprints, "fingerprint", 0, 2**self.bits - 1)
            return self._native.one(number & 2**64 - 1, number >> 64)
        words, mask, identity = self._words(fingerprints)
        found = self._native.query(words, mask, identity, self.num_threads)
        if format == "csr":
            return found
        ids, offsets, distances = (each.tolist() for each in found)
        answers = list(zip(ids, distances, strict=True))
        return [answers[a:b] for a, b in pairwise(offsets)]

    def pairs(
        self,
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """All pairs of fingerprints within the distance.

        Returns
        -------
        (a, b, distance)
            Numpy arrays of uint32, sorted by a and b; a < b.

        Examples
        --------
        >>> from neardup import HammingIndex
        >>> index = HammingIndex(distance=1)
        >>> index.insert([7, 1 << 40, 6, 7])
        range(0, 4)
        >>> [each.tolist() for each in index.pairs()]
        [[0, 0, 2], [2, 3, 3], [1, 0, 1]]
        """
        return self._native.pairs(self.num_threads)

    def remove(self, id: int) -> None:
        """Remove a fingerprint; its number is not given again.

        Raises
        ------
        NeardupValueError
            There is no such fingerprint, or it was removed before.
        """
        if not (_is_id(id) and self._native.remove(id)):
            raise NeardupValueError(
                f"there is no fingerprint {id!r} to remove: it was never inserted, or removed "
                "before"
            )

    def clear(self) -> None:
        """Remove everything and begin again with number 0."""
        self._native.clear()

    def save(self, path: Path) -> None:
        """Write a file, finished or absent: 9 or 17 bytes a fingerprint, and a checksum.

        Raises
        ------
        NeardupError
            It cannot be written.
        """
        words, states, identity = self._native.parts()
        header = {"bits": self.bits, "distance": self.distance, "identity": identity}
        _FILE.write(path, header, [words.astype("<u8", copy=False), states])

    @classmethod
    def load(cls, path: Path, num_threads: int = 0) -> HammingIndex:
        """Read what `save` wrote: the same fingerprints, numbers and answers.

        Raises
        ------
        DataError
            The file is empty, truncated, altered, or no Hamming index file.
        NeardupError
            It cannot be read.
        """
        header, (words, states) = _FILE.read(path, 2)
        match header:
            case {
                "bits": int(bits),
                "distance": int(distance),
                "identity": str() | None as made,
            } if bits in (64, 128) and 0 <= distance <= bits and len(words) % 8 == 0:
                index = cls.__new__(cls)
                index.num_threads = thread_count(num_threads)
                numbers = np.frombuffer(words, "<u8").astype(np.uint64)
                became = np.frombuffer(states, np.uint8)
                try:
                    native = _native.Hamming.of_parts(bits, distance, numbers, became, made)
                except NeardupValueError as error:
                    raise DataError(str(error), source=str(path)) from None
                index._native = native
                return index
        raise DataError("a Hamming index file whose parts do not add up", source=str(path))

    def _words(self, value: Any) -> tuple[Words, Mask | None, str | None]:
        """Fingerprints as words, which of them can be found, and what made them."""
        if isinstance(value, Fingerprints):
            if value.bits != self.bits:
                raise NeardupValueError(
                    f"fingerprints of {value.bits} bits were given to an index of {self.bits}; "
                    "make both of one size"
                )
            return value.words, value.counts > 0, value.identity
        if isinstance(value, np.ndarray):
            return _array(value, self.bits // 64), None, None
        if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
            raise NeardupTypeError(
                "fingerprints are Fingerprints, integers or an array of uint64, got "
                f"{type(value).__name__}"
            )
        most = 2**self.bits - 1
        numbers = [whole(each, f"fingerprint {row}", 0, most) for row, each in enumerate(value)]
        data = b"".join(number.to_bytes(self.bits // 8, "little") for number in numbers)
        words = np.frombuffer(data, "<u8").astype(np.uint64)
        return words.reshape(-1, self.bits // 64), None, None


def _array(value: npt.NDArray[Any], width: int) -> Words:
    if value.dtype.newbyteorder("=") != np.dtype(np.uint64):
        raise NeardupTypeError(f"an array of fingerprints is of uint64, got {value.dtype}")
    if value.ndim == 1 and width == 1:
        value = value[:, None]
    if value.ndim != 2 or value.shape[1] != width:
        wanted = "(n,)" if width == 1 else "(n, 2), the low word first"
        raise NeardupValueError(
            f"an array of fingerprints of {64 * width} bits has shape {wanted}, got {value.shape}"
        )
    return native_array(value, np.uint64)
