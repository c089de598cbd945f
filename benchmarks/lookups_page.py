"""Writes docs/lookups.md from the record of `lookups.py`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "lookups.md"
RECORD = HERE / "record" / "lookups.json"

Record = dict[str, Any]

HEAD = """\
# Lookups, measured

Containment, the k most similar, multi-probe and Bloom streams on real texts, each against comparing
everything. What they are for is told in [Passages](guide/containment.md) and
[Other lookups](guide/probing.md). The figures are those of
[benchmarks/record/lookups.json](../benchmarks/record/lookups.json), by
`python benchmarks/lookups.py`; times are of one machine, shared with others.

`neardup-en-20k` is 20,000 English manual pages and made variants of some, 24.8 MB;
`neardup-zh-10k` is 10,000 Chinese laws and poems and variants, 3.2 MB, in runs of three characters.
"""

CONTAINMENT = """
## Which texts contain a passage

Passages of so many words (characters) were cut from texts, and one word in 33 replaced. True are
all texts with .8 of a passage's shingles, counted one by one. Each cell is the recall and, in
brackets, the candidates of a query: the texts it would have to compare. Those of the exact index
are its answers, with nothing left to compare.

"""

CONTAINMENT_NOTE = """
* *1 in n shingles* keeps a sample by hash (FracMinHash) and takes every text that shares one
  sampled shingle. It takes 1/n of the memory, misses passages that are short, and every candidate's
  text would have to be read again.
* *One slot of 128* takes every text of which any slot of the signature equals the passage's:
  bands of one row, the most that LSH Ensemble can find with such signatures. Stricter bands lose
  short passages: one of 30 shingles in a text of 600 has Jaccard similarity .05, and 64 bands of
  two rows find one such pair in seven.

So the index keeps every shingle: recall 1, the containment itself and not an estimate, at
{bytes:.1f} bytes a shingle, {factor:.1f} times the text for English. It took {en_insert:.2f} s to
make over the 24.8 MB.
"""

FOREST = """
## The k most similar

Recall of `Forest.query(k)` with the default number of candidates, against the estimates of every
row; 200 texts asked, their rows left out of the forest. *Similar* counts only rows with an estimate
of .3 or more among the best k. What is below is background: most of a corpus is about as far away.

"""

PROBES = """
## Multi-probe

Each index is chosen for a recall of .95 at .8. Measured on the {true:,} pairs of `neardup-en-20k`
with a Jaccard similarity from .8 to .85; candidates are all pairs found, whatever their similarity.

"""

PROBES_NOTE = """
Where most pairs are true, as here, all find nearly the same; what probes save is false candidates
of middling similarity, in the column *found at .5*. `"query"` does so with less memory than plain
bands, `"both"` with ten times as much. Signatures with runners-up take about three times as long to
make.
"""

BLOOM = """
## Bloom streams

Strangers flagged when a stream for 50,000 documents is full, of 200,000:

"""

BLOOM_NOTE = """
A flag is a candidate and not a verified duplicate: on real texts the bands themselves flag far more
than the filters do by mistake. Beside `dedup` at the same threshold, .8:

"""

PEER = """
## Beside datasketch {version}

The first {documents:,} texts of `neardup-en-20k`, one thread. Its sketching is not counted; for
passages ours begins with the text. The forests are asked for texts they hold; ours has 32 trees.

"""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def share(value: float) -> str:
    """A share in three digits, 1 only where it is."""
    return "1" if value == 1 else f"{min(value, 0.9995):.3f}".lstrip("0").replace("1.000", "> .999")


def containment(record: Record) -> str:
    """Recall and candidates of each way."""
    rows = []
    for each in record["containment"]:
        for row in each["rows"]:
            cells = [
                f"{share(row['recall'][way])} ({row['candidates'][way]:.0f})"
                for way in row["recall"]
            ]
            low, high = row["length"]
            time = f"{row['microseconds']:.0f} us"
            rows.append([each["corpus"], f"{low} - {high}", f"{row['true']:,}", *cells, time])
    ways = list(record["containment"][0]["rows"][0]["recall"])
    head = ["corpus", "length", "true", *ways, "exact, a query"]
    english = record["containment"][0]
    note = CONTAINMENT_NOTE.format(
        bytes=english["index_bytes"] / english["shingles"],
        factor=english["index_bytes"] / english["text_bytes"],
        en_insert=english["insert_seconds"],
    )
    return CONTAINMENT + table(head, rows) + note


def forest(record: Record) -> str:
    """Recall at k."""
    rows = [
        [
            str(row["trees"]),
            f"{row['bytes']:,.0f}",
            *(share(row[f"{name}@{k}"]) for name in ("all", "similar") for k in (1, 10, 100)),
            f"{row['microseconds@10']:.0f} us",
        ]
        for row in record["forest"]
    ]
    head = ["trees", "bytes a row", "k = 1", "k = 10", "k = 100"]
    head += ["similar, 1", "similar, 10", "similar, 100", "a query, k = 10"]
    return FOREST + table(head, rows)


def probes(record: Record) -> str:
    """Recall, candidates and memory."""
    rows = [
        [
            {"plain": "`LSH`"}.get(row["name"], f'`probes="{row["name"]}"`'),
            f"{row['bands']} x {row['rows']}",
            share(row["recall_stated"]),
            share(row["recall_measured"]),
            f"{row['candidates']:,}",
            share(row["at_half"]),
            f"{row['bytes']:,.0f}",
            f"{row['microseconds']:.0f} us",
        ]
        for row in record["probes"]
    ]
    head = ["index", "bands x rows", "recall stated", "measured", "candidates", "found at .5"]
    head += ["bytes a row", "a query"]
    text = PROBES.format(true=record["probes"][0]["true"])
    return text + table(head, rows) + PROBES_NOTE


def bloom(record: Record) -> str:
    """Rates, and flags beside verified removals."""
    rates = [
        [
            f"{row['asked']:g}",
            f"{row['measured']:.5f}",
            f"{row['sigmas']:+.1f}",
            f"{row['bytes']:.0f}",
        ]
        for row in record["bloom"]["rates"]
    ]
    flags = [
        [
            row["corpus"],
            f"{row['documents']:,}",
            f"{row['removed']:,}",
            f"{row['flagged']:,}",
            f"{row['flagged_and_kept']:,}",
            f"{row['missed']:,}",
            f"{row['bytes'] / 1e6:.1f} MB",
            f"{row['megabytes_per_second']:.0f} MB/s",
        ]
        for row in record["bloom"]["corpora"]
    ]
    head = ["corpus", "documents", "removed by dedup", "flagged", "flagged, kept by dedup"]
    head += ["removed, not flagged", "memory", "rate"]
    first = table(["rate asked for", "measured", "sigmas off", "bytes a document"], rates)
    return BLOOM + first + BLOOM_NOTE + table(head, flags)


def page(record: Record) -> str:
    """The page."""
    parts = [HEAD, containment(record), forest(record), probes(record), bloom(record)]
    if record["datasketch"]:
        parts.append(peer(record["datasketch"]))
    return "".join(parts)


def peer(found: Record) -> str:
    """Recall, and times as multiples of ours."""
    kinds = (
        ("MinHashLSHEnsemble, .8, 16 partitions", "ensemble"),
        ("MinHashLSHForest, 8 trees, k = 10", "forest"),
    )
    rows = []
    for name, kind in kinds:
        row = found[kind]
        recall = share(row["recall"])
        if kind == "forest":
            recall += f"; of similar rows {share(row['recall_similar'])}"
        rows.append([name, recall, f"{row['insert']:.0f}", f"{row['query']:.0f}"])
    head = ["datasketch", "recall", "times ours to insert", "times ours to query"]
    return PEER.format(**found) + table(head, rows)


if __name__ == "__main__":
    PAGE.write_text(page(json.loads(RECORD.read_text("utf-8"))), encoding="utf-8")
