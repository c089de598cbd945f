"""What one asks of a result after the run: another threshold, samples, a look at it."""

from __future__ import annotations

import random
from typing import Any

import pytest

import neardup
from neardup.errors import NeardupValueError


def corpus(count: int = 150) -> list[str]:
    random.seed(8)
    families = [[f"w{random.randrange(99)}" for _ in range(40)] for _ in range(8)]
    texts = []
    for _ in range(count):
        words = list(random.choice(families))
        for _ in range(random.randrange(4)):
            words[random.randrange(40)] = f"x{random.randrange(3)}"
        texts.append(" ".join(words))
    return texts


EVERY = {"size": 512, "bands": 512, "rows": 1}  # with one row a band no pair is missed


@pytest.mark.parametrize("cluster", ["star", "components"])
@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.9, 1.0])
def test_rethreshold_is_a_run_at_that_threshold(cluster: str, threshold: float) -> None:
    options: dict[str, Any] = {"cluster": cluster, **EVERY}
    again = neardup.dedup(corpus(), threshold=0.5, **options).rethreshold(threshold)
    fresh = neardup.dedup(corpus(), threshold=threshold, **options)
    assert again.keep.tolist() == fresh.keep.tolist()
    for name in ("removed", "pairs", "clusters"):
        assert getattr(again, name).equals(getattr(fresh, name)), name
    changing = {"seconds", "megabytes_per_second", "peak_rss_bytes", "recall_expected"}
    assert {k: v for k, v in again.summary.items() if k not in changing} == {
        k: v for k, v in fresh.summary.items() if k not in changing
    }


def test_rethreshold_knows_no_pairs_below() -> None:
    result = neardup.dedup(corpus(20), threshold=0.7)
    with pytest.raises(NeardupValueError, match=r"0\.6 is below the 0\.7 of this run"):
        result.rethreshold(0.6)
    with pytest.raises(NeardupValueError, match="threshold"):
        result.rethreshold(1.5)
    higher = result.rethreshold(0.9)
    with pytest.raises(NeardupValueError):
        higher.rethreshold(0.8)


def test_rethreshold_with_ids_and_notes() -> None:
    pa = pytest.importorskip("pyarrow")
    texts = corpus(40)
    table = pa.table({"text": texts, "id": [f"d{i}" for i in range(40)]})
    r = neardup.dedup(table, id="id", threshold=0.5, annotate=True, **EVERY).rethreshold(0.9)
    gone = {row["id"]: row for row in r.removed.to_pylist()}
    for row in r.kept.to_pylist():
        assert row["neardup_keep"] == (row["id"] not in gone)
        assert row["neardup_kept_id"] == gone.get(row["id"], {}).get("kept_id")


def test_samples_show_both_texts() -> None:
    texts = corpus()
    result = neardup.dedup(texts, threshold=0.6)
    removed = {row["row"]: row for row in result.removed.to_pylist()}
    sample = result.sample(7)
    assert len(sample) == 7
    for row in sample:
        assert row["text"] == texts[row["row"]]
        assert row["kept_text"] == texts[row["kept_row"]]
        assert row["similarity"] == removed[row["row"]]["similarity"]
        assert row["reason"] == removed[row["row"]]["reason"]
    near = [row["similarity"] for row in result.sample(5, near=0.7)]
    distances = sorted(abs(row["similarity"] - 0.7) for row in removed.values())
    assert [abs(similarity - 0.7) for similarity in near] == distances[:5]
    assert len(result.sample(10_000)) == len(removed)
    assert neardup.dedup(["a", "b"]).sample() == []


def test_a_result_shows_itself() -> None:
    texts = ["one text that is there twice", "one text that is there TWICE", "another"]
    result = neardup.dedup(texts)
    assert repr(result) == (
        "<neardup.Result: 2 of 3 documents kept at 0.8; removed: 1 exact, 0 near; clusters: 1>"
    )
    assert len(result) == 2
    html = result._repr_html_()
    assert html.startswith("<table>")
    for name in ("documents", "kept", "exact duplicates", "clusters"):
        assert f">{name}</th>" in html
