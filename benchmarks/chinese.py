"""How many evasive copies of Chinese texts are found, by kind and spec; the tables of two pages.

Needs neardup-zh-10k (`$NEARDUP_DATA`, or ../shared/data). Writes record/chinese.json and prints
the tables that docs/guide/chinese.md and chinese.zh.md show; a test holds the pages to the record.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import neardup
from neardup._native import TextSpec, survey

HERE = Path(__file__).parent
RECORD = HERE / "record" / "chinese.json"
DATA = Path(os.environ.get("NEARDUP_DATA", HERE.parents[1] / "shared" / "data"))
TABLE = HERE.parent / "crates" / "core" / "data" / "TSCharacters.txt"

SENTENCES, SEED, SHARE = 1000, 7, 0.1
HAN = re.compile("[\u4e00-\u9fff]")
SYMBOLS = "★~+|^·*-.♥"
INVISIBLE = "\u200b\u200c\u2060\ufeff\u00ad"

CLEAN = "nfkc,casefold,strip-invisible,remove-space,remove-punct,remove-symbols"
SPECS: dict[str, dict[str, Any]] = {
    "default": {},
    "char:2": {"shingle": "char:2", "threshold": 0.6},
    "clean": {"shingle": "char:2", "threshold": 0.6, "normalize": CLEAN},
    "t2s": {"shingle": "char:2", "threshold": 0.6, "normalize": f"{CLEAN},t2s"},
    "pinyin": {"shingle": "char:4", "threshold": 0.6, "normalize": f"{CLEAN},t2s,pinyin"},
}
"""What is compared, from the defaults to everything."""

TITLES = {
    "en": {
        "none": "(originals)",
        "typo": "typing errors",
        "homophone": "homophones",
        "latin": "pinyin in letters",
        "symbol": "inserted symbols",
        "invisible": "zero-width characters",
        "width": "width",
        "traditional": "traditional characters",
        "all": "all of these",
    },
    "zh": {
        "none": "（原文）",
        "typo": "错字",
        "homophone": "谐音字",
        "latin": "拼音字母",
        "symbol": "插入符号",
        "invisible": "零宽字符",
        "width": "全角半角",
        "traditional": "繁体",
        "all": "以上全部",
    },
}
OPS = {
    "sub": ("characters replaced", "换字"),
    "del": ("characters left out", "漏字"),
    "ins": ("characters put in", "添字"),
    "swap": ("characters swapped", "换序"),
    "space": ("spaces", "空格"),
    "width": ("width", "全角半角"),
    "zerowidth": ("zero-width characters", "零宽字符"),
    "html": ("mark-up", "网页标记"),
}
"""Kinds of copy in the corpus that evade by writing, not by saying something else."""


def main() -> None:
    """Measure, write the record, print the tables."""
    rows = read("neardup-zh-10k.docs.jsonl.gz")
    record = {
        "version": neardup.__version__,
        "sentences": SENTENCES,
        "share": SHARE,
        "made": made([row["text"] for row in rows if row["src"].startswith("DLC")]),
        "corpus": corpus(rows),
        "cost": cost([row["text"] for row in rows]),
    }
    RECORD.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for language in TITLES:
        sys.stdout.write("\n".join(tables(record, language)) + "\n")


def read(name: str) -> list[dict[str, Any]]:
    """The rows of a corpus."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def sentences(texts: list[str]) -> list[str]:
    """Sentences of 20 to 60 Han characters, drawn from the texts, none like another."""
    parts = {part.strip() for text in texts for part in re.split("[。\n]", text)}
    fit = sorted(part for part in parts if 20 <= len(HAN.findall(part)) <= 60)
    random.Random(SEED).shuffle(fit)
    pool = fit[: 3 * SENTENCES]
    apart = neardup.dedup(pool, shingle="char:2", threshold=0.4, exact_join=True)
    return apart.kept[:SENTENCES]


def made(texts: list[str]) -> dict[str, dict[str, float]]:
    """By kind of evasion and spec: the share of copies found beside their originals.

    For `none`, the share of originals that would be removed beside one another.
    """
    originals = sentences(texts)
    pool = sorted({c for text in originals for c in HAN.findall(text)})
    found: dict[str, dict[str, float]] = {"none": {}}
    for name, spec in SPECS.items():
        alone = neardup.dedup(originals, exact_join=True, **spec)
        found["none"][name] = alone.summary["removed"] / len(originals)
    for kind, change in evasions(pool).items():
        rng = random.Random(kind)
        copies = [change(text, rng) for text in originals]
        found[kind] = {}
        for name, spec in SPECS.items():
            pairs = neardup.match(originals, copies, exact_join=True, **spec)
            same = sum(
                a == b
                for a, b in zip(pairs["row_a"].to_pylist(), pairs["row_b"].to_pylist(), strict=True)
            )
            found[kind][name] = same / len(originals)
    return found


def evasions(pool: list[str]) -> dict[str, Callable[[str, random.Random], str]]:
    """What each kind of evasion makes of a text."""
    pinyin = TextSpec("pinyin", "char:1", "xxh3").normalize
    alike: dict[str, list[str]] = {}
    for c in pool:
        alike.setdefault(pinyin(c), []).append(c)
    widen = {i: i + 0xFEE0 for i in range(0x21, 0x7F)}
    narrow = {i + 0xFEE0: i for i in range(0x21, 0x7F)}
    back: dict[int, str] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        if "\t" in line:
            traditional, simplified = line.split("\t")
            if simplified.split(" ")[0] != traditional:
                back.setdefault(ord(simplified[0]), traditional)

    def homophone(c: str, rng: random.Random) -> str:
        others = [other for other in alike.get(pinyin(c), [c]) if other != c]
        return rng.choice(others) if others else c

    def each(change: Callable[[str, random.Random], str]) -> Callable[[str, random.Random], str]:
        """Change one Han character in ten, and two at least."""

        def changed(text: str, rng: random.Random) -> str:
            places = [i for i, c in enumerate(text) if HAN.match(c)]
            chosen = set(rng.sample(places, max(2, round(SHARE * len(places)))))
            return "".join(change(c, rng) if i in chosen else c for i, c in enumerate(text))

        return changed

    found = {
        "typo": each(lambda c, rng: rng.choice(pool)),
        "homophone": each(homophone),
        "latin": each(lambda c, rng: pinyin(c)),
        "symbol": each(lambda c, rng: c + rng.choice(SYMBOLS)),
        "invisible": each(lambda c, rng: c + rng.choice(INVISIBLE)),
        "width": lambda text, rng: text.translate(widen | narrow),
        "traditional": lambda text, rng: text.translate(back),
    }

    def everything(text: str, rng: random.Random) -> str:
        for kind in ("homophone", "latin", "traditional", "symbol", "invisible", "width"):
            text = found[kind](text, rng)
        return text

    return {**found, "all": everything}


def corpus(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """By spec: precision on labels, recall over copies and their parents, by kind of copy."""
    number = {row["id"]: i for i, row in enumerate(rows)}
    parents: dict[str, list[tuple[int, int]]] = {op: [] for op in OPS}
    with gzip.open(DATA / "neardup-zh-10k.labels.tsv.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            name, _, op, parent, *_ = line.rstrip("\n").split("\t")
            op = op.partition(":")[0]
            if op in OPS and parent in number:
                parents[op].append((number[parent], number[name]))
    found: dict[str, dict[str, Any]] = {"copies": {op: len(pairs) for op, pairs in parents.items()}}
    for name, spec in SPECS.items():
        result = neardup.dedup([row["text"] for row in rows], exact_join=True, **spec)
        leader = {
            row["row"]: row["kept_row"]
            for row in result.removed.to_pylist()
            if row["reason"] == "exact"
        }
        of = [leader.get(i, i) for i in range(len(rows))]
        a, b = (result.pairs[f"row_{side}"].to_pylist() for side in "ab")
        pairs = {tuple(sorted((of[x], of[y]))) for x, y in zip(a, b, strict=True)}
        true = sum(rows[x]["cluster"] == rows[y]["cluster"] for x, y in pairs)
        recall = {
            op: sum(of[x] == of[y] or tuple(sorted((of[x], of[y]))) in pairs for x, y in both)
            / len(both)
            for op, both in parents.items()
        }
        found[name] = {
            "removed": result.summary["removed"],
            "precision": true / len(pairs),
            "recall": recall,
        }
    return found


COSTS = {"t2s": "char:3", "pinyin": "char:4", "t2s,pinyin": "char:4"}
"""Steps, and the shingle under which each is timed."""


def cost(texts: list[str], rounds: int = 15) -> dict[str, float]:
    """Processor time of pass one with a step, over that without it; best of some rounds."""
    from time import process_time

    specs = {}
    for steps, shingle in COSTS.items():
        for name, extra in ((steps, f",{steps}"), (f"without {steps}", "")):
            specs[name] = TextSpec(f"nfkc,casefold{extra},collapse-space", shingle, "xxh3")
    best = dict.fromkeys(specs, float("inf"))
    for _ in range(rounds):
        for name, spec in specs.items():
            began = process_time()
            survey(texts, None, spec, None, 0, 0, 1)
            best[name] = min(best[name], process_time() - began)
    return {steps: best[steps] / best[f"without {steps}"] for steps in COSTS}


def tables(record: dict[str, Any], language: str) -> list[str]:
    """The three tables of a page."""
    titles, column = TITLES[language], int(language == "zh")
    head = {"en": ("evasion", "copies of the corpus"), "zh": ("手法", "语料中的改写")}[language]
    names = [f"`{name}`" if name != "default" else ("defaults", "默认")[column] for name in SPECS]
    lines = [f"| {head[0]} | {' | '.join(names)} |", "|---|" + "---:|" * len(SPECS)]
    for kind, shares in record["made"].items():
        lines.append(f"| {titles[kind]} | {' | '.join(f'{shares[name]:.1%}' for name in SPECS)} |")
    first = "\n".join(lines)
    lines = [f"| {head[1]} | {' | '.join(names)} |", "|---|" + "---:|" * len(SPECS)]
    measured = record["corpus"]
    for op, words in OPS.items():
        cells = " | ".join(f"{measured[name]['recall'][op]:.1%}" for name in SPECS)
        lines.append(f"| {words[column]} ({measured['copies'][op]}) | {cells} |")
    cells = " | ".join(f"{measured[name]['precision']:.1%}" for name in SPECS)
    lines.append(f"| {('precision of pairs', '配对的准确率')[column]} | {cells} |")
    second = "\n".join(lines)
    head = {"en": ("step", "times"), "zh": ("步骤", "倍数")}[language]
    lines = [f"| {head[0]} | {head[1]} |", "|---|---:|"]
    lines += [f"| `{steps}` | {times:.1f} |" for steps, times in record["cost"].items()]
    return [first, second, "\n".join(lines)]


if __name__ == "__main__":
    main()
