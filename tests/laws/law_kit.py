"""What the law tests share: the exact variance, random pairs of sets, and bounds of four sigma."""

from __future__ import annotations

import numpy as np
import pytest

from neardup import _native

SIGMAS = 4.0
TIERS = ("scalar", "avx2", "avx512", "neon")


def native(size=128, seed=42, rounds=None, tier=None):
    """The native sketch of `fast`, or a skip where the machine lacks the tier."""
    return native_of("fast", size, seed, rounds, tier)


def native_of(name, size=128, seed=42, rounds=None, tier=None):
    """The native sketch of that name, or a skip where the machine lacks the tier."""
    try:
        return _native.Sketch(name, size, seed, rounds, tier)
    except ValueError as error:
        if tier is not None and "on this machine" in str(error):
            pytest.skip(str(error))
        raise


def rho(size: int, union: int, rounds: int) -> float:
    """Variance of an estimate as a multiple of J(1-J)/size, exactly (derived in docs/design.md)."""
    a, b = (1 - 1 / size) ** union, (1 - 2 / size) ** union
    p_same = (1 - 2 * a + b) * (1 - b**rounds) / (1 - b)
    return 1 - (size - 1) * p_same / (union - 1)


def random_pairs(rng, trials: int, union: int, shared: int):
    """Hashes and offsets of random sets of so many elements; rows 2i and 2i + 1 are a pair."""
    only_a = (union - shared) // 2
    hashes = rng.integers(0, 2**64, (trials, union), np.uint64)
    a, b = hashes[:, : shared + only_a], np.delete(hashes, np.s_[shared : shared + only_a], axis=1)
    lengths = np.tile([a.shape[1], b.shape[1]], trials)
    return np.hstack([a, b]).ravel(), np.concatenate([[0], np.cumsum(lengths)])


def equal_slots(sketch, rng, trials: int, union: int, shared: int):
    """Which slots agree, bool[trials, size], of random pairs; a few million hashes at a time."""
    at_once = max(1, min(trials, 4_000_000 // union))
    parts = []
    for start in range(0, trials, at_once):
        pairs = random_pairs(rng, min(at_once, trials - start), union, shared)
        matrix = sketch.csr(*pairs, 0)
        parts.append(matrix[0::2] == matrix[1::2])
    return np.concatenate(parts)


def assert_mean(values, expected: float, sigma: float) -> None:
    """The mean of independent values of standard deviation `sigma` is `expected`."""
    bound = SIGMAS * sigma / np.sqrt(len(values))
    assert abs(np.mean(values) - expected) <= bound, (np.mean(values), expected, bound)


def assert_estimates(estimates, jaccard: float, variance: float) -> None:
    """No bias, and the mean-square error is the variance (its own sigma: MSE sqrt(2 / trials))."""
    assert_mean(estimates, jaccard, np.sqrt(variance))
    squares = (estimates - jaccard) ** 2
    assert_mean(squares, variance, variance * np.sqrt(2))
