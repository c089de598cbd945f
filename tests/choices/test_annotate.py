"""Every row kept with what was found, its own bytes untouched, in every format."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neardup
from neardup.errors import DataError, UsageError
from neardup.io import RawBatch, open_source
from neardup.io.annotate import annotated
from neardup.io.textrows import TextRows

FIELDS = ["keep", "cluster", "cluster_size", "kept_id", "similarity"]
NAMES = [f"neardup_{field}" for field in FIELDS]
A = "the ferry to the island leaves at eight and again at noon when the sea is calm enough"
B = "in the north of the country the apples are red and in the south of it they are yellow"
TEXTS = [A, B, f"{A} today", A.upper(), "alone"]


def run(path: Path, out: Path, **options: Any) -> bytes:
    neardup.dedup(path, out=out, annotate=True, **options)
    return out.read_bytes()


def test_json_lines_keep_every_byte(tmp_path: Path) -> None:
    rows = [
        b'\xef\xbb\xbf{"text": "%s", "id": 1, "id": "one"}\n' % A.encode(),
        b'  {"n":1e400,"text":"%s","id":"\xe4\xba\x8c"  }\t\r\n' % B.encode(),
        b"\n",
        b'{"id": 12345678901234567890, "o": {"a": {}}, "text": "%s today"}' % A.encode(),
    ]
    (tmp_path / "a.jsonl").write_bytes(b"".join(rows))
    out = run(tmp_path / "a.jsonl", tmp_path / "o.jsonl", id="id")
    notes = [
        '"neardup_keep": true, "neardup_cluster": 0, "neardup_cluster_size": 2, '
        '"neardup_kept_id": null, "neardup_similarity": null',
        '"neardup_keep": true, "neardup_cluster": null, "neardup_cluster_size": 1, '
        '"neardup_kept_id": null, "neardup_similarity": null',
        '"neardup_keep": false, "neardup_cluster": 0, "neardup_cluster_size": 2, '
        f'"neardup_kept_id": "one", "neardup_similarity": {16 / 17}',
    ]
    expected = [
        rows[0][:-2] + b", " + notes[0].encode() + b"}\n",
        rows[1][:-4] + b", " + notes[1].encode() + b"}\t\r\n",
        rows[3][:-1] + b", " + notes[2].encode() + b"}",
    ]
    assert out.splitlines(True) == expected


@pytest.mark.parametrize("line", [b"{}", b"{ }", b' {"a": 1 }  ', b'{"a": "}"}', b'{"a": {}}'])
def test_the_closing_brace_is_found(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "a.jsonl").write_bytes(line)
    source = open_source(str(tmp_path / "a.jsonl"))
    start, end = np.zeros(1, np.uint64), np.array([len(line)], np.uint64)
    raw = RawBatch(0, 1, TextRows(np.frombuffer(line, np.uint8), start, end, end))
    notes = pa.RecordBatch.from_pylist([{"x": "é"}])
    out = annotated(source, raw, np.array([True]), notes).data.raw(0)
    assert json.loads(out) == {**json.loads(line), "x": "é"}
    before, after = line.rsplit(b"}", 1)
    assert out.startswith(before)
    assert out.endswith(b"}" + after)


def test_every_member_of_a_cluster_is_recorded(tmp_path: Path) -> None:
    """The notes agree with the tables of the same run, row by row."""
    random.seed(4)
    families = [[f"w{random.randrange(99)}" for _ in range(40)] for _ in range(6)]
    texts = []
    for _ in range(200):
        words = list(random.choice(families))
        words[random.randrange(40)] = f"x{random.randrange(3)}"
        texts.append(" ".join(words))
    lines = [json.dumps({"text": text, "id": f"d{i}"}) for i, text in enumerate(texts)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    for cluster in ("star", "components"):
        out = tmp_path / cluster
        r = neardup.dedup(tmp_path / "a.jsonl", out=out, annotate=True, id="id", cluster=cluster)
        rows = [json.loads(line) for line in (out / "kept/a.jsonl").read_text().splitlines()]
        assert [row["text"] for row in rows] == texts
        assert [row["neardup_keep"] for row in rows] == r.keep.tolist()
        clusters = dict(zip(*(r.clusters[n].to_pylist() for n in ("row", "cluster")), strict=True))
        assert {i: row["neardup_cluster"] for i, row in enumerate(rows)} == {
            i: clusters.get(i) for i in range(200)
        }
        sizes = r.clusters["cluster"].to_pylist()
        for row in rows:
            number = row["neardup_cluster"]
            assert row["neardup_cluster_size"] == (1 if number is None else sizes.count(number))
        gone = {each["row"]: each for each in r.removed.to_pylist()}
        for i, row in enumerate(rows):
            partner = gone.get(i, {"kept_id": None, "similarity": None})
            assert row["neardup_kept_id"] == partner["kept_id"]
            assert row["neardup_similarity"] == partner["similarity"]
        counts = [r.summary[name] for name in ("documents", "kept", "removed")]
        assert counts == [200, r.keep.sum(), 200 - r.keep.sum()]


CELLS = st.text(st.sampled_from('a,;"\t \n\r中'), max_size=4)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6),
    st.sampled_from([("csv", ","), ("tsv", "\t")]),
    st.sampled_from([("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)]),
)
def test_csv_has_columns_more(
    tmp_path_factory: Any, cells: Any, kind: tuple[str, str], style: tuple[str, Any]
) -> None:
    """Read back by Python's csv module: the same fields, and the notes behind them."""
    (suffix, delimiter), (ending, quoting) = kind, style
    folder = tmp_path_factory.mktemp("csv")
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=ending, quoting=quoting)
    table = [["id", "text", "last"], *([f"{a}{i}", A, b] for i, (a, b) in enumerate(cells))]
    writer.writerows(table)
    data = buffer.getvalue().encode()
    (folder / f"a.{suffix}").write_bytes(data)
    out = run(folder / f"a.{suffix}", folder / f"o.{suffix}", id="id").decode()
    got = list(csv.reader(io.StringIO(out, newline=""), delimiter=delimiter))
    assert got[0] == [*table[0], *NAMES]
    single = len(cells) == 1
    first = ["true", "" if single else "0", str(len(cells)), "", ""]
    assert got[1] == [*table[1], *first]
    for row, before in zip(got[2:], table[2:], strict=True):
        assert row == [*before, "false", "0", str(len(cells)), table[1][0], "1.0"]


def test_csv_short_and_long_records(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'id,text,x,y\na,{A}\n"b,b",{B},1,2')
    out = run(path, tmp_path / "o.csv")
    assert out.decode() == (
        f"id,text,x,y,{','.join(NAMES)}\na,{A},,,true,,1,,\n" + f'"b,b",{B},1,2,true,,1,,'
    )
    path.write_text(f"id,text\na,{A},more\n")
    with pytest.raises(DataError, match="row 0: the record has 3 fields and the header 2"):
        run(path, tmp_path / "p.csv")
    assert not (tmp_path / "p.csv").exists()


def test_json_arrays(tmp_path: Path) -> None:
    rows = [{"text": text, "id": i, "nest": {"a": [1, {}]}} for i, text in enumerate(TEXTS)]
    (tmp_path / "a.json").write_text(json.dumps(rows, indent=1))
    got = json.loads(run(tmp_path / "a.json", tmp_path / "o.json", id="id"))
    assert [{name: row[name] for name in ("text", "id", "nest")} for row in got] == rows
    assert [[row[name] for name in NAMES] for row in got] == [
        [True, 0, 3, None, None],
        [True, None, 1, None, None],
        [False, 0, 3, "0", got[2]["neardup_similarity"]],
        [False, 0, 3, "0", 1.0],
        [True, None, 1, None, None],
    ]


def test_parquet_has_typed_columns_and_its_metadata(tmp_path: Path) -> None:
    schema = pa.schema(
        [("text", pa.string()), ("when", pa.timestamp("us", "Asia/Shanghai")), ("id", pa.int8())],
        {b"made by": b"hand"},
    )
    table = pa.table({"text": TEXTS, "when": [0] * 5, "id": range(5)}, schema)
    pq.write_table(table, tmp_path / "a.parquet", compression="gzip")
    run(tmp_path / "a.parquet", tmp_path / "o.parquet", id="id")
    got = pq.read_table(tmp_path / "o.parquet")
    assert got.select(table.column_names).equals(table, check_metadata=True)
    kinds = [pa.bool_(), pa.int64(), pa.int64(), pa.string(), pa.float64()]
    assert got.schema.types[3:] == kinds
    assert got.column_names[3:] == NAMES
    assert got["neardup_kept_id"].to_pylist() == [None, None, "0", "0", None]
    group = pq.ParquetFile(tmp_path / "o.parquet").metadata.row_group(0)
    assert {group.column(i).compression for i in range(8)} == {"GZIP"}


def test_a_dataset_saved_as_parquet_opens_with_its_columns_more(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    datasets.Dataset.from_dict({"text": TEXTS}).to_parquet(tmp_path / "a.parquet")
    run(tmp_path / "a.parquet", tmp_path / "o.parquet")
    again = datasets.Dataset.from_parquet(str(tmp_path / "o.parquet"), cache_dir=tmp_path / "cache")
    assert again["neardup_keep"][:] == [True, True, False, False, True]


def test_other_encodings_and_compression(tmp_path: Path) -> None:
    rows = [{"text": "你好，世界" * 9, "id": "甲"}, {"text": "你好，世界" * 9, "id": "乙"}]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("gb18030")
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines))
    out = run(tmp_path / "a.jsonl.gz", tmp_path / "o.jsonl.gz", id="id", encoding="gb18030")
    got = gzip.decompress(out)
    for line, before in zip(got.splitlines(), lines.splitlines(), strict=True):
        assert line.startswith(before[:-1])
    assert [json.loads(line)["neardup_kept_id"] for line in got.decode("gb18030").splitlines()] == [
        None,
        "甲",
    ]


def test_rows_set_aside_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": 3}\n' + json.dumps({"text": A}) + '\n{"text": \n')
    neardup.dedup(path, out=tmp_path / "out", annotate=True, on_error="skip")
    (line,) = (tmp_path / "out/kept/a.jsonl").read_text().splitlines()
    assert json.loads(line)["neardup_keep"] is True
    assert len((tmp_path / "out/rejected.jsonl").read_text().splitlines()) == 2


def test_the_other_side_counts_in_a_cluster_and_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "old.jsonl").write_text(json.dumps({"text": A, "id": "old"}))
    (tmp_path / "new.jsonl").write_text(json.dumps({"text": A, "neardup_keep": 0}))
    options: dict[str, Any] = {"against": tmp_path / "old.jsonl", "id": "id"}
    with pytest.raises(UsageError, match=r"new\.jsonl: row 0: a field \"neardup_keep\""):
        run(tmp_path / "new.jsonl", tmp_path / "o.jsonl", **options)
    # A field of that name on the other side, of which nothing is written, is no matter.
    options["against"], path = tmp_path / "new.jsonl", tmp_path / "old.jsonl"
    got = json.loads(run(path, tmp_path / "o.jsonl", **options))
    assert (got["neardup_keep"], got["neardup_cluster_size"]) == (False, 2)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.jsonl", '{"text": "a"}\n{"text": "b", "neardup_\\u006beep": 1}\n'),
        ("a.json", '[{"text": "a"}, {"neardup_cluster": null, "text": "b"}]'),
        ("a.csv", "text,neardup_kept_id\na,b\n"),
        ("a.tsv", "neardup_similarity\ttext\na\tb\n"),
    ],
)
def test_a_name_already_there(tmp_path: Path, name: str, data: str, neardup_cli: Any) -> None:
    path, out = tmp_path / name, tmp_path / f"out-{name}"
    path.write_text(data)
    done = neardup_cli(path, "-o", out, "--annotate")
    assert done.exit_code == 2
    assert (
        "is there already; give the added ones another beginning with --annotate-prefix"
        in done.stderr
    )
    assert not out.exists()
    assert neardup_cli(path, "-o", out, "--annotate", "--annotate-prefix", "d_").exit_code == 0
    assert "d_keep" in out.read_text()


def test_a_name_within_texts_and_nested_fields_is_no_clash(tmp_path: Path) -> None:
    row = {"text": f"{A} neardup_keep", "meta": {"neardup_keep": 1}}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    assert json.loads(run(tmp_path / "a.jsonl", tmp_path / "o.jsonl"))["neardup_keep"] is True


def test_an_annotated_file_is_an_input_again(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS)
    (tmp_path / "a.jsonl").write_text(lines)
    first = run(tmp_path / "a.jsonl", tmp_path / "o.jsonl")
    second = run(tmp_path / "o.jsonl", tmp_path / "p.jsonl", annotate_prefix="second_")
    for line, before in zip(second.splitlines(), first.splitlines(), strict=True):
        assert line.startswith(before[:-1])
        row = json.loads(line)
        assert [row[f"second_{field}"] for field in FIELDS] == [row[name] for name in NAMES]


def test_plain_text_has_no_fields(tmp_path: Path, neardup_cli: Any) -> None:
    (tmp_path / "a.txt").write_text(A)
    done = neardup_cli(tmp_path / "a.txt", "-o", tmp_path / "out", "--annotate")
    assert done.exit_code == 2
    assert "it has no fields" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "data"), [("a.jsonl", ""), ("a.json", "[]"), ("a.csv", "text\n"), ("b.csv", "")]
)
def test_empty_files(tmp_path: Path, name: str, data: str) -> None:
    (tmp_path / name).write_text(data)
    out = run(tmp_path / name, tmp_path / f"out-{name}").decode()
    assert out.strip() == (f"text,{','.join(NAMES)}" if data == "text\n" else data)
