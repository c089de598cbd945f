"""What the benchmarks share: options, texts, times of tools taken in turn, the row of a report."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

os.environ["RAYON_NUM_THREADS"] = "1"  # read by rensa when it is imported

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
SIZE, BANDS, SEED = 128, 16, 42


@dataclass(frozen=True)
class Row:
    """One line of the report.

    Attributes
    ----------
    work, peer : str
        What was done, and beside whom.
    ours, theirs : str
        Both figures with their units.
    value : float or None
        What is compared with the goal: mostly a ratio; None if it was not run.
    goals : tuple of float
        With AVX-512 and without; 0 is no goal.
    least : bool
        The goal is the most that is allowed, not the least.
    """

    work: str
    peer: str
    ours: str
    theirs: str
    value: float | None
    goals: tuple[float, float] = (0.0, 0.0)
    least: bool = False


class Bench:
    """The options of a script, and where its rows go."""

    def __init__(self, about: str) -> None:
        parser = argparse.ArgumentParser(description=about)
        parser.add_argument("--tier", help="use no kernels beyond: scalar, avx2, avx512, neon")
        parser.add_argument("--quick", action="store_true", help="less data, fewer rounds")
        parser.add_argument("--rows", type=Path, help="append the rows to this file, as JSON")
        self.options = parser.parse_args()
        self.quick: bool = self.options.quick
        if self.options.tier:
            from neardup import _native

            _native.limit_tier(self.options.tier)

    def add(self, row: Row) -> None:
        """Show a row and keep it."""
        shown = "not run" if row.value is None else f"{row.value:.2f}"
        print(
            f"{row.work:<58} {row.peer:<15} {row.ours:>16} {row.theirs:>16} {shown:>8}", flush=True
        )
        if self.options.rows:
            with self.options.rows.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(row)) + "\n")

    def ratio(
        self,
        work: str,
        took: dict[str, list[float]],
        show: Callable[[float], str],
        goals: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """A row for each peer in `took`, whose first entry is ours."""
        ours, *peers = took
        for peer in peers:
            self.add(
                Row(
                    work,
                    peer,
                    show(statistics.median(took[ours])),
                    show(statistics.median(took[peer])),
                    statistics.median(a / b for a, b in zip(took[peer], took[ours], strict=True)),
                    goals,
                )
            )


def texts(megabytes: float, name: str = "manuals-en.jsonl.gz") -> list[str]:
    """Texts of an example corpus, repeated with a number each until there are enough."""
    path = EXAMPLES / name
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        base = [json.loads(line)["text"] for line in lines]
    made: list[str] = []
    size = 0
    while size < megabytes * 1e6:
        for text in base:
            made.append(f"{text} {len(made)}")
            size += len(made[-1].encode())
    return made


def in_turn(tools: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """CPU seconds of each tool, one after the other in every round, after one round unmeasured."""
    took: dict[str, list[float]] = {name: [] for name in tools}
    for number in range(rounds + 1):
        for name, work in tools.items():
            start = time.process_time()
            work()
            if number:
                took[name].append(time.process_time() - start)
    return took


def megabytes(texts: Iterable[str]) -> float:
    """Bytes of all texts in UTF-8, in millions."""
    return sum(len(text.encode()) for text in texts) / 1e6
