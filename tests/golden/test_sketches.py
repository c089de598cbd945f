"""Every sketch gives, on every tier, what sketches.json says of its version."""

from __future__ import annotations

import json

import numpy as np
import pytest
from make import dump
from make_sketches import FILE, VERSIONS, make

from neardup import _native

GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))["signatures"]


def test_the_twins_have_not_changed():
    assert dump(make()) == FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("tier", ["scalar", "avx2", "avx512", "neon"])
def test_signatures(tier):
    try:
        _native.Sketch("fast", 1, 0, None, tier)
    except ValueError as error:
        pytest.skip(str(error))
    seen = set()
    for entry in GOLDEN:
        name = entry["sketch"].partition("/")[0]
        sketch = _native.Sketch(name, entry["size"], entry["seed"], None, tier)
        assert sketch.identity.startswith(f"{entry['sketch']} ")
        row = np.array([int(token, 16) for token in entry["hashes"]], np.uint64)
        assert sketch.one(row, True).tolist() == entry["slots"], ascii(entry)
        seen.add(name)
    assert seen == set(VERSIONS)
