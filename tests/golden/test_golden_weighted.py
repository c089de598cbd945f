"""Weighted sketches give what weighted.json says, on every tier; so does the twin."""

from __future__ import annotations

import json

import numpy as np
import pytest
from make_weighted import FILE, dump, make

from neardup import WeightedSketch, _native

GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))


def test_the_twin_has_not_changed():
    assert dump(make()) == FILE.read_text(encoding="utf-8")


def test_weighted_sets():
    for entry in GOLDEN:
        sketch = WeightedSketch(entry["name"], entry["size"], entry["seed"])
        assert sketch(entry["weights"]).tolist() == entry["slots"], ascii(entry)


@pytest.mark.parametrize("tier", ["scalar", "avx2", "avx512", "neon"])
def test_shingle_counts_on_every_tier(tier):
    for entry in GOLDEN:
        weights = list(entry["weights"].values())
        if not all(weight.is_integer() and weight < 10 for weight in weights):
            continue
        try:
            sketch = _native.Sketch(entry["name"], entry["size"], entry["seed"], None, tier)
        except ValueError as error:
            pytest.skip(str(error))
        tokens = np.repeat(list(entry["weights"]) or [""], [int(w) for w in weights] or [0])
        assert sketch.one(tokens.tolist()[::-1]).tolist() == entry["slots"], ascii(entry)
