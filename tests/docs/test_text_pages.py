"""Pages on text show the tables of their records, and what must hold holds in these."""

import importlib
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "benchmarks" / "record"
RECORD = json.loads((RECORDS / "chinese.json").read_text("utf-8"))
TOOLS = json.loads((RECORDS / "text_tools.json").read_text("utf-8"))


def measured_by(name):
    """The script of a record."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


@pytest.mark.parametrize(("page", "language"), [("chinese.md", "en"), ("chinese.zh.md", "zh")])
def test_the_tables_are_those_of_the_record(page, language):
    tables = measured_by("chinese").tables(RECORD, language)
    text = (ROOT / "docs" / "guide" / page).read_text("utf-8")
    for table in tables:
        assert table in text, "python benchmarks/chinese.py"


def test_what_the_pages_say_holds_in_the_record():
    made, corpus = RECORD["made"], RECORD["corpus"]
    assert all(found["pinyin"] > 0.99 for kind, found in made.items() if kind != "none")
    assert made["traditional"]["t2s"] == made["homophone"]["pinyin"] == 1
    assert all(share < 0.005 for share in made["none"].values())
    assert all(each["precision"] > 0.99 for name, each in corpus.items() if name != "copies")


def test_steps_cost_at_most_three_times_the_plain_path():
    assert all(times <= 3 for times in RECORD["cost"].values())


def test_the_table_of_text_tools_is_that_of_the_record():
    text = (ROOT / "docs" / "guide" / "text-tools.md").read_text("utf-8")
    assert measured_by("text_tools").table(TOOLS) in text, "python benchmarks/text_tools.py"


@pytest.mark.parametrize("tool", ["stopwords en", "stem en", "stem en, stopwords en"])
def test_stems_and_stop_words_cost_at_most_twice_the_plain_path(tool):
    assert TOOLS["pass"][tool][1] <= 2
    assert max(TOOLS["sketch"][tool]) <= 2
