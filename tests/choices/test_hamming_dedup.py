"""`sketch="simhash"`: candidates are the pairs within `hamming` bits; what is refused, and how."""

from __future__ import annotations

import json
import random
from itertools import combinations

import pyarrow.parquet as pq
import pytest
from test_exact_join import edited, pairs

import neardup
from neardup import NeardupValueError, _native, reference
from neardup.config import Config
from neardup.errors import UsageError

SPEC = {"normalize": "nfkc,casefold,collapse-space", "shingle": "word:3"}


def longer(seed: int, count: int) -> list[str]:
    """Texts of some hundred words, most of them another one with a few words changed, and odd ones."""
    rng = random.Random(seed)
    texts: list[list[str]] = []
    for _ in range(count):
        if texts and rng.random() < 0.7:
            words = list(rng.choice(texts))
            for _ in range(rng.randrange(5)):
                words[rng.randrange(len(words))] = f"w{rng.randrange(500)}"
        else:
            words = [f"w{rng.randrange(500)}" for _ in range(rng.randrange(80, 200))]
        texts.append(words)
    return [*(" ".join(words) for words in texts), "", "?!", "?!", "??"]


def near(texts: list[str], distance: int, bits: int = 64) -> dict[tuple[int, int], int]:
    """Pairs of distinct texts with a shingle, and in how many bits they differ, by the twin."""
    prints = {}
    for i, text in enumerate(texts):
        shingles = reference.shingles(text, **SPEC)
        if shingles and text not in texts[:i]:
            prints[i] = reference.simhash(shingles, bits)
    found = {(i, j): reference.hamming(prints[i], prints[j]) for i, j in combinations(prints, 2)}
    return {pair: apart for pair, apart in found.items() if apart <= distance}


def copies(texts: list[str]) -> set[tuple[int, int, float]]:
    first = [texts.index(text) for text in texts]
    return {(a, i, 1.0) for i, a in enumerate(first) if a != i}


@pytest.mark.parametrize(("bits", "distance"), [(64, 0), (64, 3), (64, 12), (128, 3), (128, 20)])
def test_candidates_are_all_pairs_within_the_distance(bits, distance):
    texts = longer(1, 120)
    expected = near(texts, distance, bits)
    result = neardup.dedup(texts, sketch="simhash", size=bits, hamming=distance)
    passed = {(i, j, neardup.jaccard(texts[i], texts[j])) for i, j in expected}
    assert pairs(result.pairs) == {p for p in passed if p[2] >= 0.8} | copies(texts)
    told = ("candidates", "bands", "rows", "recall_expected", "hamming", "size", "sketch")
    assert [result.summary[name] for name in told] == [
        len(expected), None, None, None, distance, bits, "simhash",
    ]  # fmt: skip
    assert result.summary["capped_buckets"] == result.summary["capped_pairs"] == 0
    kept = {i for i, stays in enumerate(result.keep) if stays}
    for row in result.removed.to_pylist():
        assert row["kept_row"] in kept
        assert row["reason"] == "exact" or row["similarity"] >= 0.8


@pytest.mark.parametrize("verify", ["sketch", "none"])
def test_similarities_without_verification_are_those_of_the_distance(verify):
    texts = longer(2, 100)
    estimate = {d: _native.hamming_estimates(d, 64)[1] for d in range(65)}
    expected = {(i, j, estimate[apart]) for (i, j), apart in near(texts, 16).items()}
    least = 0.8 if verify == "sketch" else 0.0
    expected = {pair for pair in expected if pair[2] >= least}
    result = neardup.dedup(texts, sketch="simhash", hamming=16, verify=verify)
    assert pairs(result.pairs) == expected | copies(texts)
    assert min(pair[2] for pair in expected) < (0.9 if verify == "sketch" else 0.8)


def test_everything_that_follows_is_as_ever():
    """With all bits allowed every pair is a candidate, and the answer is that of an exact join."""
    texts = edited(5, 200)
    options = {"threshold": 0.5, "cluster": "components", "keep": "longest", "guard": "numbers"}
    joined = neardup.dedup(texts, exact_join=True, **options)
    for threads in (1, 2, 8):
        found = neardup.dedup(texts, sketch="simhash", hamming=64, threads=threads, **options)
        assert found.removed.equals(joined.removed)
        assert found.pairs.equals(joined.pairs)
        assert found.clusters.equals(joined.clusters)
        assert found.summary["guarded_pairs"] == joined.summary["guarded_pairs"] > 0
    assert found.rethreshold(0.8).removed.equals(joined.rethreshold(0.8).removed)
    left, right = texts[:90], texts[90:]
    one = neardup.match(left, right, 0.5, sketch="simhash", hamming=64)
    assert one.equals(neardup.match(left, right, 0.5, exact_join=True))


def test_the_default_is_64_bits_and_3_of_them():
    config = Config.from_options({"sketch": "simhash"})
    assert (config.size, config.hamming, config.distance) == (64, None, 3)
    assert Config.from_options({}).distance is None
    assert Config.from_options({"sketch": "simhash", "exact_only": True}).distance is None
    texts = longer(3, 60)
    result = neardup.dedup(texts, sketch="simhash")
    assert (result.summary["hamming"], result.summary["size"]) == (3, 64)
    assert result.pairs.equals(neardup.dedup(texts, sketch="simhash", hamming=3).pairs)
    only = neardup.dedup(texts, sketch="simhash", exact_only=True)
    assert (only.summary["candidates"], only.summary["hamming"]) == (0, None)
    assert pairs(only.pairs) == copies(texts)


def test_on_the_command_line(neardup_cli, tmp_path):
    texts = longer(4, 80)
    source = tmp_path / "a.jsonl"
    lines = [json.dumps({"text": text}) for text in texts]
    source.write_text("\n".join([*lines, '{"text": null}']), "utf-8")
    out = tmp_path / "out"
    options = ("--sketch", "simhash", "--hamming", 6, "--on-error", "skip")
    done = neardup_cli(source, "-o", out, *options)
    assert done.exit_code == 0, done.output
    assert "at most 6 of 64 bits" in " ".join(done.stderr.split())
    assert "no recall is expected" in " ".join(done.stderr.replace("!", "").split())
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert (summary["hamming"], summary["recall_expected"], summary["rejected"]) == (6, None, 1)
    expected = {(i, j, neardup.jaccard(texts[i], texts[j])) for i, j in near(texts, 6)}
    expected = {pair for pair in expected if pair[2] >= 0.8} | copies(texts)
    assert pairs(pq.read_table(out / "pairs.parquet")) == expected
    done = neardup_cli(source, "--dry-run", "--hamming", 3)
    assert done.exit_code == 2
    assert "hamming=3 compares SimHash fingerprints, got sketch=fast" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hamming": 3}, "got sketch=fast; give sketch=simhash too, or leave hamming out"),
        ({"sketch": "simhash", "size": 100}, "64 or 128, got size=100; give one of them"),
        (
            {"sketch": "simhash", "bands": 2, "rows": 1},
            "simhash uses no bands, got bands=2, rows=1",
        ),
        ({"sketch": "simhash", "hamming": 65}, "hamming=65 is more than the 64 bits"),
        ({"sketch": "simhash", "hamming": 129}, "hamming: 129 is not allowed; use a whole number"),
        ({"sketch": "simhash", "hamming": 3, "exact_join": True}, "compares no fingerprints, got"),
        ({"sketch": "nosuch"}, "sketch: 'nosuch' is not allowed; use fast, .*, simhash"),
    ],
)
def test_what_it_would_ignore_is_refused(options, message):
    with pytest.raises(NeardupValueError, match=message):
        neardup.dedup(["a"], **options)


def test_zero_rows_one_row_and_equal_rows():
    for texts, kept in (([], 0), (["a"], 1), (["a b c d"] * 50, 1), (["", ""], 1)):
        result = neardup.dedup(texts, sketch="simhash")
        assert result.summary["kept"] == kept


def test_more_pairs_than_memory_has_room_for():
    texts = ["one two three four" + "!" * i for i in range(200)]
    said = (
        "more than 15625 pairs of fingerprints differ in at most 3 bits, .* lower hamming or raise"
    )
    with pytest.raises(UsageError, match=said):
        neardup.dedup(texts, sketch="simhash", memory=1_000_000)
    assert neardup.dedup(texts, sketch="simhash", memory=10_000_000).summary["kept"] == 1
