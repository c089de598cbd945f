"""Keep rules: which text of a cluster stays, on every kind of value and under any order of rows."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neardup
from neardup.errors import DataError
from neardup.io.keys import sortable

SAME = "one text that is written twice or more, long enough to be taken seriously"
UTC = dt.UTC


def stays(values: Any, rule: str) -> int:
    """Row that stays of rows with one text and these values."""
    values = values if isinstance(values, pa.Array) else pa.array(values)
    table = pa.table({"text": [SAME] * len(values), "f": values})
    (row,) = neardup.dedup(table, keep=rule).keep.nonzero()[0].tolist()
    return row


def write(path: Path, values: list[Any], suffix: str = "") -> Path:
    lines = [json.dumps({"text": SAME + suffix, "f": value}) + "\n" for value in values]
    path.write_text("".join(lines), "utf-8")
    return path


def stays_in(path: Path, rule: str) -> int:
    (row,) = neardup.dedup(path, keep=rule).keep.nonzero()[0].tolist()
    return row


@pytest.mark.parametrize(
    ("values", "largest", "smallest"),
    [
        ([3, 9, None, 4], 1, 0),
        ([None, float("nan"), 1.5, -2.0, float("inf")], 4, 3),
        ([2**53, 2**53 + 1, 2**53 - 1], 1, 2),
        ([2**63 - 2, 2**63 - 1, 2**63 - 3], 1, 2),
        ([-(2**63) + 1, -(2**63), -(2**63) + 2], 2, 1),
        (pa.array([2**64 - 2, 2**64 - 1, 1], pa.uint64()), 1, 2),
        (pa.array([Decimal("0.10"), Decimal("0.30"), Decimal("-7.25")]), 1, 2),
        (pa.array([Decimal(10**30 + 2), Decimal(10**30 + 3), Decimal(10**30)]), 1, 2),
        (["2024-01-01", "2024-01-02T00:00:00+09:00", "2024-01-01T14:59:59Z"], 1, 0),
        (["20240301", "2024-02-29T23:59:59.999999", "2024-W01-1", None], 0, 2),
        (pa.array(["2024-01-01", "2024-01-02"]).dictionary_encode(), 1, 0),
        ([dt.date(2020, 2, 1), None, dt.date(1901, 1, 1)], 0, 2),
        ([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 0, 1)], 1, 0),
        (pa.array([10**18 + 1, 10**18 + 2, 10**18], pa.timestamp("ns", "Asia/Tokyo")), 1, 2),
        (pa.array([10**9, 10**9 + 1], pa.timestamp("s", "+02:00")), 1, 0),
    ],
    ids=lambda value: str(value)[:30],
)
def test_largest_and_smallest(values: Any, largest: int, smallest: int) -> None:
    assert stays(values, "max:f") == largest
    assert stays(values, "min:f") == smallest


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.lists(st.none() | st.integers(-(2**70), 2**70) | st.floats(), max_size=9))
def test_written_numbers_are_compared_exactly(tmp_path_factory: Any, values: list[Any]) -> None:
    """Whole numbers and floats in one column, in Python's own exact order of the two."""
    values = [*values, 2**53 + 1]
    path = write(tmp_path_factory.mktemp("keep") / "a.jsonl", values)
    there = [value for value in values if value is not None and value == value]
    for rule, best in (("max:f", max), ("min:f", min)):
        assert values[stays_in(path, rule)] == best(there)


def test_missing_fields_come_last_and_all_missing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [{"text": SAME}, {"text": SAME, "f": None}, {"text": SAME, "f": -5}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert stays_in(path, "max:f") == stays_in(path, "min:f") == 2
    with pytest.warns(UserWarning, match='no document has a value in the field "g"'):
        assert neardup.dedup(path, keep="max:g").keep.sum() == 1


def test_nested_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"text": SAME, "meta": {"score": score}}) + "\n" for score in (1, 3, 2)]
    path.write_text("".join(lines))
    assert stays_in(path, "max:meta.score") == 1
    table = pa.table({"text": [SAME] * 3, "meta": [{"score": 1}, {"score": 0}, {"score": 2}]})
    assert neardup.dedup(table, keep="max:meta.score").keep.tolist() == [False, False, True]


def test_csv_numbers_dates_and_empty_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for values, row in ((["", "3", "12", "9.5"], 2), (["", "2024-03-01", "2024-02-29"], 1)):
        path.write_text("text,f\n" + "".join(f'"{SAME}",{value}\n' for value in values))
        assert stays_in(path, "max:f") == row


@pytest.mark.parametrize(
    ("values", "line", "seen"),
    [
        ([1, 2, "x"], 3, 'the string "x", and the number 1 in row 0'),
        ([None, "2024-01-01", 7], 3, 'the number 7, and the string "2024-01-01" in row 1'),
        ([1, True], 2, "true: neither a number nor an ISO date"),
        ([1, [2]], 2, "[2]: neither"),
        (["yesterday"], 1, '"yesterday": neither'),
    ],
)
def test_mixed_kinds_name_source_row_and_value(
    tmp_path: Path, values: list[Any], line: int, seen: str
) -> None:
    path = write(tmp_path / "a.jsonl", values)
    with pytest.raises(DataError) as caught:
        neardup.dedup(path, keep="max:f")
    assert caught.value.row == line - 1
    assert str(caught.value).startswith(f'{path}:{line}: field "f" to keep by is ')
    assert seen in str(caught.value)


def test_kinds_that_differ_between_files(tmp_path: Path) -> None:
    one = write(tmp_path / "a.jsonl", [None, 2**60 + 1])
    two = tmp_path / "b.parquet"
    pq.write_table(pa.table({"text": [SAME], "f": [dt.date(2024, 5, 1)]}), two)
    expected = (
        f'{two}: row 0: field "f" to keep by is the date 2024-05-01T00:00:00+00:00, and the '
        f"number {2**60 + 1} in {one}, row 1: numbers and dates have no common order"
    )
    with pytest.raises(DataError) as caught:
        neardup.dedup([one, two], keep="min:f")
    assert str(caught.value).startswith(expected)


def test_a_rejected_row_is_not_asked_for_its_value(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": SAME, "f": 1}) + '\n{"text": 5, "f": "x"}\n')
    assert neardup.dedup(path, keep="max:f", on_error="skip").keep.tolist() == [True, False]
    table = pa.table({"text": [SAME, None], "f": ["2024-01-01", "soon"]})
    assert neardup.dedup(table, keep="max:f", on_error="skip").keep.tolist() == [True, False]


def test_sortable_is_compact() -> None:
    """Eight bytes a document unless a value needs more."""
    assert sortable(pa.array([1, None, 2**53])).rest is None
    assert sortable(pa.array([1.5, 2.5])).value.dtype == "float64"
    assert sortable(pa.array([2**53, 2**53 + 1])).rest.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("rule", "row"), [("first", 0), ("last", 3), ("longest", 2), ("shortest", 1)]
)
def test_orders(rule: str, row: int) -> None:
    texts = [f"  {SAME}", SAME.title(), SAME.replace(" ", "   "), f" {SAME}  "]
    (kept,) = neardup.dedup(texts, keep=rule).keep.nonzero()[0].tolist()
    assert kept == row


def test_priority_of_sources(tmp_path: Path) -> None:
    paths = []
    for name in ("z/raw.jsonl", "gold/a.jsonl", "gold/b.jsonl", "web.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        paths.append(write(path, [1]))

    def kept(*items: str) -> str:
        result = neardup.dedup(paths, keep="priority:" + ",".join(items))
        (row,) = result.keep.nonzero()[0].tolist()
        return paths[row].name

    assert kept(f"{paths[3]}", f"{tmp_path}/gold/") == "web.jsonl"
    assert kept(f"{tmp_path}/gold/") in ("a.jsonl", "b.jsonl")
    assert kept(f"{paths[2]}", f"{tmp_path}/gold/") == "b.jsonl"
    # A prefix without its slash is a path, and names nothing here; all are unlisted then.
    with pytest.warns(UserWarning, match="/gold' names no source"):
        assert kept(f"{tmp_path}/gold", f"{paths[0]}") == "raw.jsonl"


@pytest.mark.parametrize("rule", ["longest", "shortest", "max:f", "min:f", "priority:c.jsonl"])
def test_what_is_kept_does_not_depend_on_the_order_of_files(tmp_path: Path, rule: str) -> None:
    """Copies of one text tie in everything but source and row: the first of these stays."""
    names = ["b.jsonl", "d.jsonl", "a.jsonl", "c.jsonl"]
    paths = [write(tmp_path / name, [1, 1]) for name in names]
    items = "priority:" + str(paths[3]) if rule.startswith("priority") else rule
    answers = set()
    for step in (0, 1, 2, 3):
        result = neardup.dedup(paths[step:] + paths[:step], keep=items)
        gone = result.removed.select(["source", "row", "kept_source", "kept_row"]).to_pylist()
        answers.add(json.dumps(gone))
    assert len(answers) == 1
    first = "c.jsonl" if rule.startswith("priority") else "a.jsonl"
    assert {row["kept_source"] for row in gone} == {str(tmp_path / first)}
    assert {row["kept_row"] for row in gone} == {0}


@pytest.mark.parametrize("rule", ["longest", "shortest", "max:f", "min:f"])
def test_kept_texts_do_not_depend_on_the_order_of_rows(rule: str) -> None:
    words = [f"w{i}" for i in range(60)]
    rows = [(" ".join([*words[:50], f"v{i % 7}"]) + " " * (i % 3), i % 4) for i in range(24)]
    answers = set()
    for step in (1, 5, 7, 11):
        order = [(i * step) % 24 for i in range(24)]
        table = pa.table({"text": [rows[i][0] for i in order], "f": [rows[i][1] for i in order]})
        answers.add(tuple(sorted(neardup.dedup(table, keep=rule).kept["text"].to_pylist())))
    assert len(answers) == 1
