"""A damaged input of any format: what another reader makes of it, or a NeardupError; nothing else."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from damage import FOREIGN, Damage, damages
from hypothesis import HealthCheck, given, settings

from neardup import NeardupError, dedup
from neardup.io import FieldSpec, open_source

MARK = b"\xef\xbb\xbf"
ROWS = [
    {"id": f"r{i}", "text": text, "n": [i, {"x": None}]}
    for i, text in enumerate(
        ["plain words", 'a "quoted" one,\nof two lines', "四个字 é", "", "x" * 90]
    )
] * 3
Texts = list[str | None]
"""What a file holds: a text a row, None for a row that is no good."""


class Unreadable(Exception):
    """The other reader refuses the file."""


def of_json(value: object) -> str | None:
    """The text of a row that is a value of JSON."""
    text = value.get("text") if isinstance(value, dict) else None
    try:
        return text if isinstance(text, str) and text.encode() is not None else None
    except UnicodeEncodeError:
        return None


def json_lines(data: bytes) -> Texts:
    """By `json`, line by line."""
    texts = []
    *lines, last = data.removeprefix(MARK).split(b"\n")
    for line in [*(line.removesuffix(b"\r") for line in lines), last]:
        if line.strip(b" \t\r"):
            try:
                texts.append(of_json(json.loads(line.decode())))
            except ValueError:
                texts.append(None)
    return texts


def json_file(data: bytes) -> Texts:
    """By `json`, at once if it is an array."""
    body = data.removeprefix(MARK)
    if not body.lstrip(b" \t\r\n").startswith(b"["):
        return json_lines(data)
    try:
        return [of_json(each) for each in json.loads(body.decode())]
    except ValueError:
        raise Unreadable from None


def csv_file(data: bytes) -> Texts:
    """By `csv`, where it and we agree on what a line is."""
    body = data.removeprefix(MARK)
    if b"\r" in body.replace(b"\r\n", b"") or b"\0" in body:
        raise Unreadable
    try:
        header, *records = filter(None, csv.reader(io.StringIO(body.decode(), newline="")))
        list(csv.reader(io.StringIO(body.decode(), newline=""), strict=True))
    except (ValueError, csv.Error):
        raise Unreadable from None
    if header.count("text") != 1:
        raise Unreadable
    at = header.index("text")
    return [record[at] if at < len(record) else None for record in records]


def text_file(data: bytes) -> Texts:
    """Every line, blank ones too."""
    *lines, last = data.removeprefix(MARK).split(b"\n")
    texts: Texts = []
    for line in [*(line.removesuffix(b"\r") for line in lines), *([last] if last else [])]:
        try:
            texts.append(line.decode())
        except UnicodeDecodeError:
            texts.append(None)
    return texts


def parquet_file(data: bytes) -> Texts:
    """By Arrow, the column alone and in one piece."""
    try:
        column = pq.read_table(pa.BufferReader(data), columns=["text"])["text"]
        column.validate(full=True)
        return column.cast(pa.string()).to_pylist()
    except (OSError, pa.ArrowException, KeyError, ValueError):
        raise Unreadable from None


def parquet(**options: object) -> bytes:
    """A Parquet file of the rows."""
    out = io.BytesIO()
    table = pa.table({"id": [r["id"] for r in ROWS], "text": [r["text"] for r in ROWS]})
    pq.write_table(table, out, row_group_size=6, **options)
    return out.getvalue()


LINES = b"".join(
    json.dumps(row, ensure_ascii=bool(i % 2)).encode() + b"\n" for i, row in enumerate(ROWS)
)
RECORDS = io.StringIO(newline="")
csv.writer(RECORDS).writerows([("id", "text"), *((row["id"], row["text"]) for row in ROWS)])

#: Name of a file, its bytes, and the other reader.
FORMATS: dict[str, tuple[bytes, Callable[[bytes], Texts]]] = {
    "a.jsonl": (LINES, json_lines),
    "a.json": (json.dumps(ROWS, indent=1).encode(), json_file),
    "a.csv": (RECORDS.getvalue().encode(), csv_file),
    "a.txt": ("\n".join(f"{row['text']}\r" for row in ROWS).encode(), text_file),
    "a.parquet": (parquet(compression="none"), parquet_file),
    "b.parquet": (parquet(write_page_checksum=True, compression="zstd"), parquet_file),
}


def zstd_open(data: bytes) -> bytes:
    """By Arrow's stream, which takes nothing for a stream of nothing."""
    if not data:
        raise EOFError
    return pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()


def zstd(data: bytes) -> bytes:
    """One frame."""
    return pa.Codec("zstd").compress(data, asbytes=True)


def streams(start: Callable[[], Any]) -> Callable[[bytes], bytes]:
    """Stream after stream, nothing left over but padding."""

    def unpack(data: bytes) -> bytes:
        out = []
        while data or not out:
            stream = start()
            out.append(stream.decompress(data))
            if not stream.eof:
                raise EOFError
            data = stream.unused_data.lstrip(b"\0")
        return b"".join(out)

    return unpack


def gzip_open(data: bytes) -> bytes:
    """By `gzip`, which takes nothing for a stream of nothing."""
    if not data:
        raise EOFError
    return gzip.decompress(data)


#: How a suffix compresses, and how a library that tells everything opens it.
CODECS = {
    ".gz": (gzip.compress, gzip_open),
    ".bz2": (bz2.compress, streams(bz2.BZ2Decompressor)),
    ".xz": (lzma.compress, streams(lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ))),
    ".zst": (zstd, zstd_open),
}


def read(path: Path) -> Texts:
    """What we make of a file: texts, None for rejected rows."""
    texts: Texts = []
    for batch in open_source(str(path)).batches(FieldSpec()):
        bad = {each.row - batch.first_row for each in batch.rejected}
        rows = batch.texts.to_pylist()
        assert all((row in bad) == (text is None) for row, text in enumerate(rows))
        texts += rows
    return texts


def hold(path: Path, data: bytes, other: Callable[[bytes], Texts]) -> None:
    """Hold that the file is read as the other reader reads it, or refused."""
    path.write_bytes(data)
    try:
        expected = other(data)
    except Unreadable:
        expected = None
    try:
        found = read(path)
    except NeardupError as error:
        assert "\n" not in str(error)
        assert str(error).startswith(str(path))
        with pytest.raises(NeardupError):
            dedup(path, on_error="skip", threads=1)
        return
    if expected is not None:
        assert found == expected
    result = dedup(path, on_error="skip", threads=1, text="text")
    texts = [text for text in found if text is not None]
    assert result.summary["documents"] == len(found)
    assert result.summary["rejected"] == len(found) - len(texts)
    again = iter(dedup(texts, threads=1).keep.tolist())
    assert result.keep.tolist() == [text is not None and next(again) for text in found]


STEADY = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_whole_is_read(tmp_path: Path, name: str) -> None:
    data, other = FORMATS[name]
    assert len(other(data)) >= len(ROWS)
    hold(tmp_path / name, data, other)
    assert read(tmp_path / name) == other(data)


@pytest.mark.parametrize("name", FORMATS)
@given(damage=damages())
@STEADY
def test_a_damaged_file(tmp_path: Path, name: str, damage: Damage) -> None:
    data, other = FORMATS[name]
    hold(tmp_path / name, damage(data), other)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_foreign_file(tmp_path: Path, name: str, foreign: str) -> None:
    hold(tmp_path / name, FOREIGN[foreign], FORMATS[name][1])


@pytest.mark.parametrize("suffix", CODECS)
@given(damage=damages())
@STEADY
def test_a_damaged_stream(tmp_path: Path, suffix: str, damage: Damage) -> None:
    """Of two streams one after the other, the second cannot be lost unseen."""
    hold_stream(tmp_path, suffix, damage)


def hold_stream(folder: Path, suffix: str, damage: Damage) -> None:
    """Hold that a damaged stream is read as the library that tells everything reads it."""
    pack, unpack = CODECS[suffix]

    def other(data: bytes) -> Texts:
        try:
            return json_lines(unpack(data))
        except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error):
            raise Unreadable from None

    half = len(LINES) // 2
    hold(folder / f"a.jsonl{suffix}", damage(pack(LINES[:half]) + pack(LINES[half:])), other)


@pytest.mark.parametrize("suffix", CODECS)
@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_foreign_stream(tmp_path: Path, suffix: str, foreign: str) -> None:
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(FOREIGN[foreign])
    with pytest.raises(NeardupError, match=r"a\.jsonl"):
        read(path)


@pytest.mark.parametrize("suffix", CODECS)
def test_a_second_stream_is_read_or_missed(tmp_path: Path, suffix: str) -> None:
    """Tools that compress in parallel write many; a damaged one is no end of the file."""
    pack, _ = CODECS[suffix]
    half = LINES.rfind(b"\n", 0, len(LINES) // 2) + 1
    first, second = pack(LINES[:half]), pack(LINES[half:])
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(first + second)
    assert read(path) == json_lines(LINES)
    for damaged in (
        second[:3],
        bytes([second[0] ^ 1]) + second[1:],
        b"junk",
        second[: len(second) // 2],
    ):
        path.write_bytes(first + damaged)
        with pytest.raises(NeardupError, match=r"a\.jsonl"):
            read(path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FORMATS, *CODECS])
@given(damage=damages())
@settings(STEADY, max_examples=3000)
def test_thousands_of_damaged_files(tmp_path: Path, name: str, damage: Damage) -> None:
    if name in CODECS:
        hold_stream(tmp_path, name, damage)
    else:
        data, other = FORMATS[name]
        hold(tmp_path / name, damage(data), other)
