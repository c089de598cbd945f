"""How good an answer is: precision, recall and F1 on pairs, adjusted Rand index on clusters.

Pure functions of document numbers: whoever calls them has folded exact duplicates first, since a
text that occurs a thousand times would otherwise decide every figure by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Scores", "adjusted_rand_index", "components", "label_scores", "pair_scores"]

I64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Scores:
    """Counts of pairs, and what follows from them.

    Attributes
    ----------
    found, true, both : int
        Pairs found, pairs that are true, and pairs that are both.
    """

    found: int
    true: int
    both: int

    @property
    def precision(self) -> float:
        """The share of what was found that is true; 1 if nothing was found."""
        return self.both / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The share of what is true that was found; 1 if nothing is true."""
        return self.both / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of both; 1 if nothing was found and nothing is true."""
        return 2 * self.both / (self.found + self.true) if self.found + self.true else 1.0


def pair_scores(found: Any, true: Any) -> Scores:
    """Compare pairs found with true ones; order within a pair and repeats mean nothing.

    Parameters
    ----------
    found, true : array_like of int, shape (n, 2)
        Document numbers, from 0. A document paired with itself is no pair.

    Returns
    -------
    Scores

    Examples
    --------
    >>> scores = pair_scores(found=[(0, 1), (2, 3), (3, 2)], true=[(1, 0), (1, 2), (0, 2)])
    >>> scores, scores.precision, round(scores.recall, 3), scores.f1
    (Scores(found=2, true=3, both=1), 0.5, 0.333, 0.4)
    """
    left, right = distinct(found), distinct(true)
    both = np.intersect1d(_keys(left), _keys(right), assume_unique=True)
    return Scores(len(left), len(right), len(both))


def label_scores(found: Any, labels: Any) -> Scores:
    """Compare pairs found with labels: two documents of one label are a true pair.

    Parameters
    ----------
    found : array_like of int, shape (n, 2)
        Document numbers, from 0.
    labels : array_like of int, shape (documents,)
        The label of each document; a negative one says that it is not known, and pairs with such a
        document are not judged.

    Returns
    -------
    Scores

    Examples
    --------
    >>> label_scores([(0, 1), (1, 2), (2, 4)], [7, 7, 8, 7, -1])
    Scores(found=2, true=3, both=1)
    """
    known = np.asarray(labels, np.int64)
    pairs = distinct(found)
    one, other = known[pairs[:, 0]], known[pairs[:, 1]]
    judged = (one >= 0) & (other >= 0)
    sizes = np.unique(known[known >= 0], return_counts=True)[1]
    true = sum(_pairs_of(sizes))
    return Scores(int(judged.sum()), true, int((judged & (one == other)).sum()))


def adjusted_rand_index(one: Any, other: Any) -> float:
    """Agreement of two clusterings, corrected for chance (Hubert and Arabie 1985, equation 5).

    Parameters
    ----------
    one, other : array_like of int, shape (documents,)
        The cluster of each document; names of clusters mean nothing.

    Returns
    -------
    float
        1 for equal clusterings, about 0 for independent ones; never above 1.

    Raises
    ------
    ValueError
        The two speak of different numbers of documents.

    Examples
    --------
    >>> adjusted_rand_index([0, 0, 1, 1], [5, 5, 3, 3])
    1.0
    >>> round(adjusted_rand_index([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """
    a, b = np.asarray(one, np.int64), np.asarray(other, np.int64)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"two clusterings of as many documents, got {a.shape} and {b.shape}")
    a, b = np.unique(a, return_inverse=True)[1], np.unique(b, return_inverse=True)[1]
    cells = np.unique(a * (int(b.max(initial=0)) + 1) + b, return_counts=True)[1]
    in_both = sum(_pairs_of(cells))
    in_one, in_other = sum(_pairs_of(np.bincount(a))), sum(_pairs_of(np.bincount(b)))
    total = len(a) * (len(a) - 1) // 2
    # Times 2 * total, all in whole numbers: index - expected over maximum - expected.
    above = 2 * (total * in_both - in_one * in_other)
    most = total * (in_one + in_other) - 2 * in_one * in_other
    return above / most if most else 1.0


def components(pairs: Any, count: int) -> I64:
    """The connected component of each document, as the number of a document in it.

    Examples
    --------
    >>> components([(3, 1), (1, 4)], 5).tolist()
    [0, 1, 2, 1, 1]
    """
    from neardup import _native

    sides = distinct(pairs).astype(np.uint32)
    a, b = np.ascontiguousarray(sides[:, 0]), np.ascontiguousarray(sides[:, 1])
    rank = np.arange(count, dtype=np.uint32)
    return _native.components(rank, a, b, np.ones(len(a)))[0].astype(np.int64)


def distinct(pairs: Any) -> I64:
    """Pairs of two different documents, each once, the lower number first, sorted."""
    sides = np.sort(np.asarray(pairs, np.int64).reshape(-1, 2), axis=1)
    found: I64 = np.unique(sides[sides[:, 0] != sides[:, 1]], axis=0)
    return found


def _keys(pairs: I64) -> I64:
    """One number a pair, different for different pairs; document numbers are below 2^31."""
    return pairs[:, 0] << 32 | pairs[:, 1]


def _pairs_of(sizes: Any) -> list[int]:
    """Pairs within groups of these sizes, as Python integers, which do not overflow."""
    return [size * (size - 1) // 2 for size in sizes.tolist()]
