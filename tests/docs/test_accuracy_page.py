"""docs/accuracy.md and its pictures are what the record of the last measurement says."""

import importlib
import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECORD = json.loads((ROOT / "benchmarks" / "record" / "accuracy.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def pages():
    """What the record makes, by path below docs/."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return importlib.import_module("accuracy_page").pages(RECORD)
    finally:
        sys.path.pop(0)


def test_the_page_is_that_of_the_record(pages):
    for name, text in pages.items():
        assert (ROOT / "docs" / name).read_text("utf-8") == text, (
            "python benchmarks/accuracy_page.py"
        )


def test_the_pictures_are_well_formed_and_stay_inside(pages):
    for name, text in pages.items():
        if not name.endswith(".svg"):
            continue
        root = ET.fromstring(text)
        width, height = float(root.get("width")), float(root.get("height"))
        for each in root.iter():
            for key, end in (("x", width), ("cx", width), ("y", height), ("cy", height)):
                assert 0 <= float(each.get(key, 0)) <= end


def test_what_must_hold_holds_in_the_record():
    cells = [cell for corpus in RECORD["corpora"] for cell in corpus["cells"] if cell["true"]]
    assert len(cells) > 100
    for cell in cells:
        assert cell["false"] == 0
        if not cell["capped_pairs"]:
            assert cell["measured"] >= cell["recall"] - 4 * cell["sigma"]
    for corpus in RECORD["corpora"]:
        assert corpus["twin"]["equal"] == corpus["twin"]["pairs"]
        assert corpus["verification"]["verified stars"]["below"] == 0
    assert RECORD["cpu_seconds"] < 20 * 60
