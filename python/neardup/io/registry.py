"""The formats: suffixes, how to open a file, how to write its rows. A new one is a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from neardup.errors import UsageError
from neardup.io.arrow import ArrowSource
from neardup.io.atomic import Target
from neardup.io.base import Source, Writer
from neardup.io.codecs import CODECS, split_suffix
from neardup.io.csv import CsvSource, TsvSource
from neardup.io.json_array import JsonArrayWriter, JsonSource
from neardup.io.jsonl import JsonlSource
from neardup.io.parquet import Layout, ParquetSource, ParquetWriter
from neardup.io.text import LinesSource, WholeFileSource
from neardup.io.textrows import TextWriter
from neardup.io.textsource import TextSource

__all__ = ["FORMATS", "Format", "format_of", "known_suffix", "open_source", "open_writer"]


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes
    ----------
    name : str
        As ``--format`` says it.
    suffixes : tuple of str
        The first is the one written.
    source : callable
        ``(path, codec, options) -> Source``.
    writer : callable
        ``(target, codec, source) -> Writer``; the source is the one whose rows will come.
    compressed : bool
        Whether a compression suffix may follow.
    """

    name: str
    suffixes: tuple[str, ...]
    source: Callable[[str, str, dict[str, Any]], Source]
    writer: Callable[[Target, str, Any], Writer]
    compressed: bool = True


def parquet_layout(source: Any) -> Layout:
    """Schema and properties of a Parquet file for the rows of a source."""
    layout: Layout = Layout(source.schema) if isinstance(source, ArrowSource) else source.layout()
    return layout


def _parquet_writer(target: Target, codec: str, source: Any) -> Writer:
    return ParquetWriter(target, parquet_layout(source))


def _text_writer(target: Target, codec: str, source: Any) -> Writer:
    return TextWriter(target, codec)


def _json_writer(target: Target, codec: str, source: Any) -> Writer:
    if source.is_array():
        return JsonArrayWriter(target, codec, source.encoding)
    return TextWriter(target, codec)


def _lines_or_whole(path: str, codec: str, options: dict[str, Any]) -> Source:
    whole = options.pop("whole_file")
    return (WholeFileSource if whole else LinesSource)(path, codec, **options)


def _text_source(kind: type[TextSource]) -> Callable[[str, str, dict[str, Any]], Source]:
    def open_it(path: str, codec: str, options: dict[str, Any]) -> Source:
        del options["whole_file"]
        return kind(path, codec, **options)

    return open_it


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format("jsonl", (".jsonl", ".ndjson"), _text_source(JsonlSource), _text_writer),
        Format("json", (".json",), _text_source(JsonSource), _json_writer),
        Format("csv", (".csv",), _text_source(CsvSource), _text_writer),
        Format("tsv", (".tsv",), _text_source(TsvSource), _text_writer),
        Format("txt", (".txt",), _lines_or_whole, _text_writer),
        Format(
            "parquet",
            (".parquet", ".pq"),
            lambda path, codec, options: ParquetSource(
                path, index=options["index"], name=options["name"]
            ),
            _parquet_writer,
            compressed=False,
        ),
    )
}


def known_suffix(path: str) -> tuple[Format, str] | None:
    """Format and codec by suffix; None where it says nothing.

    Examples
    --------
    >>> found = known_suffix("a.ndjson.zst")
    >>> found[0].name, found[1]
    ('jsonl', 'zstd')
    """
    stem, codec = split_suffix(path)
    lower = stem.lower()
    for each in FORMATS.values():
        if lower.endswith(each.suffixes) and (each.compressed or not codec):
            return each, codec
    return None


def format_of(path: str, given: str | None = None) -> tuple[Format, str]:
    """Format and codec of a path; ``given`` is what ``--format`` says of unknown suffixes."""
    found = known_suffix(path)
    if found:
        return found
    name = given or "jsonl"
    if name not in FORMATS:
        raise UsageError(f'unknown format "{name}": choose from {", ".join(FORMATS)}')
    chosen = FORMATS[name]
    return chosen, split_suffix(path)[1] if chosen.compressed else ""


def open_source(
    path: str,
    *,
    name: str | None = None,
    index: int = 0,
    format: str | None = None,
    encoding: str = "utf-8",
    whole_file: bool = False,
) -> Source:
    """Open one file as a source.

    Parameters
    ----------
    path : str
        Where it is.
    name : str, optional
        The path as found, where it differs.
    index : int
        Number of the source.
    format : str, optional
        Format of a file whose suffix says nothing.
    encoding : str
        Encoding of text formats.
    whole_file : bool
        Each plain text file is one document.
    """
    chosen, codec = format_of(name or path, format)
    options: dict[str, Any] = {"index": index, "name": path if name is None else name}
    options |= {"encoding": encoding, "whole_file": whole_file}
    return chosen.source(path, codec, options)


def open_writer(target: Target, source: Source, codec: str | None = None) -> Writer:
    """A writer for rows of ``source`` in its own format; ``codec`` None is the source's own."""
    chosen = FORMATS["parquet" if source.format == "arrow" else source.format]
    codec = source.codec if codec is None else codec
    if codec and (not chosen.compressed or codec not in CODECS):
        raise UsageError(f'{chosen.name} files cannot be compressed as "{codec}"')
    return chosen.writer(target, codec, source)
