"""Case 26 for the lookups beside `LSH`: arrays of every layout give the answers of a plain one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neardup import BloomStream, Forest, MultiProbeLSH, NeardupTypeError, NeardupValueError

RNG = np.random.default_rng(26)
PLAIN = RNG.integers(0, 9, (40, 8), np.uint32)
SECOND = PLAIN + RNG.integers(1, 9, (40, 8), np.uint32)
LAYOUTS: dict[str, Any] = {
    "Fortran": np.asfortranarray,
    "strided": lambda a: np.repeat(np.repeat(a, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "transposed": lambda a: a.T.copy().T,
    "foreign": lambda a: a.astype(a.dtype.newbyteorder()),
    "unaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(np.uint32).reshape(a.shape),
}  # fmt: skip


def answers(first: Any, second: Any) -> list[Any]:
    """What each lookup says of the same rows."""
    forest = Forest(4, 3, num_perm=8)
    forest.insert(first)
    stream = BloomStream(100, 0.1, size=8, bands=4, rows=2)
    said: list[Any] = [forest.query(first, 5), stream.check_and_add(first).tolist()]
    for probes in ("query", "both"):
        index = MultiProbeLSH(num_perm=8, num_bands=2, rows=4, probes=probes)  # type: ignore[arg-type]
        index.insert((first, second))
        said.append(index.query((first, second)))
    return said


@pytest.mark.parametrize("layout", LAYOUTS)
def test_case_26_layouts(layout: str) -> None:
    assert answers(LAYOUTS[layout](PLAIN), LAYOUTS[layout](SECOND)) == answers(PLAIN, SECOND)


def test_case_26_read_only() -> None:
    first, second = PLAIN.copy(), SECOND.copy()
    first.flags.writeable = second.flags.writeable = False
    assert answers(first, second) == answers(PLAIN, SECOND)


@pytest.mark.parametrize("wrong", [PLAIN.astype(np.int64), PLAIN.astype(float), PLAIN.tolist()])
def test_case_26_other_types_are_refused(wrong: Any) -> None:
    calls: list[Any] = [
        lambda: Forest(4, 3, num_perm=8).insert(wrong),
        lambda: Forest(4, 3, num_perm=8).query(wrong),
        lambda: MultiProbeLSH(num_perm=8, num_bands=2, rows=4).insert(wrong),
        lambda: MultiProbeLSH(num_perm=8, num_bands=2, rows=4).query((PLAIN, wrong)),
        lambda: BloomStream(9, size=8, bands=2, rows=4).add(wrong),
    ]
    for call in calls:
        with pytest.raises((NeardupTypeError, NeardupValueError)):
            call()


@pytest.mark.parametrize("wrong", [PLAIN[0, 0], PLAIN[None], PLAIN[:, :7]])
def test_case_26_other_shapes_are_refused(wrong: Any) -> None:
    calls: list[Any] = [
        lambda: Forest(4, 3, num_perm=8).insert(wrong),
        lambda: MultiProbeLSH(num_perm=8, num_bands=2, rows=4).insert(wrong),
        lambda: BloomStream(9, size=8, bands=2, rows=4).add(wrong),
    ]
    for call in calls:
        with pytest.raises((NeardupTypeError, NeardupValueError)):
            call()
