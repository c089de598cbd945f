"""`neardup dedup`: near-duplicate texts removed from files."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from neardup.cli.options import Command, schema_options, settings
from neardup.config import RUN_OPTIONS, Config
from neardup.errors import UsageError
from neardup.interrupt import Work

EPILOG = """\b
Examples:
  neardup dedup corpus.jsonl.gz -o clean/
  neardup dedup a.parquet b.parquet -o clean/ --text body --id url --keep longest
  neardup dedup comments.csv -o comments.clean.csv --preset short --removed removed.parquet
  zcat corpus.jsonl.gz | neardup dedup - -o - --quiet > clean.jsonl

Exit status: 0 done, 1 bad data or input and output, 2 usage, 130 interrupted.
"""


@click.command("dedup", cls=Command, epilog=EPILOG)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...", type=click.Path())
@schema_options(option.name for option in RUN_OPTIONS)
@click.pass_context
def command(ctx: click.Context, /, inputs: tuple[str, ...], **_options: Any) -> None:
    """Remove near-duplicate texts from INPUT: files, folders, globs, or - for standard input.

    Reads .jsonl .ndjson .json .parquet .csv .tsv .txt, text formats also as .gz .zst .bz2 .xz.
    A text is removed only if its similarity to one that stays was verified; what stays is written
    as it came, byte for byte.
    """
    config, _ = settings(ctx)
    if config.out is None and not config.dry_run:
        raise UsageError("where should the result go? Add -o OUT, or --dry-run to write nothing")
    if config.out == "-" and config.json:
        raise UsageError("-o - and --json both write to standard output; give one of them")
    summary = run(config, inputs)
    largest = summary.pop("largest_clusters", ())
    if config.json:
        click.echo(json.dumps(summary, ensure_ascii=False, indent=2))
    if not config.quiet:
        from neardup.cli.summary import show

        out = None if config.dry_run else config.out
        show(summary, out=out, largest=largest)


def run(config: Config, inputs: tuple[str, ...]) -> dict[str, Any]:
    """Run the pipeline under a progress display; the one place where the two meet."""
    from neardup.cli.progress import watch

    with Work() as work, watch(quiet=config.quiet) as progress:
        give_back_memory()
        from neardup import api

        return api.run(config, inputs, work.over(progress), work.finish)


def give_back_memory() -> None:
    """Have what this process frees go back to the system sooner: a fifth less at the peak.

    Arrow's own pool and glibc keep what was freed for later. Buffers of batches are
    still used again, since fresh pages cost time.
    """
    import ctypes

    import pyarrow as pa

    pa.set_memory_pool(pa.system_memory_pool())
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # glibc has it, musl does not
        if mallopt is not None:
            mallopt(-3, 1 << 24)  # M_MMAP_THRESHOLD: more than a batch is mapped, and unmapped
