"""Whatever goes wrong is one line and an exit status, never a traceback."""

import errno
import io
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from neardup.cli import Failure, dedup
from neardup.errors import DataError, NeardupError, NeardupValueError, UsageError


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (
            DataError("no field\n'text'", source="a.jsonl", row=2, line=3),
            1,
            "neardup: a.jsonl:3: no field 'text'",
        ),
        (NeardupError("it broke"), 1, "neardup: it broke"),
        (UsageError("out: is not empty"), 2, "neardup: out: is not empty"),
        (NeardupValueError("no"), 2, "neardup: no"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "o/k"), 1, "neardup: o/k: No space left"),
        (FileNotFoundError(2, "No such file or directory", "x"), 1, "neardup: x: No such file"),
        (MemoryError(), 1, "neardup: out of memory"),
        (KeyboardInterrupt(), 130, "neardup: interrupted"),
        (ZeroDivisionError("oh"), 1, "neardup: internal error, a fault of neardup: ZeroDivision"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_errors_are_one_line(neardup, monkeypatch, error, status, line):
    def fail(config, inputs):
        raise error

    monkeypatch.setattr(dedup, "run", fail)
    result = neardup("dedup", "a", "-o", "x")
    assert result.exit_code == status
    assert result.stderr.startswith(line)
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def run(*args, **kwargs):
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "neardup", *args]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, **kwargs)


def test_version_and_help_of_the_module():
    version = run("--version")
    assert version.returncode == 0
    assert version.stdout.startswith("neardup ")
    page = run("--help").stdout
    assert page.startswith("Usage: neardup ")
    assert "dedup" in page
    assert "completion" in page


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["dedup", "--help"], []], ids=str)
def test_help_imports_nothing_heavy(arguments):
    code = (
        "import sys; from neardup.cli import main\n"
        f"try: main({arguments})\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pyarrow', 'rich', 'asyncio', 'fsspec', 'neardup.plan'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["explain"], ["explain", "--json"], ["dedup", "-h"]]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_standard_output_is_full(arguments, unbuffered):
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "neardup", *arguments]
        env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, env=env)
    said = "neardup: standard output: No space left on device\n"
    assert (done.returncode, done.stderr.decode()) == (1, said)


class Terminal(io.StringIO):
    """Something that says it is one."""

    def isatty(self):
        return True


def test_an_error_is_broken_between_words_on_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    screen, log = Terminal(), io.StringIO()
    for file in (screen, log):
        Failure("in.jsonl:1: no field. Name it with --text body, or pass --on-error skip.").show(
            file
        )
    assert screen.getvalue() == (
        "neardup: in.jsonl:1: no field. Name it\n  with --text body, or pass --on-error\n  skip.\n"
    )
    assert log.getvalue().count("\n") == 1


def test_a_closed_pipe_is_quiet():
    child = subprocess.Popen(
        [sys.executable, "-m", "neardup", "explain", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    child.stdout.close()
    assert b"Traceback" not in child.stderr.read()
    child.stderr.close()
    child.wait(timeout=60)


@pytest.fixture
def table(tmp_path):
    """A Parquet file of one row group, still being read when its first row is refused."""
    path = tmp_path / "a.parquet"
    texts = [f"text number {row} " * 80 for row in range(800)]
    pq.write_table(pa.table({"content": texts}), path)
    return path


def test_a_bad_row_leaves_no_reader_behind(table):
    """A thread that is killed inside pyarrow as the interpreter ends would abort the process."""
    command = [sys.executable, "-m", "neardup", "dedup", str(table), "--dry-run"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        f'neardup: {table}: row 0: no field "text" (fields: content). '
        "Name the field with --text content, or pass --on-error skip.\n"
    )


def test_rows_that_are_never_asked_for_leave_no_reader_behind(table):
    script = (
        "import neardup\n"
        f"rows = neardup.dedup({str(table)!r}, text='content').kept\n"
        "print(next(rows).num_rows > 0)\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
