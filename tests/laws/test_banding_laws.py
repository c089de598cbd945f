"""What bands find: the S-curve of real signatures, and the choice of bands and rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from law_kit import SIGMAS, equal_slots, native

from neardup.banding import explain

RECALL_TABLE = [
    (128, 0.7, 0.90, (19, 6)),
    (128, 0.7, 0.95, (17, 5)),
    (128, 0.8, 0.90, (13, 8)),
    (128, 0.8, 0.95, (13, 7)),
    (128, 0.8, 0.99, (16, 6)),
    (128, 0.9, 0.90, (9, 14)),
    (128, 0.9, 0.95, (10, 12)),
    (128, 0.9, 0.99, (11, 10)),
    (256, 0.8, 0.95, (21, 9)),
    (256, 0.9, 0.95, (15, 16)),
]


def bands_found(sketch, trials, union, shared, bands, rows, seed):
    """Which bands agree wholly, bool[trials, bands]."""
    equal = equal_slots(sketch, np.random.default_rng(seed), trials, union, shared)
    return equal[:, : bands * rows].reshape(trials, bands, rows).all(axis=2)


@pytest.mark.parametrize("union", [20, 100, 1000])
def test_a_band_agrees_within_its_two_bounds(union):
    jaccard, rows, size = 0.7, 8, 128
    low = math.prod((size * jaccard - h) / (size - h) for h in range(rows))
    assert (low, jaccard**rows) == pytest.approx((0.05224, 0.05765), abs=5e-6)
    trials = 40_000 if union < 1000 else 8_000
    share = bands_found(native(), trials, union, 7 * union // 10, 16, rows, union).mean(axis=1)
    slack = SIGMAS * share.std() / math.sqrt(trials)
    assert low - slack <= share.mean() <= jaccard**rows + slack


@pytest.mark.parametrize(("jaccard", "expected"), [(0.4, 0.0104), (0.7, 0.6133), (0.9, 0.99988)])
def test_the_s_curve_of_independent_slots(jaccard, expected):
    assert explain(bands=16, rows=8).curve(jaccard) == pytest.approx(expected, abs=5e-5)
    trials, union = 40_000, 100
    found = bands_found(native(rounds=0), trials, union, round(jaccard * union), 16, 8, 1)
    sigma = math.sqrt(expected * (1 - expected) / trials)
    assert abs(found.any(axis=1).mean() - expected) <= SIGMAS * sigma + 5e-5


@pytest.mark.parametrize(("jaccard", "expected"), [(0.5, 0.054), (0.8, 0.960)])
def test_the_curve_of_this_sketch_is_a_little_steeper(jaccard, expected):
    trials, union = 40_000, 130
    found = bands_found(native(), trials, union, round(jaccard * union), 16, 8, 2).any(axis=1)
    sigma = math.sqrt(expected * (1 - expected) / trials)
    assert abs(found.mean() - expected) <= 0.004 + SIGMAS * sigma
    independent = explain(bands=16, rows=8).curve(jaccard)
    assert (found.mean() - independent) * (1 if jaccard > 0.68 else -1) > SIGMAS * sigma


@pytest.mark.parametrize(("size", "threshold", "recall", "expected"), RECALL_TABLE)
def test_the_recall_table(size, threshold, recall, expected):
    banding = explain(threshold, recall, size)
    assert (banding.bands, banding.rows) == expected
    assert banding.recall >= recall
    assert explain(threshold, size=size, bands=banding.bands - 1, rows=banding.rows).recall < recall


def test_the_share_found_at_the_threshold_itself():
    assert explain(0.8, 0.95).recall == pytest.approx(0.953, abs=5e-4)
    assert explain(0.8, bands=9, rows=13).recall == pytest.approx(0.40, abs=5e-3)
    twenty, fifteen = (explain(0.7, size=100, bands=b, rows=5).curve for b in (20, 15))
    assert [twenty(0.7), twenty(0.3)] == pytest.approx([0.9748, 0.0475], abs=5e-5)
    assert [fifteen(0.7), fifteen(0.3)] == pytest.approx([0.9367, 0.0358], abs=5e-5)
