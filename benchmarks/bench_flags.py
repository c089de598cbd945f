"""Signatures to duplicate flags, 16 x 8, one shot beside rensa; bytes a row of the index that is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import rensa
from common import BANDS, SEED, SIZE, Bench, Row, in_turn

import neardup

Matrix = npt.NDArray[np.uint32]


def main() -> None:
    """Nanoseconds a row of CPU time, and ratios."""
    bench = Bench(main.__doc__ or "")
    for rows in (50_000,) if bench.quick else (100_000, 1_000_000):
        for name, matrix in corpora(rows):

            def ours(matrix: Matrix = matrix) -> Any:
                index = neardup.LSH(SIZE, BANDS, num_threads=1)
                return index.insert_and_query_duplicates(matrix)

            def theirs(matrix: Matrix = matrix) -> Any:
                index = rensa.RMinHashLSH(threshold=0.8, num_perm=SIZE, num_bands=BANDS)
                return index.query_duplicate_flags_matrix_one_shot(matrix)

            tools: dict[str, Callable[[], object]] = {"ours": ours, "rensa": theirs}
            took = in_turn(tools, 2 if bench.quick or rows > 500_000 else 5)
            show = f"flags of {rows:,} rows, {name}"
            bench.ratio(show, took, lambda s, n=rows: f"{s / n * 1e9:.0f} ns/row", (2.0, 2.0))
    index = neardup.LSH(SIZE, BANDS)
    rows = 100_000 if bench.quick else 1_000_000
    index.insert(next(corpora(rows))[1])
    each = index.nbytes / rows
    work = f"bytes a row of a kept index, {rows:,} rows"
    bench.add(Row(work, "FastSketchLSH", f"{each:.0f} B", "1180 B*", each, (200.0, 200.0), True))


def corpora(rows: int) -> Any:
    """Signatures: 20 % near-copies (one slot changed), all distinct, all equal."""
    rng = np.random.default_rng(SEED)
    distinct = rng.integers(0, 2**32 - 1, (rows, SIZE), dtype=np.uint32)
    near = distinct.copy()
    copies = rng.choice(rows, rows // 5, replace=False)
    near[copies] = near[rng.integers(0, rows, len(copies))]
    near[copies, rng.integers(0, SIZE, len(copies))] ^= 1
    yield "20 % near-copies", near
    yield "all distinct", distinct
    yield "all equal", np.repeat(distinct[:1], rows, axis=0)


if __name__ == "__main__":
    main()
