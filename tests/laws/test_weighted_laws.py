"""Weighted sketches: the twin's bits, mean and mean-square error, order, scale, merging, kinds of rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from law_kit import TIERS, assert_estimates, assert_mean

from neardup import WeightedSketch, _native, reference, weighted_jaccard

MASK64 = 2**64 - 1
EMPTY = 0xFFFFFFFF
REAL = ("dart", "icws")
TWINS = {
    "dart": reference.dart_sketch,
    "icws": reference.icws_sketch,
    "fast": lambda weights, *rest: reference.fast_sketch(reference.copies(weights), *rest),
}
ANY_WEIGHT = st.one_of(
    st.floats(0.0, 100.0),
    st.floats(0.0, 2.0**990, allow_subnormal=True),
    st.sampled_from((0.0, 5e-324, 2.0**-1022, 1.0, 2.0, 3.0, 255.0, 256.0, 2.0**53)),
)


def weigh(name, weights, size=64, seed=42, tier=None):
    """The native signature of hashes with weights."""
    sketch = _native.Sketch(name, size, seed, None, tier)
    hashes = np.array(list(weights), np.uint64)
    values = np.array(list(weights.values()), np.float64)
    return sketch.weigh(hashes, values, np.array([0, len(hashes)]), 1)[0].tolist()


@pytest.mark.parametrize("name", REAL)
def test_the_twin_has_the_same_bits(name):
    @settings(max_examples=100, deadline=None, derandomize=True)
    @given(
        st.dictionaries(st.integers(0, MASK64), ANY_WEIGHT, max_size=6),
        st.sampled_from((1, 2, 7, 16)),
        st.integers(0, MASK64),
    )
    def check(weights, size, seed):
        expected = TWINS[name](weights, size, seed)
        assert weigh(name, weights, size, seed) == expected
        assert (EMPTY in expected) == (not any(weights.values()))

    check()


def test_copies_are_those_of_the_twin():
    @settings(max_examples=100, deadline=None, derandomize=True)
    @given(st.dictionaries(st.integers(0, MASK64), st.integers(0, 40), max_size=6))
    def check(weights):
        assert weigh("fast", weights, 16) == TWINS["fast"](weights, 16)

    check()


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("tier", TIERS)
def test_every_tier_gives_the_same_bits(name, tier):
    try:
        _native.Sketch(name, 1, 0, None, tier)
    except ValueError as error:
        pytest.skip(str(error))
    rng = np.random.default_rng(3)
    tokens = rng.integers(0, 2**64, 200, np.uint64).tolist()
    weights = dict(zip(tokens, rng.exponential(size=200), strict=True))
    assert weigh(name, weights, 130, tier=tier) == weigh(name, weights, 130, tier="scalar")


@pytest.mark.parametrize("name", REAL)
def test_pass_one_weighs_shingles_by_their_number(name):
    texts = ["a b c " * 30, "a b c a b c", "", "one two three four", "字字字字字 字"]
    spec = _native.TextSpec("none", "word:2", "xxh3")
    sketch = _native.Sketch(name, 12, 42)
    keys = _native.BandKeys(4)
    keys.extend(_native.survey(texts, None, spec, sketch, 4, 3, 2))
    columns = [keys.column(band).tolist() for band in range(4)]
    matrix, counts = _native.sketch_texts(texts, spec, sketch, 2)
    for i, text in enumerate(texts):
        shingles = reference.shingles(text, normalize="none", shingle="word:2")
        slots = TWINS[name](Counter(shingles), 12, 42)
        assert matrix[i].tolist() == slots
        assert counts[i] == len(set(shingles))
        keys_of = reference.band_keys(slots, 4, 3) if shingles else [0] * 4
        assert [column[i] for column in columns] == keys_of


def pairs_of(a, b, trials, first=0):
    """Sparse rows of fresh integer tokens with weights `a` and `b` in turn."""
    tokens = first + np.arange(trials * len(a)).reshape(trials, len(a))
    return [(row, weights) for row in tokens for weights in (a, b)]


def estimates(name, a, b, trials, size=64):
    matrix = WeightedSketch(name, size).batch(pairs_of(a, b, trials))
    return (matrix[0::2] == matrix[1::2]).mean(axis=1)


def weights_of(union, jaccard, seed):
    """Real weights of two sets of one union, of exactly that weighted Jaccard similarity."""
    rng = np.random.default_rng(seed)
    larger = rng.exponential(size=union)
    part = rng.random(union) * larger
    part *= jaccard * larger.sum() / part.sum()
    low = np.minimum(part, larger)
    # what was cut off is spread over what has room
    room = larger - low
    low += room * (jaccard * larger.sum() - low.sum()) / room.sum()
    side = rng.random(union) < 0.5
    a, b = np.where(side, larger, low), np.where(side, low, larger)
    assert weighted_jaccard((range(union), a), (range(union), b)) == pytest.approx(jaccard)
    return a, b


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("jaccard", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("union", "trials"), [(4, 2500), (16, 2000), (128, 800), (1000, 150)])
def test_mean_and_mean_square_error(name, jaccard, union, trials):
    a, b = weights_of(union, jaccard, union)
    found = estimates(name, a, b, trials)
    assert_estimates(found, jaccard, jaccard * (1 - jaccard) / 64)


COUNTS = [
    ([3, 30], [20, 7], 0.2),
    ([0, 1, 1], [1, 0, 1], 1 / 3),
    ([1] * 300 + [2] * 500 + [5] * 700, [3] * 300 + [1] * 500 + [4] * 700, 2 / 3),
    ([2, 2], [1, 1], 0.5),
    ([1e-300, 3e-300], [2e-300, 2e-300], 0.6),
    ([1e290, 3e290], [2e290, 2e290], 0.6),
]


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize(("a", "b", "jaccard"), COUNTS)
def test_known_values(name, a, b, jaccard):
    tokens = range(len(a))
    assert weighted_jaccard((tokens, a), (tokens, b)) == pytest.approx(jaccard, rel=1e-15)
    trials = 2000 if len(a) < 10 else 60
    found = estimates(name, np.array(a), np.array(b), trials)
    assert_estimates(found, jaccard, jaccard * (1 - jaccard) / 64)


@pytest.mark.parametrize(("a", "b", "jaccard"), COUNTS[:4])
def test_copies_have_the_jaccard_of_the_weights(a, b, jaccard):
    trials = 2000 if len(a) < 10 else 60
    found = estimates("fast", np.array(a), np.array(b), trials)
    # The variance is at most MinHash's.
    assert_mean(found, jaccard, np.sqrt(jaccard * (1 - jaccard) / 64))


@pytest.mark.parametrize("name", REAL)
def test_scale_is_part_of_a_set_but_not_of_a_similarity(name):
    """J(a, c a) = 1 / c; and scaling both sides changes no similarity."""
    a = np.random.default_rng(1).exponential(size=30)
    for factor in (1.5, 4.0, 1000.0):
        jaccard = 1 / factor
        assert_estimates(estimates(name, a, a * factor, 800), jaccard, jaccard * (1 - jaccard) / 64)
    b = np.random.default_rng(2).exponential(size=30)
    jaccard = weighted_jaccard((range(30), a), (range(30), b))
    for scale in (1e-6, 1.0, 1e6):
        found = estimates(name, a * scale, b * scale, 600)
        assert_estimates(found, jaccard, jaccard * (1 - jaccard) / 64)


@pytest.mark.parametrize("name", [*REAL, "fast"])
def test_order_and_split_weights_change_nothing(name):
    rng = np.random.default_rng(8)
    tokens, weights = np.arange(300), rng.integers(0, 9, 300) * 1.0
    shuffled = rng.permutation(300)
    twice = np.concatenate([tokens, tokens[::-1]]), np.concatenate([weights, weights[::-1]])
    sketch = WeightedSketch(name, 128)
    rows = [
        (tokens, weights),
        (tokens[shuffled], weights[shuffled]),
        dict(zip(tokens.tolist(), weights.tolist(), strict=True)),
    ]
    assert len({sketch(row).tobytes() for row in rows}) == 1
    assert sketch(twice).tolist() == sketch((tokens, 2 * weights)).tolist()
    native = _native.Sketch(name, 128, 42)
    if native.weighs_repeats:
        repeats = np.repeat(tokens, weights.astype(int))
        assert native.one(rng.permutation(repeats), False).tolist() == sketch(rows[0]).tolist()
    else:
        ones = (tokens, np.ones(300))
        assert native.one(tokens, False).tolist() == sketch(ones).tolist()


@pytest.mark.parametrize("name", ["dart", "fast"])
def test_the_minimum_of_two_signatures_is_that_of_the_larger_weights(name):
    rng = np.random.default_rng(9)
    sketch = WeightedSketch(name, 128)
    assert _native.Sketch(name, 128, 42).merges
    for n in (1, 5, 40, 700):
        a, b = rng.integers(0, 12, (2, n))
        least = np.minimum(*sketch.batch(np.stack([a, b])))
        assert least.tolist() == sketch(np.maximum(a, b)).tolist()
    assert not _native.Sketch("icws", 128, 42).merges


@pytest.mark.parametrize("name", [*REAL, "fast"])
def test_threads_and_parts_change_nothing(name):
    rng = np.random.default_rng(10)
    counts = rng.integers(0, 3, (150, 60))
    sketch = WeightedSketch(name, 32)
    expected = sketch.batch(counts, num_threads=1)
    assert (sketch.batch(counts, num_threads=4) == expected).all()
    assert (sketch.batch(iter(counts), num_threads=3) == expected).all()
    assert (np.stack([sketch(row) for row in counts]) == expected).all()


def test_a_slot_of_dart_is_a_rank_that_tells_the_total_weight():
    """Ranks are exponential of rate total / size: what makes the minimum of two a signature."""
    sketch = WeightedSketch("dart", 64)
    for total in (0.01, 1.0, 300.0):
        weights = np.full(7, total / 7)
        slots = sketch.batch(pairs_of(weights, weights, 1000)[0::2])
        band = (slots >> np.uint32(20)).astype(np.int64) - 2048
        ranks = np.ldexp(1 + ((slots & 0xFFFFF) + 0.5) / 2**20, band)
        assert_mean(ranks.mean(axis=1), 64 / total, 64 / total / 8)
