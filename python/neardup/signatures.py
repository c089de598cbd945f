"""Signatures of texts that know how they were made, and meet only their like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.algebra import Estimate, Overlap, maker, size_of
from neardup.config import Config
from neardup.errors import DataError, NeardupTypeError, NeardupValueError
from neardup.progress import Silent
from neardup.sealed import Kind, Path
from neardup.sketching import Matrix, native_sketch, whole
from neardup.spec import of_text, text_spec, warning
from neardup.texts import columns, one_text, tokenized

if TYPE_CHECKING:
    from neardup.packed import PackedSignatures

__all__ = ["Signatures", "jaccard", "sketch"]

Counts = npt.NDArray[np.int64]

_FILE = Kind(b"ndsigns\0", "a signature file")
_NORMALIZE = "nfkc,casefold,collapse-space"


class Signatures:
    """Signatures of texts, one a row, with the identity of what made them.

    Made by `sketch` and `load`; never changed, so any number of threads may share them.

    Attributes
    ----------
    matrix : numpy.ndarray of uint32, shape (n, size)
        One signature a row; read-only.
    counts : numpy.ndarray of int64, shape (n,)
        Distinct shingles of each text; read-only. Estimates after `merge`.
    identity : str
        Sketch and text spec. Signatures are comparable only if this is equal.
    runners_up : numpy.ndarray of uint32, shape (n, size), or None
        The second smallest value of each slot, if asked for, see `MultiProbeLSH`; read-only.

    Examples
    --------
    >>> from neardup import sketch
    >>> signatures = sketch(["to be or not to be", "TO BE, or not to be!", "that is the question"])
    >>> signatures.counts.tolist(), signatures.jaccard(0, 1), signatures.jaccard(0, 2)
    ([4, 4, 2], 1.0, 0.0)
    """

    __slots__ = ("counts", "matrix", "runners_up", "sketch", "text")

    def __init__(
        self,
        matrix: Matrix,
        counts: Counts,
        *,
        sketch: str,
        text: str,
        runners_up: Matrix | None = None,
    ) -> None:
        self.matrix, self.counts, self.runners_up = matrix, counts, runners_up
        self.sketch, self.text = sketch, text
        for array in (matrix, counts, runners_up):
            if array is not None:
                array.flags.writeable = False

    @property
    def identity(self) -> str:
        """Sketch and text spec, in one line."""
        return f"{self.sketch}; {self.text}"

    def __len__(self) -> int:
        return len(self.matrix)

    def __repr__(self) -> str:
        return f"<{len(self)} signatures of [{self.identity}]>"

    def jaccard(self, i: int, j: int, other: Signatures | None = None) -> float:
        """Estimate the Jaccard similarity of two texts.

        Parameters
        ----------
        i : int
            A row of these signatures, from 0.
        j : int
            A row of `other`, or of these if there is none.
        other : Signatures, optional

        Returns
        -------
        float
            Share of equal slots, 0 to 1; 0 where either text has no shingle. Its standard error is
            at most sqrt(J (1 - J) / size).

        Raises
        ------
        NeardupValueError
            A row that is not there, or `other` has another identity.
        """
        right = self if other is None else other
        self._meet(right)
        a, b = self.matrix[self._row(i, "i")], right.matrix[right._row(j, "j")]
        return float(_native.estimate_rows(a[None, :], b[None, :])[0])

    def cardinality(self, i: int) -> Estimate:
        """Estimate how many distinct shingles a text, or what was merged, has: from slots alone.

        Returns
        -------
        Estimate
            Value and standard error, about value / sqrt(size) and less for small sets; the formula
            is derived in crates/core/src/sketch/cardinality.rs.

        Raises
        ------
        NeardupValueError
            A row that is not there, or a sketch whose slots do not tell.

        Examples
        --------
        >>> from neardup import sketch
        >>> signatures = sketch([" ".join(map(str, range(1000)))], shingle="word:1")
        >>> value, std_err = signatures.cardinality(0)
        >>> bool(abs(value - 1000) < 4 * std_err), round(std_err / value, 2)
        (True, 0.08)
        """
        return size_of(maker(self.sketch), self.matrix[self._row(i, "i")])

    def intersection(self, i: int, j: int, other: Signatures | None = None) -> Estimate:
        """Estimate how many shingles two texts share, from their signatures and exact counts.

        Parameters
        ----------
        i, j, other
            As in `jaccard`.

        Returns
        -------
        Estimate
            Value and standard error, by the delta method; after `merge` counts are estimates
            themselves, whose error is not in it.

        Raises
        ------
        NeardupValueError
            As in `jaccard`; or a sketch that weighs repeats, so that counts do not go with it.
        """
        return self._overlap(i, j, other, "intersection").intersection()

    def union(self, i: int, j: int, other: Signatures | None = None) -> Estimate:
        """Estimate how many shingles are in either text; as `intersection`."""
        return self._overlap(i, j, other, "union").union()

    def difference(self, i: int, j: int, other: Signatures | None = None) -> Estimate:
        """Estimate how many shingles of text i are not in text j; as `intersection`."""
        return self._overlap(i, j, other, "difference").difference()

    def containment(self, i: int, j: int, other: Signatures | None = None) -> Estimate:
        """Estimate the share of the shingles of text i that are in text j; as `intersection`."""
        return self._overlap(i, j, other, "containment").containment()

    def merge(self, other: Signatures) -> Signatures:
        """Unite row by row: row i is the signature of all shingles of row i of both.

        Merging is exact for the signatures: a union's signature is the minimum of the two, slot by
        slot. The counts are estimates, (|A| + |B|) / (1 + J) with the estimated J.
        Runners-up are kept if both have them.

        Parameters
        ----------
        other : Signatures
            As many rows, of the same identity.

        Returns
        -------
        Signatures

        Raises
        ------
        NeardupValueError
            Another number of rows or another identity; or a sketch that does not merge (`oph`), or
            weighs repeats, so that a union's count could not be told.

        Examples
        --------
        >>> from neardup import sketch
        >>> parts = sketch(["a b c d"]).merge(sketch(["d e f g"]))
        >>> parts.counts.tolist()
        [4]
        """
        self._meet(other)
        if not self._counting("merge").merges:
            raise NeardupValueError(
                f"merge: slots of [{self.sketch}] do not merge; sketch the texts of both together"
            )
        if len(self) != len(other):
            raise NeardupValueError(
                f"{len(self)} signatures cannot be merged with {len(other)}, row by row; "
                "use concat to put them one after the other"
            )
        shared = _native.estimate_rows(self.matrix, other.matrix)
        union = np.rint((self.counts + other.counts) / (1.0 + shared)).astype(np.int64)
        counts = np.maximum(union, np.maximum(self.counts, other.counts))
        matrix = np.minimum(self.matrix, other.matrix)
        if self.runners_up is None or other.runners_up is None:
            return self._like(matrix, counts)
        all_four = [self.matrix, other.matrix, self.runners_up, other.runners_up]
        second = [np.where(each > matrix, each, np.uint32(2**32 - 1)) for each in all_four]
        return self._like(matrix, counts, np.minimum.reduce(second))

    def pack(self, bits: int) -> PackedSignatures:
        """Keep a few bits of every slot (b-bit minwise hashing, Li and Konig 2010).

        Parameters
        ----------
        bits : int
            1, 2, 4, 8 or 16.

        Returns
        -------
        PackedSignatures
            ``8 * ceil(size * bits / 64)`` bytes a row instead of ``4 * size``.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Another number of bits, or signatures whose slots are not minima (SimHash).

        Examples
        --------
        >>> from neardup import sketch
        >>> packed = sketch(["a b c d", "a b c e"], size=4096).pack(1)
        >>> packed.matrix.shape, abs(packed.jaccard(0, 1) - 1 / 3) < 0.1
        ((2, 64), True)
        """
        from neardup.packed import pack

        return pack(self.matrix, self.counts, bits, self.identity)

    @staticmethod
    def concat(parts: Iterable[Signatures]) -> Signatures:
        """Put signatures of one identity one after the other.

        Raises
        ------
        NeardupValueError
            No parts, or parts of different identities.
        """
        every: Sequence[Signatures] = list(parts) if isinstance(parts, Iterable) else [parts]
        if not every:
            raise NeardupValueError("concat needs signatures, got an empty list")
        for part in every:
            if not isinstance(part, Signatures):
                raise NeardupTypeError(f"concat needs Signatures, got {type(part).__name__}")
        for part in every:
            every[0]._meet(part)
        matrix = np.concatenate([part.matrix for part in every])
        second = [part.runners_up for part in every if part.runners_up is not None]
        runners_up = np.concatenate(second) if len(second) == len(every) else None
        return every[0]._like(matrix, np.concatenate([part.counts for part in every]), runners_up)

    def save(self, path: Path) -> None:
        """Write a file, finished or absent: 4 * size + 8 bytes a signature, and a checksum.

        Raises
        ------
        NeardupError
            It cannot be written.
        """
        header: dict[str, Any] = {
            "sketch": self.sketch,
            "text": self.text,
            "shape": self.matrix.shape,
        }
        counts, slots = self.counts.astype("<i8", copy=False), self.matrix.astype("<u4", copy=False)
        if self.runners_up is not None:
            header["runners_up"] = True
            slots = np.concatenate([slots, self.runners_up.astype("<u4", copy=False)])
        _FILE.write(path, header, [counts, slots])

    @classmethod
    def load(cls, path: Path) -> Signatures:
        """Read what `save` wrote.

        Raises
        ------
        DataError
            The file is empty, truncated, altered, no signature file, or of a sketch that this
            version does not have.
        NeardupError
            It cannot be read.
        """
        header, (counts, slots) = _FILE.read(path, 2)
        parts = 2 if header.get("runners_up") is True else 1
        match header:
            case {"sketch": str(made), "text": str(text), "shape": [int(n), int(size)]} if (
                n >= 0 and size > 0 and (len(counts), len(slots)) == (8 * n, 4 * n * size * parts)
            ) and (size in (2, 4) or _kind(made) is Signatures):
                _check_maker(made, size, path)
                if not issubclass(_kind(made), cls):
                    raise DataError(
                        f"signatures of [{made}], no fingerprints; read it with Signatures.load",
                        source=str(path),
                    )
                matrix = np.frombuffer(slots, "<u4").astype(np.uint32).reshape(parts, n, size)
                sizes = np.frombuffer(counts, "<i8").astype(np.int64)
                second = matrix[1] if parts == 2 else None
                return _kind(made)(matrix[0], sizes, sketch=made, text=text, runners_up=second)
        raise DataError("a signature file whose parts do not add up", source=str(path))

    def _overlap(self, i: int, j: int, other: Signatures | None, what: str) -> Overlap:
        right = self if other is None else other
        jaccard = self.jaccard(i, j, right)
        a, b = int(self.counts[i]), int(right.counts[j])
        return Overlap(self._counting(what), jaccard, a, b)

    def _counting(self, what: str) -> _native.Sketch:
        """The sketch of these signatures, if it is one of sets, of which counts are the sizes."""
        made = maker(self.sketch)
        if made.weighs_repeats:
            raise NeardupValueError(
                f"{what}: the sketch {self.sketch.partition('/')[0]} weighs repeats, and counts of "
                "distinct shingles do not go with it; use a sketch of sets, for example fast"
            )
        return made

    def _like(self, matrix: Matrix, counts: Counts, runners_up: Matrix | None = None) -> Signatures:
        return type(self)(matrix, counts, sketch=self.sketch, text=self.text, runners_up=runners_up)

    def _meet(self, other: Signatures) -> None:
        if not isinstance(other, Signatures):
            raise NeardupTypeError(f"other must be Signatures, got {type(other).__name__}")
        if self.identity != other.identity:
            raise NeardupValueError(
                "signatures of different making cannot meet: "
                f"[{self.identity}] and [{other.identity}]; sketch both alike"
            )

    def _row(self, row: int, name: str) -> int:
        if not len(self):
            raise NeardupValueError(f"{name}: there are no signatures")
        return whole(row, name, 0, len(self) - 1)


def _check_maker(made: str, size: int, path: Path) -> None:
    """Refuse a file whose signatures this version could not make."""
    try:
        fits = maker(made).size == size
    except NeardupValueError as error:
        raise DataError(str(error), source=str(path)) from None
    if not fits:
        raise DataError(f"signatures of {size} slots are none of [{made}]", source=str(path))


def sketch(
    texts: Any,
    *,
    shingle: str = "word:3",
    normalize: str | Sequence[str] = _NORMALIZE,
    sketch: str = "fast",
    size: int | None = None,
    seed: int = 42,
    threads: int = 0,
    runners_up: bool = False,
    **text: Any,
) -> Signatures:
    """Sketch texts: normalise, cut into shingles, hash and sketch in one native pass.

    Parameters
    ----------
    texts : iterable of str, or a string column that speaks Arrow
        Null is an error. pyarrow is needed for Arrow columns alone.
    shingle, normalize : str
        How a text becomes a set of shingles, see docs/options.md.
    sketch : str, default "fast"
        Its name; docs/sketches.md compares them. ``dart`` and ``icws`` weigh a shingle by how often
        the text has it, and estimate the weighted Jaccard similarity; ``simhash`` gives
        `Fingerprints`.
    size : int, default 128
        Slots of a signature, 1 to 65536; of "simhash" the bits, 64 (the default there) or 128.
    seed : int, default 42
        From 0 to 2^64 - 1.
    threads : int, default 0
        0 is one for every core. The result does not depend on it.
    runners_up : bool, default False
        Also keep the second smallest value of each slot, as `MultiProbeLSH` asks for.
    **text
        The other options that speak of texts, see docs/options.md: ``hash="xxh3"``,
        ``hash_key_file=None``, ``stopwords=None``, ``stem=None``, ``fraction=None``,
        ``tokenizer=None``, ``tokenizer_name=None``.

    Returns
    -------
    Signatures

    Raises
    ------
    NeardupTypeError
        Not a collection of texts, or a row that is not a str.
    NeardupValueError
        An option out of range, a null, a text without UTF-8 form; the message names the row.

    References
    ----------
    Dahlgaard, Knudsen, Thorup: Fast Similarity Sketching, FOCS 2017, arXiv 1704.04370.

    Examples
    --------
    >>> signatures = sketch(["我喜欢健身", "我喜欢普洱茶"], shingle="char:2")
    >>> signatures.matrix.shape, signatures.counts.tolist()
    ((2, 128), [4, 5])
    """
    config = Config.from_options(
        {
            "shingle": shingle,
            "normalize": normalize,
            "sketch": sketch,
            "seed": seed,
            "threads": threads,
            **({} if size is None else {"size": size}),
            **of_text(text, "sketch"),
        }
    )
    if said := warning(config):
        Silent().warn(said)
    spec = text_spec(config)
    native = native_sketch(config.sketch, config.size, config.seed)
    made, identity = native.identity, spec.identity
    done, kind = [], _kind(native.identity)
    for each in tokenized(columns(texts), spec, config):
        if runners_up:
            matrix, second, counts = _native.sketch_texts_probed(each, spec, native, config.threads)
            part = kind(matrix, counts, sketch=made, text=identity, runners_up=second)
        else:
            matrix, counts = _native.sketch_texts(each, spec, native, config.threads)
            part = kind(matrix, counts, sketch=made, text=identity)
        done.append(part)
    return done[0] if len(done) == 1 else Signatures.concat(done)


def jaccard(
    a: str,
    b: str,
    *,
    shingle: str = "word:3",
    normalize: str | Sequence[str] = _NORMALIZE,
    **text: Any,
) -> float:
    """Jaccard similarity of the shingle sets of two texts, exactly.

    Parameters
    ----------
    a, b : str
    shingle, normalize : str
        How a text becomes a set of shingles, see docs/options.md.
    **text
        The other options that speak of texts, as for `sketch`.

    Returns
    -------
    float
        Shared shingles over all shingles; 0 if either text has none.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        Not texts, or an option that is not allowed.

    Examples
    --------
    >>> round(jaccard("我喜欢健身", "我喜欢普洱茶", shingle="char:2"), 4)  # 2 of 7
    0.2857
    """
    given = {"shingle": shingle, "normalize": normalize, **of_text(text, "jaccard")}
    config = Config.from_options(given)
    spec, pair = text_spec(config), [one_text(a, "a"), one_text(b, "b")]
    if config.tokenizer is None:
        return spec.jaccard(*pair)
    (column,) = tokenized([pair], spec, config)
    rows = np.arange(2, dtype=np.uint32)
    values, length, numbers = _native.contents(column, rows, spec, None, 1)
    start = np.cumsum(length + numbers) - length - numbers
    found = _native.verify(values, start, length, rows[:1], rows[1:], 0.0, 1)
    return max(0.0, float(found[0]))  # -1 where a set is empty


def _kind(made: str) -> type[Signatures]:
    """The class of the signatures of a sketch."""
    if made.startswith("simhash/"):
        from neardup.fingerprints import Fingerprints

        return Fingerprints
    return Signatures
