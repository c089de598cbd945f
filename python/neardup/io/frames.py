"""Frames of pandas, polars and datasets as Arrow: of their columns only those that are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from neardup.errors import NeardupTypeError
from neardup.io.base import FieldSpec, split_path

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["dataset_tables", "library", "narrowed", "pandas_table", "refuse"]

_LIBRARIES = ("pandas", "polars", "datasets", "pyarrow", "numpy", "duckdb")
_ROWS = 1 << 14


def library(data: Any) -> str:
    """The library a collection is of, also for classes derived from its own; "" if none known.

    Examples
    --------
    >>> import pyarrow as pa
    >>> library(pa.array(["a"])), library(["a"])
    ('pyarrow', '')
    """
    for kind in type(data).__mro__:
        name = kind.__module__.partition(".")[0]
        if name in _LIBRARIES:
            return name
    return ""


def refuse(data: Any) -> None:
    """Say what to pass instead of a query, of several tables, or of rows without a column.

    Raises
    ------
    NeardupTypeError
        For a polars LazyFrame, for datasets by split, and for a pandas frame of an index alone.
    """
    name, known = type(data).__name__, library(data)
    if known == "polars" and name == "LazyFrame":
        raise NeardupTypeError("a LazyFrame is a query without rows: pass frame.collect()")
    columns = getattr(data, "columns", None)
    if known == "pandas" and columns is not None and len(columns) == 0 < len(data):
        raise NeardupTypeError(
            f"a {name} of {len(data):,} rows has no columns: pass one with a column of texts, "
            "for example frame.reset_index()"
        )
    if known == "datasets" and isinstance(data, dict):
        splits = ", ".join(map(repr, data))
        raise NeardupTypeError(
            f"a {name} holds several datasets ({splits}): pass one of them, or concatenate them"
        )


def narrowed(data: Any, fields: FieldSpec) -> tuple[Any, list[str] | None]:
    """A frame with the columns that the fields need, and the names of all it had.

    Other columns may hold what Arrow cannot, and cost time. A frame without any of them keeps
    its first column, to tell its rows. What is no frame comes back as it is, with None.
    """
    known = library(data)
    names = getattr(data, "columns", None) if known in ("pandas", "polars") else None
    if known == "datasets":
        names = getattr(data, "column_names", None)
    if names is None:
        return data, None  # a dataset without features, too: its rows tell
    present = [str(name) for name in names]
    wanted = set(columns_for(present, fields)) or set(present[:1])
    places = [place for place, name in enumerate(present) if name in wanted]
    if known == "pandas":
        return data.iloc[:, places], present
    chosen = [names[place] for place in places]
    return data.select(chosen) if known == "polars" else data.select_columns(chosen), present


def columns_for(present: Sequence[str], fields: FieldSpec) -> list[str]:
    """The columns, of those present, that hold fields."""
    wanted = [name for name in (*fields.text, fields.id, fields.key) if name is not None]
    heads = [name if name in present else split_path(name)[0] for name in wanted]
    return [head for head in heads if head in present]


def pandas_table(
    data: Any, fields: FieldSpec, whole: bool
) -> tuple[pa.Table | pa.ChunkedArray, dict[int, str]]:
    """A pandas frame or series as Arrow, and the rows whose text is none, with the reason.

    Parameters
    ----------
    data : pandas.DataFrame or pandas.Series
        The index does not matter.
    fields : FieldSpec
        Which columns are text.
    whole : bool
        Whether columns of no field are needed too.

    Raises
    ------
    NeardupTypeError
        A column that no Arrow type can hold.
    """
    import pyarrow as pa

    faults: dict[int, str] = {}
    if not hasattr(data, "columns"):
        column = _arrow(data)
        return _chunked(_strings(data, faults) if column is None else column), faults
    names = [str(name) for name in data.columns]
    texts, carried = set(fields.text), {fields.id, fields.key}
    arrays = []
    for place, name in enumerate(names):
        series = data.iloc[:, place]
        array = _arrow(series)
        if array is None and name in texts:
            array = _strings(series, faults)
        elif array is None and name in carried:
            array = pa.array([None if _missing(each) else str(each) for each in series])
        elif array is None and not whole:
            array = pa.nulls(len(series))
        elif array is None:
            raise NeardupTypeError(
                f'column "{name}" holds values of several kinds, which no Arrow column can; drop '
                "or convert it, or leave out= away, and only the columns needed are read"
            )
        arrays.append(_chunked(array))
    return pa.Table.from_arrays(arrays, names), faults


def dataset_tables(
    data: Any, fields: FieldSpec, whole: bool, faults: dict[int, str]
) -> Iterator[pa.Table]:
    """The rows of a `datasets.Dataset` or `IterableDataset`, all under one schema.

    Parameters
    ----------
    data : datasets.Dataset or datasets.IterableDataset
        With features or without.
    fields : FieldSpec
        Which fields will be read.
    whole : bool
        Whether all columns are wanted of data without features, or those of the fields only.
    faults : dict of int to str
        Takes the rows whose text is none, with the reason.
    """
    import pyarrow as pa

    if getattr(data, "features", None) is None:
        tables = _example_tables(data, fields, whole, faults)
    else:
        tables = data.with_format("arrow").iter(batch_size=_ROWS)
    schema = None
    for table in tables:
        if schema is None:
            schema = table.schema
            for place, field in enumerate(schema):
                if pa.types.is_null(field.type):
                    # Nothing in so many rows: whatever comes can be written as a string.
                    schema = schema.set(place, field.with_type(pa.string()))
        try:
            yield table.cast(schema)
        except (pa.ArrowException, ValueError) as error:
            raise NeardupTypeError(
                f"the columns of the dataset change their types on the way ({error}); give it "
                "features, with data.cast(features)"
            ) from None


def _example_tables(
    data: Any, fields: FieldSpec, whole: bool, faults: dict[int, str]
) -> Iterator[pa.Table]:
    """Tables of examples that come as dicts, whose keys may come and go."""
    import pyarrow as pa

    names: list[str] = []
    examples, first = iter(data), 0
    while rows := list(islice(examples, _ROWS)):
        if not names:
            names = list(rows[0]) if whole else columns_for(list(rows[0]), fields)
            names = names or list(rows[0])[:1]
        arrays = []
        for name in names:
            values = [row.get(name) for row in rows]
            try:
                array = pa.array(values)
            except (pa.ArrowException, OverflowError, UnicodeEncodeError):
                if name in fields.text:
                    array = _strings(values, faults, first)
                else:
                    array = pa.array([None if _missing(each) else str(each) for each in values])
            arrays.append(array)
        yield pa.Table.from_arrays(arrays, names)
        first += len(rows)


def _arrow(series: Any) -> pa.Array | pa.ChunkedArray | None:
    import pyarrow as pa

    try:
        return pa.Array.from_pandas(series)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        return None  # an integer beyond 64 bits, values of several kinds, half a surrogate pair


def _strings(values: Iterable[Any], faults: dict[int, str], first: int = 0) -> pa.Array:
    """The strings of a column of Python objects; what is none becomes null, with the reason."""
    import pyarrow as pa

    found: list[str | None] = []
    for row, value in enumerate(values, first):
        text = None
        if isinstance(value, str):
            try:
                text = str(value)
                text.encode("utf-8")
            except UnicodeEncodeError as error:
                faults[row] = f"half a surrogate pair at character {error.start} is no Unicode text"
                text = None
        elif not _missing(value):
            faults[row] = f"the text is of type {type(value).__name__}, not str"
        found.append(text)
    return pa.array(found, pa.large_string())


def _missing(value: Any) -> bool:
    """None, NaN, pandas.NA and pandas.NaT."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _chunked(array: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
