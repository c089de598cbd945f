//! `_native.Probes`: an index looked up with runners-up; and signatures with their runners-up.

use neardup_core::Error;
use neardup_core::lsh::Banding;
use neardup_core::lsh::probes::{ProbeTable, Probes};
use neardup_core::lsh::ranked::{Wanted, rank};
use neardup_core::runners::{self, Probed};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::call::{attached, detached, raise};
use crate::shared::{EntryArrays, Floats, Numbers, Shared, flat, lists, numbers, slots};
use crate::sketch::{PySketch, checked_offsets};
use crate::text::{PyTextSpec, Texts};

type Matrix<'py> = PyReadonlyArray2<'py, u32>;
type Parts<'py> = (EntryArrays<'py>, Option<Bound<'py, PyArray1<u32>>>, Option<String>);

#[derive(Clone)]
struct Index {
    table: ProbeTable,
    /// Signatures in order of id.
    kept: Option<Vec<u32>>,
}

/// An index that any number of threads may share.
#[pyclass(name = "Probes", module = "neardup._native", frozen)]
pub struct PyProbes {
    #[pyo3(get)]
    size: usize,
    banding: Banding,
    both: bool,
    shared: Shared<Index>,
}

#[pymethods]
impl PyProbes {
    #[new]
    fn new(
        py: Python<'_>,
        size: usize,
        bands: usize,
        rows: usize,
        both: bool,
        keep: bool,
    ) -> PyResult<Self> {
        let banding = Banding { bands, rows };
        let table = attached(py, || ProbeTable::new(size, banding, side(both)))?;
        let index = Index { table, kept: keep.then(Vec::new) };
        Ok(Self { size, banding, both, shared: Shared::new(index, None) })
    }

    #[getter]
    fn bands(&self) -> usize {
        self.banding.bands
    }

    #[getter]
    fn rows(&self) -> usize {
        self.banding.rows
    }

    #[getter]
    fn both(&self) -> bool {
        self.both
    }

    #[getter]
    fn identity(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.shared.read(py, |own| Ok(own.identity.clone()))
    }

    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.read(py, |own| {
            Ok(own.index.table.bytes() + 4 * own.index.kept.as_ref().map_or(0, Vec::capacity))
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.read(py, |own| Ok(own.index.table.len()))
    }

    fn insert(
        &self,
        py: Python<'_>,
        first: Matrix<'_>,
        second: Option<Matrix<'_>>,
        identity: Option<String>,
        threads: usize,
    ) -> PyResult<u32> {
        let first = slots(py, &first, self.size)?;
        let second = second.as_ref().map(|second| slots(py, second, self.size)).transpose()?;
        self.shared.write(py, |own| {
            own.meet(identity.as_deref())?;
            let id = own.index.table.insert(first, second.unwrap_or(&[]), threads)?;
            if let Some(kept) = &mut own.index.kept {
                kept.extend_from_slice(first);
            }
            own.remember(identity);
            Ok(id)
        })
    }

    /// Ids and offsets (CSR), in order of insertion; with `threshold` also estimates, best first.
    #[allow(clippy::too_many_arguments, reason = "the call of one kernel, made in one place")]
    fn query<'py>(
        &self,
        py: Python<'py>,
        first: Matrix<'py>,
        second: Matrix<'py>,
        identity: Option<&str>,
        threshold: Option<f64>,
        limit: Option<usize>,
        threads: usize,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>, Option<Floats<'py>>)> {
        let (first, second) = (slots(py, &first, self.size)?, slots(py, &second, self.size)?);
        let limit = limit.unwrap_or(usize::MAX);
        let (ids, offsets, estimates) = self.shared.read(py, |own| {
            own.meet(identity)?;
            let found = own.index.table.query(first, second, threads)?;
            match (threshold, &own.index.kept) {
                (Some(threshold), Some(kept)) => {
                    let wanted = Wanted { threshold, limit };
                    let best = rank(&found, first, kept, self.size, wanted, threads)?;
                    Ok((best.ids, best.offsets, Some(best.estimates)))
                }
                (Some(_), None) => {
                    Err(Error::argument("this index keeps no signatures to estimate from"))
                }
                (None, _) => Ok((found.ids, found.offsets, None)),
            }
        })?;
        let (ids, offsets) = numbers(py, &ids, &offsets);
        Ok((ids, offsets, estimates.map(|estimates| PyArray1::from_vec(py, estimates))))
    }

    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        self.shared.merge(py, &other.shared, |own, other| {
            if own.kept.is_some() != other.kept.is_some() {
                let message = "one index keeps signatures, and the other does not; make both alike";
                return Err(Error::mismatch(message));
            }
            own.table.merge(&other.table)?;
            if let (Some(own), Some(more)) = (&mut own.kept, &other.kept) {
                own.extend_from_slice(more);
            }
            Ok(())
        })
    }

    /// What a file holds: the entries of the bands, the signatures kept, and the identity.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        let (entries, kept, identity) = self.shared.read(py, |own| {
            Ok((own.index.table.entries(), own.index.kept.clone(), own.identity.clone()))
        })?;
        Ok((flat(py, entries), kept.map(|slots| PyArray1::from_vec(py, slots)), identity))
    }

    /// Takes what `parts` gave, of `rows` rows; whatever does not hold together is refused.
    #[allow(clippy::too_many_arguments, reason = "the parts of a file, read in one place")]
    fn restore(
        &self,
        py: Python<'_>,
        keys: PyReadonlyArray1<'_, u64>,
        ids: PyReadonlyArray1<'_, u32>,
        lengths: Vec<i64>,
        kept: PyReadonlyArray1<'_, u32>,
        identity: Option<String>,
        rows: u32,
    ) -> PyResult<()> {
        let (entries, kept) = (lists(&keys, &ids, &lengths)?, kept.as_slice()?);
        self.shared.write(py, |own| {
            let slots = rows as usize * own.index.kept.as_ref().map_or(0, |_| self.size);
            if kept.len() != slots {
                return Err(Error::data("the signatures kept are not those of the rows"));
            }
            own.index.table.restore(&entries?, rows)?;
            if let Some(own) = &mut own.index.kept {
                own.extend_from_slice(kept);
            }
            own.identity = identity;
            Ok(())
        })
    }
}

fn side(both: bool) -> Probes {
    if both { Probes::Both } else { Probes::Query }
}

/// Probability that a pair of that similarity is found.
#[pyfunction]
pub fn probed_probability(
    py: Python<'_>,
    jaccard: f64,
    bands: usize,
    rows: usize,
    both: bool,
) -> PyResult<f64> {
    attached(py, || Ok(side(both).candidate(jaccard, Banding { bands, rows })))
}

/// Bands and rows for a threshold and a recall.
#[pyfunction]
pub fn choose_probed(
    py: Python<'_>,
    threshold: f64,
    recall: f64,
    size: usize,
    both: bool,
) -> PyResult<(usize, usize)> {
    let found = detached(py, || side(both).choose(threshold, recall, size))?;
    Ok((found.bands, found.rows))
}

type Slots<'py> = Bound<'py, PyArray2<u32>>;

/// Signatures of texts, their runners-up, and the sizes of the shingle sets.
#[pyfunction]
pub fn sketch_texts_probed<'py>(
    py: Python<'py>,
    texts: Texts<'py>,
    spec: &PyTextSpec,
    sketch: &PySketch,
    threads: usize,
) -> PyResult<(Slots<'py>, Slots<'py>, Numbers<'py>)> {
    let found =
        texts.with(py, |column| runners::of_texts(column, &spec.inner, &*sketch.inner, threads))?;
    arrays(py, found, sketch.inner.size())
}

/// The same of sets of token hashes.
#[pyfunction]
pub fn sketch_sets_probed<'py>(
    py: Python<'py>,
    hashes: PyReadonlyArray1<'py, u64>,
    offsets: PyReadonlyArray1<'py, i64>,
    sketch: &PySketch,
    threads: usize,
) -> PyResult<(Slots<'py>, Slots<'py>, Numbers<'py>)> {
    let (hashes, offsets) = (hashes.as_slice()?, offsets.as_slice()?);
    let offsets = checked_offsets(offsets, hashes.len()).map_err(|error| raise(py, &error))?;
    let found = detached(py, || runners::of_sets(hashes, &offsets, &*sketch.inner, threads))?;
    arrays(py, found, sketch.inner.size())
}

fn arrays(
    py: Python<'_>,
    found: Probed,
    size: usize,
) -> PyResult<(Slots<'_>, Slots<'_>, Numbers<'_>)> {
    let shape = [found.counts.len(), size];
    Ok((
        PyArray1::from_vec(py, found.slots).reshape(shape)?,
        PyArray1::from_vec(py, found.runners).reshape(shape)?,
        PyArray1::from_vec(py, found.counts),
    ))
}
