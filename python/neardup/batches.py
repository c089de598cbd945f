"""Keep-first over batches in memory: a text stays unless it is similar to one kept before."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.errors import NeardupTypeError, NeardupValueError
from neardup.streaming import native_stream, stream_config
from neardup.texts import columns

__all__ = ["Deduplicator", "Statistics"]

_ALWAYS = float("-inf")


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a `Deduplicator` has seen so far.

    Attributes
    ----------
    documents, unique, removed : int
        ``documents = unique + removed``.
    clusters : int
        Kept documents for which others were removed.
    seconds : float
        Time spent in `add`.
    """

    documents: int
    unique: int
    removed: int
    clusters: int
    seconds: float

    @property
    def documents_per_second(self) -> float:
        """Rate over all batches."""
        return self.documents / self.seconds if self.seconds else 0.0

    @property
    def duplicate_rate(self) -> float:
        """Share of documents that were removed."""
        return self.removed / self.documents if self.documents else 0.0

    def __str__(self) -> str:
        return (
            f"{self.documents:,} documents, {self.unique:,} unique, {self.removed:,} removed "
            f"({self.duplicate_rate:.1%}) in {self.clusters:,} clusters; "
            f"{self.documents_per_second:,.0f} documents a second"
        )


class Deduplicator:
    """Batches of texts in, masks of those that stay out.

    A text is removed if it is similar to one that was kept before, in this batch or an earlier one.
    How texts are cut into batches does not matter, and the mask of all is that of one
    ``dedup(keep="first")``, whose default clustering visits texts in that order too. It may
    differ where a bucket holds more than `bucket_cap` texts: the newest so many are compared here.

    Parameters
    ----------
    text : str, default "text"
        Column of the texts in batches that have several.
    **options
        As of `StreamingDeduplicator`.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        An unknown option, or a value that is not allowed.

    Examples
    --------
    >>> from neardup import Deduplicator
    >>> run = Deduplicator()
    >>> run.add(["one and the same text", "another text"]).tolist()
    [True, True]
    >>> run.add(["One and the same TEXT!"]).tolist()
    [False]
    >>> run.stats.unique, run.stats.removed, run.stats.clusters
    (2, 1, 1)
    """

    def __init__(self, *, text: str = "text", **options: Any) -> None:
        self._config = stream_config("Deduplicator", {"text": text, **options}, "text")
        if len(self._config.text) != 1:
            raise NeardupValueError(f"text: one column holds the texts, got {text!r}")
        self._native: _native.Stream = native_stream(self._config)
        self._lock = Lock()
        self._documents, self._seconds = 0, 0.0
        self._clusters: set[int] = set()

    @property
    def stats(self) -> Statistics:
        """What was seen so far."""
        with self._lock:
            unique = len(self._native)
            counts = self._documents, unique, self._documents - unique
            return Statistics(*counts, len(self._clusters), self._seconds)

    @property
    def nbytes(self) -> int:
        """Bytes held, about."""
        return self._native.nbytes

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<Deduplicator: {self.stats}>"

    def add(self, batch: Any) -> npt.NDArray[np.bool_]:
        """Take in a batch.

        Parameters
        ----------
        batch : iterable of str, or a column or table that speaks Arrow
            pyarrow, polars, pandas ...; of a table the column `text`.

        Returns
        -------
        numpy.ndarray of bool, shape (n,)
            Which texts stay.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not a batch of texts, or a text that is null; nothing of it is taken in then.
        """
        (column,) = columns(_column(batch, self._config.text[0]))
        with self._lock:
            began = time.perf_counter()
            first, most, threads = self._documents, 2**63 - 1, self._config.threads
            numbers, _, _ = self._native.add_batch(first, column, 0.0, True, most, _ALWAYS, threads)
            self._documents += len(numbers)
            kept: npt.NDArray[np.bool_] = numbers < 0
            self._clusters.update(numbers[~kept].tolist())
            self._seconds += time.perf_counter() - began
        return kept


def _column(batch: Any, name: str) -> Any:
    """The texts of a batch."""
    if not (hasattr(batch, "__arrow_c_stream__") or hasattr(batch, "__arrow_c_array__")):
        return batch
    import pyarrow as pa

    if hasattr(batch, "__arrow_c_stream__"):
        array = pa.chunked_array(batch)
    else:
        array = pa.chunked_array([pa.array(batch)])
    if pa.types.is_struct(array.type):
        if name not in array.type.names:
            raise NeardupTypeError(
                f"text: the batch has no column {name!r} but {', '.join(array.type.names)}; name "
                "one of them with text="
            )
        batches = map(pa.RecordBatch.from_struct_array, array.chunks)
        array = pa.Table.from_batches(batches, pa.schema(array.type))[name]
    # In one piece, so that it is taken in as a whole or not at all.
    return array if array.num_chunks < 2 else array.cast(pa.large_string()).combine_chunks()
