"""Text to duplicate flags, one thread: Arrow strings in, a flag a document out, k = 128, 16 x 8.

The peers get `set(text.lower().split())`, the word 3-shingles of it, or a set of slices, made in
Python as their users do, and their fastest public call.
"""

from __future__ import annotations

from collections.abc import Callable

import FastSketchLSH
import pyarrow as pa
import rensa
from common import BANDS, SEED, SIZE, Bench, in_turn, megabytes, texts

import neardup

Cut = Callable[[str], set[str]]


def words(text: str) -> set[str]:
    """What users of the peers do with a text."""
    return set(text.lower().split())


def triples(text: str) -> set[str]:
    """The same, for runs of three words."""
    parts = text.lower().split()
    return {" ".join(parts[i : i + 3]) for i in range(max(1, len(parts) - 2))}


def slices(size: int) -> Cut:
    """The same, for runs of characters."""

    def cut(text: str) -> set[str]:
        text = text.lower()
        return {text[i : i + size] for i in range(max(1, len(text) - size + 1))}

    return cut


def main() -> None:
    """Megabytes of text a second of CPU time, and ratios."""
    bench = Bench(main.__doc__ or "")
    rounds, share = (2, 0.2) if bench.quick else (7, 1.0)
    for shingle, cut, corpus, size, goals in (
        ("word:1", words, "manuals-en.jsonl.gz", 12.0, (15.0, 8.0)),
        ("word:3", triples, "manuals-en.jsonl.gz", 12.0, (20.0, 12.0)),
        ("char:5", slices(5), "manuals-en.jsonl.gz", 4.0, (20.0, 12.0)),
        ("char:2", slices(2), "comments-zh.jsonl", 4.0, (20.0, 12.0)),
    ):
        documents = texts(size * share, corpus)
        tools = flags(documents, shingle, cut, peers=2 if shingle.startswith("word") else 1)
        total = megabytes(documents)
        language = "Chinese, " if corpus.startswith("comments") else ""
        bench.ratio(
            f"text to flags, {language}{shingle}",
            in_turn(tools, rounds),
            lambda seconds, total=total: f"{total / seconds:.1f} MB/s",
            goals,
        )


def flags(
    documents: list[str], shingle: str, cut: Cut, peers: int
) -> dict[str, Callable[[], object]]:
    """What each tool does with the documents."""
    column = pa.array(documents, pa.large_string())

    def ours() -> object:
        found = neardup.sketch(column, shingle=shingle, size=SIZE, seed=SEED, threads=1)
        return neardup.duplicate_flags(found, BANDS, num_threads=1)

    def with_rensa() -> object:
        rows = [list(cut(text)) for text in documents]
        matrix = rensa.RMinHash.digest_matrix_from_token_sets(rows, SIZE, SEED)
        index = rensa.RMinHashLSH(threshold=0.8, num_perm=SIZE, num_bands=BANDS)
        return index.query_duplicate_flags_matrix_one_shot(matrix)

    def with_fast() -> object:
        rows = [list(cut(text)) for text in documents]
        matrix = FastSketchLSH.FastSimilaritySketch(SIZE, SEED).batch(rows, num_threads=1)
        return FastSketchLSH.LSH(SIZE, BANDS).insert_and_query_duplicates(matrix)

    tools = {"ours": ours, "rensa": with_rensa, "FastSketchLSH": with_fast}
    return dict(list(tools.items())[: 1 + peers])


if __name__ == "__main__":
    main()
