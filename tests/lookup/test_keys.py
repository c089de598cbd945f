"""`LSH` with keys: a dict of signatures is the model; kinds of keys, files, merges, bands by recall."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from neardup import (
    LSH,
    DataError,
    NeardupTypeError,
    NeardupValueError,
    ShardedLSH,
    explain,
    sketch,
)

EMPTY = 0xFFFFFFFF
BANDS, ROWS, SIZE = 3, 2, 6
KEYS = st.one_of(
    st.integers(-3, 3), st.sampled_from("abc"), st.sampled_from([b"a", b"b"]), st.just(2**63)
)
ROWS_OF = st.lists(
    st.tuples(KEYS, st.lists(st.integers(0, 2), min_size=SIZE, max_size=SIZE)), max_size=5
)


def alike(a: list[int], b: list[int]) -> bool:
    """Whether two signatures share a band, by the definition."""
    cut = [slice(i * ROWS, (i + 1) * ROWS) for i in range(BANDS)]
    return any(a[band] == b[band] for band in cut)


def typed(answers: list) -> list:
    """1 and True, "a" and b"a" apart."""
    return [(type(key), key) for key in answers]


class Machine(RuleBasedStateMachine):
    """One index, and one in shards, beside a dict in order of insertion."""

    @initialize()
    def begin(self) -> None:
        self.model: dict = {}
        self.index = LSH(SIZE, BANDS, ROWS, num_threads=1)
        self.sharded = ShardedLSH(3, num_perm=SIZE, num_bands=BANDS, rows=ROWS, num_threads=1)

    @rule(rows=ROWS_OF, replace=st.booleans())
    def insert(self, rows: list, replace: bool) -> None:
        keys = [key for key, _ in rows]
        matrix = np.array([row for _, row in rows], np.uint32).reshape(-1, SIZE)
        clash = len(set(keys)) < len(keys) or not self.model.keys().isdisjoint(keys)
        on_conflict = "replace" if replace else "refuse"
        for index in (self.index, self.sharded):
            if clash and not replace:
                with pytest.raises(NeardupValueError, match=r"is there already|is given twice"):
                    index.insert(matrix, keys, on_conflict=on_conflict)
            else:
                index.insert(matrix, keys, on_conflict=on_conflict)
        if replace or not clash:
            for key, row in rows:
                self.model.pop(key, None)
                self.model[key] = row

    @rule(key=KEYS, row=st.lists(st.integers(0, 2), min_size=SIZE, max_size=SIZE))
    def update(self, key: object, row: list[int]) -> None:
        there = key in self.model
        for index in (self.index, self.sharded):
            if there:
                index.update(key, np.array(row, np.uint32))
            else:
                with pytest.raises(NeardupValueError, match=r"there is no key .* to update"):
                    index.update(key, np.array(row, np.uint32))
        if there:
            del self.model[key]
            self.model[key] = row

    @rule(key=KEYS)
    def remove(self, key: object) -> None:
        for index in (self.index, self.sharded):
            assert (key in index) == (key in self.model)
            if key in self.model:
                index.remove(key)
            else:
                with pytest.raises(NeardupValueError, match=r"there is no .* to remove"):
                    index.remove(key)
        self.model.pop(key, None)

    @rule(row=st.lists(st.integers(0, 2), min_size=SIZE, max_size=SIZE))
    def query(self, row: list[int]) -> None:
        one = np.array(row, np.uint32)
        expected = typed([key for key, other in self.model.items() if alike(row, other)])
        merged = self.sharded.merge()
        for index in (self.index, self.sharded, merged):
            assert typed(index.query(one)) == expected
            assert typed(index.query(one[None])[0]) == expected
        ids, offsets = self.index.query(one[None], format="csr")
        assert (typed(list(ids)), offsets.tolist()) == (expected, [0, len(expected)])

    @invariant()
    def counts(self) -> None:
        assert len(self.index) == len(self.sharded) == len(self.model)


TestModel = Machine.TestCase
TestModel.settings = settings(
    derandomize=True, database=None, deadline=None, max_examples=60, stateful_step_count=15
)


def rows(*values: int) -> np.ndarray:
    return np.repeat(np.array(values, np.uint32)[:, None], SIZE, axis=1)


def index(matrix: np.ndarray, keys: list, **options: object) -> LSH:
    made = LSH(SIZE, BANDS, **options)
    made.insert(matrix, keys)
    return made


def test_keys_come_back_with_estimates_best_first() -> None:
    matrix = rows(1, 1, 1)
    matrix[1, 4:] = 9
    made = index(matrix, ["first", b"second", -3], keep_signatures=True)
    assert made.query(matrix[0]) == [("first", 1.0), (-3, 1.0), (b"second", 4 / 6)]
    assert made.query(matrix[:1], threshold=0.9, limit=1) == [[("first", 1.0)]]


def test_rows_have_keys_all_or_none() -> None:
    plain, keyed = LSH(SIZE, BANDS), index(rows(1), ["a"])
    plain.insert(rows(1))
    with pytest.raises(NeardupValueError, match="have no keys"):
        plain.insert(rows(2), ["b"])
    with pytest.raises(NeardupValueError, match="have keys; give these"):
        keyed.insert(rows(2))
    with pytest.raises(NeardupValueError, match="the rows of one index have keys"):
        plain.merge(keyed)
    with pytest.raises(NeardupValueError, match="no key 0 to update"):
        plain.update(0, rows(1)[0])
    keyed.clear()
    assert keyed.insert(rows(2)) == range(1)


@pytest.mark.parametrize(
    ("keys", "kind", "complaint"),
    [
        (["a"], NeardupValueError, "1 keys were given for 2 rows"),
        ("ab", NeardupTypeError, "got one str"),
        (3, NeardupTypeError, "must be an iterable of keys"),
        (["a", []], NeardupTypeError, "which cannot be looked up"),
        (["a", "a"], NeardupValueError, "'a' is given twice"),
    ],
)
def test_bad_keys(keys: object, kind: type, complaint: str) -> None:
    made = LSH(SIZE, BANDS)
    with pytest.raises(kind, match=complaint):
        made.insert(rows(1, 2), keys)
    with pytest.raises(NeardupValueError, match="on_conflict must be"):
        made.insert(rows(1, 2), ["a", "b"], on_conflict="ignore")
    with pytest.raises(NeardupValueError, match="of 5 slots"):
        made.insert(np.zeros((1, 5), np.uint32), ["a"])
    assert len(made) == 0
    assert made.insert(rows(1), ["a"]) == ["a"]


def test_saved_keys_keep_their_kind(tmp_path: Path) -> None:
    keys = [0, -1, 2**70, -(2**63), "0", "", "\udc80", b"0", b"", b"\xff", 127, 128, -128, -129]
    made = index(rows(*[1] * len(keys)), keys, keep_signatures=True)
    made.remove(0)
    made.save(tmp_path / "a.lsh")
    found = LSH.load(tmp_path / "a.lsh")
    assert typed([key for key, _ in found.query(rows(1)[0])]) == typed(keys[1:])
    found.insert(rows(1), [0])
    assert found.query(rows(1)[0])[-1] == (0, 1.0)
    for key in ((1, 2), None, True, 1.5, np.int64(3)):
        with pytest.raises(NeardupTypeError, match="which no file can hold"):
            index(rows(1), [key]).save(tmp_path / "b.lsh")
    assert not (tmp_path / "b.lsh").exists()


def test_a_merge_is_the_index_of_both() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, (2, 40, SIZE), dtype=np.uint32)
    for keep in (False, True):
        for keyed in (False, True):
            both, one, other = (LSH(SIZE, BANDS, keep_signatures=keep) for _ in range(3))
            names = [[f"{side}{i}" for i in range(40)] if keyed else None for side in "ab"]
            for made, matrix, keys in ((one, a, names[0]), (other, b, names[1])):
                made.insert(matrix, keys)
                both.insert(matrix, keys)
            both.remove("b3" if keyed else 43)
            other.remove("b3" if keyed else 3)
            before = other.query(a)
            one.merge(other)
            queries = rng.integers(0, 3, (30, SIZE), dtype=np.uint32)
            assert one.query(queries) == both.query(queries)
            assert len(one) == len(both) == 79
            assert other.query(a) == before
            assert one.insert(rows(2), ["new"] if keyed else None) == (
                ["new"] if keyed else range(80, 81)
            )


def test_merges_that_do_not_match() -> None:
    one, other = index(rows(1), ["a"]), index(rows(2, 3), ["a", "b"])
    with pytest.raises(NeardupValueError, match="'a' is in both indexes"):
        one.merge(other)
    assert one.query(rows(2)[0]) == []
    assert one.merge(other, on_conflict="replace") == ["a", "b"]
    assert (one.query(rows(1)[0]), one.query(rows(2)[0])) == ([], ["a"])
    for odd in (LSH(SIZE, 2), LSH(12, BANDS, 2), LSH(SIZE, BANDS, keep_signatures=True)):
        with pytest.raises(NeardupValueError, match="cannot be merged with one of"):
            one.merge(odd)
    with pytest.raises(NeardupTypeError, match="must be an LSH"):
        one.merge({})
    here, there = LSH(), LSH()
    here.insert(sketch(["a text"]))
    there.insert(sketch(["a text"], seed=1))
    with pytest.raises(NeardupValueError, match=r"holds signatures of .*, the other of"):
        here.merge(there)
    there.clear()
    there.merge(here)
    assert there.identity == here.identity


def test_bands_by_threshold_and_recall() -> None:
    for threshold, recall in ((0.8, 0.95), (0.5, 0.9)):
        plan = explain(threshold, recall)
        made = LSH(threshold=threshold, recall=recall)
        assert (made.num_bands, made.rows) == (plan.bands, plan.rows)
    assert LSH(recall=0.95).num_bands == LSH(threshold=0.8).num_bands == 13
    for bad in ({"num_bands": 4}, {"rows": 4}):
        with pytest.raises(NeardupValueError, match="threshold and recall choose the bands"):
            LSH(threshold=0.8, **bad)
    with pytest.raises(NeardupValueError, match="threshold"):
        LSH(threshold=2.0)


def test_a_file_of_shards(tmp_path: Path) -> None:
    made = ShardedLSH(4, num_perm=SIZE, num_bands=BANDS, keep_signatures=True)
    made.insert(rows(*[1] * 20), [*range(9), *"abcdefgh", b"x", b"y", b"z"])
    made.update(3, rows(1)[0])
    made.remove("c")
    made.save(tmp_path / "shards")
    found = ShardedLSH.load(tmp_path / "shards")
    assert found.query(rows(1)) == made.query(rows(1))
    assert found.query(rows(1)[0], limit=3) == made.query(rows(1)[0])[:3]
    assert sum(map(len, found.shards)) == len(found) == 19
    some = found.merge([0, 2])
    assert len(some) == len(found.shards[0]) + len(found.shards[2])
    wanted = [pair for pair in made.query(rows(1)[0]) if made.shard_of(pair[0]) in (0, 2)]
    assert some.query(rows(1)[0]) == wanted
    found.insert(rows(1), ["c"])
    assert found.query(rows(1)[0])[-1] == ("c", 1.0)
    (tmp_path / "shards" / "1.lsh").write_bytes((tmp_path / "shards" / "2.lsh").read_bytes())
    with pytest.raises(DataError, match="order: the shards beside it"):
        ShardedLSH.load(tmp_path / "shards")


def test_what_shards_refuse() -> None:
    made = ShardedLSH(2, num_perm=SIZE, num_bands=BANDS)
    for key in (1.5, None, True, (1,)):
        with pytest.raises(NeardupTypeError, match="which has no shard"):
            made.insert(rows(1), [key])
    with pytest.raises(NeardupValueError, match="of 5 slots"):
        made.insert(np.zeros((2, 5), np.uint32), ["a", "b"])
    for bad in ([], [0, 0], [2]):
        with pytest.raises(NeardupValueError, match="shards"):
            made.merge(bad)
    assert len(made) == 0


def test_shards_that_do_not_belong_together_are_refused_by_name(tmp_path: Path) -> None:
    texts, keys = [f"text {i} of twelve" for i in range(12)], [*"abcdefgh", *range(4)]
    for seed in (1, 2):
        index = ShardedLSH(2)
        index.insert(sketch(texts, seed=seed), keys=keys)
        index.save(tmp_path / str(seed))
    assert len(ShardedLSH.load(tmp_path / "1")) == 12
    first, second = ((tmp_path / "1" / name).read_bytes() for name in ("0.lsh", "1.lsh"))
    (tmp_path / "1" / "1.lsh").write_bytes((tmp_path / "2" / "1.lsh").read_bytes())
    with pytest.raises(DataError, match=r"order: .*signatures of several kinds"):
        ShardedLSH.load(tmp_path / "1")
    (tmp_path / "1" / "0.lsh").write_bytes(second)
    (tmp_path / "1" / "1.lsh").write_bytes(first)
    with pytest.raises(DataError, match=r"order: .*(those it was saved with|keys of another)"):
        ShardedLSH.load(tmp_path / "1")
