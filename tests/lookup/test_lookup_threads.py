"""One index, stream, batch run and partition used by eight threads at once, and after a fork."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from neardup import LSH, Deduplicator, ShardedLSH, StreamingDeduplicator, UnionFind

THREADS = 8


def together(work: Callable) -> list:
    """Run `work(i)` in eight threads that begin at once; their results in order."""
    barrier = Barrier(THREADS)

    def one(i: int) -> object:
        barrier.wait()
        return work(i)

    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result() for future in [pool.submit(one, i) for i in range(THREADS)]]


@pytest.mark.parametrize("make", [LSH, lambda *a: ShardedLSH(2, num_perm=a[0], num_bands=a[1])])
def test_keys_inserted_updated_removed_and_queried_at_once(make: Callable) -> None:
    """Each thread has signatures of its own, and asks for another's: whole batches or nothing."""
    index = make(8, 2)

    def work(i: int) -> bool:
        own, other = (np.full((5, 8), value % THREADS, np.uint32) for value in (i, i + 1))
        good = True
        for round in range(30):
            keys = [(f"{i}-{j}") for j in range(5)]
            index.insert(own, keys, on_conflict="replace")
            good &= index.query(own[0]) == keys
            good &= len(index.query(other[0])) in (0, 4, 5)
            index.update(keys[0], own[0])
            good &= index.query(own[:1]) == [[*keys[1:], keys[0]]]
            if round % 3 == 0:
                index.remove(keys[2])
                good &= keys[2] not in index
        return good

    assert all(together(work))
    assert len(index) == 5 * THREADS


def test_of_equal_texts_of_many_threads_one_is_added() -> None:
    stream = StreamingDeduplicator()
    texts = [f"a text of its own number {i} and {i * 7919}" for i in range(60)]

    def work(i: int) -> int:
        added = 0
        for j, text in enumerate(texts):
            match = stream.check_and_add((i, j), text)
            added += match is None
            assert match is None or match.id[1] == j
            assert stream.check("x", text).similarity == 1.0
        return added

    assert sum(together(work)) == 60
    assert len(stream) == 60
    run = Deduplicator()
    kept = together(lambda _: run.add(texts))
    assert np.sum(kept, axis=0).tolist() == [1] * 60


def test_documents_leave_while_others_look_for_them() -> None:
    stream = StreamingDeduplicator(max_documents=5)
    texts = [f"one of twenty texts {i} {i * 31}" for i in range(20)]

    def work(i: int) -> bool:
        good = True
        for round in range(40):
            stream.add((i, round), texts[(i + round) % 20])
            match = stream.check("x", texts[round % 20])
            good &= match is None or texts[sum(match.id) % 20] == texts[round % 20]
        return good

    assert all(together(work))
    assert len(stream) == len(stream._ids) == len(stream._numbers) == 5


def test_pairs_joined_at_once() -> None:
    sets = UnionFind(8000)
    joined = together(lambda i: sets.union(np.arange(i, 7999), np.arange(i + 1, 8000)))
    assert sum(joined) == 7999
    assert not sets.components().any()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_looks_up() -> None:
    script = textwrap.dedent("""
        import os, sys
        from neardup import LSH, StreamingDeduplicator, sketch

        texts = [f"some words {i} and {i * i} more of them" for i in range(300)]
        index, stream = LSH(), StreamingDeduplicator()
        index.insert(sketch(texts), keys=texts)
        stream.add_many(range(300), texts)
        child = os.fork()
        same = index.query(sketch(texts, threads=4))[7] == [texts[7]]
        stream.add("new", "a new one that is like no other")
        same = same and stream.check("x", texts[7]) == (7, 1.0) and len(stream) == 301
        if not child:
            os._exit(0 if same else 3)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or (0 if same else 4))
    """)
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]
    assert subprocess.run(command, timeout=120, check=False).returncode == 0
