"""`neardup bench`: experiments that set what the papers say beside what is measured here."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from neardup.cli.options import Command, explicit, schema_options
from neardup.config import Config
from neardup.errors import UsageError
from neardup.experiments import Record, Say

EPILOG = """\b
Examples:
  neardup bench curve --quick
  neardup bench accuracy --quick -o clean/

\b
  accuracy  estimates of every sketch against its exact variance
  curve     bands of every sketch against 1 - (1 - J^r)^b
  speed     hash evaluations, time by size, whole runs beside peers
            that are installed; INPUT: corpora for these, JSON Lines
            with a field text

-o: a .json file for the numbers, or a folder for numbers and
pictures. docs/experiments.md says what they show.
"""
HOLDS = "All within 4 sigma of theory."
BEYOND = "Not all within 4 sigma of theory;\nby chance, one seed in a hundred. See --json."
NAMES = ("accuracy", "curve", "speed")
SECONDS_BETWEEN_LINES = 60.0


@click.command("bench", cls=Command, epilog=EPILOG)
@click.argument("name", metavar="EXPERIMENT", type=click.Choice(NAMES))
@click.argument("inputs", nargs=-1, metavar="[INPUT]...", type=click.Path(path_type=Path))
@schema_options(("out", "overwrite", "quick", "seed", "quiet", "json"))
@click.pass_context
def command(
    ctx: click.Context, /, name: str, inputs: tuple[Path, ...], quick: bool, **_options: Any
) -> None:
    """Run an experiment: accuracy, curve or speed; a minute each, seconds with --quick."""
    config = Config.from_options(explicit(ctx))
    if inputs and name != "speed":
        raise UsageError(f"{name} draws its own sets, got {inputs[0]}; leave INPUT out")
    for path in inputs:
        if not path.is_file():
            raise UsageError(f"{path}: no such file; give JSON Lines with a field text")
    target = place(config.out, config.overwrite)
    module = importlib.import_module(f"neardup.experiments.{name}")
    given = (inputs,) if name == "speed" else ()
    with telling(config.quiet) as say:
        record = module.run(*given, quick=quick, seed=config.seed, say=say)
    record = {"experiment": name, "quick": quick, "seed": config.seed} | record
    if target is not None:
        write(target, name, record)
    if config.json:
        click.echo(json.dumps(record, indent=2))
    elif not config.quiet:
        from neardup.experiments import screens

        getattr(screens, name)(record)
        click.echo(HOLDS if record["holds"] else BEYOND)


def place(out: str | None, overwrite: bool) -> Path | None:
    """Where to write; refused before the work starts if it is there already."""
    if out is None:
        return None
    if out == "-":
        raise UsageError("bench writes files, got -o -; use --json for standard output")
    target = Path(out)
    taken = any(target.iterdir()) if target.is_dir() else target.exists()
    if taken and not overwrite:
        raise UsageError(f"{out} exists; give another -o, or --overwrite")
    return target


def write(target: Path, name: str, record: Record) -> None:
    """The numbers into a file; or numbers and pictures into a folder."""
    from neardup.experiments import pictures
    from neardup.io.atomic import write_bytes

    text = json.dumps(record, indent=1) + "\n"
    if target.suffix == ".json":
        write_bytes(target, text.encode())
        return
    target.mkdir(parents=True, exist_ok=True)
    write_bytes(target / f"{name}.json", text.encode())
    for picture, drawn in getattr(pictures, name)(record).items():
        write_bytes(target / f"{picture}.svg", drawn.encode())


@contextmanager
def telling(quiet: bool) -> Iterator[Say]:
    """Say what is at work: in one line that is redrawn on a terminal, else in a line a minute."""
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    if quiet:
        yield lambda _: None
    elif console.is_terminal:
        with console.status("") as status:
            yield status.update
    else:
        spoke = [time.monotonic()]

        def line(words: str) -> None:
            if time.monotonic() - spoke[0] >= SECONDS_BETWEEN_LINES:
                spoke[0] = time.monotonic()
                click.echo(f"neardup: {words}", err=True)

        yield line
