"""One run from data to answer: opens the inputs, runs the plan, writes the outputs."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from neardup.checkpoint import Checkpoint
from neardup.config import RUN_OPTIONS, Config, refuse
from neardup.engines.memory import MemoryEngine
from neardup.errors import NeardupError, NeardupTypeError, UsageError
from neardup.output import Output, out_folder
from neardup.plan import Found, Plan, find
from neardup.progress import Progress, watched
from neardup.result import Result
from neardup.spec import warning
from neardup.wording import in_python

if TYPE_CHECKING:
    from neardup.io.base import Source
    from neardup.io.documents import Documents, Ids

UNSAMPLED = 0.05
"""Share of documents without a sampled shingle above which that is worth a warning."""

_KEYWORDS = {option.name for option in RUN_OPTIONS if option.python}


@in_python()
def dedup(data: Any, *, progress: Any = None, **options: Any) -> Result:
    """Remove near-duplicate texts; what is removed was verified against what is kept.

    Parameters
    ----------
    data : object
        Texts: a list or any iterable of str; a table, frame or column that speaks the Arrow
        PyCapsule protocol (pyarrow, polars, pandas, duckdb, datasets), or an iterator of such
        batches; a str or path-like is a file, folder or glob, and so are path-like items of a list.
    progress : Progress or tqdm class, optional
        Who watches the run: an object with `stage`, `advance` and `warn`, or a class of bars such
        as `tqdm.tqdm`; nobody by default.
    **options
        The options of ``neardup dedup``, dashes as underscores, same values and defaults:
        ``text="text"``, ``id=None``, ``threshold=0.8``, ``recall=0.95``, ``keep="first"``,
        ``shingle="word:3"``, ``normalize="nfkc,casefold,collapse-space"``, ``out=None`` and so
        on; see ``neardup dedup --help``.

    Returns
    -------
    Result
        `keep`, `kept`, `removed`, `pairs`, `clusters`, `rejected`, `summary`.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        An unknown option, a value that is not allowed, data that holds no texts.
    NeardupError
        A bad row or file, an output that cannot be written.

    Examples
    --------
    >>> import neardup
    >>> r = neardup.dedup(["One and the same text.", "one and  the same TEXT.", "Another text."])
    >>> r.keep.tolist()
    [True, False, True]
    >>> r.removed["reason"].to_pylist()
    ['exact']
    """
    for name in options:
        if name not in _KEYWORDS:
            refuse(name, options[name], "dedup")
            raise NeardupTypeError(f"{name}: can be given on the command line only")
    config = Config.from_options(options)
    sources, held = open_data(data, config)
    inputs = [data] if isinstance(data, str | os.PathLike) else data if held is None else ()
    with watched(progress) as watcher:
        found, ids, summary = execute(config, sources, watcher, inputs)
    return Result(held, found, ids, summary)


def run(
    config: Config, inputs: Sequence[str], progress: Progress, finished: Callable[[], None]
) -> dict[str, Any]:
    """Deduplicate files; what the command line calls.

    Parameters
    ----------
    config, inputs, progress
        As for `execute`.
    finished : callable
        Called when everything is written: an error it raises undoes that, a later one does not.

    Returns
    -------
    dict
        The summary, and ``largest_clusters``: source and row of their representatives, and sizes.
    """
    from neardup import tables

    found, _, summary = execute(config, open_files(inputs, config), progress, inputs, finished)
    return {**summary, "largest_clusters": tables.largest(found)}


def execute(
    config: Config,
    sources: Sequence[Source],
    progress: Progress,
    inputs: Sequence[str | os.PathLike[str]] = (),
    finished: Callable[[], None] | None = None,
) -> tuple[Found, Ids, dict[str, Any]]:
    """Run a configuration over open sources; `inputs` is what the user called them.

    Returns
    -------
    (Found, Ids, dict)
        The answer, the ids of the documents it names, and the summary.
    """
    from neardup import notes
    from neardup.io.annotate import check_header
    from neardup.io.base import FieldSpec
    from neardup.io.documents import Documents
    from neardup.io.lock import locked
    from neardup.io.places import is_url

    began = time.perf_counter()
    plan = Plan(config)
    if said := warning(config):
        progress.warn(said)
    other = open_files(config.against, config, first=len(sources)) if config.against else []
    fields = FieldSpec(config.text, config.id, config.keep.field)
    added = notes.names(config.annotate_prefix) if config.annotate else ()
    for source in sources if added else ():
        check_header(source, added)
    documents = Documents(
        [*sources, *other], len(sources), fields, config.on_error == "skip", reserved=added
    )
    if "-" in config.against and any(source.name == "-" for source in sources):
        raise UsageError("standard input cannot be both sides; name a file with --against")
    engine = MemoryEngine(plan, progress)
    with locked(out_folder(config)):
        output = Output(config, documents, [*inputs, *config.against])
        resumable = output.folder and not is_url(output.out or "")
        checkpoint = Checkpoint(output.out if resumable else None, plan, documents)
        with checkpoint, output.guarded():
            found = find(documents, plan, engine, checkpoint)
            ids, summary = _write(found, engine, output, progress, began)
            if finished is not None:
                finished()
            return found, ids, summary


def _write(
    found: Found, engine: MemoryEngine, output: Output, progress: Progress, began: float
) -> tuple[Ids, dict[str, Any]]:
    """Kept rows, tables and the summary, which comes last."""
    from neardup import notes, tables

    documents, config = found.base.documents, found.base.plan.config
    if config.keep.field is not None and found.base.survey.unordered():
        progress.warn(
            f'no document has a value in the field "{config.keep.field}", so that ties decided '
            "which ones stay; name another field with --keep"
        )
    if config.keep.sources:
        _warn_of_priority(config.keep.sources, documents, progress)
    if found.base.survey.unsampled > UNSAMPLED * len(found.base.survey):
        progress.warn(
            f"{found.base.survey.unsampled:,} documents have no shingle in the fraction "
            f"{config.fraction:g}, and are like no other: only exact duplicates of them are found; "
            "raise --fraction, or leave it out"
        )
    output.begin()
    survey, wanted, stays = found.base.survey, tables.named(found), found.keep
    if config.annotate:
        ids = engine.ids(documents, survey, wanted)
        output.notes = notes.by_source(found, ids, config.annotate_prefix)
        stays = survey.ok
    ids = engine.write(documents, survey, stays, wanted, output)
    if config.id is not None and ids.missing():
        progress.warn(
            f'no document that is named has a value in the field "{config.id}", so that the tables '
            "have no ids; name another field with --id"
        )
    places = tables.Places(documents, survey.starts, ids)
    asked = [name for name in ("removed", "pairs", "clusters") if output.wants(name)]
    if asked:
        progress.stage("writing tables")
    for name in asked:
        output.table(name, getattr(tables, name)(found, places))
    output.rejects(documents)
    counts = tables.summary(found)
    if config.distinct_shingles:
        counts["distinct_shingles"] = engine.distinct(documents, survey, found.keep)
    summary = _timed(counts, found, time.perf_counter() - began)
    _check_balance(summary)
    output.summary(summary)
    return ids, summary


def _warn_of_priority(wanted: Sequence[str], documents: Documents, progress: Progress) -> None:
    """Name the items of a priority that match no source."""
    from neardup.io.base import shown_path
    from neardup.keep import matches

    names = [source.name for source in documents.sources]
    idle = [each for each in wanted if not any(matches(name, each) for name in names)]
    if idle:
        seen = ", ".join(repr(shown_path(name)) if name else "the data" for name in names[:3])
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        progress.warn(
            f"priority: {', '.join(map(repr, idle))} names no source; the sources are "
            f"{seen}{more}; name one as it stands there, or a prefix of it that ends in /"
        )


def open_data(data: Any, config: Config, first: int = 0) -> tuple[Sequence[Source], Any]:
    """Sources of data in memory or of paths, and the data to select kept rows from."""
    from neardup.io import open_memory
    from neardup.io.base import FieldSpec

    if isinstance(data, str | os.PathLike):
        paths = [data]
    elif isinstance(data, list | tuple) and any(isinstance(item, os.PathLike) for item in data):
        paths = list(data)
        if not all(isinstance(item, os.PathLike) for item in paths):
            raise NeardupTypeError(
                "a list holds either paths (path-like objects) or texts (str), not both; "
                "wrap each path in pathlib.Path"
            )
    else:
        fields = FieldSpec(config.text, config.id, config.keep.field)
        return [open_memory(data, index=first, fields=fields, whole=config.out is not None)], data
    return open_files(paths, config, first), None


def open_files(
    inputs: Sequence[str | os.PathLike[str]], config: Config, first: int = 0
) -> list[Source]:
    """Sources of files, folders and globs, numbered from `first`."""
    from neardup.io import open_inputs

    return open_inputs(
        inputs,
        format=config.format,
        encoding=config.encoding,
        whole_file=config.whole_file,
        first=first,
    )


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


def _check_balance(summary: dict[str, Any]) -> None:
    """Hold every source to documents = kept + removed + rejected."""
    for name, part in (("all", summary), *summary["sources"].items()):
        if part["documents"] != part["kept"] + part["removed"] + part["rejected"]:
            counts = {key: part[key] for key in ("documents", "kept", "removed", "rejected")}
            raise NeardupError(f"internal error, please report it: {name}: {counts} do not add up")


def _peak_memory() -> int:
    """The most memory this process has had, in bytes."""
    try:
        # What getrusage says on Linux includes the process that started this one.
        with open("/proc/self/status", encoding="ascii") as status:
            return int(next(line for line in status if line.startswith("VmHWM:")).split()[1]) << 10
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:  # a system without getrusage
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
