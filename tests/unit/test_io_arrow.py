"""Collections in memory: every kind that speaks Arrow, lists with bad items, several passes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from io_files import rejects, texts

from neardup.errors import NeardupTypeError
from neardup.io import AtomicFile, FieldSpec, open_memory, open_writer

WORDS = ["a", "中", "c"]


class Stream:
    def __init__(self, data: Any) -> None:
        self._data = data

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._data.__arrow_c_stream__(requested_schema)


class Whole:
    def __init__(self, data: Any) -> None:
        self._data = data

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._data.__arrow_c_array__(requested_schema)


TABLE = pa.table({"id": [1, 2, 3], "text": WORDS})
BATCH = TABLE.to_batches()[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: WORDS,
        lambda: tuple(WORDS),
        lambda: (word for word in WORDS),
        lambda: np.array(WORDS),
        lambda: np.array(WORDS, object),
        lambda: pa.array(WORDS),
        lambda: pa.array(WORDS).dictionary_encode(),
        lambda: pa.chunked_array([WORDS[:1], WORDS[1:]]),
        lambda: TABLE,
        lambda: BATCH,
        lambda: TABLE.to_reader(),
        lambda: iter([BATCH.slice(0, 1), BATCH.slice(1)]),
        lambda: [TABLE.slice(0, 2), TABLE.slice(2)],
        lambda: Stream(TABLE),
        lambda: Stream(pa.chunked_array([WORDS])),
        lambda: Whole(BATCH),
        lambda: Whole(pa.array(WORDS)),
    ],
)
def test_every_kind_is_read_more_than_once(make: Any) -> None:
    source = open_memory(make())
    assert source.name == ""
    assert texts(source) == WORDS
    assert texts(source) == WORDS
    assert sum(raw.rows for raw in source.rows()) == 3


def test_dictionaries_that_change_are_spooled() -> None:
    batches = [
        pa.record_batch({"text": pa.array([word] * 3).dictionary_encode()}) for word in WORDS
    ]
    assert texts(open_memory(iter(batches))) == [word for word in WORDS for _ in range(3)]


def test_items_that_are_no_text_are_rejected() -> None:
    source = open_memory(["a", None, 5, "\ud800", np.str_("b"), b"c"])
    assert texts(source) == ["a", None, None, None, "b", None]
    assert [str(reject.error("")) for reject in rejects(source)][:2] == [
        'row 1: the text is null. Leave it out, or pass on_error="skip".',
        'row 2: the text is of type int, not str. Leave it out, or pass on_error="skip".',
    ]
    assert "half a surrogate pair at character 0" in rejects(source)[2].reason
    assert [reject.row for reject in rejects(open_memory([None, "a"]))] == [0]


def test_ids_and_nothing_at_all() -> None:
    (batch,) = open_memory(TABLE).batches(FieldSpec(id="id"))
    assert batch.ids.to_pylist() == ["1", "2", "3"]
    for nothing in ([], iter([]), pa.array([], pa.string()), TABLE.slice(0, 0)):
        assert texts(open_memory(nothing)) == []


@pytest.mark.parametrize("data", ["one", b"one", Path("x"), {"a": "b"}, 7, None])
def test_what_is_no_collection_is_a_type_error(data: Any) -> None:
    with pytest.raises(NeardupTypeError):
        open_memory(data)


def test_a_spool_goes_with_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gc
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    source = open_memory(TABLE.to_reader())
    assert len(list(tmp_path.iterdir())) == 1
    del source
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_rows_in_memory_are_written_as_parquet(tmp_path: Path) -> None:
    def some() -> Iterator[pa.RecordBatch]:
        yield from TABLE.to_batches(max_chunksize=1)

    source = open_memory(some())
    writer = open_writer(AtomicFile(tmp_path / "o.parquet"), source)
    for raw in source.rows():
        writer.write(raw, np.arange(raw.first_row, raw.first_row + raw.rows) != 1)
    writer.commit()
    assert pq.read_table(tmp_path / "o.parquet").equals(TABLE.take([0, 2]))
