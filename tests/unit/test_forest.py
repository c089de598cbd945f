"""`Forest`: the best k, however inserted; files, merging, identity, bad arguments."""

import numpy as np
import pytest

from neardup import DataError, Forest, NeardupTypeError, NeardupValueError, sketch

WORDS = [f"w{i}" for i in range(400)]
TEXTS = [" ".join(WORDS[i : i + 100]) for i in range(0, 300, 5)]
"""Windows over one run of words: each is most like its neighbours."""


def brute(matrix, query, k):
    """The best k by comparing every row."""
    estimates = (matrix == query).mean(axis=1)
    order = np.lexsort([np.arange(len(matrix)), -estimates])[:k]
    return [(int(i), float(estimates[i])) for i in order if estimates[i] > 0]


def test_neighbours_come_first_and_are_sorted():
    signatures = sketch(TEXTS)
    forest = Forest()
    assert forest.insert(signatures) == range(60)
    for k in (1, 3, 10):
        expected = [brute(signatures.matrix, query, k) for query in signatures.matrix]
        assert forest.query(signatures, k) == expected
        assert forest.query(signatures.matrix[7], k) == expected[7]
    ids, offsets, estimates = forest.query(signatures, 3, format="csr")
    assert (ids.dtype, offsets.dtype, estimates.dtype) == (np.int64, np.int64, np.float64)
    assert offsets.tolist() == list(range(0, 181, 3))
    assert estimates[::3].tolist() == [1.0] * 60


def test_batches_threads_and_merging_change_nothing():
    signatures = sketch(TEXTS, size=32)
    whole = Forest(8, 4, num_perm=32, num_threads=1)
    whole.insert(signatures)
    parts = [Forest(8, 4, num_perm=32, num_threads=3) for _ in range(2)]
    for i, row in enumerate(signatures.matrix):
        parts[i >= 20].insert(row[None])
    parts[0].merge(parts[1])
    expected = whole.query(signatures, 5, candidates=7)
    assert parts[0].query(signatures, 5, candidates=7) == expected
    assert len(parts[0]) == 60
    whole.merge(whole)
    assert len(whole) == 120
    assert [found[:2] for found in whole.query(signatures, 5)] == [
        [(i, 1.0), (i + 60, 1.0)] for i in range(60)
    ]


def test_nothing_in_common_is_no_answer_and_empty_sets_are_never_one():
    forest = Forest()
    forest.insert(sketch(["", "a b c d", ""]))
    assert forest.query(sketch(["x y z w", "", "a b c d"])) == [[], [], [(1, 1.0)]]
    assert Forest().query(sketch(["a"])) == [[]]
    assert len(forest) == 3


def test_a_file_is_the_same_forest(tmp_path):
    signatures = sketch(TEXTS, size=64)
    forest = Forest(16, 6, num_perm=64)
    forest.insert(signatures)
    forest.save(tmp_path / "a.forest")
    again = Forest.load(tmp_path / "a.forest")
    assert (again.trees, again.depth, again.num_perm, again.identity) == (
        16, 6, 64, signatures.identity,
    )  # fmt: skip
    assert again.query(signatures, 4) == forest.query(signatures, 4)
    assert again.insert(signatures) == range(60, 120)
    (tmp_path / "b.forest").write_bytes(b"ndforest")
    with pytest.raises(DataError, match=r"b\.forest"):
        Forest.load(tmp_path / "b.forest")


def test_memory_is_as_stated():
    forest = Forest()
    for seed in range(4):
        rng = np.random.default_rng(seed)
        forest.insert(rng.integers(0, 2**32 - 1, (4096, 128), np.uint32))
    assert 890 < forest.nbytes / len(forest) < 1160  # vectors grow by doubling
    assert repr(forest) == "<Forest of 16384 signatures: 32 trees, depth 8>"


def test_another_identity_is_refused_by_both_names():
    forest, other = Forest(), Forest()
    forest.insert(sketch(TEXTS))
    signatures = sketch(TEXTS, seed=1)
    other.insert(signatures)
    for call in (
        lambda: forest.insert(signatures),
        lambda: forest.query(signatures),
        lambda: forest.merge(other),
    ):
        with pytest.raises(NeardupValueError, match=r"seed=42 .* these are of \[.*seed=1 "):
            call()
    with pytest.raises(NeardupValueError, match="128 and 64 slots cannot be merged"):
        forest.merge(Forest(num_perm=64))
    assert len(forest) == 60


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: Forest(0), NeardupValueError, "trees must be from 1 to 128, got 0"),
        (lambda: Forest(200), NeardupValueError, "trees must be from 1 to 128, got 200"),
        (lambda: Forest(depth=True), NeardupTypeError, "depth must be an integer"),
        (lambda: Forest(num_perm=0), NeardupValueError, "num_perm must be from 1"),
        (lambda: Forest().query(sketch(["a"]), 0), NeardupValueError, "k must be from 1"),
        (
            lambda: Forest().query(sketch(["a"]), candidates=0),
            NeardupValueError,
            "candidates must be from 1",
        ),
        (
            lambda: Forest().query(sketch(["a"]), format="x"),
            NeardupValueError,
            'format must be "lists" or "csr"',
        ),
        (
            lambda: Forest().query(sketch(["a"]).matrix[0], format="csr"),
            NeardupValueError,
            "for many queries",
        ),
        (lambda: Forest().insert([[1.0]]), NeardupTypeError, "must be an array of uint32"),
        (lambda: Forest().merge(3), NeardupTypeError, "other must be a Forest, got int"),
        (
            lambda: Forest().insert(np.zeros((1, 5), np.uint32)),
            NeardupValueError,
            "signatures of 5 slots",
        ),
    ],
)
def test_bad_values(call, kind, said):
    with pytest.raises(kind, match=said):
        call()
