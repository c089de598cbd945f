"""JSON Lines: rows, rejects with their places, kept rows byte for byte, every compression."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from io_files import COMPRESS, DECOMPRESS, copy, open_source, put, rejects, texts

from neardup.errors import DataError, UsageError
from neardup.io import FieldSpec

NASTY = (
    b'\xef\xbb\xbf{"text":"a", "n":1e400}\r\n'
    b"\r\n  \n"
    b' {"b":12345678901234567890,"text":"\\u00e9\\ud83d\\ude00","text":"last wins"}\n'
    b'{"text" : "x" , "text":"\\n"}\t\r\n'
    b'{"text":"end"}'
)


def test_rows_and_texts(tmp_path: Path) -> None:
    source = open_source(put(tmp_path / "a.jsonl", NASTY))
    assert texts(source) == ["a", "last wins", "\n", "end"]
    assert texts(source) == ["a", "last wins", "\n", "end"]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_kept_rows_are_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    source = open_source(put(tmp_path / f"a.jsonl{suffix}", COMPRESS[suffix](NASTY)))
    assert texts(source) == ["a", "last wins", "\n", "end"]
    data = DECOMPRESS[suffix](copy(source, tmp_path / "out"))
    assert data == NASTY.replace(b"\r\n  \n", b"", 1)
    data = DECOMPRESS[suffix](copy(source, tmp_path / "out", lambda row: row in (1, 3)))
    assert data == NASTY[:3] + b"\n".join(NASTY.split(b"\n")[3::2])
    data = DECOMPRESS[suffix](copy(source, tmp_path / "out", lambda row: False))
    assert data == NASTY[:3]


def test_a_last_row_gets_a_line_end_only_if_rows_follow(tmp_path: Path) -> None:
    import io

    import numpy as np

    from neardup.io import StreamTarget, open_writer

    one = open_source(put(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"text":"1"}\r\n{"text":"2"}'))
    two = open_source(put(tmp_path / "b.jsonl", b'\xef\xbb\xbf{"text":"3"}'))
    out = io.BytesIO()
    writer = open_writer(StreamTarget(out), one)
    for source in (one, two):
        for raw in source.rows():
            writer.write(raw, np.ones(raw.rows, bool))
    writer.commit()
    assert out.getvalue() == b'\xef\xbb\xbf{"text":"1"}\r\n{"text":"2"}\r\n{"text":"3"}'


def test_each_reject_names_its_place_and_what_to_do(tmp_path: Path) -> None:
    lines = [
        (b'{"text":"fine"}', None),
        (b"", None),
        (b'{"id":1,"body":"x"}', 'no field "text" (fields: id, body). Name the field with --text'),
        (b'{"text":null}', 'field "text" is null'),
        (b'{"text":5}', 'field "text" is a number, not a string'),
        (b'{"text":["a"]}', 'field "text" is an array, not a string'),
        (b'{"text":"a"', "not JSON: the line ends in the middle of a value"),
        (b'{"text":"a",}', "not JSON at byte 13, near '}'"),
        (b'{"text":"\xff"}', "not UTF-8 at byte 10 (0xff)"),
        (b'{"text":"\\ud800"}', r"half a surrogate pair (\ud800) at byte 10"),
        (b"[1]", "a JSON array, not an object. For one array of objects pass --format json"),
        (b"7", "a JSON value that is not an object"),
        (b'{"text":' + b"[" * 2000, "nested more than 1024 deep"),
    ]
    path = put(tmp_path / "a.jsonl", b"\n".join(line for line, _ in lines))
    source = open_source(path)
    found = rejects(source)
    assert len(found) == 11
    numbered = [(n, line, why) for n, (line, why) in enumerate(lines, 1) if why]
    for row, (reject, (number, line, why)) in enumerate(zip(found, numbered, strict=True), 1):
        assert (reject.row, reject.line, reject.raw) == (row, number, line)
        assert str(reject.error(path)).startswith(f"{path}:{number}: {why}")
    assert "raw_base64" in found[6].record(path)
    assert found[5].record(path)["raw"] == '{"text":"a",}'
    assert texts(source) == ["fine"] + [None] * 11


def test_advice_names_the_likely_field(tmp_path: Path) -> None:
    path = put(tmp_path / "data.jsonl", b'{"id":1,"body":"x"}\n')
    error = str(rejects(open_source(path, name="data.jsonl"))[0].error("data.jsonl"))
    assert error == (
        'data.jsonl:1: no field "text" (fields: id, body). '
        "Name the field with --text body, or pass --on-error skip."
    )


def test_ids_keys_and_several_fields(tmp_path: Path) -> None:
    rows = b"""{"id":1e400,"t":"a","m":{"b":"x"},"k":3}
{"id":"s","t":"b","m":{"b":"y"},"k":9007199254740993}
{"t":"c","m":{"b":"z"},"k":null}
"""
    source = open_source(put(tmp_path / "a.jsonl", rows))
    (batch,) = source.batches(FieldSpec(("t", "m.b"), "id", "k"))
    assert batch.texts.to_pylist() == ["a\nx", "b\ny", "c\nz"]
    assert batch.ids.to_pylist() == ["1e400", "s", None]
    assert batch.keys.to_pylist() == [3, 9007199254740993, None]
    assert batch.nbytes == 9
    assert [raw.ids.to_pylist() for raw in source.rows("id")] == [["1e400", "s", None]]


def test_a_line_larger_than_a_block(tmp_path: Path) -> None:
    long = "x" * (11 << 20)
    data = b"".join(json.dumps({"text": t}).encode() + b"\n" for t in ("a", long, "b", long, "c"))
    source = open_source(put(tmp_path / "a.jsonl.gz", COMPRESS[".gz"](data)))
    assert texts(source) == ["a", long, "b", long, "c"]
    assert DECOMPRESS[".gz"](copy(source, tmp_path / "o")) == data


def test_many_blocks_number_rows_and_lines(tmp_path: Path) -> None:
    random.seed(1)
    words = ["x" * random.randrange(200_000) for _ in range(200)]
    data = "".join(json.dumps({"text": w}) + "\n\n" for w in words) + "{bad"
    source = open_source(put(tmp_path / "a.jsonl", data.encode()))
    batches = list(source.batches(FieldSpec()))
    assert len(batches) > 3
    assert [t for b in batches for t in b.texts.to_pylist()] == [*words, None]
    assert [b.first_row for b in batches][:2] == [0, len(batches[0])]
    assert (batches[-1].rejected[0].row, batches[-1].rejected[0].line) == (200, 401)


@pytest.mark.parametrize("suffix", [s for s in COMPRESS if s])
def test_several_streams_and_truncation(tmp_path: Path, suffix: str) -> None:
    line = json.dumps({"text": random.Random(2).randbytes(50_000).hex()}).encode() + b"\n"
    whole = COMPRESS[suffix](line) + COMPRESS[suffix](line)
    assert len(texts(open_source(put(tmp_path / f"a.jsonl{suffix}", whole)))) == 2
    for cut in (1, 10, len(whole) // 4):
        path = put(tmp_path / f"cut.jsonl{suffix}", whole[:-cut])
        with pytest.raises(DataError, match="is cut short") as caught:
            texts(open_source(path))
        assert str(caught.value).startswith(path)
    path = put(tmp_path / f"not.jsonl{suffix}", b'{"text":"plain"}\n')
    with pytest.raises(DataError, match="cannot be read as"):
        texts(open_source(path))


def test_empty_and_blank_files_have_no_rows(tmp_path: Path) -> None:
    for data in (b"", b"\n", b" \r\n\n"):
        source = open_source(put(tmp_path / "a.jsonl", data))
        assert texts(source) == []
        assert copy(source, tmp_path / "o") == b""


def test_other_encodings(tmp_path: Path) -> None:
    rows = ['{"text":"中文“引号”"}', '{"text":"第二"}']
    data = "\r\n".join(rows).encode("gb18030")
    source = open_source(put(tmp_path / "a.jsonl", data), encoding="gb18030")
    assert texts(source) == ["中文“引号”", "第二"]
    assert copy(source, tmp_path / "o", lambda row: row == 0) == data[: data.index(b"\n") + 1]
    bad = open_source(put(tmp_path / "b.jsonl", b'{"text":"\xff"}\n' + data), encoding="gb18030")
    assert [(r.row, r.reason, r.raw) for r in rejects(bad)] == [
        (0, "not gb18030", b'{"text":"\xff"}')
    ]
    assert texts(bad)[1:] == ["中文“引号”", "第二"]
    with pytest.raises(UsageError, match="convert the file to UTF-8"):
        open_source(str(tmp_path / "a.jsonl"), encoding="utf-16")
    with pytest.raises(UsageError, match="unknown encoding"):
        open_source(str(tmp_path / "a.jsonl"), encoding="nonsense")


def test_a_file_that_changes_between_passes_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", b'{"text":"a"}\n')
    source = open_source(path)
    assert texts(source) == ["a"]
    put(tmp_path / "a.jsonl", b'{"text":"ab"}\n')
    with pytest.raises(DataError, match="changed while it was being read"):
        list(source.rows())
