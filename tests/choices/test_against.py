"""New data against old: the old comes first, is never written, and never counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import neardup
from neardup.errors import DataError, UsageError

WORDS = [f"word{i}" for i in range(40)]
ONE, TWO, THREE = " ".join(WORDS), " ".join(WORDS[::-1]), " ".join(f"x{i}" for i in range(40))
NEAR_ONE, NEAR_TWO = f"{ONE} and", f"{TWO} and"


def lines(path: Path, *texts: str, **more: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"text": text, "id": f"{path.stem}{row}", **more} for row, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def shown(table: pa.Table, *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return lines(tmp_path / "old.jsonl", ONE, ONE.upper(), TWO)


@pytest.mark.parametrize("id_field", [None, "id"])
def test_tables_are_written_with_ids_and_without(
    tmp_path: Path, old: Path, id_field: str | None
) -> None:
    new = lines(tmp_path / "new.jsonl", THREE, TWO)
    neardup.dedup(new, against=old, id=id_field, out=tmp_path / "out")
    removed = pq.read_table(tmp_path / "out" / "removed.parquet")
    ids = ("new1", "old2") if id_field else (None, None)
    assert shown(removed, "row", "id", "kept_row", "kept_id") == [(1, ids[0], 2, ids[1])]


def test_what_resembles_the_other_side_goes(tmp_path: Path, old: Path) -> None:
    new = lines(tmp_path / "new.jsonl", NEAR_ONE, THREE, TWO, ONE, THREE, f"{THREE} and")
    out = tmp_path / "out"
    r = neardup.dedup(new, against=old, id="id", out=out)
    assert r.keep.tolist() == [False, True, False, False, False, False]
    (before, mine) = (str(old), str(new))
    places = ("row", "kept_source", "kept_row", "kept_id", "reason")
    assert shown(r.removed, *places) == [
        (0, before, 0, "old0", "near"),
        (2, before, 2, "old2", "exact"),
        (3, before, 0, "old0", "exact"),
        (4, mine, 1, "new1", "exact"),
        (5, mine, 1, "new1", "near"),
    ]
    # The other side is the second of a pair, whatever the names; pairs within it are none.
    sides = ("source_a", "row_a", "id_a", "source_b", "row_b", "id_b")
    assert shown(r.pairs, *sides) == [
        (mine, 0, "new0", before, 0, "old0"),
        (mine, 1, "new1", mine, 4, "new4"),
        (mine, 1, "new1", mine, 5, "new5"),
        (mine, 2, "new2", before, 2, "old2"),
        (mine, 3, "new3", before, 0, "old0"),
    ]
    assert shown(r.clusters, "source", "row", "cluster", "representative") == [
        (mine, 0, 1, False),
        (mine, 1, 0, True),
        (mine, 2, 2, False),
        (mine, 3, 1, False),
        (mine, 4, 0, False),
        (mine, 5, 0, False),
        (before, 0, 1, True),
        (before, 2, 2, True),
    ]
    counts = ("documents", "kept", "removed", "exact_duplicates", "near_duplicates", "rejected")
    assert [r.summary[name] for name in counts] == [6, 1, 5, 3, 2, 0]
    assert list(r.summary["sources"]) == [mine]
    assert (out / "kept").exists()
    assert [path.name for path in (out / "kept").iterdir()] == ["new.jsonl"]
    assert (out / "kept/new.jsonl").read_bytes() == new.read_bytes().splitlines(True)[1]


@pytest.mark.parametrize("keep", ["first", "last", "longest", "shortest", "max:n", "min:n"])
@pytest.mark.parametrize("cluster", ["star", "components"])
def test_the_other_side_is_first_under_every_rule(tmp_path: Path, keep: str, cluster: str) -> None:
    old = lines(tmp_path / "old.jsonl", f"{ONE} or", n=5)
    new = lines(tmp_path / "new.jsonl", f"{ONE} and so", ONE, n=7)
    newer = lines(tmp_path / "newer.jsonl", f"{ONE} or but", n=3)
    r = neardup.dedup([new, newer], against=old, keep=keep, cluster=cluster)
    assert not r.keep.any()
    assert set(r.removed["kept_source"].to_pylist()) == {str(old)}


def test_components_reach_over_the_other_side(tmp_path: Path) -> None:
    """Old texts that resemble each other only through a new one are not merged by it."""
    chain = [" ".join(WORDS[i : i + 30]) for i in (0, 3, 6)]
    old = lines(tmp_path / "old.jsonl", chain[0], chain[2])
    new = lines(tmp_path / "new.jsonl", chain[1])
    for cluster in ("star", "components"):
        r = neardup.dedup(new, against=old, cluster=cluster, threshold=0.7, recall=0.99)
        assert shown(r.removed, "row", "kept_row", "similarity") == [(0, 0, 25 / 31)]
        assert shown(r.pairs, "row_a", "row_b") == [(0, 0), (0, 1)]
        assert r.summary["documents"] == 1
        assert r.summary["largest_cluster"] == 2


def test_nothing_is_removed_or_paired_within_the_other_side(tmp_path: Path) -> None:
    old = lines(tmp_path / "old.jsonl", ONE, NEAR_ONE, ONE)
    new = lines(tmp_path / "new.jsonl", THREE)
    r = neardup.dedup(new, against=old)
    assert r.removed.num_rows == r.pairs.num_rows == r.clusters.num_rows == 0
    assert [r.summary[name] for name in ("documents", "kept", "clusters", "candidates")] == [
        1,
        1,
        0,
        0,
    ]


def test_several_files_formats_and_folders(tmp_path: Path) -> None:
    lines(tmp_path / "was/a.jsonl", ONE)
    pq.write_table(pa.table({"text": [TWO], "id": [7]}), tmp_path / "was/b.parquet")
    (tmp_path / "c.csv").write_text(f"id,text\nq,{THREE}\n")
    new = lines(tmp_path / "new.jsonl", THREE, NEAR_TWO, NEAR_ONE)
    paths = [tmp_path / "was", tmp_path / "c.csv"]
    r = neardup.dedup(new, against=paths, id="id")
    assert r.removed["kept_id"].to_pylist() == ["q", "7", "a0"]
    assert shown(r.pairs, "id_b") == [("q",), ("7",), ("a0",)]


def test_a_file_may_be_on_both_sides(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", ONE, TWO, ONE)
    r = neardup.dedup(path, against=path, id="id")
    assert not r.keep.any()
    assert shown(r.removed, "row", "kept_row", "similarity") == [
        (0, 0, 1.0),
        (1, 1, 1.0),
        (2, 0, 1.0),
    ]
    assert shown(r.pairs, "row_a", "row_b") == [(0, 0), (1, 1), (2, 0)]
    assert r.summary["documents"] == r.summary["removed"] == 3


def test_data_in_memory_against_files(old: Path) -> None:
    r = neardup.dedup([NEAR_ONE, THREE], against=[old])
    assert r.kept == [THREE]
    assert r.removed["kept_source"].to_pylist() == [str(old)]
    (row,) = r.sample()
    assert (row["source"], row["kept_source"]) == ("", str(old))
    assert row["kept_text"] == ONE
    assert r.rethreshold(1.0).kept == [NEAR_ONE, THREE]


def test_blank_texts_meet_byte_for_byte(tmp_path: Path) -> None:
    old = lines(tmp_path / "old.jsonl", "", "  ")
    assert neardup.dedup(["", " ", "   ", "  "], against=old).kept == [" ", "   "]


def test_bad_rows_of_the_other_side(tmp_path: Path) -> None:
    old = tmp_path / "old.jsonl"
    old.write_text('{"text": 5}\n' + json.dumps({"text": ONE}) + "\n")
    with pytest.raises(DataError) as caught:
        neardup.dedup([NEAR_ONE], against=old)
    assert str(caught.value).startswith(f"{old}:1: ")
    r = neardup.dedup([NEAR_ONE, None], against=old, on_error="skip")
    assert r.keep.tolist() == [False, False]
    assert r.summary["rejected"] == 1
    assert r.rejected["source"].to_pylist() == [""]


def test_the_encoding_and_format_given_hold_for_both_sides(
    tmp_path: Path, neardup_cli: Any
) -> None:
    text = "今天天气很好，我们一起去公园散步吧，你说好不好"
    for name in ("old", "new"):
        row = json.dumps({"text": text}, ensure_ascii=False) + "\n"
        (tmp_path / name).write_bytes(row.encode("gb18030"))
    done = neardup_cli(
        tmp_path / "new", "--against", tmp_path / "old", "--encoding", "gb18030",
        "--format", "jsonl", "--dry-run", "--json", "--quiet",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["removed"] == 1


def test_out_may_not_be_the_other_side(old: Path, tmp_path: Path) -> None:
    before = old.read_bytes()
    new = lines(tmp_path / "new/new.jsonl", ONE)
    with pytest.raises(UsageError, match="would overwrite the input"):
        neardup.dedup(new, against=old, out=old, overwrite=True)
    assert old.read_bytes() == before


def test_order_of_files_and_threads_change_nothing(tmp_path: Path) -> None:
    first = lines(tmp_path / "p.jsonl", ONE, f"{TWO} z")
    second = lines(tmp_path / "q.jsonl", f"{ONE} y", TWO)
    new = lines(tmp_path / "new.jsonl", NEAR_ONE, NEAR_TWO, THREE)
    keeps = {
        tuple(neardup.dedup(new, against=paths, threads=threads).keep.tolist())
        for paths in ([first, second], [second, first])
        for threads in (1, 3)
    }
    assert keeps == {(False, False, True)}


def test_a_copy_of_the_other_side_is_exact_in_any_component(tmp_path: Path) -> None:
    """A new text links two old ones into one component; copies of the second are copies of it."""
    words = [f"w{i}" for i in range(40)]
    first, second = " ".join([*words[:-3], "x y z"]), " ".join(["p q r", *words[3:]])
    link = " ".join(words)
    old = lines(tmp_path / "old.jsonl", first, second)
    new = lines(tmp_path / "new.jsonl", link, second, second.upper(), first)
    r = neardup.dedup(new, against=old, threshold=0.75, cluster="components")
    found = r.removed.select(["row", "kept_row", "similarity", "reason"]).to_pylist()
    assert found[0]["reason"] == "near"
    assert found[1:] == [
        {"row": 1, "kept_row": 1, "similarity": 1.0, "reason": "exact"},
        {"row": 2, "kept_row": 1, "similarity": 1.0, "reason": "exact"},
        {"row": 3, "kept_row": 0, "similarity": 1.0, "reason": "exact"},
    ]
    assert r.summary["exact_duplicates"] == 3
