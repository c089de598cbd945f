"""Finished passes of a run, kept in OUT/.neardup until it is done: what `--resume` goes on from."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from neardup import _native
from neardup.config import RUN_OPTIONS
from neardup.engines.base import Candidates, Verified
from neardup.errors import DataError, UsageError
from neardup.sealed import Kind
from neardup.survey import Survey

if TYPE_CHECKING:
    from neardup.io.documents import Documents
    from neardup.plan import Plan

FOLDER, MANIFEST = ".neardup", "manifest.json"
WORTH_KEEPING = 10.0
"""Seconds of work below which an error or an interrupt leaves nothing behind."""

_ADVICE = "begin again with --overwrite"
SURVEY = Kind(b"ND-pass1", "a finished first pass", advice=_ADVICE)
PAIRS = Kind(b"ND-pairs", "a finished verification", advice=_ADVICE)

_ARRAYS = {
    "starts": "<i8",
    "ok": "|b1",
    "digest": "<u8",
    "raw": "<u8",
    "tokens": "<u4",
    "words": "<u4",
    "bytes": "<u8",
    "keep_value": "<f8",
    "keep_rest": "<f8",
}
_SIDES = {"a": "<u4", "b": "<u4", "similarity": "<f8", "numbers_differ": "|b1"}

# What may differ between the run that was stopped and the one that goes on.
_FREE = {"preset", *(each.name for each in RUN_OPTIONS if each.group in ("Machine", "Output"))}


class Checkpoint:
    """The finished passes of one run; a context manager around everything it does.

    Parameters
    ----------
    out : str, optional
        The folder the run writes to; without one nothing is kept and nothing is found.
    plan : Plan
    documents : Documents
        Data in memory and standard input cannot be known again: then too nothing is kept.

    Raises
    ------
    UsageError
        `resume` was asked for, and what is there belongs to other inputs, options or versions.
    """

    def __init__(self, out: str | None, plan: Plan, documents: Documents) -> None:
        self._plan, self._documents = plan, documents
        self._began = time.monotonic()
        self._folder = None if out is None else os.path.join(out, FOLDER)
        self._made_out = out is not None and not os.path.exists(out)
        self._manifest = _manifest(plan, documents)
        self._worth = self._found = False
        config = plan.config
        if self._folder is None or not os.path.isdir(self._folder):
            return
        difference = self._difference() if config.resume else None
        if difference and not config.overwrite:
            raise UsageError(
                f"{self._folder}: {difference}; ask for the same as before, or {_ADVICE}"
            )
        self._found = config.resume and not difference
        if not self._found:
            shutil.rmtree(self._folder)

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._folder is None or (kind is not None and (self._worth or self._found)):
            return
        shutil.rmtree(self._folder, ignore_errors=True)
        if kind is not None and self._made_out:
            with contextlib.suppress(OSError):
                os.rmdir(os.path.dirname(self._folder))

    def survey(self) -> Survey | None:
        """The first pass, if it was finished; its rejected rows join those of the documents."""
        path = self._path("survey")
        if path is None:
            return None
        header, sections = SURVEY.read(path, len(_ARRAYS) + 2)
        with _consistent(SURVEY, path):
            self._own(header)
            return self._survey(header, sections)

    def _survey(self, header: dict[str, Any], sections: list[memoryview]) -> Survey:
        arrays: dict[str, Any] = {
            name: np.frombuffer(section, kind).copy()
            for (name, kind), section in zip(_ARRAYS.items(), sections, strict=False)
        }
        for name in ("digest", "raw"):
            arrays[name] = arrays[name].reshape(-1, 2)
        keys = np.frombuffer(sections[-2], "<u8").astype(np.uint64)  # aligned, too
        bands = _native.BandKeys.of(keys, header["bands"])
        counts = {int(source): count for source, count in header["rejected"].items()}
        arrays.update(dict.fromkeys(header["absent"]))
        told: dict[str, Any] = {name: int(header[name]) for name in ("short_han", "unsampled")}
        survey = Survey(**arrays, **told, bands=bands)
        ends, rows = survey.starts, len(survey)
        lengths = {
            len(each) for name, each in arrays.items() if name != "starts" and each is not None
        }
        if lengths != {rows} or (header["bands"] and bands.documents != rows):
            raise ValueError("columns of different lengths")
        if len(ends) != len(self._documents.sources) + 1 or ends[-1] != rows or ends[0] != 0:
            raise ValueError("not the rows of these sources")
        self._documents.rejects.restore(counts, sections[-1])
        return survey

    def save_survey(self, survey: Survey) -> None:
        """Keep the first pass."""
        if self._folder is None or self._manifest is None:
            return
        from neardup.io.atomic import AtomicFile

        with AtomicFile(os.path.join(self._folder, MANIFEST), durable=False) as file:
            file.file.write(json.dumps(self._manifest, indent=1).encode())
        rejects, bands = self._documents.rejects, self._plan.kernel().bands
        arrays, absent = [], []
        for name, kind in _ARRAYS.items():
            array = getattr(survey, name)
            absent += [name] if array is None else []
            arrays.append(np.asarray([] if array is None else array, kind))
        lengths = [array.nbytes for array in arrays]
        lengths += [8 * bands * survey.bands.documents, rejects.nbytes]

        def pieces() -> Iterator[Any]:
            yield from arrays
            for band in range(bands):
                yield survey.bands.column(band).astype("<u8", copy=False)
            yield from rejects.blocks()

        header = {"run": self._run, "bands": bands, "rejected": rejects.counts, "absent": absent}
        header |= {"short_han": survey.short_han, "unsampled": survey.unsampled}
        path = os.path.join(self._folder, "survey")
        SURVEY.write(path, header, pieces(), lengths=lengths, durable=False)
        self._saved()

    def verified(self) -> tuple[Candidates, Verified, int] | None:
        """What verification found, if it was finished: candidates as far as they passed, pairs,
        and how many the guard refused."""
        path = self._path("pairs")
        if path is None:
            return None
        header, sections = PAIRS.read(path, len(_SIDES))
        with _consistent(PAIRS, path):
            self._own(header)
            kinds = zip(_SIDES.values(), sections, strict=True)
            arrays = [np.frombuffer(section, kind).copy() for kind, section in kinds]
            if len({len(each) for each in arrays}) != 1:
                raise ValueError("columns of different lengths")
            a, b, similarity, differ = arrays
            pairs = Verified(a, b, similarity, differ, int(header["refused"]))
            compared = Candidates(pairs.a, pairs.b, **header["candidates"])
            return compared, pairs, int(header["guarded"])

    def save_verified(self, candidates: Candidates, pairs: Verified, guarded: int) -> None:
        """Keep what verification found."""
        if self._folder is None or self._manifest is None:
            return
        names = ("capped_buckets", "capped_pairs", "compared")
        counts = {name: getattr(candidates, name) for name in names}
        arrays = [np.asarray(getattr(pairs, name), kind) for name, kind in _SIDES.items()]
        path = os.path.join(self._folder, "pairs")
        header = {"run": self._run, "candidates": counts, "guarded": guarded}
        header |= {"refused": pairs.refused}
        PAIRS.write(path, header, arrays, durable=False)
        self._saved()

    @property
    def _run(self) -> str:
        """What all files of one run have in common, and of two runs never."""
        text = json.dumps(self._manifest, sort_keys=True).encode()
        return blake2b(text, digest_size=16).hexdigest()

    def _own(self, header: dict[str, Any]) -> None:
        if header["run"] != self._run:
            raise ValueError("it belongs to a run over other inputs or with other options")

    def _saved(self) -> None:
        self._worth = time.monotonic() - self._began >= WORTH_KEEPING

    def _path(self, name: str) -> str | None:
        path = os.path.join(self._folder or "", name)
        return path if self._found and os.path.exists(path) else None

    def _difference(self) -> str | None:
        """In words, how this run differs from the one that was stopped."""
        try:
            with open(os.path.join(self._folder or "", MANIFEST), encoding="utf-8") as file:
                before = json.load(file)
        except FileNotFoundError:
            return None  # it was stopped before its first pass was finished
        except (OSError, ValueError) as error:
            return f"what the stopped run left cannot be read ({error})"
        if self._manifest is None:
            return "standard input and data in memory cannot be told from those of the stopped run"
        return _difference(before, self._manifest)


@contextlib.contextmanager
def _consistent(kind: Kind, path: str) -> Iterator[None]:
    """Names the file if what it holds, whole as it is, does not go together."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        message = f"{kind.name} is inconsistent: {error}; {_ADVICE}"
        raise DataError(message, source=path) from error


def _manifest(plan: Plan, documents: Documents) -> dict[str, Any] | None:
    """All that the results depend on; None where an input cannot be known again."""
    from neardup import __version__

    inputs: dict[str, list[int]] = {}
    for source in documents.sources:
        seen = source.fingerprint()
        if seen is None or source.name == "-":
            return None
        inputs[source.name] = list(seen)
    names = [each.name for each in RUN_OPTIONS if each.name not in _FREE]
    return {
        "version": __version__,
        "text spec": plan.spec.identity,
        "sketch": plan.sketch.identity,
        "options": {name: str(getattr(plan.config, name)) for name in names},
        "inputs": inputs,
    }


def _difference(before: Any, now: dict[str, Any]) -> str | None:
    """The first difference of two manifests.

    Examples
    --------
    >>> one = {"version": "1", "text spec": "", "sketch": "", "options": {}, "inputs": {}}
    >>> _difference(one, {**one, "version": "2"})
    'the stopped run had version 1, this one has 2'
    """
    if not isinstance(before, dict) or before.keys() != now.keys():
        return "what the stopped run left is not of this version"
    for name in ("version", "text spec", "sketch"):
        if before[name] != now[name]:
            return f"the stopped run had {name} {before[name]}, this one has {now[name]}"
    for name, value in now["options"].items():
        if before["options"].get(name) != value:
            had = before["options"].get(name)
            return f"the stopped run had --{name.replace('_', '-')} {had}, this one has {value}"
    for name, seen in now["inputs"].items():
        if name not in before["inputs"]:
            return f"the stopped run did not read {name}"
        if before["inputs"][name] != seen:
            return f"{name} has changed since the stopped run read it"
    for name in before["inputs"].keys() - now["inputs"].keys():
        return f"the stopped run read {name} too"
    if list(before["inputs"]) != list(now["inputs"]):
        return "the stopped run read the inputs in another order"
    return None
