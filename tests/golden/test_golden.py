"""The native path gives, stage by stage and on every tier, what golden.json says."""

from __future__ import annotations

import json

import numpy as np
import pytest
from make import FILE, dump, make

from neardup import _native

GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))
TIERS = ("scalar", "avx2", "avx512", "neon")


@pytest.fixture(params=TIERS)
def tier(request):
    try:
        _native.Sketch("fast", 1, 0, None, request.param)
    except ValueError as error:
        pytest.skip(str(error))
    return request.param


def numbers(hexadecimal):
    return [int(value, 16) for value in hexadecimal]


def test_the_twin_has_not_changed():
    assert dump(make()) == FILE.read_text(encoding="utf-8")


def test_documents_stage_by_stage(tier):
    for entry in GOLDEN["documents"]:
        text, where = entry["text"], ascii(entry)
        spec = _native.TextSpec(entry["normalize"], entry["shingle"], "xxh3", tier)
        assert spec.normalize(text) == entry["normalized"], where
        assert spec.tokens(text) == entry["tokens"], where
        shingles = spec.shingles(text)
        assert shingles.tolist() == numbers(entry["shingles"]), where
        sketch = _native.Sketch("fast", entry["size"], entry["seed"], entry["rounds"], tier)
        assert sketch.one(shingles, True).tolist() == entry["slots"], where


def test_pass_one_gives_keys_and_digests(tier):
    digests = dict(GOLDEN["digests"])
    for entry in GOLDEN["documents"]:
        text, bands = entry["text"], entry["bands"]
        spec = _native.TextSpec(entry["normalize"], entry["shingle"], "xxh3")
        sketch = _native.Sketch("fast", entry["size"], entry["seed"], entry["rounds"], tier)
        found = _native.survey([text], None, spec, sketch, bands, entry["rows"], 1)
        keys = _native.BandKeys(bands)
        keys.extend(found)
        expected = numbers(entry["keys"]) or [0] * bands
        assert [int(keys.column(band)[0]) for band in range(bands)] == expected, ascii(entry)
        low, high = found.raw[0].tolist()
        assert f"{high << 64 | low:032x}" == digests[text], ascii(text)


@pytest.mark.parametrize(("token", "expected"), GOLDEN["tokens"])
def test_tokens(token, expected):
    assert _native.hash_tokens([token], False).tolist() == [int(expected, 16)]
    if isinstance(token, int) and token >= 0:
        assert _native.hash_unsigned(np.array([token], np.uint64)).tolist() == [int(expected, 16)]
    elif isinstance(token, int):
        assert _native.hash_signed(np.array([token], np.int64)).tolist() == [int(expected, 16)]
    else:
        assert _native.hash_tokens([token.encode()], False).tolist() == [int(expected, 16)]
