"""`HammingIndex`: every fingerprint within d bits, in order; ids, files, threads, bad arguments."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup import DataError, HammingIndex, NeardupTypeError, NeardupValueError, reference, simhash


def near_copies(rng: random.Random, count: int, bits: int) -> list[int]:
    """Fingerprints of which most are an earlier one with a few bits flipped, or none."""
    made: list[int] = []
    for _ in range(count):
        one = rng.choice(made) if made and rng.random() < 0.7 else rng.getrandbits(bits)
        for _ in range(rng.randrange(6)):
            one ^= 1 << rng.randrange(bits)
        made.append(one)
    return made


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.integers(0, 2**32),
    st.integers(0, 700),
    st.sampled_from([64, 128]),
    st.one_of(st.integers(0, 6), st.sampled_from([12, 30, 64])),
)
def test_every_fingerprint_within_the_distance(seed, count, bits, distance):
    rng = random.Random(seed)
    made = near_copies(rng, count, bits)
    index = HammingIndex(bits, distance)
    at = rng.randrange(count + 1)
    assert index.insert(made[:at]) == range(at)
    assert index.insert(made[at:]) == range(at, count)
    assert len(index) == count
    probes = [*made[:20], 0, 2**bits - 1, rng.getrandbits(bits)]
    expected = [reference.within(made, probe, distance) for probe in probes]
    assert index.query(probes) == expected
    assert [index.query(probe) for probe in probes] == expected
    a, b, apart = (each.tolist() for each in index.pairs())
    pairs = [
        (i, j, reference.hamming(x, y))
        for i, x in enumerate(made)
        for j, y in enumerate(made[i + 1 :], i + 1)
    ]
    assert list(zip(a, b, apart, strict=True)) == [p for p in pairs if p[2] <= distance]


def test_equal_ones_are_included_and_equal_distances_are_by_number():
    index = HammingIndex(distance=2)
    index.insert([5, 4, 5, 7, 5 ^ 1 << 63, 5 ^ 0b11100])
    assert index.query(5) == [(0, 0), (2, 0), (1, 1), (3, 1), (4, 1)]
    ids, offsets, distances = index.query([5, 2**64 - 1], format="csr")
    assert (ids.tolist(), offsets.tolist()) == ([0, 2, 1, 3, 4], [0, 5, 5])
    assert (ids.dtype, offsets.dtype, distances.dtype) == (np.int64, np.int64, np.uint32)
    assert HammingIndex().query([]) == []
    assert HammingIndex().query(3) == []


def test_removed_and_cleared():
    index = HammingIndex()
    index.insert([1, 1, 1])
    index.remove(1)
    assert index.query(1) == [(0, 0), (2, 0)]
    assert (len(index), 1 in index, 2 in index, 3 in index, "1" in index) == (
        2,
        False,
        True,
        False,
        False,
    )
    for gone in (1, 3, -1, True, "1"):
        with pytest.raises(NeardupValueError, match=f"no fingerprint {gone!r} to remove"):
            index.remove(gone)
    assert index.insert([1]) == range(3, 4)
    index.clear()
    assert (len(index), index.query(1), index.insert([1])) == (0, [], range(1))
    index = HammingIndex(distance=3)
    index.insert(list(range(2000)))
    for id in range(0, 2000, 2):
        index.remove(id)
    index.insert(list(range(5000)))
    found = [id for id, _ in index.query(0)]
    expected = [i for i in range(1, 2000, 2) if i.bit_count() <= 3]
    assert sorted(found) == expected + [2000 + i for i in range(5000) if i.bit_count() <= 3]


def test_a_text_without_shingles_is_numbered_and_never_found(tmp_path):
    prints = simhash(["a rose is a rose", "", "a rose is a rose!", "..."])
    index = HammingIndex(distance=64)
    assert index.insert(prints) == range(4)
    assert index.query(prints) == [[(0, 0), (2, 0)], [], [(0, 0), (2, 0)], []]
    assert [id for id, _ in index.query(2**64 - 1)] == [0, 2]
    assert [each.tolist() for each in index.pairs()] == [[0], [2], [0]]
    index.save(tmp_path / "a")
    again = HammingIndex.load(tmp_path / "a")
    assert again.query(prints) == index.query(prints)
    assert (len(again), again.identity) == (4, prints.identity)
    # A bare number of ones only is a fingerprint as any other.
    bare = HammingIndex()
    bare.insert([2**64 - 1])
    assert bare.query(2**64 - 2) == [(0, 1)]


@pytest.mark.parametrize("bits", [64, 128])
def test_a_file_gives_the_same_answers(tmp_path, bits):
    made = near_copies(random.Random(4), 3000, bits)
    index = HammingIndex(bits, 5)
    index.insert(made)
    for id in range(0, 3000, 7):
        index.remove(id)
    index.save(tmp_path / "a")
    again = HammingIndex.load(tmp_path / "a", num_threads=2)
    assert (again.bits, again.distance, len(again)) == (bits, 5, len(index))
    assert again.query(made) == index.query(made)
    assert again.insert([1]) == range(3000, 3001)
    assert (tmp_path / "a").stat().st_size < 3000 * (bits // 8 + 1) + 300
    assert index.nbytes >= 3000 * (bits // 8 + 1)
    whole = (tmp_path / "a").read_bytes()
    for damaged in (
        b"",
        whole[:50],
        whole[:-1],
        whole[:300] + bytes([whole[300] ^ 1]) + whole[301:],
    ):
        (tmp_path / "b").write_bytes(damaged)
        with pytest.raises(DataError, match="/b: "):
            HammingIndex.load(tmp_path / "b")


def test_arrays_of_every_layout():
    made = near_copies(random.Random(1), 50, 64)
    expected = [reference.within(made, each, 3) for each in made]
    plain = np.array(made, np.uint64)
    for array in (plain, plain[:, None], plain.astype(">u8"), np.repeat(plain, 2)[::2]):
        index = HammingIndex()
        index.insert(array)
        assert index.query(array) == expected
        assert index.query(array[:0]) == []
    wide = HammingIndex(128, 0)
    wide.insert(np.array([[1, 2]], np.uint64))
    assert wide.query(2 << 64 | 1) == [(0, 0)]
    assert wide.query([2 << 64 | 1]) == [[(0, 0)]]


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: HammingIndex(32), NeardupValueError, "bits must be 64 or 128, got 32"),
        (lambda: HammingIndex(64, 65), NeardupValueError, "distance must be from 0 to 64, got 65"),
        (lambda: HammingIndex(64, -1), NeardupValueError, "distance must be from 0 to 64, got -1"),
        (lambda: HammingIndex(64, 1.5), NeardupTypeError, "distance must be an integer"),
        (lambda: HammingIndex().insert("ff"), NeardupTypeError, "got str"),
        (lambda: HammingIndex().insert(7), NeardupTypeError, "got int"),
        (lambda: HammingIndex().insert([1, 2**64]), NeardupValueError, "fingerprint 1 must be"),
        (lambda: HammingIndex().insert([1, "2"]), NeardupTypeError, "fingerprint 1 must be an int"),
        (lambda: HammingIndex().query(-1), NeardupValueError, "fingerprint must be from 0"),
        (lambda: HammingIndex().query(True), NeardupTypeError, "fingerprint must be an integer"),
        (lambda: HammingIndex().query(1.0), NeardupTypeError, "got float"),
        (lambda: HammingIndex().query([1], format="x"), NeardupValueError, "format must be"),
        (lambda: HammingIndex().query(1, format="csr"), NeardupValueError, "pass a list"),
        (lambda: HammingIndex().insert(np.zeros(3)), NeardupTypeError, "of uint64, got float64"),
        (
            lambda: HammingIndex(128).insert(np.zeros(3, np.uint64)),
            NeardupValueError,
            r"shape \(n, 2\), the low word first, got \(3,\)",
        ),
        (lambda: HammingIndex().insert(simhash(["a"], bits=128)), NeardupValueError, "of 128 bits"),
    ],
)
def test_what_is_no_fingerprint_is_refused(call, kind, said):
    with pytest.raises(kind, match=said):
        call()


def test_fingerprints_of_another_making_are_refused():
    index = HammingIndex()
    index.insert(simhash(["one two three"]))
    for other in (simhash(["x"], seed=1), simhash(["x"], shingle="char:5")):
        for call in (index.insert, index.query):
            with pytest.raises(NeardupValueError, match=r"index holds fingerprints of \[simhash/1"):
                call(other)
    assert len(index) == 1


def test_many_threads_give_serial_answers():
    made = near_copies(random.Random(2), 20_000, 64)
    serial = HammingIndex(64, 3, num_threads=1)
    serial.insert(made)
    expected = serial.query(made[:2000])
    assert HammingIndex.query(serial, made[:2000]) == expected
    shared = HammingIndex(64, 3)
    with ThreadPoolExecutor(8) as pool:
        parts = [made[i : i + 500] for i in range(0, 20_000, 500)]
        ranges = list(pool.map(shared.insert, parts))
        answers = list(pool.map(shared.query, made[:2000]))
    number = {
        id: at + i
        for ids, at in zip(ranges, range(0, 20_000, 500), strict=True)
        for i, id in enumerate(ids)
    }
    for found, wanted in zip(answers, expected, strict=True):
        assert sorted((number[id], distance) for id, distance in found) == sorted(wanted)
