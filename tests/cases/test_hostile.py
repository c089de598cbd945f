"""What a careless or hostile user does to outputs and inputs: one line, and nothing lost."""

from __future__ import annotations

import os
import stat

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import neardup
from harness import families, one_line, write_jsonl
from neardup.errors import UsageError
from neardup.io.lock import locked

TEXTS = families(1, 30)


@pytest.fixture
def path(tmp_path):
    return write_jsonl(tmp_path / "in.jsonl", TEXTS)


def test_a_second_run_into_one_folder_is_refused(command, path, tmp_path):
    out = tmp_path / "out"
    with locked(str(out)):
        done = command(path, "-o", out)
        one_line(done, 2, "another run writes there")
        with pytest.raises(UsageError, match="another run"), locked(str(out)):
            pass
    assert command(path, "-o", out).returncode == 0
    assert not [name for name in os.listdir(tmp_path) if "lock" in name]


@pytest.mark.parametrize("option", ["--removed", "--pairs", "--rejected"])
def test_an_extra_output_spares_what_the_run_writes(command, path, tmp_path, option):
    out = tmp_path / "out"
    extra = ["--on-error", "skip"] if option == "--rejected" else []
    done = command(path, "-o", out, option, out / "kept" / "in.jsonl", *extra)
    one_line(done, 2, "written anyway")
    assert not out.exists()


def test_a_pipe_is_not_replaced(command, path, tmp_path):
    pipe = tmp_path / "out.jsonl"
    os.mkfifo(pipe)
    done = command(path, "-o", pipe, "--overwrite")
    one_line(done, 1, "not a regular file")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_stays_a_link(command, path, tmp_path):
    (tmp_path / "real.jsonl").write_text("old\n")
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    assert command(path, "-o", tmp_path / "link.jsonl", "--overwrite").returncode == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "real.jsonl").read_text() != "old\n"


def test_a_pipe_in_an_input_folder_is_passed_over(command, path, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    os.mkfifo(folder / "pipe.jsonl")
    write_jsonl(folder / "a.jsonl", TEXTS)
    done = command(folder, "-o", tmp_path / "out")
    assert done.returncode == 0
    assert os.listdir(tmp_path / "out" / "kept") == ["a.jsonl"]


def test_overwrite_spares_a_file_no_run_wrote(command, path, tmp_path):
    out = tmp_path / "out"
    assert command(path, "-o", out).returncode == 0
    (out / "kept" / "mine.txt").write_text("mine")
    done = command(path, "-o", out, "--overwrite")
    one_line(done, 2, "no run wrote this")
    assert (out / "kept" / "mine.txt").read_text() == "mine"


def test_lines_of_bare_carriage_returns_are_refused(command, tmp_path):
    (tmp_path / "old.csv").write_bytes(b"text,b\rhello,1\rhello,2\r")
    done = command(tmp_path / "old.csv", "-o", tmp_path / "out")
    one_line(done, 1, "bare carriage return")


def test_standard_input_is_one_side_only(command, tmp_path):
    done = command("-", "--against", "-", "-o", tmp_path / "out", stdin=b'{"text":"a"}\n')
    one_line(done, 2, "both sides")


def test_two_columns_of_one_name(command, tmp_path):
    table = pa.table([["a"], ["b"]], names=["text", "text"])
    with pytest.raises(neardup.NeardupError, match='2 columns are named "text"'):
        neardup.dedup(table)
    pq.write_table(table, tmp_path / "two.parquet")
    done = command(tmp_path / "two.parquet", "-o", tmp_path / "out")
    one_line(done, 2, "2 columns")


def test_an_id_beyond_64_bits():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": ["a b", "a b", "c"], "id": [10**30, 1, 2]})
    assert neardup.dedup(frame, id="id").removed["kept_id"].to_pylist() == [str(10**30)]
