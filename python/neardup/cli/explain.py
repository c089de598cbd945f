"""`neardup explain`: what a threshold, a recall and a size lead to, drawn in the terminal."""

from __future__ import annotations

import json
from typing import Any

import click

from neardup.banding import Banding, banding
from neardup.cli.options import Command, explicit, schema_options
from neardup.config import Config

EPILOG = """\b
Examples:
  neardup explain
  neardup explain --threshold 0.9 --recall 0.99 --size 256
  neardup explain --bands 20 --rows 5
"""
STEPS = tuple(step / 10 for step in range(1, 11))


@click.command("explain", cls=Command, epilog=EPILOG)
@schema_options(("preset", "threshold", "recall", "size", "bands", "rows", "json"))
@click.pass_context
def command(ctx: click.Context, /, **_options: Any) -> None:
    """Show the bands and rows chosen, the recall they give and what they cost. Needs no data."""
    config = Config.from_options(explicit(ctx))
    plan = banding(config.threshold, config.recall, config.size, config.bands, config.rows)
    if config.json:
        click.echo(json.dumps(facts(plan), indent=2))
    else:
        draw(plan)


def facts(plan: Banding) -> dict[str, Any]:
    """Everything the page shows, as numbers."""
    return {
        "bands": plan.bands,
        "rows": plan.rows,
        "size": plan.size,
        "threshold": plan.threshold,
        "recall": plan.recall,
        "midpoint": plan.midpoint,
        "curve": {f"{step:.1f}": plan.curve(step) for step in STEPS},
        "false_candidates_per_million": {
            f"{step:.1f}": plan.curve(step) * 1e6 for step in STEPS if step < plan.threshold
        },
        "bytes_per_document": plan.bytes_per_document,
    }


def draw(plan: Banding) -> None:
    """Print the page, as wide as the terminal allows."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    used = plan.bands * plan.rows
    spare = f", {plan.size - used} spare" if used < plan.size else ""
    for name, text in (
        ("bands x rows", f"{plan.bands} x {plan.rows}  ({used} of {plan.size} slots{spare})"),
        ("recall", f"{plan.recall:.4f} of the pairs at similarity {plan.threshold:g}"),
        ("midpoint", f"{plan.midpoint:.3f}  (1/b)^(1/r), where the curve is steepest"),
        ("memory", f"{plan.bytes_per_document:,} bytes a document: band keys, digests and counts"),
    ):
        table.add_row(name, text)
    console.print(table)
    console.print("\n[bold]How likely a pair becomes a candidate[/], by its similarity")
    console.print(curve(plan, console))
    console.print(
        "\nA candidate below the threshold costs the time to check it; it is not removed."
        "\nMore bands = looser, more rows = stricter."
    )


def curve(plan: Banding, console: Any) -> Any:
    """The S-curve as bars, with the threshold where it falls."""
    from rich.table import Table
    from rich.text import Text

    wide = console.width >= 64
    width = max(8, min(50, console.width - (40 if wide else 20)))
    full, part = ("█", "▏▎▍▌▋▊▉") if _unicode(console) else ("#", "")
    chart = Table(box=None, pad_edge=False)
    chart.add_column("at", justify="right", no_wrap=True)
    chart.add_column("", no_wrap=True)
    chart.add_column("chance", justify="right", no_wrap=True)
    if wide:
        chart.add_column("of a million", justify="right", no_wrap=True)
    for similarity in sorted({*STEPS, plan.threshold}):
        chance = plan.curve(similarity)
        whole, eighths = divmod(round(chance * width * 8), 8)
        bar = full * whole + (part[eighths - 1] if eighths and part else "")
        found = similarity >= plan.threshold
        chart.add_row(
            f"{similarity:.4g}" if similarity == plan.threshold else f"{similarity:.1f}",
            Text(bar.ljust(width), style="green" if found else "yellow"),
            f"{chance:.4f}",
            *([f"{chance * 1e6:,.0f}"] if wide else []),
            style="bold" if similarity == plan.threshold else "",
        )
    return chart


def _unicode(console: Any) -> bool:
    """Whether block characters can be shown."""
    return str(console.encoding).lower().replace("-", "").startswith("utf")
