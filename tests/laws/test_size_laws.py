"""Sizes told by signatures and by HyperLogLog: no bias, the error that is stated, unions without loss."""

from __future__ import annotations

import numpy as np
import pytest
from law_kit import SIGMAS, assert_mean

from neardup import Cardinality, Signatures, _native, cardinality
from neardup.algebra import Overlap


def signatures(hashes, counts, size, rounds):
    """Signatures of rows of prehashed tokens."""
    native = _native.Sketch("fast", size, 42, rounds)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Signatures(native.csr(hashes, offsets, 0), counts, sketch=native.identity, text="tokens")


SETS = [
    *((n, 128, 4) for n in (1, 10, 100, 1000, 10_000, 100_000, 1_000_000)),
    *((n, *kind) for n in (1, 10, 100, 1000, 10_000) for kind in ((128, 0), (64, 16), (512, 4))),
]


@pytest.mark.parametrize(("n", "size", "rounds"), SETS)
def test_cardinality_of_a_signature(n, size, rounds):
    trials = min(1500, 1_000_000 // n) if n < 1_000_000 else 12
    rng = np.random.default_rng([size, rounds, n])
    counts = np.full(trials, n)
    made = signatures(rng.integers(0, 2**64, trials * n, np.uint64), counts, size, rounds)
    values, errors = np.array([made.cardinality(i) for i in range(trials)]).T
    sigma = errors.mean()
    # Slots of one draw help each other, so the error is below 1 / sqrt(size - 2).
    assert sigma <= n / np.sqrt(size - 2) * 1.05
    assert_mean(values, n, sigma)
    if trials >= 200:
        # A gamma variable of shape s has an inverse of kurtosis 3 + 30 / s and more.
        spread = np.sqrt((2 + 60 / size) / trials) * sigma**2
        assert abs(((values - n) ** 2).mean() - sigma**2) <= SIGMAS * spread


@pytest.mark.parametrize("n", [1, 10, 100, 1000, 10_000])
@pytest.mark.parametrize("name", ["minhash", "minhash61", "cminhash"])
def test_cardinality_from_independent_minima(name, n):
    trials = min(1000, 300_000 // n)
    hashes = np.random.default_rng(n).integers(0, 2**64, trials * n, np.uint64)
    native = _native.Sketch(name, 128, 42)
    slots = native.csr(hashes, np.arange(trials + 1) * n, 0)
    values, errors = np.array([native.cardinality(row) for row in slots]).T
    assert_mean(values, n, errors.mean())
    if trials >= 200:
        spread = np.sqrt((2 + 60 / 128) / trials) * errors.mean() ** 2
        assert abs(((values - n) ** 2).mean() - errors.mean() ** 2) <= SIGMAS * spread
    assert native.cardinality(np.full(128, 2**32 - 1, np.uint32)) == (0.0, 0.0)


def test_merged_signatures_tell_the_size_of_the_union():
    rng = np.random.default_rng(5)
    tokens = rng.integers(0, 2**64, (300, 900), np.uint64)
    a = signatures(tokens[:, :600].ravel(), np.full(300, 600), 128, 4)
    b = signatures(tokens[:, 300:].ravel(), np.full(300, 600), 128, 4)
    union = a.merge(b)
    values, errors = np.array([union.cardinality(i) for i in range(300)]).T
    assert_mean(values, 900, errors.mean())
    assert_mean(union.counts, 900, a.union(0, 0, b).std_err)


def test_an_empty_signature_is_of_nothing():
    made = signatures(np.empty(0, np.uint64), np.zeros(2, np.int64), 16, 4)
    assert made.cardinality(0) == (0.0, 0.0)
    for what in (made.intersection, made.union, made.difference, made.containment):
        assert what(0, 1) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("only_a", "both", "only_b"), [(50, 50, 50), (500, 1000, 100), (150, 300, 300), (20, 4, 300)]
)
def test_set_algebra(only_a, both, only_b):
    trials, union = 1500, only_a + both + only_b
    rng = np.random.default_rng([only_a, both, only_b])
    tokens = rng.integers(0, 2**64, (trials, union), np.uint64)
    a = tokens[:, : only_a + both]
    b = np.delete(tokens, np.s_[:only_a], axis=1)
    left, right = (
        signatures(side.ravel(), np.full(trials, side.shape[1]), 128, 4) for side in (a, b)
    )
    jaccard, size_a = both / union, only_a + both
    spread = 128**-0.5 * np.sqrt(jaccard * (1 - jaccard)) * (size_a + both + only_b)
    for name, truth, unit in (
        ("intersection", both, 1),
        ("union", union, 1),
        ("difference", only_a, 1),
        ("containment", both / size_a, size_a),
    ):
        found = np.array([getattr(left, name)(i, i, right) for i in range(trials)])
        values, errors = found.T
        native = _native.Sketch("fast", 128, 42)
        sigma = Overlap(native, jaccard, size_a, both + only_b)._std_err() / unit
        assert sigma * unit <= spread  # J -> J / (1 + J) only shrinks an error
        # The curve J -> I bends: its second-order bias is S Var J / (1 + J)^3.
        variance = native.std_err(jaccard, union) ** 2
        bias = (size_a + both + only_b) * variance / (1 + jaccard) ** 3 / unit
        assert abs(values.mean() - truth) <= bias + SIGMAS * sigma / np.sqrt(trials)
        if jaccard > 0.05:  # elsewhere estimates end at 0
            squares = ((values - truth) ** 2).mean()
            relative = SIGMAS * np.sqrt(3 / trials) + 4 * np.sqrt(variance)
            assert squares == pytest.approx(sigma**2, rel=relative)
            assert errors.mean() == pytest.approx(sigma, rel=0.15)


def test_estimates_stay_within_what_is_possible():
    """Of a set within another: what cannot be is cut off, which only lowers the error."""
    trials, rng = 600, np.random.default_rng(3)
    tokens = rng.integers(0, 2**64, (trials, 600), np.uint64)
    part = signatures(tokens[:, :300].ravel(), np.full(trials, 300), 128, 4)
    whole = signatures(tokens.ravel(), np.full(trials, 600), 128, 4)
    sigma = Overlap(_native.Sketch("fast", 128, 42), 0.5, 300, 600)._std_err()
    shared, union, left = (
        np.array([getattr(part, name)(i, i, whole).value for i in range(trials)])
        for name in ("intersection", "union", "difference")
    )
    assert shared.max() == 300 == 900 - union.min()
    assert left.min() == 0
    assert np.mean((shared - 300) ** 2) < sigma**2


@pytest.mark.parametrize("precision", [4, 8, 12, 14])
def test_hyperloglog_keeps_its_error(precision):
    rng = np.random.default_rng(precision)
    sigma = 1.04 / np.sqrt(2.0**precision)
    for n in (3, 100, 3000, 50_000):
        trials = min(200, 1_000_000 // n)
        native = _native.Hll(precision)
        draws = rng.integers(0, 2**64, (trials, n), np.uint64)
        ratios = np.array([native.with_hashes(row).estimate / n for row in draws])
        # The library corrects for bias to well below the error of one count.
        assert abs(ratios.mean() - 1) <= SIGMAS * sigma / np.sqrt(trials) + 0.05 * sigma
        assert ((ratios - 1) ** 2).mean() <= sigma**2 * (1 + SIGMAS * np.sqrt(3 / trials))


def test_hyperloglog_merges_without_loss():
    rng = np.random.default_rng(1)
    for n in (1, 20, 700, 60_000):
        tokens = rng.integers(0, 2**63, n)
        cuts = np.sort(rng.integers(0, n, 3))
        whole = cardinality([tokens])
        parts = [cardinality([part]) for part in np.split(rng.permutation(tokens), cuts)]
        union = Cardinality.from_bytes(parts[0].to_bytes(), "tokens")
        for part in (*parts[1:], whole):
            union = part | union
        assert union.value == whole.value
        assert cardinality(np.split(tokens, cuts)).value == whole.value


def test_hyperloglog_intersections_by_inclusion_and_exclusion():
    rng = np.random.default_rng(2)
    values = []
    for _ in range(100):
        tokens = rng.integers(0, 2**63, 9000)
        a, b = cardinality([tokens[:6000]]), cardinality([tokens[3000:]])
        found = a.intersection(b)
        values.append(found)
    values, errors = np.array(values).T
    # The three counts share registers, so the error is below that of independent ones.
    assert abs(values.mean() - 3000) <= SIGMAS * errors.mean() / 10
    assert values.std() <= errors.mean()
    nothing = cardinality([[1]]).intersection(cardinality([[2]]))
    assert nothing.value == pytest.approx(0.0, abs=1e-3)
