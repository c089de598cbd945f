"""Small helpers of the tests of reading and writing."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from neardup.io import AtomicFile, FieldSpec, Source, open_source, open_writer


def zstd(data: bytes) -> bytes:
    return pa.Codec("zstd").compress(data, asbytes=True)


COMPRESS = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstd,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
DECOMPRESS = {
    "": bytes,
    ".gz": gzip.decompress,
    ".zst": lambda data: pa.CompressedInputStream(pa.BufferReader(data), "zstd").read(),
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
}


def put(path: Path, data: bytes) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return str(path)


def texts(source: Source, *fields: str, **others: Any) -> list[str | None]:
    return [
        text
        for batch in source.batches(FieldSpec(fields or ("text",), **others))
        for text in batch.texts.to_pylist()
    ]


def rejects(source: Source, *fields: str) -> list[Any]:
    return [r for b in source.batches(FieldSpec(fields or ("text",))) for r in b.rejected]


def copy(source: Source, path: Path, keep: Any = None, codec: str | None = None) -> bytes:
    """Write the rows of a source for which ``keep(row)`` holds; by default all."""
    writer = open_writer(AtomicFile(path), source, codec)
    for raw in source.rows():
        rows = range(raw.first_row, raw.first_row + raw.rows)
        writer.write(raw, np.array([keep is None or keep(row) for row in rows], bool))
    writer.commit()
    return path.read_bytes()


__all__ = ["COMPRESS", "DECOMPRESS", "copy", "open_source", "put", "rejects", "texts", "zstd"]
