"""The twin of the text path: normalise > tokenise > shingle."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from neardup.reference.hashes import MASK64, mix, splitmix, token_hash

POLYNOMIAL_BASE = splitmix(0, 0)
category, form = unicodedata.category, unicodedata.normalize
ALONE_NAMES = re.compile(
    "CJK (UNIFIED|COMPATIBILITY) IDEOGRAPH|CJK RADICAL|KANGXI RADICAL|HANGZHOU NUMERAL"
    "|IDEOGRAPHIC (ITERATION|NUMBER ZERO)|VERTICAL IDEOGRAPHIC ITERATION"
    "|OLD CHINESE (HOOK|ITERATION) MARK|VIETNAMESE ALTERNATE READING"
    "|HIRAGANA|HENTAIGANA|(HALFWIDTH )?KATAKANA|THAI|LAO|KHMER|MYANMAR"
)
NOT_ALONE_NAMES = re.compile("(HALFWIDTH )?KATAKANA(-HIRAGANA| (SEMI-)?VOICED SOUND MARK)")


def is_alone(c: str) -> bool:
    """Whether a word character belongs to a script written without spaces; its name tells."""
    name = unicodedata.name(c, "")
    return bool(ALONE_NAMES.match(name)) and not NOT_ALONE_NAMES.match(name)


def is_invisible(c: str) -> bool:
    """Whether a character is of category Cf or a variation selector."""
    selectors = "[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    return category(c) == "Cf" or re.match(selectors, c) is not None


def _without(condition: Callable[[str], bool]) -> Callable[[str], str]:
    return lambda text: "".join(c for c in text if not condition(c))


_without_mn = _without(lambda c: category(c) == "Mn")
STEPS: dict[str, Callable[[str], str]] = {
    "nfc": lambda text: form("NFC", text),
    "nfkc": lambda text: form("NFKC", text),
    "lower": str.lower,
    "casefold": str.casefold,
    "strip-accents": lambda text: form("NFC", _without_mn(form("NFD", text))),
    "strip-invisible": _without(is_invisible),
    "collapse-space": lambda text: " ".join(text.split()),
    "remove-space": _without(str.isspace),
    "remove-punct": _without(lambda c: category(c)[0] == "P"),
    "remove-digits": _without(lambda c: category(c) == "Nd"),
    "remove-symbols": _without(lambda c: category(c)[0] == "S"),
    "mask-digits": lambda text: re.sub(r"\d+", "0", text),  # \d is category Nd
}


def normalize(text: str, steps: str, *, lines: bool = False) -> str:
    """Apply a comma list of steps; with `lines`, white space collapses inside each line."""
    for step in steps.split(",") if steps != "none" else []:
        if step == "collapse-space" and lines:
            text = "\n".join(STEPS[step](line) for line in text.split("\n"))
        else:
            text = STEPS[step](text)
    return text


def words(text: str) -> list[str]:
    """Split into `alone mark* | (word - alone)+`."""

    def kind(c: str) -> str:
        word = c == "_" or category(c)[0] in "LMN"
        return "wmAM"[2 * is_alone(c) + (category(c)[0] == "M")] if word else " "

    found = re.finditer("[AM][Mm]*|[wm]+", "".join(map(kind, text)))
    return [text[match.start() : match.end()] for match in found]


def tokens(text: str, kind: str) -> list[str]:
    """Return the tokens of a normalised text; those of kind `byte` as two hexadecimal digits."""
    if kind == "word":
        return words(text)
    if kind == "whitespace":
        return text.split()
    if kind == "line":
        return [line.strip() for line in text.split("\n") if line.strip()]
    if not text.strip():
        return []
    return list(text) if kind == "char" else [f"{b:02x}" for b in text.encode()]


def prepare(text: str, normalize_steps: str, kind: str) -> str:
    """Normalise for a kind of token: `char` collapses white space unless it is removed."""
    text = normalize(text, normalize_steps, lines=kind == "line")
    if kind == "char" and "remove-space" not in normalize_steps.split(","):
        text = STEPS["collapse-space"](text)
    return text


def in_fraction(shingle: int, share: float) -> bool:
    """Whether a shingle is of the share of all that stays (FracMinHash)."""
    return mix(mix(shingle ^ splitmix(0, 1))) < int(share * 2.0**64)


def shingles(
    text: str,
    *,
    normalize: str,
    shingle: str,
    hash: Callable[[bytes], int] | None = None,
    becomes: Callable[[str], str | None] = lambda token: token,
    fraction: float = 1.0,
) -> list[int]:
    """Return the shingles of a text as 64-bit integers, in text order and with repeats.

    `hash` stands for XXH3 where another is asked for; `becomes` gives the stem of a token, or None
    for a stop word.
    """
    kind, size = shingle.split(":")
    n = int(size)
    found = tokens(prepare(text, normalize, kind), kind)
    if kind in ("word", "whitespace"):
        found = [each for each in map(becomes, found) if each is not None]
    if hash is not None and kind in ("char", "byte"):
        raw = [c.encode() if kind == "char" else bytes.fromhex(c) for c in found]
        windows = range(max(len(raw) - n, 0) + 1 if raw else 0)
        hashed = [hash(b"".join(raw[i : i + n])) for i in windows]
        return [each for each in hashed if in_fraction(each, fraction)]
    of_token = token_hash if hash is None else lambda token: hash(token.encode())
    if kind == "char":
        units, width = [ord(c) + 1 for c in found], 21
    elif kind == "byte":
        units, width = [int(b, 16) + 1 for b in found], 9
    else:
        units, width = [of_token(token) for token in found], 64

    def value(window: Sequence[int]) -> int:
        if n * width <= 63:
            return sum(unit << width * i for i, unit in enumerate(reversed(window)))
        if width == 64 and len(window) == 1:
            return window[0]
        total = 0
        for unit in window:
            total = (total * POLYNOMIAL_BASE + unit) & MASK64
        return mix(total)

    windows = range(max(len(units) - n, 0) + 1 if units else 0)
    values = [value(units[i : i + n]) for i in windows]
    return [each for each in values if in_fraction(each, fraction)]
