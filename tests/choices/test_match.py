"""Pairs between two collections, against every pair compared one by one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neardup
from neardup.errors import NeardupTypeError, NeardupValueError

COLUMNS = ["source_a", "row_a", "id_a", "source_b", "row_b", "id_b", "similarity"]


def shingles(text: str, n: int = 3) -> set[tuple[str, ...]]:
    words = text.casefold().split()
    runs = {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}
    return runs or ({tuple(words)} if words else set())


def brute(left: list[str], right: list[str], threshold: float) -> list[tuple[int, int, float]]:
    """Every pair from the definition: equal texts, or Jaccard at least the threshold."""
    found = []
    for i, one in enumerate(left):
        for j, two in enumerate(right):
            a, b = shingles(one), shingles(two)
            if (
                one == two
                or " ".join(one.split()).casefold() == " ".join(two.split()).casefold() != ""
            ):
                found.append((i, j, 1.0))
            elif a and b and len(a & b) / len(a | b) >= threshold:
                found.append((i, j, len(a & b) / len(a | b)))
    return found


def rows(table: pa.Table) -> list[tuple[int, int, float]]:
    assert table.column_names == COLUMNS
    return list(
        zip(*(table[name].to_pylist() for name in ("row_a", "row_b", "similarity")), strict=True)
    )


def corpus(seed: int, count: int) -> list[str]:
    """Texts in families, with copies and blanks among them."""
    random.seed(seed)
    family = [[f"w{random.randrange(500)}" for _ in range(40)] for _ in range(5)]
    texts = []
    for _ in range(count):
        words = list(random.choice(family))
        for _ in range(random.randrange(3)):
            words[random.randrange(40)] = f"x{random.randrange(4)}"
        text = " ".join(words)
        texts.append(random.choice([text, text, text.upper(), f" {text}", "", " "]))
    return texts


@pytest.mark.parametrize("threshold", [0.6, 0.9])
def test_all_pairs_and_no_other(threshold: float) -> None:
    """With one row a band nothing is missed, so that the answer is the definition's."""
    random.seed(1)
    left, right = corpus(1, 40), corpus(1, 60)[20:]
    found = rows(neardup.match(left, right, threshold, size=512, bands=512, rows=1))
    assert found == brute(left, right, threshold)
    assert {similarity for _, _, similarity in found} > {1.0}


@settings(deadline=None, max_examples=40, derandomize=True)
@given(
    *[st.lists(st.sampled_from(["", " ", "a", "A", " a", "b c", "a b c d", "A b c d"]), max_size=6)]
    * 2
)
def test_short_texts_and_blanks(left: list[str], right: list[str]) -> None:
    assert rows(neardup.match(left, right)) == brute(left, right, 0.8)


def test_a_copy_within_a_side_is_no_pair() -> None:
    text = "a text that is there twice on the left and never on the right side"
    assert neardup.match([text, text], ["something else"]).num_rows == 0
    assert rows(neardup.match([text, text], [text, "x", text])) == [
        (0, 0, 1.0), (0, 2, 1.0), (1, 0, 1.0), (1, 2, 1.0)
    ]  # fmt: skip


def test_sides_of_any_kind_with_ids(tmp_path: Path) -> None:
    texts = corpus(3, 12)
    table = pa.table({"text": texts, "key": [f"k{i}" for i in range(12)]})
    pq.write_table(table.slice(0, 6), tmp_path / "b.parquet")
    pq.write_table(table.slice(6), tmp_path / "a.parquet")
    paths = [tmp_path / "b.parquet", tmp_path / "a.parquet"]
    found = neardup.match(table, paths, id="key")
    assert rows(neardup.match(iter(texts), table)) == rows(neardup.match(texts, texts))
    assert found["id_a"].to_pylist() == [f"k{row}" for row in found["row_a"].to_pylist()]
    expected = [
        (f"k{i}", f"k{j}", similarity) for i, j, similarity in rows(neardup.match(texts, texts))
    ]
    got = list(zip(*(found[c].to_pylist() for c in ("id_a", "id_b", "similarity")), strict=True))
    assert sorted(got) == sorted(expected)
    order = [found[name].to_pylist() for name in ("source_a", "row_a", "source_b", "row_b")]
    places = list(zip(*order, strict=True))
    assert places == sorted(places)


def test_one_file_on_both_sides(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one line of text\nanother line\none line of text\n")
    found = neardup.match(tmp_path / "a.txt", tmp_path / "a.txt")
    assert rows(found) == [(0, 0, 1.0), (0, 2, 1.0), (1, 1, 1.0), (2, 0, 1.0), (2, 2, 1.0)]


def test_threads_and_order_change_nothing() -> None:
    left, right = corpus(5, 50), corpus(6, 50) + corpus(5, 20)
    once = neardup.match(left, right, threads=1)
    assert once.equals(neardup.match(left, right, threads=4))
    turned = neardup.match(left, right[::-1])
    last = len(right) - 1
    assert sorted(rows(once)) == sorted((i, last - j, s) for i, j, s in rows(turned))


def test_options() -> None:
    one, two = ["pay 100 to the bank by noon on monday please and thank you all so much indeed"], []
    two.append(one[0].replace("100", "250"))
    assert neardup.match(one, two, 0.6).num_rows == 1
    assert neardup.match(one, two, 0.6, guard="numbers").num_rows == 0
    assert neardup.match(one, two, 0.6, exact_only=True).num_rows == 0
    assert neardup.match(one, two, preset="thorough").num_rows == 1
    assert neardup.match(one, two, 0.9, preset="thorough").num_rows == 0
    with pytest.raises(NeardupTypeError, match="keep: is an option of dedup"):
        neardup.match(one, two, keep="last")
    with pytest.raises(NeardupTypeError, match="did you mean threads"):
        neardup.match(one, two, thread=1)
    with pytest.raises(NeardupValueError, match="threshold"):
        neardup.match(one, two, 1.5)


@pytest.mark.parametrize(("left", "right"), [([], []), ([], ["a"]), (["a"], [])])
def test_an_empty_side(left: list[Any], right: list[Any]) -> None:
    found = neardup.match(left, right)
    assert found.num_rows == 0
    assert found.column_names == COLUMNS
    assert found.schema.field("row_a").type == pa.int64()


def test_a_capped_bucket_is_said() -> None:
    core = " ".join(f"w{i}" for i in range(60))
    texts = [f"{core} v{i}" for i in range(100)]
    with pytest.warns(UserWarning, match=r"buckets above bucket_cap were not compared"):
        neardup.match(texts, [f"{text} and" for text in texts], bucket_cap=2)
