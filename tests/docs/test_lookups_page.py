"""docs/lookups.md is what the record of the last measurement says, and the record what must hold."""

import importlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD = json.loads((ROOT / "benchmarks" / "record" / "lookups.json").read_text("utf-8"))


def test_the_page_is_that_of_the_record(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    page = importlib.import_module("lookups_page").page(RECORD)
    said = (ROOT / "docs" / "lookups.md").read_text("utf-8")
    assert said == page, "python benchmarks/lookups_page.py"


def test_what_must_hold_holds_in_the_record():
    for corpus in RECORD["containment"]:
        assert [row["recall"]["exact"] for row in corpus["rows"]] == [1.0] * len(corpus["rows"])
    for row in RECORD["bloom"]["rates"]:
        assert abs(row["sigmas"]) <= 4
    for row in RECORD["probes"]:
        assert row["recall_measured"] >= 0.95
    default = next(row for row in RECORD["forest"] if row["trees"] == 32)
    assert default["similar@10"] > 0.99
