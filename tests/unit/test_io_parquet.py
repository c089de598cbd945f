"""Parquet: any string type, nested fields, bounded batches; kept rows with schema and metadata."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from io_files import copy, open_source, put, rejects, texts

from neardup.errors import DataError
from neardup.io import FieldSpec, RawBatch


def table(rows: int = 10) -> pa.Table:
    zoned = [dt.datetime(2024, 1, 1, tzinfo=dt.UTC) + dt.timedelta(hours=n) for n in range(rows)]
    some = pa.array([None if n % 3 == 0 else f"s{n % 4}" for n in range(rows)])
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "text": [f"text {n}" for n in range(rows)],
            "tag": some.dictionary_encode(),
            "when": pa.array(zoned, pa.timestamp("ns", "Asia/Shanghai")),
            "nested": [{"a": [{"b": n}], "c": None if n % 2 else "x"} for n in range(rows)],
            "tiny": pa.array([n % 256 for n in range(rows)], pa.uint8()),
            "dec": pa.array(list(range(rows)), pa.decimal128(12, 3)),
        }
    ).replace_schema_metadata({"who": "we", "pandas": "{}"})


def write(path: Path, data: pa.Table, **options: Any) -> str:
    pq.write_table(data, path, **options)
    return str(path)


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int8(), pa.large_string()),
        pa.binary(),
    ],
    ids=str,
)
def test_every_string_type_is_text(tmp_path: Path, kind: pa.DataType) -> None:
    column = pa.array(["a", None, "中"]).cast(kind)
    source = open_source(write(tmp_path / "a.parquet", pa.table({"text": column})))
    assert texts(source) == ["a", None, "中"]
    (reject,) = rejects(source)
    assert (reject.row, reject.reason, reject.raw) == (1, 'field "text" is null', b'{"text": null}')
    copy(source, tmp_path / "o.parquet")
    assert pq.read_table(tmp_path / "o.parquet").equals(pq.read_table(tmp_path / "a.parquet"))


def test_kept_rows_keep_schema_and_metadata(tmp_path: Path) -> None:
    data = table(5000)
    path = write(
        tmp_path / "a.parquet", data, row_group_size=700, compression={"id": "zstd", "text": "gzip"}
    )
    source = open_source(path)
    copy(source, tmp_path / "o.parquet", lambda row: row % 7 != 0)
    data = pq.read_table(path)
    expected = data.filter(pa.array([row % 7 != 0 for row in range(5000)]))
    found = pq.read_table(tmp_path / "o.parquet")
    assert found.schema.equals(data.schema, check_metadata=True)
    assert found.equals(expected)
    meta = pq.ParquetFile(tmp_path / "o.parquet").metadata
    kinds = {
        meta.row_group(0).column(i).path_in_schema: meta.row_group(0).column(i).compression
        for i in range(2)
    }
    assert kinds == {"id": "ZSTD", "text": "GZIP"}
    assert max(meta.row_group(i).num_rows for i in range(meta.num_row_groups)) <= 700


def test_nested_dictionaries_and_old_timestamps(tmp_path: Path) -> None:
    inner = pa.StructArray.from_arrays(
        [pa.array(["x", "y", "x"]).dictionary_encode(), pa.array([1, 2, 3])], ["d", "n"]
    )
    when = pa.array([1000, 2000, 3000], pa.timestamp("ns"))
    data = pa.table({"text": ["a", "b", "c"], "s": inner, "when": when})
    path = write(
        tmp_path / "a.parquet", data, use_deprecated_int96_timestamps=True, row_group_size=1
    )
    source = open_source(path)
    copy(source, tmp_path / "o.parquet", lambda row: row != 1)
    found = pq.ParquetFile(tmp_path / "o.parquet")
    assert found.metadata.row_group(0).column(3).physical_type == "INT96"
    assert found.schema_arrow.equals(source.layout().schema)
    # Arrow cannot read nested dictionaries of several groups at once.
    rows = [found.read_row_group(group).to_pylist()[0] for group in range(2)]
    assert rows == [data.to_pylist()[0], data.to_pylist()[2]]


def test_nested_and_dotted_names(tmp_path: Path) -> None:
    rows = [{"b": {"c": "in"}}, {"b": None}, None, {"b": {"c": "end"}}]
    data = pa.table({"a": rows, "a.x": ["w", "x", "y", "z"], "n": [1, 2, 3, 4]})
    source = open_source(write(tmp_path / "a.parquet", data))
    assert texts(source, "a.b.c") == ["in", None, None, "end"]
    assert texts(source, "a.x") == ["w", "x", "y", "z"]
    assert texts(source, "a.x", "a.b.c") == ["w\nin", None, None, "z\nend"]
    (batch,) = source.batches(FieldSpec(("a.x",), id="n", key="n"))
    assert batch.ids.to_pylist() == ["1", "2", "3", "4"]
    assert batch.keys.to_pylist() == [1, 2, 3, 4]
    assert batch.nbytes == 4


def test_a_missing_or_wrong_column_rejects_its_rows(tmp_path: Path) -> None:
    source = open_source(write(tmp_path / "a.parquet", table(3)), name="a.parquet")
    assert texts(source, "body") == [None] * 3
    assert str(rejects(source, "body")[2].error("a.parquet")).startswith(
        'a.parquet: row 2: no field "body" (fields: id, text, tag, when, nested, tiny, dec). '
        "Name the field with --text text"
    )
    assert "is of type int64, not a string" in rejects(source, "id")[0].reason
    assert 'no field "nested.z"' in rejects(source, "nested.z")[0].reason


def test_invalid_utf8_in_a_string_column_is_rejected(tmp_path: Path) -> None:
    raw = pa.array([b"ok", b"\xff\xfe", b"fine"], pa.binary())
    bad = pa.StringArray.from_buffers(3, *raw.buffers()[1:], raw.buffers()[0])
    source = open_source(write(tmp_path / "a.parquet", pa.table({"text": bad})))
    assert texts(source) == ["ok", None, "fine"]
    assert [(r.row, r.reason) for r in rejects(source)] == [(1, 'field "text" is not UTF-8')]


def test_no_rows(tmp_path: Path) -> None:
    data = table(3).slice(0, 0)
    for number, options in enumerate(({}, {"row_group_size": 1})):
        path = write(tmp_path / f"{number}.parquet", data, **options)
        source = open_source(path)
        assert texts(source) == []
        copy(source, tmp_path / "o.parquet")
        assert pq.read_table(tmp_path / "o.parquet").equals(pq.read_table(path))
    path = write(tmp_path / "full.parquet", table(3))
    source = open_source(path)
    copy(source, tmp_path / "o.parquet", lambda row: False)
    assert pq.read_table(tmp_path / "o.parquet").schema.equals(
        pq.read_schema(path), check_metadata=True
    )


def test_large_rows_come_in_small_batches(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [rng.bytes(500_000).hex() for _ in range(40)]
    path = write(
        tmp_path / "a.parquet", pa.table({"text": rows}), compression="none", use_dictionary=False
    )
    batches = list(open_source(path).batches(FieldSpec()))
    assert [t for b in batches for t in b.texts.to_pylist()] == rows
    assert max(batch.nbytes for batch in batches) < 12 << 20
    assert [b.first_row for b in batches] == np.cumsum([0, *map(len, batches)])[:-1].tolist()


def test_what_is_no_parquet_file_says_so(tmp_path: Path) -> None:
    whole = Path(write(tmp_path / "a.parquet", table(1000))).read_bytes()
    for data in (b"", b"PAR1", whole[:-20], b"x" * 100):
        path = put(tmp_path / "bad.parquet", data)
        with pytest.raises(DataError, match="not a whole Parquet file") as caught:
            texts(open_source(path))
        assert "\n" not in str(caught.value)
        assert str(caught.value).startswith(path)
    broken = bytearray(whole)
    broken[100:4000] = bytes(3900)
    source = open_source(put(tmp_path / "bad.parquet", bytes(broken)))
    with pytest.raises(DataError, match="row group cannot be read"):
        list(source.rows())


def test_an_aborted_writer_leaves_nothing(tmp_path: Path) -> None:
    from neardup.io import AtomicFile, open_writer

    source = open_source(write(tmp_path / "a.parquet", table(3)))
    writer = open_writer(AtomicFile(tmp_path / "out" / "o.parquet"), source)
    batch = next(iter(source.rows()))
    assert isinstance(batch, RawBatch)
    writer.write(batch, np.ones(3, bool))
    writer.abort()
    writer.abort()
    assert list((tmp_path / "out").iterdir()) == []
