"""`neardup evaluate`: how good the answer is on a labelled collection."""

from __future__ import annotations

import json
from typing import Any

import click

from neardup.cli.options import Command, schema_options, settings
from neardup.evaluation import OF_A_RUN, OWN, check_run, scored
from neardup.interrupt import Work

EPILOG = """\b
Examples:
  neardup evaluate corpus.jsonl.gz --labels pairs.tsv --id id
  neardup evaluate corpus.jsonl.gz --labels pairs.tsv --id id --thresholds .6,.7,.8,.9
  neardup evaluate corpus.jsonl.gz --labels pairs.tsv --id id --exact-join -o scores.csv

\b
Labels: a file of true pairs (id_a, id_b, and maybe similarity: then those at the threshold or above
are true) or of labels (id, label), tabs between; or a field of the input. Exact duplicates count
once.
"""
COUNTS = ("found", "true", "both", "removed")
RATES = ("precision", "recall", "f1", "ari")
NARROW = 60
"""On a narrower screen the counts are left out."""


@click.command("evaluate", cls=Command, epilog=EPILOG)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...", type=click.Path())
@schema_options({*OF_A_RUN, *OWN, "config"})
@click.pass_context
def command(ctx: click.Context, /, inputs: tuple[str, ...], **_options: Any) -> None:
    """Compare what is found in INPUT with what is known: pairs and clusters.

    Prints precision, recall and F1 on pairs, and the adjusted Rand index on clusters, for each
    threshold and shingle. Files are read once. There is one run a shingle, at the lowest threshold;
    --exact-join makes the figures independent of bands.
    """
    from neardup.api import open_files
    from neardup.cli.progress import watch

    config, given = settings(ctx)
    check_run(config, given)
    sources = open_files(inputs, config)
    with Work() as work, watch(quiet=config.quiet) as watcher:
        found = scored(sources, config, config.labels, None, work.over(watcher))
    if config.save is not None:
        found.save(config.save)
    if config.json:
        click.echo(json.dumps(found.as_dict(), ensure_ascii=False, indent=2))
    elif not config.quiet:
        show(found.facts, found.scores)


def show(facts: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Print the table; the best F1 and the best Rand index stand out."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    console.print(said(facts), markup=False)
    narrow = console.width < NARROW
    counts = () if narrow else COUNTS
    table = Table(box=None, pad_edge=False, padding=(0, 1 if narrow else 2, 0, 0))
    table.add_column("shingle", no_wrap=True)
    heads = ("T", "P", "R", "F1", "ARI") if narrow else ("T", *counts, *RATES)
    for name in heads:
        table.add_column(name, justify="right", no_wrap=True)
    best = {name: max(row[name] for row in rows) for name in ("f1", "ari")}
    for row in rows:
        cells = [row["shingle"], f"{row['threshold']:g}", *(f"{row[name]:,}" for name in counts)]
        for name in RATES:
            star = "*" if len(rows) > 1 and row[name] == best.get(name) else ""
            cells.append(f"{star}{row[name]:.{3 if narrow else 4}f}")
        table.add_row(*cells)
    console.print(table)
    if len(rows) > 1:
        console.print("* best; differences of a few hundredths are ties", markup=False)


def said(facts: dict[str, Any]) -> str:
    """What there was to judge, in a sentence or two."""
    parts = [f"{facts['documents']:,} documents"]
    parts.append(f"{facts['exact_duplicates']:,} exact duplicates folded into the first of each")
    for name, words in (
        ("exact_across_labels", "of them with another label than it (often a label error)"),
        ("unlabelled", "without a label, not judged"),
        ("unknown_ids", "ids of the labels are not there"),
    ):
        if facts.get(name):
            parts.append(f"{facts[name]:,} {words}")
    return "; ".join(parts) + "."
