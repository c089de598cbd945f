"""`neardup evaluate`: how good the answer is on a labelled collection."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from neardup import values
from neardup.cli.options import Command, explicit, schema_options
from neardup.config import OPTIONS, Config
from neardup.errors import UsageError
from neardup.interrupt import Work

EPILOG = """\b
Examples:
  neardup evaluate corpus.jsonl.gz --labels pairs.tsv --id id
  neardup evaluate corpus.jsonl.gz --labels pairs.tsv --id id --thresholds .6,.7,.8,.9
  neardup evaluate corpus.jsonl.gz --labels pairs.tsv --id id --exact-join -o scores.tsv

\b
Labels: a file of true pairs (id_a, id_b, and maybe similarity: then those at the threshold or above
are true) or of labels (id, label), tabs between; or a field of the input. Exact duplicates count
once.
"""
_OTHER = ("against", "annotate", "annotate_prefix", "exact_only", "config")
_READING = ("text", "id", "format", "encoding", "whole_file", "on_error", "threads", "memory")
COUNTS = ("found", "true", "both", "removed")
RATES = ("precision", "recall", "f1", "ari")
NARROW = 60
"""On a narrower screen the counts are left out."""


class Several(click.ParamType[tuple[Any, ...]]):
    """Values of one kind, commas between."""

    name = "several"

    def __init__(self, kind: values.Kind) -> None:
        self.kind = kind

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[Any, ...]:
        """Read each of them."""
        try:
            return tuple(dict.fromkeys(self.kind.read(item) for item in value.split(",")))
        except (ValueError, TypeError, OverflowError):
            self.fail(f"{value!r} is not allowed; use {self.kind.allowed}, commas between")


def _kind(name: str) -> values.Kind:
    return next(option.kind for option in OPTIONS if option.name == name)


@click.command("evaluate", cls=Command, epilog=EPILOG)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...", type=click.Path())
@click.option("--labels", metavar="FILE", help="True pairs of ids, or ids with labels.")
@click.option("--label", metavar="FIELD", help="Field of the input that holds the label.")
@click.option("--out", metavar="OUT", help="Evaluate this finished run instead of running.")
@click.option(
    "--thresholds",
    metavar="T,T...",
    type=Several(_kind("threshold")),
    help="Evaluate at each of these thresholds.",
)
@click.option(
    "--shingles",
    metavar="UNIT:N,...",
    type=Several(_kind("shingle")),
    help="Evaluate with each of these shingles.",
)
@click.option("-o", "--save", metavar="FILE", help="Write the table here: .tsv or .json.")
@schema_options(
    option.name
    for option in OPTIONS
    if option.name not in _OTHER and (option.group != "Output" or option.name == "overwrite")
)
@click.pass_context
def command(ctx: click.Context, /, inputs: tuple[str, ...], **options: Any) -> None:
    """Compare what is found in INPUT with what is known: pairs and clusters.

    Prints precision, recall and F1 on pairs, and the adjusted Rand index on clusters, for each
    threshold and shingle. There is one run a shingle, at the lowest threshold; --exact-join makes
    the figures independent of bands.
    """
    typed = {name: value for name, value in explicit(ctx).items() if name != "out"}
    mine = {name: options[name] for name in ("labels", "label", "out", "thresholds", "shingles")}
    _check(typed, mine, options["save"])
    config = Config.from_options(typed)
    save = options["save"]
    if save is not None and os.path.exists(save) and not config.overwrite:
        raise UsageError(f"{save} exists; add --overwrite to replace it, or name another file")
    facts, rows = run(config, inputs, mine)
    if save is not None:
        write(save, facts, rows)
    if config.json:
        click.echo(json.dumps({**facts, "scores": rows}, ensure_ascii=False, indent=2))
    elif not config.quiet:
        show(facts, rows)


def _check(typed: dict[str, Any], mine: dict[str, Any], save: str | None) -> None:
    if (mine["labels"] is None) == (mine["label"] is None):
        raise UsageError("what is true? Give --labels FILE or --label FIELD, one of them")
    if mine["labels"] is not None and "id" not in typed:
        raise UsageError("--labels names documents by their ids; say which field with --id FIELD")
    if save is not None and not save.endswith((".tsv", ".json")):
        raise UsageError(f"{save}: the table is written as .tsv or .json")
    if mine["out"] is not None:
        run_by = {name for name in ("thresholds", "shingles") if mine[name] is not None}
        run_by |= typed.keys() - {*_READING, "json", "quiet", "overwrite"}
        if run_by:
            flags = ", ".join("--" + name.replace("_", "-") for name in sorted(run_by))
            raise UsageError(f"--out takes a run as it is; leave out {flags}")


def run(
    config: Config, inputs: tuple[str, ...], mine: dict[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What there was to judge, and a row of scores for each answer."""
    from neardup import grid
    from neardup.cli.progress import watch
    from neardup.io import open_inputs
    from neardup.truth import Truth, read_labels

    file = None if mine["labels"] is None else read_labels(mine["labels"])
    rows: list[dict[str, Any]] = []
    truth: Truth | None = None
    facts: dict[str, Any] = {}
    sources = open_inputs(
        inputs,
        format=config.format,
        encoding=config.encoding,
        whole_file=config.whole_file,
    )
    with Work() as work, watch(quiet=config.quiet) as watcher:
        progress = work.over(watcher)
        thresholds = mine["thresholds"] or (config.threshold,)
        shingles = mine["shingles"] or (config.shingle,)
        if mine["out"] is None:
            answers = grid.over(config, sources, thresholds, shingles, progress)
        else:
            answers = iter([grid.finished(mine["out"], config, sources, progress)])
        for each in answers:
            if truth is None:
                if file is None:
                    truth = Truth.of_labels(grid.column(each.base, mine["label"]))
                else:
                    truth = Truth.of_file(file, grid.column(each.base, str(config.id)))
                facts = truth.folded(each.leader)
            scores = truth.score(each.pairs, each.cluster, each.leader, each.threshold)
            row = {"shingle": each.shingle, "threshold": each.threshold, **scores}
            rows.append({**row, "removed": each.removed})
    return facts, rows


def write(path: str, facts: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Write the scores, finished or not at all."""
    from neardup.io import write_bytes, writing

    if path.endswith(".json"):
        text = json.dumps({**facts, "scores": rows}, ensure_ascii=False, indent=2) + "\n"
    else:
        lines = [list(rows[0]), *(map(str, row.values()) for row in rows)]
        text = "".join("\t".join(line) + "\n" for line in lines)
    with writing(path):
        write_bytes(path, text.encode())


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
