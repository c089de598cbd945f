"""The native path gives, on every tier, the fingerprints and packed rows of fingerprints.json."""

from __future__ import annotations

import json

import pytest
from make import dump
from make_fingerprints import FILE, SEED, SIZE, make

from neardup import _native, simhash, sketch

GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))


def test_the_twin_has_not_changed():
    assert dump(make()) == FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("tier", ["scalar", "avx2", "avx512"])
def test_fingerprints(tier):
    for entry in GOLDEN["fingerprints"]:
        spec = {name: entry[name] for name in ("normalize", "shingle")}
        assert simhash([entry["text"]], bits=entry["bits"], seed=entry["seed"], **spec).hex() == [
            entry["hex"]
        ]
        try:
            native = _native.Sketch("simhash", entry["bits"], entry["seed"], None, tier)
        except ValueError as error:
            pytest.skip(str(error))
        shingles = _native.TextSpec(*spec.values(), "xxh3").shingles(entry["text"])
        slots = native.one(shingles, True).tolist()
        assert "".join(f"{slot:08x}" for slot in reversed(slots)) == entry["hex"], ascii(entry)


def test_packed_rows():
    for entry in GOLDEN["packed"]:
        made = sketch([entry["text"]], size=SIZE, seed=SEED, shingle="word:1").pack(entry["bits"])
        assert [f"{word:016x}" for word in made.matrix[0].tolist()] == entry["words"]
