"""Writes fingerprints.json, SimHash and b-bit views of the texts of `make`, from the twin in neardup.reference.

``python tests/golden/make_fingerprints.py`` writes it anew. It changes only with a version of the
text path or of a sketch; otherwise a difference is a fault.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from make import DEFAULT, SPECS, TEXTS, dump

from neardup import reference

FILE = Path(__file__).with_name("fingerprints.json")
MADE = [(64, 42), (128, 42), (64, 2**64 - 1), (128, 0)]
WIDTHS = (1, 2, 4, 8, 16)
SIZE, SEED = 12, 42


def fingerprint(text: str, normalize: str, shingle: str, bits: int, seed: int) -> dict[str, Any]:
    """The fingerprint of one text."""
    shingles = reference.shingles(text, normalize=normalize, shingle=shingle)
    found = f"{reference.simhash(shingles, bits, seed):0{bits // 4}x}"
    spec = {"text": text, "normalize": normalize, "shingle": shingle}
    return {**spec, "bits": bits, "seed": seed, "hex": found}


def packed(text: str, bits: int) -> dict[str, Any]:
    """A packed signature of one text."""
    shingles = set(reference.shingles(text, normalize=DEFAULT, shingle="word:1"))
    slots = reference.fast_sketch(shingles, SIZE, SEED)
    return {"text": text, "bits": bits, "words": [f"{x:016x}" for x in reference.pack(slots, bits)]}


def make() -> dict[str, Any]:
    """Everything the file holds."""
    prints = [
        fingerprint(
            text, *(SPECS[0] if j == 0 else SPECS[(i + j) % len(SPECS)]), *MADE[(i + j) % 4]
        )
        for i, text in enumerate(TEXTS.values())
        for j in range(2)
    ]
    rows = [packed(text, WIDTHS[i % 5]) for i, text in enumerate(TEXTS.values())]
    return {"fingerprints": prints, "packed": rows}


if __name__ == "__main__":
    FILE.write_text(dump(make()), encoding="utf-8", newline="\n")
