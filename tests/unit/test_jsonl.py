"""The native line scanner against Python's json on damaged lines, and its laws."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from neardup import _native

LINES = [
    b'{"id": 1, "text": "plain", "x": [1, -2.5e-3, true, null, {"y": "z"}]}',
    b'{"text": "\\u00e9\\ud83d\\ude00 \\"q\\" \\\\ \\n", "meta": {"text": "inner"}}',
    b'{"text": "one", "text": "two", "n": NaN, "i": -Infinity}',
    '{"text": "中文 full", "te\\u0078t": "last"}'.encode(),
    b' { "a" : { } , "b" : [ ] , "text" : "" } ',
]


def scan(block: bytes, *paths: str, first_line: int = 1) -> Any:
    array = np.frombuffer(block, np.uint8)
    return _native.scan_jsonl(array, [path.split(".") for path in paths], None, first_line)


def one(line: bytes) -> tuple[int, str]:
    read = scan(line, "text")
    assert len(read.status) == 1
    return int(read.status[0]), bytes(read.text_data).decode()


def python(line: bytes) -> tuple[int, str]:
    """Status and text as Python's json sees the line."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return 5, ""
    try:
        row = json.loads(line)
    except json.JSONDecodeError:
        return 4, ""
    if not isinstance(row, dict):
        return 7, ""
    if "text" not in row:
        return 1, ""
    text = row["text"]
    if not isinstance(text, str):
        return (2 if text is None else 3), ""
    try:
        text.encode()
    except UnicodeEncodeError:
        return 6, ""
    return 0, text


@pytest.mark.parametrize("seed", range(8))
def test_damaged_lines_are_judged_as_python_does(seed: int) -> None:
    rng = random.Random(seed)
    tokens = [b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\\ud800", b"\\u00", b"0", b"-"]
    tokens += [b"e", b".", b"null", b"NaN", b"\t", b"\x01", b"\xff", b"\xe4\xb8\xad", b" ", b"text"]
    for _ in range(3000):
        line = bytearray(rng.choice(LINES))
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(line) + 1)
            line[at : at + rng.randrange(3)] = rng.choice([*tokens, b""])
        if line.strip(b" \t\r\n"):
            assert one(bytes(line)) == python(bytes(line)), bytes(line)


def test_a_block_is_the_sum_of_its_lines() -> None:
    rng = random.Random(9)
    lines = [rng.choice([*LINES, b"", b"{bad", b"\xff", b"[]"]) for _ in range(500)]
    block = b"\n".join(lines)
    read = scan(block, "text", first_line=5)
    alone = [one(line) for line in lines if line]
    assert [(int(s)) for s in read.status] == [status for status, _ in alone]
    bounds = zip(read.text_offsets[:-1], read.text_offsets[1:], strict=True)
    data = bytes(read.text_data)
    assert [data[a:b].decode() for a, b in bounds] == [text for _, text in alone]
    spans = zip(read.lines.starts.tolist(), read.lines.ends.tolist(), strict=True)
    assert [block[a:b] for a, b in spans] == [line for line in lines if line]
    assert read.lines.line.tolist() == [n for n, line in enumerate(lines, 5) if line]
    found = _native.scan_lines(np.frombuffer(block, np.uint8), 5)
    for name in ("starts", "ends", "stops", "line"):
        assert np.array_equal(getattr(found, name), getattr(read.lines, name))
    assert found.next_line == read.lines.next_line == 505


def test_arrays_that_are_not_whole_blocks_are_refused() -> None:
    with pytest.raises(TypeError, match="contiguous"):
        _native.scan_lines(np.zeros(10, np.uint8)[::2])
    with pytest.raises(TypeError):
        _native.scan_lines(np.zeros(10, np.int64))  # type: ignore[arg-type]


def test_field_names() -> None:
    assert _native.field_names(b'{"a":1,"b":{"c":2},"a":3,') == ["a", "b"]
