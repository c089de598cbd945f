"""Arrays of every layout, and data that changes or fails while it is read: the right answer or an error."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup import (
    LSH,
    FastSimilaritySketch,
    NeardupError,
    NeardupTypeError,
    NeardupValueError,
    _native,
    dedup,
    estimate_jaccard,
    match,
    sketch,
)

SKETCH = FastSimilaritySketch(size=8, seed=3)
TEXTS = ["one text of words", "one text of words", "another text of words", "我喜欢普洱茶", ""]


def strided(array: np.ndarray) -> np.ndarray:
    """Every other value of twice as many."""
    return np.repeat(array, 2, axis=-1)[..., ::2]


def backwards(array: np.ndarray) -> np.ndarray:
    """Negative strides."""
    return array[::-1].copy()[::-1]


def read_only(array: np.ndarray) -> np.ndarray:
    """Not to be written."""
    array = array.copy()
    array.flags.writeable = False
    return array


def foreign(array: np.ndarray) -> np.ndarray:
    """In the other byte order."""
    return array.astype(array.dtype.newbyteorder(">"))


def unaligned(array: np.ndarray) -> np.ndarray:
    """One byte off its proper place."""
    return (
        np.frombuffer(b"x" + array.tobytes(), np.uint8)[1:].view(array.dtype).reshape(array.shape)
    )


def transposed(array: np.ndarray) -> np.ndarray:
    """The transpose of the transpose, which lies column after column."""
    return array.T.copy().T


def mapped(array: np.ndarray) -> np.ndarray:
    """In a file."""
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file, array)
        file.flush()
        return np.load(file.name, mmap_mode="r")


class Subclass(np.ndarray):
    """A kind of array of the user's own."""


LAYOUTS: list[Callable[[np.ndarray], Any]] = [
    np.array, strided, backwards, read_only, foreign, unaligned, transposed, np.asfortranarray,
    mapped, lambda array: array.view(Subclass),
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32, np.uint16])
def test_every_function_that_takes_tokens(layout: Callable[..., Any], dtype: Any) -> None:
    values = np.arange(12, dtype=dtype)
    rows = [values[:4].tolist(), values[4:8].tolist(), values[8:].tolist()]
    expected = SKETCH.batch(rows)
    before = layout(values)
    assert np.array_equal(SKETCH(before), SKETCH(values.tolist()))
    assert np.array_equal(SKETCH.batch(layout(values.reshape(3, 4))), expected)
    assert np.array_equal(SKETCH.batch([layout(row) for row in values.reshape(3, 4)]), expected)
    offsets = np.array([0, 4, 8, 12], dtype)
    assert np.array_equal(SKETCH.batch_csr(before, layout(offsets)), expected)
    assert np.array_equal(before, values), "the input was modified"
    if np.dtype(dtype).kind == "u":
        hashes = layout(values.astype(np.uint64))
        expected = SKETCH.batch(rows, prehashed=True)
        assert np.array_equal(SKETCH.batch_csr(hashes, offsets, prehashed=True), expected)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_every_function_that_takes_signatures(layout: Callable[..., Any]) -> None:
    slots = SKETCH.batch([[i, i + 1, i // 2] for i in range(9)] * 2)
    plain = LSH(8, 4, keep_signatures=True)
    flags = plain.insert_and_query_duplicates(slots)
    other = LSH(8, 4, keep_signatures=True)
    assert other.insert_and_query_duplicates(layout(slots)).tolist() == flags.tolist()
    again = LSH(8, 4)
    again.insert(layout(slots))
    assert again.query(layout(slots)) == [sorted(i for i, _ in row) for row in plain.query(slots)]
    assert other.query(layout(slots)) == plain.query(slots)
    assert other.query(layout(slots[3]), limit=2) == plain.query(slots[3], limit=2)
    assert estimate_jaccard(layout(slots[0]), layout(slots[2])) == estimate_jaccard(
        slots[0], slots[2]
    )


def test_no_values_at_all() -> None:
    empty = SKETCH.batch([[]])
    for dtype in (np.int64, np.uint8, np.uint64, ">i4"):
        none = np.empty(0, dtype)
        assert np.array_equal(SKETCH(none)[None], empty)
        assert SKETCH.batch(np.empty((0, 5), dtype)).shape == (0, 8)
        assert np.array_equal(SKETCH.batch(np.empty((1, 0), dtype)), empty)
        assert np.array_equal(SKETCH.batch_csr(none, [0, 0]), empty)
        assert SKETCH.batch_csr(none, [0]).shape == (0, 8)
    index = LSH(8, 4)
    assert index.insert(np.empty((0, 8), np.uint32)) == range(0)
    assert index.query(np.empty((0, 8), np.uint32)) == []
    assert index.insert_and_query_duplicates(np.empty((0, 8), np.uint32)).tolist() == []
    ids, offsets = index.query(np.empty((0, 8), np.uint32), format="csr")
    assert (ids.tolist(), offsets.tolist()) == ([], [0])


def test_a_huge_array_in_a_file(tmp_path: Path) -> None:
    """Eight million tokens that are read where they lie, and a million signatures of one value."""
    path = tmp_path / "values"
    values = np.memmap(path, np.uint64, "w+", shape=(1 << 23,))
    values[:: 1 << 13] = 7
    del values
    values = np.memmap(path, np.uint64, "r", shape=(1 << 23,))
    whole = SKETCH.batch_csr(values, [0, 1 << 22, 1 << 23])
    assert np.array_equal(whole[0], SKETCH([0, 7]))
    assert np.array_equal(whole[1], SKETCH([0, 7]))
    equal = np.broadcast_to(whole[:1], (100_000, 8))
    assert LSH(8, 1).insert_and_query_duplicates(equal).sum() == 99_999


ROWS = st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=5)


@given(ROWS, st.lists(st.integers(-3, 30), max_size=8), st.booleans())
@settings(derandomize=True, deadline=None, database=None, max_examples=300)
def test_offsets_of_any_kind(rows: list[list[int]], wild: list[int], sound: bool) -> None:
    """Right ones give the rows; others, which decrease or run past the end, are named."""
    values = [value for row in rows for value in row]
    good = np.cumsum([0, *map(len, rows)]).tolist()
    offsets = good if sound else wild
    fits = bool(offsets) and offsets[0] == 0 and offsets[-1] == len(values)
    fits = fits and all(a <= b for a, b in pairwise(offsets))
    for kind in (np.int64, np.int16, ">i4"):
        try:
            found = SKETCH.batch_csr(np.array(values, np.int64), np.array(offsets, kind))
        except NeardupValueError as error:
            assert not fits
            assert "offset" in str(error)
        else:
            assert fits
            parts = [values[a:b] for a, b in pairwise(offsets)]
            assert np.array_equal(found, SKETCH.batch(parts).reshape(len(parts), 8))


def test_the_native_module_refuses_what_does_not_lie_row_after_row() -> None:
    """The public face sees to layouts; the boundary does not trust it."""
    slots = np.arange(12, dtype=np.uint32).reshape(3, 4)
    index = _native.Lsh(4, 2, 2, False)
    for other in (np.asfortranarray(slots), slots[:, ::-1]):
        with pytest.raises((ValueError, TypeError), match=r"row after row|contiguous"):
            index.insert(other, None, 1)
    digest = np.zeros((3, 2), np.uint64)
    rank, mask = np.arange(3, dtype=np.uint32), np.ones(3, bool)
    with pytest.raises(NeardupError, match="row after row"):
        _native.leaders(np.asfortranarray(np.arange(6, dtype=np.uint64).reshape(3, 2)), rank, mask)
    assert _native.leaders(digest, rank, mask).tolist() == [0, 0, 0]


class Lazy:
    """A sequence that makes its items when they are asked for."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, at: int) -> Any:
        return self.items[at]


class Liar(list):
    """A list that says it is longer than it is."""

    def __len__(self) -> int:
        return 99


def failing(items: list[Any]) -> Iterator[Any]:
    """All items, and then an error of the caller's."""
    yield from items
    raise LookupError("mine")


def test_lazy_containers_are_read() -> None:
    rows = [["a", "b"], ["c"], []]
    assert np.array_equal(SKETCH.batch(Lazy(rows)), SKETCH.batch(rows))
    assert np.array_equal(SKETCH(Lazy(rows[0])), SKETCH(rows[0]))
    assert np.array_equal(SKETCH.batch(map(iter, rows)), SKETCH.batch(rows))
    expected = sketch(TEXTS).matrix
    for texts in (Lazy(TEXTS), iter(TEXTS), deque(TEXTS), map(str, TEXTS)):
        assert np.array_equal(sketch(texts).matrix, expected)
    keep = dedup(TEXTS).keep.tolist()
    for texts in (Lazy(TEXTS), iter(TEXTS), deque(TEXTS), map(str, TEXTS), pa.array(TEXTS)):
        assert dedup(texts).keep.tolist() == keep
    with pytest.raises(NeardupTypeError, match="cannot read texts from object"):
        dedup(object())


@pytest.mark.parametrize("read", [
    lambda items: SKETCH(failing(items)),
    lambda items: SKETCH.batch(failing([[each] for each in items])),
    lambda items: SKETCH.batch([["fine"], failing(items)]),
    lambda items: SKETCH.batch_csr(failing(items), [0, 1]),
    lambda items: sketch(failing(items)),
    lambda items: dedup(failing(items)),
    lambda items: match(items, failing(items)),
])  # fmt: skip
def test_an_error_in_the_middle_is_the_callers(read: Callable[[list[str]], Any]) -> None:
    with pytest.raises(LookupError, match="mine"):
        read(TEXTS)


def test_containers_that_lie_about_their_length() -> None:
    for read in (SKETCH, SKETCH.batch):
        with pytest.raises(NeardupValueError, match="changed while"):
            read(Liar([["a"]] if read == SKETCH.batch else ["a"]))


def test_texts_that_are_fewer_or_more_after_the_run() -> None:
    texts = [*TEXTS]
    result = dedup(texts)
    assert result.kept == [text for text, stays in zip(TEXTS, result.keep, strict=True) if stays]
    del texts[0]
    with pytest.raises(NeardupValueError, match="changed since it was read: 5 rows then, 4 now"):
        list(result.kept)


class Hooked(str):
    """A text that does something when it is hashed, compared or printed."""

    __slots__ = ("hook",)

    def __hash__(self) -> int:
        self.hook()
        return super().__hash__()

    def __str__(self) -> str:
        self.hook()
        return super().__str__()

    def __eq__(self, other: object) -> bool:
        self.hook()
        return super().__eq__(other)


@pytest.mark.parametrize("change", [list.clear, lambda items: items.append("more"), list.pop])
def test_texts_whose_hooks_change_the_list(change: Callable[[list[str]], Any]) -> None:
    """No hook is called while a list is read, or what it does is noticed."""
    for read in (
        lambda items: sketch(items).matrix.tolist(),
        lambda items: dedup(items).keep.tolist(),
        lambda items: SKETCH(items).tolist(),
        lambda items: SKETCH.batch([items]).tolist(),
    ):
        items: list[str] = [*TEXTS]
        expected = read(items)
        hooked = Hooked(items[1])
        hooked.hook = lambda items=items: change(items)
        items[1] = hooked
        try:
            assert read(items) == expected
        except NeardupError as error:
            assert "changed" in str(error)
