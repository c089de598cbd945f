"""The command line: one module a command, each imported only when it is called."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import shutil
import sys
import textwrap
from typing import Any

import click

from neardup.errors import NeardupError, NeardupTypeError, NeardupValueError, UsageError

COMMANDS = {
    "dedup": "Remove near-duplicate texts from files.",
    "evaluate": "Precision, recall, F1 and Rand index on a labelled collection.",
    "tune": "Find the threshold that suits labelled texts, or ask what is the same.",
    "compare": "Compare two texts or files by every measure, and show what differs.",
    "explain": "Show what a threshold, a recall and a size lead to; needs no data.",
    "bench": "Experiments: estimates and bands against theory, evaluations and time.",
}

EXAMPLES = """\b
Examples:
  neardup dedup corpus.jsonl.gz -o clean/
  neardup dedup crawl/*.parquet -o clean/ --text content --threshold 0.85
  neardup explain --threshold 0.8 --recall 0.99

\b
Shell completion, for bash (zsh and fish alike):
  eval "$(_NEARDUP_COMPLETE=bash_source neardup)"
"""


class Failure(click.ClickException):
    """An error shown as one line; its exit status says bad data, or input and output."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        """Print the line on standard error; on a terminal it is broken between words."""
        line = f"neardup: {' '.join(self.message.split())}"
        if (file or sys.stderr).isatty():
            width = max(20, columns())
            line = textwrap.fill(line, width, subsequent_indent="  ", break_on_hyphens=False)
        click.echo(line, file=file, err=True)


class Misuse(Failure):
    """A request that cannot be carried out as stated."""

    exit_code = 2


class Interrupted(Failure):
    """The user stopped the run."""

    exit_code = 130


class Formatter(click.HelpFormatter):
    """Help as wide as the terminal, where that is narrow too."""

    def __init__(self, indent: int = 2, width: int | None = None, max_width: int | None = None):
        if width is None:
            width = max(30, min(columns(), max_width or 80) - 2)
        super().__init__(indent, width, max_width)


def columns() -> int:
    """Width of the terminal, also where a pager reads standard output."""
    if os.environ.get("COLUMNS", "").isdigit():
        return shutil.get_terminal_size().columns
    for stream in (1, 2, 0):
        with contextlib.suppress(OSError):
            return os.get_terminal_size(stream).columns or 80
    return 80


class Context(click.Context):
    """Where a command runs; it has its own formatter of help."""

    formatter_class = Formatter


class Commands(click.Group):
    """Finds commands by name, and turns every error into one line and an exit status."""

    context_class = Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, as the help lists them."""
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was typed, or offer the nearest."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            for near in difflib.get_close_matches(args[0], COMMANDS, 1):
                message = f"{error.message} Did you mean {near}?"
                raise click.UsageError(message, error.ctx) from None
            raise

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"neardup.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line; help and version, too, may have nowhere to be written."""
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            failure = _system(error)
            failure.show()
            sys.exit(failure.exit_code)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; 1 is bad data or input and output, 2 usage, 130 interrupted."""
        try:
            return super().invoke(ctx)
        except (UsageError, NeardupValueError, NeardupTypeError) as error:
            raise Misuse(str(error)) from None
        except NeardupError as error:
            raise Failure(str(error)) from None
        except KeyboardInterrupt:
            raise Interrupted("interrupted; no output was left half written") from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except MemoryError:
            raise Failure("out of memory; give fewer documents at a time") from None
        except OSError as error:
            raise _system(error) from None
        except Exception as error:
            if sys.flags.dev_mode:
                raise
            raise Failure(
                f"internal error, a fault of neardup: {type(error).__name__}: {error}; "
                "`python -X dev -m neardup ...` shows where"
            ) from None


def _system(error: OSError) -> Failure:
    """What the system refused; files of a run are named where they are written."""
    place = error.filename
    if place is None and error.errno == errno.ENOSPC:
        place = "standard output"
        # What its buffer still holds goes nowhere, or Python would try again at its end.
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
    return Failure(f"{place}: {error.strerror}" if place else str(error.strerror or error))


@click.group(
    cls=Commands,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="neardup", message="%(prog)s %(version)s")
def main() -> None:
    """Near-duplicate text: found, verified and removed."""
