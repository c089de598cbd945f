"""Progress on standard error: a live line on a terminal, else a line a minute."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from neardup.progress import Progress

SECONDS_BETWEEN_LINES = 60.0


@contextmanager
def watch(*, quiet: bool) -> Iterator[Progress]:
    """A watcher that suits where standard error goes."""
    if quiet:
        yield Quiet()
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield Lines()
        return
    live = Live(console)
    with live.bar:
        yield live


class Meter:
    """How far one stage has come, in words; `clock` gives seconds."""

    def __init__(self, name: str, total: int | None, clock: Callable[[], float]) -> None:
        self.name, self.total, self.clock = name, total, clock
        self.began = clock()
        self.size = self.documents = 0

    def advance(self, size: int, documents: int) -> None:
        """Count what was done."""
        self.size += size
        self.documents += documents

    @property
    def rate(self) -> str:
        """Megabytes a second so far."""
        return f"{self.size / 1e6 / max(self.clock() - self.began, 1e-9):.1f} MB/s"

    @property
    def left(self) -> str:
        """Time left, or nothing where it cannot be known."""
        if not self.total or not 0 < self.size < self.total:
            return ""
        seconds = (self.total - self.size) * (self.clock() - self.began) / self.size
        return f"{duration(seconds)} left"

    def facts(self, *, short: bool = False) -> str:
        """Everything known, most useful first; `short` leaves the counts out."""
        parts = [self.rate if self.size else "", self.left]
        if not short:
            parts.insert(1, f"{self.documents:,} documents" if self.documents else "")
        return ", ".join(part for part in parts if part)

    def line(self) -> str:
        """A whole line for a log."""
        done = megabytes(self.size) if self.size else ""
        if self.total:
            share = min(1.0, self.size / self.total)
            done = f"{megabytes(self.size)} of {megabytes(self.total)} ({share:.0%})"
        return ", ".join(part for part in (f"{self.name}: {done}", self.facts()) if part)


class Quiet:
    """Shows nothing; an error still ends the run with its line."""

    def stage(self, name: str, total: int | None = None) -> None:
        """Show nothing."""

    def advance(self, size: int, documents: int = 0) -> None:
        """Show nothing."""

    def warn(self, message: str) -> None:
        """Show nothing."""


class Lines:
    """A line a minute, for log files."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.spoke = clock()
        self.meter = Meter("read", None, clock)

    def stage(self, name: str, total: int | None = None) -> None:
        """A stage begins."""
        self.meter = Meter(name, total, self.clock)

    def advance(self, size: int, documents: int = 0) -> None:
        """Count, and say so once a minute."""
        self.meter.advance(size, documents)
        now = self.clock()
        if now - self.spoke >= SECONDS_BETWEEN_LINES:
            self.spoke = now
            click.echo(f"neardup: {self.meter.line()}", err=True)

    def warn(self, message: str) -> None:
        """Say it at once."""
        click.echo(f"neardup: warning: {message}", err=True)


class Live:
    """One line that is redrawn: stage, bar, rate, documents, time left."""

    def __init__(self, console: Any, clock: Callable[[], float] = time.monotonic) -> None:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

        self.clock = clock
        self.short = console.width < 90
        columns: list[Any] = [SpinnerColumn(), TextColumn("{task.description}")]
        if console.width >= 60:
            columns.append(BarColumn(bar_width=min(40, console.width // 4)))
        columns += [TextColumn("{task.fields[share]:>4}"), TextColumn("{task.fields[facts]}")]
        self.bar = Progress(*columns, console=console, transient=True)
        self.task: Any = None
        self.meter = Meter("read", None, clock)

    def stage(self, name: str, total: int | None = None) -> None:
        """Draw a new line in place of the last stage's."""
        if self.task is not None:
            self.bar.remove_task(self.task)
        self.meter = Meter(name, total, self.clock)
        self.task = self.bar.add_task(f"{name:<9}", total=total, share="", facts="")

    def advance(self, size: int, documents: int = 0) -> None:
        """Move the bar."""
        if self.task is None:
            self.stage("read")
        meter = self.meter
        meter.advance(size, documents)
        share = f"{min(1.0, meter.size / meter.total):.0%}" if meter.total else ""
        facts = meter.facts(short=self.short)
        self.bar.update(self.task, completed=meter.size, share=share, facts=facts)

    def warn(self, message: str) -> None:
        """Print above the bar."""
        self.bar.console.print(f"neardup: warning: {message}", style="yellow", markup=False)


def megabytes(size: float) -> str:
    """Bytes as a person reads them."""
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def duration(seconds: float) -> str:
    """Seconds as a person reads them."""
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
    return f"{seconds // 3600:.0f} h {seconds % 3600 // 60:.0f} min"
