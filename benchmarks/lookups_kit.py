"""What the measurements of lookups share: corpora, passages, the truth by counting, times."""

from __future__ import annotations

import gzip
import json
import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from neardup import ContainmentIndex

HERE = Path(__file__).parent
DATA = Path(os.environ.get("NEARDUP_DATA", HERE.parents[1] / "shared" / "data"))
RECORD = HERE / "record" / "lookups.json"
EN, ZH = "neardup-en-20k", "neardup-zh-10k"
OPTIONS = {EN: {}, ZH: {"shingle": "char:3", "normalize": "nfkc,casefold,remove-space"}}
THRESHOLD, SIMILAR = 0.8, 0.3


def corpus(name: str) -> list[str]:
    """The texts of a corpus."""
    with gzip.open(DATA / f"{name}.docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What it returns, and the best of three times in seconds."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return result, best


def passages(name: str, texts: list[str], count: int, low: int, high: int) -> list[str]:
    """Parts of texts, one word (or character) in 33 of them replaced."""
    random.seed(low)
    cut, glue, other = (list, "", "某") if name == ZH else (str.split, " ", "changed")
    long = [parts for parts in map(cut, texts) if len(parts) > high]
    made = []
    for _ in range(count):
        words, length = random.choice(long), random.randrange(low, high)
        start = random.randrange(len(words) - length)
        part = [other if random.random() < 0.03 else word for word in words[start : start + length]]
        made.append(glue.join(part))
    return made


class Sets:
    """The shingle sets of all texts, sorted by shingle: the truth by counting."""

    def __init__(self, texts: list[str], options: dict[str, str]) -> None:
        self.spec = ContainmentIndex(**options)._text
        sets = [self.spec.set(text) for text in texts]
        order = np.argsort(flat := np.concatenate(sets), kind="stable")
        self.values, self.count = flat[order], len(texts)
        self.owner = np.repeat(np.arange(len(texts)), [len(each) for each in sets])[order]

    def shared(self, asked: Any) -> Any:
        """How many of some shingles each text has."""
        ends = np.searchsorted(self.values, asked, "right")
        spans = zip(np.searchsorted(self.values, asked), ends, strict=True)
        own = [self.owner[a:b] for a, b in spans]
        return np.bincount(np.concatenate([*own, self.owner[:0]]), minlength=self.count)


def nearest(rows: Any, query: Any) -> Any:
    """The estimate for every row."""
    return (rows == query).mean(axis=1)


def hits(estimates: Any, answers: Sequence[tuple[int, float]], k: int, least: float) -> list[int]:
    """How many of the best k are answered, of how many; ties at the end are as good."""
    bound = max(np.partition(estimates, -k)[-k], least)
    wanted = min(int((estimates >= bound).sum()), k)
    return [sum(estimate >= bound for _, estimate in answers[:k]), wanted]
