"""Hashed tokens to signatures: nanoseconds a set of n 64-bit hashes, one thread, beside rensa."""

from __future__ import annotations

import os

os.environ["RAYON_NUM_THREADS"] = "1"  # read by rensa when it is imported

from statistics import median

import numpy as np
import rensa
from common import header, in_turn, ratio

import neardup

LENGTHS = (10, 50, 100, 300, 1000, 10_000, 100_000)
SEED = 42


def main() -> None:
    """Print nanoseconds a set and the ratio, for 128 and 256 slots."""
    rng = np.random.default_rng(SEED)
    print(header("rensa"))
    for size in (128, 256):
        ours = neardup.FastSimilaritySketch(size, SEED)
        print(f"k = {size}\n{'n':>8}{'neardup ns':>13}{'rensa ns':>11}{'x':>7}")
        for length in LENGTHS:
            rows = max(1, 1_000_000 // length)
            values = rng.integers(0, 2**64, rows * length, dtype=np.uint64)
            offsets = np.arange(0, rows * length + 1, length)
            took = in_turn(
                {
                    "ours": lambda v=values, o=offsets: ours.batch_csr(v, o, True, 1),
                    "rensa": lambda v=values, o=offsets: (
                        rensa.RMinHash.digest_matrix_from_flat_token_hashes(v, o, size, SEED)
                    ),
                },
                rounds=9,
            )
            a, b = (median(took[name]) / rows * 1e9 for name in ("ours", "rensa"))
            print(f"{length:>8}{a:>13.0f}{b:>11.0f}{ratio(took['rensa'], took['ours']):>7.2f}")


if __name__ == "__main__":
    main()
