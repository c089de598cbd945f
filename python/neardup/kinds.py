"""The rows that stay, in the kind of collection that came in; and all rows with their notes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup.errors import NeardupValueError
from neardup.io.columns import filtered
from neardup.io.frames import library
from neardup.notes import by_source
from neardup.plan import Found

if TYPE_CHECKING:
    import pyarrow as pa

    from neardup.io.documents import Ids

Mask = npt.NDArray[np.bool_]


def select(data: Any, found: Found, ids: Ids) -> Any:
    """What `Result.kept` gives.

    Parameters
    ----------
    data : object
        The collection; None for paths.
    found : Found
        The answer.
    ids : Ids
        Ids of the documents it names.

    Returns
    -------
    object
        A list for a list or an iterator of texts; a frame, series, dataset or array of the same
        library; for paths an iterator of record batches; else a pyarrow.Table. With `annotate`
        all rows that could be read, and more columns.
    """
    base = found.base
    annotated = base.plan.config.annotate
    end = int(base.survey.starts[base.documents.own])
    keep = base.survey.ok[:end] if annotated else found.keep[:end]
    if data is None:
        return _batches(found, ids)
    source: Any = base.documents.sources[0]
    rows = None if isinstance(data, list) and not source.bare else _rows(data, keep)
    if rows is None:
        batches = list(_batches(found, ids))
        if not batches:
            return [] if source.bare else source.schema.empty_table()
        import pyarrow as pa

        whole = pa.Table.from_batches(batches)
        return whole.column(0).to_pylist() if source.bare else whole
    if not annotated:
        return rows
    notes = by_source(found, ids, base.plan.config.annotate_prefix)(0)(0, end)
    return _with_columns(data, rows, notes, keep)


def _rows(data: Any, keep: Mask) -> Any:
    """The rows of a mask in the kind of the data; None where it can be gone through only once."""
    known = library(data)
    if hasattr(data, "__len__") and len(data) != len(keep):
        raise NeardupValueError(
            f"the data has changed since it was read: {len(keep)} rows then, {len(data)} now; "
            "use keep with a copy of what it was"
        )
    if isinstance(data, list | tuple):
        return [item for item, stays in zip(data, keep.tolist(), strict=True) if stays]
    if known in ("pandas", "numpy"):
        return data[keep]
    if known == "polars":
        return data.filter(keep)
    if known == "datasets" and hasattr(data, "select"):
        return data.select(np.flatnonzero(keep))
    if known == "datasets" and hasattr(data, "with_format"):
        return data.filter(partial(_stays, keep), with_indices=True)
    if known == "pyarrow" and hasattr(data, "filter"):
        return filtered(data, keep)
    return None


def _with_columns(data: Any, rows: Any, notes: pa.RecordBatch, keep: Mask) -> Any:
    """Rows with the notes of the same rows as columns."""
    import pyarrow as pa

    from neardup.columns import arrow

    known = library(data)
    if known == "datasets" and not hasattr(data, "select"):
        # Numbered before the filter, so from the data itself.
        noted = data.map(partial(_noted, notes), with_indices=True)
        return noted.filter(partial(_stays, keep), with_indices=True)
    table = pa.Table.from_batches([notes.filter(arrow(keep))])
    if known == "pandas":
        import pandas as pd

        kinds = {pa.int64(): pd.Int64Dtype(), pa.string(): pd.StringDtype()}
        frame = table.to_pandas(types_mapper=kinds.get)
        return rows.assign(**{name: frame[name].array for name in frame.columns})
    if known == "polars":
        import polars as pl

        return rows.with_columns(pl.DataFrame(table).get_columns())
    if known == "datasets":
        import datasets

        added = datasets.Dataset(datasets.table.InMemoryTable(table))
        return datasets.concatenate_datasets([rows, added], axis=1)
    for name in table.schema.names:
        column = table.column(name)
        if isinstance(rows, pa.RecordBatch):
            column = column.combine_chunks()
        rows = rows.append_column(name, column)
    return rows


def _stays(keep: Mask, _example: Any, row: int) -> bool:
    return bool(keep[row])


def _noted(notes: pa.RecordBatch, _example: Any, row: int) -> dict[str, Any]:
    return {name: notes.column(name)[row].as_py() for name in notes.schema.names}


def _batches(found: Found, ids: Ids) -> Iterator[pa.RecordBatch]:
    """Rows of each input as record batches; of text formats the raw rows, as binary."""
    import pyarrow as pa

    from neardup.io.annotate import annotated

    base = found.base
    config, survey = base.plan.config, base.survey
    keep = survey.ok if config.annotate else found.keep
    notes = by_source(found, ids, config.annotate_prefix) if config.annotate else None
    for number, source in enumerate(base.documents.sources[: base.documents.own]):
        start = int(survey.starts[number])
        for raw in source.rows():
            last = raw.first_row + raw.rows
            mask = keep[start + raw.first_row : start + last]
            if notes is not None:
                raw = annotated(source, raw, mask, notes(number)(raw.first_row, last))
            if isinstance(raw.data, pa.RecordBatch):
                yield filtered(raw.data, mask)
            else:
                rows = [raw.data.raw(i) for i in np.flatnonzero(mask).tolist()]
                yield pa.record_batch({"raw": pa.array(rows, pa.large_binary())})
