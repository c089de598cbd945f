"""Objects shared by threads and with a child of fork; lists that others change; panics caught."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import numpy as np
import pytest

from harness import families
from neardup import (
    LSH,
    BloomStream,
    ContainmentIndex,
    FastSimilaritySketch,
    Forest,
    MultiProbeLSH,
    NeardupError,
    Signatures,
    _native,
    dedup,
    explain,
    jaccard,
    match,
    sketch,
)

THREADS = 8
TEXTS = families(27, 300)


def together(work: Callable[[int], Any]) -> list[Any]:
    """Run `work(i)` in eight threads that begin at once."""
    barrier = Barrier(THREADS)

    def one(i: int) -> Any:
        barrier.wait()
        return work(i)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(one, range(THREADS)))


def test_case_27_one_set_of_signatures_for_all(tmp_path: Path) -> None:
    shared = sketch(TEXTS, size=32)
    expected = [shared.jaccard(i, i + 1) for i in range(len(TEXTS) - 1)]

    def work(thread: int) -> bool:
        path = tmp_path / f"{thread}.sig"
        shared.save(path)
        loaded = Signatures.load(path)
        whole = Signatures.concat([shared, loaded])
        merged = shared.merge(loaded)
        return (
            [shared.jaccard(i, i + 1) for i in range(len(TEXTS) - 1)] == expected
            and [loaded.jaccard(i, i + 1, shared) for i in range(len(TEXTS) - 1)] == expected
            and np.array_equal(merged.matrix, shared.matrix)
            and len(whole) == 2 * len(TEXTS)
        )

    assert all(together(work))


def test_case_27_one_index_read_by_all() -> None:
    shared = sketch(TEXTS, size=32)
    index = LSH(32, 8, keep_signatures=True)
    index.insert(shared)
    expected = index.query(shared, threshold=0.3, limit=5)
    for answers in together(lambda _: index.query(shared, threshold=0.3, limit=5)):
        assert answers == expected


def test_case_27_other_lookups_read_and_changed_by_all() -> None:
    shared = sketch(TEXTS, size=32, runners_up=True)
    forest, probes = Forest(8, 4, num_perm=32), MultiProbeLSH(num_perm=32, probes="both")
    passages, stream = ContainmentIndex(TEXTS), BloomStream(9 * len(TEXTS), size=32)
    asked = [" ".join(text.split()[2:12]) for text in TEXTS]
    forest.insert(shared)
    probes.insert(shared)
    stream.add(shared)
    expected = forest.query(shared), probes.query(shared), passages.query(asked)

    def read(_: int) -> bool:
        found = forest.query(shared), probes.query(shared), passages.query(asked)
        return found == expected and bool(stream.check_and_add(shared).all())

    assert all(together(read))

    def change(thread: int) -> bool:
        mine = [f"{text} {thread}" for text in TEXTS]
        made = sketch(mine, size=32, runners_up=True)
        for index, rows in ((forest, made), (probes, made), (passages, mine)):
            index.insert(rows)  # type: ignore[attr-defined]
        return bool(stream.check_and_add(mine).any() or stream.check(mine).all())

    assert all(together(change))
    assert {len(forest), len(probes), len(passages)} == {9 * len(TEXTS)}


def test_case_27_whole_runs_side_by_side() -> None:
    expected = dedup(TEXTS, threads=1)
    pairs = match(TEXTS[:150], TEXTS[150:])

    def work(thread: int) -> bool:
        result = dedup(TEXTS, threads=1 + thread % 2)
        same = result.removed.equals(expected.removed) and result.pairs.equals(expected.pairs)
        same = same and match(TEXTS[:150], TEXTS[150:]).equals(pairs)
        return same and jaccard(TEXTS[0], TEXTS[0]) == 1.0 and explain(0.8, 0.95, 128).bands > 1

    assert all(together(work))


def test_case_27_saved_while_others_insert(tmp_path: Path) -> None:
    """A file holds whole inserts."""
    index = LSH(4, 2, keep_signatures=True)
    rows = np.ones((10, 4), np.uint32)

    def work(thread: int) -> int:
        if thread % 2:
            for _ in range(10):
                index.insert(rows)
            return 0
        path = tmp_path / f"{thread}.lsh"
        seen = []
        for _ in range(10):
            index.save(path)
            seen.append(len(LSH.load(path).query(rows[0])))
        assert seen == sorted(seen)
        return sum(each % 10 for each in seen)

    assert not any(together(work))
    assert len(index) == THREADS // 2 * 100


@pytest.mark.parametrize("read", [
    lambda items: FastSimilaritySketch(8)(items),
    lambda items: FastSimilaritySketch(8).batch([items, items]),
    lambda items: sketch(items, size=8).matrix,
    lambda items: dedup(items, threads=1).keep,
])  # fmt: skip
def test_case_26_a_list_that_another_thread_changes(read: Callable[[list[str]], Any]) -> None:
    """An answer for some state of the list, or an error that says so; never a crash."""
    items = [f"text number {i}" for i in range(2000)]
    stop = Event()

    def change() -> None:
        while not stop.is_set():
            items.extend(f"more {i}" for i in range(50))
            del items[100:200]
            items.clear()
            items.extend(f"text number {i}" for i in range(2000))

    meddler = Thread(target=change)
    meddler.start()
    try:
        for _ in range(15):
            try:
                assert len(read(items)) <= 2050  # the most that there ever are
            except NeardupError as error:
                assert "changed" in str(error)
    finally:
        stop.set()
        meddler.join()


def child(script: str, status: int = 0) -> str:
    """Run a script in a process of its own; what it said."""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(script)]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_case_27_fork_after_a_run_and_in_the_middle_of_one() -> None:
    """A child of a process that has used every pool and thread of the package, and uses them now."""
    child("""
        import os, sys, threading
        from neardup import dedup, sketch
        texts = [f"some words {i % 70} and {i} more of them " * 9 for i in range(800)]
        expected = dedup(texts).keep.tolist()
        busy = threading.Thread(target=lambda: [dedup(texts) for _ in range(3)])
        busy.start()
        children = []
        for _ in range(4):
            pid = os.fork()
            if not pid:
                same = dedup(texts, threads=2).keep.tolist() == expected
                same = same and len(sketch(texts)) == len(texts)
                os._exit(0 if same else 3)
            children.append(pid)
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
        busy.join()
        sys.exit(max(codes))
    """)


def test_a_panic_is_a_neardup_error() -> None:
    """The one that can be provoked: room for more columns than there are addresses."""
    with pytest.raises(NeardupError, match="internal error, please report it: capacity overflow"):
        _native.BandKeys(2**63)
    assert _native.BandKeys(2).documents == 0


def test_a_panic_ends_the_command_with_one_line(tmp_path: Path) -> None:
    """As any other fault: status 1, and no traceback of Python."""
    (tmp_path / "a.txt").write_text("a\nb\n")
    said = child(
        f"""
        import sys
        from neardup import _native, plan
        from neardup.__main__ import main
        class Broken:
            def __new__(cls, bands):
                return _native.BandKeys.__new__(_native.BandKeys, 2**63)
        plan._native.BandKeys
        import neardup.survey as survey
        class Native:
            BandKeys = Broken
            survey = staticmethod(_native.survey)
        survey._native = Native
        sys.argv = ["neardup", "dedup", {str(tmp_path / "a.txt")!r}, "-o", {str(tmp_path / "out")!r}]
        main()
        """,
        1,
    )
    assert "neardup: internal error, please report it: capacity overflow" in said
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()
