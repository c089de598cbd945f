"""Every sketch of the registry beside its twin, its laws and its exact variance: one table."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from law_kit import TIERS, assert_estimates, assert_mean, equal_slots, native_of, random_pairs, rho

from neardup import Sketcher, _native, estimate_oph, reference

EMPTY = 0xFFFFFFFF
NAMES = tuple(name for name in _native.SKETCHES if name in reference.SKETCHES)
MERGING = tuple(name for name in NAMES if name != "oph")
ALWAYS_ONE = ("minhash", "minhash61", "cminhash")


def superminhash_rho(size, union):
    """Ertl 2017, section 3, in whole numbers."""
    powers = [step**union for step in range(size + 1)]
    terms = (
        powers[step] * (powers[step + 1] + powers[step - 1] - 2 * powers[step])
        for step in range(1, size)
    )
    below = (size - 1) ** (union - 1) * size**union * (union - 1)
    return 1 - sum(terms) * 10**15 // below / 1e15


@functools.cache
def occupied(size, union):
    """Mean of N and of 1/N, N the bins occupied by so many elements, by their distribution."""
    chance = np.zeros(min(size, union) + 1)
    chance[0], bins = 1.0, np.arange(min(size, union) + 1)
    for _ in range(union):
        fresh = np.concatenate([[0.0], chance[:-1] * (size - bins[:-1]) / size])
        chance = chance * bins / size + fresh
    return (chance * bins).sum(), (chance[1:] / bins[1:]).sum()


def oph_rho(size, union):
    """Pairs of slots that borrow from one source are equal together."""
    mean, inverse = occupied(size, union)
    one_source = size * (size - 1) * inverse - mean + 1
    return ((size + one_source) * union - size**2) / (size * (union - 1))


def oph_raw_rho(size, union):
    """N winners drawn from the union without repeats."""
    return size * (union * occupied(size, union)[1] - 1) / (union - 1)


RHO = {
    "fast": lambda size, union: rho(size, union, reference.ROUNDS),
    "superminhash": superminhash_rho,
    "oph": oph_rho,
    **dict.fromkeys(ALWAYS_ONE, lambda size, union: 1.0),
}


def variance(name, size, union, jaccard):
    return jaccard * (1 - jaccard) / size * RHO[name](size, union)


def test_every_sketch_is_in_the_table():
    assert set(NAMES) == set(RHO) == set(reference.SKETCHES)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("name", NAMES[1:])
def test_twin(name, tier):
    native_of(name, tier=tier)
    twin = reference.SKETCHES[name]

    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(
        st.lists(st.integers(0, 2**64 - 1), max_size=40),
        st.sampled_from((1, 2, 7, 16, 33, 64, 65)),
        st.integers(0, 2**64 - 1),
    )
    def check(tokens, size, seed):
        row = np.array(tokens, np.uint64)
        sketch = native_of(name, size, seed, tier=tier)
        assert sketch.one(row, True).tolist() == twin(tokens, size, seed)

    check()


@pytest.mark.parametrize("name", NAMES[1:])
def test_twin_at_the_edges_of_blocks(name):
    rng = np.random.default_rng(1)
    for size in (127, 128, 129, 150):
        for n in (0, 1, 3):
            row = rng.integers(0, 2**64, n, np.uint64)
            expected = reference.SKETCHES[name](row.tolist(), size, 3)
            assert native_of(name, size, 3).one(row, True).tolist() == expected
    row = rng.integers(0, 2**64, 300, np.uint64)
    assert native_of(name, 5, 3).one(row, True).tolist() == reference.SKETCHES[name](
        row.tolist(), 5, 3
    )


@pytest.mark.parametrize("tier", TIERS[1:])
@pytest.mark.parametrize("name", NAMES[1:])
def test_every_tier_gives_the_scalar_bits(name, tier):
    rng = np.random.default_rng(2)
    edges = (n + d for n in (128, 256, 512) for d in (-1, 0, 1))
    few = rng.integers(0, 2**64, 5, np.uint64)
    rows = [rng.integers(0, 2**64, n, np.uint64) for n in (*range(71), *edges)]
    rows += [rng.choice(few, n) for n in range(71)]
    pairs = np.concatenate(rows), np.cumsum([0, *map(len, rows)])
    for size in (1, 15, 16, 17, 32, 48, 63, 64, 65, 128, 130, 300):
        expected = native_of(name, size, 7, tier="scalar").csr(*pairs, 1)
        assert np.array_equal(native_of(name, size, 7, tier=tier).csr(*pairs, 1), expected)


HASHES = st.lists(st.integers(0, 2**64 - 1), max_size=200).map(lambda x: np.array(x, np.uint64))
SIZES = st.sampled_from((1, 7, 128, 130))


@pytest.mark.parametrize("name", NAMES[1:])
def test_order_repeats_chunks_and_threads_do_not_matter(name):
    @settings(max_examples=100, deadline=None, derandomize=True)
    @given(SIZES, st.lists(HASHES, min_size=1, max_size=5), st.randoms(use_true_random=False))
    def check(size, rows, rng):
        sketch = native_of(name, size)
        flat = np.concatenate(rows)
        shuffled = [*flat.tolist(), *(t for t in flat.tolist() if rng.random() < 0.5)]
        rng.shuffle(shuffled)
        union = sketch.one(flat, True)
        assert np.array_equal(sketch.one(np.array(shuffled, np.uint64), True), union)
        assert (union == EMPTY).any() == (union == EMPTY).all() == (len(flat) == 0)
        each = sketch.csr(flat, np.cumsum([0, *map(len, rows)]), rng.randint(1, 4))
        assert all(np.array_equal(sketch.one(r, True), e) for r, e in zip(rows, each, strict=True))
        if sketch.merges:
            assert np.array_equal(np.minimum.reduce(each), union)

    check()


def test_which_merge():
    assert tuple(name for name in NAMES if native_of(name).merges) == MERGING
    rng = np.random.default_rng(
        4
    )  # oph says no, and is right: bins that both lack, a union may have
    a, b = rng.integers(0, 2**64, (2, 20), np.uint64)
    sketch = native_of("oph")
    union = sketch.one(np.concatenate([a, b]), True)
    assert not np.array_equal(np.minimum(sketch.one(a, True), sketch.one(b, True)), union)


@pytest.mark.parametrize("name", NAMES[1:])
def test_equal_sets_in_any_order_are_estimated_at_one(name):
    rng = np.random.default_rng(3)
    tokens = rng.integers(0, 2**64, 1500, np.uint64)
    sketch = native_of(name)
    assert np.array_equal(sketch.one(tokens, True), sketch.one(rng.permutation(tokens), True))


CASES = [(4, 1), (4, 2), (4, 3), *((m, m * p // 10) for m in (16, 128, 1000) for p in (1, 5, 9))]
COST = {"minhash61": 8, "superminhash": 3}
"""How many times fewer trials, so that no sketch takes long."""


def over_seeds(name, size, rng, trials, union, shared, seeds=200):
    """Estimates under many seeds: of one seed, the slots of oph borrow in orders drawn once."""
    parts = (
        equal_slots(native_of(name, size, seed), rng, trials // seeds, union, shared).mean(axis=1)
        for seed in range(seeds)
    )
    return np.concatenate(list(parts))


@pytest.mark.parametrize(("union", "shared"), CASES)
@pytest.mark.parametrize("name", NAMES[1:])
def test_mean_and_mean_square_error_are_the_exact_ones(name, union, shared):
    trials = min(20_000, 3_000_000 // union) // COST.get(name, 1)
    rng = np.random.default_rng([union, shared])
    estimates = over_seeds(name, 128, rng, trials, union, shared)
    jaccard = shared / union
    assert_estimates(estimates, jaccard, variance(name, 128, union, jaccard))


@pytest.mark.parametrize(("size", "union"), [(2, 9), (16, 40), (1000, 300)])
@pytest.mark.parametrize("name", NAMES[1:])
def test_other_sizes_too(name, size, union):
    rng = np.random.default_rng([size, union])
    estimates = over_seeds(name, size, rng, min(8000, 1_000_000 // size), union, union // 3)
    jaccard = (union // 3) / union
    squares = (estimates - jaccard) ** 2
    expected = variance(name, size, union, jaccard)
    assert_mean(estimates, jaccard, np.sqrt(expected))
    assert_mean(squares, expected, squares.std())  # far from normal for two slots


@pytest.mark.parametrize("name", NAMES[1:])
def test_the_standard_error_is_that_of_the_formula(name):
    for size in (2, 16, 128, 1000):
        sketch = native_of(name, size)
        for union in (2, 4, 16, 128, 256, 257, 1000):
            for jaccard in (0.1, 0.5, 0.9):
                expected = np.sqrt(max(variance(name, size, union, jaccard), 0.0))
                assert sketch.std_err(jaccard, union) == pytest.approx(expected, rel=1e-3, abs=1e-6)
    assert sketch.std_err(0.0, 50) == sketch.std_err(1.0, 50) == 0.0
    assert sketch.std_err(0.5, 10**9) == pytest.approx(np.sqrt(0.25 / 1000), rel=1e-3)


@pytest.mark.parametrize("kind", ["integers", "strings", "prehashed"])
@pytest.mark.parametrize("name", NAMES[1:])
def test_consecutive_tokens_are_as_good_as_random_ones(name, kind):
    sketch, n, step = Sketcher(name), 100, 50
    rows = []
    for start in range(0, 1500 * 2 * n, 2 * n):
        for first in (start, start + step):
            row = np.arange(first, first + n, dtype=np.uint64)
            rows.append(list(map(str, row.tolist())) if kind == "strings" else row)
    matrix = sketch.batch(rows, prehashed=kind == "prehashed")
    estimates = (matrix[0::2] == matrix[1::2]).mean(axis=1)
    assert_estimates(estimates, 1 / 3, variance(name, 128, n + step, 1 / 3))


@pytest.mark.parametrize(("union", "shared"), [(8, 6), (130, 91)])
@pytest.mark.parametrize("name", ALWAYS_ONE)
def test_slots_are_independent_in_bands_too(name, union, shared):
    """16 bands of 8 find 1 - (1 - J^8)^16: more than pairs of slots must be independent."""
    rng = np.random.default_rng(9)
    equal = [equal_slots(native_of(name, seed=s), rng, 60, union, shared) for s in range(50)]
    found = np.concatenate(equal).reshape(-1, 16, 8).all(axis=2).any(axis=1)
    curve = 1 - (1 - (shared / union) ** 8) ** 16
    assert_mean(found, curve, np.sqrt(curve * (1 - curve)))


@pytest.mark.parametrize(("union", "shared"), CASES)
def test_the_raw_estimate_of_oph(union, shared):
    trials = min(10_000, 2_000_000 // union)
    matrix = native_of("oph").csr(*random_pairs(np.random.default_rng(7), trials, union, shared), 0)
    estimates = np.array(
        [_native.estimate_oph(*pair) for pair in zip(*[iter(matrix)] * 2, strict=False)]
    )
    jaccard = shared / union
    expected = jaccard * (1 - jaccard) / 128 * oph_raw_rho(128, union)
    squares = (estimates - jaccard) ** 2
    assert_mean(estimates, jaccard, np.sqrt(expected))
    # four elements mostly fall into four bins and leave no error: far from normal
    assert_mean(squares, expected, squares.std())
    for a, b in zip(matrix[0:20:2], matrix[1:20:2], strict=True):
        assert estimate_oph(a, b) == reference.estimate_oph(a.tolist(), b.tolist())
        assert estimate_oph(a, np.full(128, EMPTY, np.uint32)) == 0.0


def test_the_measured_values_of_one_permutation_hashing():
    for union, all_slots, raw in ((16, 1.42, 0.535), (128, 0.95, 0.59), (1024, 0.89, 0.887)):
        assert oph_rho(128, union) == pytest.approx(all_slots, abs=0.02)
        assert oph_raw_rho(128, union) == pytest.approx(raw, abs=0.02)
    for union, expected in ((16, 0.487), (128, 0.538), (1024, 0.876)):
        assert superminhash_rho(128, union) == pytest.approx(expected, abs=0.0006)


def test_a_lone_element_lends_to_every_slot():
    one = native_of("oph", 65536).one(np.array([5], np.uint64), True)
    assert sorted(set((one & 1).tolist())) == [0, 1]
    assert len(set((one >> 1).tolist())) == 1


@pytest.mark.parametrize("union", [16, 128, 1024])
def test_cminhash_gains_in_a_small_universe(union):
    """In a universe of 1024 rho is 1 - (k-1)/(m-1) E[c / (2m - c)], c neighbours among the m."""
    size, universe, shared, trials = 128, 1024, union // 2, 1500
    rng = np.random.default_rng(union)
    estimates, gains = [], []
    shifts = (np.arange(universe)[:, None] + np.arange(size)) % universe
    for _ in range(trials):
        values = rng.permutation(universe)
        places = rng.permutation(universe)[:union]
        least = values[shifts[places]].argmin(axis=0)
        estimates.append((least < shared).mean())
        inside = np.zeros(universe, bool)
        inside[places] = True
        count = (inside & np.roll(inside, rng.integers(1, size))).sum()
        gains.append(count / (2 * union - count))
    gain = 1 - (size - 1) / (union - 1) * np.mean(gains)
    assert_estimates(np.array(estimates), 0.5, 0.25 / size * gain)
    assert gain < 0.95
    slots = reference.circulant_minima(places.tolist(), size, universe, values.tolist().__getitem__)
    assert slots == values[shifts[places]].min(axis=0).tolist()
