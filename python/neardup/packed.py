"""b-bit views of signatures (Li, Konig 2010): a few bits of every slot, packed."""

from __future__ import annotations

import math
import re

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.errors import DataError, NeardupTypeError, NeardupValueError
from neardup.option import Option
from neardup.sealed import Kind, Path
from neardup.sketching import Matrix, native_sketch, signature_array, whole
from neardup.values import Real

__all__ = ["PackedSignatures"]

Words = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]

WIDTHS = (1, 2, 4, 8, 16)
_FILE = Kind(b"ndpacked", "a file of packed signatures")
_JACCARD = Option("jaccard", Real(0.0, 1.0, "a number from 0 to 1", open_low=False), None, "", "")
_UNKNOWN = -1


class PackedSignatures:
    """Signatures of which `bits` bits a slot are kept, packed into words, one a row.

    Made by `Signatures.pack`, `from_matrix` and `load`; never changed, so any number of threads may
    share them. A row takes ``8 * ceil(size * bits / 64)`` bytes, and 8 for its count: 24
    instead of 520 for 128 slots and 1 bit.

    Attributes
    ----------
    matrix : numpy.ndarray of uint64, shape (n, ceil(size * bits / 64))
        Slot j is at bit ``bits * j`` of its row, the low end first; read-only.
    counts : numpy.ndarray of int64, shape (n,)
        Distinct shingles of each text, by which a row knows that it is empty; -1 where that is not
        known, and then the text has some. Read-only.
    size : int
        Slots of a signature.
    bits : int
        Bits of a slot: 1, 2, 4, 8 or 16.
    identity : str
        What made the signatures, and the bits. Rows are comparable only if this is equal.

    References
    ----------
    Li, Konig: b-Bit Minwise Hashing, WWW 2010, arXiv 0910.3349.

    Examples
    --------
    >>> from neardup import sketch
    >>> packed = sketch(["to be or not to be", "To be, or not to be!", ""], size=1024).pack(2)
    >>> packed.matrix.nbytes, packed.jaccard(0, 1), packed.jaccard(0, 2), packed.jaccard(2, 2)
    (768, 1.0, 0.0, 0.0)
    """

    __slots__ = ("bits", "counts", "made", "matrix", "size")

    def __init__(self, matrix: Words, counts: Counts, *, size: int, bits: int, made: str) -> None:
        self.matrix, self.counts, self.size, self.bits = matrix, counts, size, bits
        self.made = made
        for array in (matrix, counts):
            array.flags.writeable = False

    @classmethod
    def from_matrix(cls, matrix: Matrix, bits: int) -> PackedSignatures:
        """Pack bare signatures, which do not say what made them.

        Parameters
        ----------
        matrix : array of uint32, shape (n, size)
            Signatures of a min-wise sketch; rows of 0xFFFFFFFF are empty sets.
        bits : int
            1, 2, 4, 8 or 16.

        Returns
        -------
        PackedSignatures
            Counts are 0 for empty sets, and -1 for others.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not a matrix of uint32, one without slots, or another number of bits.

        Examples
        --------
        >>> from neardup import FastSimilaritySketch, PackedSignatures
        >>> rows = FastSimilaritySketch(size=256).batch([["to", "be"], ["be", "to"], []])
        >>> packed = PackedSignatures.from_matrix(rows, 4)
        >>> packed.jaccard(0, 1), packed.counts.tolist()
        (1.0, [-1, -1, 0])
        """
        slots = signature_array(matrix, 2, "matrix")
        empty = (slots == 0xFFFFFFFF).all(axis=1)
        counts = np.where(empty, 0, _UNKNOWN).astype(np.int64)
        return pack(slots, counts, bits, f"bare signatures of {slots.shape[1]} slots")

    @property
    def identity(self) -> str:
        """What made the signatures, and the bits, in one line."""
        return f"{self.made}; {self.bits} bits a slot"

    @property
    def nbytes(self) -> int:
        """Bytes of all rows and counts."""
        return self.matrix.nbytes + self.counts.nbytes

    def __len__(self) -> int:
        return len(self.matrix)

    def __repr__(self) -> str:
        return f"<{len(self)} packed signatures of [{self.identity}]>"

    def jaccard(self, i: int, j: int, other: PackedSignatures | None = None) -> float:
        """Estimate the Jaccard similarity of two texts.

        Parameters
        ----------
        i : int
            A row of these signatures, from 0.
        j : int
            A row of `other`, or of these if there is none.
        other : PackedSignatures, optional

        Returns
        -------
        float
            (P - C) / (1 - C) for the share P of equal slots and C = 2^-bits, clamped to 0 and 1; 0
            where either text has no shingle.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            A row that is not there, or `other` has another identity.
        """
        right = self if other is None else other
        if not isinstance(right, PackedSignatures):
            raise NeardupTypeError(f"other must be PackedSignatures, got {type(right).__name__}")
        if self.identity != right.identity:
            raise NeardupValueError(
                "packed signatures of different making cannot meet: "
                f"[{self.identity}] and [{right.identity}]; sketch and pack both alike"
            )
        i, j = self._row(i, "i"), right._row(j, "j")
        if not (self.counts[i] and right.counts[j]):
            return 0.0
        a, b = self.matrix[i : i + 1], right.matrix[j : j + 1]
        return float(_native.packed_estimates(a, b, self.size, self.bits)[0])

    def std_err(self, jaccard: float, union: int | None = None) -> float:
        """Standard error of an estimate before it is clamped.

        Parameters
        ----------
        jaccard : float
            True Jaccard similarity, 0 to 1.
        union : int, optional
            Distinct shingles of both texts together. With it the gain of the sketch over MinHash
            for small sets is counted; without it, and for bare signatures, the sketch is taken for
            MinHash.

        Returns
        -------
        float
            Square root of (1 - J) / size * (J rho + 1 / (2^bits - 1)).

        Raises
        ------
        NeardupTypeError, NeardupValueError
            A value out of range.

        Examples
        --------
        >>> from neardup import sketch
        >>> packed = sketch([""], size=1024).pack(1)
        >>> round(packed.std_err(0.5), 4)  # sqrt(.5 / 1024 * 1.5)
        0.0271
        """
        j = _JACCARD.read(jaccard)
        variance = j * (1.0 - j) / self.size
        found = re.match(r"(\w+)/\d+ size=(\d+) seed=(\d+) rounds=(\d+)", self.made)
        if union is not None and found is not None:
            name, size, seed, rounds = found[1], *map(int, found.groups()[1:])
            native = native_sketch(name, size, seed, rounds or None)
            variance = native.std_err(j, whole(union, "union", 1, 2**63 - 1)) ** 2
        return math.sqrt(variance + (1.0 - j) / self.size / (2**self.bits - 1))

    def save(self, path: Path) -> None:
        """Write a file, finished or absent: the bytes of all rows and counts, and a checksum.

        Raises
        ------
        NeardupError
            It cannot be written.
        """
        header = {"made": self.made, "size": self.size, "bits": self.bits, "rows": len(self)}
        counts, words = self.counts.astype("<i8", copy=False), self.matrix.astype("<u8", copy=False)
        _FILE.write(path, header, [counts, words])

    @classmethod
    def load(cls, path: Path) -> PackedSignatures:
        """Read what `save` wrote.

        Raises
        ------
        DataError
            The file is empty, truncated, altered, or holds no packed signatures.
        NeardupError
            It cannot be read.
        """
        header, (counts, words) = _FILE.read(path, 2)
        match header:
            case {"made": str(made), "size": int(size), "bits": int(bits), "rows": int(rows)} if (
                bits in WIDTHS
                and size > 0
                and rows >= 0
                and (len(counts), len(words)) == (8 * rows, 8 * rows * -(-size * bits // 64))
            ):
                matrix = np.frombuffer(words, "<u8").astype(np.uint64)
                matrix = matrix.reshape(rows, -(-size * bits // 64))
                sizes = np.frombuffer(counts, "<i8").astype(np.int64)
                return cls(matrix, sizes, size=size, bits=bits, made=made)
        raise DataError("a file of packed signatures that do not add up", source=str(path))

    def _row(self, row: int, name: str) -> int:
        if not len(self):
            raise NeardupValueError(f"{name}: there are no signatures")
        return whole(row, name, 0, len(self) - 1)


def pack(slots: Matrix, counts: Counts, bits: int, made: str) -> PackedSignatures:
    """Pack slots; `Signatures.pack` and `PackedSignatures.from_matrix` are made of it."""
    bits = whole(bits, "bits", 1, 65536)
    if bits not in WIDTHS:
        raise NeardupValueError(f"bits must be 1, 2, 4, 8 or 16, got {bits}")
    size = slots.shape[1]
    if not size:
        raise NeardupValueError("matrix: signatures of no slots cannot be packed")
    words = _native.pack(slots, bits)
    return PackedSignatures(words, counts.copy(), size=size, bits=bits, made=made)
