"""What a run may cost: memory by documents, not by bytes; few handles for many files."""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import families, neardup, tree

MEMORY = 128 << 20
linux = pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")


def limited(limit: int, value: int):
    """Called in a child before it becomes neardup."""
    return lambda: resource.setrlimit(limit, (value, value))


@pytest.mark.parametrize("count", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_more_files_than_handles(tmp_path: Path, count: int) -> None:
    for i, text in enumerate(families(42, count)):
        path = tmp_path / "in" / f"{i % 10}" / f"{i}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"text": text}) + "\n")
    few = limited(resource.RLIMIT_NOFILE, 64)
    command = ["dedup", tmp_path / "in", "-o", tmp_path / "out", "--json"]
    done = neardup(*command, preexec_fn=few, timeout=600)
    assert done.returncode == 0, done.stderr[-500:]
    summary = json.loads(done.stdout)
    assert summary["documents"] == count == summary["kept"] + summary["removed"]
    assert len(summary["sources"]) == count
    files = tree(tmp_path / "out" / "kept")
    assert len(files) == count
    assert sum(bool(data) for data in files.values()) == summary["kept"]


def texts(blocks: int, rows: int = 2000, words: int = 160):
    """Blocks of made texts; a fifth of them are another one with six words replaced."""
    rng = np.random.default_rng(7)
    roots = ("ba", "co", "di", "fu", "ge", "hy", "lo", "mi", "na", "per")
    vocabulary = np.array([f"{root}{i:x}" for root in roots for i in range(3000)])
    for _ in range(blocks):
        block = rng.integers(0, len(vocabulary), (rows, words))
        block[1::5] = block[::5]
        block[1::5, rng.integers(0, words, 6)] = 0
        yield [" ".join(row) for row in vocabulary[block]]


@linux
@pytest.mark.slow
def test_a_gigabyte_of_gzip_takes_300_bytes_a_document_and_memory(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for block in texts(10**6):
            file.write("".join(f'{{"text":"{text}"}}\n' for text in block).encode())
            if os.path.getsize(path) >= 10**9:
                break
    command = ["dedup", path, "-o", tmp_path / "out.jsonl.gz", "--json", "--quiet"]
    done = neardup(*command, timeout=3600)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["near_duplicates"] > summary["documents"] // 10
    assert summary["peak_rss_bytes"] <= 300 * summary["documents"] + MEMORY


@linux
@pytest.mark.slow
def test_a_gigabyte_in_one_row_group_takes_little_more_than_in_many(tmp_path: Path) -> None:
    whole = pa.table({"text": pa.chunked_array([pa.array(block) for block in texts(450)])})
    peaks = []
    for rows in (20_000, len(whole)):
        pq.write_table(whole, tmp_path / "in.parquet", row_group_size=rows)
        command = ["dedup", tmp_path / "in.parquet", "-o", tmp_path / f"out{rows}", "--json"]
        done = neardup(*command, "--quiet", timeout=3600)
        assert done.returncode == 0, done.stderr
        peaks.append(json.loads(done.stdout)["peak_rss_bytes"])
    many, one = peaks
    assert one <= many + (192 << 20)  # texts held are 1 GB; a row group written is 64 MiB


@linux
def test_the_peak_is_that_of_the_run_itself() -> None:
    """Not that of the program that started it, which Linux counts in where one is spawned."""
    code = (
        "import subprocess, sys\n"
        "held = bytes(400 << 20)\n"
        "held = bytearray(held)\n"
        "command = [sys.executable, '-m', 'neardup', 'dedup', '-', '--dry-run', '--json', '-q']\n"
        'print(subprocess.run(command, input=b\'{"text":"a"}\', capture_output=True).stdout.decode())'
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 10 << 20 < json.loads(done.stdout)["peak_rss_bytes"] < 300 << 20


@linux
def test_a_text_of_48_megabytes_takes_no_more_than_64_besides() -> None:
    code = (
        "import numpy as np, pyarrow as pa, neardup\n"
        "rng = np.random.default_rng(7)\n"
        "text = ' '.join(f'{i:x}' for i in rng.integers(0, 10**6, 8_400_000))\n"
        "column = pa.array([text], pa.large_string())\n"
        "neardup.sketch(['a b c d'], threads=2)\n"
        "del text\n"
        "def peak():\n"
        "    lines = open('/proc/self/status').read().splitlines()\n"
        "    return next(int(line.split()[1]) << 10 for line in lines if line.startswith('VmHWM'))\n"
        "open('/proc/self/clear_refs', 'w').write('5')\n"
        "before = peak()\n"
        "neardup.sketch(column, threads=2)\n"
        "print(column.nbytes, peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    size, extra = map(int, done.stdout.split())
    assert size > 48_000_000
    assert extra < 64 << 20


def test_a_run_loads_no_library_of_frames(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "a", "text": "one two three"}\n' * 3)
    code = (
        "import sys\n"
        "from neardup.cli import main\n"
        "try:\n"
        "    main(['dedup', 'in.jsonl', '-o', 'out', '--id', 'id', '--annotate', '-q'])\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        "print(*{'pandas', 'polars'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert not done.stdout.strip()
