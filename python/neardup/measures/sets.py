"""Measures of two sets of shingles, from the sizes of the sets and of what they share.

Tversky: Features of similarity, Psychological Review 84 (1977), equation 5; Jaccard and Dice are
its cases alpha = beta = 1 and 1/2, containment alpha = 1, beta = 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.measures import Measure

__all__ = ["scores", "shared"]

F64 = npt.NDArray[np.float64]
SLICE = 8192
"""Pairs whose sets are in memory at a time."""


def scores(
    measure: Measure,
    left: list[str],
    right: list[str],
    spec: _native.TextSpec,
    *,
    alpha: float = 0.5,
    beta: float = 0.5,
    threads: int = 0,
) -> F64:
    """Similarity of the shingle sets of pairs of texts; that of an empty set is 0 with every one.

    Parameters
    ----------
    measure : Measure
        One of kind ``set``.
    left, right : list of str
        As many on both sides, or one on one of them.
    alpha, beta : float
        Of Tversky: what a shingle weighs that only the left, or only the right text has.

    Returns
    -------
    numpy.ndarray of float64
    """
    count = max(len(left), len(right)) if left and right else 0
    found = np.zeros(count)
    for first in range(0, count, SLICE):
        part = slice(first, min(first + SLICE, count))
        one = left if len(left) == 1 else left[part]
        other = right if len(right) == 1 else right[part]
        both, a, b = shared(one, other, spec, threads)
        if measure.function == "tversky":
            whole = both + alpha * (a - both) + beta * (b - both)
        else:
            whole = {
                "jaccard": a + b - both,
                "dice": (a + b) / 2,
                "overlap": np.minimum(a, b),
                "containment": a,
            }[measure.function]
        np.divide(both, whole, out=found[part], where=both > 0)
    return found


def shared(
    left: list[str], right: list[str], spec: _native.TextSpec, threads: int
) -> tuple[F64, F64, F64]:
    """Shingles in common, of the left text and of the right text, for each pair.

    Verification gives J = I / (a + b - I) correctly rounded; hence I = J (a + b) / (1 + J), rounded
    to the whole number it is.
    """
    texts = left + right
    rows = np.arange(len(texts), dtype=np.uint32)
    values, sizes, numbers = _native.contents(texts, rows, spec, None, threads)
    length = sizes + numbers
    start = np.cumsum(length) - length
    count = max(len(left), len(right))
    a = np.broadcast_to(rows[: len(left)], count).copy()
    b = np.broadcast_to(rows[len(left) :], count).copy()
    jaccard = np.maximum(_native.verify(values, start, sizes, a, b, 0.0, threads), 0.0)  # -1: empty
    both = np.rint(jaccard * (sizes[a] + sizes[b]) / (1.0 + jaccard))
    return both, sizes[a].astype(np.float64), sizes[b].astype(np.float64)
