"""A removed text beside the kept one, with the words that differ marked."""

from __future__ import annotations

import difflib
import re
import unicodedata
from typing import Any

# A word, a run of space, or one other character; a Han or Kana character is a word.
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+|\s+|.", re.DOTALL
)
CONTEXT = 24  # words shown on each side of a difference
LONG = 40  # a longer stretch between them is shortened
LIMIT = 1200  # characters shown of one text
Piece = tuple[str, bool]


def pair(
    console: Any,
    removed: str,
    kept: str,
    title: str,
    *,
    names: tuple[str, str] = ("removed", "kept"),
) -> None:
    """Print two texts, side by side where the terminal is wide enough, else one above the other."""
    from rich.markup import escape
    from rich.panel import Panel
    from rich.table import Table

    left, right = difference(removed, kept)
    plain = not console.is_terminal
    sides = [
        (names[0], _text(left, "bold red strike", ("[-", "-]"), plain)),
        (names[1], _text(right, "bold green underline", ("{+", "+}"), plain)),
    ]
    console.print()
    console.print(title, style="bold", markup=False)
    sides = [(escape(name), text) for name, text in sides]
    if console.width >= 100:
        table = Table.grid(expand=True, padding=(0, 1))
        table.add_column(ratio=1)
        table.add_column(ratio=1)
        table.add_row(*(Panel(text, title=name, title_align="left") for name, text in sides))
        console.print(table)
    else:
        for name, text in sides:
            console.print(Panel(text, title=name, title_align="left"))


def difference(removed: str, kept: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts as pieces, each with whether it differs; long equal stretches are shortened.

    Case, width and the kind of space are no difference, as they are none by default to a run.

    Examples
    --------
    >>> left, right = difference("a red fox", "a brown fox")
    >>> left
    [('a ', False), ('red', True), (' fox', False)]
    >>> right
    [('a ', False), ('brown', True), (' fox', False)]
    """
    a, b = _WORD.findall(removed), _WORD.findall(kept)
    left: list[Piece] = []
    right: list[Piece] = []
    matcher = difflib.SequenceMatcher(None, _plain(a), _plain(b), autojunk=False)
    blocks = matcher.get_opcodes()
    for number, (kind, a0, a1, b0, b1) in enumerate(blocks):
        if kind == "equal":
            first, last = number == 0, number == len(blocks) - 1
            left.append((_shorten(a[a0:a1], first, last), False))
            right.append((_shorten(b[b0:b1], first, last), False))
            continue
        if a1 > a0:
            left.append((_shorten(a[a0:a1], False, False), True))
        if b1 > b0:
            right.append((_shorten(b[b0:b1], False, False), True))
    return left, right


def _plain(words: list[str]) -> list[str]:
    """The words as they are compared."""
    return [unicodedata.normalize("NFKC", word).casefold().strip() for word in words]


def _shorten(words: list[str], first: bool, last: bool) -> str:
    """The words next to a difference; the middle of a long stretch becomes an ellipsis."""
    head, tail = (0 if first and not last else CONTEXT), (0 if last and not first else CONTEXT)
    if first and last:
        head, tail = 2 * CONTEXT, 0
    if len(words) <= head + tail + LONG:
        return "".join(words)
    return f"{''.join(words[:head])} … {''.join(words[len(words) - tail :])}"


def _text(pieces: list[Piece], style: str, marks: tuple[str, str], plain: bool) -> Any:
    """Pieces as rich text: styled on a terminal, marked with signs elsewhere."""
    from rich.text import Text

    text = Text(overflow="fold")
    for words, differs in pieces:
        if len(text) > LIMIT:
            text.append(" …")
            break
        words = re.sub(r"\s*\n\s*", " ", words)
        if differs and plain:
            text.append(f"{marks[0]}{words}{marks[1]}")
        else:
            text.append(words, style=style if differs else "")
    return text
