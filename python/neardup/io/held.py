"""Sources read once: their texts in a temporary file, mapped, for as many passes as are wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neardup.io.arrow import Spool
from neardup.io.atomic import scratch
from neardup.io.base import Batch, FieldSpec, RawBatch, Source
from neardup.io.beside import read_ahead

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from neardup.progress import Progress

__all__ = ["Held", "hold"]


class Held:
    """What was read of one source: every pass gives it again, and none reads the source.

    Parameters
    ----------
    source : Source
        It is read by this call, and never again.
    fields : FieldSpec
        The fields that will be asked for; a pass gives these, whatever it names.
    progress : Progress
        Told of each batch.
    """

    def __init__(self, source: Source, fields: FieldSpec, progress: Progress) -> None:
        import pyarrow as pa

        self.name, self.format, self.codec = source.name, source.format, source.codec
        self._batches: list[Batch] = []  # without their texts
        self._lengths: list[int] = []
        schema = pa.schema([pa.field("text", pa.large_string())])

        def read() -> Iterator[pa.RecordBatch]:
            for batch in read_ahead(lambda: source.batches(fields)):
                self._batches.append(replace(batch, texts=batch.texts[:0], raw=None))
                self._lengths.append(len(batch))
                yield pa.record_batch([batch.texts], schema=schema)
                progress.advance(batch.nbytes, len(batch))

        with scratch():
            self._texts = Spool(pa.RecordBatchReader.from_batches(schema, read()))

    def fingerprint(self) -> None:
        """What is held cannot change."""

    def batches(self, fields: FieldSpec) -> Iterator[Batch]:
        """The batches, but those of which no row is wanted."""
        for batch, texts in zip(self._batches, self._texts, strict=True):
            end = batch.first_row + len(texts)
            if fields.wanted is None or fields.wanted[batch.first_row : end].any():
                yield replace(batch, texts=texts.column(0))

    def rows(
        self, id_field: str | None = None, wanted: np.ndarray[Any, Any] | None = None
    ) -> Iterator[RawBatch]:
        """The ids of every row."""
        for batch, length in zip(self._batches, self._lengths, strict=True):
            yield RawBatch(batch.first_row, length, None, batch.ids)


def hold(sources: Sequence[Source], fields: FieldSpec, progress: Progress) -> list[Held]:
    """Read every source once, in order.

    Raises
    ------
    NeardupError
        A source cannot be read, or the temporary file not be written.
    """
    progress.stage("reading")
    return [Held(source, fields, progress) for source in sources]
