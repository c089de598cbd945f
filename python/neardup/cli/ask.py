"""The screen of `neardup tune --ask`: a pair of texts, a key, and what the keys say in the end."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from neardup.asking import Asked, Band, Questions
    from neardup.config import Config
    from neardup.io.base import Source

KEYS = {"s": "same", "f": "family", "d": "different", "u": "unsure"}
BACK, STOP = "b", "q"
HELP = (
    "s same text, maybe edited   f family: one template, another statement\n"
    "d different   u unsure   b back   q stop (answers are saved)"
)
ADVICE = (
    "share: of different. Some 40 pairs a band choose among .6, .7, .8 and .9 only roughly. "
    "To tell .7 from .8 answer about 100 pairs next to it: --per-band 100."
)


def ask(config: Config, sources: Sequence[Source]) -> None:
    """Show pairs and take answers until none is open, the user stops, or input ends."""
    from rich.console import Console

    from neardup.asking import Questions, facts
    from neardup.cli.progress import watch
    from neardup.evaluation import check_save, save

    check_save(config)
    with watch(quiet=config.quiet) as progress:
        questions = Questions.of(sources, config, progress)
    questions.read(config.answers)
    console = Console(highlight=False, stderr=config.json)
    try:
        converse(questions, config.answers, console, keys(console))
    except (KeyboardInterrupt, EOFError):
        console.print()
    rows = facts(questions)
    if config.save is not None:
        save(config.save, {"bands": rows, "text_spec": questions.spec}, rows)
    if config.json:
        click.echo(json.dumps({"bands": rows, "text_spec": questions.spec}, indent=2))
    elif not config.quiet:
        show(questions, config.answers, console)


def keys(console: Any) -> Callable[[], str]:
    """Gives the next key: pressed on a terminal, else the first letter of the next line."""
    if sys.stdin.isatty():
        return lambda: click.getchar().lower()

    def line() -> str:
        text = sys.stdin.readline()
        if not text:
            raise EOFError
        return text.strip()[:1].lower()

    return line


def converse(questions: Questions, path: str, console: Any, key: Callable[[], str]) -> None:
    """Ask what is open; every answer is written before the next question."""
    from neardup.result import texts_of

    waiting = questions.open()
    if not waiting:
        return
    import numpy as np

    documents = np.unique([side for each in waiting for side in (each.a, each.b)])
    texts = texts_of(questions.found, documents)
    done: list[Asked] = []
    while len(done) < len(waiting):
        each = waiting[len(done)]
        number = len(questions.asked) - len(waiting) + len(done) + 1
        answer = question(each, texts, f"{number} of {len(questions.asked)}", console, key)
        if answer == STOP:
            return
        if answer == BACK:
            if done:
                del questions.answers[done.pop().key]
                questions.write(path)
            continue
        questions.answers[each.key] = KEYS[answer]
        questions.write(path)
        done.append(each)


def question(
    each: Asked, texts: dict[int, str], title: str, console: Any, key: Callable[[], str]
) -> str:
    """Show one pair, without its similarity, which would suggest an answer; and wait for a key."""
    from neardup.cli.show import pair

    if console.is_terminal:
        console.clear()
    pair(console, texts[each.a], texts[each.b], title, names=("one", "other"))
    console.print(HELP, markup=False)
    while (pressed := key()) not in (*KEYS, BACK, STOP):
        if pressed in ("\x03", "\x04"):  # Ctrl-C, Ctrl-D
            return STOP
        console.print(f"{pressed!r} is none of s f d u b q", markup=False)
    return pressed


def show(questions: Questions, path: str, console: Any) -> None:
    """Print what the answers say, band by band."""
    from rich.table import Table

    if console.is_terminal:
        console.clear()
    bands = questions.bands()
    narrow = console.width < 72
    table = Table(box=None, pad_edge=False, padding=(0, 1 if narrow else 2, 0, 0))
    heads = ("similarity", *(() if narrow else ("pairs", "families")))
    for name in (*heads, "same", "family", "different", "share", "95 %"):
        table.add_column(name, justify="left" if name == "similarity" else "right")
    for band in bands:
        table.add_row(*cells(band, narrow))
    console.print(table)
    answered = sum(band.judged + band.counts["unsure"] for band in bands)
    console.print(
        f"{answered} of {len(questions.asked)} answered, in {path}; "
        "the same command goes on from there.",
        markup=False,
    )
    console.print(ADVICE, markup=False)


def cells(band: Band, narrow: bool) -> list[str]:
    """A row of the table."""
    share, low, high = band.share("different")
    known = not math.isnan(share)
    closed = "]" if band.high == 1.0 else ")"
    row = [f"[{band.low:g}, {band.high:g}{closed}"]
    row += [] if narrow else [f"{band.pairs:,}", f"{band.families:,}"]
    row += [str(band.counts[name]) for name in ("same", "family", "different")]
    row += [f"{share:.2f}" if known else "-", f"{low:.2f} - {high:.2f}" if known else "-"]
    return row
