"""`neardup compare`: two texts or files by every measure, and the words in which they differ."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

import click

from neardup.cli.options import Command, explicit, schema_options
from neardup.config import Config
from neardup.errors import DataError, UsageError
from neardup.measures import MEASURES, OF_TWO, Measure, edit

EPILOG = """\b
Examples:
  neardup compare "the cat sat on the mat" "the cat sat on a mat"
  neardup compare examples/README.md README.md --shingle word:1
  echo "colour" | neardup compare - "color" --measure levenshtein,jaro-winkler
"""
CELLS = 2 * 10**10
"""Product of two lengths above which an edit distance is left out unless named: seconds."""
SLOW_CELLS = 2 * 10**8
"""The same for unrestricted Damerau-Levenshtein, which looks at every cell by itself."""
DIFF = 8000
"""Characters of each text that are searched for differences, from the first one on."""
LEAD = 200
"""Characters shown before it, in long texts."""


@click.command("compare", cls=Command, epilog=EPILOG)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--text", "as_text", is_flag=True, help="A and B are texts, whatever files exist.")
@schema_options(
    ("normalize", "shingle", "stopwords", "stem", "fraction", "measure", "file", "encoding", "json")
)
@click.pass_context
def command(ctx: click.Context, /, a: str, b: str, as_text: bool, **_options: Any) -> None:
    """Compare two texts by every measure, and show the words that differ.

    What names a file is a file, - is standard input, anything else is a text.
    """
    config = Config.from_options(explicit(ctx))
    if as_text and config.file:
        raise UsageError("--text and --file contradict each other; give one of them")
    if a == b == "-" and not as_text:
        raise UsageError("only one of A and B can be standard input; name a file for the other")
    names, texts = zip(*(_read(value, config, as_text) for value in (a, b)), strict=True)
    found, left_out = measured(texts[0], texts[1], config)
    if config.json:
        answer = {
            "a": {"source": names[0], "characters": len(texts[0])},
            "b": {"source": names[1], "characters": len(texts[1])},
            "text_spec": config.text_spec,
            "measures": {
                name: {"similarity": similarity, "distance": distance}
                for name, (similarity, distance) in found.items()
            },
            "left_out": left_out,
        }
        click.echo(json.dumps(answer, ensure_ascii=False, indent=2))
        return
    draw(found, left_out)
    from rich.console import Console

    from neardup.cli.show import pair

    first, left, right = differing(*texts)
    title = f"Differences, from character {first + 1:,} on" if first else "Differences"
    if texts[0] == texts[1]:
        title = "No difference"
    pair(Console(highlight=False), left, right, title, names=("A", "B"))


def measured(
    a: str, b: str, config: Config
) -> tuple[dict[str, tuple[float, float]], dict[str, str]]:
    """Similarity and distance by each measure that was asked for; why others are left out."""
    from neardup import comparing

    spec: Any = {name: getattr(config, name) for name in ("stopwords", "stem", "fraction")}
    spec |= {"shingle": str(config.shingle), "normalize": config.normalize or "none"}
    found, left_out = {}, {}
    for name in config.measure or OF_TWO:
        reason = None if config.measure else _left_out(MEASURES[name], len(a) * len(b))
        if reason is not None:
            left_out[name] = reason
            continue
        similarity = comparing.similarity(a, b, name, **spec)
        whole = MEASURES[name].kind == "edit"
        distance = comparing.distance(a, b, name, **spec) if whole else 1.0 - similarity
        found[name] = similarity, distance
    return found, left_out


def _left_out(measure: Measure, cells: int) -> str | None:
    if measure.kind != "edit":
        return None
    if not edit.available():
        return edit.INSTALL
    most = SLOW_CELLS if measure.name == "damerau-levenshtein" else CELLS
    if cells > most:
        return f"would take long; name it with --measure {measure.name}"
    return None


def draw(found: dict[str, tuple[float, float]], left_out: dict[str, str]) -> None:
    """Print the measures as a table, as wide as the terminal allows."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    wide = console.width >= 80
    table = Table(box=None, pad_edge=False, padding=(0, 2 if wide else 1, 0, 0))
    table.add_column("measure", no_wrap=True)
    table.add_column("similarity" if wide else "similar", justify="right", no_wrap=True)
    table.add_column("distance" if wide else "away", justify="right", no_wrap=True)
    if wide:
        table.add_column("", style="dim", overflow="fold")
    for name, (similarity, distance) in found.items():
        far = f"{distance:,}" if isinstance(distance, int) else f"{distance:.4f}"
        says = (MEASURES[name].says,) if wide else ()
        table.add_row(name, f"{similarity:.4f}", far, *says)
    console.print(table)
    reasons: dict[str, list[str]] = {}
    for name, reason in left_out.items():
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        console.print(f"{', '.join(names)}: {reason}", style="dim", markup=False)


def differing(a: str, b: str) -> tuple[int, str, str]:
    """Where the texts begin to be shown, and the part of each that is looked at.

    Examples
    --------
    >>> differing("one", "two")
    (0, 'one', 'two')
    >>> first, a, b = differing("x" * 50_000 + "y", "x" * 50_000 + "z")
    >>> first, len(a), a[-1], b[-1]
    (49800, 201, 'y', 'z')
    """
    if max(len(a), len(b)) <= DIFF:
        return 0, a, b
    if a == b:
        return 0, a[:DIFF], b[:DIFF]
    same = (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    first = max(0, next(same, min(len(a), len(b))) - LEAD)
    return first, a[first : first + DIFF], b[first : first + DIFF]


def _read(value: str, config: Config, as_text: bool) -> tuple[str, str]:
    """What it came from, and the text."""
    if as_text or not (config.file or value == "-" or os.path.exists(value)):
        if not as_text and re.fullmatch(r"\S+\.[A-Za-z]\w{0,7}", value):
            click.echo(
                f"neardup: warning: {value}: no such file, so this is compared as a text; "
                "--text says that it is one",
                err=True,
            )
        return "text", _known(value)
    if value == "-":
        data = sys.stdin.buffer.read()
    else:
        try:
            with open(value, "rb") as file:
                data = file.read()
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}", source=value) from None
    try:
        return value, data.decode(config.encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        message = (
            f"byte {error.start:,} is not {config.encoding}; name the encoding with --encoding"
        )
        raise DataError(message, source=value) from None


def _known(text: str) -> str:
    """A text of the command line, if its bytes were text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(
            "A and B must be UTF-8; put other text into a file, with --encoding"
        ) from None
    return text
