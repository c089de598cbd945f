"""What tests of whole runs share: the command line as a process, one answer of either face."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

TABLES = ("removed", "pairs", "clusters")
SUMMARY_KEYS = [
    "documents",
    "kept",
    "removed",
    "rejected",
    "exact_duplicates",
    "near_duplicates",
    "no_token",
    "clusters",
    "largest_cluster",
    "candidates",
    "pairs",
    "capped_buckets",
    "capped_pairs",
    "removed_numbers_differ",
    "removed_under_30_words",
    "removed_near_threshold",
    "guarded_pairs",
    "bands",
    "rows",
    "size",
    "sketch",
    "seed",
    "threshold",
    "recall_expected",
    "text_spec",
    "engine",
    "seconds",
    "megabytes_per_second",
    "peak_rss_bytes",
    "version",
    "sources",
]


@dataclass(frozen=True)
class Answer:
    """What one run said, from Python or from the files of the command line."""

    keep: list[bool]
    removed: list[dict[str, Any]]
    pairs: list[dict[str, Any]]
    clusters: list[dict[str, Any]]
    summary: dict[str, Any]
    said: str = ""

    @property
    def kept_rows(self) -> list[int]:
        """Numbers of the rows that stay."""
        return [row for row, stays in enumerate(self.keep) if stays]


def neardup(*args: object, stdin: bytes | None = None, **kwargs: Any) -> Any:
    """Call the command line in a process of its own; output as bytes."""
    command = [sys.executable, "-m", "neardup", *map(str, args)]
    kwargs.setdefault("timeout", 120)
    return subprocess.run(command, input=stdin, capture_output=True, check=False, **kwargs)


def one_line(done: Any, status: int, *parts: str) -> str:
    """Hold that a run ended with a status and one line of complaint, and return the line."""
    said: str = done.stderr.decode()
    assert done.returncode == status, said
    assert "Traceback" not in said
    assert said.startswith("neardup: "), said
    assert said.count("\n") == 1, said
    assert "internal error" not in said
    assert done.stdout == b""
    for part in parts:
        assert part in said, said
    return said


def write_jsonl(path: Path, texts: Iterable[str]) -> Path:
    """A file of JSON Lines with a number and a text a row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps({"id": f"r{i}", "text": t}) + "\n" for i, t in enumerate(texts))
    path.write_bytes("".join(lines).encode())
    return path


def options(keywords: dict[str, Any]) -> list[str]:
    """Python keywords as a user types them at the command line."""
    typed: list[str] = []
    for name, value in keywords.items():
        flag = "--" + name.replace("_", "-")
        if value is not False:
            typed += [flag] if value is True else [flag, str(value)]
    return typed


def read_answer(out: Path, documents: int, said: str = "") -> Answer:
    """The answer in a folder, for a run over one input."""
    removed, pairs, clusters = (pq.read_table(out / f"{t}.parquet").to_pylist() for t in TABLES)
    summary = json.loads((out / "summary.json").read_bytes())
    gone = {row["row"] for row in removed}
    if (out / "rejected.jsonl").exists():
        gone |= {json.loads(line)["row"] for line in (out / "rejected.jsonl").open("rb")}
    return Answer(
        [i not in gone for i in range(documents)], removed, pairs, clusters, summary, said
    )


def tree(folder: Path, *, without: tuple[str, ...] = ("summary.json",)) -> dict[str, bytes]:
    """Every file of a folder by its path, for comparison."""
    return {
        os.path.relpath(path, folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in without
    }


def shingle_set(text: str, size: int = 3) -> frozenset[tuple[str, ...]]:
    """Word shingles of a text of plain words in lower case, parted by single spaces."""
    words = text.split(" ") if text else []
    return frozenset(
        tuple(words[i : i + size]) for i in range(max(1, len(words) - size + 1)) if words
    )


def jaccard(one: str, other: str, size: int = 3) -> float:
    """Exact similarity of two such texts."""
    a, b = shingle_set(one, size), shingle_set(other, size)
    return len(a & b) / len(a | b) if a | b else 0.0


def families(seed: int, count: int, words: int = 40, vocabulary: int = 5000) -> list[str]:
    """Texts of plain words in families: originals, copies, and copies with some words replaced."""
    rng = random.Random(seed)
    made: list[str] = []
    while len(made) < count:
        original = [f"w{rng.randrange(vocabulary)}" for _ in range(rng.randint(words // 4, words))]
        made.append(" ".join(original))
        for _ in range(rng.choice((0, 0, 1, 2, 5))):
            edited = list(original)
            for _ in range(rng.choice((0, 0, 1, 1, 2, 4))):
                edited[rng.randrange(len(edited))] = f"w{rng.randrange(vocabulary)}"
            made.append(" ".join(edited))
    made = made[:count]
    rng.shuffle(made)
    return made
