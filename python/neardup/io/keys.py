"""Values of a field to keep by: numbers and dates, however written, in forms that sort.

A value is carried as the nearest float64 and, where that is not exact (integers beyond 2^53,
decimals, microseconds), what is missing to the value. Pairs (nearest, rest) sort as the values do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from neardup.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["KeyField", "Sortable", "column_values", "sortable", "written_values"]

_NONE, _STRING, _NUMBER, _OTHER = range(4)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class KeyField:
    """Where values come from, for messages.

    Attributes
    ----------
    name : str
        The field.
    source : str
        Name of the source.
    first_row : int
        Row of the first value.
    lines : numpy.ndarray of uint64, optional
        Physical line of each value, for text formats.
    """

    name: str
    source: str = ""
    first_row: int = 0
    lines: np.ndarray[Any, Any] | None = None

    def error(self, index: int, what: str, advice: str) -> DataError:
        """The error that stops a run at a value."""
        line = None if self.lines is None else int(self.lines[index])
        message = f'field "{self.name}" to keep by {what}. {advice}'
        return DataError(message, source=self.source, row=self.first_row + index, line=line)


@dataclass(frozen=True, slots=True)
class Sortable:
    """Values of one kind, an entry a row.

    Attributes
    ----------
    kind : str
        "number", "date", or "" where no value is there.
    value : numpy.ndarray of float64
        The nearest float64, NaN where there is none.
    rest : numpy.ndarray of float64 or None
        What is to be added to `value`; None if nothing anywhere.
    """

    kind: str
    value: np.ndarray[Any, Any]
    rest: np.ndarray[Any, Any] | None

    def first(self) -> tuple[int, str]:
        """The first value that is there, and how to show it."""
        import numpy as np

        index = int(np.argmin(np.isnan(self.value)))
        value, rest = float(self.value[index]), 0.0 if self.rest is None else self.rest[index]
        if self.kind == "date":
            shown = (_EPOCH + timedelta(microseconds=int(value))).isoformat()
            return index, f"the date {shown}"
        exact = int(value) + int(rest) if value.is_integer() else value
        return index, f"the number {exact}"


def written_values(texts: pa.Array, kinds: np.ndarray[Any, Any], field: KeyField) -> pa.Array:
    """The values of a batch of a text format.

    Parameters
    ----------
    texts : pyarrow.Array of large_string
        The values as written, null where there is none.
    kinds : numpy.ndarray of uint8
        0 none, 1 string, 2 number, 3 anything else.
    field : KeyField
        Where they come from.

    Returns
    -------
    pyarrow.Array
        As `column_values` gives.

    Raises
    ------
    DataError
        A value is neither number nor ISO date, or both kinds occur.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    blank = pc.equal(pc.utf8_trim_whitespace(texts), "").fill_null(True)
    kinds = np.where(blank.to_numpy(zero_copy_only=False), _NONE, kinds)
    texts = pc.if_else(pa.array(kinds != _NONE), texts, None)
    seen = np.flatnonzero(kinds)
    if not len(seen):
        return pa.nulls(len(texts))
    for index in np.flatnonzero(kinds == _OTHER)[:1].tolist():
        raise _no_value(field, index, texts[index].as_py())
    for index in seen[kinds[seen] != kinds[seen[0]]][:1].tolist():
        first = int(seen[0])
        here, there = (_shown(texts[i].as_py(), kinds[i]) for i in (index, first))
        raise mixed(field, index, here, f"{there} in row {field.first_row + first}")
    if kinds[seen[0]] == _STRING:
        return _dates(texts, field)
    try:
        return texts.cast(pa.int64())
    except pa.ArrowInvalid:
        return _exact([None if each is None else _number(each) for each in texts.to_pylist()])


def column_values(values: pa.Array, field: KeyField) -> pa.Array:
    """The values of a batch of an Arrow column.

    Parameters
    ----------
    values : pyarrow.Array
        Integers, floats, decimals, dates, timestamps, or strings that are ISO dates.
    field : KeyField
        Where they come from.

    Returns
    -------
    pyarrow.Array
        int64, float64, a struct of float64 `value` and `rest`, timestamp in UTC, or null. Dates
        without a zone are taken as UTC.

    Raises
    ------
    DataError
        A value is neither number nor date.
    """
    import pyarrow as pa

    kind, known = values.type, pa.types
    if values.null_count == len(values):
        return pa.nulls(len(values))
    if known.is_integer(kind):
        wide = known.is_uint64(kind)
        return _exact(values.to_pylist()) if wide else values.cast(pa.int64())
    if known.is_floating(kind):
        return values.cast(pa.float64())
    if known.is_decimal(kind):
        return _exact(values.to_pylist())
    if known.is_date(kind):
        return values.cast(pa.timestamp("ms")).cast(pa.timestamp("ms", "UTC"))
    if known.is_timestamp(kind):
        return values.cast(pa.timestamp(kind.unit, "UTC"))
    if known.is_string(kind) or known.is_large_string(kind) or known.is_string_view(kind):
        return _dates(values, field)
    index = values.is_valid().index(True).as_py()
    raise _no_value(field, index, f"{values[index]} ({kind})")


def sortable(values: pa.Array) -> Sortable:
    """What `written_values` or `column_values` gave, as floats.

    Examples
    --------
    >>> import pyarrow as pa
    >>> found = sortable(pa.array([2**53 + 1, None, 7]))
    >>> found.kind, found.value.tolist(), found.rest.tolist()
    ('number', [9007199254740992.0, nan, 7.0], [1.0, 0.0, 0.0])
    """
    import numpy as np
    import pyarrow as pa

    kind = values.type
    if pa.types.is_null(kind):
        return Sortable("", np.full(len(values), np.nan), None)
    name = "date" if pa.types.is_timestamp(kind) else "number"
    if pa.types.is_struct(kind):
        value, rest = (values.field(part).to_numpy(zero_copy_only=False) for part in (0, 1))
        return Sortable(name, value, rest)
    if pa.types.is_floating(kind):
        return Sortable(name, values.to_numpy(zero_copy_only=False).astype(np.float64), None)
    missing = values.is_null().to_numpy(zero_copy_only=False)
    whole = values.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    part = np.zeros(len(whole))
    if name == "date" and kind.unit == "ns":
        whole, nanoseconds = np.divmod(whole, 1000)
        part = nanoseconds / 1000
    elif name == "date":
        # Days beyond the year 292,000 are no dates that anyone keeps by; they saturate.
        scale = {"s": 10**6, "ms": 10**3, "us": 1}[kind.unit]
        most = (2**63 - 1) // scale
        whole = np.clip(whole, -most, most) * scale
    value = whole.astype(np.float64)
    # The nearest float of 2^63 - 1 is 2^63, which no int64 holds: one step below it does.
    value = np.where(value >= 2.0**63, np.nextafter(2.0**63, 0), value)
    rest = (whole - value.astype(np.int64)).astype(np.float64) + part
    value[missing], rest[missing] = np.nan, 0.0
    return Sortable(name, value, rest if rest.any() else None)


def mixed(field: KeyField, index: int, here: str, there: str) -> DataError:
    """The error for a value of another kind than an earlier one."""
    return field.error(
        index,
        f"is {here}, and {there}: numbers and dates have no common order",
        "Make the field one kind, or keep by another",
    )


def _no_value(field: KeyField, index: int, value: str) -> DataError:
    return field.error(
        index,
        f"is {value[:60]}: neither a number nor an ISO date",
        "Mend the row, or keep by another field",
    )


def _shown(value: str, kind: int) -> str:
    return f"the number {value[:40]}" if kind == _NUMBER else f'the string "{value[:40]}"'


def _dates(texts: pa.Array, field: KeyField) -> pa.Array:
    """ISO dates as microseconds."""
    import pyarrow as pa

    found: list[int | None] = []
    for index, text in enumerate(texts.to_pylist()):
        if text is None or not text.strip():
            found.append(None)
            continue
        try:
            date = datetime.fromisoformat(text.strip())
        except ValueError:
            raise _no_value(field, index, f'"{text[:40]}"') from None
        found.append(((date if date.tzinfo else date.replace(tzinfo=UTC)) - _EPOCH) // _TICK)
    return pa.array(found, pa.timestamp("us", "UTC"))


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _exact(numbers: list[Any]) -> pa.Array:
    """Numbers of any size as float64, with a rest where that is not exact."""
    import pyarrow as pa

    value: list[float | None] = []
    rest: list[float] = []
    for number in numbers:
        nearest, more = None, 0.0
        if number is not None:
            try:
                nearest = float(number)
            except OverflowError:
                nearest = math.inf if number > 0 else -math.inf
            if not isinstance(number, float) and number != nearest and math.isfinite(nearest):
                more = float(Fraction(number) - Fraction(nearest))
        value.append(nearest)
        rest.append(more)
    nearest_values = pa.array(value, pa.float64())
    if not any(rest):
        return nearest_values
    return pa.StructArray.from_arrays([nearest_values, pa.array(rest)], ["value", "rest"])
