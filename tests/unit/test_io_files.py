"""Inputs and outputs as files: what is found, what is refused, finished or absent."""

from __future__ import annotations

import errno
import io
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from io_files import put, texts

from neardup.errors import DataError, NeardupError, UsageError
from neardup.io import AtomicFile, find_files, kept_names, open_inputs, open_writer, write_bytes
from neardup.io.beside import WriteBehind, read_ahead

ROW = b'{"text":"a"}\n'


def test_folders_and_globs_are_sorted_by_bytes(tmp_path: Path) -> None:
    for name in ("b.jsonl", "B.jsonl", "é.jsonl.gz", "sub/a.ndjson", "a.parquet", "README.md", "x"):
        put(tmp_path / "in" / name, ROW)
    root = str(tmp_path / "in")
    expected = ["B.jsonl", "a.parquet", "b.jsonl", "sub/a.ndjson", "é.jsonl.gz"]
    assert find_files([root]) == [os.path.join(root, name) for name in expected]
    assert find_files([f"{root}/*.jsonl"]) == [f"{root}/B.jsonl", f"{root}/b.jsonl"]
    assert find_files([f"{root}/**/*.ndjson", f"{root}/x"]) == [f"{root}/sub/a.ndjson", f"{root}/x"]
    assert find_files([f"{root}/s*"]) == [f"{root}/sub/a.ndjson"]


def test_what_cannot_be_input_is_one_line(tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", ROW)
    (tmp_path / "empty").mkdir()
    (tmp_path / "link.jsonl").symlink_to(path)
    (tmp_path / "empty" / "dangling").symlink_to("nowhere")
    for inputs, error, what in [
        ([], UsageError, "no input"),
        ([path, path], UsageError, "is named twice: name each file once"),
        ([path, str(tmp_path / "link.jsonl")], UsageError, r"is named twice \(also as .*a.jsonl\)"),
        ([path, str(tmp_path / "*.jsonl")], UsageError, "is named twice"),
        (["-", "-"], UsageError, "- is named twice"),
        ([str(tmp_path / "none.jsonl")], DataError, "none.jsonl: no such file"),
        ([str(tmp_path / "none*")], DataError, "no file matches this pattern"),
        ([str(tmp_path / "empty")], DataError, "no file here has a known suffix"),
        ([str(tmp_path / "empty" / "dangling")], DataError, "no such file or directory"),
    ]:
        with pytest.raises(error, match=what) as caught:
            find_files(inputs)
        assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="unknown format"):
        open_inputs([path], format="nonsense")


def test_standard_input_is_read_again_and_again(tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", ROW)
    sources = open_inputs(["-", path], stdin=io.BytesIO(ROW * 2))
    assert [source.name for source in sources] == ["-", path]
    assert texts(sources[0]) == texts(sources[0]) == ["a", "a"]
    assert kept_names(sources) == ["stdin.jsonl", "a.jsonl"]


def test_names_are_below_the_deepest_common_folder(tmp_path: Path) -> None:
    one = put(tmp_path / "x" / "y" / "a.jsonl", ROW)
    two = put(tmp_path / "x" / "z" / "a.jsonl", ROW)
    assert kept_names(open_inputs([one])) == ["a.jsonl"]
    assert kept_names(open_inputs([one, two])) == ["y/a.jsonl", "z/a.jsonl"]


def test_a_file_is_finished_or_absent(tmp_path: Path) -> None:
    path = tmp_path / "new" / "o.json"
    write_bytes(path, b"{}")
    assert path.read_bytes() == b"{}"
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~_umask()
    with pytest.raises(KeyError), AtomicFile(path) as out:
        out.file.write(b"half")
        raise KeyError
    with AtomicFile(path) as out:
        out.file.write(b"second")
        assert path.read_bytes() == b"{}"
    assert path.read_bytes() == b"second"
    assert os.listdir(path.parent) == ["o.json"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_no_space_left_is_one_line_and_no_file(tmp_path: Path) -> None:
    source = open_inputs([put(tmp_path / "a.jsonl", ROW * 100_000)])[0]
    target = AtomicFile(tmp_path / "o.jsonl")
    target.file.close()
    target.file = open("/dev/full", "wb")  # noqa: SIM115 - closed by abort
    writer = open_writer(target, source)
    with pytest.raises(NeardupError, match=r"o\.jsonl: cannot be written: no space left") as caught:
        for _ in range(3):
            for raw in source.rows():
                writer.write(raw, np.ones(raw.rows, bool))
        writer.commit()
    writer.abort()
    assert str(caught.value).endswith("Free some space or choose another output folder.")
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.__cause__.errno == errno.ENOSPC
    assert os.listdir(tmp_path) == ["a.jsonl"]


def test_an_output_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    put(tmp_path / "file", b"")
    (tmp_path / "folder").mkdir()
    for path, what in [
        (tmp_path / "file" / "o.jsonl", "cannot be written: .*(file exists|not a directory)"),
        (tmp_path / "folder", "cannot be written: is a directory"),
        (tmp_path / ("x" * 300) / "o", "cannot be written: file name too long"),
    ]:
        with pytest.raises(NeardupError, match=what):
            AtomicFile(path)


def test_reading_ahead_ends_its_thread_in_every_way() -> None:
    closed = threading.Event()

    def items() -> Iterator[int]:
        try:
            yield from range(1000)
        finally:
            closed.set()

    before = threading.active_count()
    assert list(read_ahead(items)) == list(range(1000))
    for _ in range(50):
        closed.clear()
        some = read_ahead(items)
        assert next(some) == 0
        some.close()  # type: ignore[attr-defined]
        assert closed.is_set()

    def failing() -> Iterator[int]:
        yield 1
        raise DataError("broken", source="f")

    found = read_ahead(failing)
    assert next(found) == 1
    with pytest.raises(DataError, match="f: broken"):
        next(found)
    assert threading.active_count() == before


def test_writing_behind_keeps_order_and_tells_errors() -> None:
    seen: list[int] = []
    behind = WriteBehind(seen.append)
    for number in range(500):
        behind.put(number)
    behind.close()
    assert seen == list(range(500))

    def refuse(item: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    failing = WriteBehind(refuse)
    with pytest.raises(OSError, match="full"):
        for number in range(500):
            failing.put(number)
    failing.abandon()


def test_import_costs_no_pyarrow() -> None:
    code = "import neardup, neardup.errors, neardup.io, sys; assert 'pyarrow' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
