"""Tokens to signatures, n hashes or n str a set, beside rensa, FastSketchLSH and Daft."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable
from typing import Any

import FastSketchLSH
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import rensa
from common import SEED, SIZE, Bench, Row, in_turn, megabytes, texts

import neardup

LENGTHS = (10, 50, 100, 300, 1000, 10_000, 100_000)


def main() -> None:
    """Nanoseconds a set of CPU time, and ratios."""
    bench = Bench(main.__doc__ or "")
    lengths = (10, 300) if bench.quick else LENGTHS
    for size in (128, 256):
        for length in lengths:
            hashed(bench, size, length)
    for length in lengths:
        listed(bench, length)
    from_parquet(bench)


def a_set(rows: int) -> Callable[[float], str]:
    """Shows seconds as nanoseconds a set."""
    return lambda seconds: f"{seconds / rows * 1e9:,.0f} ns/set"


def hashed(bench: Bench, size: int, length: int) -> None:
    """64-bit hashes, all sets in one array."""
    rows = max(1, (200_000 if bench.quick else 1_000_000) // length)
    values = np.random.default_rng(SEED).integers(0, 2**64, rows * length, dtype=np.uint64)
    offsets = np.arange(0, rows * length + 1, length)
    ours = neardup.FastSimilaritySketch(size, SEED)
    theirs = rensa.RMinHash.digest_matrix_from_flat_token_hashes
    tools: dict[str, Callable[[], object]] = {
        "ours": lambda: ours.batch_csr(values, offsets, True, 1),
        "rensa": lambda: theirs(values, offsets, size, SEED),
    }
    took = in_turn(tools, 3 if bench.quick else 9)
    goals = (2.0 if length <= 300 else 1.0, 1.0)
    bench.ratio(f"hashes to signatures, k = {size}, n = {length:,}", took, a_set(rows), goals)


def listed(bench: Bench, length: int) -> None:
    """Lists of str, every token an object of its own, as a tokenizer makes them."""
    draw = random.Random(SEED)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(draw.choices(letters, k=draw.randint(2, 11))) for _ in range(20_000)]
    count = max(1, (100_000 if bench.quick else 400_000) // length)
    rows = [[(draw.choice(words) + " ")[:-1] for _ in range(length)] for _ in range(count)]
    ours = neardup.FastSimilaritySketch(SIZE, SEED)
    theirs = FastSketchLSH.FastSimilaritySketch(SIZE, SEED)
    tools: dict[str, Callable[[], object]] = {
        "ours": lambda: ours.batch(rows, num_threads=1),
        "rensa": lambda: rensa.RMinHash.digest_matrix_from_token_sets(rows, SIZE, SEED),
        "FastSketchLSH": lambda: theirs.batch(rows, num_threads=1),
        "FastSketchLSH, a call a set": lambda: [theirs(row) for row in rows],
    }
    took = in_turn(tools, 2 if bench.quick else 5)
    bench.ratio(f"list[str] to signatures, n = {length:,}", took, a_set(count), (1.0, 1.0))


def from_parquet(bench: Bench) -> None:
    """Texts in Parquet, word 3-shingles, beside Daft's native `minhash`."""
    work = "signatures from Parquet text, word:3, k = 128"
    try:
        import daft
        from daft.functions import minhash
    except ImportError:
        bench.add(Row(work, "Daft", "", "", None, (8.0, 5.0)))
        return
    documents = texts(4 if bench.quick else 24)
    total = megabytes(documents)
    with tempfile.TemporaryDirectory(prefix="neardup-bench-") as folder:
        path = os.path.join(folder, "texts.parquet")
        pq.write_table(pa.table({"text": documents}), path)

        def ours() -> Any:
            column = pq.read_table(path, columns=["text"], use_threads=False)["text"]
            return neardup.sketch(column, shingle="word:3", size=SIZE, seed=SEED, threads=1)

        def theirs() -> Any:
            frame = daft.read_parquet(path)
            found = minhash(frame["text"], num_hashes=SIZE, ngram_size=3, seed=SEED)
            return frame.select(found).to_arrow()

        took = in_turn({"ours": ours, "Daft": theirs}, 2 if bench.quick else 5)
    bench.ratio(work, took, lambda seconds: f"{total / seconds:.1f} MB/s", (8.0, 5.0))


if __name__ == "__main__":
    main()
