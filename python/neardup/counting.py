"""How many distinct shingles or tokens there are: HyperLogLog, by Apache DataSketches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from math import hypot, sqrt
from typing import Any

import numpy as np

from neardup import _native
from neardup.algebra import Estimate
from neardup.errors import DataError, NeardupError, NeardupTypeError, NeardupValueError
from neardup.sealed import Path, named
from neardup.sketching import native_array, thread_count, token_hashes, whole

__all__ = ["Cardinality", "cardinality"]

_NORMALIZE = "nfkc,casefold,collapse-space"
_BYTES_READ = 1 << 22
"""More bytes than any counter has."""


class Cardinality:
    """A count of distinct things, to 1.04 / sqrt(2^precision) of itself, in 2^precision bytes.

    Made by `cardinality`, `merge` and `load`; never changed, so any number of threads may share it.
    Order, repeats, parts and threads do not change an estimate.

    Attributes
    ----------
    of : str or None
        What was counted: the text spec of shingles, or ``"tokens"``; None where bytes do not tell.

    References
    ----------
    Flajolet, Fusy, Gandouet, Meunier: HyperLogLog, 2007; Apache DataSketches, family HLL.

    Examples
    --------
    >>> from neardup import cardinality
    >>> a, b = cardinality([range(0, 60_000)]), cardinality([range(40_000, 100_000)])
    >>> union = a.merge(b)
    >>> bool(abs(union.value - 100_000) < 4 * union.std_err), round(union.std_err / union.value, 4)
    (True, 0.0163)
    """

    __slots__ = ("_native", "of")

    def __init__(self, native: _native.Hll, of: str | None) -> None:
        self._native, self.of = native, of

    @property
    def precision(self) -> int:
        """Binary logarithm of the number of registers."""
        return self._native.precision

    @property
    def value(self) -> float:
        """The estimate; of some hundred things it is exact or nearly so."""
        return self._native.estimate

    @property
    def std_err(self) -> float:
        """Standard error of the estimate: at most 1.04 / sqrt(2^precision) of it."""
        return self.value * 1.04 / sqrt(2.0**self.precision)

    def bounds(self, sigmas: float = 2.0) -> tuple[float, float]:
        """The estimate less and plus so many standard errors, not below 0."""
        return max(self.value - sigmas * self.std_err, 0.0), self.value + sigmas * self.std_err

    def merge(self, other: Cardinality) -> Cardinality:
        """The count of the union: of what is in either, without loss.

        Raises
        ------
        NeardupTypeError
            Not a `Cardinality`.
        NeardupValueError
            Of another precision, or of other things.
        """
        self._meet(other)
        return Cardinality(self._native.merge(other._native), self.of or other.of)

    __or__ = merge

    def intersection(self, other: Cardinality) -> Estimate:
        """Estimate what is in both: |A| + |B| - |A u B|, not below 0.

        Returns
        -------
        Estimate
            The standard error is that of three independent estimates: the errors of large sets are
            in it in full, so that a small intersection of them is lost in it.

        Examples
        --------
        >>> from neardup import cardinality
        >>> a, b = cardinality([range(0, 60_000)]), cardinality([range(40_000, 100_000)])
        >>> value, std_err = a.intersection(b)
        >>> bool(abs(value - 20_000) < 4 * std_err)
        True
        """
        union = self.merge(other)
        value = max(self.value + other.value - union.value, 0.0)
        return Estimate(value, hypot(self.std_err, other.std_err, union.std_err))

    def to_bytes(self) -> bytes:
        """The HLL format of Apache DataSketches, which its libraries read.

        Each token and shingle entered as its 64-bit hash, an integer.
        """
        return self._native.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes, of: str | None = None) -> Cardinality:
        """Read what `to_bytes`, or a library of DataSketches, wrote.

        Raises
        ------
        NeardupTypeError
            Not bytes.
        NeardupValueError
            No such format, truncated or damaged as far as that can be seen.
        """
        if not isinstance(data, bytes):
            raise NeardupTypeError(f"data must be bytes, got {type(data).__name__}")
        return cls(_native.Hll.from_bytes(data), of)

    def save(self, path: Path) -> None:
        """Write `to_bytes` to a file, finished or absent.

        Raises
        ------
        NeardupError
            It cannot be written.
        """
        from neardup.io.atomic import write_bytes, writing

        name = named(path)
        with writing(name):
            write_bytes(name, self.to_bytes())

    @classmethod
    def load(cls, path: Path, of: str | None = None) -> Cardinality:
        """Read what `save` wrote.

        Raises
        ------
        DataError
            The file is no such counter.
        NeardupError
            It cannot be read.
        """
        name = named(path)
        try:
            with open(name, "rb") as file:
                data = file.read(_BYTES_READ)
        except OSError as error:
            raise NeardupError(f"{name}: cannot be read: {error.strerror}") from error
        try:
            return cls.from_bytes(data, of)
        except NeardupValueError as error:
            raise DataError(f"{error}; count again", source=name) from None

    def _meet(self, other: Cardinality) -> None:
        if not isinstance(other, Cardinality):
            raise NeardupTypeError(f"other must be a Cardinality, got {type(other).__name__}")
        if self.of and other.of and self.of != other.of:
            raise NeardupValueError(
                f"counts of different things cannot meet: [{self.of}] and [{other.of}]; count both "
                "alike"
            )

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        what = f" of [{self.of}]" if self.of else ""
        return f"<Cardinality {self.value:,.0f} +- {self.std_err:,.0f}{what}>"


def cardinality(
    data: Any,
    *,
    shingle: str = "word:3",
    normalize: str | Sequence[str] = _NORMALIZE,
    precision: int = 12,
    threads: int = 0,
    **text: Any,
) -> Cardinality:
    """Count the distinct shingles of texts, or the distinct tokens of rows, all together.

    Parameters
    ----------
    data : iterable of str, a string column that speaks Arrow, or an iterable of rows of tokens
        Texts are cut into shingles. A row is an iterable of tokens as for `FastSimilaritySketch`.
    shingle, normalize : str
        How a text becomes a set of shingles, see docs/options.md.
    precision : int, default 12
        2^precision registers, 4 to 21: a standard error of 1.6 % at 12, 0.4 % at 16.
    threads : int, default 0
        0 is one for every core. The result does not depend on it.
    **text
        `hash`, `hash_key_file`, `stopwords`, `stem`, `fraction`, as of `dedup`.

    Returns
    -------
    Cardinality

    Raises
    ------
    NeardupTypeError
        Neither texts nor rows of tokens.
    NeardupValueError
        An option out of range, a null, a text without UTF-8 form.

    Examples
    --------
    >>> count = cardinality(["to be or not to be", "To be, or not to be!", "not to be"])
    >>> round(count.value), len(count.to_bytes())  # to be or, be or not, or not to, not to be
    (4, 24)
    """
    counter = _native.Hll(whole(precision, "precision", 4, 21))
    threads = thread_count(threads)
    arrow = hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")
    if isinstance(data, Iterable) and not arrow and not isinstance(data, str | bytes | Mapping):
        items = iter(data)
        first = list(islice(items, 1))
        if first and not isinstance(first[0], str):
            return _of_tokens(chain(first, items), counter)
        data = [*first, *items]
    from neardup.config import Config
    from neardup.spec import NATIVE, of_text, text_spec
    from neardup.texts import columns

    given = {"shingle": shingle, "normalize": normalize}
    config = Config.from_options({**given, **of_text(text, "cardinality", NATIVE)})
    spec = text_spec(config)
    for column in columns(data):
        counter = counter.with_texts(column, None, spec, threads)
    return Cardinality(counter, spec.identity)


def _of_tokens(rows: Iterable[Any], counter: _native.Hll) -> Cardinality:
    for number, row in enumerate(rows):
        try:
            hashes = token_hashes(row, False)
        except NeardupError as error:
            raise type(error)(f"row {number}: {error}") from None
        counter = counter.with_hashes(native_array(hashes, np.uint64))
    return Cardinality(counter, "tokens")
