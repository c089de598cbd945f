"""The exact join on real corpora: every pair of the truth, and no other, under one tokenisation."""

from __future__ import annotations

import gzip
import json
import os
import re
import unicodedata
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

import neardup
from neardup import _native, reference

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("NEARDUP_DATA", ROOT.parent / "shared" / "data"))
HAN = {"shingle": "char:3", "normalize": "nfkc,casefold,remove-space"}
CORPORA = {
    "neardup-en-20k.docs": (3, 0.5, {}),
    "clang-docs-13-16": (2, 0.5, {}),
    "scancode-rules-a": (2, 0.7, {}),
    "tldr-revisions-a": (2, 0.5, {}),
    "neardup-zh-10k.docs": (3, 0.5, HAN),
    "zh-law-articles-a": (2, 0.5, HAN),
}
"""The column of the truth that holds the similarity, the threshold, and the text spec."""
DIGITS = 1e-6
"""The truth is written with so many digits."""


class Corpus:
    """One corpus and its truth."""

    def __init__(self, name: str) -> None:
        self.path = DATA / f"{name}.jsonl.gz"
        if not self.path.exists():
            pytest.skip(f"{self.path.name} is not part of the repository; set NEARDUP_DATA")
        column, self.threshold, self.options = CORPORA[name]
        documents = [
            json.loads(line) for line in gzip.decompress(self.path.read_bytes()).splitlines()
        ]
        self.texts = [document["text"] for document in documents]
        row = {document["id"]: i for i, document in enumerate(documents)}
        self.truth = {}
        with gzip.open(
            DATA / f"{name.removesuffix('.docs')}.pairs.tsv.gz", "rt", encoding="utf-8"
        ) as table:
            for line in table:
                cells = line.rstrip("\n").split("\t")
                if not line.startswith("#") and float(cells[column]) >= self.threshold - DIGITS:
                    self.truth[tuple(sorted((row[cells[0]], row[cells[1]])))] = float(cells[column])

    @cached_property
    def alike(self) -> list[bool]:
        """For each text whether both cut it into the same words."""
        return [self._tokenised_alike(row) for row in range(len(self.texts))]

    def _tokenised_alike(self, row: int) -> bool:
        """Whether the words of the truth, runs of `\\w`, are the words of the product."""
        if "shingle" in self.options:
            return True
        text = unicodedata.normalize("NFKC", self.texts[row]).casefold()
        return text.isascii() or reference.words(text) == re.findall(r"\w+", text)


@pytest.fixture(scope="module", params=CORPORA)
def corpus(request):
    return Corpus(request.param)


@pytest.fixture(scope="module")
def sets(corpus):
    """The shingle sets of all texts, one after the other."""
    steps = corpus.options.get("normalize", "nfkc,casefold,collapse-space")
    spec = _native.TextSpec(steps, corpus.options.get("shingle", "word:3"), "xxh3")
    found = [spec.set(text) for text in corpus.texts]
    length = np.array([len(each) for each in found], np.int64)
    return np.concatenate(found), np.cumsum(length) - length, length


def test_the_join_is_the_truth(corpus, sets):
    a, b, similarity = _native.exact_join(*sets, corpus.threshold, 1)
    for one, other in zip(
        _native.exact_join(*sets, corpus.threshold, 2), (a, b, similarity), strict=True
    ):
        assert np.array_equal(one, other)
    alike = np.array(corpus.alike)
    joined = alike[a] & alike[b]
    found = dict(
        zip(
            zip(a[joined].tolist(), b[joined].tolist(), strict=True),
            similarity[joined].tolist(),
            strict=True,
        )
    )
    truth = {(x, y): jaccard for (x, y), jaccard in corpus.truth.items() if alike[x] and alike[y]}
    assert len(truth) > 200
    assert len(truth) > 0.9 * len(corpus.truth)
    missing, extra = truth.keys() - found.keys(), found.keys() - truth.keys()
    # Only a similarity that its digits cannot place on one side of the threshold may differ.
    assert all(truth[pair] < corpus.threshold + DIGITS for pair in missing)
    assert all(found[pair] < corpus.threshold + DIGITS for pair in extra)
    for pair, jaccard in truth.items():
        assert pair in missing or abs(found[pair] - jaccard) <= DIGITS


def test_a_run_finds_all_of_it_and_bands_find_no_other(corpus):
    options = {"threshold": corpus.threshold, **corpus.options}
    exact = neardup.dedup(str(corpus.path), exact_join=True, **options)
    banded = neardup.dedup(str(corpus.path), **options)
    keys = ("row_a", "row_b", "similarity")
    all_pairs, some = (
        set(zip(*(run.pairs[key].to_pylist() for key in keys), strict=True))
        for run in (exact, banded)
    )
    assert some <= all_pairs
    leaders: dict[str, int] = {}
    steps = corpus.options.get("normalize", "nfkc,casefold,collapse-space")
    lead = [
        leaders.setdefault(reference.normalize(t, steps), i) for i, t in enumerate(corpus.texts)
    ]
    alike = corpus.alike
    true = {
        tuple(sorted((lead[a], lead[b])))
        for (a, b), jaccard in corpus.truth.items()
        if lead[a] != lead[b] and alike[a] and alike[b] and jaccard >= corpus.threshold + DIGITS
    }
    assert true <= {(a, b) for a, b, _ in all_pairs}
