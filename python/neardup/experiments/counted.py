"""How many hash evaluations a set costs, counted from what its signature shows, beside k n.

A slot of `fast` tells the round that filled it: its leading ones. A slot of Algorithm 1 (Dahlgaard,
Knudsen, Thorup 2017, arXiv 1704.04370) does too: the whole part of its value.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from neardup import reference
from neardup.experiments import SIZE, Record, Say, theory
from neardup.reference.fast import stage
from neardup.sketching import FastSimilaritySketch, Matrix

Counts = npt.NDArray[np.int64]
ELEMENTS = (1, 3, 6, 12, 24, 48, 96, 192, 384, 1000, 3000, 10_000)
FILLS = (0.5, 0.9, 0.99)
SAID = 700
"""Elements above which round 1 is said to fill 99 %."""


def rows(quick: bool, seed: int, say: Say) -> list[Record]:
    """Evaluations by definition, expected and counted, of Algorithm 1 and of `fast`."""
    found = []
    for elements in (12, 96, 384, 1000) if quick else ELEMENTS:
        say(f"hash evaluations, n = {elements}")
        sets = 5 if quick else max(3, 20_000 // max(elements, 500))
        in_full = algorithm_1(elements, sets, seed)
        ours = fast(elements, 200 if quick else 2000, seed)
        paper = theory.evaluations(SIZE, elements, SIZE)
        found.append(
            {
                "elements": elements,
                "minhash": SIZE * elements,
                "algorithm_1": paper,
                "algorithm_1_counted": float(in_full.mean()),
                "algorithm_1_sigma": sigma(in_full),
                "fast": theory.evaluations(SIZE, elements, reference.ROUNDS),
                "fast_counted": float(ours.mean()),
                "fast_sigma": sigma(ours),
                "share_of_bound": paper / (elements + SIZE * math.log(SIZE)),
            }
        )
    return found


def signatures(elements: int, sets: int, seed: int) -> Matrix:
    """Signatures of random sets by `fast`."""
    rng = np.random.default_rng([seed, 3, elements])
    values = rng.integers(0, 2**64, sets * elements, np.uint64)
    offsets = np.arange(0, len(values) + 1, elements)
    return FastSimilaritySketch(SIZE, seed).batch_csr(values, offsets, True)


def stages(matrix: Matrix) -> Matrix:
    """The round that filled each slot, or ROUNDS where none did: leading ones of the value.

    Examples
    --------
    >>> stages(np.array([[0x7FFFFFFF, 0x80000000, 0xF0000001]], np.uint32)).tolist()
    [[0, 1, 4]]
    """
    rounds = reference.ROUNDS
    last = np.zeros(matrix.shape, np.uint32)
    for i in range(1, rounds + 1):
        last += matrix >= np.uint32(stage(i))
    return last


def sigma(counts: Counts) -> float:
    """Standard deviation of the mean of counts; that of one in so many sets where all are equal."""
    return max(float(counts.std()), float(counts.mean()) / len(counts)) / math.sqrt(len(counts))


def fast(elements: int, sets: int, seed: int) -> Counts:
    """Evaluations of each of so many random sets under `fast`."""
    last = stages(signatures(elements, sets, seed))
    used = np.minimum(last.max(axis=1) + 1, reference.ROUNDS)
    rounds = reference.ROUNDS
    counts: Counts = elements * (used.astype(np.int64) + (last == rounds).sum(axis=1))
    return counts


def algorithm_1(elements: int, sets: int, seed: int) -> Counts:
    """Evaluations of each of so many random sets under Algorithm 1, run in full by its twin.

    After k rounds only empty slots are evaluated.
    """
    rng = np.random.default_rng([seed, 4, elements])
    found = []
    for number in range(sets):
        tokens = rng.integers(0, 2**64, elements, np.uint64).tolist()
        slots = np.array(reference.algorithm_1(tokens, SIZE, number))
        used = min(int(slots.max()) + 1, SIZE)
        found.append(elements * (used + int((slots >= SIZE).sum())))
    return np.array(found)


def fills(quick: bool, seed: int) -> list[Record]:
    """How often round 1 fills every slot, at sizes of sets where it does so with given chances."""
    sets = 2000 if quick else 20_000
    found = []
    for elements in sorted([*theory.filled_by(SIZE, FILLS), SAID]):
        full = stages(signatures(elements, sets, seed)).max(axis=1) == 0
        found.append(
            {
                "elements": elements,
                "chance": theory.filled(SIZE, elements),
                "measured": float(full.mean()),
                "sets": sets,
            }
        )
    return found
