"""What a caller from Python got wrong is an error of ours: what, the value seen, what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import neardup
from neardup import (
    LSH,
    BloomStream,
    ContainmentIndex,
    Forest,
    MultiProbeLSH,
    NeardupError,
    NeardupTypeError,
    NeardupValueError,
    Signatures,
)


@pytest.mark.parametrize("call", [
    LSH.load, Signatures.load, LSH().save, neardup.sketch(["a"]).save,
    Forest.load, Forest().save, MultiProbeLSH.load, MultiProbeLSH().save,
    BloomStream.load, BloomStream(9).save, ContainmentIndex.load, ContainmentIndex().save,
])  # fmt: skip
def test_a_path_that_is_none(call: Any) -> None:
    for path in (None, 3, 1.5):
        with pytest.raises(NeardupTypeError, match=f"path: {path!r} is a .*; give a str or a path"):
            call(path)
    for path in ("", "a\0b", "a\ud800"):
        with pytest.raises(NeardupValueError, match="cannot name a file; give another name"):
            call(path)


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        ({"n": -1}, NeardupValueError, "n: -1 is not allowed; use a whole number from 0"),
        ({"n": 1.5}, NeardupTypeError, "n: 1.5 is not allowed"),
        ({"n": None}, NeardupTypeError, "n: None is not allowed"),
        ({"near": float("nan")}, NeardupValueError, "near: nan is not allowed; use a number from"),
        ({"near": 10**400}, NeardupValueError, "near: 1000"),
        ({"near": "x"}, NeardupValueError, "near: 'x' is not allowed"),
    ],
)
def test_samples(arguments: dict[str, Any], kind: type[Exception], said: str) -> None:
    r = neardup.dedup(["one text", "one text"])
    with pytest.raises(kind, match=said):
        r.sample(**arguments)
    assert r.sample(0) == []
    assert len(r.sample(1, near=0)) == 1


@pytest.mark.parametrize(
    "value", [10**400, 10**5000, float("nan"), float("inf")], ids=["large", "huge", "nan", "inf"]
)
def test_numbers_beyond_all_bounds_are_shown_short(value: float) -> None:
    for call in (
        lambda: neardup.dedup(["a"], threshold=value),
        lambda: neardup.match(["a"], ["b"], value),
        lambda: neardup.explain(value),
        lambda: neardup.dedup(["a"]).rethreshold(value),
    ):
        with pytest.raises(
            NeardupValueError, match=r"^threshold: .* is not allowed; use"
        ) as caught:
            call()
        assert len(str(caught.value)) < 150


def test_an_array_of_no_dimension() -> None:
    with pytest.raises(NeardupTypeError, match=r"without any dimension.*pass a list of texts"):
        neardup.dedup(np.array("x"))


def batches(*tables: dict[str, Any]) -> Iterator[pa.RecordBatch]:
    for table in tables:
        yield pa.record_batch(table)


@pytest.mark.parametrize(
    ("later", "said"),
    [
        ({"body": ["b"]}, "batch 1 has the columns body, and the first one had text"),
        ({"text": ["b"], "n": [1]}, "batch 1 has the columns text, n, and the first"),
        ({"text": [7]}, 'batch 1: column "text" is of type int64, and in the first batch of type'),
    ],
)
def test_batches_whose_schema_changes(later: dict[str, Any], said: str) -> None:
    with pytest.raises(NeardupError, match=said):
        neardup.dedup(batches({"text": ["a"]}, later))
    schema = pa.schema([("text", pa.string())])
    reader = pa.RecordBatchReader.from_batches(schema, batches({"text": ["a"]}, later))
    with pytest.raises(NeardupError, match=said):
        neardup.dedup(reader)


def test_batches_of_other_widths_are_one_table() -> None:
    def mixed() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"text": ["a b"], "n": pa.array([1], pa.int64())})
        yield pa.record_batch(
            {"text": pa.array(["a b"], pa.large_string()), "n": pa.array([2], pa.int32())}
        )

    assert neardup.dedup(mixed()).kept.to_pydict() == {"text": ["a b"], "n": [1]}

    def not_only_batches() -> Iterator[Any]:
        yield from mixed()
        yield "a text"

    with pytest.raises(NeardupTypeError, match="batch 2 is a str, and the first item was a batch"):
        neardup.dedup(not_only_batches())


def test_an_input_without_a_name() -> None:
    with pytest.raises(NeardupError, match="named '', which no file is; name a file, a folder"):
        neardup.dedup("")


def test_advice_is_in_keywords(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": 1, "body": "one text"}) + "\n")
    advice = 'Name the field with text="body", or pass on_error="skip".'
    for call in (neardup.dedup, lambda p: neardup.match(["a"], p)):
        with pytest.raises(neardup.DataError) as caught:
            call(path)
        assert str(caught.value) == f'{path}:1: no field "text" (fields: id, body). {advice}'
    assert neardup.dedup(path, text="body", out=tmp_path / "out").summary["kept"] == 1
    with pytest.raises(NeardupError, match="add overwrite=True to replace what is in it"):
        neardup.dedup(path, text="body", out=tmp_path / "out")


def test_a_field_is_offered_only_where_one_is_likely(tmp_path: Path) -> None:
    scores = pa.table({"row_a": [1], "row_b": [2], "similarity": [0.5]})
    with pytest.raises(NeardupError, match=r"similarity\)\. Name the fields with text, or"):
        neardup.dedup(scores)
    with pytest.raises(NeardupError, match='Name the field with text="content"'):
        neardup.dedup(pa.table({"content": ["a"], "score": [1]}))


def test_a_priority_that_names_no_source(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.jsonl", "b.jsonl")]
    for path in paths:
        path.write_text('{"text": "one text"}\n')
    with pytest.warns(
        UserWarning, match=r"priority: 'nope' names no source; the sources are '.*a\.j"
    ):
        neardup.dedup(paths, keep=f"priority:nope,{paths[1]}")
    with pytest.warns(UserWarning, match=r"'nope' names no source; the sources are the data;"):
        neardup.dedup(["a"], keep="priority:nope")
    assert neardup.dedup(paths, keep=f"priority:{tmp_path}/").summary["kept"] == 1


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".txt"])
@pytest.mark.parametrize("name", ["gzip", "zstd", "bzip2", "xz"])
def test_compressed_data_under_a_plain_name(tmp_path: Path, suffix: str, name: str) -> None:
    import bz2
    import gzip
    import lzma

    data = b'{"text": "one"}\n' * 50
    packed = {
        "gzip": gzip.compress(data),
        "zstd": pa.compress(data, codec="zstd", asbytes=True),
        "bzip2": bz2.compress(data),
        "xz": lzma.compress(data),
    }[name]
    path = tmp_path / f"a{suffix}"
    path.write_bytes(packed)
    ending = {"gzip": "gz", "zstd": "zst", "bzip2": "bz2", "xz": "xz"}[name]
    with pytest.raises(NeardupError, match=f"compressed by {name}, but not named so") as caught:
        neardup.dedup(path)
    assert f".{ending}" in str(caught.value)


def test_an_id_field_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "one", "id": 1}\n' * 3, encoding="utf-8")
    with pytest.warns(UserWarning, match='field "no", so that the tables have no ids; name .* id'):
        neardup.dedup(path, id="no")
    assert neardup.dedup(path, id="id").removed["id"].to_pylist() == ["1", "1"]


def test_a_callable_that_makes_no_bars() -> None:
    for progress, said in ((print, "makes no bars"), (lambda **_: 3, "makes a int, which has no")):
        with pytest.raises(NeardupTypeError, match=said):
            neardup.dedup(["a", "a"], progress=progress)


@pytest.mark.parametrize(
    "call",
    [
        lambda: LSH(num_perm=np.array("x")),
        lambda: neardup.UnionFind(3).find(np.array([1, 2])),
        lambda: neardup.sketch(["a"]).pack(np.array("x")),
        lambda: neardup.ShardedLSH(2).insert(None, ["a"]),
        lambda: neardup.ShardedLSH(2).merge(1),
        lambda: Signatures.concat(None),
        lambda: Signatures.concat(["x"]),
    ],
)
def test_what_is_of_no_use_is_refused_in_our_words(call: Any) -> None:
    with pytest.raises(NeardupError):
        call()


def test_names_with_a_lone_surrogate() -> None:
    with pytest.raises(NeardupValueError, match="unknown sketch"):
        neardup.Sketcher("\ud800")
    with pytest.raises(NeardupValueError, match=r"hash_key_file: .* cannot name a file"):
        neardup.jaccard("a", "b", hash="siphash", hash_key_file="\ud800")


def test_signatures_are_no_fingerprints(tmp_path: Path) -> None:
    neardup.sketch(["a b c"]).save(tmp_path / "s")
    neardup.simhash(["a b c"]).save(tmp_path / "f")
    with pytest.raises(neardup.DataError, match=r"signatures of \[fast/1 .*, no fingerprints"):
        neardup.Fingerprints.load(tmp_path / "s")
    for kind in (Signatures, neardup.Fingerprints):
        assert type(kind.load(tmp_path / "f")) is neardup.Fingerprints
