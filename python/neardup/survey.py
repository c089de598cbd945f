"""Pass one: what is kept of a document while its text goes by: 300 bytes at most, no text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.columns import native_column, validity
from neardup.io.keys import KeyField, Sortable, mixed, sortable
from neardup.tokenizer import Place, Tokenizer

if TYPE_CHECKING:
    from neardup.io.base import Batch

U64 = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Survey:
    """One entry a row of the input, rejected rows too, numbered in the order they were read.

    Attributes
    ----------
    starts : numpy.ndarray of int64, shape (sources + 1,)
        Number of the first document of each source, and the end.
    ok : numpy.ndarray of bool
        False for rejected rows; their other entries mean nothing.
    digest, raw : numpy.ndarray of uint64, shape (n, 2)
        128-bit digests, low word first, of the normalised text and of the raw text.
    tokens, words : numpy.ndarray of uint32
        Tokens under the text spec, and words.
    bytes : numpy.ndarray of uint64
        Bytes of the raw text.
    bands : BandKeys
        64-bit band keys, a column a band.
    keep_value, keep_rest : numpy.ndarray of float64, or None
        The field to keep by, NaN where it is missing, and what its float64 lacks to the exact
        value; None where no field was asked for, and where nothing is lacking.
    short_han : int
        Texts that are short and Chinese, those of both sides of `--against`.
    unsampled : int
        Texts with tokens, and no shingle in the fraction that stays.
    """

    starts: npt.NDArray[np.int64]
    ok: npt.NDArray[np.bool_]
    digest: U64
    raw: U64
    tokens: npt.NDArray[np.uint32]
    words: npt.NDArray[np.uint32]
    bytes: U64
    bands: _native.BandKeys
    keep_value: npt.NDArray[np.float64] | None = None
    keep_rest: npt.NDArray[np.float64] | None = None
    short_han: int = 0
    unsampled: int = 0

    def __len__(self) -> int:
        return len(self.ok)

    def unordered(self) -> bool:
        """Whether documents are there, and none has the field to keep by."""
        value = self.keep_value
        return value is not None and len(value) > 0 and bool(np.isnan(value).all())

    def place(self, document: int) -> tuple[int, int]:
        """Source and row of a document."""
        source = int(np.searchsorted(self.starts, document, side="right")) - 1
        return source, document - int(self.starts[source])


def cut(
    batch: Batch, spec: _native.TextSpec, tokenizer: Tokenizer | None, names: Sequence[str]
) -> tuple[Any, npt.NDArray[np.bool_] | None]:
    """The texts of a batch, with the tokens of a tokenizer if there is one; and which are no null.

    `names` of the sources are for messages.
    """
    valid, column = validity(batch.texts), native_column(batch.texts)
    if tokenizer is None:
        return column, valid
    size = len(batch.texts)
    rows = np.arange(size, dtype=np.uint32) if valid is None else np.flatnonzero(valid)
    rows = rows.astype(np.uint32, copy=False)
    place = Place(batch.first_row, rows, names[batch.source])
    return tokenizer.column(spec, column, place, rows, size), valid


class Kernel:
    """Surveys one batch: normalise, tokenise, shingle, sketch and band in one native pass."""

    def __init__(
        self,
        spec: _native.TextSpec,
        sketch: _native.Sketch | None,
        bands: int,
        rows: int,
        threads: int,
        tokenizer: Tokenizer | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.spec, self.sketch, self.bands, self.rows = spec, sketch, bands, rows
        self.threads, self.tokenizer, self.names = threads, tokenizer, names

    def __call__(self, batch: Batch) -> Part:
        """Survey a batch."""
        column, valid = cut(batch, self.spec, self.tokenizer, self.names)
        found = _native.survey(
            column,
            valid,
            self.spec,
            self.sketch,
            self.bands,
            self.rows,
            self.threads,
        )
        ok = np.ones(len(batch.texts), bool) if valid is None else valid
        keys = None if batch.keys is None else sortable(batch.keys)
        return Part(batch.source, batch.first_row, found, ok, keys)


@dataclass(frozen=True)
class Part:
    """The survey of one batch."""

    source: int
    first_row: int
    found: _native.BatchSurvey
    ok: npt.NDArray[np.bool_]
    keys: Sortable | None = None


def collect(
    parts: Iterable[Part], sources: Sequence[str], bands: int, field: str | None = None
) -> Survey:
    """Put the surveys of all batches together, in order.

    Parameters
    ----------
    parts : iterable of Part
        Surveys of the batches, in the order they were read.
    sources : sequence of str
        Names of the sources.
    bands : int
        Band keys of a document.
    field : str, optional
        The field to keep by.
    """
    keys = _native.BandKeys(bands)
    counts = np.zeros(len(sources), np.int64)
    short_han = unsampled = 0
    order = None if field is None else _Order(field, sources)
    columns: dict[str, list[Any]] = {
        name: [] for name in ("ok", "digest", "raw", "tokens", "words", "bytes")
    }
    for part in parts:
        counts[part.source] += len(part.ok)
        short_han += part.found.short_han
        unsampled += part.found.unsampled
        for name, column in columns.items():
            column.append(part.ok if name == "ok" else getattr(part.found, name))
        keys.extend(part.found)
        if order is not None:
            order.add(part)
    whole = {name: _joined(name, column) for name, column in columns.items()}
    starts = np.concatenate([[0], np.cumsum(counts)])
    if order is not None:
        whole["keep_value"], whole["keep_rest"] = order.joined()
    whole |= {"short_han": short_han, "unsampled": unsampled}
    return Survey(starts=starts, bands=keys, **whole)


class _Order:
    """The field to keep by of all documents, 8 bytes each unless some number needs more."""

    def __init__(self, field: str, sources: Sequence[str]) -> None:
        self.field, self.sources = field, sources
        self.first = ("", "")  # kind of the first value seen, and how to show it
        self.parts: list[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64] | None]] = []

    def add(self, part: Part) -> None:
        """Take the values of the next batch."""
        keys = part.keys or Sortable("", np.full(len(part.ok), np.nan), None)
        if keys.kind:
            index, shown = keys.first()
            place = KeyField(self.field, self.sources[part.source], part.first_row)
            kind, before = self.first
            if kind and kind != keys.kind:
                raise mixed(place, index, shown, before)
            if not kind:
                row = place.first_row + index
                self.first = keys.kind, f"{shown} in {place.source or 'the data'}, row {row}"
        self.parts.append((keys.value, keys.rest))

    def joined(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64] | None]:
        """Values, and rests if there are any."""
        value = np.concatenate([np.empty(0), *(value for value, _ in self.parts)])
        if all(rest is None for _, rest in self.parts):
            return value, None
        rests = [np.zeros(len(value)) if rest is None else rest for value, rest in self.parts]
        return value, np.concatenate(rests)


def _joined(name: str, column: list[Any]) -> Any:
    if column:
        whole = np.concatenate(column)
        column.clear()
        return whole
    kinds: dict[str, Any] = {"ok": bool, "tokens": np.uint32, "words": np.uint32}
    shape = (0, 2) if name in ("digest", "raw") else (0,)
    return np.empty(shape, kinds.get(name, np.uint64))


def batches_of(
    batches: Iterable[Batch], starts: npt.NDArray[np.int64]
) -> Iterator[tuple[int, Batch]]:
    """Each batch with the number of its first document."""
    for batch in batches:
        yield int(starts[batch.source]) + batch.first_row, batch
