"""Lookups on a real corpus: passages, neighbours and streams, against comparing everything."""

from __future__ import annotations

import gzip
import json
import os
import random
from pathlib import Path

import numpy as np
import pytest

from neardup import LSH, BloomStream, ContainmentIndex, Forest, MultiProbeLSH, _native, sketch

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("NEARDUP_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="module")
def texts() -> list[str]:
    path = DATA / "neardup-en-20k.docs.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not part of the repository; set NEARDUP_DATA")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def test_every_text_that_contains_a_passage_is_found(texts: list[str]) -> None:
    """Recall 1 against an index of other make: all shingles sorted, and counted by numpy."""
    random.seed(5)
    long = [text.split() for text in texts if len(text.split()) > 220]
    passages = []
    for _ in range(120):
        words, length = random.choice(long), random.randrange(30, 200)
        start = random.randrange(len(words) - length)
        part = words[start : start + length]
        for i in range(0, length, 25):
            part[i] = "changed"
        passages.append(" ".join(part))
    spec = _native.TextSpec("nfkc,casefold,collapse-space", "word:3", "xxh3")
    sets = [spec.set(text) for text in texts]
    values = np.concatenate(sets)
    order = np.argsort(values, kind="stable")
    owner = np.repeat(np.arange(len(texts)), [len(each) for each in sets])[order]
    values = values[order]
    found = ContainmentIndex(texts).query(passages, 0.7)
    total = 0
    for passage, answers in zip(passages, found, strict=True):
        asked = spec.set(passage)
        spans = zip(
            np.searchsorted(values, asked), np.searchsorted(values, asked, "right"), strict=True
        )
        counts = np.bincount(np.concatenate([owner[a:b] for a, b in spans]), minlength=len(texts))
        shares = counts / len(asked)
        best = np.lexsort([np.arange(len(texts)), -shares])
        assert answers == [(int(i), float(shares[i])) for i in best if shares[i] >= 0.7]
        total += len(answers)
    assert total > 300


def test_similar_neighbours_are_in_the_forests_answer(texts: list[str]) -> None:
    """Of the ten nearest those of estimate .3 or more: all but one in a hundred (docs/lookups.md)."""
    made = sketch(texts).matrix
    asked = np.arange(0, len(texts), 80)
    rest = np.delete(made, asked, axis=0)
    forest = Forest()
    forest.insert(rest)
    hits = wanted = 0
    for query, answers in zip(made[asked], forest.query(made[asked], 10), strict=True):
        estimates = (rest == query).mean(axis=1)
        least = max(np.sort(estimates)[-10], 0.3)
        wanted += min(int((estimates >= least).sum()), 10)
        hits += sum(estimate >= least for _, estimate in answers)
    assert wanted > 300
    assert hits / wanted > 0.99


def test_probes_find_what_bands_find_and_more(texts: list[str]) -> None:
    made = sketch(texts[:5000], runners_up=True)
    plain, probed = LSH(128, 9, 13), MultiProbeLSH(num_bands=9, rows=13)
    plain.insert(made)
    probed.insert(made)
    fewer, more = plain.query(made), probed.query(made)
    assert all(set(a) <= set(b) for a, b in zip(fewer, more, strict=True))
    assert sum(map(len, more)) > 1.1 * sum(map(len, fewer))


def test_a_stream_flags_what_an_index_of_its_kept_texts_finds(texts: list[str]) -> None:
    texts = texts[:4000]
    stream, index = BloomStream(4000, 1e-6), LSH(128, 13, 7)
    flags = stream.check_and_add(texts)
    for row, (flag, signature) in enumerate(zip(flags, sketch(texts).matrix, strict=True)):
        assert bool(index.query(signature)) == flag, row
        if not flag:
            index.insert(signature[None])
