"""Every kind of collection goes in, and what stays comes back in the same kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import neardup
from neardup.errors import DataError, NeardupTypeError, UsageError

A = "the river rose in the night and took the old bridge with it, said the people of the town"
B = "our baker sells eleven kinds of bread and not one of them is as good as the one with nuts"
TEXTS = [A, A.upper(), B, A + " ", "short"]
STAY = [0, 2, 4]
KEPT = [TEXTS[row] for row in STAY]
TABLE = pa.table({"id": list("vwxyz"), "text": TEXTS, "n": [1, 2, 3, 4, 5]})


def rows(result: neardup.Result) -> list[int]:
    return result.keep.nonzero()[0].tolist()


@pytest.mark.parametrize(
    "make",
    [list, tuple, iter, lambda texts: (text for text in texts), lambda texts: map(str, texts)],
)
def test_texts_give_a_list(make: Any) -> None:
    result = neardup.dedup(make(TEXTS))
    assert rows(result) == STAY
    assert result.kept == KEPT
    assert result.kept == KEPT  # and again, although an iterator is used up


def test_an_iterator_that_begins_with_none_keeps_its_row_numbers() -> None:
    result = neardup.dedup(iter([None, A, A]), on_error="skip")
    assert result.keep.tolist() == [False, True, False]
    with pytest.raises(DataError, match="row 0: the text is null"):
        neardup.dedup(iter([None]))


def test_rows_without_any_column_are_no_texts() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(NeardupTypeError, match="of 3 rows has no columns"):
        neardup.dedup(pd.DataFrame(index=[1, 2, 3]))
    assert neardup.dedup(pd.DataFrame()).kept.empty


def test_runs_of_equal_values(tmp_path: Path) -> None:
    runs = pc.run_end_encode(pa.array(TEXTS))
    assert neardup.dedup(runs).kept.to_pylist() == KEPT
    table = pa.table({"text": runs, "n": pc.run_end_encode(pa.array([1, 1, 2, 3, 3]))})
    result = neardup.dedup(table, keep="max:n", id="n")
    assert rows(result) == [2, 3, 4]
    assert result.removed["id"].to_pylist() == ["1", "1"]
    with pytest.raises(NeardupTypeError, match="a column has no form in Parquet"):
        neardup.dedup(table, out=tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_numpy() -> None:
    for array in (np.array(TEXTS), np.array(TEXTS, object)):
        kept = neardup.dedup(array).kept
        assert isinstance(kept, np.ndarray)
        assert kept.tolist() == KEPT


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: TABLE, pa.Table),
        (lambda: TABLE.to_batches()[0], pa.RecordBatch),
        (lambda: TABLE.to_reader(2), pa.Table),
        (lambda: iter(TABLE.to_batches(2)), pa.Table),
        (lambda: [TABLE.slice(0, 2), TABLE.slice(2)], list),
        (lambda: TABLE["text"], pa.ChunkedArray),
        (lambda: TABLE["text"].combine_chunks(), pa.Array),
        (lambda: TABLE["text"].combine_chunks().cast(pa.string_view()), pa.Array),
        (lambda: TABLE["text"].combine_chunks().dictionary_encode(), pa.Array),
    ],
)
def test_pyarrow(make: Any, kind: type) -> None:
    result = neardup.dedup(make())
    assert rows(result) == STAY
    if kind is list:
        kind = pa.Table  # a list of tables is one collection
    kept = result.kept
    assert isinstance(kept, kind)
    assert (kept["text"] if hasattr(kept, "schema") else kept).to_pylist() == KEPT


def test_empty_collections_keep_their_kind() -> None:
    assert neardup.dedup([]).kept == []
    assert neardup.dedup(iter([])).kept == []
    assert neardup.dedup(TABLE.slice(0, 0)).kept == TABLE.slice(0, 0)
    assert neardup.dedup(TABLE.slice(0, 0).to_reader()).kept.schema == TABLE.schema


def test_pandas_frames_keep_their_index() -> None:
    pd = pytest.importorskip("pandas")
    index = pd.Index(["one", "two", "two", "four", "five"], name="key")
    frame = pd.DataFrame({"text": TEXTS, "n": range(5)}, index=index)
    result = neardup.dedup(frame)
    assert result.kept.index.tolist() == ["one", "two", "five"]
    assert result.kept.index.name == "key"
    pd.testing.assert_frame_equal(result.kept, frame.iloc[STAY])
    series = neardup.dedup(frame["text"]).kept
    pd.testing.assert_series_equal(series, frame["text"].iloc[STAY])


@pytest.mark.parametrize("dtype", ["object", "string", "category", "string[pyarrow]"])
def test_pandas_columns_of_every_kind_of_string(dtype: str) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"text": pd.Series([*TEXTS, None], dtype=dtype)})
    for data in (frame, frame["text"]):
        result = neardup.dedup(data, on_error="skip")
        assert rows(result) == STAY
        assert result.rejected["row"].to_pylist() == [5]
        assert type(result.kept) is type(data)


def test_pandas_columns_that_arrow_cannot_hold(tmp_path: Path) -> None:
    """Only the columns needed are read; a text that is no string is a bad row like any other."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "body": [*TEXTS, 7, float("nan")],
            "id": [1, "b", None, 4, 5, 6, 7],
            "odd": [1, "x", {}, *"abcd"],
        }
    )
    with pytest.raises(DataError, match="row 5: the text is of type int, not str"):
        neardup.dedup(frame, text="body")
    result = neardup.dedup(frame, text="body", id="id", on_error="skip")
    assert rows(result) == STAY
    assert result.removed["id"].to_pylist() == ["b", "4"]
    assert result.removed["kept_id"].to_pylist() == ["1", "1"]
    assert result.rejected["row"].to_pylist() == [5, 6]
    assert result.kept["odd"].tolist() == [1, {}, "b"]
    with pytest.raises(NeardupTypeError, match='column "id" holds values of several kinds'):
        neardup.dedup(frame, text="body", on_error="skip", out=tmp_path / "out")
    with pytest.raises(DataError, match=r'no field "text" \(fields: body, id, odd\).*text="body"'):
        neardup.dedup(frame)


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(TABLE)
    result = neardup.dedup(frame)
    assert result.kept.equals(frame[STAY])
    series = neardup.dedup(frame["text"]).kept
    assert isinstance(series, pl.Series)
    assert series.to_list() == KEPT
    assert rows(neardup.dedup(frame.with_columns(pl.col("text").cast(pl.Categorical)))) == STAY
    odd = frame.with_columns(pl.Series("odd", [object()] * 5, dtype=pl.Object))
    assert neardup.dedup(odd).kept["id"].to_list() == ["v", "x", "z"]
    with pytest.raises(NeardupTypeError, match=r"pass frame\.collect\(\)"):
        neardup.dedup(frame.lazy())


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.register("corpus", TABLE)
        result = neardup.dedup(connection.sql("select * from corpus order by id"))
        assert isinstance(result.kept, pa.Table)
        assert result.kept["text"].to_pylist() == KEPT
        assert result.kept.column_names == TABLE.column_names


@pytest.fixture
def datasets(tmp_path_factory: Any, monkeypatch: Any) -> Any:
    monkeypatch.setenv("HF_HOME", str(tmp_path_factory.mktemp("hf")))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return pytest.importorskip("datasets")


def test_datasets(datasets: Any) -> None:
    data = datasets.Dataset(datasets.table.InMemoryTable(TABLE))
    result = neardup.dedup(data, id="id")
    assert isinstance(result.kept, datasets.Dataset)
    assert result.kept["text"][:] == KEPT
    assert result.removed["kept_id"].to_pylist() == ["v", "v"]
    backwards = neardup.dedup(data.select([4, 3, 2, 1, 0]))
    assert backwards.kept["id"][:] == ["z", "y", "x"]
    assert neardup.dedup(data["text"]).kept == KEPT
    with pytest.raises(NeardupTypeError, match=r"holds several datasets \('train'\): pass one"):
        neardup.dedup(datasets.DatasetDict({"train": data}))


def test_iterable_datasets(datasets: Any) -> None:
    def examples() -> Any:
        for row in TABLE.to_pylist():
            yield {**row, "note": None if row["id"] < "y" else "late"}

    for data in (
        datasets.IterableDataset.from_generator(examples),
        datasets.Dataset(datasets.table.InMemoryTable(TABLE)).to_iterable_dataset(),
    ):
        result = neardup.dedup(data)
        assert rows(result) == STAY
        assert isinstance(result.kept, datasets.IterableDataset)
        assert [example["text"] for example in result.kept] == KEPT


EXPECTED = {
    "neardup_keep": [True, False, True, False, True],
    "neardup_cluster": [0, 0, None, 0, None],
    "neardup_cluster_size": [3, 3, 1, 3, 1],
    "neardup_kept_id": [None, "v", None, "v", None],
    "neardup_similarity": [None, 1.0, None, 1.0, None],
}


def noted(result: neardup.Result) -> dict[str, list[Any]]:
    kept = result.kept
    return {name: list(kept[name]) for name in EXPECTED}


def test_annotate_keeps_the_kind(datasets: Any) -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    options: dict[str, Any] = {"id": "id", "annotate": True}
    for data in (TABLE, TABLE.to_batches()[0], TABLE.to_reader()):
        kept = neardup.dedup(data, **options).kept
        assert isinstance(kept, pa.RecordBatch if isinstance(data, pa.RecordBatch) else pa.Table)
        assert {name: kept[name].to_pylist() for name in EXPECTED} == EXPECTED
    assert noted(neardup.dedup(pl.DataFrame(TABLE), **options)) == EXPECTED
    frame = pd.DataFrame(TABLE.to_pydict(), index=[9, 8, 7, 6, 5])
    kept = neardup.dedup(frame, **options).kept
    assert kept.index.tolist() == [9, 8, 7, 6, 5]
    shown = kept[list(EXPECTED)].astype(object)
    assert shown.where(shown.notna(), None).to_dict("list") == EXPECTED
    data = datasets.Dataset(datasets.table.InMemoryTable(TABLE))
    assert noted(neardup.dedup(data, **options)) == EXPECTED
    stream = neardup.dedup(data.to_iterable_dataset(), **options).kept
    assert [{name: each[name] for name in EXPECTED} for each in stream] == [
        dict(zip(EXPECTED, values, strict=True)) for values in zip(*EXPECTED.values(), strict=True)
    ]


def test_annotate_needs_fields_and_free_names() -> None:
    with pytest.raises(UsageError, match="it has no fields"):
        neardup.dedup(TEXTS, annotate=True)
    taken = TABLE.append_column("neardup_keep", pa.array([0] * 5))
    with pytest.raises(UsageError, match=r'"neardup_keep" is there already.*annotate_prefix'):
        neardup.dedup(taken, annotate=True)
    pd = pytest.importorskip("pandas")
    with pytest.raises(UsageError, match="neardup_keep"):
        neardup.dedup(pd.DataFrame(taken.to_pydict()), annotate=True)
    kept = neardup.dedup(taken, annotate=True, annotate_prefix="dup_").kept
    assert kept["dup_keep"].to_pylist() == EXPECTED["neardup_keep"]


def test_out_writes_the_folder_as_well(tmp_path: Path) -> None:
    result = neardup.dedup(TABLE, out=tmp_path / "out")
    assert pq.read_table(tmp_path / "out/kept/data.parquet").equals(result.kept)
    assert pq.read_table(tmp_path / "out/removed.parquet").equals(result.removed)
    assert pq.read_table(tmp_path / "out/pairs.parquet").equals(result.pairs)
    assert pq.read_table(tmp_path / "out/clusters.parquet").equals(result.clusters)
    assert json.loads((tmp_path / "out/summary.json").read_text()) == result.summary
    neardup.dedup(iter(TEXTS), out=tmp_path / "kept.parquet")
    assert pq.read_table(tmp_path / "kept.parquet")["text"].to_pylist() == KEPT


def test_paths_give_batches(tmp_path: Path) -> None:
    lines = [json.dumps({"text": text}).encode() for text in TEXTS]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    pq.write_table(TABLE, tmp_path / "b.parquet")
    for data in (str(tmp_path / "a.jsonl"), tmp_path / "a.jsonl", [tmp_path / "a.jsonl"]):
        kept = pa.Table.from_batches(neardup.dedup(data).kept)
        assert kept["raw"].to_pylist() == [lines[row] for row in STAY]
    kept = pa.Table.from_batches(neardup.dedup(tmp_path / "b.parquet").kept)
    assert kept["id"].to_pylist() == ["v", "x", "z"]
    with pytest.raises(NeardupTypeError, match="either paths"):
        neardup.dedup([tmp_path / "a.jsonl", "a text"])


def test_a_lone_column_has_no_field_to_name() -> None:
    with pytest.raises(DataError, match=r"row 0: the text is of type int64, not a string\. Leave"):
        neardup.dedup(pa.array([1, 2]))
    with pytest.raises(DataError, match=r"row 1: the text is not UTF-8\. Leave"):
        neardup.dedup(pa.array([b"a", b"\xff"]))


@pytest.mark.parametrize("data", [7, None, {"text": TEXTS}, b"text", object()])
def test_what_is_no_collection_of_texts(data: Any) -> None:
    with pytest.raises(NeardupTypeError):
        neardup.dedup(data)
