"""The native text path and its readable twin agree: every code point, and random texts."""

from __future__ import annotations

import random
import unicodedata

import numpy as np
import pytest

from neardup import reference
from neardup._native import TextSpec

DEFAULT = "nfkc,casefold,collapse-space"
NORMALIZE = [
    DEFAULT,
    "none",
    "nfkc",
    *reference.STEPS,
    "nfkc,lower,collapse-space",
    "lower,strip-accents,remove-punct,collapse-space",
    "strip-invisible,nfkc,casefold,mask-digits",
    "casefold,nfc,remove-space",
    "collapse-space,remove-punct",
]
SHINGLES = [
    *(f"word:{n}" for n in (1, 2, 3, 9)),
    *(f"whitespace:{n}" for n in (1, 3)),
    *(f"line:{n}" for n in (1, 2)),
    *(f"char:{n}" for n in (1, 2, 3, 4, 5, 20)),
    *(f"byte:{n}" for n in (1, 7, 8)),
]
POOLS = [
    "abcdefghijklmnopqrstuvwxyz",
    "ABCXYZ_0189",
    " \t\n\r\x0b\x1c\x85\xa0\u2003\u2028\u3000",
    ".,;:!?'\"()-–…“”·、。「」，！",
    "éèüñçßÅøŁŒĳǅİıſﬁﬀŉ½™²´¨",
    "ΑΒΣσςΆΐΰὈᾼ\u0345\u0387",
    "привет ЁЙйҐ",
    "字漢语們々〇，ー㈱㍿Ⅷ１２Ａｂｶﾞﾊﾟがガㇷ゚",
    "한국어각\u1100\u1161\u11a8",
    "กำลังไทยລາວខ្មែរមន៍မြန်မာ",
    "हिन्दी\u093c क़\u09c7\u09beবাংলা",
    "שָׁלוֹם العَرَبِيَّة٠١٢۳",
    "\u0300\u0301\u0308\u0327\u0323\u20dd\u3099\u309a",
    "\u00ad\u200b\u200c\u200d\u2060\ufe0f\ufe0e\u180b\u180f\U000e0100\u0600",
    "😀👩‍👧𝐀𝚺𝟙𐐀𞤀𠮷\U0002f800\U0001171e",
]


def assigned() -> list[str]:
    """Every code point assigned in the Unicode version of this Python, but surrogates."""
    every = (chr(c) for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF)
    return [c for c in every if unicodedata.category(c) != "Cn" or ord(c) & 0xFFFE == 0xFFFE]


def random_text(rng: random.Random) -> str:
    """Stretches of one pool each, so that long runs and every kind of border occur."""
    stretches = []
    for _ in range(rng.randint(0, 12)):
        pool = rng.choice(POOLS)
        mixed = pool + rng.choice(POOLS) * rng.randint(0, 1) + " " * rng.randint(0, 3)
        stretches.append("".join(rng.choices(mixed, k=rng.choice([1, 3, 10, 70]))))
    return "".join(stretches)


@pytest.mark.parametrize(
    "steps", [DEFAULT, *(pytest.param(s, marks=pytest.mark.slow) for s in NORMALIZE[1:])]
)
def test_every_code_point_normalises_as_the_twin_says(steps: str) -> None:
    native = TextSpec(steps, "word:1", "xxh3")
    context = ["{}", "e{}\u0301 a", "ΑΣ{}", "Σ{}Σ\u0323"]
    for c in assigned():
        texts = context if c < "\u2000" else context[:2]
        for text in (t.replace("{}", c) for t in texts):
            assert native.normalize(text) == reference.normalize(text, steps), ascii(text)


def test_every_code_point_is_in_the_same_token() -> None:
    contexts = [f"a{c}b 字{c}" for c in assigned()]
    lines = ["\t|\t".join(contexts[i : i + 64]) for i in range(0, len(contexts), 64)]
    for kind in ("word", "whitespace", "line"):
        native = TextSpec("none", f"{kind}:1", "xxh3")
        for line in lines:
            assert native.tokens(line) == reference.tokens(line, kind), ascii(line)


@pytest.mark.parametrize("count", [6, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shingle", SHINGLES)
def test_random_text_has_the_twins_tokens_and_shingles(shingle: str, count: int) -> None:
    rng = random.Random(f"text {shingle} {count}")
    kind = shingle.partition(":")[0]
    for steps in NORMALIZE:
        native = TextSpec(steps, shingle, "xxh3")
        for _ in range(count):
            text = random_text(rng)
            expected = reference.normalize(text, steps, lines=kind == "line")
            assert native.normalize(text) == expected, ascii(text)
            prepared = reference.prepare(text, steps, kind)
            assert native.tokens(text) == reference.tokens(prepared, kind), ascii(text)
            got = native.shingles(text)
            assert got.dtype == np.uint64
            twin = reference.shingles(text, normalize=steps, shingle=shingle)
            assert got.tolist() == twin, ascii(text)


def test_long_tokens_hash_as_the_twin_says() -> None:
    native = TextSpec("none", "line:1", "xxh3")
    rng = random.Random("xxh3")
    for length in [*range(1, 260), 511, 512, 1023, 1024, 1025, 1088, 2048, 5000]:
        text = "".join(rng.choices("abcdefgh", k=length))
        assert native.shingles(text).tolist() == [reference.xxh3_64(text.encode())]


def test_xxh3_published_vector() -> None:
    assert reference.xxh3_64(b"") == 0x2D06800538D394C2
