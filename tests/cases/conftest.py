"""The two faces of `dedup`: a test that asks for one is run through both, and holds for both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness import Answer, neardup, options, read_answer, write_jsonl
from neardup import dedup

Ask = Callable[..., Answer]


def ask_python(texts: list[str], **keywords: Any) -> Answer:
    """Deduplicate a list in this process."""
    r = dedup(texts, **keywords)
    tables = (table.to_pylist() for table in (r.removed, r.pairs, r.clusters))
    return Answer(r.keep.tolist(), *tables, r.summary)


@pytest.fixture(params=["python", "command"])
def ask(request: pytest.FixtureRequest, tmp_path: Path) -> Ask:
    """Deduplicate texts: `ask(texts, threshold=0.8)`, in Python or as a subprocess over a file."""
    if request.param == "python":
        return ask_python

    runs = iter(range(1000))

    def ask_command(texts: list[str], **keywords: Any) -> Answer:
        run = next(runs)
        path = write_jsonl(tmp_path / f"{run}.jsonl", texts)
        done = neardup("dedup", path, "-o", tmp_path / f"out{run}", *options(keywords))
        assert done.returncode == 0, done.stderr.decode()
        lines = path.read_bytes().splitlines(keepends=True)
        answer = read_answer(tmp_path / f"out{run}", len(lines), done.stderr.decode())
        kept = (tmp_path / f"out{run}" / "kept" / path.name).read_bytes()
        assert kept == b"".join(lines[row] for row in answer.kept_rows)
        return answer

    return ask_command


@pytest.fixture
def command() -> Callable[..., Any]:
    """`neardup dedup` in a process of its own."""
    return lambda *args, **kwargs: neardup("dedup", *args, **kwargs)
