"""How rare each shingle is in a corpus: the weights of tf-idf.

A shingle that n_x of n texts have weighs ln((1 + n) / (1 + n_x)) + 1 for each time a text has it:
the smooth idf, as if one more text had every shingle once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from neardup import _native
from neardup.config import Config
from neardup.measures.counts import Weights
from neardup.signatures import _NORMALIZE
from neardup.spec import NATIVE, of_text, text_spec
from neardup.texts import listed

__all__ = ["TfIdf"]

SLICE = 8192
"""Texts whose sets are in memory at a time."""


class TfIdf:
    """What a corpus says of the weight of shingles; for ``similarity(..., corpus=...)``.

    Parameters
    ----------
    corpus : collection of str
        A list, or a string column that speaks Arrow.
    shingle, normalize : str
        How a text becomes shingles, see docs/options.md.
    **text
        `hash`, `hash_key_file`, `stopwords`, `stem`, `fraction`, as of `dedup`.

    Attributes
    ----------
    documents : int
        Texts of the corpus.
    identity : str
        The text spec.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        Not texts, or an option that is not allowed.

    Examples
    --------
    >>> from neardup import similarity
    >>> corpus = TfIdf(["the cat", "the dog", "the end"], shingle="word:1")
    >>> corpus.documents, len(corpus)
    (3, 4)
    >>> similarity("the cat", "a dog", "tfidf", corpus=corpus, shingle="word:1")
    0.0
    """

    def __init__(
        self,
        corpus: Any,
        *,
        shingle: str = "word:3",
        normalize: str | Sequence[str] = _NORMALIZE,
        **text: Any,
    ) -> None:
        given = {"shingle": shingle, "normalize": normalize, **of_text(text, "TfIdf", NATIVE)}
        self._count(corpus, text_spec(Config.from_options(given)))

    @classmethod
    def of(cls, corpus: Any, spec: _native.TextSpec) -> TfIdf:
        """What a corpus cut by this spec says."""
        made = cls.__new__(cls)
        made._count(corpus, spec)
        return made

    def _count(self, corpus: Any, spec: _native.TextSpec) -> None:
        self.spec = spec
        texts = listed(corpus)
        self.documents = len(texts)
        self._hashes = np.empty(0, np.uint64)
        found = np.empty(0, np.int64)
        for first in range(0, len(texts), SLICE):
            sets = _sets(texts[first : first + SLICE], self.spec)
            hashes, counts = np.unique(sets, return_counts=True)
            every, place = np.unique(np.concatenate([self._hashes, hashes]), return_inverse=True)
            weights = np.concatenate([found, counts]).astype(np.float64)
            found = np.bincount(place, weights, len(every)).astype(np.int64)
            self._hashes = every
        self._idf = np.log((1 + self.documents) / (1 + found)) + 1
        self._unseen = float(np.log(1 + self.documents) + 1)

    @property
    def identity(self) -> str:
        """How texts become shingles, in one line."""
        return self.spec.identity

    def __len__(self) -> int:
        """Distinct shingles of the corpus."""
        return len(self._hashes)

    def weigh(self, counts: Weights) -> Weights:
        """From counts to tf-idf weights; a shingle the corpus lacks is as rare as can be."""
        hashes, often = counts
        idf = np.full(len(hashes), self._unseen)
        if len(self._hashes):
            place = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
            known = self._hashes[place] == hashes
            idf[known] = self._idf[place[known]]
        return hashes, often * idf


def _sets(texts: list[str], spec: _native.TextSpec) -> Any:
    """The shingle sets of some texts, one after the other."""
    rows = np.arange(len(texts), dtype=np.uint32)
    values, shingles, numbers = _native.contents(texts, rows, spec, None, 0)
    parts = np.stack([shingles, numbers], axis=1).ravel()
    return values[np.repeat(np.arange(len(parts)) % 2 == 0, parts)]
