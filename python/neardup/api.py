"""One run from data to answer: opens the inputs, runs the plan, writes the outputs."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from neardup.engines.memory import MemoryEngine
from neardup.output import Output
from neardup.plan import Found, Plan, find

if TYPE_CHECKING:
    from neardup.config import Config
    from neardup.io.base import Source
    from neardup.io.documents import Documents, Ids
    from neardup.progress import Progress


def run(
    config: Config, inputs: Sequence[str], out: str | None, progress: Progress
) -> dict[str, Any]:
    """Deduplicate files; what the command line calls.

    Returns
    -------
    dict
        The summary.
    """
    from neardup.io import open_inputs

    del out  # the configuration names it
    options = {"format": config.format, "encoding": config.encoding}
    sources = open_inputs(inputs, **options)
    return execute(config, sources, progress)[2]


def execute(
    config: Config, sources: Sequence[Source], progress: Progress
) -> tuple[Found, Ids, dict[str, Any]]:
    """Run a configuration over open sources.

    Returns
    -------
    (Found, Ids, dict)
        The answer, the ids of the documents it names, and the summary.
    """
    from neardup import tables
    from neardup.io import open_inputs
    from neardup.io.base import FieldSpec
    from neardup.io.documents import Documents

    began = time.perf_counter()
    plan = Plan(config)
    other = open_inputs(config.against, first=len(sources)) if config.against else []
    fields = FieldSpec(config.text, config.id, config.keep.field)
    documents = Documents([*sources, *other], len(sources), fields, config.on_error == "skip")
    output = Output(config, documents)
    engine = MemoryEngine(plan, progress)
    found = find(documents, plan, engine)
    with output.guarded():
        ids = engine.write(documents, found.base.survey, found.keep, tables.named(found), output)
        places = tables.Places(documents, found.base.survey.starts, ids)
        if output.out is not None or config.removed or config.pairs:
            output.table("removed", tables.removed(found, places))
            output.table("pairs", tables.pairs(found, places))
            output.table("clusters", tables.clusters(found, places))
        output.rejects(documents)
        summary = _timed(tables.summary(found), found, time.perf_counter() - began)
        output.summary(summary)
    return found, ids, summary


def _timed(summary: dict[str, Any], found: Found, seconds: float) -> dict[str, Any]:
    """Add what depends on the clock and the machine."""
    from neardup import __version__

    survey, documents = found.base.survey, found.base.documents
    end = int(survey.starts[documents.own])
    size = int(survey.bytes[:end][survey.ok[:end]].sum())
    sources = summary.pop("sources")
    return {
        **summary,
        "seconds": round(seconds, 3),
        "megabytes_per_second": round(size / 1e6 / max(seconds, 1e-9), 3),
        "peak_rss_bytes": _peak_memory(),
        "version": __version__,
        "sources": sources,
    }


def _peak_memory() -> int:
    """The most memory this process has had, in bytes."""
    try:
        import resource
    except ImportError:  # a system without getrusage
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def is_path(data: Any) -> bool:
    """Whether data names a file rather than being a text."""
    return isinstance(data, str | os.PathLike)
