"""docs/experiments.md and its pictures are what the record says, and the record what must hold."""

import importlib
import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECORD = json.loads((ROOT / "benchmarks" / "record" / "experiments.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def pages():
    """What the record makes, by path below docs/."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return importlib.import_module("experiments_page").pages(RECORD)
    finally:
        sys.path.pop(0)


def test_the_page_is_that_of_the_record(pages):
    for name, text in pages.items():
        said = (ROOT / "docs" / name).read_text("utf-8")
        assert said == text, "python benchmarks/experiments_page.py"


def test_every_picture_is_shown_and_stays_inside(pages):
    pictures = [name for name in pages if name.endswith(".svg")]
    assert len(pictures) == 6
    for name in pictures:
        assert f"]({name})" in pages["experiments.md"]
        root = ET.fromstring(pages[name])
        width, height = float(root.get("width")), float(root.get("height"))
        for each in root.iter():
            points = [point.split(",") for point in each.get("points", "").split()]
            points.append([each.get("x", each.get("cx", 0)), each.get("y", each.get("cy", 0))])
            assert all(0 <= float(x) <= width and 0 <= float(y) <= height for x, y in points)


def test_what_must_hold_holds_in_the_record():
    accuracy, curve, speed = (RECORD[name] for name in ("accuracy", "curve", "speed"))
    assert accuracy["holds"]
    assert curve["holds"]
    assert speed["holds"]
    fast, minhash = accuracy["published"]["all"]
    assert fast["draws"] == minhash["draws"] == 100_000
    for row, expected in ((fast, 0.001767), (minhash, 0.001953)):
        assert row["variance"] == pytest.approx(expected, abs=1e-6)
        assert abs(row["mse_sigmas"]) <= 4
    assert accuracy["chernoff"]["seen"]["fast"] <= accuracy["chernoff"]["bound"] * 1e5
    formulas = {
        (r["bands"], r["jaccard"]): r["formula"] for r in curve["curve"] + curve["examples"]
    }
    for (bands, jaccard), expected in {
        (16, 0.4): 0.0104,
        (16, 0.7): 0.6133,
        (16, 0.9): 0.99988,
        (15, 0.7): 0.9367,
        (15, 0.3): 0.0358,
        (20, 0.7): 0.9748,
        (20, 0.3): 0.0475,
        (9, 0.8): 0.40,
    }.items():
        assert formulas[bands, jaccard] == pytest.approx(
            expected, abs=0.0013 if bands == 9 else 6e-5
        )
    counts = {row["elements"]: row["algorithm_1"] for row in speed["evaluations"]}
    assert [round(counts[n]) for n in (12, 96, 384, 1000)] == [701, 743, 877, 1049]
    assert [row["elements"] for row in speed["fills"]] == [668, 700, 906, 1206]
    run = {row["tool"] for row in speed["whole"] if row["seconds"]}
    assert {"rensa", "FastSketchLSH", "datasketch"} <= run, "run beside benchmarks/requirements.txt"
