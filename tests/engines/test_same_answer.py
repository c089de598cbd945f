"""One table of corpora, one answer: whatever the engine, threads, blocks, format or order."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import Answer, families, read_answer, tree, write_jsonl
from neardup import dedup
from neardup.io import arrow, codecs, parquet

ENGINES = ["memory"]
"""A new engine is a name here."""

KEEPS = ["first", "last", "longest", "shortest"]
ORDER_FREE = ["longest", "shortest"]


@dataclass(frozen=True)
class Corpus:
    """Texts, and the options under which they are interesting."""

    texts: list[str]
    options: dict[str, Any] = field(default_factory=dict)


def restyled(texts: list[str]) -> list[str]:
    """Some texts again in capitals and with wider spaces: other bytes, the same normalised text."""
    rng = random.Random(7)
    more = [text.upper().replace(" ", "  ", 3) for text in texts if rng.random() < 0.2]
    more += [text.title() for text in texts if rng.random() < 0.1]
    both = texts + more
    rng.shuffle(both)
    return both


def han(count: int) -> list[str]:
    """Made Chinese sentences, some of them edited copies."""
    rng = random.Random(3)
    made: list[str] = []
    while len(made) < count:
        text = [chr(rng.randrange(0x4E00, 0x5200)) for _ in range(rng.randint(8, 50))]
        made.append("".join(text))
        if rng.random() < 0.5:
            text[rng.randrange(len(text))] = "某"
            made.append("".join(text))
    rng.shuffle(made)
    return made[:count]


def template(count: int) -> list[str]:
    """One form filled in many times."""
    rng = random.Random(4)
    words = [f"t{i}" for i in range(60)]
    return [" ".join([*words[:30], f"c{rng.randrange(count)}", *words[30:]]) for _ in range(count)]


ODD = [
    "",
    " ",
    "",
    "!",
    "!?",
    "\t",
    "a",
    "A",
    "a",
    "b a",
    "a b",
    "b  A",
    "\u00e9",
    "e\u0301",
    "x" * 9,
]

CORPORA = {
    "families": Corpus(restyled(families(11, 500))),
    "low threshold": Corpus(
        restyled(families(12, 300)), {"threshold": 0.3, "bands": 64, "rows": 1}
    ),
    "one word": Corpus(families(13, 300, 12, 60), {"shingle": "word:1", "threshold": 0.5}),
    "components": Corpus(restyled(families(14, 300)), {"cluster": "components", "threshold": 0.5}),
    "exact only": Corpus(restyled(families(15, 300)), {"exact_only": True}),
    "capped": Corpus(template(400), {"bucket_cap": 100}),
    "capped hard": Corpus(template(300), {"bucket_cap": 1, "cluster": "components"}),
    "guarded": Corpus(restyled(families(16, 300)), {"guard": "numbers"}),
    "sketch": Corpus(restyled(families(17, 300)), {"verify": "sketch", "size": 64}),
    "second stage": Corpus(
        restyled(families(17, 300)), {"verify": "levenshtein:0.95", "threshold": 0.5}
    ),
    "unverified": Corpus(restyled(families(18, 300)), {"verify": "none"}),
    "han": Corpus(han(400)),
    "odd": Corpus(ODD * 3 + families(19, 40)),
    "equal": Corpus(["the same text in every row"] * 500),
    "distinct": Corpus(
        [f"text {i} is not text {i * 7 + 1}" for i in range(300)], {"threshold": 0.9}
    ),
    "one row": Corpus(["one row"]),
    "no row": Corpus([]),
}

everywhere = pytest.mark.parametrize("engine", ENGINES)
every_corpus = pytest.mark.parametrize("name", CORPORA)


def run(data: Any, corpus: Corpus, engine: str, **more: Any) -> Any:
    return dedup(data, engine=engine, **{**corpus.options, **more})


def told(r: Any) -> dict[str, Any]:
    """All that an answer says, without names of files and what the clock says."""
    tables = {
        name: [
            {key: value for key, value in row.items() if "source" not in key}
            for row in getattr(r, name).to_pylist()
        ]
        for name in ("removed", "pairs", "clusters")
    }
    unsaid = {"seconds", "megabytes_per_second", "peak_rss_bytes", "sources", "engine"}
    counts = {key: value for key, value in r.summary.items() if key not in unsaid}
    return {"keep": r.keep.tolist(), **tables, "summary": counts}


@everywhere
@every_corpus
def test_threads_and_blocks_change_no_byte(
    name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = CORPORA[name]
    path = write_jsonl(tmp_path / "in.jsonl", corpus.texts)
    run(path, corpus, "memory", id="id", out=tmp_path / "first")
    expected = tree(tmp_path / "first")
    ways = [(threads, None) for threads in (1, 2, 8)] + [(2, 1), (1, 300), (8, 5000), (2, 1 << 30)]
    for threads, block in ways:
        if block is not None:
            monkeypatch.setitem(codecs.line_blocks.__kwdefaults__, "size", min(block, 1 << 26))
        out = tmp_path / f"{threads}-{block}"
        run(path, corpus, engine, id="id", threads=threads, out=out)
        assert tree(out) == expected, (threads, block)


def forms(texts: list[str], folder: Path) -> Iterator[tuple[str, Any]]:
    """The same rows in every form they may have."""
    yield "list", texts
    yield "iterator", iter(texts)
    yield "array", pa.array(texts, pa.string())
    table = pa.table(
        {"text": pa.array(texts, pa.large_string()), "id": pa.array(range(len(texts)))}
    )
    yield "table", table
    yield "chunks", pa.concat_tables([table[:7], table[7:8], table[8:]])
    yield "view", pa.table({"text": pa.array(texts, pa.string_view())})
    yield "dictionary", pa.table({"text": pa.array(texts, pa.string()).dictionary_encode()})
    yield "stream", pa.RecordBatchReader.from_batches(table.schema, table.to_batches(50))
    for suffix in ("", ".gz", ".zst"):
        path = write_jsonl(folder / "in.jsonl", texts)
        if suffix:
            compressed = folder / f"in.jsonl{suffix}"
            with (
                compressed.open("wb") as file,
                codecs.open_write(file, codecs.split_suffix(str(compressed))[1]) as out,
            ):
                out.write(path.read_bytes())
            path = compressed
        yield f"jsonl{suffix}", path
    pq.write_table(table, folder / "in.parquet", row_group_size=97)
    yield "parquet", folder / "in.parquet"
    (folder / "in.json").write_text(json.dumps([{"text": text} for text in texts]))
    yield "json", folder / "in.json"
    with (folder / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["text", "n"], *([text, "1"] for text in texts)])
    yield "csv", folder / "in.csv"


@everywhere
@every_corpus
@pytest.mark.parametrize("small", [False, True], ids=["", "small blocks"])
def test_every_form_gives_the_same_answer(
    name: str, engine: str, small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = CORPORA[name]
    expected = told(run(corpus.texts, corpus, "memory"))
    if small:
        monkeypatch.setitem(codecs.line_blocks.__kwdefaults__, "size", 200)
        monkeypatch.setattr(parquet, "_BATCH_ROWS", 13)
        monkeypatch.setattr(arrow, "_LIST_ROWS", 11)
    for form, data in forms(corpus.texts, tmp_path):
        assert told(run(data, corpus, engine)) == expected, form


@everywhere
@every_corpus
@pytest.mark.parametrize("keep", ORDER_FREE)
def test_order_changes_no_kept_text(name: str, engine: str, keep: str) -> None:
    corpus = CORPORA[name]
    texts = list(corpus.texts)
    expected = Counter(run(texts, corpus, engine, keep=keep).kept)
    for seed in range(4):
        random.Random(seed).shuffle(texts)
        assert Counter(run(texts, corpus, engine, keep=keep).kept) == expected


TOKEN = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+")


def plain(text: str) -> str:
    """The normalised text of corpora without odd characters."""
    import unicodedata

    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def shingles(text: str, size: int) -> frozenset[tuple[str, ...]]:
    tokens = TOKEN.findall(plain(text))
    return frozenset(
        tuple(tokens[i : i + size]) for i in range(max(1, len(tokens) - size + 1)) if tokens
    )


def similarity(one: str, other: str, size: int) -> float:
    a, b = shingles(one, size), shingles(other, size)
    return len(a & b) / len(a | b) if a | b else 0.0


Place = tuple[str, int]


@dataclass
class Judge:
    """Holds an answer to the guarantees, with a similarity of its own."""

    answer: Answer
    texts: dict[Place, str]
    options: dict[str, Any]

    def __post_init__(self) -> None:
        self.threshold = self.options.get("threshold", 0.8)
        self.size = int(self.options.get("shingle", "word:3").split(":")[1])
        self.verified = self.options.get("verify", "exact") not in ("sketch", "none")
        self.star = self.options.get("cluster", "star") == "star"
        self.removed = {(r["source"], r["row"]): r for r in self.answer.removed}
        self.groups: dict[Any, list[Place]] = {}
        for place, text in self.texts.items():  # in order of inputs, then rows
            key = plain(text) if TOKEN.search(plain(text)) else text.encode()
            self.groups.setdefault(key, []).append(place)
        self.group = {place: group for group in self.groups.values() for place in group}
        keep = self.options.get("keep", "first")
        place_of = {place: i for i, place in enumerate(self.texts)}
        length = {place: len(text.encode()) for place, text in self.texts.items()}
        self.order = {
            "first": lambda p: place_of[p],
            "last": lambda p: -place_of[p],
            "longest": lambda p: -length[p],
            "shortest": lambda p: length[p],
        }[keep]
        self.leaders = {min(group, key=self.order) for group in self.groups.values()}

    def partner(self, row: dict[str, Any]) -> Place:
        return row["kept_source"], row["kept_row"]

    def between(self, a: Place, b: Place) -> float:
        return similarity(self.texts[a], self.texts[b], self.size)

    def counts(self) -> None:
        s = self.answer.summary
        assert s["documents"] == len(self.texts) == s["kept"] + s["removed"] + s["rejected"]
        assert s["removed"] == s["exact_duplicates"] + s["near_duplicates"] == len(self.removed)
        assert s["pairs"] == len(self.answer.pairs)
        for source, part in s["sources"].items():
            gone = sum(place[0] == source for place in self.removed)
            assert part["documents"] == sum(place[0] == source for place in self.texts)
            assert (part["removed"], part["kept"]) == (gone, part["documents"] - gone)
        assert s["exact_duplicates"] == sum(r["reason"] == "exact" for r in self.answer.removed)

    def removals(self) -> None:
        for place, row in self.removed.items():
            partner = self.partner(row)
            assert partner not in self.removed
            leader = next(
                p for p in self.group[place] if p in self.leaders or p not in self.removed
            )
            if row["reason"] == "exact":
                assert partner in self.group[place]
                assert row["similarity"] == 1.0
                continue
            assert partner not in self.group[place]
            if self.verified:
                assert row["similarity"] == self.between(place, partner)
                assert not self.star or row["similarity"] >= self.threshold
            if leader in self.removed and self.order(leader) <= self.order(place):
                led = self.removed[leader]
                assert (self.partner(led), led["similarity"]) == (partner, row["similarity"])

    def pairs(self) -> None:
        seen = [
            ((p["source_a"], p["row_a"]), (p["source_b"], p["row_b"])) for p in self.answer.pairs
        ]
        assert seen == sorted(set(seen))
        assert all(a < b for a, b in seen)
        copies: Counter[Place] = Counter()
        for (a, b), pair in zip(seen, self.answer.pairs, strict=True):
            if self.group[a] is self.group[b]:
                assert pair["similarity"] == 1.0
                first, second = sorted((a, b), key=self.order)
                copies[second] += 1
                if self.order(first) != self.order(second):
                    assert self.order(first) == min(map(self.order, self.group[a]))
                continue
            if self.verified:
                assert pair["similarity"] == self.between(a, b) >= self.threshold
        assert len(seen) - sum(copies.values()) <= self.answer.summary["candidates"]
        assert sum(copies.values()) == sum(len(group) - 1 for group in self.groups.values())

    def clusters(self) -> None:
        rows = self.answer.clusters
        places = [(row["source"], row["row"]) for row in rows]
        assert places == sorted(set(places))
        heads = [p for p, row in zip(places, rows, strict=True) if row["representative"]]
        numbers = [row["cluster"] for row in rows if row["representative"]]
        assert numbers == list(range(len(numbers)))
        assert set(heads) == {self.partner(row) for row in self.removed.values()}
        assert set(places) - set(heads) == set(self.removed)
        number = dict(zip(places, (row["cluster"] for row in rows), strict=True))
        for place, row in self.removed.items():
            assert number[place] == number[self.partner(row)]
        sizes = Counter(number.values())
        assert self.answer.summary["clusters"] == len(sizes)
        assert self.answer.summary["largest_cluster"] == max(sizes.values(), default=0)

    def star_is_maximal(self) -> None:
        """No two kept leaders are a verified pair: the later of them would have gone."""
        for pair in self.answer.pairs:
            ends = {(pair["source_a"], pair["row_a"]), (pair["source_b"], pair["row_b"])}
            assert ends & set(self.removed)


@everywhere
@every_corpus
@pytest.mark.parametrize("keep", KEEPS)
def test_guarantees_over_two_inputs_named_out_of_order(
    name: str, engine: str, keep: str, tmp_path: Path
) -> None:
    corpus = CORPORA[name]
    middle = len(corpus.texts) // 3
    halves = {"z.jsonl": corpus.texts[:middle], "a.jsonl": corpus.texts[middle:]}
    paths = [write_jsonl(tmp_path / name, texts) for name, texts in halves.items()]
    run(paths, corpus, engine, keep=keep, id="id", out=tmp_path / "out")
    tables = read_answer(tmp_path / "out", 0)
    texts = {
        (str(path), row): text
        for path, rows in zip(paths, halves.values(), strict=True)
        for row, text in enumerate(rows)
    }
    judge = Judge(tables, texts, {**corpus.options, "keep": keep})
    judge.counts()
    judge.removals()
    judge.pairs()
    judge.clusters()
    judge.star_is_maximal()
    for path in paths:
        lines = path.read_bytes().splitlines(keepends=True)
        stay = [line for row, line in enumerate(lines) if (str(path), row) not in judge.removed]
        assert (tmp_path / "out" / "kept" / path.name).read_bytes() == b"".join(stay)
    for row in tables.removed:
        assert (row["id"], row["kept_id"]) == (f"r{row['row']}", f"r{row['kept_row']}")


@everywhere
def test_a_copy_of_a_removed_leader_goes_the_same_way(engine: str) -> None:
    words = [f"w{i}" for i in range(40)]
    first, edited = " ".join(words), " ".join([*words[:-1], "other"])
    r = dedup([first, edited, edited.upper(), f" {edited} ", first], engine=engine)
    told = [(row["row"], row["kept_row"], row["reason"]) for row in r.removed.to_pylist()]
    assert told == [(1, 0, "near"), (2, 0, "near"), (3, 0, "near"), (4, 0, "exact")]
    near = similarity(first, edited, 3)
    assert r.removed["similarity"].to_pylist() == [near, near, near, 1.0]
    listed = [(row["row_a"], row["row_b"], row["similarity"]) for row in r.pairs.to_pylist()]
    assert listed == [(0, 1, near), (0, 4, 1.0), (1, 2, 1.0), (1, 3, 1.0)]


@everywhere
@pytest.mark.parametrize("name", [n for n, c in CORPORA.items() if "bucket_cap" not in c.options])
def test_the_answer_of_an_answer_is_itself(name: str, engine: str) -> None:
    corpus = CORPORA[name]
    kept = run(corpus.texts, corpus, engine).kept
    assert run(kept, corpus, engine).summary["removed"] == 0
