"""What a person reads at the end of a run: the counts, the four numbers to look at, the outputs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from neardup.cli.progress import duration, megabytes
from neardup.io import places

# Shares of the removed documents above which a number is worth a sentence.
NUMBERS_DIFFER, SHORT, NEAR_THRESHOLD = 0.01, 0.10, 0.20
# A cluster this large, absolutely and as a share of all documents, deserves a look.
LARGE_CLUSTER, LARGE_CLUSTER_SHARE = 10, 0.001
SOURCE_LOSS, WITHOUT_TOKEN = 0.90, 0.05
READABLE = 96
"""Columns of a sentence at most, however wide the terminal is."""
UNVERIFIED = {
    "none": (
        "nothing was verified and nothing is guaranteed: every candidate counts as a duplicate, "
        "however unlike.",
    ),
    "sketch": ("similarities are estimates of the sketch: a removed text may be less similar.",),
}


def show(
    summary: Mapping[str, Any],
    *,
    out: str | None,
    largest: Sequence[tuple[str, int, int]] = (),
    console: Any = None,
) -> None:
    """Print the summary on standard error; `largest` is source, row and size of clusters."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = console or Console(stderr=True, highlight=False)
    console.print()
    console.print(_headline(summary), style="bold")
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for name, count, note in counts(summary):
        table.add_row(name, f"{count:,}", note)
    console.print(table)
    if summary["removed"]:
        console.print("\nWorth a look", style="bold")
        table = Table.grid(padding=(0, 2))
        table.add_column()
        table.add_column(justify="right", no_wrap=True)
        for name, count, high in look(summary):
            style = "yellow" if high else ""
            table.add_row(name, f"{'! ' if high else ''}{count:,}", style=style)
        console.print(table)
    if said := advice(summary):
        table = Table.grid(padding=(0, 1), expand=False)
        table.add_column()
        table.add_column(max_width=READABLE)
        for sentence in said:
            table.add_row("!", Text(sentence), style="yellow")
        console.print(table)
    if largest and look(summary)[3][2]:
        console.print("\nLargest clusters", style="bold")
        table = Table.grid(padding=(0, 2))
        table.add_column(justify="right", no_wrap=True)
        table.add_column(overflow="fold")
        for source, row, size in largest:
            table.add_row(f"{size:,}", Text(f"texts like {_row(source, row)}"))
        console.print(table)
    if out is not None:
        console.print()
        console.print(_where(out), markup=False)


def _headline(summary: Mapping[str, Any]) -> str:
    seconds, rate = summary["seconds"], summary["megabytes_per_second"]
    return (
        f"{summary['documents']:,} documents, {megabytes(seconds * rate * 1e6)} of text, "
        f"in {duration(seconds)} ({rate:.1f} MB/s, {megabytes(summary['peak_rss_bytes'])} memory)"
    )


def counts(summary: Mapping[str, Any]) -> list[tuple[str, int, str]]:
    """The counts that add up, each with its share or what it is made of."""
    documents = summary["documents"] or 1
    rows = [
        ("kept", summary["kept"], f"{summary['kept'] / documents:.1%}"),
        (
            "removed",
            summary["removed"],
            f"{summary['removed'] / documents:.1%}: {summary['exact_duplicates']:,} exact, "
            f"{summary['near_duplicates']:,} near",
        ),
    ]
    if summary["rejected"]:
        rows.append(("rejected", summary["rejected"], "rows that could not be read"))
    if shingles := summary.get("distinct_shingles"):
        error = f"give or take {shingles['relative_std_err']:.1%}"
        note = f"{shingles['after']:,} in what is kept, {error}"
        rows.append(("distinct shingles", shingles["before"], note))
    rows.append(
        (
            "clusters",
            summary["clusters"],
            f"{summary['pairs']:,} pairs found, {summary['candidates']:,} candidates compared",
        )
    )
    return rows


def look(summary: Mapping[str, Any]) -> list[tuple[str, int, bool]]:
    """Four numbers that tell a person whether to look, and whether each is high."""
    removed = summary["removed"] or 1
    largest = summary["largest_cluster"]
    bar = max(LARGE_CLUSTER, LARGE_CLUSTER_SHARE * summary["documents"])
    return [
        (
            "removed, numbers differ on both sides",
            summary["removed_numbers_differ"],
            summary["removed_numbers_differ"] / removed > NUMBERS_DIFFER,
        ),
        (
            "removed, under 30 words",
            summary["removed_under_30_words"],
            summary["removed_under_30_words"] / removed > SHORT,
        ),
        (
            "removed within .05 of the threshold",
            summary["removed_near_threshold"],
            summary["removed_near_threshold"] / removed > NEAR_THRESHOLD,
        ),
        ("largest cluster", largest, largest > bar),
    ]


def advice(summary: Mapping[str, Any]) -> list[str]:
    """A sentence for each number that is high, and for what the run could not promise."""
    removed, documents = summary["removed"] or 1, summary["documents"] or 1
    numbers, short, near, cluster = look(summary)
    said = list(UNVERIFIED.get(summary["verify"], ()))
    if summary.get("hamming") is not None:
        said.append(
            f"candidates are texts whose fingerprints differ in at most {summary['hamming']} of "
            f"{summary['size']} bits. That depends on more than their Jaccard similarity, so no "
            "recall is expected: it is a filter for almost equal texts."
        )
    if refused := summary.get("refused_pairs"):
        said.append(
            f"{refused:,} pairs above the threshold were refused by --verify {summary['verify']}."
        )
    if numbers[2]:
        said.append(
            f"{numbers[1] / removed:.0%} of the removed texts differ from their partner in numbers "
            "on both sides: often another statement. --guard numbers keeps them."
        )
    if short[2]:
        said.append(
            f"{short[1] / removed:.0%} of the removed texts are under 30 words, where one word "
            "weighs much. Read some of them."
        )
    if near[2]:
        said.append(
            f"{near[1] / removed:.0%} of the removed texts lie within .05 of the threshold: "
            "a slightly higher one would keep them. Read some before you trust it."
        )
    if cluster[2]:
        said.append(
            f"the largest cluster holds {cluster[1] / documents:.1%} of all documents: "
            "look whether it is one text or a template around many."
        )
    for source, part in summary["sources"].items():
        if part["documents"] > LARGE_CLUSTER and part["removed"] > SOURCE_LOSS * part["documents"]:
            said.append(
                f"{source or 'the data'} lost {part['removed'] / part['documents']:.0%} "
                "of its documents."
            )
    if summary["no_token"] > WITHOUT_TOKEN * documents:
        said.append(
            f"{summary['no_token']:,} documents have no token under {summary['text_spec']}: "
            "they are compared byte for byte only."
        )
    shingle = re.search(r"shingle=(?:word|char):(\d+)", summary["text_spec"])
    if summary.get("short_han", 0) > documents / 2 and shingle is not None and int(shingle[1]) > 2:
        said.append(
            f"{summary['short_han'] / documents:.0%} of the texts are short and Chinese, where one "
            "other character changes every run that holds it: --shingle char:2 with a threshold of "
            ".6 finds copies with a typing error."
        )
    if summary["capped_buckets"]:
        said.append(
            f"{summary['capped_buckets']:,} buckets were larger than the cap and "
            f"{summary['capped_pairs']:,} pairs were not compared; raise --bucket-cap to compare "
            "them."
        )
    return said


def _row(source: str, row: int) -> str:
    return f"{os.path.basename(source) or 'the data'} row {row:,}"


def _where(out: str) -> str:
    if out == "-":
        return "kept rows: standard output"
    if not places.is_folder(places.local(out)):
        return f"kept rows: {out}"
    return f"written to {os.path.join(out, '')}: {', '.join(places.names(places.local(out)))}"
