"""Hashed tokens to signatures: nanoseconds a set of n 64-bit hashes, one thread, beside rensa."""

from __future__ import annotations

import os

os.environ["RAYON_NUM_THREADS"] = "1"  # read by rensa when it is imported

from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
import rensa
from common import header, in_turn, ratio

import neardup

LENGTHS = (10, 50, 100, 300, 1000, 10_000, 100_000)
SEED = 42
Array = npt.NDArray[Any]


def main() -> None:
    """Print nanoseconds a set and the ratio, for 128 and 256 slots."""
    rng = np.random.default_rng(SEED)
    print(header("rensa"))
    for size in (128, 256):
        print(f"k = {size}\n{'n':>8}{'neardup ns':>13}{'rensa ns':>11}{'x':>7}")
        for length in LENGTHS:
            rows = max(1, 1_000_000 // length)
            values = rng.integers(0, 2**64, rows * length, dtype=np.uint64)
            took = compare(size, values, np.arange(0, rows * length + 1, length))
            a, b = (median(took[name]) / rows * 1e9 for name in ("ours", "rensa"))
            print(f"{length:>8}{a:>13.0f}{b:>11.0f}{ratio(took['rensa'], took['ours']):>7.2f}")


def compare(size: int, values: Array, offsets: Array) -> dict[str, list[float]]:
    """CPU seconds of both, over the same rows."""
    ours = neardup.FastSimilaritySketch(size, SEED)
    theirs = rensa.RMinHash.digest_matrix_from_flat_token_hashes
    tools = {
        "ours": lambda: ours.batch_csr(values, offsets, True, 1),
        "rensa": lambda: theirs(values, offsets, size, SEED),
    }
    return in_turn(tools, rounds=9)


if __name__ == "__main__":
    main()
