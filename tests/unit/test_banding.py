"""The S-curve and the choice of bands and rows, against published and exact values."""

import pytest

from neardup.banding import Banding, common_rule, explain
from neardup.errors import NeardupTypeError, NeardupValueError


def chance(jaccard, bands, rows):
    return 1 - (1 - jaccard**rows) ** bands


def plain_choice(threshold, recall, size):
    """The first of all bandings that reach the recall: most rows, then fewest bands; else None."""
    all_of_them = ((b, r) for r in range(size, 0, -1) for b in range(1, size // r + 1))
    return next((x for x in all_of_them if chance(threshold, *x) >= recall), None)


def plain_common_rule(threshold, size):
    """The banding with the least area of false positives plus false negatives."""
    grid = [(i + 0.5) / 1000 for i in range(1000)]

    def area(banding):
        curve = [(s, chance(s, *banding)) for s in grid]
        return sum(p if s < threshold else 1 - p for s, p in curve)

    return min(((b, r) for b in range(1, size + 1) for r in range(1, size // b + 1)), key=area)


@pytest.mark.parametrize(
    ("size", "threshold", "recall", "bands", "rows"),
    [
        (128, 0.7, 0.90, 19, 6),
        (128, 0.7, 0.95, 17, 5),
        (128, 0.8, 0.90, 13, 8),
        (128, 0.8, 0.95, 13, 7),
        (128, 0.8, 0.99, 16, 6),
        (128, 0.9, 0.90, 9, 14),
        (128, 0.9, 0.95, 10, 12),
        (128, 0.9, 0.99, 11, 10),
        (256, 0.8, 0.95, 21, 9),
        (256, 0.9, 0.95, 15, 16),
        (128, 1.0, 0.95, 1, 128),
        (1, 1.0, 0.5, 1, 1),
    ],
)
def test_the_most_rows_that_reach_the_recall(size, threshold, recall, bands, rows):
    plan = explain(threshold, recall, size)
    assert (plan.bands, plan.rows) == (bands, rows)
    assert plan.recall >= recall
    if bands > 1:
        assert Banding(bands - 1, rows, size, threshold).recall < recall


@pytest.mark.parametrize(
    ("bands", "rows", "similarity", "expected"),
    [
        (16, 8, 0.4, 0.0104),
        (16, 8, 0.7, 0.6133),
        (16, 8, 0.9, 0.99988),
        (15, 5, 0.7, 0.9367),
        (15, 5, 0.3, 0.0358),
        (20, 5, 0.7, 0.9748),
        (20, 5, 0.3, 0.0475),
        (9, 13, 0.0, 0.0),
        (9, 13, 1.0, 1.0),
    ],
)
def test_the_curve(bands, rows, similarity, expected):
    plan = explain(0.8, bands=bands, rows=rows)
    assert plan.curve(similarity) == pytest.approx(expected, abs=6e-5)


def test_tiny_chances_are_not_rounded_to_nothing():
    assert Banding(10, 40, 400, 0.9).curve(0.1) == pytest.approx(1e-39, rel=1e-9)


def test_the_midpoint():
    assert explain(bands=16, rows=8).midpoint == pytest.approx((1 / 16) ** (1 / 8))


def test_an_impossible_recall_says_what_is_possible():
    with pytest.raises(
        NeardupValueError, match=r"size of at least 299 or a recall of at most 0\.7237"
    ):
        explain(0.01, 0.95, 128)


def test_bad_arguments():
    with pytest.raises(NeardupValueError, match="threshold: 0 is not allowed"):
        explain(0)
    with pytest.raises(NeardupTypeError, match="size"):
        explain(size=1.5)


@pytest.mark.parametrize("size", [1, 7, 64, 100])
@pytest.mark.parametrize("threshold", [0.3, 0.77, 0.9, 1.0])
def test_the_choice_is_the_plain_definition(size, threshold):
    for recall in (0.1, 0.7):
        expected = plain_choice(threshold, recall, size)
        if expected is None:
            with pytest.raises(NeardupValueError, match="out of reach"):
                explain(threshold, recall, size)
        else:
            plan = explain(threshold, recall, size)
            assert (plan.bands, plan.rows) == expected


def test_the_common_rule_promises_no_recall():
    for threshold in (0.5, 0.8):
        usual = common_rule(threshold, 32)
        assert (usual.bands, usual.rows) == plain_common_rule(threshold, 32)
        assert usual.recall < 0.95 <= explain(threshold, size=32).recall
