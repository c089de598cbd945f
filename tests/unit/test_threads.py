"""One sketcher and one index for many threads, and for a child made by fork."""

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from neardup import LSH, FastSimilaritySketch, sketch

THREADS = 8


def together(work):
    """Run `work(i)` in eight threads that begin at once; their results in order."""
    barrier = Barrier(THREADS)

    def one(i):
        barrier.wait()
        return work(i)

    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result() for future in [pool.submit(one, i) for i in range(THREADS)]]


def test_one_sketcher_gives_the_serial_answers():
    shared = FastSimilaritySketch(size=64)
    rows = [[f"{i}-{j}" for j in range(i % 40)] for i in range(200)]
    expected = shared.batch(rows, num_threads=1)

    def work(i):
        whole = shared.batch(rows, num_threads=1 + i % 3)
        return np.array_equal(whole, expected) and all(
            np.array_equal(shared(rows[j]), expected[j]) for j in range(i, 200, THREADS)
        )

    assert all(together(work))


def test_texts_are_sketched_alike():
    texts = [f"text {i} " * (i % 30) for i in range(200)]
    expected = sketch(texts, threads=1).matrix
    assert all(together(lambda i: np.array_equal(sketch(texts, threads=i % 3).matrix, expected)))


def test_queries_while_others_insert_see_whole_inserts():
    """Batches of equal rows: a query finds whole batches of each thread, never a part of one."""
    index = LSH(16, 4, keep_signatures=True)
    batch, rounds = 25, 20

    def work(i):
        own = np.full((batch, 16), i, np.uint32)
        ids, seen = [], True
        for _ in range(rounds):
            ids.extend(index.insert(own))
            mine = [id for id, _ in index.query(own[0])]
            other = index.query(np.full((2, 16), (i + 1) % THREADS, np.uint32))
            seen &= mine == ids and len(other[0]) % batch == 0 and len(other[1]) % batch == 0
        return ids, seen

    results = together(work)
    assert all(seen for _, seen in results)
    assert sorted(id for ids, _ in results for id in ids) == list(range(THREADS * batch * rounds))
    assert len(index) == THREADS * batch * rounds
    for i, (ids, _) in enumerate(results):
        assert index.query(np.full(16, i, np.uint32)) == [(id, 1.0) for id in ids]


def test_each_row_is_a_duplicate_for_all_but_one_thread():
    rng = np.random.default_rng(0)
    slots = rng.integers(0, 2**31, (300, 16), dtype=np.uint32)
    index = LSH(16, 1)
    flags = together(lambda i: index.insert_and_query_duplicates(slots))
    assert np.sum(flags, axis=0).tolist() == [THREADS - 1] * 300


def test_removals_race_to_one_winner():
    index = LSH(4, 1)
    index.insert(np.zeros((100, 4), np.uint32))

    def work(_):
        removed = 0
        for id in range(100):
            try:
                index.remove(id)
            except ValueError:
                continue
            removed += 1
        return removed

    assert sum(together(work)) == 100
    assert len(index) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_sketches():
    script = textwrap.dedent("""
        import os, sys
        import numpy as np
        from neardup import LSH, FastSimilaritySketch, sketch

        rows = [[str(j) for j in range(i)] for i in range(2000)]
        texts = ["some words " * i for i in range(500)]
        sketcher, index = FastSimilaritySketch(), LSH(keep_signatures=True)

        def answers():
            matrix = sketcher.batch(rows, num_threads=4)
            return matrix, sketch(texts, threads=4).matrix, index.query(matrix, limit=3)

        index.insert(sketcher.batch(rows, num_threads=4))
        before = answers()
        child = os.fork()
        after = answers()
        same = all(np.array_equal(a, b) for a, b in zip(before[:2], after[:2]))
        same = same and before[2] == after[2]
        if not child:
            os._exit(0 if same else 3)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or (0 if same else 4))
    """)
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]
    assert subprocess.run(command, timeout=120, check=False).returncode == 0
