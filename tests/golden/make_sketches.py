"""Writes sketches.json, what every sketch but `fast` makes of some sets, from the twins.

``python tests/golden/make_sketches.py`` writes it anew; `fast` is in golden.json. An entry changes
only with the version of its sketch; otherwise a difference is a fault.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from make import dump

from neardup import reference

FILE = Path(__file__).with_name("sketches.json")
VERSIONS = dict.fromkeys(("minhash", "minhash61", "superminhash", "oph", "cminhash"), 1)
SETS: list[list[int]] = [
    [],
    [0],
    [2**64 - 1],
    [1, 2, 3],
    [reference.splitmix(5, i) for i in range(9)],
    [reference.splitmix(6, i) for i in range(40)],
]
SHAPES = [(1, 0), (5, 42), (16, 2**64 - 1), (37, 7)]


def make() -> dict[str, Any]:
    """Everything the file holds; the last entry of a sketch fills the widest registers."""
    entries = []
    for name, version in VERSIONS.items():
        for size, seed, tokens in [(*s, t) for s in SHAPES for t in SETS] + [(130, 42, SETS[4])]:
            entries.append(
                {
                    "sketch": f"{name}/{version}",
                    "size": size,
                    "seed": seed,
                    "hashes": [f"{token:016x}" for token in tokens],
                    "slots": reference.SKETCHES[name](tokens, size, seed),
                }
            )
    return {"signatures": entries}


if __name__ == "__main__":
    FILE.write_text(dump(make()), encoding="utf-8", newline="\n")
