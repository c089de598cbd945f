"""Scores against values worked out by hand, and against counting every pair of documents."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neardup.scores import (
    Scores,
    adjusted_rand_index,
    components,
    distinct,
    label_scores,
    pair_scores,
)

labellings = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 6), min_size=n, max_size=n)] * 2)
)
pairs = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=60)


def by_counting(one, other):
    """Hubert and Arabie's index from the four kinds of pairs (Steinley 2004, equation 9)."""
    a = b = c = d = 0
    for i, j in combinations(range(len(one)), 2):
        same, alike = one[i] == one[j], other[i] == other[j]
        a, b = a + (same and alike), b + (same and not alike)
        c, d = c + (alike and not same), d + (not same and not alike)
    below = (a + b) * (b + d) + (a + c) * (c + d)
    return 2 * (a * d - b * c) / below if below else 1.0


@given(labellings)
def test_the_rand_index_is_that_of_counting(both):
    one, other = both
    assert adjusted_rand_index(one, other) == pytest.approx(by_counting(one, other), abs=1e-12)
    assert adjusted_rand_index(other, one) == adjusted_rand_index(one, other)
    renamed = [100 - 7 * label for label in other]
    assert adjusted_rand_index(one, renamed) == adjusted_rand_index(one, other)
    assert adjusted_rand_index(one, one) == 1.0


def test_the_rand_index_by_hand():
    # Contingency [[2, 1, 0], [0, 2, 1]]: 2 pairs in both, 6 in one, 1 + 3 in the other, 15 in all:
    # (2 - 6 * 4 / 15) / ((6 + 4) / 2 - 6 * 4 / 15) = .4 / 3.4.
    index = adjusted_rand_index([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 2])
    assert index == pytest.approx(0.4 / 3.4, abs=1e-15)
    # All apart against all together: nothing beyond chance.
    assert adjusted_rand_index(range(5), [0] * 5) == 0.0
    assert adjusted_rand_index([], []) == adjusted_rand_index([3], [9]) == 1.0
    with pytest.raises(ValueError, match="as many documents"):
        adjusted_rand_index([0, 1], [0])


def test_the_rand_index_does_not_overflow():
    labels = np.arange(3_000_000) // 1_500_000
    assert adjusted_rand_index(labels, labels) == 1.0
    assert abs(adjusted_rand_index(labels, np.arange(3_000_000) % 2)) < 1e-5


def test_the_rand_index_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    rng = np.random.default_rng(0)
    for clusters in (2, 30, 900):
        one = rng.integers(0, clusters, 1000)
        other = np.where(rng.random(1000) < 0.5, one, rng.integers(0, clusters, 1000))
        expected = metrics.adjusted_rand_score(one, other)
        assert adjusted_rand_index(one, other) == pytest.approx(expected, abs=1e-12)


@given(pairs, pairs)
def test_pairs_are_sets_of_sets(found, true):
    left, right = ({frozenset(p) for p in side if p[0] != p[1]} for side in (found, true))
    scores = pair_scores(found, true)
    assert (scores.found, scores.true, scores.both) == (len(left), len(right), len(left & right))


def test_scores_by_hand():
    scores = Scores(found=8, true=12, both=6)
    assert (scores.precision, scores.recall, scores.f1) == (0.75, 0.5, 0.6)
    nothing = pair_scores([], [])
    assert (nothing.precision, nothing.recall, nothing.f1) == (1.0, 1.0, 1.0)
    missed = pair_scores([], [(0, 1)])
    assert (missed.precision, missed.recall, missed.f1) == (1.0, 0.0, 0.0)
    wrong = pair_scores([(0, 1)], [])
    assert (wrong.precision, wrong.recall, wrong.f1) == (0.0, 1.0, 0.0)


@given(pairs, st.lists(st.integers(-1, 4), min_size=21, max_size=21))
def test_labels_are_the_pairs_they_stand_for(found, labels):
    true = [
        (a, b) for a, b in combinations(range(21), 2) if labels[a] == labels[b] and labels[a] >= 0
    ]
    judged = [(a, b) for a, b in found if labels[a] >= 0 and labels[b] >= 0]
    assert label_scores(found, labels) == pair_scores(judged, true)


@given(pairs)
def test_components_are_what_pairs_join(found):
    label = components(found, 21)
    assert all(label[a] == label[b] for a, b in found)
    # A forest that joins so many has as many edges: no label is shared without need.
    group = list(range(21))
    for a, b in distinct(found).tolist():
        old, new = group[a], group[b]
        group = [new if g == old else g for g in group]
    assert len(set(label.tolist())) == len(set(group))
