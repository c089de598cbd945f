"""SimHash and b-bit views held to their theory, and to their twins on every tier."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from law_kit import TIERS, assert_estimates, assert_mean, random_pairs, rho

from neardup import PackedSignatures, _native, reference, sketch

WIDTHS = (1, 2, 4, 8, 16)
hashes = st.lists(st.integers(0, 2**64 - 1), max_size=40)


def simhash(bits=64, seed=42, tier=None):
    try:
        return _native.Sketch("simhash", bits, seed, None, tier)
    except ValueError as error:
        pytest.skip(str(error))


def distances(trials, union, shared, bits=64):
    """Bits that differ between random sets of equal size, one a trial."""
    rng, parts = np.random.default_rng(7), []
    for start in range(0, trials, 250):
        pairs = random_pairs(rng, min(250, trials - start), union, shared)
        matrix = simhash(bits).csr(*pairs, 0)
        parts.append(_native.hamming_rows(matrix[0::2].copy(), matrix[1::2].copy()))
    return np.concatenate(parts)


def at_most(count, trials, share):
    """P(a binomial variable is at most `count`)."""
    terms = (
        math.comb(trials, i) * share**i * (1 - share) ** (trials - i) for i in range(count + 1)
    )
    return sum(terms)


@pytest.mark.parametrize(
    ("union", "shared", "known"), [(4510, 3608, 0.0085), (4500, 4410, 0.67)], ids=["J=.8", "J=.98"]
)
def test_bits_differ_by_the_angle(union, shared, known):
    """Sets of equal, odd size, so that no bit is a tie."""
    jaccard, trials = shared / union, 3000
    share = math.acos(2 * jaccard / (1 + jaccard)) / math.pi
    found = distances(trials, union, shared)
    assert_mean(found / 64, share, math.sqrt(share * (1 - share) / 64))
    few = at_most(3, 64, share)
    assert abs(few - known) < 0.05 * known
    assert_mean(found <= 3, few, math.sqrt(few * (1 - few)))


@pytest.mark.parametrize("bits", [64, 128])
def test_unrelated_texts_differ_in_half_of_the_bits(bits):
    found = distances(2000, 402, 0, bits)
    assert_mean(found, bits / 2, math.sqrt(bits) / 2)
    assert_mean((found - bits / 2) ** 2, bits / 4, bits / 4 * math.sqrt(2))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(hashes, st.sampled_from([64, 128]), st.integers(0, 2**64 - 1), st.sampled_from(TIERS))
def test_fingerprints_are_those_of_the_twin(tokens, bits, seed, tier):
    native = simhash(bits, seed, tier if tier in available() else None)
    expected = reference.fingerprint_slots(reference.simhash(tokens, bits, seed), bits)
    assert native.one(np.array(tokens, np.uint64), True).tolist() == expected


def available():
    found = []
    for tier in TIERS:
        try:
            _native.Sketch("simhash", 64, 0, None, tier)
        except ValueError:
            continue
        found.append(tier)
    return found


@pytest.mark.parametrize("tier", TIERS)
def test_many_elements_are_those_of_the_twin(tier):
    tokens = np.random.default_rng(1).integers(0, 2**64, 600, np.uint64)
    for count in (254, 255, 256, 600):
        expected = reference.simhash(tokens[:count].tolist(), 128, 3)
        slots = simhash(128, 3, tier).one(tokens[:count], True).tolist()
        assert slots == reference.fingerprint_slots(expected, 128)


def test_order_does_not_matter_and_repeats_weigh():
    rng = np.random.default_rng(5)
    tokens = rng.integers(0, 2**64, 101, np.uint64)
    sketch = simhash()
    expected = sketch.one(tokens, True).tolist()
    assert sketch.one(rng.permutation(tokens), True).tolist() == expected
    assert sketch.one(np.repeat(tokens, 1000), True).tolist() == expected
    heavy = np.concatenate([tokens, np.repeat(tokens[:1], 200)])
    assert sketch.one(heavy, True).tolist() == sketch.one(tokens[:1], True).tolist()
    with pytest.raises(ValueError, match="bits, 64 or 128, got 96"):
        _native.Sketch("simhash", 96, 0)
    with pytest.raises(ValueError, match="simhash has no rounds, got rounds=4"):
        _native.Sketch("simhash", 64, 0, 4)


def test_the_error_of_the_jaccard_estimate():
    """The share of bits is binomial; what follows from it, to the first order."""
    jaccard = 0.8
    found = distances(3000, 4510, 3608, 128)
    estimates = np.array([_native.hamming_estimates(int(d), 128)[1] for d in found])
    assert np.std(estimates) == pytest.approx(simhash(128).std_err(jaccard, 4510), rel=0.1)


# b-bit views


def packed_pairs(sketch, bits, trials, union, shared):
    """Estimates of random pairs from low bits."""
    rng, parts = np.random.default_rng(bits), []
    at_once = max(1, 1_000_000 // union)
    for start in range(0, trials, at_once):
        pairs = random_pairs(rng, min(at_once, trials - start), union, shared)
        words = _native.pack(sketch.csr(*pairs, 0), bits)
        left, right = words[0::2].copy(), words[1::2].copy()
        parts.append(_native.packed_estimates(left, right, sketch.size, bits))
    return np.concatenate(parts)


@pytest.mark.parametrize("bits", WIDTHS)
def test_a_third_at_4096_slots(bits):
    native = _native.Sketch("fast", 4096, 42)
    estimates = packed_pairs(native, bits, 40, 3000, 1000)
    variance = reference.packed_variance(1 / 3, 4096, bits, rho(4096, 3000, 4))
    assert abs(estimates - 1 / 3).max() <= 4.5 * math.sqrt(variance)  # of 40 draws, not of one
    assert_mean(estimates, 1 / 3, math.sqrt(variance))


@pytest.mark.parametrize("rounds", [0, 4])
@pytest.mark.parametrize("union", [16, 128, 1334])
@pytest.mark.parametrize("bits", WIDTHS)
def test_variance_at_every_stage(bits, union, rounds):
    """Small sets live on the fill, large ones on the first round: low bits of both are uniform."""
    native = _native.Sketch("fast", 128, 42, rounds)
    estimates = packed_pairs(native, bits, 2000, union, union // 2)
    variance = reference.packed_variance(0.5, 128, bits, rho(128, union, rounds))
    assert_estimates(estimates, 0.5, variance)


def test_storage_gains():
    """1 bit a slot at J = .5: as good as 64 bits in 1/21.3 of the room, as 32 in 1/10.7."""
    packed = PackedSignatures.from_matrix(np.zeros((1, 1000), np.uint32), 1)
    more_slots = packed.std_err(0.5) ** 2 / (0.5 * 0.5 / 1000)
    assert (round(64 / more_slots, 1), round(32 / more_slots, 1)) == (21.3, 10.7)
    for bits in WIDTHS:
        packed = PackedSignatures.from_matrix(np.zeros((1, 1000), np.uint32), bits)
        assert packed.std_err(0.3) ** 2 == pytest.approx(reference.packed_variance(0.3, 1000, bits))


def test_the_error_counts_the_sketch_where_the_union_is_known():
    packed = sketch([], size=128).pack(2)
    expected = reference.packed_variance(0.5, 128, 2, rho(128, 32, 4))
    assert packed.std_err(0.5, 32) ** 2 == pytest.approx(expected)
    assert packed.std_err(0.5, 32) < packed.std_err(0.5)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.integers(1, 200), st.sampled_from(WIDTHS), st.integers(0, 2**32), st.integers(0, 5))
def test_estimates_are_those_of_the_twin_and_never_negative(size, bits, seed, values):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 2 + values, (6, size), np.uint32)
    words = _native.pack(matrix, bits)
    assert words.tolist() == [reference.pack(row.tolist(), bits) for row in matrix]
    low = [reference.low_bits(row.tolist(), bits) for row in matrix]
    for tier in available():
        for i in range(6):
            found = _native.packed_estimates(words[[0]], words[[i]], size, bits, tier)[0]
            assert found == reference.packed_estimate(low[0], low[i], bits) >= 0.0
