"""Streams: dedup's answers one at a time and by batches, ages, files, whatever is no text."""

from __future__ import annotations

import gzip
import itertools
import json
import os
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from neardup import (
    DataError,
    Deduplicator,
    Match,
    NeardupTypeError,
    NeardupValueError,
    StreamingDeduplicator,
    dedup,
    jaccard,
    sketch,
)

DATA = Path(os.environ.get("NEARDUP_DATA", Path(__file__).parents[3] / "shared" / "data"))
BASE = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "the",
    "lazy",
    "dog",
    "and",
    "runs",
    "far",
    "away",
    "into",
    "the",
    "dark",
    "woods",
]


def made(n: int, seed: int = 0) -> list[str]:
    """Near-copies of a few texts, blanks and copies among them."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(n):
        words = [f"{word}{rng.integers(0, 4)}" if word == "fox" else word for word in BASE]
        for _ in range(rng.integers(0, 3)):
            words[rng.integers(0, len(words))] = f"w{rng.integers(0, 6)}"
        texts.append(" ".join(words) if rng.random() > 0.05 else " " * int(rng.integers(0, 3)))
    return texts


OPTIONS = [
    {"threshold": 0.6, "recall": 0.999},
    {"threshold": 0.8, "shingle": "char:4", "bands": 40, "rows": 3},
    {"threshold": 0.7, "verify": "sketch", "size": 64, "seed": 7},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_the_same_texts_stay_as_of_one_dedup(options: dict) -> None:
    texts = made(400)
    expected = dedup(texts, **options).keep
    assert 5 < expected.sum() < 300
    stream = StreamingDeduplicator(**options)
    assert [stream.check_and_add(i, t) is None for i, t in enumerate(texts)] == expected.tolist()
    for cut in (1, 7, 400):
        run = Deduplicator(**options)
        masks = [run.add(texts[at : at + cut]) for at in range(0, 400, cut)]
        assert np.concatenate(masks).tolist() == expected.tolist()
        assert (run.stats.documents, run.stats.unique) == (400, expected.sum())
        assert run.stats.removed == 400 - expected.sum()


@pytest.mark.parametrize("name", ["neardup-en-20k.docs", "zh-law-articles-a"])
def test_real_texts_stay_as_of_one_dedup(name: str) -> None:
    path = DATA / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not there; set NEARDUP_DATA")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in itertools.islice(lines, 5000)]
    found = Deduplicator().add(texts)
    assert found.tolist() == dedup(texts).keep.tolist()


def test_the_best_match_and_of_equals_the_earliest() -> None:
    stream = StreamingDeduplicator(threshold=0.3, recall=0.9999)
    texts = {
        "half": " ".join(BASE[:10]),
        7: " ".join(BASE[:14]),
        b"same": " ".join(BASE[:14]).upper(),
        "far": "nothing of the kind at all is said here",
    }
    for id, text in texts.items():
        stream.add(id, text)
    text = " ".join(BASE[:15])
    assert stream.check("new", text) == Match(7, jaccard(text, texts[7]))
    assert stream.check(7, texts[7]) == (b"same", 1.0)
    stream.remove(7)
    assert stream.check("new", text).id == b"same"
    stream.remove(b"same")
    assert stream.check("new", text) == ("half", jaccard(text, texts["half"]))
    assert "half" in stream
    assert 7 not in stream
    assert [] not in stream
    assert len(stream) == 2


def test_blank_texts_match_only_themselves() -> None:
    stream = StreamingDeduplicator()
    stream.add(1, "")
    assert stream.check(2, " ") is None
    assert stream.check(2, "") == (1, 1.0)
    assert dedup(["", " ", ""]).keep.tolist() == Deduplicator().add(["", " ", ""]).tolist()


def test_the_oldest_leave_first() -> None:
    texts = [f"text number {i} of many that are not alike {i * i}" for i in range(10)]
    by_count = StreamingDeduplicator(max_documents=3)
    by_age = StreamingDeduplicator(max_age=2.5)
    for i, text in enumerate(texts):
        by_count.add(i, text, at=float(i))
        by_age.add(i, text, at=float(i))
    for stream in (by_count, by_age):
        assert [i for i in range(10) if i in stream] == [7, 8, 9]
        assert len(stream) == 3
        assert stream.check("new", texts[6]) is None
        assert stream.check("new", texts[7], at=9.0) == (7, 1.0)
        stream.add(6, texts[6], at=9.5)
    # Time passes without an addition too; a copy that came later is still young.
    assert by_age.check("new", texts[8], at=10.4) == (8, 1.0)
    assert by_age.check("new", texts[8], at=10.6) is None
    by_age.add("again", texts[8], at=10.0)
    assert by_age.check("new", texts[8], at=10.6) == ("again", 1.0)


@pytest.mark.parametrize("options", OPTIONS)
def test_save_and_load(tmp_path: Path, options: dict) -> None:
    texts, others = made(120), made(60, seed=1)
    stream = StreamingDeduplicator(max_documents=100, max_age=1000.0, **options)
    ids = [i if i % 3 else f"{i}" if i % 2 else b"%d" % i for i in range(120)]
    stream.add_many(ids, texts, at=5.0)
    stream.remove(ids[50])
    stream.save(tmp_path / "a.stream")
    found = StreamingDeduplicator.load(tmp_path / "a.stream")
    assert repr(found) == repr(stream)
    for text in others + texts:
        assert found.check("x", text, at=6.0) == stream.check("x", text, at=6.0)
    assert found.check("x", texts[119], at=1006.0) is None
    for each in (stream, found):
        each.add_many(range(1000, 1060), others, at=7.0)
    for path, each in ((tmp_path / "b", stream), (tmp_path / "c", found)):
        each.save(path)
    assert (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()
    assert len(found) == 100


def test_a_file_of_other_making_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from neardup import streaming

    StreamingDeduplicator().save(tmp_path / "a")
    monkeypatch.setattr(streaming, "_identity", lambda _: "another")
    with pytest.raises(DataError, match=r"made by \[fast/1 .*\], this program makes \[another\]"):
        StreamingDeduplicator.load(tmp_path / "a")


def test_many_are_added_or_none() -> None:
    stream = StreamingDeduplicator()
    stream.add("a", "some text")
    for ids, complaint in (
        (["b", "a"], "'a' is there already"),
        (["b", "b"], "'b' comes twice"),
        (["b"], "1 keys were given for 2 rows"),
    ):
        with pytest.raises(NeardupValueError, match=complaint):
            stream.add_many(ids, ["one", "two"])
    with pytest.raises(NeardupTypeError, match="row 1: a text is a str"):
        stream.add_many(["b", "c"], ["one", 2])
    assert len(stream) == 1
    assert "b" not in stream
    stream.add_many(["b", "c"], pa.chunked_array([["one"], ["two"]]))
    assert stream.check("x", "two") == ("c", 1.0)
    stream.add_many([], [])
    assert len(stream) == 3


@pytest.mark.parametrize(
    ("call", "kind", "complaint"),
    [
        (lambda s: s.add("a", "again"), NeardupValueError, "id 'a' is there already"),
        (lambda s: s.check_and_add("a", "again"), NeardupValueError, "is there already"),
        (lambda s: s.add("b", b"bytes"), NeardupTypeError, "text must be a str, got bytes"),
        (lambda s: s.check("b", None), NeardupTypeError, "text must be a str, got NoneType"),
        (lambda s: s.check("b", "\udc80"), NeardupValueError, "lone surrogate"),
        (lambda s: s.add("b", "\udc80"), NeardupValueError, "lone surrogate"),
        (lambda s: s.add([], "text"), NeardupTypeError, "cannot be looked up"),
        (lambda s: s.check({}, "text"), NeardupTypeError, "cannot be looked up"),
        (lambda s: s.check("b", "text", at="now"), NeardupTypeError, "at must be a number"),
        (lambda s: s.add("b", "text", at=float("nan")), NeardupValueError, "must be a finite"),
        (lambda s: s.remove("b"), NeardupValueError, "no document 'b' to remove"),
    ],
)
def test_bad_calls_change_nothing(call: object, kind: type, complaint: str) -> None:
    stream = StreamingDeduplicator()
    stream.add("a", "a text")
    with pytest.raises(kind, match=complaint):
        call(stream)
    assert len(stream) == 1
    stream.add("b", "another")
    assert len(stream) == 2


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"threshold": 0}, "threshold: 0 is not allowed"),
        ({"verify": "none"}, "a stream verifies"),
        ({"preset": "short"}, "guards numbers"),
        ({"keep": "last"}, "keep: is an option of dedup"),
        ({"treshold": 1}, "did you mean threshold"),
        ({"max_documents": 0}, "max_documents must be from 1"),
        ({"max_age": 0}, "max_age must be above 0"),
        ({"max_age": "1h"}, "max_age must be a number"),
    ],
)
def test_bad_options(options: dict, complaint: str) -> None:
    with pytest.raises((NeardupValueError, NeardupTypeError), match=complaint):
        StreamingDeduplicator(**options)


def test_batches_of_every_kind() -> None:
    texts = ["one and the same text", "something else", "One and the SAME text"]
    table = pa.table({"body": texts, "n": [1, 2, 3]})
    chunked = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    for batch in (texts, iter(texts), table["body"], table, chunked, pl.DataFrame(table)):
        run = Deduplicator(text="body")
        assert run.add(batch).tolist() == [True, True, False]
    assert run.add([]).tolist() == []
    assert run.stats.clusters == 1
    assert "3 documents, 2 unique, 1 removed (33.3%) in 1 clusters" in repr(run)
    for bad, complaint in (
        (pa.table({"n": ["a"]}), "no column 'body' but n"),
        ("one text", "a collection of texts"),
        ([1], "row 0: a text is a str"),
        (pa.array(["a", None]), "row 1: the text is null"),
    ):
        with pytest.raises((NeardupTypeError, NeardupValueError), match=complaint):
            run.add(bad)
    assert run.stats.documents == 3


def test_bytes_a_document() -> None:
    """What the notes of `StreamingDeduplicator` say, but for ids."""
    rng = np.random.default_rng(1)
    texts = [" ".join(map(str, row)) for row in rng.integers(0, 10**6, (20_000, 52))]
    shingles = sketch(texts[:100]).counts.mean()
    for verify, content in (("exact", 8 * shingles), ("sketch", 512)):
        stream = StreamingDeduplicator(verify=verify)
        stream.add_many(range(len(texts)), texts)
        assert 200 < stream.nbytes / len(texts) - content < 450


@pytest.mark.parametrize(
    "options", [{"stem": "en"}, {"stopwords": "en"}, {"fraction": 0.5}, {"hash": "xxh64"}]
)
def test_every_option_of_a_text_is_taken_and_kept(
    options: dict[str, object], tmp_path: Path
) -> None:
    text = " ".join(f"boats{i} running in the harbour {i}" for i in range(40))
    other = text.replace("running in the harbour 7 ", "runs to harbours 7 ")
    options |= {"shingle": "word:1", "threshold": 0.5}
    stream = StreamingDeduplicator(**options)
    stream.add("a", text)
    expected = jaccard(text, other, **{k: v for k, v in options.items() if k != "threshold"})
    assert stream.check("b", other) == Match("a", expected)
    stream.save(tmp_path / "stream")
    assert StreamingDeduplicator.load(tmp_path / "stream").check("b", other) == Match("a", expected)
    batches = Deduplicator(**options)
    assert batches.add([text, other]).tolist() == dedup([text, other], **options).keep.tolist()


def test_a_keyed_hash_is_refused_without_asking_for_a_key() -> None:
    with pytest.raises(
        NeardupValueError, match="hash: siphash is keyed, and Deduplicator keeps no"
    ):
        Deduplicator(hash="siphash")


def test_texts_of_which_a_fraction_leaves_nothing_are_equal_as_in_dedup() -> None:
    texts = ["One text", "one TEXT", "...", "...", "Another", "?"]
    run, options = Deduplicator(fraction=1e-9), {"fraction": 1e-9}
    with pytest.warns(UserWarning, match=r"raise fraction, or leave it out"):
        expected = dedup(texts, **options).keep.tolist()
    assert run.add(texts).tolist() == expected
    assert run.stats.documents - run.stats.unique == 2
