"""CSV, TSV, plain text and JSON arrays: what a row is, and that kept rows are the same bytes."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import pytest
from io_files import COMPRESS, DECOMPRESS, copy, open_source, put, rejects, texts

from neardup.errors import DataError, UsageError
from neardup.io import FieldSpec

CSV = b'\xef\xbb\xbfid,text,n\r\n1,"a, ""b""\r\nc",5\r\n\r\n2,plain,\r\n3\r\n4,"end",7'


@pytest.mark.parametrize("suffix", COMPRESS)
def test_csv_records(tmp_path: Path, suffix: str) -> None:
    source = open_source(put(tmp_path / f"a.csv{suffix}", COMPRESS[suffix](CSV)))
    (batch,) = source.batches(FieldSpec(("text",), "id", "n"))
    assert batch.texts.to_pylist() == ['a, "b"\r\nc', "plain", None, "end"]
    assert batch.ids.to_pylist() == ["1", "2", "3", "4"]
    assert batch.keys.to_pylist() == [5, None, None, 7]
    (bad,) = batch.rejected
    assert (bad.row, bad.line, bad.raw) == (2, 6, b"3")
    assert bad.reason == 'the record ends before field "text"'
    kept = DECOMPRESS[suffix](copy(source, tmp_path / "o", lambda row: row != 1))
    assert kept == CSV.replace(b"\r\n\r\n2,plain,", b"")
    nothing = DECOMPRESS[suffix](copy(source, tmp_path / "o", lambda row: False))
    assert nothing == CSV[: CSV.index(b"\n") + 1]


def test_blank_lines_before_a_header_are_no_header(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf\r\n\nid,text\n1,one\n\n2,\n"
    source = open_source(put(tmp_path / "a.csv", data))
    assert texts(source) == ["one", ""]
    assert copy(source, tmp_path / "o", lambda row: row == 0) == data[:-4]


def test_csv_is_read_as_python_reads_it(tmp_path: Path) -> None:
    rng = random.Random(5)
    for _ in range(300):
        rows = [
            ["".join(rng.choices('a"\n\r,中 \t', k=rng.randrange(6))) for _ in range(3)]
            for _ in range(rng.randrange(8))
        ]
        out = io.StringIO()
        # A lone carriage return ends a record for Python only where it is not quoted.
        quoting = rng.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
        writer = csv.writer(out, quoting=quoting, lineterminator=rng.choice(["\n", "\r\n"]))
        writer.writerows([["x", "text", "z"], *rows])
        data = out.getvalue().encode()
        source = open_source(put(tmp_path / "a.csv", data))
        assert texts(source) == [row[1] for row in rows], data
        assert copy(source, tmp_path / "o") == data


def test_a_quote_in_mid_field_is_a_character(tmp_path: Path) -> None:
    data = b'text\tn\n5" pipe\t1\n"tab\there"\t2\n'
    assert texts(open_source(put(tmp_path / "a.tsv", data))) == ['5" pipe', "tab\there"]


def test_csv_records_across_blocks(tmp_path: Path) -> None:
    long = "x\n" * (5 << 20)
    rows = [f'{n},"{long if n == 3 else "y" * 300_000}\n"\n' for n in range(40)]
    data = b"id,text\n" + "".join(rows).encode()
    source = open_source(put(tmp_path / "a.csv", data))
    batches = list(source.batches(FieldSpec(id="id")))
    assert len(batches) > 2
    assert [i for b in batches for i in b.ids.to_pylist()] == [str(n) for n in range(40)]
    assert [len(t) for t in texts(source)][2:5] == [300_001, len(long) + 1, 300_001]
    assert copy(source, tmp_path / "o") == data


def test_csv_faults(tmp_path: Path) -> None:
    source = open_source(put(tmp_path / "a.csv", b'id,body\n1,x\n2,"open\n3,y\n'))
    assert 'no field "text" (fields: id, body)' in rejects(source)[0].reason
    found = rejects(source, "body")
    assert [(r.row, r.line, r.reason) for r in found] == [
        (1, 3, "the quote at byte 3 of the record is never closed")
    ]
    bad = open_source(put(tmp_path / "b.csv", b"text\nok\n\xff\n"))
    assert [(r.row, r.reason) for r in rejects(bad)] == [(1, "not UTF-8 at byte 1 (0xff)")]
    with pytest.raises(DataError, match="the header is not utf-8"):
        texts(open_source(put(tmp_path / "c.csv", b"\xff\nok\n")))
    for data in (b"", b"text", b"text\n"):
        source = open_source(put(tmp_path / "d.csv", data))
        assert texts(source) == []
        assert copy(source, tmp_path / "o") == data


def test_a_byte_that_is_no_gbk_spoils_its_own_record_only(tmp_path: Path) -> None:
    bad = '1,"中'.encode("gbk") + b'\xff\n2,x\n"'
    good = '3,"另\n一"'.encode("gbk")
    data = b"id,text\n" + bad + b"\n" + good + b"\n"
    source = open_source(put(tmp_path / "a.csv", data), encoding="gbk")
    assert texts(source) == [None, "另\n一"]
    assert [(r.row, r.raw, r.reason) for r in rejects(source)] == [(0, bad, "not gbk")]
    assert copy(source, tmp_path / "o", lambda row: row == 1) == b"id,text\n" + good + b"\n"


@pytest.mark.parametrize("encoding", ["iso2022_jp", "iso2022_kr", "hz"])
def test_csv_in_an_encoding_that_shifts_is_refused(tmp_path: Path, encoding: str) -> None:
    path = put(tmp_path / "a.csv", b"text\n")
    with pytest.raises(UsageError, match="the bytes of commas and quotes"):
        open_source(path, encoding=encoding)


def test_csv_in_gb18030(tmp_path: Path) -> None:
    data = '编号,text\r\n1,"中,\r\n文"\r\n2,末'.encode("gb18030")
    source = open_source(put(tmp_path / "a.csv", data), encoding="gb18030")
    assert texts(source) == ["中,\r\n文", "末"]
    assert copy(source, tmp_path / "o", lambda row: row == 1) == data.replace(
        '1,"中,\r\n文"\r\n'.encode("gb18030"), b""
    )


def test_every_line_of_a_text_is_a_row(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbfone\r\n\n\xff\nlast"
    source = open_source(put(tmp_path / "a.txt", data))
    assert texts(source) == ["one", "", None, "last"]
    assert [(r.row, r.line, r.raw) for r in rejects(source)] == [(2, 3, b"\xff")]
    assert copy(source, tmp_path / "o") == data
    assert copy(source, tmp_path / "o", lambda row: row in (1, 3)) == b"\xef\xbb\xbf\nlast"


def test_a_whole_file_can_be_one_row(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbfone\r\ntwo\n"
    source = open_source(put(tmp_path / "a.txt", data), whole_file=True)
    assert texts(source) == ["one\r\ntwo\n"]
    assert copy(source, tmp_path / "o") == data
    assert texts(open_source(put(tmp_path / "e.txt", b""), whole_file=True)) == [""]
    bad = open_source(put(tmp_path / "b.txt", b"ab\xff"), whole_file=True)
    assert [r.reason for r in rejects(bad)] == ["not utf-8 at byte 3"]


ELEMENTS = [
    b'{"id": 1e400, "text":"a]"}',
    b'{"text":\n "b"}',
    b'{"text":null}',
    b"7",
    b'{"text":"c"}',
]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_array_elements_are_kept_byte_for_byte(tmp_path: Path, suffix: str) -> None:
    data = b"\n [" + b" ,\n\n".join(ELEMENTS) + b"]\n"
    source = open_source(put(tmp_path / f"a.json{suffix}", COMPRESS[suffix](data)))
    assert texts(source) == ["a]", "b", None, None, "c"]
    assert [(r.row, r.line) for r in rejects(source)] == [(2, 7), (3, 9)]
    kept = DECOMPRESS[suffix](copy(source, tmp_path / "o", lambda row: row in (0, 1, 4)))
    assert kept == b"[\n" + b",\n".join([*ELEMENTS[:2], ELEMENTS[4]]) + b"\n]\n"
    assert DECOMPRESS[suffix](copy(source, tmp_path / "o", lambda row: False)) == b"[]\n"


def test_json_may_be_lines_or_an_array(tmp_path: Path) -> None:
    lines = open_source(put(tmp_path / "a.json", b'\n{"text":"a"}\n{"text":"b"}\n'))
    assert texts(lines) == ["a", "b"]
    assert copy(lines, tmp_path / "o") == b'{"text":"a"}\n{"text":"b"}\n'
    for data in (b"[]", b" [ ]\n"):
        empty = open_source(put(tmp_path / "e.json", data))
        assert texts(empty) == []
        assert copy(empty, tmp_path / "o") == b"[]\n"
    assert texts(open_source(put(tmp_path / "n.json", b""))) == []
    for data in (b'[{"text":"a"}', b'[{"text":"a"},]', b'[{"text":"a"}] {}'):
        path = put(tmp_path / "bad.json", data)
        with pytest.raises(DataError, match="JSON array"):
            texts(open_source(path))


def test_a_bad_element_is_one_bad_row(tmp_path: Path) -> None:
    bad = [b'{"text":"a\tb"}', b'{"text":"\\q"}', b'{"text":"\xff"}', b'{"text":"a",}']
    data = b"[" + b",\n".join([*bad, b'{"text":"c"}']) + b"]"
    source = open_source(put(tmp_path / "a.json", data))
    assert texts(source) == [None] * 4 + ["c"]
    assert [(r.row, r.line, r.raw) for r in rejects(source)] == [
        (row, row + 1, raw) for row, raw in enumerate(bad)
    ]
    assert copy(source, tmp_path / "o", lambda row: row == 4) == b'[\n{"text":"c"}\n]\n'


def test_a_large_array_comes_in_batches(tmp_path: Path) -> None:
    rows = [{"id": n, "text": "x" * 100_000} for n in range(150)]
    source = open_source(put(tmp_path / "a.json", json.dumps(rows).encode()))
    batches = list(source.batches(FieldSpec(id="id")))
    assert len(batches) > 2
    assert [i for b in batches for i in b.ids.to_pylist()] == [str(n) for n in range(150)]
    assert json.loads(copy(source, tmp_path / "o", lambda row: row % 2 == 0)) == rows[::2]
