"""What `dedup` gives back: the rows kept, why each other went, and the questions one asks next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup import values as v
from neardup.errors import NeardupError, NeardupValueError
from neardup.kinds import select
from neardup.option import Option
from neardup.plan import EXACT, Found, answer

if TYPE_CHECKING:
    import pyarrow as pa

    from neardup.io.documents import Ids
    from neardup.tables import Places


_N = Option("n", v.Integer(0, 2**63 - 1, "a whole number from 0"), 10, "", "")
_NEAR = Option("near", v.Real(0.0, 1.0, "a number from 0 to 1", open_low=False), None, "", "")


class Result:
    """The answer of `neardup.dedup`.

    Examples
    --------
    >>> import neardup
    >>> texts = ["the cat sat on the mat", "The cat sat on the mat!", "a dog barked all night"]
    >>> r = neardup.dedup(texts)
    >>> r.kept
    ['the cat sat on the mat', 'a dog barked all night']
    >>> r.removed.select(["row", "kept_row", "similarity", "reason"]).to_pylist()
    [{'row': 1, 'kept_row': 0, 'similarity': 1.0, 'reason': 'near'}]
    """

    def __init__(self, data: Any, found: Found, ids: Ids, summary: dict[str, Any]) -> None:
        self._data, self._found, self._ids = data, found, ids
        self._tables: dict[str, pa.Table] = {}
        self.summary = summary
        """Counts and settings of the run, as in summary.json."""

    @property
    def keep(self) -> npt.NDArray[np.bool_]:
        """Which rows stay: a mask in input order, shape (rows of all inputs,)."""
        base = self._found.base
        return self._found.keep[: int(base.survey.starts[base.documents.own])]

    @property
    def kept(self) -> Any:
        """The rows that stay, in the kind that came in; for paths an iterator of record batches.

        A list for texts from a list or an iterator; for pandas (index kept), polars, datasets and
        pyarrow a collection of the same class; a pyarrow.Table for anything else. Rows of text
        files are in one binary column, `raw`. With ``annotate=True`` all rows that could be read
        are there, with the columns that `annotate` adds.
        """
        return select(self._data, self._found, self._ids)

    @property
    def removed(self) -> pa.Table:
        """Each removed row: source, row, id, kept_source, kept_row, kept_id, similarity, reason."""
        return self._table("removed")

    @property
    def pairs(self) -> pa.Table:
        """Every verified pair once: source, row, id of both sides, and the similarity."""
        return self._table("pairs")

    @property
    def clusters(self) -> pa.Table:
        """Each row that has a duplicate: source, row, id, cluster, representative."""
        return self._table("clusters")

    @property
    def rejected(self) -> pa.Table:
        """Rows that could not be read, with ``on_error="skip"``: source, row, reason, raw."""
        from neardup import tables

        return tables.rejected(self._found.base.documents.rejects)

    def rethreshold(self, threshold: float) -> Result:
        """The answer at a higher threshold, from the pairs already verified.

        Parameters
        ----------
        threshold : float
            At least the threshold of the run, at most 1.

        Returns
        -------
        Result
            Bands and verified pairs are kept, clusters are made again; nothing is written.

        Raises
        ------
        NeardupValueError
            A threshold below that of the run, whose pairs are not known.
        """
        from dataclasses import replace

        from neardup import tables

        base = self._found.base
        config = replace(base.plan.config, threshold=threshold)
        if config.threshold < base.plan.threshold:
            raise NeardupValueError(
                f"threshold: {threshold} is below the {base.plan.threshold} of this run, whose "
                "pairs are not known; run dedup again"
            )
        pairs = self._found.pairs
        pairs = pairs.where(pairs.similarity >= config.threshold)
        base = replace(base, plan=base.plan.at(config))
        if config.cluster == "star":
            found = answer(base, pairs, self._found.guarded, None)
        else:
            with base.engine.gather(base.documents, base.survey, base.candidates) as sets:
                found = answer(base, pairs, self._found.guarded, sets)
        ids = base.engine.ids(base.documents, base.survey, tables.named(found))
        clock = ("seconds", "megabytes_per_second", "peak_rss_bytes", "version")
        timed = {name: self.summary[name] for name in clock}
        return Result(self._data, found, ids, {**tables.summary(found), **timed})

    def sample(self, n: int = 10, near: float | None = None) -> list[dict[str, Any]]:
        """Removed rows with both texts, to be read by a person.

        Parameters
        ----------
        n : int
            At most so many.
        near : float, optional
            Take those whose similarity is nearest to this, from 0 to 1; without it, spread over
            all.

        Returns
        -------
        list of dict
            source, row, kept_source, kept_row, similarity, reason, text, kept_text.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            `n` is no whole number from 0, or `near` no number from 0 to 1.
        NeardupError
            The data is not what it was.
        """
        n = _N.read(n)
        near = _NEAR.read(near)
        found = self._found
        gone = np.flatnonzero(found.reason > 0)
        if near is not None:
            gone = gone[np.argsort(np.abs(found.similarity[gone] - near), kind="stable")][:n]
        elif len(gone) > n:
            order = np.argsort(found.similarity[gone], kind="stable")
            gone = gone[order[np.linspace(0, len(gone) - 1, n).astype(int)]]
        partners = found.partner[gone].astype(np.int64)
        texts = texts_of(found, np.union1d(gone, partners))
        rows = []
        for document, partner in zip(gone.tolist(), partners.tolist(), strict=True):
            source, row = found.base.survey.place(document)
            kept_source, kept_row = found.base.survey.place(partner)
            names = [each.name for each in found.base.documents.sources]
            rows.append(
                {
                    "source": names[source],
                    "row": row,
                    "kept_source": names[kept_source],
                    "kept_row": kept_row,
                    "similarity": float(found.similarity[document]),
                    "reason": "exact" if found.reason[document] == EXACT else "near",
                    "text": texts[document],
                    "kept_text": texts[partner],
                }
            )
        return rows

    def _table(self, name: str) -> pa.Table:
        import pyarrow as pa

        from neardup import tables

        if name not in self._tables:
            pieces = getattr(tables, name)(self._found, self._places())
            self._tables[name] = pa.concat_tables(pieces)
        return self._tables[name]

    def _places(self) -> Places:
        from neardup.tables import Places

        base = self._found.base
        return Places(base.documents, base.survey.starts, self._ids)

    def __len__(self) -> int:
        return int(np.count_nonzero(self.keep))

    def __repr__(self) -> str:
        s = self.summary
        return (
            f"<neardup.Result: {s['kept']:,} of {s['documents']:,} documents kept at "
            f"{s['threshold']}; removed: {s['exact_duplicates']:,} exact, "
            f"{s['near_duplicates']:,} near; clusters: {s['clusters']:,}>"
        )

    def _repr_html_(self) -> str:
        s = self.summary
        names = ("documents", "kept", "exact_duplicates", "near_duplicates", "rejected", "clusters")
        cells = "".join(
            f"<tr><th style='text-align:left'>{name.replace('_', ' ')}</th>"
            f"<td style='text-align:right'>{s[name]:,}</td></tr>"
            for name in names
        )
        return (
            f"<table><caption>neardup: threshold {s['threshold']}, {s['seconds']} s</caption>"
            f"{cells}</table>"
        )


def texts_of(found: Found, wanted: npt.NDArray[np.int64]) -> dict[int, str]:
    """Texts of some documents, sorted by number, read again."""
    texts: dict[int, str] = {}
    starts = found.base.survey.starts
    for batch in found.base.documents.batches():
        first = int(starts[batch.source]) + batch.first_row
        low, high = np.searchsorted(wanted, [first, first + len(batch)])
        for document in wanted[low:high].tolist():
            texts[document] = batch.texts[document - first].as_py()
        if high == len(wanted):
            break
    if len(texts) < len(wanted):
        raise NeardupError("the data changed since the run: rows it named are not there any more")
    return texts
