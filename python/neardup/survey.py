"""Pass one: what is kept of a document while its text goes by: 300 bytes at most, no text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.columns import native_column, validity

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
    """

    starts: npt.NDArray[np.int64]
    ok: npt.NDArray[np.bool_]
    digest: U64
    raw: U64
    tokens: npt.NDArray[np.uint32]
    words: npt.NDArray[np.uint32]
    bytes: U64
    bands: _native.BandKeys

    def __len__(self) -> int:
        return len(self.ok)

    def place(self, document: int) -> tuple[int, int]:
        """Source and row of a document."""
        source = int(np.searchsorted(self.starts, document, side="right")) - 1
        return source, document - int(self.starts[source])


class Kernel:
    """Surveys one batch: normalise, tokenise, shingle, sketch and band in one native pass."""

    def __init__(
        self,
        spec: _native.TextSpec,
        sketch: _native.Sketch | None,
        bands: int,
        rows: int,
        threads: int,
    ) -> None:
        self.spec, self.sketch, self.bands, self.rows = spec, sketch, bands, rows
        self.threads = threads

    def __call__(self, batch: Batch) -> Part:
        """Survey a batch."""
        valid = validity(batch.texts)
        found = _native.survey(
            native_column(batch.texts),
            valid,
            self.spec,
            self.sketch,
            self.bands,
            self.rows,
            self.threads,
        )
        return Part(
            batch.source, found, np.ones(len(batch.texts), bool) if valid is None else valid
        )


@dataclass(frozen=True)
class Part:
    """The survey of one batch."""

    source: int
    found: _native.BatchSurvey
    ok: npt.NDArray[np.bool_]


def collect(parts: Iterable[Part], sources: int, bands: int) -> Survey:
    """Put the surveys of all batches together, in order."""
    keys = _native.BandKeys(bands)
    counts = np.zeros(sources, np.int64)
    columns: dict[str, list[Any]] = {
        name: [] for name in ("ok", "digest", "raw", "tokens", "words", "bytes")
    }
    for part in parts:
        counts[part.source] += len(part.ok)
        for name, column in columns.items():
            column.append(part.ok if name == "ok" else getattr(part.found, name))
        keys.extend(part.found)
    whole = {name: _joined(name, column) for name, column in columns.items()}
    starts = np.concatenate([[0], np.cumsum(counts)])
    return Survey(starts=starts, bands=keys, **whole)


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
