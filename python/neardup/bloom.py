"""Keep-first streams without end: a Bloom filter a band (LSHBloom, arXiv 2411.04257)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.asked import inconsistent, share, slots_of
from neardup.banding import Banding, banding
from neardup.config import Config
from neardup.errors import DataError, NeardupError, NeardupTypeError, NeardupValueError
from neardup.sealed import Kind, Path
from neardup.signatures import Signatures, sketch
from neardup.sketching import whole

__all__ = ["BloomFill", "BloomStream"]

_FILE = Kind(b"ndbloom\0", "a Bloom stream file")
_OPTIONS = (
    "shingle",
    "normalize",
    "sketch",
    "size",
    "seed",
    "threshold",
    "recall",
    "bands",
    "rows",
)
_MOST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class BloomFill:
    """How full the filters of a `BloomStream` are.

    Attributes
    ----------
    documents, capacity : int
        Documents added, and for how many the rate was asked.
    bits_set : float
        Share of bits set in the fullest filter; about a half at capacity.
    false_positives : float
        Rate at which a document unlike all others would be flagged now.
    """

    documents: int
    capacity: int
    bits_set: float
    false_positives: float


class BloomStream:
    """Keep the first of near-duplicates in a stream without end, in memory fixed beforehand.

    A document is flagged if it shares a band with one added before. Only bits are kept of a
    document, so **there is no partner to verify against**: a flag is a candidate and not a verified
    duplicate, and nobody can tell which document it is like. Where that matters and memory allows,
    take `LSH`, an index that knows its rows.

    Two kinds of errors are stated. A pair of Jaccard similarity J shares a band with probability
    1 - (1 - J^rows)^bands, also below the threshold (`plan.curve`). Beyond that, the filters flag a
    document that shares no band with any at a rate of at most `false_positives` as long as no more
    than `capacity` documents were added. Any number of threads may use one stream at once.

    Parameters
    ----------
    capacity : int
        Documents kept, for which the rate holds; more are taken, with a warning and a higher rate.
    false_positives : float, default 1e-4
        Rate of false positives of all filters together, 1 - (1 - p)^bands.
    threshold, recall : float
        Bands and rows are chosen for them as by `explain`.
    bands, rows : int, optional
        Take these instead.
    shingle, normalize, sketch, size, seed
        How texts become signatures, as for `neardup.sketch`.
    threads : int, default 0
        0 is one for every core. No answer depends on it.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        An option is not allowed, or the filters do not fit in memory.

    References
    ----------
    Khan et al.: LSHBloom, arXiv 2411.04257, 2024. Bloom, CACM 1970.

    Examples
    --------
    >>> from neardup import BloomStream
    >>> stream = BloomStream(capacity=1_000_000)
    >>> stream.check_and_add(["to be or not to be", "what a piece of work", "To be, or not to be!"])
    array([False, False,  True])
    >>> stream.check("TO BE OR NOT TO BE"), stream.fill.documents
    (True, 2)
    >>> stream
    <BloomStream: 2 of 1,000,000 documents, 13 bands of 7 rows, 39.8 MB; flags, no partners>
    """

    __slots__ = ("_config", "_identity", "_native", "_warned")

    def __init__(
        self,
        capacity: int,
        false_positives: float = 1e-4,
        *,
        threshold: float = 0.8,
        recall: float = 0.95,
        bands: int | None = None,
        rows: int | None = None,
        shingle: str = "word:3",
        normalize: str | Sequence[str] = "nfkc,casefold,collapse-space",
        sketch: str = "fast",
        size: int = 128,
        seed: int = 42,
        threads: int = 0,
    ) -> None:
        given = (shingle, normalize, sketch, size, seed, threshold, recall, bands, rows)
        options = dict(zip(_OPTIONS, given, strict=True))
        self._prepare(Config.from_options({**options, "threads": threads}))
        plan = self._banding()
        documents = whole(capacity, "capacity", 1, _MOST)
        rate = share(false_positives, "false_positives")
        self._native = _native.Bloom(size, plan.bands, plan.rows, documents, rate)

    def _prepare(self, config: Config) -> None:
        self._config, self._warned = config, False
        self._identity = sketch([], **self._texts()).identity

    def _texts(self) -> dict[str, Any]:
        """The options of `neardup.sketch`."""
        config = self._config
        return {
            "shingle": str(config.shingle),
            "normalize": ",".join(config.normalize) or "none",
            "sketch": config.sketch,
            "size": config.size,
            "seed": config.seed,
            "threads": config.threads,
        }

    def _banding(self) -> Banding:
        config = self._config
        return banding(config.threshold, config.recall, config.size, config.bands, config.rows)

    @property
    def identity(self) -> str:
        """Sketch and text spec: signatures of another making are refused."""
        return self._identity

    @property
    def plan(self) -> Banding:
        """Bands, rows, and what pairs they find."""
        return self._banding()

    @property
    def capacity(self) -> int:
        """Documents for which the rate holds."""
        return self._native.capacity

    @property
    def false_positives(self) -> float:
        """The rate asked for."""
        return self._native.rate

    @property
    def nbytes(self) -> int:
        """Bytes of the filters; they never grow."""
        return self._native.nbytes

    @property
    def fill(self) -> BloomFill:
        """How full the filters are, and the rate of false positives as they are now."""
        documents, shares, rate = self._native.state()
        return BloomFill(documents, self.capacity, max(shares), rate)

    def __len__(self) -> int:
        return self._native.added

    def __repr__(self) -> str:
        plan = self.plan
        return (
            f"<BloomStream: {len(self):,} of {self.capacity:,} documents, {plan.bands} bands of "
            f"{plan.rows} rows, {self.nbytes / 1e6:.1f} MB; flags, no partners>"
        )

    def check(self, documents: Any) -> Any:
        """Whether documents share a band with one added before; nothing is added.

        Parameters
        ----------
        documents : str, collection of texts as for `neardup.sketch`, Signatures, or array of uint32
            A text, or many; or signatures of the stream's own making, shape (n, size).

        Returns
        -------
        bool, or numpy.ndarray of bool, shape (n,)
            One for one text. A document without a shingle is never flagged.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not documents, or signatures of another making.
        """
        slots, single = self._slots(documents)
        flags = self._native.check(slots, self._config.threads)
        return bool(flags[0]) if single else flags

    def add(self, documents: Any) -> None:
        """Add documents, whether or not any is flagged.

        Parameters
        ----------
        documents
            As for `check`.
        """
        slots, _ = self._slots(documents)
        self._native.add(slots, self._config.threads)
        self._warn()

    def check_and_add(self, documents: Any) -> Any:
        """Flag documents, in their order, and add those that are not flagged.

        What is flagged is not added: it fills no filter, and later documents are compared with
        kept ones alone. The flags are the same however a stream is cut into batches.

        Parameters
        ----------
        documents
            As for `check`.

        Returns
        -------
        bool, or numpy.ndarray of bool, shape (n,)
            True for what shares a band with a document added before, of this batch or earlier.

        Warns
        -----
        UserWarning
            Once, when more than `capacity` documents have been added.
        """
        slots, single = self._slots(documents)
        flags = self._native.check_and_add(slots, self._config.threads)
        self._warn()
        return bool(flags[0]) if single else flags

    def merge(self, other: BloomStream) -> None:
        """Take over all that another stream has seen: both count as added here.

        Parameters
        ----------
        other : BloomStream
            Of the same identity, bands, capacity and rate.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not a stream, or one of another making; the message names both.
        """
        if not isinstance(other, BloomStream):
            raise NeardupTypeError(f"other must be a BloomStream, got {type(other).__name__}")
        if self._made() != other._made():
            raise NeardupValueError(
                f"streams of different making cannot be merged: [{self._made()}] and "
                f"[{other._made()}]"
            )
        self._native.merge(other._native)
        self._warn()

    def save(self, path: Path) -> None:
        """Write a file, finished or absent: the filters and how they were made.

        Raises
        ------
        NeardupError
            It cannot be written.
        """
        words, added = self._native.parts()
        config = self._texts() | {
            name: getattr(self._config, name) for name in ("threshold", "recall", "bands", "rows")
        }
        del config["threads"]
        header = {
            "options": config,
            "identity": self._identity,
            "capacity": self.capacity,
            "false_positives": self.false_positives,
            "added": added,
        }
        _FILE.write(path, header, [words.astype("<u8", copy=False)])

    @classmethod
    def load(cls, path: Path, threads: int = 0) -> BloomStream:
        """Read what `save` wrote.

        Raises
        ------
        DataError
            The file is empty, truncated, altered, no such file, or made by another version.
        NeardupError
            It cannot be read.
        """
        header, (bits,) = _FILE.read(path, 1)
        stream = cls.__new__(cls)
        match header:
            case {
                "options": dict(options),
                "identity": str(identity),
                "capacity": int(capacity),
                "false_positives": float(rate),
                "added": int(added),
            } if options.keys() == set(_OPTIONS) and len(bits) % 8 == 0:
                words = np.frombuffer(bits, "<u8").astype(np.uint64)
            case _:
                raise inconsistent(path, _FILE.name)
        try:
            stream._prepare(Config.from_options({**options, "threads": threads}))
            plan = stream._banding()
            made = (stream._config.size, plan.bands, plan.rows)
            documents = whole(capacity, "capacity", 1, _MOST)
            stream._native = _native.Bloom.of_parts(
                *made, documents, share(rate), words, whole(added, "added", 0, 2**64 - 1)
            )
        except NeardupError as error:
            raise DataError(
                f"{_FILE.name} that is inconsistent: {error}", source=str(path)
            ) from None
        if stream._identity != identity:
            raise DataError(
                f"{_FILE.name} of [{identity}], this program makes [{stream._identity}]",
                source=str(path),
            )
        return stream

    def _made(self) -> str:
        plan = self.plan
        return (
            f"{self._identity}; {plan.bands} bands of {plan.rows} rows, "
            f"capacity {self.capacity}, false_positives {self.false_positives:g}"
        )

    def _slots(self, documents: Any) -> tuple[npt.NDArray[np.uint32], bool]:
        single = isinstance(documents, str)
        if single:
            documents = [documents]
        is_array = isinstance(documents, np.ndarray) and documents.dtype.kind == "u"
        if not is_array and not isinstance(documents, Signatures):
            documents = sketch(documents, **self._texts())
        slots, identity = slots_of(documents, 2)
        if identity is not None and identity != self._identity:
            raise NeardupValueError(
                f"the stream takes signatures of [{self._identity}], these are of [{identity}]; "
                "sketch both alike"
            )
        return slots, single

    def _warn(self) -> None:
        if not self._warned and len(self) > self.capacity:
            self._warned = True
            warnings.warn(
                f"{len(self):,} documents were added to a stream for {self.capacity:,}: its rate "
                f"of false positives is above {self.false_positives:g} from now on, see fill; "
                "begin a new one with a larger capacity",
                stacklevel=3,
            )
