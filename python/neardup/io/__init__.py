"""Reading and writing documents: texts in, raw rows out, files finished or absent."""

from __future__ import annotations

from neardup.io.arrow import ArrowSource, open_memory
from neardup.io.atomic import AtomicFile, StreamTarget, Target, write_bytes, writing
from neardup.io.base import Batch, FieldSpec, RawBatch, Reject, Source, Writer
from neardup.io.discover import find_files, kept_names, open_inputs
from neardup.io.registry import FORMATS, format_of, known_suffix, open_source, open_writer

__all__ = [
    "FORMATS",
    "ArrowSource",
    "AtomicFile",
    "Batch",
    "FieldSpec",
    "RawBatch",
    "Reject",
    "Source",
    "StreamTarget",
    "Target",
    "Writer",
    "find_files",
    "format_of",
    "kept_names",
    "known_suffix",
    "open_inputs",
    "open_memory",
    "open_source",
    "open_writer",
    "write_bytes",
    "writing",
]
