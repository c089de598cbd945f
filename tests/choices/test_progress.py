"""Who may watch a run from Python."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import neardup
from neardup.errors import NeardupError, NeardupTypeError

TEXTS = ["one text of some words that is there twice", "one text of some words that is there TWICE"]


class Watcher:
    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def stage(self, name: str, total: int | None = None) -> None:
        self.calls.append((name, total))

    def advance(self, size: int, documents: int = 0) -> None:
        self.calls.append((size, documents))

    def warn(self, message: str) -> None:
        self.calls.append((message,))


def test_a_watcher_sees_stages_bytes_and_warnings() -> None:
    watcher = Watcher()
    neardup.dedup(TEXTS, progress=watcher, keep="max:score")
    assert watcher.calls[:2] == [("sketching", None), (sum(map(len, TEXTS)), 2)]
    assert any("score" in call[0] for call in watcher.calls if len(call) == 1)
    watcher = Watcher()
    neardup.match(TEXTS, TEXTS, progress=watcher)
    assert watcher.calls[0] == ("sketching", None)


class Bar:
    made: list[Bar]

    def __init__(self, *, total: int | None, desc: str, unit: str, unit_scale: bool) -> None:
        self.total, self.desc, self.done, self.open = total, desc, 0, True
        self.made.append(self)

    def update(self, size: int) -> None:
        assert self.open
        self.done += size

    def close(self) -> None:
        self.open = False


@pytest.fixture(autouse=True)
def _no_bars() -> None:
    Bar.made = []


def test_a_class_of_bars_has_one_for_each_stage() -> None:
    neardup.dedup(TEXTS, progress=Bar)
    assert [bar.desc for bar in Bar.made][:2] == ["sketching", "finding candidates"]
    assert Bar.made[0].done == sum(map(len, TEXTS))
    assert not any(bar.open for bar in Bar.made)


def test_bars_are_closed_when_a_run_fails() -> None:
    with pytest.raises(NeardupError):
        neardup.dedup([*TEXTS, 5], progress=Bar)
    assert [bar.open for bar in Bar.made] == [False]


def test_tqdm(capsys: Any) -> None:
    tqdm = pytest.importorskip("tqdm")
    assert neardup.dedup(TEXTS, progress=tqdm.tqdm).keep.tolist() == [True, False]
    neardup.dedup(TEXTS, progress=partial(tqdm.tqdm, leave=False, ncols=60))
    assert "sketching" in capsys.readouterr().err


@pytest.mark.parametrize("progress", [5, "bar", object(), True])
def test_anything_else_is_refused(progress: Any) -> None:
    with pytest.raises(NeardupTypeError, match="neither a class of bars such as tqdm"):
        neardup.dedup(TEXTS, progress=progress)
