"""The pictures of docs/accuracy.md."""

from __future__ import annotations

import math
from typing import Any

from neardup.svg import Axis, Chart

Record = dict[str, Any]
SHOWN = 8
"""Corpora in the picture of removals, those with most of them."""
KINDS = ("verified stars", "verified components", "unverified components")


def cells(record: Record) -> list[tuple[Record, Record]]:
    """Every cell in which something is true, with its corpus."""
    return [(c, cell) for c in record["corpora"] for cell in c["cells"] if cell["true"]]


def curve(record: Record) -> str:
    """Chance to become a candidate by similarity: the formula, and what was measured."""
    corpus = max(record["corpora"], key=lambda c: (len(c["curves"]), c["name"] == "neardup-en-20k"))
    chart = Chart(760, 420, "Share of pairs that became candidates, by similarity")
    ticks = tuple((v / 10, f"{v / 10:g}") for v in range(5, 11))
    across = Axis((0.5, 1.0), (70, 730), ticks)
    up = Axis((0.0, 1.0), (350, 40), tuple((v / 5, f"{v * 20} %") for v in range(6)))
    chart.frame(across, up, "exact Jaccard similarity", "pairs that became candidates")
    for number, each in enumerate(corpus["curves"]):
        points = []
        for step in range(101):
            j = 0.5 + step / 200
            points.append((across(j), up(1 - (1 - j ** each["rows"]) ** each["bands"])))
        chart.line(points, f"line s{number}")
        bins = len(each["pairs"])
        for place, (pairs, hits) in enumerate(zip(each["pairs"], each["hits"], strict=True)):
            if pairs >= 50:
                j = 0.5 + (place + 0.5) / (2 * bins)
                chart.dot(across(j), up(hits / pairs), f"f{number}")
        chart.text(
            100 + number * 128,
            24,
            f"T {each['threshold']:g}: {each['bands']}×{each['rows']}",
            style=f"b f{number}",
        )
    chart.text(730, 408, f"{corpus['name']}; dots: measured; lines: 1 - (1 - J^r)^b", "end", "soft")
    return str(chart)


def recall(record: Record) -> str:
    """Measured misses against expected misses, a dot a cell, both on a log scale."""
    chart = Chart(760, 470, "True pairs missed, measured against expected")
    lowest, highest = -5.0, -1.0
    ticks = tuple((float(p), f"{100 * 10.0**p:g} %") for p in range(-5, 0))
    across = Axis((lowest, highest), (90, 520), ticks)
    up = Axis((lowest, highest), (400, 30), ticks)
    chart.frame(across, up, "share of true pairs expected to be missed", "share missed")
    chart.line([(across(lowest), up(lowest)), (across(highest), up(highest))], "axis", "4 4")
    every = cells(record)
    asked = sorted({cell["recall"] for _, cell in every})
    for _, cell in every:
        x, y = (
            min(max(math.log10(max(1 - cell[name], 1e-9)), lowest), highest)
            for name in ("expected", "measured")
        )
        number = asked.index(cell["recall"])
        style = f"hollow s{number}" if cell["capped_pairs"] else f"f{number}"
        chart.dot(across(x), up(y), style, round(1.5 + 0.7 * math.log10(cell["true"]), 1))
    for number, value in enumerate(asked):
        chart.dot(556, 56 + 26 * number, f"f{number}", 5)
        chart.text(570, 60 + 26 * number, f"asked: {value:g}")
    notes = ("a dot a corpus and threshold,", "larger for more true pairs;", "dashes: as expected;")
    ends = ("on the lower edge: none missed;", "hollow: a bucket cap acted")
    for number, words in enumerate((*notes, *ends)):
        chart.text(550, 70 + 26 * len(asked) + 18 * number, words, style="soft")
    return str(chart)


def removals(record: Record) -> str:
    """Documents removed by stars, components, and components without verification."""
    by_size = sorted(record["corpora"], key=lambda c: -c["verification"][KINDS[0]]["removed"])
    some = by_size[:SHOWN]
    chart = Chart(760, 56 + 88 * len(some), "Documents removed, and how many of them unlike")
    chart.bar(200, 14, 12, 12, "f0")
    chart.text(218, 24, "similar to the one that stays")
    chart.bar(430, 14, 12, 12, "f1")
    chart.text(448, 24, "below the threshold to it")
    for number, corpus in enumerate(some):
        v = corpus["verification"]
        top = 52 + 88 * number
        scale = 440 / max(v[kind]["removed"] for kind in KINDS)
        chart.text(220, top + 2, corpus["name"], style="b")
        for place, kind in enumerate(KINDS):
            y = top + 10 + 20 * place
            good = v[kind]["removed"] - v[kind]["below"]
            chart.text(212, y + 12, kind, "end", "soft")
            chart.bar(220, y, good * scale, 15, "f0")
            chart.bar(220 + good * scale, y, v[kind]["below"] * scale, 15, "f1")
            end = 220 + v[kind]["removed"] * scale
            chart.text(end + 6, y + 12, f"{v[kind]['removed']:,}", style="soft")
    return str(chart)
