"""Which texts contain a passage, exactly: an inverted index of shingles, looked up rarest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from neardup import _native
from neardup.asked import answers, inconsistent, share
from neardup.config import Config
from neardup.errors import DataError, NeardupError, NeardupTypeError, NeardupValueError
from neardup.sealed import Kind, Path
from neardup.sketching import whole
from neardup.spec import NATIVE, of_text, text_spec
from neardup.texts import columns, one_text

__all__ = ["ContainmentIndex", "containment"]

_FILE = Kind(b"ndcontns", "a containment index file")
_NORMALIZE = "nfkc,casefold,collapse-space"
_KEPT = ("hash", "stopwords", "stem", "fraction")
"""Options of texts that a file holds: a secret key is written nowhere."""


def containment(
    a: str,
    b: str,
    *,
    shingle: str = "word:3",
    normalize: str | Sequence[str] = _NORMALIZE,
    **text: Any,
) -> float:
    """Share of the shingles of one text that another text has, exactly.

    Parameters
    ----------
    a, b : str
        The passage, and the text that may contain it.
    shingle, normalize : str
        How a text becomes a set of shingles, see docs/options.md.
    **text
        `hash`, `hash_key_file`, `stopwords`, `stem`, `fraction`, as of `dedup`.

    Returns
    -------
    float
        Shared shingles over the shingles of `a`; 0 if it has none.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        Not texts, or an option that is not allowed.

    Examples
    --------
    >>> passage, text = "not to be", "to be or not to be"
    >>> containment(passage, text), containment(text, passage)
    (1.0, 0.25)
    """
    given = {"shingle": shingle, "normalize": normalize, **of_text(text, "containment", NATIVE)}
    spec = text_spec(Config.from_options(given))
    left, right = spec.set(one_text(a, "a")), spec.set(one_text(b, "b"))
    shared = len(np.intersect1d(left, right, assume_unique=True))
    return shared / len(left) if len(left) else 0.0


class ContainmentIndex:
    """An index of texts that is asked which of them contain a passage.

    The containment of a passage in a text is the share of the passage's shingles that the text has,
    however much longer the text is. Every shingle is in the index, so answers are exact and none is
    missed: a text that has s of w shingles has one of any w - s + 1, and the rarest are looked up.

    Texts are numbered from 0 in order of insertion. Any number of threads may use one index at
    once.

    Parameters
    ----------
    texts : collection of texts, optional
        Inserted at once.
    shingle, normalize : str
        How a text becomes a set of shingles, see docs/options.md. A passage shorter than one
        shingle is one shingle, the whole of it, and is found in texts equal to it alone.
    **text
        `hash` (all but siphash), `stopwords`, `stem`, `fraction`, as of `dedup`.
    threads : int, default 0
        0 is one for every core. No answer depends on it.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        An option is not allowed, or `texts` is no collection of texts.

    Notes
    -----
    Memory: 12.2 bytes for each shingle of each text. Measured against LSH Ensemble (Zhu, Nargesian,
    Pu, Miller, VLDB 2016) and samples of the shingles: docs/guide/containment.md.

    References
    ----------
    Chaudhuri, Ganti, Kaushik: A Primitive Operator for Similarity Joins, ICDE 2006 (prefix filter).

    Examples
    --------
    >>> from neardup import ContainmentIndex
    >>> index = ContainmentIndex([
    ...     "To be, or not to be, that is the question: whether 'tis nobler in the mind to suffer",
    ...     "The slings and arrows of outrageous fortune",
    ...     "or not to be, that is the riddle",
    ... ])
    >>> index.query("not to be, that is the question", threshold=0.5)
    [(0, 1.0), (2, 0.8)]
    """

    __slots__ = ("_config", "_native", "_text")

    def __init__(
        self,
        texts: Any = None,
        *,
        shingle: str = "word:3",
        normalize: str | Sequence[str] = _NORMALIZE,
        threads: int = 0,
        **text: Any,
    ) -> None:
        given = {"shingle": shingle, "normalize": normalize, "threads": threads}
        self._config = Config.from_options({**given, **of_text(text, "ContainmentIndex", _KEPT)})
        self._text = text_spec(self._config)
        self._native = _native.Containment()
        if texts is not None:
            self.insert(texts)

    @property
    def identity(self) -> str:
        """The text spec: indexes of another cannot be merged."""
        return self._text.identity

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._native.nbytes

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<ContainmentIndex of {len(self):,} texts, {self._native.shingles:,} shingles>"

    def insert(self, texts: Any) -> range:
        """Insert texts.

        Parameters
        ----------
        texts : iterable of str, or a string column that speaks Arrow
            Null is an error.

        Returns
        -------
        range
            The ids the texts were given.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not a collection of texts, a row that is not a str, a null, more than 2^32 - 1 texts.
        """
        first, spec = len(self), self._text
        for each in columns(texts):
            self._native.insert(each, None, spec, self._config.threads)
        return range(first, len(self))

    def query(
        self,
        passages: Any,
        threshold: float = 0.8,
        *,
        limit: int | None = None,
        format: Literal["lists", "csr"] = "lists",
    ) -> Any:
        """Find the texts that contain a passage, or each of many.

        Parameters
        ----------
        passages : str, or collection of texts as for `insert`
        threshold : float, default 0.8
            Share of the passage's shingles that a text must have, above 0, up to 1.
        limit : int, optional
            At most so many answers a passage, the best.
        format : "lists" or "csr"
            For many: a list a passage, or flat arrays ``ids, offsets, containments``.

        Returns
        -------
        list of (int, float)
            For one passage: (id, containment), exact, best first, ties by id.
        list of list, or tuple of numpy.ndarray
            For many.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            As `insert`; `threshold` or `limit` out of range.
        """
        least = share(threshold)
        if limit is not None:
            limit = whole(limit, "limit", 1, 2**63 - 1)
        single = isinstance(passages, str)
        asked = [[one_text(passages, "passages")]] if single else columns(passages)
        parts = [
            self._native.query(each, None, self._text, least, limit, self._config.threads)
            for each in asked
        ]
        ids, offsets, shares = parts[0]
        for more_ids, more_offsets, more_shares in parts[1:]:
            offsets = np.concatenate([offsets, more_offsets[1:] + len(ids)])
            ids, shares = np.concatenate([ids, more_ids]), np.concatenate([shares, more_shares])
        return answers((ids, offsets, shares), single, format)

    def merge(self, other: ContainmentIndex) -> None:
        """Take over the texts of another index; their ids follow the own ones.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not such an index, or one of another text spec; the message names both.
        """
        if not isinstance(other, ContainmentIndex):
            raise NeardupTypeError(f"other must be a ContainmentIndex, got {type(other).__name__}")
        if self.identity != other.identity:
            raise NeardupValueError(
                f"indexes of different making cannot be merged: [{self.identity}] and "
                f"[{other.identity}]"
            )
        self._native.merge(other._native)

    def save(self, path: Path) -> None:
        """Write a file, finished or absent: 12 bytes for each shingle of each text.

        Raises
        ------
        NeardupError
            It cannot be written.
        """
        keys, ids, lengths = self._native.parts()
        header = {
            "shingle": str(self._config.shingle),
            "normalize": ",".join(self._config.normalize) or "none",
            "text": {name: getattr(self._config, name) for name in _KEPT},
            "identity": self.identity,
            "texts": len(self),
            "lengths": lengths.tolist(),
        }
        _FILE.write(path, header, [keys.astype("<u8", copy=False), ids.astype("<u4", copy=False)])

    @classmethod
    def load(cls, path: Path, threads: int = 0) -> ContainmentIndex:
        """Read what `save` wrote: the same texts, ids and answers.

        Raises
        ------
        DataError
            The file is empty, truncated, altered, no such file, or made by another version.
        NeardupError
            It cannot be read.
        """
        header, (keys, ids) = _FILE.read(path, 2)
        match header:
            case {
                "shingle": str(shingle),
                "normalize": str(normalize),
                "text": dict(text),
                "identity": str(identity),
                "texts": int(count),
                "lengths": [*lengths],
            } if (
                0 <= count < 2**32
                and all(type(each) is int and 0 <= each < 2**63 for each in lengths)
                and (len(keys) % 8, len(ids) % 4) == (0, 0)
            ):
                parts = (
                    np.frombuffer(keys, "<u8").astype(np.uint64),
                    np.frombuffer(ids, "<u4").astype(np.uint32),
                )
            case _:
                raise inconsistent(path, _FILE.name)
        try:
            index = cls(shingle=shingle, normalize=normalize, threads=threads, **text)
            index._native = _native.Containment.of_parts(*parts, lengths, count)
        except NeardupError as error:
            raise DataError(
                f"{_FILE.name} that is inconsistent: {error}", source=str(path)
            ) from None
        if index.identity != identity:
            raise DataError(
                f"{_FILE.name} of [{identity}], this program makes [{index.identity}]",
                source=str(path),
            )
        return index
