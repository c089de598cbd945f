"""Text to duplicate flags, one thread: Arrow strings in, a flag a document out, k = 128, 16 x 8.

The peers get `set(text.lower().split())` or the word 3-shingles of it, made in Python as their
users do, and their fastest public call.
"""

from __future__ import annotations

import os

os.environ["RAYON_NUM_THREADS"] = "1"  # read by rensa when it is imported

from statistics import median

import FastSketchLSH
import pyarrow as pa
import rensa
from common import header, in_turn, ratio, texts

import neardup

SIZE, BANDS, SEED = 128, 16, 42


def words(text: str) -> set[str]:
    """What users of the peers do with a text."""
    return set(text.lower().split())


def triples(text: str) -> set[str]:
    """The same, for runs of three words."""
    parts = text.lower().split()
    return {" ".join(parts[i : i + 3]) for i in range(max(1, len(parts) - 2))}


def main() -> None:
    """Print megabytes a second of CPU time, and ratios."""
    documents = texts(12)
    column = pa.array(documents, pa.large_string())
    size = sum(len(text.encode()) for text in documents) / 1e6
    print(header("rensa", "fastsketchlsh"))
    print(f"{len(documents):,} documents, {size:.1f} MB; medians, ratios within a round")
    print(f"{'':>12}{'neardup MB/s':>15}{'rensa':>10}{'x':>7}{'FastSketchLSH':>16}{'x':>7}")
    for shingle, cut in (("word:1", words), ("word:3", triples)):

        def ours(shingle: str = shingle) -> object:
            found = neardup.sketch(column, shingle=shingle, size=SIZE, seed=SEED, threads=1)
            index = neardup.LSH(SIZE, BANDS, num_threads=1)
            return index.insert_and_query_duplicates(found.matrix)

        def with_rensa(cut=cut) -> object:
            rows = [list(cut(text)) for text in documents]
            matrix = rensa.RMinHash.digest_matrix_from_token_sets(rows, SIZE, SEED)
            index = rensa.RMinHashLSH(threshold=0.8, num_perm=SIZE, num_bands=BANDS)
            return index.query_duplicate_flags_matrix_one_shot(matrix)

        def with_fast(cut=cut) -> object:
            rows = [list(cut(text)) for text in documents]
            matrix = FastSketchLSH.FastSimilaritySketch(SIZE, SEED).batch(rows, num_threads=1)
            index = FastSketchLSH.LSH(SIZE, BANDS)
            return index.insert_and_query_duplicates(matrix)

        took = in_turn({"ours": ours, "rensa": with_rensa, "fast": with_fast})
        rate = {name: size / median(seconds) for name, seconds in took.items()}
        print(
            f"{shingle:>12}{rate['ours']:>15.1f}{rate['rensa']:>10.1f}"
            f"{ratio(took['rensa'], took['ours']):>7.1f}{rate['fast']:>16.1f}"
            f"{ratio(took['fast'], took['ours']):>7.1f}"
        )


if __name__ == "__main__":
    main()
