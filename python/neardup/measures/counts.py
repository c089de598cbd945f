"""Measures of shingles by how often each is there: weighted Jaccard, cosine, cosine of tf-idf.

Weighted Jaccard is the sum of the smaller counts over the sum of the larger ones; cosine the inner
product over the product of the norms. Salton and Buckley: Term-weighting approaches in automatic
text retrieval, Information Processing & Management 24 (1988), for tf-idf.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.measures import Measure

__all__ = ["Weights", "cosine", "counted", "jaccard", "scores"]

F64 = npt.NDArray[np.float64]
Weights = tuple[npt.NDArray[np.uint64], F64]
"""The hashes of a text's shingles, ascending, and the weight of each."""


def scores(
    measure: Measure,
    left: list[str],
    right: list[str],
    spec: _native.TextSpec,
    *,
    weigh: Callable[[Weights], Weights] = lambda counts: counts,
) -> F64:
    """Similarity of the weighted shingles of pairs of texts; without shingles it is 0.

    Parameters
    ----------
    measure : Measure
        One of kind ``count``.
    left, right : list of str
        As many on both sides, or one on one of them.
    weigh : callable
        From counts to weights.

    Returns
    -------
    numpy.ndarray of float64
    """
    compare = {"jaccard": jaccard, "cosine": cosine}[measure.function]
    count = max(len(left), len(right)) if left and right else 0
    alone = [weigh(counted(side[0], spec)) if len(side) == 1 else None for side in (left, right)]
    found = np.zeros(count)
    for i in range(count):
        a = alone[0] if alone[0] is not None else weigh(counted(left[i], spec))
        b = alone[1] if alone[1] is not None else weigh(counted(right[i], spec))
        found[i] = compare(a, b)
    return found


def counted(text: str, spec: _native.TextSpec) -> Weights:
    """How often each shingle of a text is there."""
    hashes, counts = np.unique(spec.shingles(text), return_counts=True)
    return hashes, counts.astype(np.float64)


def jaccard(a: Weights, b: Weights) -> float:
    """Sum of the smaller weights over the sum of the larger ones.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.array([1, 2], np.uint64), np.array([3.0, 30.0])
    >>> other = np.array([1, 2], np.uint64), np.array([20.0, 7.0])
    >>> jaccard(one, other)  # (3 + 7) / (20 + 30)
    0.2
    """
    x, y = _common(a, b)
    smaller = float(np.minimum(x, y).sum())
    larger = float(a[1].sum() + b[1].sum()) - smaller
    return smaller / larger if larger else 0.0


def cosine(a: Weights, b: Weights) -> float:
    """Inner product over the product of the norms."""
    x, y = _common(a, b)
    norms = sqrt(float(a[1] @ a[1]) * float(b[1] @ b[1]))
    return min(1.0, float(x @ y) / norms) if norms else 0.0


def _common(a: Weights, b: Weights) -> tuple[F64, F64]:
    """The weights on both sides of what both have."""
    _, x, y = np.intersect1d(a[0], b[0], assume_unique=True, return_indices=True)
    return a[1][x], b[1][y]
