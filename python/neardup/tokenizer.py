"""A tokenizer of the caller's: called with a batch of texts, watched, its tokens handed on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

from neardup import _native
from neardup.errors import DataError, NeardupValueError

if TYPE_CHECKING:
    from neardup.columns import NativeColumn

BATCH = 1000
"""Texts handed over at a time, at most."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where texts come from, for messages.

    Text `i` is row ``first + rows[skip + i]`` of the source.
    """

    first: int
    rows: Any
    source: str = ""
    skip: int = 0

    def row(self, i: int) -> int:
        """The row of text `i`."""
        return self.first + int(self.rows[self.skip + i])


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A function that cuts texts into tokens.

    Parameters
    ----------
    call : callable
        Takes a list of normalised texts and gives as many lists of tokens. Tokens of white space
        only are left out.
    """

    call: Callable[[list[str]], Iterable[Iterable[str]]]

    def __str__(self) -> str:
        return f"the tokenizer {self._own_name() or ''}".strip()

    def named(self, name: str | None) -> str:
        """The name that stands in an identity: the one given, or the function's own.

        Raises
        ------
        NeardupValueError
            Neither is there: two functions without a name could not be told apart.
        """
        found = name or self._own_name()
        if found is None:
            raise NeardupValueError(
                "tokenizer: a lambda, or a function made inside another, has no name to tell it "
                'from others; give it one with tokenizer_name="..."'
            )
        return found

    def _own_name(self) -> str | None:
        parts = getattr(self.call, "__module__", None), getattr(self.call, "__qualname__", None)
        name = ".".join(part for part in parts if part)
        return name if parts[1] and "<" not in name and not set(name) & set("; =\n") else None

    def cut(self, spec: _native.TextSpec, texts: list[str], place: Place) -> list[list[str]]:
        """The tokens of each text.

        Parameters
        ----------
        spec : TextSpec
            Texts are normalised by it first.
        texts : list of str
        place : Place
            Of each text.

        Raises
        ------
        DataError
            The function raised, gave something else than a list of tokens for each text, or
            changed its argument; the row is named.
        """
        rows: list[list[str]] = []
        for first in range(0, len(texts), BATCH):
            batch = spec.normalize_all(texts[first : first + BATCH])
            rows += self._batch(batch, replace(place, skip=first))
        return rows

    def column(
        self, spec: _native.TextSpec, column: NativeColumn, place: Place, at: Any, size: int
    ) -> _native.Tokenized:
        """Rows `at` of a column with their tokens, among `size` rows of which the others are empty.

        Parameters
        ----------
        at : numpy.ndarray of uint32
            Rows of the column to read; `place` is of these.
        size : int
            Rows of the result: those of the column, or as many as are read.
        """
        texts = _native.take_texts(column, at)
        rows = self.cut(spec, texts, place)
        if size == len(texts):
            return _native.Tokenized(texts, rows)
        all_texts, all_rows = [""] * size, [list[str]() for _ in range(size)]
        for i, text, row in zip(at.tolist(), texts, rows, strict=True):
            all_texts[i], all_rows[i] = text, row
        return _native.Tokenized(all_texts, all_rows)

    def _batch(self, texts: list[str], place: Place) -> list[list[str]]:
        handed = list(texts)
        try:
            answer = self.call(handed)
            lists = None if isinstance(answer, str | bytes) else list(answer)
        except Exception as error:
            self._find(texts, place, error)
        if len(handed) != len(texts) or any(a is not b for a, b in zip(handed, texts, strict=True)):
            same = (a is b for a, b in zip(handed, texts, strict=False))
            row = next((i for i, each in enumerate(same) if not each), min(len(handed), len(texts)))
            self._fail(place, min(row, len(texts) - 1), "changed the list it was given")
        if lists is None:
            self._fail(place, 0, f"gave one {type(answer).__name__} for {len(texts)} texts")
        if len(lists) != len(texts):
            self._short(texts, place, len(lists))
        return [self._tokens(row, place, i) for i, row in enumerate(lists)]

    def _tokens(self, row: Any, place: Place, i: int) -> list[str]:
        if isinstance(row, str | bytes):
            self._fail(place, i, f"gave one {type(row).__name__} in place of a list of tokens")
        try:
            tokens = list(row)
        except Exception as error:
            self._fail(place, i, f"gave tokens that cannot be read ({_told(error)})", error)
        for token in tokens:
            if not isinstance(token, str):
                self._fail(place, i, f"gave a token that is a {type(token).__name__}, not a str")
        return tokens

    def _find(self, texts: list[str], place: Place, error: Exception) -> NoReturn:
        """Name the first text that makes it raise on its own; failing that, the whole batch."""
        for i, text in enumerate(texts):
            try:
                list(self.call([text]))
            except Exception as alone:
                self._fail(place, i, f"raised {_told(alone)}", alone)
        self._fail(place, 0, f"raised {_told(error)} in the batch {_span(place, texts)}", error)

    def _short(self, texts: list[str], place: Place, given: int) -> NoReturn:
        """Name the first text for which it does not give one list on its own."""
        message = f"gave {given} lists for {len(texts)} texts, {_span(place, texts)}"
        for i, text in enumerate(texts):
            try:
                alone = len(list(self.call([text])))
            except Exception as error:
                self._fail(place, i, f"{message}, and raised {_told(error)}", error)
            if alone != 1:
                self._fail(place, i, f"{message}, and {alone} for this text alone")
        self._fail(place, min(given, len(texts) - 1), message)

    def _fail(self, place: Place, i: int, message: str, cause: Exception | None = None) -> NoReturn:
        wanted = "it takes a list of texts and gives a list of tokens for each"
        raise DataError(
            f"{self} {message}; {wanted}", source=place.source, row=place.row(i)
        ) from cause


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def _span(place: Place, texts: list[str]) -> str:
    return f"rows {place.row(0)} to {place.row(len(texts) - 1)}"
