"""SimHash fingerprints of texts (Charikar 2002; Manku, Jain, Das Sarma 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.errors import NeardupTypeError, NeardupValueError
from neardup.signatures import _NORMALIZE, Signatures, sketch
from neardup.sketching import whole

__all__ = ["Fingerprints", "simhash"]

Words = npt.NDArray[np.uint64]


class Fingerprints(Signatures):
    """SimHash fingerprints of texts, one a row, with the identity of what made them.

    Made by `simhash`, by ``sketch(..., sketch="simhash")`` and by `load`. Two are compared by the
    bits in which they differ. The fingerprint of a text without shingles is all ones, no other one
    is, and it is similar to nothing.

    Attributes
    ----------
    matrix : numpy.ndarray of uint32, shape (n, bits / 32)
        One fingerprint a row, its low word first; read-only.
    counts : numpy.ndarray of int64, shape (n,)
        Distinct shingles of each text; read-only.

    Examples
    --------
    >>> from neardup import simhash
    >>> prints = simhash(["to be or not to be", "To be, or not to be!", "that is the question"])
    >>> prints.hamming(0, 1), prints.cosine(0, 1), len(prints.hex()[0])
    (0, 1.0, 16)
    """

    __slots__ = ()

    @property
    def bits(self) -> int:
        """Bits of a fingerprint, 64 or 128."""
        slots: int = self.matrix.shape[1]
        return 32 * slots

    @property
    def words(self) -> Words:
        """The fingerprints as uint64, shape (n, bits / 64), the low word first."""
        low, high = self.matrix[:, 0::2].astype(np.uint64), self.matrix[:, 1::2].astype(np.uint64)
        words: Words = high << np.uint64(32) | low
        return words

    def hex(self) -> list[str]:
        """The fingerprints as hexadecimal numbers of fixed width: 16 digits or 32."""
        rows = self.matrix[:, ::-1].tolist()
        return ["".join(f"{slot:08x}" for slot in row) for row in rows]

    def hamming(self, i: int, j: int, other: Fingerprints | None = None) -> int:
        """Count the bits in which two fingerprints differ.

        Parameters
        ----------
        i : int
            A row of these fingerprints, from 0.
        j : int
            A row of `other`, or of these if there is none.
        other : Fingerprints, optional

        Returns
        -------
        int
            From 0 to `bits`; `bits` where either text has no shingle.

        Raises
        ------
        NeardupValueError
            A row that is not there, or `other` has another identity.
        """
        right = self if other is None else other
        self._meet(right)
        a, b = self.matrix[self._row(i, "i")], right.matrix[right._row(j, "j")]
        return int(_native.hamming_rows(a[None, :], b[None, :])[0])

    def cosine(self, i: int, j: int, other: Fingerprints | None = None) -> float:
        """Estimate the cosine of two texts' vectors of shingle counts.

        Parameters
        ----------
        i, j, other
            As of `hamming`.

        Returns
        -------
        float
            cos(pi d / bits) for d differing bits, and not below 0, as counts are not; 0 where
            either text has no shingle. Two sets of equal size without repeats have the cosine
            2J / (1 + J).

        Raises
        ------
        NeardupValueError
            As of `hamming`.
        """
        return _native.hamming_estimates(self.hamming(i, j, other), self.bits)[0]

    def jaccard(self, i: int, j: int, other: Signatures | None = None) -> NoReturn:
        """Refuse: a fingerprint tells the angle between counts, not the Jaccard similarity.

        Raises
        ------
        NeardupValueError
            Always.
        """
        raise NeardupValueError(
            "SimHash fingerprints have no Jaccard estimate; use hamming(i, j) or cosine(i, j), or "
            "another sketch"
        )

    def merge(self, other: Signatures) -> NoReturn:
        """Refuse: the fingerprint of a union does not follow from two fingerprints.

        Raises
        ------
        NeardupValueError
            Always.
        """
        raise NeardupValueError(
            "SimHash fingerprints do not merge; sketch the texts joined, or use another sketch"
        )

    def pack(self, bits: int) -> NoReturn:
        """Refuse: a bit of a fingerprint is all there is of a slot.

        Raises
        ------
        NeardupValueError
            Always.
        """
        raise NeardupValueError(
            "SimHash fingerprints are bits already and cannot be packed; use them as they are"
        )


def simhash(
    texts: Any,
    *,
    bits: int = 64,
    shingle: str = "word:3",
    normalize: str | Sequence[str] = _NORMALIZE,
    seed: int = 42,
    threads: int = 0,
) -> Fingerprints:
    """Fingerprint texts by SimHash: texts that are almost equal differ in few bits.

    Parameters
    ----------
    texts : iterable of str, or a string column that speaks Arrow
        Null is an error.
    bits : int, default 64
        64 or 128.
    shingle, normalize : str
        How a text becomes shingles, see docs/options.md. A shingle that occurs twice weighs twice.
    seed : int, default 42
        From 0 to 2^64 - 1.
    threads : int, default 0
        0 is one for every core. The result does not depend on it.

    Returns
    -------
    Fingerprints

    Raises
    ------
    NeardupTypeError, NeardupValueError
        As of `sketch`; a number of bits other than 64 and 128.

    References
    ----------
    Charikar: Similarity Estimation Techniques from Rounding Algorithms, STOC 2002.
    Manku, Jain, Das Sarma: Detecting Near-Duplicates for Web Crawling, WWW 2007.

    Examples
    --------
    >>> import neardup
    >>> prints = neardup.simhash(["我喜欢健身", "我喜欢健身！"], shingle="char:2", bits=128)
    >>> prints.hamming(0, 1) < 64, prints.hex()[0]
    (True, '190a1b70232784e42061220100548820')
    """
    if whole(bits, "bits", 1, 65536) not in (64, 128):
        raise NeardupValueError(f"bits must be 64 or 128, got {bits}")
    found = sketch(
        texts,
        shingle=shingle,
        normalize=normalize,
        sketch="simhash",
        size=bits,
        seed=seed,
        threads=threads,
    )
    if not isinstance(found, Fingerprints):
        raise NeardupTypeError(f"internal error, please report it: {type(found).__name__}")
    return found
