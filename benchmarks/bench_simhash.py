"""SimHash beside the PyPI package `simhash` on the same texts; queries of the Hamming index."""

from __future__ import annotations

import re
import statistics
import time

import numpy as np
from common import SEED, Bench, Row, in_turn, megabytes, texts

import neardup

WORDS = re.compile(r"\w+")


def main() -> None:
    """Megabytes a second of CPU time and ratios; microseconds a query."""
    bench = Bench(main.__doc__ or "")
    fingerprints(bench)
    for distance in (0, 3, 8):
        queries(bench, 64, distance, 50.0 if distance == 3 else 0.0)
    queries(bench, 128, 3, 0.0)


def fingerprints(bench: Bench) -> None:
    """64 bits of word 3-shingles: both cut the text, count shingles and hash them."""
    from simhash import Simhash

    documents = texts(0.5 if bench.quick else 2)

    def shingles(text: str) -> list[str]:
        words = WORDS.findall(text.casefold())
        return [" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))]

    tools = {
        "ours": lambda: neardup.simhash(documents, threads=1),
        "simhash": lambda: [Simhash(shingles(text)) for text in documents],
    }
    took = in_turn(tools, 2 if bench.quick else 3)
    total = megabytes(documents)
    work = "text to SimHash, 64 bits, word:3"
    bench.ratio(work, took, lambda seconds: f"{total / seconds:.2f} MB/s", (20.0, 20.0))


def queries(bench: Bench, bits: int, distance: int, most: float) -> None:
    """Single queries among random fingerprints, of which half are answered; the median."""
    count = 100_000 if bench.quick else 1_000_000
    rng = np.random.default_rng(SEED)
    words = rng.integers(0, 2**64, (count, bits // 64), np.uint64)
    index = neardup.HammingIndex(bits, distance)
    began = time.perf_counter()
    index.insert(words)
    built = time.perf_counter() - began
    probes = [int.from_bytes(row.tobytes(), "little") for row in words[:1000]]
    probes = [probe if i % 2 else probe ^ 0x5A5A5A5A for i, probe in enumerate(probes)]
    took = []
    for probe in probes:
        began = time.perf_counter()
        index.query(probe)
        took.append((time.perf_counter() - began) * 1e6)
    value = statistics.median(took)
    bench.add(
        Row(
            f"Hamming query, {bits} bits, d = {distance}, {count:,} fingerprints",
            f"built in {built:.2f} s",
            f"{value:.1f} us",
            f"{index.nbytes / count:.0f} B each",
            value,
            (most, most),
            least=True,
        )
    )


if __name__ == "__main__":
    main()
