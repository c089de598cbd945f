"""What the benchmarks share: the machine's name, texts, and times of two tools taken in turn."""

from __future__ import annotations

import gzip
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"
ROUNDS = 7


def header(*packages: str) -> str:
    """Machine and versions, in one line."""
    named = []
    for package in ("neardup", *packages):
        try:
            named.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            named.append(f"{package} not installed")
    cores = os.cpu_count()
    return f"{processor()}, {cores} cores, Python {platform.python_version()}; {', '.join(named)}"


def processor() -> str:
    """The processor's name and the vector instructions that matter, where the system tells them."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    found = dict(line.split(":", 1) for line in lines if ":" in line)
    about = {key.strip(): value.strip() for key, value in found.items()}
    flags = about.get("flags", "").split()
    tier = "AVX-512" if "avx512_vbmi2" in flags else "AVX2" if "avx2" in flags else "no AVX2"
    return f"{about.get('model name', platform.machine())} ({tier})"


def texts(megabytes: float) -> list[str]:
    """English texts of the examples, repeated with a number each until there are enough."""
    with gzip.open(EXAMPLES / "manuals-en.jsonl.gz", "rt", encoding="utf-8") as lines:
        base = [json.loads(line)["text"] for line in lines]
    made: list[str] = []
    size = 0
    while size < megabytes * 1e6:
        for text in base:
            made.append(f"{text} {len(made)}")
            size += len(made[-1].encode())
    return made


def in_turn(tools: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """CPU seconds of each tool, one after the other in every round, after one round unmeasured."""
    took: dict[str, list[float]] = {name: [] for name in tools}
    for number in range(rounds + 1):
        for name, work in tools.items():
            start = time.process_time()
            work()
            if number:
                took[name].append(time.process_time() - start)
    return took


def ratio(of: Iterable[float], over: Iterable[float]) -> float:
    """Median of the ratios round by round."""
    return statistics.median(a / b for a, b in zip(of, over, strict=True))
