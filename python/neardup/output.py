"""Where a run writes: a folder, one file, standard output or nowhere; finished or absent."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from neardup.errors import UsageError
from neardup.io import AtomicFile, StreamTarget, Target, Writer, kept_names, known_suffix, writing
from neardup.io.annotate import AnnotatingWriter
from neardup.io.registry import open_writer

if TYPE_CHECKING:
    import pyarrow as pa

    from neardup.config import Config
    from neardup.io.annotate import Notes
    from neardup.io.base import Source
    from neardup.io.documents import Documents


class Output:
    """The files of one run.

    Parameters
    ----------
    config : Config
        `out`, `overwrite`, `dry_run`, `on_error`, and extra files.
    documents : Documents
        The inputs, whose names the kept files have.

    Raises
    ------
    UsageError
        OUT exists, is an input, or cannot hold these inputs.
    """

    def __init__(self, config: Config, documents: Documents) -> None:
        self.config = config
        self.out = None if config.dry_run else config.out
        self.sources = list(documents.sources[: documents.own])
        self.folder = self.out is not None and self.out != "-" and known_suffix(self.out) is None
        self._made: list[str] = []
        self.notes: Callable[[int], Notes] | None = None  # fields to add to the rows of a source
        if self.out is not None:
            self._check(self.out, documents)

    def _check(self, out: str, documents: Documents) -> None:
        if not self.folder:
            self._check_file(out)
        elif os.path.exists(out):
            self._check_folder(out)
        real = os.path.realpath(out)
        for source in documents.sources:
            path = os.path.realpath(source.name)
            inside = self.folder and os.path.commonpath([path, real]) == real
            if source.name not in ("", "-") and (path == real or inside):
                raise UsageError(
                    f"{out}: the output would overwrite the input {source.name}; choose another OUT"
                )

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
                "with --rejected FILE"
            )
        if out != "-" and os.path.exists(out) and not self.config.overwrite:
            raise UsageError(f"{out} exists; add --overwrite to replace it, or name another OUT")

    def _check_folder(self, out: str) -> None:
        if not os.path.isdir(out):
            raise UsageError(f"{out} is a file without a known suffix; name a folder or a new file")
        with writing(out):
            held = os.listdir(out)
        if held and not self.config.overwrite:
            raise UsageError(
                f"{out} exists and is not empty; add --overwrite to replace what is in it, or name "
                "another OUT"
            )
        if held and "summary.json" not in held and "kept" not in held:
            raise UsageError(
                f"{out} holds files that no run wrote ({', '.join(sorted(held)[:3])}); name "
                "another OUT"
            )

    @contextlib.contextmanager
    def guarded(self) -> Iterator[Output]:
        """On any error take back every file this run has made."""
        try:
            yield self
        except BaseException:
            for path in self._made:
                with contextlib.suppress(OSError):
                    os.unlink(path)
            if self.folder and self.out is not None:
                for folder in ("kept", ""):
                    with contextlib.suppress(OSError):
                        os.removedirs(os.path.join(self.out, folder))
            raise

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
            target = self._file(os.path.join(self.out, "kept", kept_names(self.sources)[number]))
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

    def table(self, name: str, table: pa.Table) -> None:
        """Write a table into the folder, and wherever else it was asked for."""
        import pyarrow.parquet as pq

        for path in self._paths(name):
            with writing(path), self._file(path) as file:
                pq.write_table(table, file.file, compression="zstd")

    def _paths(self, name: str) -> list[str]:
        extra = getattr(self.config, name, None)
        paths = [os.path.join(self.out, f"{name}.parquet")] if self.folder and self.out else []
        return paths if extra is None or self.config.dry_run else [*paths, extra]

    def rejects(self, documents: Documents) -> None:
        """Write the rows set aside."""
        if self.config.on_error != "skip" or self.config.dry_run:
            return
        paths = [self.config.rejected] if self.config.rejected is not None else []
        if self.folder and self.out is not None:
            paths.append(os.path.join(self.out, "rejected.jsonl"))
        for path in paths:
            with writing(path), self._file(path) as file:
                documents.rejects.copy(file.file)

    def summary(self, summary: dict[str, Any]) -> None:
        """Write the summary, last: a folder that has it is complete."""
        if self.folder and self.out is not None:
            path = os.path.join(self.out, "summary.json")
            with writing(path), self._file(path) as file:
                text = json.dumps(summary, ensure_ascii=False, indent=2)
                file.file.write(text.encode("utf-8", "surrogateescape") + b"\n")

    def _file(self, path: str) -> AtomicFile:
        file = AtomicFile(path)
        if not os.path.exists(path):
            self._made.append(path)
        return file
