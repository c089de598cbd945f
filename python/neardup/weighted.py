"""Weighted sets: signatures of real or whole weights, and the weighted Jaccard similarity, exactly.

J(a, b) = sum of min(a_x, b_x) over sum of max(a_x, b_x), over all tokens x.
"""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
import numpy.typing as npt

from neardup.errors import NeardupTypeError, NeardupValueError
from neardup.rows import Rows, one_row, rows_of
from neardup.sketching import Matrix, native_sketch, thread_count

__all__ = ["WeightedSketch", "weighted_jaccard"]


class WeightedSketch:
    """Signatures of weighted sets: two share a slot with probability J, the weighted Jaccard.

    A weighted set is one of

    * a mapping of tokens to weights,
    * a pair ``(tokens, weights)``: a tuple of two sequences of one length,
    * a one-dimensional numpy array, or a scipy sparse row: token x is column x, an integer.

    Tokens are those of `FastSimilaritySketch`; a weight is a number from 0, finite. A token of
    weight 0 is not there; one named twice weighs the sum. Inputs are never changed.

    Parameters
    ----------
    name : str, default "dart"
        ``dart`` (DartMinHash: O(n + k log k), slot-wise minima of signatures belong to the larger
        weights) or ``icws`` (Improved Consistent Weighted Sampling: O(n k)) for any weights. Any
        other sketch takes whole weights, each token as so many copies: up to 2^24 in a set.
    size : int, default 128
        Slots of a signature, 1 to 65536.
    seed : int, default 42
        From 0 to 2^64-1.

    Raises
    ------
    NeardupValueError
        `name` is no sketch, or `size` or `seed` is out of range.

    References
    ----------
    Christiani: DartMinHash: Fast Sketching for Weighted Sets, 2020, arXiv 2005.11547.
    Ioffe: Improved Consistent Sampling, Weighted Minhash and L1 Sketching, ICDM 2010.

    Examples
    --------
    >>> from neardup import WeightedSketch, estimate_jaccard
    >>> sketch = WeightedSketch(size=1024)
    >>> a, b = sketch({"new": 2.5, "york": 2.5}), sketch({"new": 1.25, "york": 1.25})
    >>> bool(abs(estimate_jaccard(a, b) - 0.5) < 4 * sketch.std_err(0.5))
    True
    """

    def __init__(self, name: str = "dart", size: int = 128, seed: int = 42) -> None:
        if not isinstance(name, str):
            raise NeardupTypeError(f"name must be a str, got {type(name).__name__}")
        self._native = native_sketch(name, size, seed)

    @property
    def size(self) -> int:
        """Slots of a signature."""
        return self._native.size

    @property
    def identity(self) -> str:
        """Name, version and parameters; two signatures can be compared only if they share it."""
        return self._native.identity

    def __call__(self, row: Any) -> npt.NDArray[np.uint32]:
        """Sketch one weighted set.

        Parameters
        ----------
        row : mapping, pair (tokens, weights), array of one dimension, or sparse row

        Returns
        -------
        numpy.ndarray of uint32, shape (size,)
            All 0xFFFFFFFF for a set without weight.

        Raises
        ------
        NeardupTypeError
            Not a weighted set; a token or a weight of a kind that cannot be taken.
        NeardupValueError
            A weight that is negative, NaN or infinite, or not whole where it has to be.
        """
        signature: npt.NDArray[np.uint32] = self._sketch(one_row(row), 1)[0]
        return signature

    def batch(self, rows: Any, num_threads: int = 0) -> Matrix:
        """Sketch many weighted sets.

        Parameters
        ----------
        rows : iterable of weighted sets, array of two dimensions, or scipy sparse matrix
            One set a row; a row without weight is allowed.
        num_threads : int, default 0
            Threads; 0 is one for every core. The result does not depend on it.

        Returns
        -------
        numpy.ndarray of uint32, shape (n, size)

        Raises
        ------
        NeardupTypeError, NeardupValueError
            As in a call; the message names the row, and the token or column.

        Examples
        --------
        >>> import numpy as np
        >>> counts = np.array([[0, 2, 1], [3, 0, 0]])
        >>> sketch = WeightedSketch(size=4)
        >>> bool((sketch.batch(counts) == sketch.batch([{1: 2, 2: 1}, {0: 3}])).all())
        True
        """
        threads = thread_count(num_threads)
        parts = [self._sketch(part, threads) for part in rows_of(rows)]
        return np.concatenate([np.empty((0, self.size), np.uint32), *parts])

    def std_err(self, jaccard: float) -> float:
        """Standard error of an estimate: exactly so for dart and icws, at most so for the others.

        Parameters
        ----------
        jaccard : float
            True weighted Jaccard similarity, 0 to 1.

        Returns
        -------
        float
            sqrt(J (1 - J) / size).
        """
        return float(np.sqrt(jaccard * (1.0 - jaccard) / self.size))

    def _sketch(self, rows: Rows, threads: int) -> Matrix:
        broken = np.flatnonzero(np.mod(rows.weights, 1.0))
        if len(broken) and not self._native.weighs_repeats:
            raise NeardupValueError(
                f"{rows.place(int(broken[0]))} is not allowed: the sketch "
                f"{self.identity.partition('/')[0]} takes whole weights; dart and icws take any"
            )
        return self._native.weigh(rows.hashes, rows.weights, rows.offsets, threads, rows.first)

    def __repr__(self) -> str:
        return f"WeightedSketch({self.identity})"


def weighted_jaccard(a: Any, b: Any) -> float:
    """Weighted Jaccard similarity of two weighted sets, exactly: sum of minima over sum of maxima.

    Parameters
    ----------
    a, b : mapping, pair (tokens, weights), array of one dimension, or sparse row
        As for `WeightedSketch`; the two may be of different kinds.

    Returns
    -------
    float
        The quotient of the two correctly rounded sums; 0 if either set has no weight.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        Not a weighted set, or a weight that is negative, NaN or infinite.

    Examples
    --------
    >>> weighted_jaccard({"a": 3, "b": 30}, {"a": 20, "b": 7})  # (3 + 7) / (20 + 30)
    0.2
    >>> import numpy as np
    >>> weighted_jaccard({0: 1, 2: 1}, np.array([1.0, 2.0, 1.0]))
    0.5
    """
    rows = one_row(a), one_row(b)
    try:
        left, right = map(_summed, rows)
        tokens = left.keys() | right.keys()
        pairs = [(left.get(token, 0.0), right.get(token, 0.0)) for token in tokens]
        return fsum(map(min, pairs)) / fsum(map(max, pairs)) if left and right else 0.0
    except OverflowError:
        raise NeardupValueError(
            "the weights add up to more than a float64 holds; divide them all by one number"
        ) from None


def _summed(rows: Rows) -> dict[int, float]:
    """Weight of each token hash; one that is named twice weighs the sum."""
    found: dict[int, list[float]] = {}
    for token, weight in zip(rows.hashes.tolist(), rows.weights.tolist(), strict=True):
        if weight:
            found.setdefault(token, []).append(weight)
    return {token: fsum(weights) for token, weights in found.items()}
