"""Multi-probe LSH: each band is also looked up with one slot replaced by its runner-up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from neardup import _native
from neardup.asked import answers, inconsistent, share, slots_of
from neardup.banding import Banding
from neardup.config import Config
from neardup.errors import DataError, NeardupError, NeardupTypeError, NeardupValueError
from neardup.sealed import Kind, Path
from neardup.signatures import Signatures
from neardup.sketching import Matrix, signature_array, thread_count, whole

__all__ = ["MultiProbeLSH", "ProbedBanding"]

_FILE = Kind(b"ndprobes", "a multi-probe LSH file")
Probed = Signatures | tuple[Matrix, Matrix]


@dataclass(frozen=True, slots=True)
class ProbedBanding(Banding):
    """Bands and rows that are looked up with runners-up; as `Banding`, but for the curve.

    Attributes
    ----------
    probes : "query" or "both"
        Who uses runners-up: queries, or the rows of the index too.
    """

    probes: str = "query"

    def curve(self, similarity: float) -> float:
        """Probability that a pair of this Jaccard similarity is found, of sets of equal size."""
        both = self.probes == "both"
        return _native.probed_probability(similarity, self.bands, self.rows, both)


class MultiProbeLSH:
    """An index of signatures with fewer or stricter bands for the same recall.

    Beside its own key, a band of a query is looked up once for each of its slots, with that slot
    replaced by its runner-up: the second smallest value that an element of the set brings to it. A
    pair whose bands all fail by one slot is found that way. With ``probes="both"`` the rows of the
    index are entered under such keys too. Make signatures with ``sketch(..., runners_up=True)``,
    or with `FastSimilaritySketch.batch_with_runners_up` for token sets.

    Any number of threads may use one index at once.

    Parameters
    ----------
    threshold, recall : float
        The largest rows with which this share of the pairs at the threshold is found, then the
        fewest bands; by the curve with probes.
    num_perm : int, default 128
        Slots of a signature.
    num_bands, rows : int, optional
        Take these instead.
    probes : "query" or "both", default "query"
        "query": 1 + rows lookups a band, memory as `LSH`. "both": the rows of the index take
        1 + rows keys a band as well, and far more is found.
    keep_signatures : bool, default False
        Also keep the signatures, so that queries give similarities.
    num_threads : int, default 0
        Threads; 0 is one for every core. No answer depends on it.

    Attributes
    ----------
    plan : ProbedBanding
        Bands, rows, the recall at the threshold and the curve.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        A value out of range, or bands and rows that need more slots than there are.

    Notes
    -----
    The curve is stated for sets of equal size whose union is much larger than a signature:
    `plan.curve`. Memory: 12.2 bytes a row and key.

    References
    ----------
    Lv, Josephson, Wang, Charikar, Li: Multi-Probe LSH, VLDB 2007; there for other hashes.

    Examples
    --------
    >>> from neardup import MultiProbeLSH, sketch
    >>> index = MultiProbeLSH(0.8, probes="both", keep_signatures=True)
    >>> index
    <MultiProbeLSH of 0 signatures: 9 bands of 13 rows, probes="both", recall 0.959 at 0.8>
    >>> index.insert(sketch(["to be or not to be", "what a piece of work"], runners_up=True))
    range(0, 2)
    >>> index.query(sketch(["To be, or not to be!"], runners_up=True))
    [[(0, 1.0)]]
    """

    __slots__ = ("_native", "keep_signatures", "num_threads", "plan")

    def __init__(
        self,
        threshold: float = 0.8,
        recall: float = 0.95,
        *,
        num_perm: int = 128,
        num_bands: int | None = None,
        rows: int | None = None,
        probes: Literal["query", "both"] = "query",
        keep_signatures: bool = False,
        num_threads: int = 0,
    ) -> None:
        if probes not in ("query", "both"):
            raise NeardupValueError(f'probes must be "query" or "both", got {probes!r}')
        config = Config.from_options(
            {"threshold": threshold, "recall": recall, "size": num_perm}
            | {"bands": num_bands, "rows": rows}
        )
        both = probes == "both"
        self.num_threads = thread_count(num_threads)
        self.keep_signatures = bool(keep_signatures)
        if config.bands is None or config.rows is None:
            chosen = _native.choose_probed(config.threshold, config.recall, config.size, both)
        else:
            chosen = config.bands, config.rows
        self.plan = ProbedBanding(*chosen, config.size, config.threshold, probes)
        self._native = _native.Probes(config.size, *chosen, both, self.keep_signatures)

    @property
    def identity(self) -> str | None:
        """What made the signatures, if `Signatures` were inserted; bare arrays do not say."""
        return self._native.identity

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._native.nbytes

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        plan = self.plan
        return (
            f"<MultiProbeLSH of {len(self)} signatures: {plan.bands} bands of {plan.rows} rows, "
            f'probes="{plan.probes}", recall {plan.recall:.3f} at {plan.threshold:g}>'
        )

    def insert(self, signatures: Probed) -> range:
        """Insert signatures; those of empty sets get an id and are never returned.

        Parameters
        ----------
        signatures : Signatures, or two arrays of uint32, shape (n, num_perm)
            Signatures with their runners-up, which ``probes="query"`` does not need here. Once
            `Signatures` were inserted, others of another identity are refused.

        Returns
        -------
        range
            The ids the rows were given.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            No runners-up, arrays of another kind or size, or of another identity.
        """
        first, second, identity = _probed(signatures)
        if second is None and self.plan.probes == "both":
            raise _missing()
        id = self._native.insert(first, second, identity, self.num_threads)
        return range(id, id + len(first))

    def query(
        self,
        signatures: Probed,
        format: Literal["lists", "csr"] = "lists",
        *,
        threshold: float | None = None,
        limit: int | None = None,
    ) -> Any:
        """Find the rows that each of many signatures leads to.

        Parameters
        ----------
        signatures : Signatures, or two arrays of uint32, shape (n, num_perm)
            Signatures with their runners-up.
        format : "lists" or "csr"
            A list a signature, or flat arrays ``ids, offsets`` and, with `keep_signatures`,
            ``estimates``.
        threshold : float, optional
            With `keep_signatures`: leave out estimates below this.
        limit : int, optional
            With `keep_signatures`: at most so many answers a signature, the best.

        Returns
        -------
        list of list, or tuple of numpy.ndarray
            Ids in order of insertion; with `keep_signatures` (id, estimate), best first, ties by
            id.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            As `insert`; `threshold` or `limit` out of range, or without `keep_signatures`.
        """
        first, second, identity = _probed(signatures)
        if second is None:
            raise _missing()
        least = 0.0 if threshold is None else share(threshold)
        if not self.keep_signatures and (threshold is not None or limit is not None):
            raise NeardupValueError(
                "threshold and limit need estimates; make the index with keep_signatures=True"
            )
        if limit is not None:
            limit = whole(limit, "limit", 1, 2**63 - 1)
        ids, offsets, estimates = self._native.query(
            first,
            second,
            identity,
            least if self.keep_signatures else None,
            limit,
            self.num_threads,
        )
        found = (ids, offsets) if estimates is None else (ids, offsets, estimates)
        return answers(found, False, format)

    def merge(self, other: MultiProbeLSH) -> None:
        """Take over the rows of another index; their ids follow the own ones.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not such an index, or one of other bands, probes or identity.
        """
        if not isinstance(other, MultiProbeLSH):
            raise NeardupTypeError(f"other must be a MultiProbeLSH, got {type(other).__name__}")
        if self._made() != other._made():
            raise NeardupValueError(
                f"indexes of different making cannot be merged: {self._made()} and {other._made()}"
            )
        self._native.merge(other._native)

    def save(self, path: Path) -> None:
        """Write a file, finished or absent: 12 bytes a row and key, and the signatures if kept.

        Raises
        ------
        NeardupError
            It cannot be written.
        """
        (keys, ids, lengths), kept, identity = self._native.parts()
        plan = self.plan
        header = {
            "size": plan.size,
            "bands": plan.bands,
            "rows": plan.rows,
            "threshold": plan.threshold,
            "probes": plan.probes,
            "kept": kept is not None,
            "identity": identity,
            "signatures": len(self),
            "lengths": lengths.tolist(),
        }
        slots = b"" if kept is None else kept.astype("<u4", copy=False)
        sections = [keys.astype("<u8", copy=False), ids.astype("<u4", copy=False), slots]
        _FILE.write(path, header, sections)

    @classmethod
    def load(cls, path: Path, num_threads: int = 0) -> MultiProbeLSH:
        """Read what `save` wrote: the same rows, ids and answers.

        Raises
        ------
        DataError
            The file is empty, truncated, altered, or no such file.
        NeardupError
            It cannot be read.
        """
        header, (keys, ids, kept) = _FILE.read(path, 3)
        match header:
            case {
                "size": int(size),
                "bands": int(bands),
                "rows": int(rows),
                "threshold": float(threshold),
                "probes": str(probes),
                "kept": bool(keep),
                "signatures": int(count),
                "lengths": [*lengths],
            } if (
                isinstance(header.get("identity"), str | None)
                and 0 <= count < 2**32
                and all(type(each) is int and 0 <= each < 2**63 for each in lengths)
                and (len(keys) % 8, len(ids) % 4, len(kept) % 4) == (0, 0, 0)
            ):
                entries = np.frombuffer(keys, "<u8").astype(np.uint64)
                documents = np.frombuffer(ids, "<u4").astype(np.uint32)
                slots = np.frombuffer(kept, "<u4").astype(np.uint32)
            case _:
                raise inconsistent(path, _FILE.name)
        try:
            index = cls(
                threshold,
                num_perm=size,
                num_bands=bands,
                rows=rows,
                probes=probes,  # type: ignore[arg-type]  # checked there
                keep_signatures=keep,
                num_threads=num_threads,
            )
            identity = header["identity"]
            index._native.restore(entries, documents, lengths, slots, identity, count)
        except NeardupError as error:
            raise DataError(
                f"{_FILE.name} that is inconsistent: {error}", source=str(path)
            ) from None
        return index

    def _made(self) -> str:
        plan = self.plan
        kept = ", signatures kept" if self.keep_signatures else ""
        return f'[{plan.bands} bands of {plan.rows} rows, probes="{plan.probes}"{kept}]'


def _probed(value: Any) -> tuple[Matrix, Matrix | None, str | None]:
    """Signatures, their runners-up, and what made them if that is known."""
    identity = None
    if isinstance(value, Signatures):
        first, second, identity = value.matrix, value.runners_up, value.identity
    elif isinstance(value, tuple) and len(value) == 2:
        first, _ = slots_of(value[0], 2)
        second = signature_array(value[1], 2, "runners-up")
    else:
        first, second = slots_of(value, 2)[0], None
    if second is not None and first.shape != second.shape:
        raise NeardupValueError(
            f"signatures of shape {first.shape} cannot have runners-up of shape {second.shape}"
        )
    return first, second, identity


def _missing() -> NeardupValueError:
    return NeardupValueError(
        "these signatures have no runners-up; make them with sketch(..., runners_up=True), or "
        "pass what batch_with_runners_up returns"
    )
