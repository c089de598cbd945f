"""Writes docs/experiments.md and its pictures from the record of `experiments.py`.

The words are those of `experiments_page.in.md`, where figures are named in braces.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from neardup.experiments import pictures, theory
from neardup.experiments.draws import NAMES
from neardup.experiments.screens import rate
from neardup.reference import ROUNDS

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
PAGE = HERE / "experiments_page.in.md"
RECORD = HERE / "record" / "experiments.json"
SIZE = 128
SHOWN = (6, 12, 24, 48, 96, 384, 1000)

Record = dict[str, Any]


def main() -> None:
    """Write the page and its pictures."""
    (DOCS / "experiments").mkdir(exist_ok=True)
    for name, text in pages(json.loads(RECORD.read_text("utf-8"))).items():
        (DOCS / name).write_text(text, encoding="utf-8")


def pages(record: Record) -> dict[str, str]:
    """Every file that the record makes, by its path below docs/."""
    facts = of_accuracy(record["accuracy"]) | of_curve(record["curve"]) | of_speed(record["speed"])
    about = {name: record[name] for name in ("machine", "date", "peers")}
    found = {"experiments.md": PAGE.read_text("utf-8").format(**facts, **about, rounds=ROUNDS)}
    for name in ("accuracy", "curve", "speed"):
        for picture, text in getattr(pictures, name)(record[name]).items():
            found[f"experiments/{picture}.svg"] = text
    return found


def of_accuracy(record: Record) -> Record:
    """What the page says of estimates."""
    grid, pair = record["grid"], record["published"]
    fast, minhash = pair["all"]
    ours = [row for row in grid if row["sketch"] == "fast"]
    plain = {
        (row["sketch"], row["elements"]): row
        for row in grid
        if row["size"] == SIZE and round(row["jaccard"], 1) == 0.5
    }
    facts: Record = {
        "bias": max(abs(row["bias_sigmas"]) for row in ours),
        "cells": len(ours),
        "grid_cells": len(grid),
        "grid_draws": grid[0]["draws"],
        "worst_bias": max(abs(row["bias_sigmas"]) for row in grid),
        "worst_mse": max(abs(row["mse_sigmas"]) for row in grid),
        "chernoff": record["chernoff"]["bound"],
        "tail": record["chernoff"]["seen"]["fast"],
        "draws": fast["draws"],
        "groups": pair["groups"],
        "algorithm_1": pair["algorithm_1"],
        "ratio_seen": fast["mse"] / minhash["mse"],
        "oph12": plain["oph", 12]["rho"],
        "oph12_seen": plain["oph", 12]["rho_measured"],
    }
    for n in (12, 96, 1000):
        facts[f"rho{n}"] = plain["fast", n]["rho"]
        facts[f"seen{n}"] = plain["fast", n]["rho_measured"]
    for name, row in (("fast", fast), ("min", minhash)):
        spread = pair["spread"][row["sketch"]]
        facts |= {f"theory_{name}": row["variance"], f"seen_{name}": row["mse"]}
        facts |= {f"{name}_low": spread["middle_95"][0], f"{name}_high": spread["middle_95"][1]}
        facts[f"{name}_beyond"] = spread["beyond"]
    ratio = pair["ratio"]
    facts |= {"ratio": ratio["published"], "ratio_theory": ratio["theory"]}
    facts |= {"ratio_low": ratio["middle_95"][0], "ratio_high": ratio["middle_95"][1]}
    facts["ratio_beyond"] = ratio["as_low"]
    inside, first = record["shortcuts"]["rows"]
    facts |= {"inside": inside["expected"], "inside_seen": inside["estimate"]}
    facts |= {"first": first["expected"], "first_seen": first["estimate"]}
    rows = [
        [f"`{name}`"]
        + [f"{plain[name, n]['rho_measured']:.3f} ({plain[name, n]['rho']:.3f})" for n in SHOWN]
        for name in NAMES
    ]
    facts["variance"] = table(["", *(f"n = {n:,}" for n in SHOWN)], rows)
    rows = [
        [
            row["pair"],
            f"`{row['sketch']}`",
            f"{row['draws']:,}",
            f"{row['mean']:.4f} ({row['jaccard']:.4f})",
            f"{row['mse']:.6f} ({row['variance']:.6f})",
        ]
        for row in record["weighted"]
    ]
    facts["weighted"] = table(["weights", "sketch", "draws", "mean", "mean-square error"], rows)
    return facts


def of_curve(record: Record) -> Record:
    """What the page says of bands."""
    found = {(row["sketch"], row["jaccard"]): row for row in record["curve"]}
    known = (0.4, 0.7, 0.9)
    band = found["fast", 0.7]
    facts: Record = {
        "curve_draws": record["draws"],
        "curve_union": record["union"],
        "curve_theory": ", ".join(f"{theory.curve(j, 16, 8):.5f}".rstrip("0") for j in known),
        "curve_fast": ", ".join(f"{found['fast', j]['measured']:.4f}" for j in known),
        "curve_min": ", ".join(f"{found['minhash', j]['measured']:.4f}" for j in known),
        "band_low": band["band_lowest"],
        "band_high": band["band_highest"],
        "band_seen": band["band_measured"],
    }
    for row in record["examples"]:
        name = f"{row['bands']}" + ("_3" if row["jaccard"] == 0.3 else "")
        facts[f"f{name}"] = f"{row['formula']:.4f}"
        seen = facts.get(f"m{name}")
        facts[f"m{name}"] = (f"{seen}, " if seen else "") + f"{row['measured']:.4f}"
    return facts


def of_speed(record: Record) -> Record:
    """What the page says of evaluations and time."""
    counts = {row["elements"]: row for row in record["evaluations"]}
    fills = record["fills"]
    at700 = next(row for row in fills if row["elements"] == 700)
    others = [row for row in fills if row is not at700]
    facts: Record = {
        "bound": max(row["share_of_bound"] for row in counts.values()),
        "a1000": counts[1000]["algorithm_1_counted"],
        "kn1000": counts[1000]["minhash"],
        "at700": at700["chance"],
        "seen700": at700["measured"],
        "fills": ", ".join(f"{row['measured']:.3f}" for row in others),
    }
    facts |= {n: r["elements"] for n, r in zip(("half", "most", "nearly"), others, strict=True)}
    rows = [
        [f"{n:,}", f"{row['minhash']:,}"]
        + [f"{row[name]:,.0f} ({row[f'{name}_counted']:,.0f})" for name in ("algorithm_1", "fast")]
        for n, row in counts.items()
    ]
    facts["evaluations"] = table(["n", "k n", "Algorithm 1", "`fast`"], rows)
    rows = [
        [f"{row['elements']:,}", *(f"{row[name]:,.0f}" for name in NAMES)] for row in record["time"]
    ]
    facts["time"] = table(["n", *(f"`{name}`" for name in NAMES)], rows)
    facts["whole"] = whole(record["whole"])
    return facts


def whole(rows: list[Record]) -> str:
    """The table of whole runs: a row a corpus."""
    tools = list(dict.fromkeys(row["tool"] for row in rows))
    lines = []
    for corpus in dict.fromkeys(row["corpus"] for row in rows):
        own = [row for row in rows if row["corpus"] == corpus]
        cells = [corpus, f"{own[0]['documents']:,}"]
        for tool in tools:
            runs = [row for row in own if row["tool"] == tool]
            cells.append(" / ".join(rate(row) for row in runs))
        lines.append(cells)
    return table(["corpus", "documents", *tools], lines)


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    main()
