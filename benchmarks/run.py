"""All benchmarks, with the best kernels and without AVX-512: one table, and a record of it.

`run.py [--quick]`; the record is `record/bench.txt` (`record/quick.txt`). Each script runs in a
process of its own.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from common import HERE

from neardup import _native

SCRIPTS = (
    *("bench_text", "bench_signatures", "bench_flags", "bench_simhash", "bench_lookup"),
    "bench_dedup",
)
ONCE = ("bench_growth",)  # with the best kernels alone: minutes, and growth does not depend on them
PEERS = (
    *("rensa", "datasketch", "fastsketchlsh", "daft", "datatrove", "simhash", "pyarrow", "numpy"),
)
Rows = dict[tuple[str, str], dict[str, Any]]


def main() -> None:
    """Run, print and keep."""
    quick = "--quick" in sys.argv[1:]
    best = tier()
    wide = rows(best, quick, SCRIPTS + ONCE) if best == "avx512" else {}
    others = SCRIPTS if wide else SCRIPTS + ONCE
    narrow = rows("avx2", quick, others) if best in ("avx512", "avx2") else {}
    lines = [header(), ""]
    lines.append(f"{'work':<58} {'beside':<28} {'ours':>16} {'theirs':>14}  AVX-512{'':<20}AVX2")
    for key in wide or narrow:
        row = (wide or narrow)[key]
        both = [verdict(wide.get(key), 0), verdict(narrow.get(key), 1)]
        figures = f"{row['work']:<58} {row['peer']:<28} {row['ours']:>16} {row['theirs']:>14}"
        lines.append(f"{figures}  {both[0]:<27}{both[1]}".rstrip())
    text = "\n".join(lines) + "\n"
    print("\n" + text)
    record = HERE / "record" / ("quick.txt" if quick else "bench.txt")
    record.write_text(text, encoding="utf-8")


def rows(tier: str, quick: bool, scripts: tuple[str, ...]) -> Rows:
    """The rows of every script under a tier."""
    found: Rows = {}
    for script in scripts:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "rows"
            command = [sys.executable, os.fspath(HERE / f"{script}.py"), "--rows", os.fspath(file)]
            command += ["--tier", tier, *(["--quick"] if quick else [])]
            print(f"== {script}, {tier}", flush=True)
            subprocess.run(command, check=True)
            for line in file.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                found[row["work"], row["peer"]] = row
    return found


def verdict(row: dict[str, Any] | None, column: int) -> str:
    """The value, its goal, and whether it is reached."""
    if row is None or row["value"] is None:
        return "not run"
    goal = row["goals"][column]
    if not goal:
        return f"{row['value']:.2f}"
    reached = row["value"] <= goal if row["least"] else row["value"] >= goal
    sign = "<=" if row["least"] else ">="
    return f"{row['value']:.2f} ({sign} {goal:g} {'reached' if reached else 'SHORT'})"


def tier() -> str:
    """The best kernels of this machine."""
    for name in ("avx512", "avx2", "scalar"):
        try:
            _native.limit_tier(name)
        except Exception:
            continue
        return name
    return "scalar"


def header() -> str:
    """Machine, versions and day."""
    named = []
    for package in ("neardup", *PEERS):
        try:
            named.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            named.append(f"{package} not installed")
    today = datetime.datetime.now(tz=datetime.UTC).date()
    return (
        f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, {today}\n"
        f"{', '.join(named)}\n"
        "One thread and CPU time unless said; medians of rounds in turn, ratios within a round. "
        "Figures with AVX-512; * from elsewhere."
    )


def processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    found = dict(line.split(":", 1) for line in lines if ":" in line)
    about = {key.strip(): value.strip() for key, value in found.items()}
    return about.get("model name", platform.machine())


if __name__ == "__main__":
    main()
