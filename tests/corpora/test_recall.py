"""On real corpora with exact truth: what is listed is true, and what is true is found."""

from __future__ import annotations

import gzip
import json
import os
import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest

import neardup
from neardup import reference

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("NEARDUP_DATA", ROOT.parent / "shared" / "data"))
CORPORA = {
    "neardup-en-20k": ("j_w3", {}),
    "neardup-zh-10k": ("j_c3", {"shingle": "char:3", "normalize": "nfkc,casefold,remove-space"}),
}
RECALL = 0.95
ABOVE = 0.02
"""The bands are chosen for the recall at the threshold itself; so far above it there is more."""


class Corpus:
    """One corpus, its truth, and similarity by plain sets."""

    def __init__(self, name: str) -> None:
        self.path = DATA / f"{name}.docs.jsonl.gz"
        if not self.path.exists():
            pytest.skip(f"{self.path.name} is not part of the repository; set NEARDUP_DATA")
        self.column, self.options = CORPORA[name]
        self.lines = gzip.decompress(self.path.read_bytes()).splitlines(keepends=True)
        documents = [json.loads(line) for line in self.lines]
        self.texts = [document["text"] for document in documents]
        self.row = {document["id"]: i for i, document in enumerate(documents)}
        with gzip.open(DATA / f"{name}.pairs.tsv.gz", "rt", encoding="utf-8") as table:
            names = next(table).lstrip("# ").split()
            at = names.index(self.column)
            cells = [line.split() for line in table]
        self.truth = {(self.row[cell[0]], self.row[cell[1]]): float(cell[at]) for cell in cells}

    @cache  # noqa: B019 - a corpus lives as long as the module
    def shingles(self, row: int) -> frozenset[object]:
        """The shingle set, written without the product's hashes."""
        text = unicodedata.normalize("NFKC", self.texts[row]).casefold()
        if self.column == "j_c3":
            parts: object = "".join(text.split())
        else:
            parts = tuple(re.findall(r"\w+", text) if text.isascii() else reference.words(text))
        assert isinstance(parts, str | tuple)
        return frozenset(parts[i : i + 3] for i in range(max(len(parts) - 2, min(len(parts), 1))))

    def jaccard(self, a: int, b: int) -> float:
        """Exact similarity."""
        return len(self.shingles(a) & self.shingles(b)) / len(self.shingles(a) | self.shingles(b))

    def leaders(self) -> list[int]:
        """Each row's first row of equal text after normalisation."""
        first: dict[str, int] = {}
        steps = self.options.get("normalize", "nfkc,casefold,collapse-space")
        return [
            first.setdefault(reference.normalize(t, steps), i) for i, t in enumerate(self.texts)
        ]


@pytest.fixture(scope="module", params=CORPORA)
def corpus(request):
    return Corpus(request.param)


@pytest.fixture(scope="module", params=(0.7, 0.8))
def run(request, corpus, tmp_path_factory):
    """The answer at a threshold, and the folder it was written to."""
    out = tmp_path_factory.mktemp("out") / "answer"
    options = {"threshold": request.param, "recall": RECALL, **corpus.options}
    return request.param, neardup.dedup(str(corpus.path), out=str(out), **options), out


def rows(table, *names):
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


def test_every_pair_is_at_least_as_similar_as_asked(corpus, run):
    threshold, result, _ = run
    pairs = rows(result.pairs, "row_a", "row_b", "similarity")
    assert len(pairs) > 1000
    for a, b, similarity in pairs:
        assert similarity == corpus.jaccard(a, b) >= threshold, (a, b)


def test_every_removed_row_is_similar_to_a_kept_one(corpus, run):
    threshold, result, _ = run
    keep = result.keep
    removed = rows(result.removed, "row", "kept_row", "similarity")
    assert [row for row, _, _ in removed] == [i for i, stays in enumerate(keep) if not stays]
    for row, partner, similarity in removed:
        assert keep[partner]
        assert similarity >= threshold
        assert corpus.jaccard(row, partner) >= threshold, (row, partner)


def test_true_pairs_are_resolved(corpus, run):
    threshold, result, _ = run
    keep = result.keep
    true = [pair for pair, similarity in corpus.truth.items() if similarity >= threshold]
    both_kept = sum(bool(keep[a] and keep[b]) for a, b in true)
    assert len(true) > 1000
    assert 1 - both_kept / len(true) >= RECALL


def test_true_pairs_of_distinct_texts_are_listed(corpus, run):
    threshold, result, _ = run
    leader = corpus.leaders()
    found = {(a, b) for a, b in rows(result.pairs, "row_a", "row_b")}
    true = {
        (min(leader[a], leader[b]), max(leader[a], leader[b]))
        for (a, b), similarity in corpus.truth.items()
        if similarity >= threshold + ABOVE and leader[a] != leader[b]
    }
    assert len(true) > 1000
    assert len(true & found) / len(true) >= RECALL


def test_kept_rows_keep_their_bytes(corpus, run):
    _, result, out = run
    (kept,) = (out / "kept").iterdir()
    assert kept.name == corpus.path.name
    expected = [line for line, stays in zip(corpus.lines, result.keep, strict=True) if stays]
    assert gzip.decompress(kept.read_bytes()) == b"".join(expected)


def test_the_summary_balances(corpus, run):
    _, result, _ = run
    s = result.summary
    assert s["documents"] == len(corpus.texts) == s["kept"] + s["removed"] + s["rejected"]
    assert s["removed"] == s["exact_duplicates"] + s["near_duplicates"]
    assert s["exact_duplicates"] <= sum(leader != i for i, leader in enumerate(corpus.leaders()))
    assert s["pairs"] == len(result.pairs)
