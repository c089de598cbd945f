"""`match` by containment, against every pair of texts compared one by one."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import neardup
from neardup.errors import NeardupError, NeardupTypeError, NeardupValueError, UsageError

COLUMNS = ["source_a", "row_a", "id_a", "source_b", "row_b", "id_b", "containment"]


def rows(table: pa.Table) -> list[tuple[int, int, float]]:
    assert table.column_names == COLUMNS
    assert table.schema.field("containment").type == pa.float64()
    return list(
        zip(*(table[name].to_pylist() for name in ("row_a", "row_b", "containment")), strict=True)
    )


def corpus(seed: int) -> tuple[list[str], list[str]]:
    """Texts, and passages cut from them with some words changed; blanks and copies among both."""
    random.seed(seed)
    texts = [" ".join(f"w{random.randrange(300)}" for _ in range(80)) for _ in range(30)]
    passages = []
    for _ in range(40):
        words = random.choice(texts).split()
        start = random.randrange(50)
        part = words[start : start + random.randrange(5, 30)]
        if random.random() < 0.5:
            part[random.randrange(len(part))] = "x"
        passages.append(" ".join(part).upper())
    return [*passages, "", passages[0]], [*texts, " ", texts[3], texts[3].upper()]


def brute(left: list[str], right: list[str], threshold: float) -> list[tuple[int, int, float]]:
    found = (
        (i, j, neardup.containment(a, b)) for i, a in enumerate(left) for j, b in enumerate(right)
    )
    return [each for each in found if each[2] >= threshold]


@pytest.mark.parametrize("threshold", [0.3, 0.8, 1.0])
def test_all_pairs_and_no_other(threshold: float) -> None:
    left, right = corpus(1)
    found = neardup.match(left, right, threshold, measure="containment")
    assert rows(found) == brute(left, right, threshold)
    assert found.num_rows > 10
    again = neardup.match(left, right, threshold, measure="containment", threads=1)
    assert again.equals(found)


def test_the_measure_looks_from_left_to_right() -> None:
    passage, text = "not to be", "to be or not to be"
    assert rows(neardup.match([passage], [text], measure="containment")) == [(0, 0, 1.0)]
    assert neardup.match([text], [passage], measure="containment").num_rows == 0
    assert neardup.match([passage], [text]).num_rows == 0
    jaccard = neardup.match([text], [text.upper()], measure="jaccard")
    assert jaccard.column_names[-1] == "similarity"


def test_files_with_ids_in_order_of_their_names(tmp_path: Path) -> None:
    left, right = corpus(2)
    table = pa.table({"body": right, "key": [f"k{i}" for i in range(len(right))]})
    pq.write_table(table.slice(0, 9), tmp_path / "b.parquet")
    pq.write_table(table.slice(9), tmp_path / "a.parquet")
    lines = [json.dumps({"body": text, "key": f"q{i}"}) + "\n" for i, text in enumerate(left)]
    (tmp_path / "q.jsonl").write_text("".join(lines), encoding="utf-8")
    paths = [tmp_path / "b.parquet", tmp_path / "a.parquet"]
    options: dict[str, Any] = {"text": "body", "id": "key", "measure": "containment"}
    found = neardup.match(tmp_path / "q.jsonl", paths, 0.5, **options)
    ids = zip(found["id_a"].to_pylist(), found["id_b"].to_pylist(), strict=True)
    expected = [(f"q{i}", f"k{j}") for i, j, _ in brute(left, right, 0.5)]
    assert sorted(ids) == sorted(expected)
    places = [found[name].to_pylist() for name in ("source_a", "row_a", "source_b", "row_b")]
    order = list(zip(*places, strict=True))
    assert order == sorted(order)
    assert set(places[2]) == {str(path) for path in paths}


def test_bad_rows_are_set_aside_or_stop_the_run() -> None:
    left: list[Any] = ["not to be", None]
    table = pa.table({"text": [None, "to be or not to be"]})
    with pytest.raises(NeardupError, match="row 0"):
        neardup.match(["not to be"], table, measure="containment")
    found = neardup.match(pa.table({"text": left}), table, measure="containment", on_error="skip")
    assert rows(found) == [(0, 1, 1.0)]


@pytest.mark.parametrize(("left", "right"), [([], []), ([], ["a"]), (["a"], [])])
def test_an_empty_side(left: list[str], right: list[str]) -> None:
    assert rows(neardup.match(left, right, measure="containment")) == []


class Watcher:
    """Counts what it is told."""

    def __init__(self) -> None:
        self.documents = 0

    def stage(self, name: str, total: int | None = None) -> None: ...

    def advance(self, size: int, documents: int = 0) -> None:
        self.documents += documents

    def warn(self, message: str) -> None: ...


def test_options() -> None:
    one, two = ["我喜欢健身"], ["我喜欢普洱茶"]
    options: dict[str, Any] = {"measure": "containment", "shingle": "char:2"}
    assert rows(neardup.match(one, two, 0.5, **options)) == [(0, 0, 0.5)]
    watcher = Watcher()
    assert neardup.match(one, two, 0.51, progress=watcher, **options).num_rows == 0
    assert watcher.documents == 2
    assert neardup.match(one, one, preset="strict", **options).num_rows == 1
    with pytest.raises(NeardupValueError, match='measure must be "jaccard" or "containment"'):
        neardup.match(one, two, measure="cosine")
    for name, value in (("recall", 0.9), ("guard", "numbers"), ("size", 64), ("verify", "sketch")):
        with pytest.raises(NeardupTypeError, match=f"{name}: says nothing with measure="):
            neardup.match(one, two, measure="containment", **{name: value})
    with pytest.raises(
        UsageError, match=r"take .* MB, and memory is 0\.0 MB; raise memory, or match"
    ):
        neardup.match(one, two, measure="containment", memory="1B")
    assert neardup.match(one, two, 0.5, memory="1GiB", **options).num_rows == 1
    with pytest.raises(NeardupTypeError, match="keep: is an option of dedup"):
        neardup.match(one, two, measure="containment", keep="last")
    with pytest.raises(NeardupValueError, match="threshold"):
        neardup.match(one, two, 0, measure="containment")


def characters(texts: list[str]) -> list[list[str]]:
    return [list(text.replace(" ", "")) for text in texts]


def nothing(texts: list[str]) -> list[Any]:
    return [None for _ in texts]


def test_a_tokenizer_cuts_both_sides() -> None:
    options: dict[str, Any] = {"measure": "containment", "shingle": "word:1"}
    left, right = pa.table({"text": ["a b c", "x y"]}), ["abcd", "a b"]
    found = neardup.match(left, right, 0.6, tokenizer=characters, **options)
    assert rows(found) == [(0, 0, 1.0), (0, 1, 2 / 3)]
    with pytest.raises(NeardupError, match=r"row 0: the tokenizer .*nothing gave tokens"):
        neardup.match(left, right, 0.6, tokenizer=nothing, **options)
