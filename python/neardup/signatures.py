"""Signatures of texts that know how they were made, and meet only their like."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.config import Config
from neardup.errors import DataError, NeardupTypeError, NeardupValueError
from neardup.sealed import Kind, Path
from neardup.sketching import Matrix, native_sketch, whole
from neardup.texts import columns, one_text

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

    Examples
    --------
    >>> from neardup import sketch
    >>> signatures = sketch(["to be or not to be", "TO BE, or not to be!", "that is the question"])
    >>> signatures.counts.tolist(), signatures.jaccard(0, 1), signatures.jaccard(0, 2)
    ([4, 4, 2], 1.0, 0.0)
    """

    __slots__ = ("counts", "matrix", "sketch", "text")

    def __init__(self, matrix: Matrix, counts: Counts, *, sketch: str, text: str) -> None:
        self.matrix, self.counts = matrix, counts
        self.sketch, self.text = sketch, text
        for array in (matrix, counts):
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

    def merge(self, other: Signatures) -> Signatures:
        """Unite row by row: row i is the signature of all shingles of row i of both.

        Merging is exact for the signatures: a union's signature is the minimum of the two, slot by
        slot. The counts are estimates, (|A| + |B|) / (1 + J) with the estimated J.

        Parameters
        ----------
        other : Signatures
            As many rows, of the same identity.

        Returns
        -------
        Signatures

        Examples
        --------
        >>> from neardup import sketch
        >>> parts = sketch(["a b c d"]).merge(sketch(["d e f g"]))
        >>> parts.counts.tolist()
        [4]
        """
        self._meet(other)
        if len(self) != len(other):
            raise NeardupValueError(
                f"{len(self)} signatures cannot be merged with {len(other)}, row by row; "
                "use concat to put them one after the other"
            )
        shared = _native.estimate_rows(self.matrix, other.matrix)
        union = np.rint((self.counts + other.counts) / (1.0 + shared)).astype(np.int64)
        counts = np.maximum(union, np.maximum(self.counts, other.counts))
        return self._like(np.minimum(self.matrix, other.matrix), counts)

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
        every: Sequence[Signatures] = list(parts)
        if not every:
            raise NeardupValueError("concat needs signatures, got an empty list")
        for part in every:
            every[0]._meet(part)
        matrix = np.concatenate([part.matrix for part in every])
        return every[0]._like(matrix, np.concatenate([part.counts for part in every]))

    def save(self, path: Path) -> None:
        """Write a file, finished or absent: 4 * size + 8 bytes a signature, and a checksum.

        Raises
        ------
        NeardupError
            It cannot be written.
        """
        header = {"sketch": self.sketch, "text": self.text, "shape": self.matrix.shape}
        counts, slots = self.counts.astype("<i8", copy=False), self.matrix.astype("<u4", copy=False)
        _FILE.write(path, header, [counts, slots])

    @classmethod
    def load(cls, path: Path) -> Signatures:
        """Read what `save` wrote.

        Raises
        ------
        DataError
            The file is empty, truncated, altered, or no signature file.
        NeardupError
            It cannot be read.
        """
        header, (counts, slots) = _FILE.read(path, 2)
        match header:
            case {"sketch": str(made), "text": str(text), "shape": [int(n), int(size)]} if (
                n >= 0 and size > 0 and (len(counts), len(slots)) == (8 * n, 4 * n * size)
            ) and (size in (2, 4) or _kind(made) is Signatures):
                matrix = np.frombuffer(slots, "<u4").astype(np.uint32).reshape(n, size)
                sizes = np.frombuffer(counts, "<i8").astype(np.int64)
                return _kind(made)(matrix, sizes, sketch=made, text=text)
        raise DataError("a signature file whose parts do not add up", source=str(path))

    def _like(self, matrix: Matrix, counts: Counts) -> Signatures:
        return type(self)(matrix, counts, sketch=self.sketch, text=self.text)

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


def sketch(
    texts: Any,
    *,
    shingle: str = "word:3",
    normalize: str | Sequence[str] = _NORMALIZE,
    sketch: str = "fast",
    size: int | None = None,
    seed: int = 42,
    threads: int = 0,
) -> Signatures:
    """Sketch texts: normalise, cut into shingles, hash and sketch in one native pass.

    Parameters
    ----------
    texts : iterable of str, or a string column that speaks Arrow
        Null is an error. pyarrow is needed for Arrow columns alone.
    shingle, normalize : str
        How a text becomes a set of shingles, see docs/options.md.
    sketch : str, default "fast"
        Fast Similarity Sketching; or "simhash", which gives `Fingerprints`.
    size : int, default 128
        Slots of a signature, 1 to 65536; of "simhash" the bits, 64 (the default there) or 128.
    seed : int, default 42
        From 0 to 2^64 - 1.
    threads : int, default 0
        0 is one for every core. The result does not depend on it.

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
        }
    )
    spec = _text_spec(config)
    native = native_sketch(config.sketch, config.size, config.seed)
    parts = [_native.sketch_texts(each, spec, native, config.threads) for each in columns(texts)]
    kind = _kind(native.identity)
    done = [kind(*part, sketch=native.identity, text=spec.identity) for part in parts]
    return done[0] if len(done) == 1 else Signatures.concat(done)


def jaccard(
    a: str, b: str, *, shingle: str = "word:3", normalize: str | Sequence[str] = _NORMALIZE
) -> float:
    """Jaccard similarity of the shingle sets of two texts, exactly.

    Parameters
    ----------
    a, b : str
    shingle, normalize : str
        How a text becomes a set of shingles, see docs/options.md.

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
    spec = _text_spec(Config.from_options({"shingle": shingle, "normalize": normalize}))
    return spec.jaccard(one_text(a, "a"), one_text(b, "b"))


def _kind(made: str) -> type[Signatures]:
    """The class of the signatures of a sketch."""
    if made.startswith("simhash/"):
        from neardup.fingerprints import Fingerprints

        return Fingerprints
    return Signatures


def _text_spec(config: Config) -> _native.TextSpec:
    steps = ",".join(config.normalize) or "none"
    return _native.TextSpec(steps, str(config.shingle), config.hash)
