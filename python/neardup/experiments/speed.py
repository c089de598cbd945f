"""What a set costs: hash evaluations, time by sketch and size; whole runs beside peers."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from neardup.experiments import SIGMAS, SIZE, Record, Say, counted, peers
from neardup.experiments.draws import NAMES
from neardup.sketching import Sketcher

ELEMENTS = (3, 10, 30, 100, 300, 1000, 3000, 10_000)
HASHES = 30_000
"""Hashes of a batch that is timed."""


def run(
    inputs: Sequence[Path] = (),
    *,
    quick: bool = False,
    seed: int = 42,
    say: Say = lambda _: None,
) -> Record:
    """Count evaluations, time sketches, and time whole runs beside peers.

    Parameters
    ----------
    inputs : sequence of pathlib.Path
        JSON Lines with a field `text`, for whole runs; without any, what `peers.corpora` finds.
    quick, seed, say
        As of `accuracy.run`.

    Returns
    -------
    dict
        `evaluations`, `fills`, `time` and `whole`; `holds`: counts agree with theory. Times are of
        this machine; everything else is reproducible.
    """
    record: Record = {
        "evaluations": counted.rows(quick, seed, say),
        "fills": counted.fills(quick, seed),
        "time": timed(quick, seed, say),
        "whole": peers.rows(inputs, quick, say),
    }
    record["holds"] = all(
        abs(row["measured"] - row["chance"])
        <= SIGMAS * math.sqrt(row["chance"] * (1 - row["chance"]) / row["sets"])
        for row in record["fills"]
    ) and all(
        abs(row[f"{name}_counted"] - row[name]) <= SIGMAS * row[f"{name}_sigma"]
        for row in record["evaluations"]
        for name in ("algorithm_1", "fast")
    )
    return record


def timed(quick: bool, seed: int, say: Say) -> list[Record]:
    """Nanoseconds a set of token hashes on one thread: the best of rounds taken in turn."""
    found = []
    for elements in (10, 1000) if quick else ELEMENTS:
        say(f"time of a set, n = {elements}")
        sets = max(1, HASHES // elements)
        values = np.random.default_rng(seed).integers(0, 2**64, sets * elements, np.uint64)
        offsets = np.arange(0, len(values) + 1, elements)
        sketchers = {name: Sketcher(name, SIZE, seed) for name in NAMES}
        best = dict.fromkeys(NAMES, float("inf"))
        for _ in range(3 if quick else 7):
            for name, sketcher in sketchers.items():
                start = time.perf_counter()
                sketcher.batch_csr(values, offsets, True, 1)
                best[name] = min(best[name], time.perf_counter() - start)
        found.append({"elements": elements} | {n: took / sets * 1e9 for n, took in best.items()})
    return found
