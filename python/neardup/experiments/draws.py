"""Random pairs of sets of known similarity, and what a sketch makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neardup import _native, reference
from neardup.sketching import Sketcher

NAMES = tuple(name for name in _native.SKETCHES if name in reference.SKETCHES)
"""Every sketch whose equal slots estimate Jaccard similarity: simhash is of another kind."""
AT_ONCE = 2_000_000
"""Hashes drawn at a time."""
Bools = npt.NDArray[np.bool_]
Generator = np.random.Generator


def sizes(elements: int, jaccard: float) -> tuple[int, int]:
    """Union and intersection of two sets of so many elements that come nearest to a similarity."""
    shared = max(1, round(2 * elements * jaccard / (1 + jaccard)))
    return 2 * elements - shared, shared


def pairs(rng: Generator, draws: int, union: int, shared: int) -> tuple[Any, Any]:
    """Hashes and offsets of random sets of that union; rows 2i and 2i + 1 are a pair.

    Returns
    -------
    (values, offsets) : numpy.ndarray of uint64, of int64
        As `Sketcher.batch_csr` takes them.
    """
    only_a = (union - shared) // 2
    hashes = rng.integers(0, 2**64, (draws, union), np.uint64)
    rows = np.hstack(
        [hashes[:, : shared + only_a], hashes[:, :shared], hashes[:, shared + only_a :]]
    )
    lengths = np.tile([shared + only_a, union - only_a], draws)
    return rows.ravel(), np.concatenate([[0], np.cumsum(lengths)])


def equal_slots(
    names: tuple[str, ...],
    size: int,
    draws: int,
    of: tuple[int, int],
    seed: tuple[int, ...],
    seeds: int = 50,
) -> dict[str, Bools]:
    """Which slots agree, of the same random pairs under each sketch.

    Parameters
    ----------
    names : tuple of str
        Sketches.
    size, draws : int
        Slots; pairs, a multiple of `seeds`.
    of : (int, int)
        Elements of the union and of the intersection.
    seed : tuple of int
        Of the generator.
    seeds : int, default 50
        Seeds of each sketch, so many draws under each: `oph` borrows in orders drawn once a seed.

    Returns
    -------
    dict of str to numpy.ndarray of bool, shape (draws, size)
    """
    rng = np.random.default_rng([*seed, size, *of])
    parts: dict[str, list[Bools]] = {name: [] for name in names}
    each = draws // seeds
    most = max(1, AT_ONCE // of[0])
    for number in range(seeds):
        sketchers = [(name, Sketcher(name, size, seed[0] + number)) for name in names]
        for start in range(0, each, most):
            values, offsets = pairs(rng, min(most, each - start), *of)
            for name, sketcher in sketchers:
                matrix = sketcher.batch_csr(values, offsets, True)
                parts[name].append(matrix[0::2] == matrix[1::2])
    return {name: np.concatenate(found) for name, found in parts.items()}
