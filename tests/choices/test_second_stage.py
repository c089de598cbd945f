"""`--verify MEASURE:NUMBER`: what passes exact Jaccard, and then the measure of rapidfuzz."""

import itertools
import json
import random
import sys

import pytest
from rapidfuzz import distance as rf

import neardup
from neardup import _native

METRICS = {
    "levenshtein": rf.Levenshtein,
    "osa": rf.OSA,
    "damerau-levenshtein": rf.DamerauLevenshtein,
    "indel": rf.Indel,
    "lcs": rf.LCSseq,
    "hamming": rf.Hamming,
    "jaro": rf.Jaro,
    "jaro-winkler": rf.JaroWinkler,
}
LOOSE = {"threshold": 0.3, "bands": 128, "rows": 1, "shingle": "word:1"}
SPEC = _native.TextSpec("nfkc,casefold,collapse-space", "word:1", "xxh3")


@pytest.fixture(scope="module")
def texts():
    """Families of sentences: some words replaced, some moved, cases and widths changed."""
    rng = random.Random(5)
    vocabulary = ["".join(rng.choices("abcdeé微", k=rng.randint(2, 7))) for _ in range(400)]
    found = []
    for _ in range(40):
        words = rng.choices(vocabulary, k=rng.randint(5, 40))
        for _ in range(6):
            copy = list(words)
            for _ in range(rng.randint(0, 4)):
                copy[rng.randrange(len(copy))] = rng.choice(vocabulary)
            if rng.random() < 0.3:
                rng.shuffle(copy)
            found.append(" ".join(copy).upper() if rng.random() < 0.2 else "  ".join(copy))
    rng.shuffle(found)
    return found


def rows(table):
    return table.select(["row_a", "row_b", "similarity"]).to_pylist()


@pytest.mark.parametrize("name", METRICS)
def test_pairs_are_those_of_exact_jaccard_that_pass_the_measure(texts, name):
    least = 0.85
    plain = neardup.dedup(texts, **LOOSE)
    checked = neardup.dedup(texts, verify=f"{name}:{least}", **LOOSE)
    clean = [SPEC.normalize(text) for text in texts]

    def passes(row):
        a, b = clean[row["row_a"]], clean[row["row_b"]]
        return a == b or METRICS[name].normalized_similarity(a, b) >= least

    expected = [row for row in rows(plain.pairs) if passes(row)]
    assert rows(checked.pairs) == expected
    refused = checked.summary["refused_pairs"]
    assert refused == plain.pairs.num_rows - len(expected) > 0
    assert checked.summary["verify"] == f"{name}:{least}"
    for row in checked.removed.to_pylist():
        kept = row["kept_row"]
        assert passes({"row_a": row["row"], "row_b": kept})
        assert row["similarity"] == neardup.jaccard(
            texts[row["row"]], texts[kept], shingle="word:1"
        )


def test_the_measure_at_the_number_itself_passes():
    """1 - 7/100 is a little less than 0.93 as a float64."""
    a, b = "x" * 93 + "a" * 7, "x" * 93 + "b" * 7
    assert rf.Levenshtein.normalized_similarity(a, b) < 0.93
    given = {"shingle": "char:1", "threshold": 0.3, "bands": 128, "rows": 1}
    assert neardup.dedup([a, b], verify="levenshtein:0.93", **given).summary["pairs"] == 1
    assert neardup.dedup([a, b], verify="levenshtein:0.931", **given).summary["pairs"] == 0


def test_words_in_another_order_are_refused():
    texts = ["one two three four five six", "six five four three two one"]
    assert neardup.dedup(texts, shingle="word:1").summary["kept"] == 1
    checked = neardup.dedup(texts, shingle="word:1", verify="levenshtein:0.9")
    assert (checked.summary["kept"], checked.summary["refused_pairs"]) == (2, 1)


def test_the_screen_tells_what_was_refused(tmp_path):
    from click.testing import CliRunner

    from neardup.cli import main

    path = tmp_path / "a.txt"
    path.write_text("one two three four five\nfive four three two one\n")
    line = ["dedup", str(path), "--dry-run", "--shingle", "word:1", "--verify", "osa:0.9"]
    said = " ".join(CliRunner().invoke(main, line).stderr.split())
    assert "1 pairs above the threshold were refused by --verify osa:0.9" in said


def test_exact_duplicates_pass():
    checked = neardup.dedup(["A  b c", "a b c"], verify="levenshtein:1")
    assert checked.removed["reason"].to_pylist() == ["exact"]


def test_match_and_other_ways_to_run_say_the_same(texts):
    left, right = texts[:120], texts[120:]
    options = {**LOOSE, "verify": "osa:0.8"}
    found = neardup.match(left, right, **options)
    plain = neardup.match(left, right, **LOOSE)
    expected = [
        row
        for row in rows(plain)
        if rf.OSA.normalized_similarity(
            SPEC.normalize(left[row["row_a"]]), SPEC.normalize(right[row["row_b"]])
        )
        >= 0.8
    ]
    assert rows(found) == expected
    assert 0 < len(expected) < plain.num_rows
    banded = neardup.dedup(texts, **options)
    for more in ({"threads": 1}, {"threads": 3}, {"memory": 2000}):
        other = neardup.dedup(texts, **options, **more)
        assert other.pairs.equals(banded.pairs)
        assert other.removed.equals(banded.removed)
    joined = neardup.dedup(
        texts, exact_join=True, threshold=0.3, shingle="word:1", verify="osa:0.8"
    )
    assert {tuple(r.values()) for r in rows(banded.pairs)} <= {
        tuple(r.values()) for r in rows(joined.pairs)
    }
    higher = banded.rethreshold(0.6)
    assert rows(higher.pairs) == [r for r in rows(banded.pairs) if r["similarity"] >= 0.6]


def test_components_chain_only_what_passed():
    texts = ["a b c d e f g h i j", "b a d c f e h g j i", "a b c d e f g h i k"]
    given = {"shingle": "word:1", "threshold": 0.8, "cluster": "components"}
    assert neardup.dedup(texts, **given).summary["kept"] == 1
    assert neardup.dedup(texts, verify="levenshtein:0.9", **given).keep.tolist() == [
        True,
        True,
        False,
    ]


def test_resume_honours_it(texts, tmp_path, monkeypatch):
    """A run stopped after verification goes on with its pairs, and not with another measure's."""
    from neardup import api, checkpoint

    path, out = tmp_path / "a.jsonl", tmp_path / "out"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), "utf-8")
    options = {**LOOSE, "verify": "levenshtein:0.8"}
    whole = neardup.dedup(path, out=tmp_path / "whole", **options)
    monkeypatch.setattr(checkpoint, "WORTH_KEEPING", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(api, "_write", lambda *_: sys.exit(1))
        with pytest.raises(SystemExit):
            neardup.dedup(path, out=out, **options)
    with pytest.raises(neardup.NeardupError, match=r"levenshtein:0\.8"):
        neardup.dedup(path, out=out, resume=True, **{**options, "verify": "levenshtein:0.9"})
    gone = neardup.dedup(path, out=out, resume=True, **options)
    assert gone.pairs.equals(whole.pairs)
    assert gone.summary["refused_pairs"] == whole.summary["refused_pairs"] > 0
    for name in ("removed.parquet", "pairs.parquet", "clusters.parquet", "kept/a.jsonl"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize(
    "value",
    [
        "soundex:0.9",
        "levenshtein",
        "levenshtein:",
        "levenshtein:0",
        "levenshtein:1.1",
        "jaccard:0.9",
        "exact:0.9",
    ],
)
def test_what_is_not_allowed_is_answered_with_what_is(value):
    with pytest.raises(neardup.NeardupValueError) as error:
        neardup.dedup(["a"], verify=value)
    assert all(name in str(error.value) for name in METRICS)


def test_without_rapidfuzz_it_is_refused_before_any_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    reads = itertools.count()
    with pytest.raises(neardup.NeardupError, match=r"pip install 'neardup\[similarity\]'"):
        neardup.dedup((str(next(reads)) for _ in range(3)), verify="osa:0.9")
