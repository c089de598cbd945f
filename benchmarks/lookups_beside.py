"""The forest and the LSH Ensemble of datasketch beside ours, on the same texts and queries."""

from __future__ import annotations

import importlib.util
import time
from typing import Any

import numpy as np
from lookups_kit import EN, SIMILAR, THRESHOLD, Sets, corpus, hits, nearest, passages, timed

from neardup import ContainmentIndex, Forest, sketch

PEER_DOCUMENTS = 4000


def peer() -> dict[str, Any] | None:
    """Recall, candidates, times as multiples of ours; None where datasketch is not installed."""
    if importlib.util.find_spec("datasketch") is None:
        return None
    from datasketch import MinHash, MinHashLSHEnsemble, MinHashLSHForest, __version__

    texts = corpus(EN)[:PEER_DOCUMENTS]
    sets = Sets(texts, {})
    shingles = [sets.spec.set(text) for text in texts]

    def minhash(values: Any) -> Any:
        made = MinHash(128, hashfunc=lambda value: int(value) & 0xFFFFFFFF)
        made.update_batch(values.tolist())
        return made

    hashed = [minhash(each) for each in shingles]
    asked = passages(EN, texts, 60, 30, 200)
    ensemble = MinHashLSHEnsemble(threshold=THRESHOLD, num_perm=128, num_part=16)
    start = time.perf_counter()
    entries = zip(range(len(texts)), hashed, map(len, shingles), strict=True)
    ensemble.index(each for each in entries if each[2])
    inserted = time.perf_counter() - start
    found = total = candidates = 0
    queries = [sets.spec.set(passage) for passage in asked]
    made = [minhash(query) for query in queries]
    start = time.perf_counter()
    answers = [set(ensemble.query(m, len(q))) for m, q in zip(made, queries, strict=True)]
    took = time.perf_counter() - start
    for query, answer in zip(queries, answers, strict=True):
        true = set(np.flatnonzero(sets.shared(query) / len(query) >= THRESHOLD).tolist())
        found, total, candidates = (
            found + len(true & answer), total + len(true), candidates + len(answer)
        )  # fmt: skip
    own, own_insert = timed(lambda: ContainmentIndex(texts, threads=1))
    _, own_took = timed(lambda: [own.query(passage, THRESHOLD) for passage in asked])
    trees = MinHashLSHForest(num_perm=128, l=8)
    start = time.perf_counter()
    for i, each in enumerate(hashed):
        trees.add(i, each)
    trees.index()
    forest_insert = time.perf_counter() - start
    digests = np.array([each.hashvalues for each in hashed])
    chosen = range(0, len(texts), 40)
    start = time.perf_counter()
    best = [trees.query(hashed[i], 10) for i in chosen]
    forest_took = time.perf_counter() - start
    rows = []
    for i, ids in zip(chosen, best, strict=True):
        estimates = nearest(digests, digests[i])
        answer = [(j, estimates[j]) for j in ids]
        rows.append([*hits(estimates, answer, 10, 1 / 256), *hits(estimates, answer, 10, SIMILAR)])
    totals = np.array(rows).sum(axis=0)
    signatures = sketch(texts)
    mine = Forest(num_threads=1)
    _, own_forest_insert = timed(lambda: Forest(num_threads=1).insert(signatures))
    mine.insert(signatures)
    queries_mine = signatures.matrix[list(chosen)]
    _, own_forest_took = timed(lambda: [mine.query(query, 10) for query in queries_mine])
    return {
        "version": __version__,
        "documents": len(texts),
        "ensemble": {
            "recall": found / total,
            "candidates": candidates / len(asked),
            "insert": inserted / own_insert,
            "query": took / own_took,
        },
        "forest": {
            "recall": totals[0] / totals[1],
            "recall_similar": totals[2] / totals[3],
            "insert": forest_insert / own_forest_insert,
            "query": forest_took / own_forest_took,
        },
    }
