"""Signatures to duplicate flags, 16 x 8, one shot beside rensa; bytes a row of a kept index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import rensa
from common import BANDS, SEED, SIZE, Bench, Row, in_turn

import neardup

Hashes = npt.NDArray[np.uint64]
TOKENS = 12
"""Token hashes a row: few, since only the signatures count here."""


def main() -> None:
    """Nanoseconds a row of CPU time, and ratios."""
    bench = Bench(main.__doc__ or "")
    for rows in (50_000,) if bench.quick else (100_000, 1_000_000):
        for name, values in corpora(rows):
            mine, peer = signatures(values)

            def ours(matrix: Any = mine) -> Any:
                return neardup.duplicate_flags(matrix, BANDS, num_threads=1)

            def theirs(matrix: Any = peer) -> Any:
                index = rensa.RMinHashLSH(threshold=0.8, num_perm=SIZE, num_bands=BANDS)
                return index.query_duplicate_flags_matrix_one_shot(matrix)

            tools: dict[str, Callable[[], object]] = {"ours": ours, "rensa": theirs}
            took = in_turn(tools, 2 if bench.quick or rows > 500_000 else 5)
            work = f"flags of {rows:,} rows, {name}"
            bench.ratio(work, took, lambda s, n=rows: f"{s / n * 1e9:.0f} ns/row", (2.0, 2.0))
    index = neardup.LSH(SIZE, BANDS)
    rows = 100_000 if bench.quick else 1_000_000
    index.insert(signatures(next(corpora(rows))[1])[0])
    each = index.nbytes / rows
    work = f"bytes a row of a kept index, {rows:,} rows"
    bench.add(Row(work, "FastSketchLSH", f"{each:.0f} B", "1180 B*", each, (200.0, 200.0), True))


def signatures(values: Hashes) -> tuple[Any, Any]:
    """Ours and rensa's of the same rows of hashes."""
    offsets = np.arange(0, values.size + 1, TOKENS)
    flat = values.reshape(-1)
    mine = neardup.FastSimilaritySketch(SIZE, SEED).batch_csr(flat, offsets, True, 0)
    return mine, rensa.RMinHash.digest_matrix_from_flat_token_hashes(flat, offsets, SIZE, SEED)


def corpora(rows: int) -> Iterator[tuple[str, Hashes]]:
    """Hashes of rows: a fifth copies with another token, all distinct, all equal."""
    rng = np.random.default_rng(SEED)
    distinct = rng.integers(0, 2**64, (rows, TOKENS), dtype=np.uint64)
    near = distinct.copy()
    copies = rng.choice(rows, rows // 5, replace=False)
    near[copies] = near[rng.integers(0, rows, len(copies))]
    near[copies, rng.integers(0, TOKENS, len(copies))] ^= np.uint64(1)
    yield "20 % near-copies", near
    yield "all distinct", distinct
    yield "all equal", np.repeat(distinct[:1], rows, axis=0)


if __name__ == "__main__":
    main()
