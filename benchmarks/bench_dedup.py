"""Files to kept rows with the defaults, verified: whole processes, beside datatrove.

Python's start is included. The corpus is `bench-en.jsonl` (672 MB) in the folder $NEARDUP_CORPORA
where there is one, else it is made of the examples, most of it copies.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from common import HERE, Bench, Row, texts


@dataclass
class Took:
    """Seconds of CPU, seconds by the clock, and what the run said of itself."""

    cpu: float
    wall: float
    summary: dict[str, int]


def main() -> None:
    """Megabytes a second, of CPU time a core or by the clock, and memory."""
    bench = Bench(main.__doc__ or "")
    rounds = 1 if bench.quick else 3
    with tempfile.TemporaryDirectory(prefix="neardup-bench-") as folder:
        file = corpus(Path(folder), bench.quick)
        size = file.stat().st_size / 1e6
        one = [dedup(file, folder, bench, 1) for _ in range(rounds)]
        rate = size / statistics.median(took.cpu for took in one)
        shown = f"{rate:.0f} MB/s"
        name = f"{size:.0f} MB plain JSONL to kept JSONL"
        bench.add(Row(f"{name}, a core", "goal MB/s", shown, "", rate, (150.0, 0.0)))
        beside_datatrove(bench, file, folder, rate)
        two = [dedup(file, folder, bench, 2) for _ in range(rounds)]
        wall = statistics.median(took.wall for took in two)
        for kind in (".jsonl.zst", ".jsonl.gz", ".parquet"):
            other = converted(file, kind)
            slow = statistics.median(
                dedup(other, folder, bench, 2, out="kept.jsonl").wall for _ in range(rounds)
            )
            bench.add(
                Row(
                    f"{kind} in, 2 threads, by the clock",
                    "plain",
                    f"{size / slow:.0f} MB/s",
                    f"{size / wall:.0f} MB/s",
                    wall / slow,
                    (0.4, 0.4),
                )
            )
            other.unlink()
        summary = one[0].summary
        peak = max(took.summary["peak_rss_bytes"] for took in one + two) / 1e6
        most = 300 + 300 * summary["documents"] / 1e6
        bench.add(
            Row(
                "its peak memory, MB",
                "allowed",
                f"{peak:.0f} MB",
                f"{most:.0f} MB",
                peak,
                (most,) * 2,
                True,
            )
        )
        small = Path(folder) / "ten.jsonl"
        small.write_text("".join(f'{{"text": "line {i}"}}\n' for i in range(10)))
        quick = min(dedup(small, folder, bench, 1).wall for _ in range(3))
        bench.add(
            Row(
                "a file of ten lines, s",
                "allowed",
                f"{quick:.2f} s",
                "0.50 s",
                quick,
                (0.5, 0.5),
                True,
            )
        )


def corpus(folder: Path, quick: bool) -> Path:
    """The file to work on."""
    found = Path(os.environ.get("NEARDUP_CORPORA", "")) / "bench-en.jsonl"
    file = folder / "corpus.jsonl"
    if found.is_file() and not quick:
        file.symlink_to(found.resolve())
        return file
    packed = found.with_suffix(".jsonl.gz")
    if packed.is_file() and not quick:
        with gzip.open(packed) as lines, file.open("wb") as out:
            while block := lines.read(1 << 22):
                out.write(block)
        return file
    with file.open("w", encoding="utf-8") as out:
        for i, text in enumerate(texts(10 if quick else 60)):
            out.write(json.dumps({"id": i, "text": text}, ensure_ascii=False) + "\n")
    return file


def converted(file: Path, kind: str) -> Path:
    """The same rows in another format."""
    other = file.with_name("corpus" + kind)
    if kind == ".parquet":
        with file.open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        pq.write_table(pa.Table.from_pylist(rows), other, row_group_size=50_000)
        return other
    with pa.OSFile(os.fspath(file)) as source, pa.output_stream(os.fspath(other)) as sink:
        while block := source.read(1 << 22):
            sink.write(block)
    return other


def dedup(file: Path, folder: str, bench: Bench, threads: int, out: str = "out") -> Took:
    """One run of the command."""
    target = os.path.join(folder, out)
    kept = target if out == "out" else os.path.join(folder, "converted")
    options = ["--overwrite", "--quiet", "--json", "--threads", str(threads)]
    start = "import sys; from neardup import _native; "
    if bench.options.tier:
        start += f"_native.limit_tier({bench.options.tier!r}); "
    start += "from neardup.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", start, "dedup", os.fspath(file), "-o", kept, *options]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(cpu, wall, json.loads(said))


def beside_datatrove(bench: Bench, file: Path, folder: str, rate: float) -> None:
    """Datatrove's four MinHash stages over the first part of the file; its start is a tenth."""
    work = "the same, beside datatrove on the first 20 MB"
    if importlib.util.find_spec("datatrove") is None:
        bench.add(Row(work, "datatrove", "", "", None, (100.0, 80.0)))
        return
    part = Path(folder) / "part" / "part.jsonl"
    part.parent.mkdir(exist_ok=True)
    with file.open("rb") as lines:
        block = lines.read(2_000_000 if bench.quick else 20_000_000)
    part.write_bytes(block[: block.rfind(b"\n") + 1])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    script = [sys.executable, os.fspath(HERE / "with_datatrove.py"), os.fspath(part.parent), folder]
    subprocess.run(script, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    theirs = part.stat().st_size / 1e6 / cpu
    figures = f"{rate:.0f} MB/s", f"{theirs:.2f} MB/s"
    bench.add(Row(work, "datatrove", *figures, rate / theirs, (100.0, 80.0)))


if __name__ == "__main__":
    main()
