"""Time of one sketch, neardup beside its peers: nanoseconds a token, k = 128, one thread.

Run by `make bench`. Each figure is the best of several rounds on the same token lists, all made
here; the ratio is the fastest peer's time over neardup's in the same run.
"""

from __future__ import annotations

import platform
import random
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import datasketch
import FastSketchLSH
import rensa

import neardup

SIZE, SEED, ROUNDS = 128, 42, 5
TOKENS_A_ROUND = 400_000
LENGTHS = (10, 50, 100, 300, 1000, 10_000)
Rows = list[list[str]]


def tools() -> dict[str, Callable[[Rows], object]]:
    """What each tool does with rows of tokens, by its fastest public way."""
    ours = neardup.FastSimilaritySketch(size=SIZE, seed=SEED)
    theirs = FastSketchLSH.FastSimilaritySketch(SIZE, SEED)

    def datasketch_rows(rows: Rows) -> object:
        encoded = ([token.encode() for token in row] for row in rows)
        return list(datasketch.MinHash.generator(encoded, num_perm=SIZE, seed=SEED))

    return {
        "neardup": lambda rows: ours.batch(rows, num_threads=1),
        "FastSketchLSH": lambda rows: theirs.batch(rows, num_threads=1),
        "rensa": lambda rows: rensa.RMinHash.digest_matrix_from_token_sets(rows, SIZE, SEED),
        "datasketch": datasketch_rows,
    }


def best(function: Callable[[Rows], object], rows: Rows) -> float:
    """Seconds of the fastest round."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        function(rows)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the machine, the versions and the table."""
    rng = random.Random(SEED)
    names = list(tools())
    print(f"{processor()}, Python {platform.python_version()}, seed {SEED}")
    print(", ".join(f"{name} {version(name)}" for name in names))
    print(f"{'tokens':>7}" + "".join(f"{name:>15}" for name in names) + f"{'ratio':>8}")
    for length in LENGTHS:
        count = max(1, TOKENS_A_ROUND // length)
        rows = [[f"w{rng.getrandbits(40):x}" for _ in range(length)] for _ in range(count)]
        took = [best(function, rows) / (length * count) * 1e9 for function in tools().values()]
        figures = "".join(f"{nanoseconds:>15.1f}" for nanoseconds in took)
        print(f"{length:>7}{figures}{min(took[1:]) / took[0]:>8.2f}")


def processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    main()
