"""Measures what is found against an exact join, on real corpora; `make accuracy` runs it.

    python benchmarks/accuracy.py [OUT.json]

Corpora are the files of $NEARDUP_DATA (../shared/data from the root unless set) and of
$NEARDUP_CORPORA; those that are not there are left out and named. Peers are run by $NEARDUP_PEERS,
a Python that has them (`accuracy_beside.py`). The record goes to `benchmarks/record/accuracy.json`,
of which `accuracy_page.py` makes docs/accuracy.md and its pictures.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from accuracy_beside import beside
from common import header

from neardup import _native, grid, reference
from neardup.api import execute
from neardup.config import Config
from neardup.io import open_inputs
from neardup.progress import Silent
from neardup.result import texts_of
from neardup.scores import components

HERE = Path(__file__).parent
DATA = Path(os.environ.get("NEARDUP_DATA", HERE.parent.parent / "shared" / "data"))
LARGE = os.environ.get("NEARDUP_CORPORA")
RECORD = HERE / "record" / "accuracy.json"

HAN = {"shingle": "char:3", "normalize": "nfkc,casefold,remove-space"}
SMALL: dict[str, dict[str, Any]] = {
    "neardup-en-20k.docs": {},
    "neardup-zh-10k.docs": HAN,
    "clang-docs-13-16": {},
    "scancode-rules-a": {},
    "tldr-revisions-a": {},
    "zh-law-articles-a": HAN,
    "bible-en-ot2k": {"shingle": "word:1"},
}
BESIDE_PEERS = ("neardup-en-20k.docs", "clang-docs-13-16", "scancode-rules-a", "tldr-revisions-a")
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
RECALLS = (0.9, 0.95, 0.99)
LARGE_RECALLS = (0.95,)
LARGEST = 400 << 20
"""Bytes of text from which a corpus gets a part of the grid."""
PARTS = (0.7, 0.8)
"""The thresholds of corpora that are parts of the largest one."""
AT = (0.8, 0.95)
"""Threshold and recall of the looks at verification, and of the peers."""
TWINS = 200
"""Listed pairs of each corpus that plain Python computes anew."""
BINS = 25
"""Bins of similarity from .5 to 1 of the picture."""


def main() -> None:
    """Measure, say what is being measured, and write the record."""
    began = time.perf_counter()
    record: dict[str, Any] = {"machine": header("numpy", "pyarrow"), "date": f"{date.today()}"}
    record["corpora"], record["left_out"], record["peers"] = [], [], []
    for name, path, options, thresholds, recalls in corpora(record["left_out"]):
        start = time.process_time()
        corpus = Corpus(name, path, options)
        row = corpus.measure(thresholds, recalls)
        row["seconds"] = round(time.process_time() - start, 1)
        record["corpora"].append(row)
        print(f"{name}: {row['documents']:,} documents, {row['seconds']} s of CPU", flush=True)
        if name in BESIDE_PEERS:
            record["peers"] += beside(corpus, *AT)
    record["seconds"] = round(time.perf_counter() - began)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    record["cpu_seconds"] = round(sum(each.ru_utime + each.ru_stime for each in used))
    record["load"] = round(os.getloadavg()[0], 1)
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else RECORD
    out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"{out.name}: {record['seconds']} s in all, {record['cpu_seconds']} s of CPU")


def corpora(
    left_out: list[str],
) -> Iterator[tuple[str, Path, dict[str, Any], Sequence[float], Sequence[float]]]:
    """What there is, the small ones first, each with its part of the grid."""
    for name, options in SMALL.items():
        path = DATA / f"{name}.jsonl.gz"
        if path.exists():
            yield name, path, options, THRESHOLDS, RECALLS
        else:
            left_out.append(name)
    if LARGE is None:
        left_out.append("the large corpora ($NEARDUP_CORPORA)")
        return
    for path in sorted(Path(LARGE).glob("*.jsonl.gz"), key=lambda path: path.stat().st_size):
        name = path.name.removesuffix(".jsonl.gz")
        whole = name.startswith("bench-")
        yield name, path, {}, THRESHOLDS if whole else PARTS, LARGE_RECALLS


class Corpus:
    """One corpus, read once, and the exact answer to be held to."""

    def __init__(self, name: str, path: Path, options: dict[str, Any]) -> None:
        self.name, self.options = name, options
        config = Config.from_options(options)
        self.sources = grid.held(config, open_inputs([str(path)]), None, Silent())

    def run(self, **options: Any) -> Any:
        """One answer."""
        config = Config.from_options({**self.options, **options})
        return execute(config, self.sources, Silent())[0]

    def measure(self, thresholds: Sequence[float], recalls: Sequence[float]) -> dict[str, Any]:
        """Everything that is measured of the corpus."""
        exact = self.exact = self.run(threshold=min(thresholds), exact_join=True)
        survey = exact.base.survey
        self.a, self.b = (side.astype(np.int64) for side in (exact.pairs.a, exact.pairs.b))
        self.jaccard = exact.pairs.similarity
        self.keys = keys(self.a, self.b)
        leader = np.flatnonzero(exact.base.leader == np.arange(len(survey)))
        row = {
            "name": self.name.removesuffix(".docs"),
            "documents": len(survey),
            "megabytes": round(int(survey.bytes.sum()) / 1e6, 1),
            "distinct": len(leader),
            "shingle": str(exact.base.plan.config.shingle),
            "cells": [],
            "curves": [],
        }
        for threshold in thresholds:
            for recall in recalls:
                found = self.run(threshold=threshold, recall=recall)
                row["cells"].append(self.cell(found, threshold, recall))
                if recall == AT[1]:
                    row["curves"].append(self.curve(found, threshold))
        row["twin"] = self.twin(exact)
        row["verification"] = self.verification(*AT)
        return row

    def cell(self, found: Any, threshold: float, recall: float) -> dict[str, Any]:
        """Recall and precision of one run, with what theory expects."""
        plan = found.base.plan.banding
        mine = self.jaccard >= threshold
        mine_keys, jaccard = self.keys[mine], self.jaccard[mine]
        listed = np.sort(keys(found.pairs.a, found.pairs.b))
        hit = inside(mine_keys, listed)
        chance = 1 - (1 - jaccard**plan.rows) ** plan.bands
        sides = np.stack([self.a[mine], self.b[mine]], axis=1)
        family = components(sides, len(found.base.survey))
        sizes = np.bincount(family)
        usual = sizes[family[sides[:, 0]]] <= 30
        keep = found.keep
        resolved = ~(keep[sides[:, 0]] & keep[sides[:, 1]])
        n = max(len(hit), 1)
        # Pairs of one family share signatures: their misses are not independent.
        within = np.bincount(family[sides[:, 0]], weights=hit - chance, minlength=1)
        variance = max(float((chance * (1 - chance)).sum()), float((within**2).sum()))
        return {
            "threshold": threshold,
            "recall": recall,
            "bands": plan.bands,
            "rows": plan.rows,
            "true": len(hit),
            "found": len(listed),
            "false": int((~inside(listed, np.sort(mine_keys))).sum()),
            "measured": float(hit.mean()) if len(hit) else None,
            "expected": float(chance.mean()) if len(hit) else None,
            "sigma": variance**0.5 / n,
            "usual_pairs": int(usual.sum()),
            "usual": float(hit[usual].mean()) if usual.any() else None,
            "resolved": float(resolved.mean()) if len(hit) else None,
            "candidates": len(found.base.candidates.a),
            "capped_pairs": int(found.base.candidates.capped_pairs),
        }

    def curve(self, found: Any, threshold: float) -> dict[str, Any]:
        """The share of pairs that became candidates, by similarity."""
        plan = found.base.plan.banding
        candidates = found.base.candidates
        hit = inside(self.keys, np.sort(keys(candidates.a, candidates.b)))
        place = np.minimum(((self.jaccard - 0.5) * 2 * BINS).astype(int), BINS - 1)
        chance = 1 - (1 - self.jaccard**plan.rows) ** plan.bands
        sums = [np.bincount(place, w, BINS) for w in (np.ones(len(hit)), hit, chance)]
        return {
            "threshold": threshold,
            "bands": plan.bands,
            "rows": plan.rows,
            **{k: v.tolist() for k, v in zip(("pairs", "hits", "expected"), sums, strict=True)},
        }

    def twin(self, exact: Any) -> dict[str, int]:
        """Listed pairs computed anew by plain Python sets of the readable twin's shingles."""
        rng = np.random.default_rng(1)
        some = rng.permutation(len(self.a))[:TWINS]
        texts = texts_of(exact, np.unique([self.a[some], self.b[some]]))
        config = exact.base.plan.config
        spec = {"normalize": ",".join(config.normalize), "shingle": str(config.shingle)}
        equal = 0
        for one, other, jaccard in zip(
            self.a[some].tolist(), self.b[some].tolist(), self.jaccard[some].tolist(), strict=True
        ):
            sets = [set(reference.shingles(texts[each], **spec)) for each in (one, other)]
            equal += reference.exact_jaccard(*sets) == jaccard
        return {"pairs": len(some), "equal": equal}

    def verification(self, threshold: float, recall: float) -> dict[str, Any]:
        """What would go without verification, with components, and with stars."""
        found = self.run(threshold=threshold, recall=recall)
        base, candidates = found.base, found.base.candidates
        row: dict[str, Any] = {
            "threshold": threshold,
            "candidates": len(candidates.a),
            "true": len(found.pairs.a),
        }
        with base.engine.gather(base.documents, base.survey, candidates) as sets:
            for name, a, b in (
                ("unverified components", candidates.a, candidates.b),
                ("verified components", found.pairs.a, found.pairs.b),
            ):
                partner, _ = _native.components(base.rank, a, b, np.ones(len(a)))
                row[name] = removals(partner, sets, threshold)
            partner, _ = _native.star(
                base.rank, found.pairs.a, found.pairs.b, found.pairs.similarity
            )
            row["verified stars"] = removals(partner, sets, threshold)
        return row


def removals(partner: Any, sets: Any, threshold: float) -> dict[str, int]:
    """Documents that go, those of them unlike the one that stays, and the largest cluster."""
    child = np.flatnonzero(partner != np.arange(len(partner))).astype(np.uint32)
    similarity = sets.join(child, partner[child], 0.0).similarity
    return {
        "removed": len(child),
        "below": int((similarity < threshold).sum()),
        "largest": int(np.bincount(partner).max(initial=0)),
    }


def keys(a: Any, b: Any) -> Any:
    """One number a pair."""
    return a.astype(np.int64) << 32 | b.astype(np.int64)


def inside(some: Any, those: Any) -> Any:
    """Which of some numbers are among those, which are sorted."""
    if not len(those):
        return np.zeros(len(some), bool)
    place = np.minimum(np.searchsorted(those, some), len(those) - 1)
    return those[place] == some


if __name__ == "__main__":
    main()
