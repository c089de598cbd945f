"""Plain JSON Lines to kept rows, the defaults, verified: megabytes a second of CPU time.

`bench_dedup.py [FILE.jsonl]`; without a file it makes 60 MB from the examples, most of it copies.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import header, texts

ROUNDS = 3


def main() -> None:
    """Print the rates of whole processes, Python's start included."""
    print(header())
    with tempfile.TemporaryDirectory(prefix="neardup-bench-") as folder:
        if len(sys.argv) > 1:
            file = sys.argv[1]
        else:
            file = os.path.join(folder, "corpus.jsonl")
            lines = (json.dumps({"id": i, "text": t}) for i, t in enumerate(texts(60)))
            Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")
        size = os.path.getsize(file) / 1e6
        for threads in (1, 2):
            cpu, wall = [], []
            for _ in range(ROUNDS):
                out = os.path.join(folder, "out")
                command = ["neardup", "dedup", file, "-o", out, "--overwrite", "--quiet"]
                before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
                command += ["--threads", str(threads)]
                subprocess.run([sys.executable, "-m", *command], check=True)
                wall.append(time.perf_counter() - start)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            summary = json.loads((Path(out) / "summary.json").read_text(encoding="utf-8"))
            print(
                f"{size:.0f} MB, {summary['documents']:,} documents, threads {threads}: "
                f"{size / statistics.median(cpu):.0f} MB/s a core, "
                f"{size / statistics.median(wall):.0f} MB/s in all, "
                f"{summary['peak_rss_bytes'] / 1e6:.0f} MB memory; "
                f"{summary['removed']:,} removed, {summary['candidates']:,} candidates verified"
            )


if __name__ == "__main__":
    main()
