"""Edit distances and their kin, computed by rapidfuzz: its results, for lists of text pairs.

A list of one text on one side is held against every text of the other side.
"""

from __future__ import annotations

from itertools import cycle
from typing import Any

import numpy as np
import numpy.typing as npt

from neardup.errors import NeardupError, NeardupValueError
from neardup.measures import Measure

__all__ = ["Numbers", "available", "check", "scores"]

Numbers = npt.NDArray[Any]

SLICE = 4096
"""Pairs in one call, after which Ctrl-C is heard."""
INSTALL = "needs rapidfuzz, which is not installed; pip install 'neardup[similarity]'"


def available() -> bool:
    """Whether rapidfuzz is installed."""
    try:
        import rapidfuzz  # noqa: F401
    except ImportError:
        return False
    return True


def check(name: str) -> None:
    """Raise if a measure of this kind, by its name, cannot be computed here."""
    if not available():
        raise NeardupError(f"measure {name} {INSTALL}")


def scores(
    measure: Measure,
    left: list[str],
    right: list[str],
    *,
    distance: bool = False,
    cutoff: float | None = None,
    prefix_weight: float | None = None,
    threads: int = 0,
) -> Numbers:
    """Normalised similarity, or distance, of pairs of texts, exactly as rapidfuzz has it.

    Parameters
    ----------
    measure : Measure
        One of kind ``edit``.
    left, right : list of str
        As many on both sides, or one on one of them. Code points are compared.
    distance : bool
        The number of edits (int64) instead; of Jaro and Jaro-Winkler 1 less the similarity.
    cutoff : float, optional
        Similarities below it may come back as 0, which is found sooner.
    prefix_weight : float, optional
        Of Jaro-Winkler, rapidfuzz's 0.1 unless given.
    threads : int
        0 is one for every core.

    Returns
    -------
    numpy.ndarray of float64 or int64

    Raises
    ------
    NeardupError
        rapidfuzz is not installed; or what it says of a parameter, as a NeardupValueError.
    """
    check(measure.name)
    from rapidfuzz import distance as metrics
    from rapidfuzz import process

    metric = getattr(metrics, measure.function)
    more = {} if prefix_weight is None else {"prefix_weight": prefix_weight}
    scorer = metric.distance if distance else metric.normalized_similarity
    single = measure.name.startswith("jaro")
    count = max(len(left), len(right)) if left and right else 0
    found = np.empty(count, np.int64 if distance and not single else np.float64)
    options = {"scorer": scorer, "dtype": found.dtype, "workers": threads or -1}
    try:
        for first in range(0, count, SLICE):
            part = slice(first, min(first + SLICE, count))
            one = left if len(left) == 1 else left[part]
            other = right if len(right) == 1 else right[part]
            if single:  # in batches rapidfuzz rounds them otherwise, in the last bit
                pairs = zip(cycle(one), other) if len(one) == 1 else zip(one, cycle(other))
                found[part] = [scorer(a, b, score_cutoff=cutoff, **more) for a, b in pairs]
            elif len(one) == 1 or len(other) == 1:
                found[part] = process.cdist(one, other, score_cutoff=cutoff, **options).ravel()
            else:
                found[part] = process.cpdist(one, other, score_cutoff=cutoff, **options)
    except (ValueError, TypeError) as error:
        raise NeardupValueError(f"measure {measure.name}: {error}") from error
    return found
