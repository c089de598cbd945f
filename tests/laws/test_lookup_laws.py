"""Multi-probe, Bloom bands, forest and containment: published figures, rates, and their twins."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from law_kit import SIGMAS

from neardup import (
    LSH,
    BloomStream,
    ContainmentIndex,
    FastSimilaritySketch,
    Forest,
    MultiProbeLSH,
    reference,
    sketch,
)

SKETCHER = FastSimilaritySketch(size=128, seed=5)
HASHES = st.lists(st.integers(0, 2**64 - 1), max_size=40)
STEADY = settings(deadline=None, derandomize=True, max_examples=60)


def pairs(trials, jaccard, union, seed):
    """Sets of equal size with that similarity, as rows of hashes."""
    rng = np.random.default_rng(seed)
    shared = round(jaccard * union)
    each = (union - shared) // 2
    hashes = rng.integers(0, 2**64, (trials, shared + 2 * each), np.uint64)
    return hashes[:, : shared + each], np.delete(hashes, np.s_[shared : shared + each], axis=1)


def shingles(text):
    """The shingle set of a text under char:2."""
    steps = "nfkc,casefold,collapse-space"
    return set(reference.shingles(text, normalize=steps, shingle="char:2"))


def found(index, rows, queries):
    """How many rows a query finds that it is paired with."""
    first = index.insert(rows)
    return sum(first[i] in ids for i, ids in enumerate(index.query(queries)))


def test_a9_multi_probe_finds_what_was_measured():
    trials, counts = 0, np.zeros(3)
    for seed in range(6):
        left, right = pairs(2000, 0.8, 1500, seed)
        a, a2 = SKETCHER.batch_with_runners_up(left, prehashed=True)
        b, b2 = SKETCHER.batch_with_runners_up(right, prehashed=True)
        trials += 2000
        counts[0] += found(LSH(128, 9, 13), a, b)
        for i, probes in ((1, "query"), (2, "both")):
            index = MultiProbeLSH(num_bands=9, rows=13, probes=probes)
            counts[i] += found(index, (a, a2), (b, b2))
    plain, query, both = counts / trials
    assert abs(plain - 0.391) < 0.02
    assert abs(query - 0.706) < 0.02
    assert abs(both - 0.955) < 0.02


@pytest.mark.parametrize("probes", ["query", "both"])
def test_the_curve_holds_for_minhash(probes):
    """Fast Similarity Sketching without random rounds is MinHash."""
    trials, sketcher = 3000, FastSimilaritySketch(size=128, seed=5, rounds=0)
    left, right = pairs(trials, 0.8, 300, 8)
    index = MultiProbeLSH(num_bands=9, rows=13, probes=probes)
    hits = found(
        index,
        sketcher.batch_with_runners_up(left, prehashed=True),
        sketcher.batch_with_runners_up(right, prehashed=True),
    )
    p = index.plan.curve(0.8)
    assert abs(hits - trials * p) <= SIGMAS * (trials * p * (1 - p)) ** 0.5


@pytest.mark.parametrize("probes", ["query", "both"])
@pytest.mark.parametrize(("jaccard", "bands", "rows"), [(0.6, 12, 5), (0.8, 6, 12), (0.9, 4, 20)])
def test_the_curve_is_what_is_found(probes, jaccard, bands, rows):
    trials = 2500
    left, right = pairs(trials, jaccard, 2000, 7)
    index = MultiProbeLSH(num_bands=bands, rows=rows, probes=probes)
    hits = found(
        index,
        SKETCHER.batch_with_runners_up(left, prehashed=True),
        SKETCHER.batch_with_runners_up(right, prehashed=True),
    )
    p = index.plan.curve(jaccard)
    assert abs(hits - trials * p) <= SIGMAS * (trials * p * (1 - p)) ** 0.5


@pytest.mark.parametrize("both", [False, True])
def test_the_curve_is_its_terms_added_up(both):
    for bands, rows in ((9, 13), (1, 1), (3, 2), (40, 3)):
        index = MultiProbeLSH(num_bands=bands, rows=rows, probes="both" if both else "query")
        for percent in range(1, 101):
            expected = reference.probed_curve(percent / 100, bands, rows, both)
            assert index.plan.curve(percent / 100) == pytest.approx(expected, abs=1e-12)


@STEADY
@given(HASHES, st.sampled_from([1, 5, 16]), st.sampled_from([0, 1, 4, 16]))
def test_runners_up_are_the_twins(hashes, size, rounds):
    sketcher = FastSimilaritySketch(size=size, seed=3, rounds=rounds)
    first, second = sketcher.batch_with_runners_up([hashes + hashes[:3]], prehashed=True)
    if hashes:
        assert first[0].tolist() == reference.fast_sketch(hashes, size, 3, rounds)
    assert second[0].tolist() == reference.runners_up(hashes, size, 3, rounds)
    assert np.array_equal(first[0], sketcher(hashes, prehashed=True))


@STEADY
@given(st.lists(st.text("abc ", max_size=30), max_size=8), st.integers(0, 8))
def test_runners_up_of_texts_and_of_their_unions(texts, cut):
    made = sketch(texts, shingle="char:2", size=16, seed=3, runners_up=True)
    plain = sketch(texts, shingle="char:2", size=16, seed=3)
    assert np.array_equal(made.matrix, plain.matrix)
    assert np.array_equal(made.counts, plain.counts)
    for text, second in zip(texts, made.runners_up.tolist(), strict=True):
        assert second == reference.runners_up(shingles(text), 16, 3)
    turned = sketch(texts[::-1], shingle="char:2", size=16, seed=3, runners_up=True)
    for text, other, second in zip(
        texts, texts[::-1], made.merge(turned).runners_up.tolist(), strict=True
    ):
        assert second == reference.runners_up(shingles(text) | shingles(other), 16, 3)


@pytest.mark.parametrize("both", [False, True])
def test_probes_are_the_twins(both):
    random.seed(3)
    sets = [random.sample(range(60), random.randrange(0, 50)) for _ in range(60)]
    sketcher = FastSimilaritySketch(size=12, seed=1)
    first, second = sketcher.batch_with_runners_up(sets)
    index = MultiProbeLSH(num_perm=12, num_bands=3, rows=4, probes="both" if both else "query")
    index.insert((first, second))
    every = [
        reference.probes(a, b, 3, 4) for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]
    held = every if both else [keys[:3] for keys in every]
    expected = [[i for i, own in enumerate(held) if set(own) & set(keys)] for keys in every]
    assert index.query((first, second)) == expected
    assert sum(map(len, expected)) > 80


@pytest.mark.parametrize(("capacity", "rate"), [(5000, 0.1), (20_000, 0.01), (500, 0.3)])
def test_the_rate_of_false_positives_is_the_one_asked_for(capacity, rate):
    """Signatures of random slots share no band, so that every flag at capacity is a false one."""
    trials = 40_000
    rng = np.random.default_rng(capacity)
    stream = BloomStream(capacity, rate, size=14, bands=7, rows=2)
    stream.add(rng.integers(0, 2**32 - 1, (capacity, 14), np.uint32))
    flags = stream.check(rng.integers(0, 2**32 - 1, (trials, 14), np.uint32))
    sigma = (trials * rate * (1 - rate)) ** 0.5
    assert abs(flags.sum() - trials * rate) <= SIGMAS * sigma
    assert stream.fill.false_positives == pytest.approx(rate, rel=0.1)
    assert stream.fill.documents == capacity


@pytest.mark.parametrize("batch", [1, 17, 300])
def test_bloom_bands_are_the_twins(batch):
    rng = np.random.default_rng(4)
    slots = rng.integers(0, 3, (300, 6), np.uint32)
    slots[rng.random(300) < 0.1] = reference.EMPTY_SLOT
    stream = BloomStream(60, 0.2, size=6, bands=2, rows=3)  # small: false positives belong to it
    twin = reference.Bloom(2, 3, 60, 0.2)
    assert (stream._native.hashes, stream.nbytes) == (twin.hashes, 2 * 8 * twin.words)
    flags = [stream.check_and_add(slots[i : i + batch]) for i in range(0, 300, batch)]
    assert np.concatenate(flags).tolist() == [twin.check_and_add(row) for row in slots.tolist()]


@pytest.mark.parametrize(("trees", "depth"), [(1, 1), (3, 4), (8, 2), (8, 8)])
def test_a_forest_is_its_twin(trees, depth):
    rng = np.random.default_rng(6)
    rows, queries = (rng.integers(0, 3, (n, 8), np.uint32) for n in (120, 20))
    rows[7] = queries[3] = reference.EMPTY_SLOT
    forest = Forest(trees, depth, num_perm=8)
    for i in range(0, 120, 50):
        forest.insert(rows[i : i + 50])
    for k, enough in ((1, 1), (4, 30), (500, 500)):
        expected = [
            reference.forest(rows.tolist(), query, trees, depth, k, enough)
            for query in queries.tolist()
        ]
        assert forest.query(queries, k, candidates=enough) == expected


@STEADY
@given(
    st.lists(st.text("abc ", max_size=25), max_size=12),
    st.lists(st.text("abc ", max_size=10), max_size=5),
    st.floats(0.01, 1.0),
)
def test_containment_is_its_twin(texts, passages, threshold):
    index = ContainmentIndex(texts, shingle="char:2")
    sets = [shingles(text) for text in texts]
    expected = [reference.containing(shingles(each), sets, threshold) for each in passages]
    assert index.query(passages, threshold) == expected
