"""A signature is a coordinate-wise minimum: order, repeats, chunks and kernels leave no trace."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from law_kit import TIERS, native

SIZES = (1, 7, 128, 130, 256, 4096)
ROUNDS = (None, 0, 1, 16)
LENGTHS = sorted(
    {*range(71), *(n + d for n in (96, 128, 192, 256, 512, 1024, 2048) for d in (-1, 0, 1))}
)
EMPTY = 0xFFFFFFFF

hashes = st.lists(st.integers(0, 2**64 - 1), max_size=200).map(lambda x: np.array(x, np.uint64))
sketches = st.builds(
    native,
    size=st.sampled_from((1, 7, 128, 130, 1024)),
    seed=st.integers(0, 2**64 - 1),
    rounds=st.sampled_from(ROUNDS),
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(sketches, hashes, st.randoms(use_true_random=False))
def test_order_and_repeats_do_not_matter(sketch, tokens, rng):
    shuffled = [*tokens.tolist(), *(t for t in tokens.tolist() if rng.random() < 0.5)]
    rng.shuffle(shuffled)
    expected = sketch.one(tokens, True)
    assert np.array_equal(sketch.one(np.array(shuffled, np.uint64), True), expected)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(sketches, st.lists(hashes, min_size=1, max_size=5))
def test_a_union_has_the_minimum_of_the_signatures(sketch, parts):
    union = sketch.one(np.concatenate(parts), True)
    each = [sketch.one(part, True) for part in parts]
    assert np.array_equal(np.minimum.reduce(each), union)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(sketches, st.lists(hashes, max_size=12), st.integers(1, 4))
def test_a_batch_is_its_rows_for_any_number_of_threads(sketch, rows, threads):
    offsets = np.cumsum([0, *map(len, rows)])
    flat = np.concatenate([np.empty(0, np.uint64), *rows])
    matrix = sketch.csr(flat, offsets, threads)
    assert np.array_equal(sketch.rows(rows, True, threads), matrix)
    assert matrix.shape == (len(rows), sketch.size)
    assert all(
        np.array_equal(sketch.one(row, True), got) for row, got in zip(rows, matrix, strict=True)
    )


@settings(max_examples=100, deadline=None, derandomize=True)
@given(sketches, hashes)
def test_only_the_empty_set_has_empty_slots(sketch, tokens):
    assert (sketch.one(tokens, True) == EMPTY).all() == (len(tokens) == 0)
    assert (sketch.one(tokens, True) == EMPTY).any() == (len(tokens) == 0)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_equal_sets_in_any_order_are_estimated_at_one(rounds):
    rng = np.random.default_rng(3)
    sketch = native(rounds=rounds)
    for _ in range(100):
        tokens = rng.integers(0, 2**64, 1500, np.uint64)
        other = rng.permutation(tokens)
        assert np.array_equal(sketch.one(tokens, True), sketch.one(other, True))


@pytest.mark.parametrize("tier", TIERS[1:])
@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("size", SIZES)
def test_every_tier_gives_the_scalar_bits(size, rounds, tier):
    rng = np.random.default_rng(size)
    fast = native(size, 7, rounds, tier)
    few = rng.integers(0, 2**64, 5, np.uint64)  # so that one block hits a slot again and again
    rows = [rng.integers(0, 2**64, n, np.uint64) for n in LENGTHS]
    rows += [rng.choice(few, n) for n in LENGTHS]
    offsets = np.cumsum([0, *map(len, rows)])
    expected = native(size, 7, rounds, "scalar").csr(np.concatenate(rows), offsets, 1)
    assert np.array_equal(fast.csr(np.concatenate(rows), offsets, 1), expected)


def test_seed_size_and_rounds_are_the_identity():
    tokens = np.arange(50, dtype=np.uint64)
    sketches = [native(), native(seed=43), native(rounds=1), native(rounds=0)]
    assert len({sketch.identity for sketch in sketches}) == len(sketches)
    first = sketches[0].one(tokens, True)
    for other in sketches[1:]:
        assert (other.one(tokens, True) == first).mean() < 0.5
    tiers = {native(tier=name).identity for name in ("scalar", None)}
    assert tiers == {native().identity}
