"""Union-find: components of random graphs by search, in shards, in any order; bad elements."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup import NeardupTypeError, NeardupValueError, UnionFind, connected_components

PAIRS = st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)), max_size=40)


def by_search(n: int, pairs: list[tuple[int, int]]) -> list[int]:
    """The least element reachable from each."""
    near: dict[int, set[int]] = {x: {x} for x in range(n)}
    for a, b in pairs:
        near[a].add(b)
        near[b].add(a)
    least = list(range(n))
    for x in range(n):
        seen, rest = {x}, [x]
        while rest:
            more = near[rest.pop()] - seen
            seen |= more
            rest += more
        least[x] = min(seen)
    return least


def sides(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [a for a, _ in pairs], [b for _, b in pairs]


@given(pairs=PAIRS, cut=st.integers(1, 20), threads=st.integers(1, 3))
@settings(derandomize=True, database=None, deadline=None)
def test_shards_apart_are_the_components_of_all(pairs: list, cut: int, threads: int) -> None:
    expected = by_search(30, pairs)
    whole = UnionFind(30)
    assert whole.union(*sides(pairs)) == 30 - len(set(expected))
    assert whole.components().tolist() == expected
    shards = [sides(pairs[at : at + cut]) for at in range(0, len(pairs), cut)]
    assert connected_components(30, shards, threads=threads).tolist() == expected
    parts = [UnionFind(30) for _ in shards]
    merged = UnionFind(30)
    for part, shard in zip(parts, shards, strict=True):
        part.union(*shard)
        merged.merge(part)
    assert merged.components().tolist() == expected
    assert [merged.find(x) for x in range(30)] == expected
    assert merged.connected(3, 7) == (expected[3] == expected[7])


def test_any_integers_and_a_long_chain() -> None:
    n = 200_000
    for kind in (np.int32, np.uint64, np.uint32):
        sets = UnionFind(n)
        chain = np.arange(n, dtype=kind)[::-1]
        assert sets.union(chain[1:], chain[:-1]) == n - 1
        assert not sets.components().any()
    assert UnionFind(0).components().shape == connected_components(0, []).shape == (0,)
    assert repr(UnionFind(3)) == "<UnionFind of 3 elements>"


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda s: s.union(0, 5), "5 is none of the 5 elements"),
        (lambda s: s.union([0, 1], [2]), "2 left sides and 1 right"),
        (lambda s: s.union(-1, 0), "a must be elements from 0"),
        (lambda s: s.union(2**32, 0), "a must be elements from 0"),
        (lambda s: s.union(1.5, 0), "got float64"),
        (lambda s: s.union([[1]], 0), "of one dimension"),
        (lambda s: s.find(5), "5 is none of the 5 elements"),
        (lambda s: s.find("a"), "x must be an integer"),
        (lambda s: s.connected(0, 9), "9 is none"),
        (lambda s: s.merge(UnionFind(4)), "of 5 elements and one of 4"),
        (lambda s: s.merge([]), "must be a UnionFind"),
        (lambda _: UnionFind(-1), "n must be from 0"),
        (lambda _: connected_components(2, [3]), "a shard is a pair of arrays"),
        (lambda _: connected_components(2, [([0], [2])]), "2 is none of the 2 elements"),
    ],
)
def test_bad_elements(call: object, complaint: str) -> None:
    with pytest.raises((NeardupValueError, NeardupTypeError), match=complaint):
        call(UnionFind(5))


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
def test_more_elements_than_memory_holds_are_an_error() -> None:
    """And not the end of the process."""
    program = """
import resource
from neardup import NeardupValueError, UnionFind, connected_components
resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))
for make in (UnionFind, lambda n: connected_components(n, [([0], [1])])):
    try:
        make(2**32 - 1)
    except NeardupValueError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("4294967295 elements of 21474836475 bytes do not fit in memory") == 2
