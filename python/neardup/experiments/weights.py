"""Estimates of weighted sketches against J(1-J)/k, on three pairs of known weighted similarity.

Improved Consistent Weighted Sampling: Ioffe, ICDM 2010. DartMinHash: Christiani 2020, arXiv
2005.11547.
"""

from __future__ import annotations

import math

import numpy as np

from neardup.experiments import SIZE, Record
from neardup.sketching import estimate_jaccard
from neardup.weighted import WeightedSketch, weighted_jaccard

NAMES = ("dart", "icws")
Row = tuple[int, int]
PAIRS: dict[str, tuple[int, list[Row]]] = {
    "(3, 20), (30, 7)": (10, [(3, 20), (30, 7)]),
    "(0, 1), (1, 0), (1, 1)": (10, [(0, 1), (1, 0), (1, 1)]),
    "300 of (1, 3), 500 of (2, 1), 700 of (5, 4)": (
        1,
        [(1, 3)] * 300 + [(2, 1)] * 500 + [(5, 4)] * 700,
    ),
}
"""Weights of each element in both sets; how many times the draws it is given, being small."""


def rows(draws: int, seed: int) -> list[Record]:
    """A row a pair and sketch; every draw has a seed of its own."""
    found = []
    for words, (times, weights) in PAIRS.items():
        a, b = ({x: pair[side] for x, pair in enumerate(weights)} for side in (0, 1))
        jaccard = weighted_jaccard(a, b)
        for name in NAMES:
            sketchers = (WeightedSketch(name, SIZE, seed + i) for i in range(draws * times))
            found.append(
                {"sketch": name, "pair": words}
                | against(
                    [estimate_jaccard(*sketch.batch([a, b], 1)) for sketch in sketchers], jaccard
                )
            )
    return found


def against(estimates: list[float], jaccard: float) -> Record:
    """Mean and mean-square error, and how many sigma they are from theory."""
    variance = jaccard * (1 - jaccard) / SIZE
    errors = np.array(estimates) - jaccard
    squares, root = errors**2, math.sqrt(len(errors))
    return {
        "jaccard": jaccard,
        "draws": len(errors),
        "mean": float(np.mean(estimates)),
        "bias_sigmas": float(errors.mean()) * root / math.sqrt(variance),
        "variance": variance,
        "mse": float(squares.mean()),
        "mse_sigmas": (float(squares.mean()) - variance) * root / float(squares.std()),
    }
