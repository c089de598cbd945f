"""Measures recall and cost of the lookups on real corpora; writes record/lookups.json.

``python benchmarks/lookups.py && python benchmarks/lookups_page.py``, a minute. Corpora are found
by $NEARDUP_DATA; datasketch is measured too where it is installed.
"""

from __future__ import annotations

import gzip
import json
from typing import Any

import lookups_beside
import numpy as np
from lookups_kit import (
    DATA,
    EN,
    OPTIONS,
    RECORD,
    SIMILAR,
    THRESHOLD,
    ZH,
    Sets,
    corpus,
    hits,
    nearest,
    passages,
    timed,
)

import neardup
from neardup import BloomStream, ContainmentIndex, Forest, MultiProbeLSH, _native, sketch

LENGTHS = ((30, 60), (60, 120), (120, 200))
SAMPLES = {"1 in 4 shingles": 4, "1 in 8": 8, "1 in 16": 16}
"""Samples of the shingles by their hash (FracMinHash): a candidate shares one sampled shingle."""


def containment(name: str) -> dict[str, Any]:
    """Recall and candidates of each way to find the texts that contain a passage."""
    texts, options = corpus(name), OPTIONS[name]
    sets, signatures = Sets(texts, options), sketch(texts, size=128, **options).matrix
    index, seconds = timed(lambda: ContainmentIndex(texts, **options))
    rows = []
    for low, high in LENGTHS[: 3 if name == EN else 2]:
        asked = passages(name, texts, 150, low, high)
        found, took = timed(lambda asked=asked: index.query(asked, THRESHOLD))
        tally = {way: [0, 0] for way in ("exact", *SAMPLES, "one slot of 128")}
        total = 0
        made = sketch(asked, size=128, **options).matrix
        for passage, answers, signature in zip(asked, found, made, strict=True):
            shingles = sets.spec.set(passage)
            true = set(np.flatnonzero(sets.shared(shingles) / len(shingles) >= THRESHOLD).tolist())
            total += len(true)
            ways = {"exact": {i for i, _ in answers}}
            for way, share in SAMPLES.items():
                ways[way] = set(np.flatnonzero(sets.shared(sampled(shingles, share))).tolist())
            one = np.flatnonzero((signatures == signature).any(axis=1))
            ways["one slot of 128"] = set(one.tolist())
            for way, candidates in ways.items():
                tally[way][0] += len(true & candidates)
                tally[way][1] += len(candidates)
        rows.append(
            {
                "length": [low, high],
                "true": total,
                "microseconds": took / len(asked) * 1e6,
                "recall": {way: hits / total for way, (hits, _) in tally.items()},
                "candidates": {way: each / len(asked) for way, (_, each) in tally.items()},
            }
        )
    size = sum(len(text.encode()) for text in texts)
    return {
        "corpus": name,
        "documents": len(texts),
        "text_bytes": size,
        "index_bytes": index.nbytes,
        "shingles": index._native.shingles,
        "insert_seconds": seconds,
        "rows": rows,
    }


def sampled(shingles: Any, share: int) -> Any:
    """The shingles whose mixed hash is in the sample."""
    mixed = (shingles ^ (shingles >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    return shingles[(mixed >> np.uint64(32)) % np.uint64(share) == 0]


def forest() -> list[dict[str, Any]]:
    """Recall at k of forests of several sizes against comparing every signature."""
    made = sketch(corpus(EN)).matrix
    asked = np.arange(0, len(made), 100)
    rest = np.delete(made, asked, axis=0)
    estimates = [nearest(rest, query) for query in made[asked]]
    rows = []
    for trees in (8, 16, 32, 64, 128):
        index = Forest(trees, num_threads=1)
        index.insert(rest)
        row: dict[str, Any] = {"trees": trees, "bytes": index.nbytes / len(rest)}
        for k in (1, 10, 100):
            answers, took = timed(lambda index=index, k=k: index.query(made[asked], k))
            row[f"microseconds@{k}"] = took / len(asked) * 1e6
            for name, least in (("all", 1 / 256), ("similar", SIMILAR)):
                each = zip(estimates, answers, strict=True)
                pairs = np.array([hits(e, a, k, least) for e, a in each])
                row[f"{name}@{k}"] = pairs[:, 0].sum() / pairs[:, 1].sum()
        rows.append(row)
    return rows


def probes() -> list[dict[str, Any]]:
    """Candidates, recall and memory of plain bands and of probes, each for .95 at .8."""
    texts = corpus(EN)
    made = sketch(texts, runners_up=True)
    with gzip.open(DATA / f"{EN}.pairs.tsv.gz", "rt", encoding="utf-8") as table:
        names = next(table).lstrip("# ").split()
        cells = [line.split() for line in table]
    with gzip.open(DATA / f"{EN}.docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        number = {json.loads(line)["id"]: i for i, line in enumerate(lines)}
    at = names.index("j_w3")
    true = [(number[cell[0]], number[cell[1]]) for cell in cells if 0.8 <= float(cell[at]) < 0.85]
    plain = neardup.explain(0.8)
    indexes: dict[str, Any] = {
        "plain": neardup.LSH(128, plain.bands, plain.rows),
        "query": MultiProbeLSH(0.8),
        "both": MultiProbeLSH(0.8, probes="both"),
    }
    rows = []
    for name, index in indexes.items():
        plan = plain if name == "plain" else index.plan
        index.insert(made)
        found, took = timed(lambda index=index: index.query(made, format="csr"))
        owner = np.repeat(np.arange(len(texts)), np.diff(found[1]))
        pairs = set(zip(owner.tolist(), found[0].tolist(), strict=True))
        rows.append(
            {
                "name": name,
                "bands": plan.bands,
                "rows": plan.rows,
                "recall_stated": plan.recall,
                "recall_measured": sum(pair in pairs for pair in true) / len(true),
                "true": len(true),
                "candidates": (len(pairs) - len(texts)) // 2,
                "at_half": plan.curve(0.5),
                "bytes": index.nbytes / len(texts),
                "microseconds": took / len(texts) * 1e6,
            }
        )
    return rows


def bloom() -> dict[str, Any]:
    """False positives at capacity beside the rate asked for; flags of a corpus beside dedup."""
    rng, rows = np.random.default_rng(1), []
    for rate in (0.1, 0.01, 0.001):
        capacity, trials = 50_000, 200_000
        stream = BloomStream(capacity, rate)
        stream.add(rng.integers(0, 2**32 - 1, (capacity, 128), np.uint32))
        flags = stream.check(rng.integers(0, 2**32 - 1, (trials, 128), np.uint32))
        sigma = (rate * (1 - rate) / trials) ** 0.5
        rows.append(
            {
                "asked": rate,
                "measured": flags.mean(),
                "sigmas": (flags.mean() - rate) / sigma,
                "bytes": stream.nbytes / capacity,
            }
        )
    flagged = []
    for name in (EN, ZH):
        texts = corpus(name)
        stream = BloomStream(len(texts), **OPTIONS[name])
        flags, took = timed(
            lambda t=texts, n=name: BloomStream(len(t), **OPTIONS[n]).check_and_add(t)
        )
        removed = ~neardup.dedup(texts, **OPTIONS[name]).keep
        flagged.append(
            {
                "corpus": name,
                "documents": len(texts),
                "flagged": int(flags.sum()),
                "removed": int(removed.sum()),
                "flagged_and_kept": int((flags & ~removed).sum()),
                "missed": int((removed & ~flags).sum()),
                "bytes": stream.nbytes,
                "megabytes_per_second": sum(len(t.encode()) for t in texts) / 1e6 / took,
            }
        )
    return {"rates": rows, "corpora": flagged}


def main() -> None:
    """Measure everything."""
    record = {
        "version": _native.__version__,
        "containment": [containment(EN), containment(ZH)],
        "forest": forest(),
        "probes": probes(),
        "bloom": bloom(),
        "datasketch": lookups_beside.peer(),
    }
    text = json.dumps(record, indent=1, default=float)
    RECORD.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
