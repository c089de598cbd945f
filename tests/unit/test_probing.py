"""`MultiProbeLSH` and signatures with runners-up: what goes in and out, files, refusals."""

from itertools import pairwise

import numpy as np
import pytest

from neardup import (
    DataError,
    FastSimilaritySketch,
    MultiProbeLSH,
    NeardupTypeError,
    NeardupValueError,
    Signatures,
    explain,
    sketch,
)

WORDS = [f"w{i}" for i in range(400)]
TEXTS = ["", *(" ".join(WORDS[i : i + 100]) for i in range(0, 300, 5))]
PROBED = sketch(TEXTS, runners_up=True)


@pytest.mark.parametrize("probes", ["query", "both"])
def test_more_is_found_than_without(probes):
    index = MultiProbeLSH(num_bands=9, rows=13, probes=probes, keep_signatures=True)
    assert index.insert(PROBED) == range(61)
    found = index.query(PROBED)
    assert found[0] == []
    assert all(answers[0] == (i, 1.0) for i, answers in enumerate(found) if i)
    assert all(a[1] >= b[1] for answers in found for a, b in pairwise(answers))
    assert sum(map(len, found)) > 100
    best = index.query(PROBED, threshold=0.8, limit=2)
    assert best == [[each for each in answers if each[1] >= 0.8][:2] for answers in found]
    bare = MultiProbeLSH(num_bands=9, rows=13, probes=probes)
    bare.insert((PROBED.matrix, PROBED.runners_up))
    assert bare.query((PROBED.matrix, PROBED.runners_up)) == [
        sorted(i for i, _ in a) for a in found
    ]
    ids, offsets = bare.query(PROBED, format="csr")
    assert len(ids) == offsets[-1] == sum(map(len, found))


def test_the_rule_is_that_of_explain_along_another_curve():
    plain = explain(0.8)
    for probes in ("query", "both"):
        plan = MultiProbeLSH(0.8, probes=probes).plan
        assert plan.recall == plan.curve(0.8) >= 0.95
        assert plan.rows > plain.rows
        assert plan.curve(0.4) < plain.curve(0.4)
        fewer = MultiProbeLSH(0.8, num_bands=plan.bands - 1, rows=plan.rows, probes=probes)
        assert fewer.plan.recall < 0.95
    assert MultiProbeLSH(1.0, probes="both").plan.rows == explain(1.0).rows
    with pytest.raises(NeardupValueError, match="recall"):
        MultiProbeLSH(0.1, 0.999, num_perm=8)


def test_rows_need_no_runners_up_where_queries_alone_probe():
    index = MultiProbeLSH()
    index.insert(sketch(TEXTS))
    index.insert(sketch(TEXTS).matrix)
    assert {5, 66} <= set(index.query(PROBED)[5])
    for call in (
        lambda: MultiProbeLSH(probes="both").insert(sketch(TEXTS)),
        lambda: index.query(sketch(TEXTS)),
        lambda: index.query(PROBED.matrix),
    ):
        with pytest.raises(
            NeardupValueError, match=r"no runners-up; make them with sketch\(\.\.\."
        ):
            call()


@pytest.mark.parametrize("probes", ["query", "both"])
@pytest.mark.parametrize("keep", [False, True])
def test_a_file_is_the_same_index(tmp_path, probes, keep):
    index = MultiProbeLSH(probes=probes, keep_signatures=keep)
    index.insert(PROBED)
    index.save(tmp_path / "a.probes")
    again = MultiProbeLSH.load(tmp_path / "a.probes")
    assert repr(again) == repr(index)
    assert again.identity == PROBED.identity
    assert again.query(PROBED) == index.query(PROBED)
    again.merge(index)
    assert len(again) == 122
    found = [[each[0] if keep else each for each in answers] for answers in again.query(PROBED)]
    assert sorted(found[7]) == sorted(
        id + shift
        for id in ([each[0] if keep else each for each in index.query(PROBED)[7]])
        for shift in (0, 61)
    )
    (tmp_path / "b.probes").write_bytes((tmp_path / "a.probes").read_bytes()[:50])
    with pytest.raises(DataError, match=r"b\.probes"):
        MultiProbeLSH.load(tmp_path / "b.probes")


def test_runners_up_that_are_no_other_than_the_winners(tmp_path):
    """Arrays say nothing of where they come from: such rows are found, and read back."""
    index = MultiProbeLSH(probes="both")
    index.insert((PROBED.matrix, PROBED.matrix))
    index.save(tmp_path / "a.probes")
    again = MultiProbeLSH.load(tmp_path / "a.probes")
    assert again.query(PROBED) == index.query(PROBED)
    assert all(i in found for i, found in enumerate(again.query(PROBED)) if i)


def test_another_making_is_refused_by_both_names():
    index = MultiProbeLSH()
    index.insert(PROBED)
    other = sketch(TEXTS, seed=1, runners_up=True)
    for call in (lambda: index.insert(other), lambda: index.query(other)):
        with pytest.raises(NeardupValueError, match=r"seed=42 .* these are of \[.*seed=1 "):
            call()
    for different in (
        MultiProbeLSH(probes="both"),
        MultiProbeLSH(0.9),
        MultiProbeLSH(keep_signatures=True),
    ):
        with pytest.raises(NeardupValueError, match=r"merged: \[11 bands of 9 rows.*\] and \["):
            index.merge(different)
    foreign = MultiProbeLSH()
    foreign.insert(other)
    with pytest.raises(NeardupValueError, match="sketch both alike"):
        index.merge(foreign)
    assert len(index) == 61


def test_memory_is_as_stated():
    rng = np.random.default_rng(0)
    slots = rng.integers(0, 2**32 - 1, (2, 8192, 128), np.uint32)
    for probes, keys in (("query", 9), ("both", 9 * 14)):
        index = MultiProbeLSH(num_bands=9, rows=13, probes=probes)
        index.insert((slots[0], slots[1]))
        assert 12.0 < index.nbytes / len(index) / keys < 12.3


def test_runners_up_travel_with_signatures(tmp_path):
    assert sketch(TEXTS).runners_up is None
    assert not PROBED.runners_up.flags.writeable
    assert (PROBED.runners_up > PROBED.matrix)[1:].all()
    PROBED.save(tmp_path / "a.sig")
    again = Signatures.load(tmp_path / "a.sig")
    assert np.array_equal(again.matrix, PROBED.matrix)
    assert np.array_equal(again.runners_up, PROBED.runners_up)
    whole = Signatures.concat([PROBED, again])
    assert np.array_equal(whole.runners_up[61:], PROBED.runners_up)
    assert Signatures.concat([PROBED, sketch(TEXTS)]).runners_up is None
    assert np.array_equal(PROBED.merge(again).runners_up, PROBED.runners_up)
    assert PROBED.merge(sketch(TEXTS)).runners_up is None


def test_token_sets_of_every_kind():
    sketcher = FastSimilaritySketch(size=32)
    rows = [["a", "b"], [], [b"a", "a"], iter(["b", "a"]), [1, 2, 3]]
    first, second = sketcher.batch_with_runners_up(rows, num_threads=2)
    assert np.array_equal(first, sketcher.batch([["a", "b"], [], ["a"], ["a", "b"], [1, 2, 3]]))
    assert np.array_equal(second[0], second[3])
    assert (second[[1, 2]] == 0xFFFFFFFF).all()
    assert sketcher.batch_with_runners_up([])[1].shape == (0, 32)
    with pytest.raises(NeardupTypeError, match="got a bare str"):
        sketcher.batch_with_runners_up("ab")


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: MultiProbeLSH(probes="x"), NeardupValueError, 'probes must be "query" or "both"'),
        (lambda: MultiProbeLSH(0), NeardupValueError, "threshold: 0 is not allowed"),
        (lambda: MultiProbeLSH(num_bands=2), NeardupValueError, "bands and rows go together"),
        (lambda: MultiProbeLSH().query(PROBED, limit=1), NeardupValueError, "need estimates"),
        (lambda: MultiProbeLSH().query(PROBED, threshold=0), NeardupValueError, "threshold: 0"),
        (lambda: MultiProbeLSH().query("text"), NeardupTypeError, "must be an array of uint32"),
        (
            lambda: MultiProbeLSH().query((PROBED.matrix, PROBED.matrix[1:])),
            NeardupValueError,
            "cannot have runners-up of shape",
        ),
        (
            lambda: MultiProbeLSH(num_perm=64).insert(PROBED),
            NeardupValueError,
            "signatures of 128 slots were given to an index of 64",
        ),
        (lambda: MultiProbeLSH().merge(1), NeardupTypeError, "must be a MultiProbeLSH, got int"),
    ],
)
def test_bad_values(call, kind, said):
    with pytest.raises(kind, match=said):
        call()
