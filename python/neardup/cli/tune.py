"""`neardup tune`: which threshold suits labelled texts; without labels it asks a person."""

from __future__ import annotations

import json
from typing import Any

import click

from neardup.cli.options import Command, schema_options, settings
from neardup.errors import UsageError
from neardup.interrupt import Work
from neardup.judge import COSTS, TIE
from neardup.tuning import OF_A_RUN, OWN, Tuning, tuned, with_label

EPILOG = """\b
Examples:
  neardup tune corpus.jsonl.gz --labels pairs.tsv --id id
  neardup tune corpus.jsonl.gz --labels pairs.tsv --id id --thresholds .7,.8,.9 -o scores.json
  echo q | neardup tune corpus.jsonl.gz --ask --answers corpus.answers.tsv

\b
LABELLED: files whose documents have their label in a field (--label FIELD, or `label`); or with
true pairs or labels by id in another file (--labels FILE --id FIELD). --ask needs no labels.
"""
NARROW = 76
"""On a narrower screen some columns are left out."""
SHOWN = 3
"""Pairs across labels that are shown with their texts."""


@click.command("tune", cls=Command, epilog=EPILOG)
@click.argument("inputs", nargs=-1, required=True, metavar="LABELLED...", type=click.Path())
@schema_options({*OF_A_RUN, *OWN, "config"})
@click.pass_context
def command(ctx: click.Context, /, inputs: tuple[str, ...], **_options: Any) -> None:
    """Find the threshold that suits labelled texts, or ask what is the same.

    Prints for each threshold what it finds and removes, rightly and wrongly; the best threshold for
    several costs of a wrong removal, with its plateau and how sure that is; the same strictness in
    other shingles; similar texts under different labels. --ask shows pairs of texts and takes
    answers.
    """
    from neardup.api import open_files
    from neardup.cli.progress import watch

    config, given = settings(ctx)
    if config.ask:
        from neardup.cli.ask import ask

        if extra := given & {"labels", "label", "thresholds", "shingles"}:
            flags = ", ".join("--" + name for name in sorted(extra))
            raise UsageError(f"--ask needs no labels, and asks at one shingle; leave out {flags}")
        if "-" in inputs:
            raise UsageError("--ask takes keys from standard input; name a file to ask about")
        with Work():
            ask(config, open_files(inputs, config))
        return
    if extra := given & {"answers", "per_band"}:
        flags = ", ".join("--" + name.replace("_", "-") for name in sorted(extra))
        raise UsageError(f"{flags} belong to --ask; add it, or leave them out")
    sources = open_files(inputs, config)
    with Work() as work, watch(quiet=config.quiet) as watcher:
        progress = work.over(watcher)
        found = tuned(sources, with_label(config), config.labels, None, progress)
    if config.save is not None:
        found.save(config.save)
    if config.json:
        click.echo(json.dumps(found.as_dict(), ensure_ascii=False, indent=2))
    elif not config.quiet:
        show(found, str(config.shingle))


def show(found: Tuning, shingle: str) -> None:
    """Print the page."""
    from rich.console import Console

    from neardup.cli.evaluate import said

    console = Console(highlight=False)
    facts = found.facts
    console.print(said(facts), markup=False)
    console.print(
        f"{facts['labels']:,} labels; {facts['removable']:,} documents ought to go.", markup=False
    )
    console.print(f"\n[bold]By threshold[/], {shingle}, every pair found by an exact join")
    console.print(scores(found, console.width))
    console.print(
        "P, R: of pairs; rP, rR: of documents removed; wrong: removed for a text of another label; "
        "net: rR less so many misses for each wrong one",
        markup=False,
    )
    console.print("\n[bold]Best threshold[/]")
    console.print(best(found, console.width))
    console.print(
        f"plateau: loses at most {TIE:g}; interval: 95 % of 1,000 draws of the labels",
        markup=False,
    )
    if any(row["threshold"] == found.scores[0]["threshold"] for row in found.best):
        console.print("The lowest threshold is best: try lower ones with --thresholds.")
    console.print("\n[bold]As strict in other shingles[/], by the number of pairs found")
    console.print(strictness(found))
    across(found, console)


def _table(*names: str) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in names:
        justify: Any = "left" if name in ("by", "shingle") else "right"
        table.add_column(name, justify=justify, no_wrap=True)
    return table


def scores(found: Tuning, width: int) -> Any:
    """What each threshold finds and removes."""
    wide = width >= NARROW
    nets = [f"net {cost}" for cost in COSTS]
    table = _table("T", "P", "R", "removed", "wrong", "rP", "rR", "ARI", *(nets if wide else ()))
    for row in found.scores:
        cells = [f"{row['threshold']:g}"]
        cells += [f"{row[name]:.3f}" for name in ("precision", "recall")]
        cells += [f"{row['removed']:,}", f"{row['wrongly_removed']:,}"]
        cells += [f"{row[name]:.3f}" for name in ("removal_precision", "removal_recall", "ari")]
        cells += [f"{row[f'net_{cost}']:.3f}" for cost in COSTS] if wide else []
        table.add_row(*cells)
    return table


def best(found: Tuning, width: int) -> Any:
    """The best threshold by each criterion."""
    words = {"f1": "pairs: F1"}
    for cost in COSTS:
        misses = "a miss" if cost == 1 else f"{cost} misses"
        words[f"net_{cost}"] = f"a wrong removal costs {misses}" if width >= NARROW else misses
    table = _table("by", "T", "value", "plateau", "interval")
    for row in found.best:
        table.add_row(
            words[row["by"]],
            f"{row['threshold']:g}",
            f"{row['value']:.3f}",
            f"{row['low']:g} - {row['high']:g}",
            f"{row['from']:g} - {row['to']:g}",
        )
    return table


def strictness(found: Tuning) -> Any:
    """Where other shingles find as many pairs."""
    table = _table("shingle", "T", "pairs", "P", "R", "F1")
    for row in found.shingles:
        at = (
            f"< {found.scores[0]['threshold']:g}"
            if row["threshold"] is None
            else f"{row['threshold']:.3f}"
        )
        rates = (f"{row[name]:.3f}" for name in ("precision", "recall", "f1"))
        table.add_row(row["shingle"], at, f"{row['found']:,}", *rates)
    return table


def across(found: Tuning, console: Any) -> None:
    """Similar texts under different labels: often an error of the labels."""
    from neardup.cli.show import pair

    count = found.facts["pairs_across_labels"]
    lowest = found.scores[0]["threshold"]
    if not count:
        console.print(f"\nNo pair of similarity {lowest:g} or more has different labels.")
        return
    console.print(
        f"\n[bold]Pairs across labels[/] from {lowest:g} on: {count:,}; often label errors. "
        "The most similar:"
    )
    for row in found.across[:SHOWN]:
        title = f"{row['similarity']:.3f}  {name(row, 'a')}  {name(row, 'b')}"
        pair(console, row["text_a"], row["text_b"], title, names=(row["label_a"], row["label_b"]))
    if count > SHOWN:
        console.print("More of them: -o FILE.json", markup=False)


def name(row: dict[str, Any], side: str) -> str:
    """A document's id, or where it is."""
    there: str = row[f"id_{side}"] or f"{row[f'source_{side}']}:{row[f'row_{side}']}"
    return there
