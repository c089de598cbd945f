"""What the papers' definitions lead to, exactly: variances, bands, balls in bins.

k slots, m elements in the union of two sets, J their Jaccard similarity. Fast Similarity Sketching
is that of Dahlgaard, Knudsen, Thorup, FOCS 2017, arXiv 1704.04370.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt

ALMOST = 1e-12
"""Probabilities below this are left out of a sum."""


def rho(size: int, union: int, rounds: int) -> float:
    """Variance of Fast Similarity Sketching as a multiple of J(1-J)/k (derived in docs/design.md).

    Parameters
    ----------
    size, union : int
        k and m, from 2.
    rounds : int
        Rounds in which elements fall into random slots: k in Algorithm 1, 0 in MinHash.

    Returns
    -------
    float
        Never above 1.

    Examples
    --------
    >>> [round(rho(128, m, rounds=128), 3) for m in (4, 128, 1334)]
    [0.5, 0.538, 0.905]
    """
    a, b = (1 - 1 / size) ** union, (1 - 2 / size) ** union
    return 1 - (size - 1) * (1 - 2 * a + b) * (1 - b**rounds) / (1 - b) / (union - 1)


def curve(jaccard: float, bands: int, rows: int) -> float:
    """Chance that one of `bands` bands is equal, where slots are independent: 1 - (1 - J^r)^b."""
    return 1 - (1 - jaccard**rows) ** bands


def lowest_band(jaccard: float, size: int, rows: int) -> float:
    """Chance of one equal band where the k winners are drawn without repeats, kJ of them common."""
    common = size * jaccard
    return math.prod(max(common - h, 0) / (size - h) for h in range(rows))


def chernoff(size: int, jaccard: float, at_least: float) -> float:
    """The bound (e^d / (1+d)^(1+d))^(kJ) on P(estimate >= (1+d) J)."""
    more = at_least / jaccard - 1
    return math.exp(size * jaccard * (more - (1 + more) * math.log1p(more)))


def occupied(size: int) -> Iterator[npt.NDArray[np.float64]]:
    """How many of `size` slots are hit by 0, 1, 2, ... throws: a distribution after each throw."""
    slots = np.arange(size + 1)
    chance = np.zeros(size + 1)
    chance[0] = 1.0
    while True:
        yield chance
        hit = chance * (slots / size)
        hit[1:] += chance[:-1] * ((size - slots[:-1]) / size)
        chance = hit


def evaluations(size: int, elements: int, rounds: int) -> float:
    """Hash evaluations of a set, expected: rounds until no slot is empty, then the empty slots.

    Parameters
    ----------
    size, elements : int
        k and n.
    rounds : int
        Random rounds at most, each of n evaluations; k in Algorithm 1. A slot that they leave empty
        costs n more.

    Examples
    --------
    >>> [round(evaluations(128, n, rounds=128)) for n in (12, 96, 384, 1000)]
    [701, 743, 877, 1049]
    """
    total = 0.0
    for chance in islice(occupied(size), 0, rounds * elements, elements):
        empty = 1 - float(chance[size])
        if empty < ALMOST:
            return total
        total += elements * empty
    return total + elements * size * (1 - 1 / size) ** (rounds * elements)


def filled_by(size: int, chances: tuple[float, ...]) -> list[int]:
    """How many elements it takes for round 1 to fill every slot with these probabilities.

    Examples
    --------
    >>> filled_by(128, (0.5, 0.9, 0.99))
    [668, 906, 1206]
    """
    found: list[int] = []
    for throws, chance in enumerate(occupied(size)):
        while chance[size] >= chances[len(found)]:
            found.append(throws)
            if len(found) == len(chances):
                return found
    raise AssertionError("unreachable: throws never end")


def filled(size: int, elements: int) -> float:
    """The probability that round 1 fills every slot."""
    return float(next(islice(occupied(size), elements, None))[size])
