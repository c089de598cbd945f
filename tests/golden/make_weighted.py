"""Writes weighted.json, signatures of weighted sets and of shingle counts, from the twin.

``python tests/golden/make_weighted.py`` writes it anew; it changes only with a sketch's version.
"""

from __future__ import annotations

import json
from pathlib import Path

from neardup import reference

FILE = Path(__file__).with_name("weighted.json")
SETS: list[dict[str, float]] = [
    {},
    {"a": 0.0},
    {"a": 1.0},
    {"new": 2.0, "york": 2.0},
    {"new": 1.0, "york": 1.0},
    {"new": 0.1, "york": 1e-9, "字": 1e9},
    {f"token {i}": (i % 7 + 0.5) / 3 for i in range(25)},
    {"least": 5e-324, "small": 1e-300},
    {"large": 1e300, "larger": 1.7e308},
    {f"{i}": float(i % 4) for i in range(20)},
]
SKETCHES = [(1, 42), (8, 42), (20, 2**64 - 1)]
TWINS = {"dart": reference.dart_sketch, "icws": reference.icws_sketch}


def make() -> list[dict[str, object]]:
    """One entry a set, sketch, size and seed."""
    entries = []
    for weights in SETS:
        hashed = {reference.token_hash(token): weight for token, weight in weights.items()}
        for size, seed in SKETCHES:
            for name, twin in TWINS.items():
                slots = twin(hashed, size, seed)
                entry = {"name": name, "size": size, "seed": seed, "weights": weights}
                entries.append({**entry, "slots": slots})
    return entries


def dump(entries: list[dict[str, object]]) -> str:
    """One line an entry, so that a difference is easy to read."""
    return "[\n " + ",\n ".join(json.dumps(e, ensure_ascii=False) for e in entries) + "\n]\n"


if __name__ == "__main__":
    FILE.write_text(dump(make()), encoding="utf-8", newline="\n")
