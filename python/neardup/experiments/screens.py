"""What a person reads of an experiment in the terminal; --json has all of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table

from neardup.experiments import SIGMAS, SIZE, Record
from neardup.experiments.curve import KNOWN
from neardup.experiments.draws import NAMES

NARROW = 60
SHOWN = (12, 96, 384)
"""Elements of the sets in the table of variances."""


def table(
    console: Console, title: str, heads: Iterable[str], rows: Iterable[Iterable[Any]]
) -> None:
    """Print a titled table, numbers to the right."""
    console.print(f"[bold]{title}[/]")
    made = Table(box=None, pad_edge=False, padding=(0, 1 if console.width < NARROW else 2, 0, 0))
    for number, head in enumerate(heads):
        made.add_column(head, justify="right" if number else "left", overflow="fold")
    for row in rows:
        made.add_row(*map(str, row))
    console.print(made)
    console.print()


def accuracy(record: Record) -> None:
    """Variances, the published pair, what is wrong."""
    console = Console(highlight=False)
    narrow = console.width < NARROW
    rows: list[list[Any]] = []
    for name in NAMES:
        own = [row for row in record["grid"] if row["sketch"] == name]
        cells = {
            row["elements"]: f"{row['rho_measured']:.3f}"
            + ("" if narrow else f" ({row['rho']:.3f})")
            for row in own
            if row["size"] == SIZE and round(row["jaccard"], 1) == 0.5
        }
        far = max(max(abs(row["bias_sigmas"]), abs(row["mse_sigmas"])) for row in own)
        rows.append([name, *(cells[n] for n in SHOWN), f"{far:.1f}"])
    heads = ["sketch", *(f"n={n}" for n in SHOWN), "sigmas"]
    table(console, f"Variance / (J (1-J) / k), k = {SIZE}, J = .5", heads, rows)
    console.print(
        "Measured (formula); sigmas: the farthest that a mean or a mean-square error is from its "
        f"formula, over all settings; {SIGMAS:g} are allowed.\n"
    )
    rows = [
        [row["pair"], row["sketch"], f"{row['jaccard']:.3f}", f"{row['mean']:.3f}"]
        for row in record["weighted"]
    ]
    table(console, "Weighted sets", ["weights", "sketch", "J", "mean"], rows)
    facts = record["published"]
    rows = [
        [
            row["sketch"],
            f"{facts['spread'][row['sketch']]['published']:.6f}",
            f"{row['variance']:.6f}",
            f"{row['mse']:.6f}",
            *([] if narrow else [ends(facts["spread"][row["sketch"]]["middle_95"])]),
        ]
        for row in facts["all"]
    ]
    heads = ["variance", "published", "theory", "all draws"]
    heads += [] if narrow else ["95 % of the 200"]
    table(console, f"The published pair: 200 of {facts['all'][0]['draws']:,} draws", heads, rows)
    tail = record["chernoff"]
    console.print(
        f"P(estimate >= .7 | J = .5) <= {tail['bound']:.4f}: seen {tail['seen']['fast']} times in "
        f"{tail['draws']:,}.\n"
    )
    rows = [
        [row["shortcut"], f"{row['estimate']:.3f}", f"{row['expected']:.3f}"]
        for row in record["shortcuts"]["rows"]
    ]
    heads = ["wrong", "estimate", "expected"]
    table(console, "A set of 1,500 with itself, in two orders: J = 1", heads, rows)


def ends(interval: list[float]) -> str:
    """An interval of variances."""
    return "-".join(f"{value:.6f}" for value in interval)


def curve(record: Record) -> None:
    """The S-curve at the known similarities, and other bands."""
    console = Console(highlight=False)
    shown = [row for row in record["curve"] if row["jaccard"] in KNOWN]
    rows = [["formula", *(f"{row['formula']:.4f}" for row in shown if row["sketch"] == "fast")]]
    rows += [
        [name, *(f"{row['measured']:.4f}" for row in shown if row["sketch"] == name)]
        for name in NAMES
    ]
    heads = ["16 bands of 8", *(f"J={j:g}" for j in KNOWN)]
    table(console, f"Pairs that share a band, of {record['draws']:,}", heads, rows)
    ours, theirs = record["examples"][0::2], record["examples"][1::2]
    rows = [
        [
            f"{a['bands']} x {a['rows']} of {a['size']}",
            f"{a['jaccard']:g}",
            *(f"{value:.4f}" for value in (a["formula"], a["measured"], b["measured"])),
        ]
        for a, b in zip(ours, theirs, strict=True)
    ]
    table(console, "Other bands", ["bands x rows", "J", "formula", "fast", "minhash"], rows)


def rate(row: Record) -> str:
    """Megabytes of text a second, or that there is none to tell."""
    if row["seconds"] is None:
        return "failed" if "failed" in row else "not run"
    return f"{row['bytes'] / row['seconds'] / 1e6:.1f}"


def speed(record: Record) -> None:
    """Evaluations, fills, time by size, whole runs."""
    console = Console(highlight=False)
    narrow = console.width < NARROW
    rows: list[list[Any]] = [
        [row["elements"], *(f"{row[name]:,.0f}" for name in ("minhash", "algorithm_1", "fast"))]
        + ([] if narrow else [f"{row['fast_counted']:,.0f}"])
        for row in record["evaluations"]
    ]
    heads = ["n", "k n", "Algorithm 1", "fast", *([] if narrow else ["counted"])]
    table(console, f"Hash evaluations of a set, k = {SIZE}", heads, rows)
    rows = [
        [row["elements"], f"{row['chance']:.3f}", f"{row['measured']:.3f}"]
        for row in record["fills"]
    ]
    table(console, "Round 1 fills every slot", ["n", "chance", "measured"], rows)
    names = ("fast", "minhash", "oph") if narrow else NAMES
    rows = [[row["elements"], *(f"{row[name]:,.0f}" for name in names)] for row in record["time"]]
    table(console, "ns a set, one thread", ["n", *names], rows)
    rows = [
        [
            row["corpus"],
            row["tool"],
            row["threads"],
            rate(row),
        ]
        for row in record["whole"]
    ]
    table(console, "Whole runs, MB/s", ["corpus", "tool", "threads", "MB/s"], rows)
    if not rows:
        console.print("Whole runs: not run, for want of a corpus; name one as INPUT.")
