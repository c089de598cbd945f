"""The documents of a run: sources in order, the fields to read of them, and the rows set aside."""

from __future__ import annotations

import json
import os
import tempfile
import weakref
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

from neardup.io.annotate import check_rows
from neardup.io.atomic import scratch
from neardup.io.base import Batch, FieldSpec, Source
from neardup.io.beside import read_ahead

if TYPE_CHECKING:
    import pyarrow as pa

Batches = Generator[Batch, None, None]
"""Batches in the order of their rows; to be closed by whoever stops before the end."""


class Rejects:
    """Rows that could not be read, as lines of JSON that leave memory when they are many."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        lines = tempfile.SpooledTemporaryFile(max_size=8 << 20)  # noqa: SIM115 - closed at the end
        self._lines: IO[bytes] = lines
        weakref.finalize(self, self._lines.close)

    def add(self, source: int, record: dict[str, Any]) -> None:
        """Set one row aside."""
        self.counts[source] = self.counts.get(source, 0) + 1
        with scratch():
            self._lines.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")

    @property
    def nbytes(self) -> int:
        """Bytes of all lines."""
        return self._lines.tell()

    def blocks(self) -> Iterator[bytes]:
        """All lines, piece by piece."""
        self._lines.seek(0)
        while block := self._lines.read(1 << 20):
            yield block
        self._lines.seek(0, os.SEEK_END)

    def restore(self, counts: dict[int, int], lines: bytes | memoryview) -> None:
        """Take over what another run had set aside."""
        self.counts = counts
        with scratch():
            self._lines.write(lines)

    def records(self) -> list[dict[str, Any]]:
        """All of them, as dicts."""
        self._lines.seek(0)
        found = [json.loads(line) for line in self._lines]
        self._lines.seek(0, os.SEEK_END)
        return found


@dataclass
class Documents:
    """What a run reads.

    Attributes
    ----------
    sources : list of Source
        The inputs, then the other side of `--against`.
    own : int
        Number of inputs; the sources after them are never written or counted.
    fields : FieldSpec
        Which fields of a row are wanted.
    skip : bool
        Set bad rows aside instead of stopping at the first.
    reserved : tuple of str
        Names that no field of an input may have, since fields of these names will be added.
    """

    sources: Sequence[Source]
    own: int
    fields: FieldSpec
    skip: bool = False
    rejects: Rejects = field(default_factory=Rejects)
    reserved: tuple[str, ...] = ()

    def batches(self) -> Iterator[Batch]:
        """Every batch of every source, in order, read in a thread beside the caller."""
        return read_ahead(lambda: chain.from_iterable(s.batches(self.fields) for s in self.sources))

    def some(self, wanted: Any, starts: Any) -> Iterator[Batch]:
        """The batches that hold any of the wanted documents; other texts in them mean nothing."""
        masks = [wanted[starts[i] : starts[i + 1]] for i in range(len(self.sources))]
        parts = zip(self.sources, masks, strict=True)
        return read_ahead(
            lambda: chain.from_iterable(
                source.batches(FieldSpec(self.fields.text, wanted=mask))
                for source, mask in parts
                if mask.any()
            )
        )

    def admit(self, batches: Batches) -> Batches:
        """Pass batches on, the bad rows in them set aside or, unless `skip`, raised."""
        with closing(batches):
            for batch in batches:
                name = self.sources[batch.source].name
                if self.reserved and batch.source < self.own:
                    check_rows(self.sources[batch.source], batch, self.reserved)
                for reject in batch.rejected:
                    if not self.skip:
                        raise reject.error(name)
                    if batch.source < self.own:
                        self.rejects.add(batch.source, reject.record(name))
                yield batch

    def size(self) -> int | None:
        """Bytes of text to come as far as file sizes tell: None with compression or in memory."""
        total = 0
        for source in self.sources:
            seen = source.fingerprint()
            if seen is None or source.codec or source.format == "parquet":
                return None
            total += seen[0]
        return total


class Ids:
    """Ids, as written in the source, of the documents that an answer names."""

    def __init__(self, wanted: Any) -> None:
        import numpy as np

        self._wanted = np.flatnonzero(wanted)
        self._parts: list[pa.Array] = []
        self._seen = 0

    def take(self, first: int, ids: pa.Array | None, count: int) -> None:
        """Keep the wanted ids of the next `count` documents."""
        import numpy as np
        import pyarrow as pa

        from neardup.columns import arrow

        end = int(np.searchsorted(self._wanted, first + count))
        mine = self._wanted[self._seen : end] - first
        self._seen = end
        if not len(mine):
            return
        if ids is None:
            self._parts.append(pa.nulls(len(mine), pa.string()))
        else:
            self._parts.append(ids.take(arrow(mine)).cast(pa.string()))

    def missing(self) -> bool:
        """Whether ids were wanted, and no document has one."""
        return bool(self._parts) and all(part.null_count == len(part) for part in self._parts)

    def at(self, documents: Any) -> pa.Array:
        """Ids of some documents; all of them must be wanted ones."""
        import numpy as np
        import pyarrow as pa

        from neardup.columns import arrow

        if not self._parts:
            return pa.nulls(len(documents), pa.string())
        if len(self._parts) > 1:
            self._parts = [pa.concat_arrays(self._parts)]
        return self._parts[0].take(arrow(np.searchsorted(self._wanted, documents)))
