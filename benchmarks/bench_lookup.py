"""Indexes in memory beside datasketch and rensa; a stream of texts, checked among a million."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import datasketch
import numpy as np
import rensa
from bench_flags import corpora, signatures
from common import BANDS, SEED, SIZE, Bench, Row, in_turn

import neardup

WORDS, VOCABULARY = 300, 50_000
BATCH = 10_000


def main() -> None:
    """Ratios, bytes a row, microseconds a check."""
    bench = Bench(main.__doc__ or "")
    beside_datasketch(bench, 5_000 if bench.quick else 20_000)
    beside_rensa(bench, 50_000 if bench.quick else 200_000)
    stream(bench, 20_000 if bench.quick else 1_000_000)


def beside_datasketch(bench: Bench, rows: int) -> None:
    """Texts inserted under keys and queried, signatures included; then signatures alone."""
    every = [text for batch in texts(rows) for text in batch]
    keys = [f"document-{row}" for row in range(rows)]

    def our_sketch() -> Any:
        return neardup.sketch(every, shingle="word:1", threads=1)

    def their_sketch() -> Any:
        return [sketched(text) for text in every]

    def our_insert(matrix: Any) -> Any:
        index = neardup.LSH(SIZE, BANDS, num_threads=1)
        index.insert(matrix, keys)
        return index

    def their_insert(hashes: Any) -> Any:
        index = datasketch.MinHashLSH(num_perm=SIZE, params=(BANDS, SIZE // BANDS))
        for key, row in zip(keys, hashes, strict=True):
            index.insert(key, row)
        return index

    def their_query(index: Any, hashes: Any) -> Any:
        return [index.query(row) for row in hashes]

    def per_row(seconds: float) -> str:
        return f"{seconds / rows * 1e6:.2f} us/row"

    mine, other = our_sketch(), their_sketch()
    index, their_index = our_insert(mine), their_insert(other)
    for work, tools, goal in (
        (
            "insert texts under keys",
            (lambda: our_insert(our_sketch()), lambda: their_insert(their_sketch())),
            50.0,
        ),
        (
            "query texts",
            (lambda: index.query(our_sketch()), lambda: their_query(their_index, their_sketch())),
            50.0,
        ),
        (
            "insert signatures under keys",
            (lambda: our_insert(mine), lambda: their_insert(other)),
            0.0,
        ),
        (
            "query signatures",
            (lambda: index.query(mine), lambda: their_query(their_index, other)),
            0.0,
        ),
    ):
        took = in_turn(dict(zip(("ours", "datasketch"), tools, strict=True)), 2)
        bench.ratio(f"{work}, {rows:,} of {WORDS} words", took, per_row, (goal, goal))
    sizes = held(lambda: our_insert(mine)) / rows, held(lambda: their_insert(other)) / rows
    memory(bench, f"{rows:,} rows under keys", "datasketch", *sizes)


def sketched(text: str) -> Any:
    """A signature by datasketch, of the words of a text."""
    made = datasketch.MinHash(SIZE)
    made.update_batch([word.encode() for word in set(text.split())])
    return made


def beside_rensa(bench: Bench, rows: int) -> None:
    """A kept index of the same rows, inserted and flagged: until asked rensa only notes rows."""
    mine, peer = signatures(next(iter(corpora(rows)))[1])

    def ours() -> Any:
        index = neardup.LSH(SIZE, BANDS, num_threads=1)
        index.insert_and_query_duplicates(mine)
        return index

    def theirs() -> Any:
        index = rensa.RMinHashLSH(threshold=0.8, num_perm=SIZE, num_bands=BANDS)
        index.insert_matrix_and_query_duplicate_flags(peer)
        return index

    took = in_turn({"ours": ours, "rensa": theirs}, 2)
    work = f"insert {rows:,} rows into a kept index, with flags"
    bench.ratio(work, took, lambda s: f"{s / rows * 1e6:.2f} us/row", (1.0, 1.0))
    sizes = held(ours) / rows, held(theirs) / rows
    memory(bench, f"{rows:,} rows in a kept index", "rensa", *sizes)


def memory(bench: Bench, what: str, peer: str, ours: float, theirs: float) -> None:
    """A row of resident bytes."""
    shown = f"{ours:.0f} B/row", f"{theirs:.0f} B/row"
    bench.add(Row(f"memory of {what}", peer, *shown, theirs / ours, (5.0, 5.0)))


def stream(bench: Bench, documents: int) -> None:
    """Texts added one at a time, by the batch, and sketched; then checked, half of them known."""
    took = {"add": 0.0, "batch": 0.0, "sketch": 0.0}
    one, many = (neardup.StreamingDeduplicator(threads=1) for _ in range(2))
    samples: list[str] = []
    first = 0
    for batch in texts(documents):
        start = time.process_time()
        for id, text in enumerate(batch, first):
            one.add(id, text)
        took["add"] += time.process_time() - start
        if first < 200_000:
            start = time.process_time()
            many.add_many(range(first, first + len(batch)), batch)
            took["batch"] += time.process_time() - start
        start = time.process_time()
        neardup.sketch(batch, threads=1)
        took["sketch"] += time.process_time() - start
        samples += batch[:: max(1, documents // BATCH)]
        first += len(batch)
    each = 1e6 / documents
    shown = f"{took['add'] * each:.1f} us", f"{took['sketch'] * each:.1f} us"
    work = f"add {documents:,} texts one at a time / sketch them"
    ratio = took["add"] / took["sketch"]
    bench.add(Row(work, "neardup.sketch", *shown, ratio, (2.0, 2.0), True))
    each = 1e6 / min(documents, 200_000)
    work = "add texts by the batch / sketch them"
    ratio = took["batch"] * each / (took["sketch"] * 1e6 / documents)
    shown = f"{took['batch'] * each:.1f} us", shown[1]
    bench.add(Row(work, "neardup.sketch", *shown, ratio, (2.0, 2.0), True))
    samples = [*samples[:BATCH], *next(texts(BATCH, SEED + 1))]
    took_each = np.empty(len(samples))
    for at, text in enumerate(samples):
        start = time.perf_counter()
        one.check("new", text)
        took_each[at] = time.perf_counter() - start
    median, late = np.percentile(took_each, [50, 99]) * 1e6
    for name, value, goal in (("median", median, 100.0), ("p99", late, 1000.0)):
        work = f"check one text among {documents:,}, {name}, us"
        row = Row(work, "a clock", f"{value:.0f} us", "", float(value), (goal, goal), True)
        bench.add(row)
    size = one.nbytes / documents
    bench.add(Row("bytes a document of a stream, ids apart", "", f"{size:.0f} B", "", size))


def texts(documents: int, seed: int = SEED) -> Iterator[list[str]]:
    """Batches of texts of 300 words, drawn from a vocabulary by Zipf's law."""
    rng = np.random.default_rng(seed)
    syllables = [a + b for a in "bcdfghklmnprstvz" for b in "aeiou"]
    draw = rng.integers(0, len(syllables), (VOCABULARY, 3))
    words = np.array(["".join(syllables[i] for i in row) for row in draw], object)
    share = 1.0 / np.arange(1, VOCABULARY + 1)
    ends = np.cumsum(share / share.sum())
    for first in range(0, documents, BATCH):
        rows = min(BATCH, documents - first)
        drawn = np.minimum(np.searchsorted(ends, rng.random((rows, WORDS))), VOCABULARY - 1)
        yield [" ".join(row) for row in words[drawn].tolist()]


def held(build: Callable[[], Any]) -> int:
    """Resident bytes that what is built takes, in a process of its own."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def work() -> None:
        before = resident()
        built = build()
        theirs.send(resident() - before)
        del built
        theirs.close()

    process = context.Process(target=work)
    process.start()
    size: int = ours.recv()
    process.join()
    return size


def resident() -> int:
    """Resident bytes of this process, without memory that was freed and would be used again."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
