"""The banding curve of every sketch against 1 - (1 - J^r)^b."""

from __future__ import annotations

import math

import numpy as np

from neardup.experiments import SIGMAS, SIZE, Record, Say, theory
from neardup.experiments.draws import NAMES, Bools, equal_slots

UNION = 400
JACCARDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
KNOWN = (0.4, 0.7, 0.9)
MAIN = (SIZE, 16, 8)
OTHERS = {(100, 15, 5): (0.3, 0.7), (100, 20, 5): (0.3, 0.7), (SIZE, 9, 13): (0.8,)}
"""Slots, bands and rows of other examples, with the similarities they are quoted at."""
INDEPENDENT = ("minhash", "minhash61")
"""Sketches whose slots are independent, so that the formula is exact."""


def run(*, quick: bool = False, seed: int = 42, say: Say = lambda _: None) -> Record:
    """Count the random pairs that share a band, for every sketch and similarity.

    Parameters
    ----------
    quick, seed, say
        As of `accuracy.run`.

    Returns
    -------
    dict
        `curve`: a row a sketch and similarity for 16 bands of 8 rows; `examples`: the same for
        other bands; `union`, the elements of each union; `holds`.
    """
    draws = 500 if quick else 4000
    rows = []
    for jaccard in KNOWN if quick else JACCARDS:
        say(f"16 bands of 8 rows, J = {jaccard}")
        rows += bands(NAMES, MAIN, jaccard, draws, seed)
    examples = []
    for plan, quoted in OTHERS.items():
        for jaccard in quoted:
            say(f"{plan[1]} bands of {plan[2]} rows, J = {jaccard}")
            examples += bands(("fast", "minhash"), plan, jaccard, draws, seed)
    exact = [row for row in [*rows, *examples] if row["sketch"] in INDEPENDENT]
    return {
        "union": UNION,
        "draws": draws,
        "curve": rows,
        "examples": examples,
        "holds": all(abs(row["sigmas"]) <= SIGMAS for row in exact)
        and all(between(row) for row in rows if row["sketch"] == "fast"),
    }


def bands(
    names: tuple[str, ...], plan: tuple[int, int, int], jaccard: float, draws: int, seed: int
) -> list[Record]:
    """One similarity and one banding: a row a sketch."""
    size = plan[0]
    shared = round(UNION * jaccard)
    equal = equal_slots(names, size, draws, (UNION, shared), (seed, 2))
    return [measured(name, plan, shared / UNION, found) for name, found in equal.items()]


def measured(name: str, plan: tuple[int, int, int], jaccard: float, equal: Bools) -> Record:
    """Pairs that share a band, and bands that are equal, beside the formulas."""
    size, number, rows = plan
    cut = equal[:, : number * rows].reshape(-1, number, rows)
    whole = np.all(cut, axis=2)
    expected = theory.curve(jaccard, number, rows)
    share = float(np.any(whole, axis=1).mean())
    sigma = math.sqrt(max(expected * (1 - expected), 1e-12) / len(equal))
    return {
        "sketch": name,
        "size": size,
        "bands": number,
        "rows": rows,
        "jaccard": jaccard,
        "draws": len(equal),
        "formula": expected,
        "measured": share,
        "sigmas": (share - expected) / sigma,
        "band_highest": jaccard**rows,
        "band_lowest": theory.lowest_band(jaccard, size, rows),
        "band_measured": float(whole.mean()),
        "band_sigma": float(np.std(whole.mean(axis=1))) / math.sqrt(len(equal)),
    }


def between(row: Record) -> bool:
    """Whether one band is as likely as its two bounds allow."""
    slack = SIGMAS * row["band_sigma"] + 1 / row["draws"]
    low, high = row["band_lowest"] - slack, row["band_highest"] + slack
    return bool(low <= row["band_measured"] <= high)
