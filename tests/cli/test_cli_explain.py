"""`neardup explain`: the numbers are the banding's, the page fits every width and encoding."""

import json

import pytest

from neardup.banding import explain


def test_json_is_the_banding(neardup):
    result = neardup("explain", "--threshold", "0.9", "--json")
    facts = json.loads(result.stdout)
    plan = explain(0.9)
    assert (facts["bands"], facts["rows"], facts["recall"]) == (plan.bands, plan.rows, plan.recall)
    assert facts["midpoint"] == plan.midpoint
    assert facts["curve"]["0.5"] == plan.curve(0.5)
    assert list(facts["curve"]) == [f"{step / 10:.1f}" for step in range(1, 11)]
    assert "0.9" not in facts["false_candidates_per_million"]


@pytest.mark.parametrize("width", ["40", "80", "140"])
def test_the_page_fits(neardup, width):
    result = neardup("explain", env={"COLUMNS": width, "NO_COLOR": "1"})
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= int(width)
    assert "13 x 7" in result.output
    assert "0.9531" in result.output
    assert "More bands = looser, more rows = stricter." in " ".join(result.output.split())
    assert "\x1b" not in result.output


def test_a_threshold_between_the_steps_has_its_row(neardup):
    assert "0.85" in neardup("explain", "--threshold", "0.85").output


def test_given_bands_and_rows(neardup):
    facts = json.loads(neardup("explain", "--bands", "20", "--rows", "5", "--json").stdout)
    assert (facts["bands"], facts["rows"]) == (20, 5)
