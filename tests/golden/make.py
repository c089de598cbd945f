"""Writes golden.json, what texts become stage by stage, from the twin in neardup.reference.

``python tests/golden/make.py`` writes it anew. The file changes only with a version of the text
path, of the sketch or of the band keys; otherwise a difference is a fault.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from neardup import reference

FILE = Path(__file__).with_name("golden.json")
DEFAULT = "nfkc,casefold,collapse-space"

TEXTS = {
    "english": "The quick brown fox doesn't jump; it sleeps until 7:30, then it eats 2_000 oats.",
    "english, long": "a stitch in time saves nine " * 12 + "but not the tenth, counted from one",
    "vietnamese, decomposed": "Tie\u0302\u0301ng Vie\u0323\u0302t co\u0301 da\u0302\u0301u",
    "german": "Straßen, Flüsse und Öfen: ﬁnde GROẞE Maße!",
    "greek": "Ὁ ΣΟΦΟΣ ΛΟΓΟΣ, ὁδὸς ΣΩΤΗΡΙΑΣ",
    "russian": "Ёж и ёлка: съешь же ещё этих мягких булок",
    "arabic": "السَّلَامُ عَلَيْكُمْ يا ١٢٣ صديق",
    "hebrew": "שָׁלוֹם לכולם, מה שלומכם היום?",
    "hindi": "हिन्दी में क्षमा और ज़िन्दगी लिखना सीखो",
    "thai": "กำลังเรียนภาษาไทย ๓ วัน",
    "chinese": "我喜欢健身，也喜欢普洱茶。ＡＢＣ１２３㈱",
    "japanese": "ラーメンとｶﾞﾗｽ、東京で3回食べた々",
    "korean": "한국어는 \u1112\u1161\u11ab글로 씁니다",
    "khmer and burmese": "ភាសាខ្មែរ မြန်မာစာ",
    "emoji and symbols": "👩‍👧 ☕️ 𝐀𝟙 ½ ™ a\u00adb\u200bc \U00020bb7",
    "spaces of all kinds": "\u3000a\u00a0b\x1c\tc\x85\r\n\n d\u2028e ",
    "lines": "first line \r\n\r\n  second\tline\n\nthird",
    "punctuation": "，。！？",
    "one letter": "é",
    "blank": " \n\t\u3000",
    "empty": "",
}
SPECS = [
    (DEFAULT, "word:3"),
    (DEFAULT, "word:1"),
    ("none", "whitespace:2"),
    ("nfkc,casefold,remove-space", "char:3"),
    ("strip-invisible,nfc,lower", "char:5"),
    ("strip-accents,remove-punct", "byte:8"),
    ("mask-digits,collapse-space", "line:1"),
]
SKETCHES = [(8, 42, None), (5, 0, 0), (12, 2**64 - 1, 1), (3, 7, 16)]
TOKENS: list[Any] = [
    0,
    1,
    -1,
    2**32 + 1,
    2**63,
    2**64 - 1,
    -(2**63),
    "",
    "a",
    "字",
    "a\0",
    "x" * 300,
]


def document(text: str, normalize: str, shingle: str, sketch: tuple[int, int, int | None]) -> dict:
    """What one text becomes under one spec and one sketch."""
    kind = shingle.partition(":")[0]
    size, seed, rounds = sketch
    shingles = reference.shingles(text, normalize=normalize, shingle=shingle)
    used = reference.ROUNDS if rounds is None else rounds
    slots = reference.fast_sketch(set(shingles), size, seed, used)
    empty = [reference.EMPTY_SLOT] * size
    bands, rows = (2, size // 2) if size % 2 == 0 else (size, 1)
    return {
        "text": text,
        "normalize": normalize,
        "shingle": shingle,
        "normalized": reference.normalize(text, normalize, lines=kind == "line"),
        "tokens": reference.tokens(reference.prepare(text, normalize, kind), kind),
        "shingles": [f"{value:016x}" for value in shingles],
        "size": size,
        "seed": seed,
        "rounds": rounds,
        "slots": slots if shingles else empty,
        "bands": bands,
        "rows": rows,
        "keys": [f"{key:016x}" for key in reference.band_keys(slots, bands, rows)],
    }


def make() -> dict[str, Any]:
    """Everything the file holds."""
    documents = []
    for i, text in enumerate(TEXTS.values()):
        for j in range(3):
            spec = SPECS[0] if j == 0 else SPECS[1 + (2 * i + j - 1) % (len(SPECS) - 1)]
            documents.append(document(text, *spec, SKETCHES[(i + j) % len(SKETCHES)]))
    # The default sketch, whose slots fill the widest registers many times over.
    documents += [document(text, *SPECS[0], (128, 42, None)) for text in list(TEXTS.values())[:3]]
    hashes = [[token, f"{reference.token_hash(token):016x}"] for token in TOKENS]
    digests = [[text, f"{reference.digest(text.encode()):032x}"] for text in TEXTS.values()]
    return {"tokens": hashes, "digests": digests, "documents": documents}


def dump(golden: dict[str, Any]) -> str:
    """One line an entry, so that a difference is easy to read."""
    parts = [
        f' "{name}": [\n  '
        + ",\n  ".join(json.dumps(e, ensure_ascii=False) for e in entries)
        + "\n ]"
        for name, entries in golden.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(dump(make()), encoding="utf-8", newline="\n")
