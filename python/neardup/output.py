"""Where a run writes: a folder, one file, standard output or nowhere; finished or absent."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from neardup.checkpoint import FOLDER
from neardup.errors import NeardupError, UsageError
from neardup.io import AtomicFile, StreamTarget, Target, Writer, kept_names, known_suffix, writing
from neardup.io.annotate import AnnotatingWriter
from neardup.io.atomic import PART
from neardup.io.places import (
    absolute,
    create,
    exists,
    files_below,
    is_folder,
    local,
    names,
    prune,
    remove,
)
from neardup.io.registry import open_writer
from neardup.tables import TABLE_VERSION

if TYPE_CHECKING:
    import pyarrow as pa

    from neardup.config import Config
    from neardup.io.annotate import Notes
    from neardup.io.base import Source
    from neardup.io.documents import Documents


KEPT, SUMMARY = "kept", "summary.json"
FILES = ("removed.parquet", "pairs.parquet", "clusters.parquet", "rejected.jsonl", SUMMARY)
"""What a run writes into a folder, beside the kept rows."""


def out_folder(config: Config) -> str | None:
    """OUT where it is a folder; None where it is a file, a stream or nothing."""
    out = None if config.dry_run or config.out is None else local(config.out)
    return None if out is None or out == "-" or known_suffix(out) is not None else out


class Output:
    """The files of one run.

    Parameters
    ----------
    config : Config
        `out`, `overwrite`, `dry_run`, `on_error`, and extra files.
    documents : Documents
        The inputs, whose names the kept files have.
    inputs : sequence of path-like
        What the user called the inputs: files, folders, patterns.

    Raises
    ------
    UsageError
        An output exists, is an input or lies in an input folder, or cannot hold these inputs.
    """

    def __init__(
        self, config: Config, documents: Documents, inputs: Sequence[str | os.PathLike[str]] = ()
    ) -> None:
        self.config = config
        self.out = None if config.dry_run or config.out is None else local(config.out)
        self.sources = list(documents.sources[: documents.own])
        self.folder = out_folder(config) is not None
        self.names = kept_names(self.sources) if self.folder else []
        extra = () if config.dry_run else (config.removed, config.pairs, config.rejected)
        self._extra = [local(path) for path in extra if path is not None]
        self._existed = self.out not in (None, "-") and exists(self.out or "")
        self._made: list[str] = []
        self._written: set[str] = set()
        main = [] if self.out is None or self.out == "-" else [self.out]
        apart([*main, *self._extra], documents, inputs)
        if config.rejected is not None and config.on_error != "skip":
            raise UsageError(
                "--rejected names a file for rows set aside, and so far a bad row stops the run; "
                "add --on-error skip, or leave --rejected out"
            )
        self.notes: Callable[[int], Notes] | None = None  # fields to add to the rows of a source
        if self.out is not None:
            self._check(self.out)
        for path in self._extra:
            self._check_extra(path)

    def _check(self, out: str) -> None:
        if not self.folder:
            self._check_file(out)
        elif self._existed:
            self._check_folder(out)

    def _check_extra(self, path: str) -> None:
        if path == "-":
            raise UsageError("only -o - writes to standard output; name a file for this table")
        real = absolute(path, resolved=True)
        if self.folder and self.out is not None:
            root = absolute(self.out, resolved=True)
            written = [os.path.join(root, name) for name in FILES]
            if real in written or any(
                _within(real, os.path.join(root, name)) for name in (KEPT, FOLDER)
            ):
                raise UsageError(f"{path} is written anyway; choose another file, or leave it out")
        found = known_suffix(path)
        wanted = (
            "jsonl" if self.config.rejected and path == local(self.config.rejected) else "parquet"
        )
        if found is not None and (found[0].name, found[1]) != (wanted, ""):
            raise UsageError(
                f"{path}: this table is written as plain {wanted}; name a .{wanted} file"
            )
        if exists(path) and not (self.config.overwrite or self.config.resume):
            raise UsageError(f"{path} exists; add --overwrite to replace it, or name another file")

    def _check_file(self, out: str) -> None:
        if len(self.sources) != 1:
            raise UsageError(
                f"{out} is one file for {len(self.sources)} inputs; name a folder instead"
            )
        source = self.sources[0]
        wanted = "parquet" if source.format == "arrow" else source.format
        found = known_suffix(out)
        if found is not None and found[0].name != wanted:
            raise UsageError(
                f"{out} is {found[0].name} and the input {source.name or 'in memory'} is {wanted}; "
                "the kept rows are written as they came"
            )
        if self.config.on_error == "skip" and self.config.rejected is None:
            raise UsageError(
                f"{out} is one file: name another for the rows that --on-error skip sets aside, "
                "with --rejected FILE, or name a folder"
            )
        if self._existed and not self.config.overwrite:
            raise UsageError(f"{out} exists; add --overwrite to replace it, or name another OUT")

    def _check_folder(self, out: str) -> None:
        if not is_folder(out):
            raise UsageError(f"{out} is a file without a known suffix; name a folder or a new file")
        held = names(out)
        if held and not (self.config.overwrite or self.config.resume):
            if f"{FOLDER}/" in held:
                raise UsageError(
                    f"{out} holds a run that was stopped; add --resume to go on after its last "
                    "finished pass, or --overwrite to begin again"
                )
            raise UsageError(
                f"{out} exists and is not empty; add --overwrite to replace what is in it, or name "
                "another OUT"
            )
        if held and not {SUMMARY, f"{KEPT}/", f"{FOLDER}/"} & set(held):
            raise UsageError(
                f"{out} holds files that no run wrote ({', '.join(held[:3])}); name another OUT"
            )
        if foreign := self._foreign(out):
            raise UsageError(f"{foreign[0]}: no run wrote this; move it away, or name another OUT")

    def _foreign(self, out: str) -> list[str]:
        """Files among the kept rows that are neither an earlier run's, by its summary, nor ours."""
        kept = os.path.join(out, KEPT)
        try:
            with open(os.path.join(out, SUMMARY), encoding="utf-8") as file:
                earlier = json.load(file)["sources"]
        except (OSError, ValueError, KeyError):
            return []  # a run that was stopped, whose files have no list
        ours = {os.path.basename(name) for name in (*earlier, *self.names)}
        return [
            path
            for path in files_below(kept)
            if os.path.basename(path) not in ours
            and not fnmatch(os.path.basename(path), PART)
            and not os.path.basename(path).startswith(("stdin.", "data.parquet"))
        ]

    def begin(self) -> None:
        """Files will be written from here on."""
        if self.folder and self.out is not None:
            # Without it the folder does not count as finished, whatever happens now.
            remove(os.path.join(self.out, SUMMARY))

    @contextlib.contextmanager
    def guarded(self) -> Iterator[Output]:
        """On any error take back every file this run has made."""
        try:
            yield self
        except BaseException:
            for path in self._made:
                with contextlib.suppress(NeardupError):
                    remove(path)
            if self.folder and self.out is not None:
                prune(os.path.join(self.out, KEPT))
                if not self._existed:
                    prune(self.out)
            raise

    def leaves_out(self, number: int, kept: bool) -> bool:
        """Whether a source has no output: a file that was one document, and goes."""
        whole = self.config.whole_file and self.sources[number].format == "txt"
        return whole and self.folder and not kept

    @contextlib.contextmanager
    def writer(self, number: int) -> Iterator[Writer]:
        """A writer for the kept rows of a source."""
        source: Source = self.sources[number]
        codec = None
        target: Target
        if self.out is None or self.out == "-":
            target = StreamTarget(sys.stdout.buffer)
            codec = ""
        elif self.folder:
            target = self._file(os.path.join(self.out, KEPT, self.names[number]))
        else:
            target = self._file(self.out)
            found = known_suffix(self.out)
            codec = found[1] if found else None
        writer: Writer
        if self.notes is None:
            writer = open_writer(target, source, codec)
        else:
            writer = AnnotatingWriter(target, source, codec, self.notes(number))
        try:
            yield writer
            writer.commit()
        except BaseException:
            writer.abort()
            raise

    def wants(self, name: str) -> bool:
        """Whether a table is written anywhere."""
        return bool(self._paths(name))

    def table(self, name: str, pieces: Iterable[pa.Table]) -> None:
        """Write a table into the folder, and wherever else it was asked for."""
        import pyarrow.parquet as pq

        mark = {"neardup.table": f"{name}/{TABLE_VERSION}"}
        with contextlib.ExitStack() as files:
            writers: dict[str, pq.ParquetWriter] = {}
            for piece in pieces:
                for path in () if writers else self._paths(name):
                    file = files.enter_context(self._file(path)).file
                    schema = piece.schema.with_metadata(mark)
                    writer = pq.ParquetWriter(file, schema, compression="zstd")
                    writers[path] = files.enter_context(writer)
                for path, writer in writers.items():
                    with writing(path):
                        writer.write_table(piece)

    def _paths(self, name: str) -> list[str]:
        extra = getattr(self.config, name, None)
        paths = [os.path.join(self.out, f"{name}.parquet")] if self.folder and self.out else []
        return paths if extra is None or self.config.dry_run else [*paths, local(extra)]

    def rejects(self, documents: Documents) -> None:
        """Write the rows set aside."""
        if self.config.on_error != "skip" or self.config.dry_run:
            return
        paths = [local(self.config.rejected)] if self.config.rejected is not None else []
        if self.folder and self.out is not None:
            paths.append(os.path.join(self.out, "rejected.jsonl"))
        for path in paths:
            with writing(path), self._file(path) as file:
                file.file.writelines(documents.rejects.blocks())

    def summary(self, summary: dict[str, Any]) -> None:
        """Write the summary, last: a folder that has it is complete."""
        if self.folder and self.out is not None:
            self._clear(self.out)
            path = os.path.join(self.out, SUMMARY)
            with writing(path), self._file(path) as file:
                text = json.dumps(summary, ensure_ascii=False, indent=2)
                file.file.write(text.encode() + b"\n")

    def _clear(self, out: str) -> None:
        """Remove what an earlier run, finished or killed, left in the folder."""
        own = [os.path.join(out, name) for name in FILES]
        parts = [os.path.join(out, name) for name in names(out) if fnmatch(name, PART)]
        kept = os.path.join(out, KEPT)
        held = files_below(kept)
        for path in {*own, *parts, *held} - self._written:
            remove(path)
        prune(kept)

    def _file(self, path: str) -> AtomicFile:
        if not exists(path):
            self._made.append(path)
        self._written.add(path)
        return create(path)


def apart(
    outputs: Sequence[str], documents: Documents, inputs: Sequence[str | os.PathLike[str]]
) -> None:
    """Hold that no output is or contains an input, lies in an input folder, or is another output.

    Raises
    ------
    UsageError
        Names both sides.
    """
    files = [source.name for source in documents.sources if source.name not in ("", "-")]
    folders = [os.fspath(name) for name in inputs if is_folder(local(os.fspath(name)))]
    read, roots = ([(absolute(each, resolved=True), each) for each in e] for e in (files, folders))
    seen: dict[str, str] = {}
    for output in outputs:
        real = absolute(output, resolved=True)
        for path, name in read:
            if _within(path, real):
                raise UsageError(
                    f"{output} would overwrite the input {name}; choose another output"
                )
        for path, name in roots:
            if _within(real, path):
                raise UsageError(
                    f"{output} lies in the input folder {name}, where the next run would read it; "
                    "choose another output"
                )
        if real in seen:
            raise UsageError(f"{output} is named for two outputs; choose another for one of them")
        seen[real] = output


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
