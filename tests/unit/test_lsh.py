"""`LSH`: answers equal to comparing every band, ids, files, layouts of arrays, bad arguments."""

import os
import subprocess
import sys

import numpy as np
import pytest

from neardup import (
    LSH,
    DataError,
    FastSimilaritySketch,
    NeardupTypeError,
    NeardupValueError,
    duplicate_flags,
    explain,
    sketch,
)

EMPTY = 0xFFFFFFFF


def matrix(n, size, seed=0, values=4):
    """Signatures over few values, one in ten of them empty."""
    rng = np.random.default_rng(seed)
    slots = rng.integers(0, values, (n, size), dtype=np.uint32)
    slots[rng.random(n) < 0.1] = EMPTY
    return slots


def alike(a, b, bands, rows):
    """Whether two signatures share a band, by the definition."""
    cut = [slice(i * rows, (i + 1) * rows) for i in range(bands)]
    return not (a == EMPTY).all() and any((a[band] == b[band]).all() for band in cut)


@pytest.mark.parametrize(
    ("size", "bands", "rows"), [(8, 4, 2), (7, 3, 2), (100, 30, 3), (1, 1, 1), (12, 1, 12)]
)
def test_answers_are_those_of_comparing_every_band(size, bands, rows):
    slots, queries = matrix(150, size), matrix(40, size, seed=1)
    queries[:5] = slots[:5]
    index = LSH(size, bands, rows)
    assert index.insert(slots[:100]) == range(100)
    assert index.insert(slots[100:]) == range(100, 150)
    assert len(index) == 150
    expected = [[i for i in range(150) if alike(q, slots[i], bands, rows)] for q in queries]
    assert index.query(queries) == expected
    assert [index.query(query) for query in queries] == expected
    ids, offsets = index.query(queries, format="csr")
    assert (ids.dtype, offsets.dtype) == (np.int64, np.int64)
    assert offsets.tolist() == np.cumsum([0, *map(len, expected)]).tolist()
    assert ids.tolist() == [id for found in expected for id in found]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("split", [0, 60, 100])
def test_flags_are_those_of_comparing_every_band(split, threads):
    slots = matrix(100, 8, values=6)
    pairs = np.array(
        [[i != j and alike(a, b, 4, 2) for j, b in enumerate(slots)] for i, a in enumerate(slots)]
    )
    for keep in ("first", False):
        index = LSH(8, 4, num_threads=threads)
        index.insert(slots[:split])
        known = pairs[split:].copy()
        if keep == "first":
            known &= np.arange(100) < np.arange(split, 100)[:, None]
        flags = index.insert_and_query_duplicates(slots[split:], keep=keep)
        assert flags.dtype == np.bool_
        assert flags.tolist() == known.any(axis=1).tolist()
        assert len(index) == 100


def test_forty_thousand_equal_rows():
    slots = np.broadcast_to(FastSimilaritySketch()(["a", "b"]), (40_000, 128))
    first = LSH().insert_and_query_duplicates(slots)
    assert not first[0]
    assert first[1:].all()
    assert LSH().insert_and_query_duplicates(slots, keep=False).all()
    index = LSH()
    index.insert(slots)
    assert index.query(slots[0]) == list(range(40_000))


def test_empty_signatures_are_never_returned_nor_flagged():
    empty = FastSimilaritySketch().batch([[], ["a"], [], ["a"]])
    for keep, expected in (("first", [False] * 3 + [True]), (False, [False, True, False, True])):
        index = LSH(keep_signatures=True)
        assert index.insert_and_query_duplicates(empty, keep=keep).tolist() == expected
        assert len(index) == 4
        assert index.query(empty) == [[], [(1, 1.0), (3, 1.0)], [], [(1, 1.0), (3, 1.0)]]
        index.remove(0)
        assert len(index) == 3


def test_rows_are_chosen_or_given():
    assert LSH().rows == 8
    assert LSH(100, 30).rows == 3
    assert LSH(128, 16, rows=5).rows == 5
    plan = explain(0.9, 0.95, 128)
    index = LSH(128, plan.bands, plan.rows)
    assert (index.num_perm, index.num_bands, index.rows) == (128, 10, 12)
    assert repr(index) == "<LSH of 0 signatures: 10 bands of 12 rows, 128 slots>"


def test_spare_slots_are_not_used():
    one = np.arange(10, dtype=np.uint32)
    other = one.copy()
    other[9] = 99
    index = LSH(10, 3, 3)
    index.insert(one[None])
    assert index.query(other) == [0]
    other[:9:3] = 99
    assert index.query(other) == []


@pytest.mark.parametrize(("size", "bands", "rows"), [(1200, 300, 4), (4096, 300, 4), (64, 1, 64)])
def test_many_bands_and_one(size, bands, rows):
    slots = matrix(20, size, values=2**31)
    index = LSH(size, bands, rows)
    index.insert(slots)
    near = slots.copy()
    near[:, : bands * rows - rows] += 1
    for i, found in enumerate(index.query(near)):
        assert found == ([] if (slots[i] == EMPTY).all() else [i])


def test_removed_rows_are_gone_from_every_band():
    slots = np.zeros((3, 4), np.uint32)
    index = LSH(4, 2)
    index.insert(slots)
    index.remove(np.int64(1))
    assert index.query(slots[0]) == [0, 2]
    assert [i in index for i in (0, 1, 2, 3, -1, "a", True)] == [True, False, True] + [False] * 4
    assert len(index) == 2
    for absent in (1, 3, -1, 2**32, 2**70, "a", None, True, 1.0):
        with pytest.raises(NeardupValueError, match=r"there is no row .* to remove"):
            index.remove(absent)
    assert index.insert(slots[:1]) == range(3, 4)
    assert not index.insert_and_query_duplicates(slots[:0]).size
    index.clear()
    assert len(index) == 0
    assert index.query(slots[0]) == []
    assert index.insert(slots) == range(3)


def test_kept_signatures_give_estimates_best_first():
    base = np.arange(12, dtype=np.uint32)
    rows = np.stack([base] * 4)
    rows[0, 8:] += 100
    rows[1, 4:] += 100
    rows[3, 8:] += 200
    index = LSH(12, 3, keep_signatures=True)
    index.insert(rows[:2])
    index.insert_and_query_duplicates(rows[2:])
    best = [(2, 1.0), (0, 8 / 12), (3, 8 / 12), (1, 4 / 12)]
    assert index.query(base) == best
    assert index.query(rows[2:3]) == [best]
    assert index.query(base, limit=2) == best[:2]
    assert index.query(base, threshold=8 / 12) == best[:3]
    assert index.query(base, threshold=0.9, limit=9) == best[:1]
    ids, offsets, estimates = index.query(np.stack([base, base + 999, base]), format="csr")
    assert offsets.tolist() == [0, 4, 4, 8]
    assert list(zip(ids.tolist(), estimates.tolist(), strict=True)) == best * 2
    index.remove(2)
    assert index.query(base, limit=1) == best[1:2]
    index.clear()
    index.insert(rows[1:2])
    assert index.query(base) == [(0, 4 / 12)]


def test_arrays_of_any_layout():
    slots = matrix(30, 8)
    index = LSH(8, 4)
    index.insert(slots)
    expected = index.query(slots)
    read_only = slots.copy()
    read_only.flags.writeable = False
    wide = np.repeat(slots, 2, axis=1)[:, ::2]
    off = np.frombuffer(b"x" + slots.tobytes(), np.uint8)[1:].view(np.uint32).reshape(30, 8)
    back = slots[::-1].copy()[::-1]
    for other in (np.asfortranarray(slots), read_only, wide, off, slots.astype(">u4"), back):
        again = LSH(8, 4)
        again.insert(other)
        assert again.query(other) == expected
        assert again.query(other[3]) == expected[3]


@pytest.mark.parametrize(
    ("value", "kind", "complaint"),
    [
        (
            np.zeros((2, 8), np.uint64),
            NeardupTypeError,
            r"must be an array of uint32 .* got uint64",
        ),
        (np.zeros((2, 8), np.float32), NeardupTypeError, "got float32"),
        ([[1] * 8], NeardupTypeError, "got int64"),
        (np.zeros((2, 7), np.uint32), NeardupValueError, "of 7 slots were given to an index of 8"),
        (np.zeros((4, 4), np.uint32), NeardupValueError, "of 4 slots were given to an index of 8"),
        (np.zeros((0, 4), np.uint32), NeardupValueError, "of 4 slots were given to an index of 8"),
        (np.zeros((2, 2, 8), np.uint32), NeardupValueError, r"2 dimension\(s\), got 3"),
        (np.uint32(1), NeardupValueError, r"2 dimension\(s\), got 0"),
    ],
)
def test_what_is_no_matrix_of_signatures(value, kind, complaint):
    index = LSH(8, 4)
    for call in (index.insert, index.insert_and_query_duplicates, index.query):
        with pytest.raises(kind, match=complaint):
            call(value)
    assert len(index) == 0


def test_one_signature_is_no_matrix():
    index = LSH(8, 4)
    with pytest.raises(NeardupValueError, match=r"2 dimension\(s\), got 1"):
        index.insert(np.zeros(8, np.uint32))
    with pytest.raises(NeardupValueError, match="of 7 slots were given to an index of 8"):
        index.query(np.zeros(7, np.uint32))
    with pytest.raises(NeardupValueError, match=r'format="csr" is for a matrix'):
        index.query(np.zeros(8, np.uint32), format="csr")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"num_perm": 0}, "num_perm must be from 1"),
        ({"num_bands": 0}, "num_bands must be from 1"),
        ({"rows": 0}, "rows must be from 1"),
        ({"rows": 9}, "16 bands of 9 rows need more than the 128 slots"),
        ({"num_perm": 8, "num_bands": 9}, "9 bands of 1 rows need more than the 8 slots"),
        ({"num_threads": -1}, "num_threads must be from 0"),
        ({"num_perm": 1.5}, "num_perm must be an integer, got float"),
    ],
)
def test_bad_arguments(arguments, complaint):
    with pytest.raises((NeardupValueError, NeardupTypeError), match=complaint):
        LSH(**arguments)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"format": "list"}, 'format must be "lists" or "csr"'),
        ({"threshold": 0.5}, "make the index with keep_signatures=True"),
        ({"limit": 5}, "make the index with keep_signatures=True"),
    ],
)
def test_bad_queries(arguments, complaint):
    with pytest.raises(NeardupValueError, match=complaint):
        LSH(8, 4).query(np.zeros((1, 8), np.uint32), **arguments)


def test_bad_queries_of_kept_signatures():
    index = LSH(8, 4, keep_signatures=True)
    for arguments in ({"threshold": 1.5}, {"threshold": float("nan")}, {"limit": 0}):
        with pytest.raises(NeardupValueError, match=r"threshold|limit"):
            index.query(np.zeros(8, np.uint32), **arguments)
    with pytest.raises(NeardupValueError, match='keep must be "first" or False'):
        index.insert_and_query_duplicates(np.zeros((1, 8), np.uint32), keep="last")


def test_signatures_of_another_making_are_refused():
    index = LSH(64, 16)
    one, other = sketch(["a b c d"], size=64), sketch(["a b c d"], size=64, seed=1)
    assert index.identity is None
    index.insert(one)
    assert index.identity == one.identity
    for call in (index.insert, index.insert_and_query_duplicates, index.query):
        with pytest.raises(NeardupValueError, match="the index holds signatures of") as caught:
            call(other)
        assert one.identity in str(caught.value)
        assert other.identity in str(caught.value)
    assert len(index) == 1
    assert index.query(one) == [[0]]
    index.clear()
    index.insert(other)
    assert index.identity == other.identity


@pytest.mark.parametrize("keep", [False, True])
def test_save_and_load(tmp_path, keep):
    slots = matrix(500, 12)
    index = LSH(12, 4, 2, keep_signatures=keep)
    for part in np.array_split(slots, 7):
        index.insert(part)
    for id in range(0, 500, 3):
        index.remove(id)
    index.save(tmp_path / "a.lsh")
    found = LSH.load(tmp_path / "a.lsh", num_threads=1)
    assert (found.num_perm, found.num_bands, found.rows) == (12, 4, 2)
    assert found.keep_signatures == keep
    assert len(found) == len(index)
    queries = matrix(60, 12, seed=9)
    assert found.query(queries) == index.query(queries)
    assert found.insert(slots[:1]) == range(500, 501)
    LSH(12, 4).save(tmp_path / "a.lsh")
    assert len(LSH.load(tmp_path / "a.lsh")) == 0


def test_the_identity_is_saved(tmp_path):
    index = LSH()
    index.insert(sketch(["a b c d"]))
    index.save(tmp_path / "a.lsh")
    with pytest.raises(NeardupValueError, match="the index holds signatures of"):
        LSH.load(tmp_path / "a.lsh").query(sketch(["a"], seed=1))


def test_damaged_files_are_refused_by_name(tmp_path):
    path = tmp_path / "a.lsh"
    index = LSH(4, 2, keep_signatures=True)
    index.insert(np.arange(8, dtype=np.uint32).reshape(2, 4))
    index.save(path)
    good = path.read_bytes()
    for end in range(len(good)):
        path.write_bytes(good[:end])
        with pytest.raises(DataError, match=r"a\.lsh: "):
            LSH.load(path)
    for at in range(len(good)):
        path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        with pytest.raises(DataError, match=r"a\.lsh: "):
            LSH.load(path)
    sketch(["a"]).save(path)
    with pytest.raises(DataError, match="not an LSH file"):
        LSH.load(path)


def test_bytes_a_row(tmp_path):
    rng = np.random.default_rng(3)
    slots = rng.integers(0, 2**32 - 1, (20_000, 128), dtype=np.uint32)
    for keep in (False, True):
        index = LSH(keep_signatures=keep)
        index.insert(slots)
        index.save(tmp_path / "a.lsh")
        on_disk = (tmp_path / "a.lsh").stat().st_size
        for size in (index.nbytes, on_disk):
            assert size / 20_000 == pytest.approx(12.2 * 16 + 512 * keep, rel=0.03)


def test_flags_of_a_matrix_are_those_of_a_new_index():
    rng = np.random.default_rng(5)
    slots = rng.integers(0, 2**32, (2000, 64), dtype=np.uint32)
    slots[1000:1200] = slots[:200]
    slots[1200:1300, :8] = slots[300:400, :8]
    slots[7] = slots[1500] = EMPTY
    for bands, rows in ((8, 8), (4, None), (1, 64), (3, 5)):
        for keep in ("first", False):
            expected = LSH(64, bands, rows).insert_and_query_duplicates(slots, keep=keep)
            for threads in (1, 2, 8):
                found = duplicate_flags(slots, bands, rows, threads, keep=keep)
                assert found.tolist() == expected.tolist()
    assert duplicate_flags(slots[:0]).shape == (0,)
    for bad in ({"num_bands": 65}, {"num_bands": 8, "rows": 9}, {"keep": "last"}, {"num_bands": 0}):
        with pytest.raises(NeardupValueError):
            duplicate_flags(slots, **bad)
    with pytest.raises(NeardupTypeError):
        duplicate_flags(["a text"])


def test_lesser_kernels_give_the_same_answer():
    script = """
import sys, numpy as np, neardup
from neardup import _native
if sys.argv[1] != "best": _native.limit_tier(sys.argv[1])
texts = [f"the {i} quick “brown” fox jumps over é {i % 7} lazy dogs " * (i % 40) for i in range(300)]
found = neardup.sketch(texts, shingle="word:2", threads=1)
print(hash(found.matrix.tobytes()), neardup.dedup(texts).keep.sum())
"""
    said = {
        subprocess.run(
            [sys.executable, "-c", script, tier],
            env={**os.environ, "PYTHONHASHSEED": "0"},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for tier in ("best", "scalar")
    }
    assert len(said) == 1
