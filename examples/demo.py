"""Removes near-duplicates from the corpora in this folder, then shows what was found.

`make demo` runs it. It calls the command line as a user would, with its output in `demo/`, checks
the answer against the known pairs beside each corpus, and puts three removed texts beside the text
that stayed.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pyarrow.parquet as pq
from rich.console import Console

from neardup.cli.show import pair

HERE = Path(__file__).parent
CORPORA = ("clang-docs.jsonl.gz", "manuals-en.jsonl.gz", "comments-zh.jsonl")
OUT = "demo"
THRESHOLD = 0.8
DIFFERS = 0.95  # below this a text has words of its own
Row = dict[str, Any]


def main() -> None:
    """Run, count, show."""
    inputs = [os.path.relpath(HERE / name) for name in CORPORA]
    command = ["neardup", "dedup", *inputs, "-o", f"{OUT}/", "--id", "id", "--overwrite"]
    print("$", " ".join(command), flush=True)
    done = subprocess.run([sys.executable, "-m", *command], check=False)
    if done.returncode:
        sys.exit(done.returncode)
    removed = pq.read_table(os.path.join(OUT, "removed.parquet")).to_pylist()
    found = pq.read_table(os.path.join(OUT, "pairs.parquet")).to_pylist()
    console = Console(highlight=False)
    check(console, found)
    show(console, removed)


def check(console: Console, found: list[Row]) -> None:
    """Compare the pairs found with the known ones.

    Members of a group of exact duplicates are listed once, with their leader; a known pair counts
    as found if both of its texts are reached from one another through pairs of similarity 1.
    """
    same: dict[object, object] = {}
    near: set[frozenset[object]] = set()
    for row in found:
        if row["similarity"] == 1.0:
            same[row["id_b"]] = same.get(row["id_a"], row["id_a"])
        near.add(frozenset((row["id_a"], row["id_b"])))
    near |= {frozenset(same.get(name, name) for name in names) for names in near}
    console.print("\nPairs known to be at or above the threshold", style="bold")
    for name in CORPORA:
        known = [
            (a, b) for a, b, similarity, *_ in known_pairs(name) if float(similarity) >= THRESHOLD
        ]
        hits = 0
        for a, b in known:
            leaders = frozenset((same.get(a, a), same.get(b, b)))
            hits += len(leaders) == 1 or leaders in near or frozenset((a, b)) in near
        console.print(f"  {name:<20} {hits:>4,} of {len(known):>4,} found")


def show(console: Console, removed: list[Row]) -> None:
    """Put a removed text of each corpus beside the text that stayed: the shortest that differs."""
    for name in CORPORA:
        source, texts = os.path.relpath(HERE / name), read(name)
        rows = [
            row
            for row in removed
            if row["source"] == row["kept_source"] == source and row["similarity"] < DIFFERS
        ]
        if not rows:
            continue
        row = min(rows, key=lambda row: (len(texts[row["id"]]), row["row"]))
        title = f"{row['id']} removed for {row['kept_id']}, similarity {row['similarity']:.3f}"
        pair(console, texts[row["id"]], texts[row["kept_id"]], title)


def read(name: str) -> dict[str, str]:
    """Texts of a corpus by id."""
    with open_text(name) as lines:
        return {row["id"]: row["text"] for row in map(json.loads, lines)}


def known_pairs(name: str) -> list[list[str]]:
    """The rows of the file of known pairs beside a corpus."""
    with open_text(name.replace(".jsonl", ".pairs.tsv")) as lines:
        return [line.rstrip("\n").split("\t") for line in lines][1:]


def open_text(name: str) -> IO[str]:
    """A text file, compressed or not."""
    opener = gzip.open if name.endswith(".gz") else open
    return opener(HERE / name, "rt", encoding="utf-8")


if __name__ == "__main__":
    main()
