"""What hashes, stop words and stems cost beside the plain word path; the table of a page.

Needs neardup-en-20k (`$NEARDUP_DATA`, or ../shared/data). Writes record/text_tools.json and prints
the table that docs/guide/text-tools.md shows; a test holds the page to the record.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from time import process_time
from typing import Any

import neardup
from neardup._native import HASHES, Sketch, TextSpec, sketch_texts, survey

HERE = Path(__file__).parent
RECORD = HERE / "record" / "text_tools.json"
DATA = Path(os.environ.get("NEARDUP_DATA", HERE.parents[1] / "shared" / "data"))
NORMALIZE, SHINGLE, ROUNDS = "nfkc,casefold,collapse-space", "word:3", 5
KEY = bytes(16)

TOOLS: dict[str, dict[str, Any]] = {
    "stopwords en": {"stopwords": "en"},
    "stem en": {"stem": "en"},
    "stem en, stopwords en": {"stem": "en", "stopwords": "en"},
    **{f"hash {name}": {"hash": name} for name in HASHES[1:-1]},
    "hash siphash": {"hash": "siphash", "key": KEY},
    "fraction 0.01": {"fraction": 0.01},
}


def main() -> None:
    """Measure, write the record, print the table."""
    with gzip.open(DATA / "neardup-en-20k.docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    record = {
        "version": neardup.__version__,
        "megabytes": sum(len(text.encode()) for text in texts) / 1e6,
        "pass": ratios(lambda spec: survey(texts, None, spec, None, 0, 0, 1)),
        "sketch": ratios(lambda spec: sketch_texts(texts, spec, Sketch("fast", 128, 42), 1)),
    }
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(table(record) + "\n")


def ratios(work: Any) -> dict[str, list[float]]:
    """Processor time over that of plain words: of the first time over the texts, and of later ones.

    The first time finds out what becomes of each word, later ones know.
    """
    first = dict.fromkeys(["plain", *TOOLS], float("inf"))
    later = dict(first)
    for _ in range(ROUNDS):
        for name in first:
            given = {"hash": "xxh3", **TOOLS.get(name, {})}
            spec = TextSpec(NORMALIZE, SHINGLE, given.pop("hash"), **given)
            for best in (first, later):
                began = process_time()
                work(spec)
                best[name] = min(best[name], process_time() - began)
    return {name: [first[name] / first["plain"], later[name] / later["plain"]] for name in TOOLS}


def table(record: dict[str, Any]) -> str:
    """The table of the page."""
    lines = ["| option | pass one | again | with a sketch |", "|---|---:|---:|---:|"]
    for name in TOOLS:
        first, later = record["pass"][name]
        cells = f"{first:.1f} | {later:.1f} | {record['sketch'][name][0]:.1f}"
        lines.append(f"| `--{name.replace(', ', ' --')}` | {cells} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
