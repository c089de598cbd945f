"""Estimates of every sketch against its exact variance; the published pair; wrong shortcuts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neardup.experiments import SIGMAS, SIZE, Record, Say, shortcuts, theory, weights
from neardup.experiments.draws import NAMES, equal_slots, sizes
from neardup.sketching import Sketcher

Floats = npt.NDArray[np.float64]
ELEMENTS = (6, 12, 24, 48, 96, 192, 384, 1000)
JACCARDS = (0.1, 0.9)
"""Looked at besides .5, for some of the sizes of sets."""
SIZES = (32, 512)
"""Looked at besides 128."""
PUBLISHED = {"fast": 0.001447, "minhash": 0.002175}
"""Variances that an often quoted table gives: k = 128, J = .5, n = 1000, 200 draws."""
OF_PUBLISHED = (1334, 667)
FEW = 200
FURTHEST = 22
"""Slots off, at which errors are no longer told apart."""
BINS = [round(0.0011 + 0.0001 * step, 4) for step in range(18)]


def run(*, quick: bool = False, seed: int = 42, say: Say = lambda _: None) -> Record:
    """Draw random pairs of sets, and compare estimates with theory.

    Parameters
    ----------
    quick : bool, default False
        A tenth of the draws, on fewer settings.
    seed : int, default 42
        Of the draws and of the sketches.
    say : callable
        Told what is at work.

    Returns
    -------
    dict
        `grid`, a row a sketch and setting; `weighted`; `errors`; `published`; `chernoff`;
        `shortcuts`; `holds`.

    References
    ----------
    The formulas are named in docs/sketches.md.
    """
    grid = []
    for size, elements, jaccard in settings(quick):
        say(f"k = {size}, n = {elements}, J = {jaccard}")
        grid += cell(size, elements, jaccard, 500 if quick else 4000, seed)
    say("weighted sets")
    weighted = weights.rows(30 if quick else 300, seed)
    say("the published pair")
    draws = 10_000 if quick else 100_000
    equal = equal_slots(
        tuple(PUBLISHED), SIZE, draws, OF_PUBLISHED, (seed, 1), 10 if quick else 100
    )
    estimates = {name: found.mean(axis=1) for name, found in equal.items()}
    say("wrong shortcuts")
    wrong = shortcuts.measured(SIZE, 1500, 5 if quick else 20, seed)
    tail = {
        "jaccard": 0.5,
        "at_least": 0.7,
        "bound": theory.chernoff(SIZE, 0.5, 0.7),
        "draws": draws,
        "seen": {name: int((found >= 0.7).sum()) for name, found in estimates.items()},
    }
    record: Record = {"grid": grid, "errors": errors(1000 if quick else 8000, seed)}
    record |= {"weighted": weighted, "published": published(estimates), "chernoff": tail}
    record["shortcuts"] = {"size": SIZE, "elements": 1500, "rows": wrong}
    record["holds"] = all(
        abs(row[name]) <= SIGMAS
        for row in [*grid, *weighted, *record["published"]["all"]]
        for name in ("bias_sigmas", "mse_sigmas")
    )
    return record


def settings(quick: bool) -> list[tuple[int, int, float]]:
    """Slots, elements of each set, and similarity, of every cell."""
    elements = (12, 96, 384) if quick else ELEMENTS
    cells = [(SIZE, n, 0.5) for n in elements]
    if not quick:
        cells += [(SIZE, n, j) for n in (12, 96, 384) for j in JACCARDS]
        cells += [(k, n, 0.5) for k in SIZES for n in (12, 96, 384)]
    return cells


def cell(size: int, elements: int, jaccard: float, draws: int, seed: int) -> list[Record]:
    """One setting: a row a sketch."""
    union, shared = sizes(elements, jaccard)
    equal = equal_slots(NAMES, size, draws, (union, shared), (seed, 0))
    return [
        {"elements": elements} | against(name, size, union, shared / union, found.mean(axis=1))
        for name, found in equal.items()
    ]


def against(name: str, size: int, union: int, jaccard: float, estimates: Floats) -> Record:
    """Mean and mean-square error of estimates as multiples of theory, and how sure they are."""
    variance = Sketcher(name, size).std_err(jaccard, union) ** 2
    plain = jaccard * (1 - jaccard) / size
    errors = estimates - jaccard
    squares = errors**2
    root = math.sqrt(len(errors))
    spread = float(squares.std()) / root
    return {
        "sketch": name,
        "size": size,
        "union": union,
        "jaccard": jaccard,
        "draws": len(errors),
        "mean": float(estimates.mean()),
        "bias_sigmas": float(errors.mean()) / (math.sqrt(variance) / root),
        "variance": variance,
        "mse": float(squares.mean()),
        "mse_sigma": spread,
        "mse_sigmas": (float(squares.mean()) - variance) / spread,
        "rho": variance / plain,
        "rho_measured": float(squares.mean()) / plain,
        "rho_sigma": spread / plain,
    }


def errors(draws: int, seed: int) -> Record:
    """How often an estimate is so many slots off, k = 128, J = 1/2, n = 96, for every sketch."""
    union, shared = sizes(96, 0.5)
    equal = equal_slots(NAMES, SIZE, draws, (union, shared), (seed, 5))
    middle = SIZE * shared // union
    off = {
        name: np.clip(found.sum(axis=1) - middle, -FURTHEST, FURTHEST) + FURTHEST
        for name, found in equal.items()
    }
    return {
        "draws": draws,
        "furthest": FURTHEST,
        "sigma_slots": {n: SIZE * Sketcher(n, SIZE).std_err(0.5, union) for n in NAMES},
        "counts": {
            n: np.bincount(each, minlength=2 * FURTHEST + 1).tolist() for n, each in off.items()
        },
    }


def published(estimates: dict[str, Floats]) -> Record:
    """All draws against theory; and the variances of 200 draws, which are all over the place."""
    union, shared = OF_PUBLISHED
    j = shared / union
    groups = {name: found.reshape(-1, FEW).var(axis=1, ddof=1) for name, found in estimates.items()}
    ratios = groups["fast"] / groups["minhash"]
    claimed = PUBLISHED["fast"] / PUBLISHED["minhash"]
    return {
        "union": union,
        "jaccard": j,
        "all": [against(name, SIZE, union, j, found) for name, found in estimates.items()],
        "algorithm_1": j * (1 - j) / SIZE * theory.rho(SIZE, union, SIZE),
        "few": FEW,
        "groups": len(ratios),
        "bins": BINS,
        "spread": {name: spread(found, PUBLISHED[name]) for name, found in groups.items()},
        "ratio": {
            "published": claimed,
            "theory": theory.rho(SIZE, union, SIZE),
            "as_low": float((ratios <= claimed).mean()),
            "middle_95": quantiles(ratios, (0.025, 0.975)),
        },
    }


def spread(variances: Floats, claimed: float) -> Record:
    """How the variances of so few draws are spread, and where the published one lies."""
    low, high = float((variances <= claimed).mean()), float((variances >= claimed).mean())
    counts, _ = np.histogram(variances, BINS)
    return {
        "published": claimed,
        "beyond": min(low, high),
        "middle_95": quantiles(variances, (0.025, 0.975)),
        "sigma": float(variances.std()),
        "counts": counts.tolist(),
    }


def quantiles(values: Floats, at: Sequence[float]) -> list[Any]:
    """Quantiles as plain numbers."""
    found: list[Any] = np.quantile(values, at).tolist()
    return found
