//! From band keys to clusters, for Python: arrays of document numbers in and out.

use neardup_core::cluster::{self, Edge};
use neardup_core::lsh::BandKeys;
use neardup_core::verify::{self, Sets};
use neardup_core::{Error, exact, join, pairs};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::call::{attached, by_rows, detached};
use crate::text::BatchSurvey;

/// Band keys of all documents, a column a band.
#[pyclass(name = "BandKeys", module = "neardup._native")]
pub struct PyBandKeys {
    pub inner: BandKeys,
}

#[pymethods]
impl PyBandKeys {
    #[new]
    fn new(py: Python<'_>, bands: usize) -> PyResult<Self> {
        Ok(Self { inner: attached(py, || Ok(BandKeys::new(bands)))? })
    }

    /// Keys of `bands` bands, column after column.
    #[staticmethod]
    fn of(py: Python<'_>, keys: PyReadonlyArray1<'_, u64>, bands: usize) -> PyResult<Self> {
        let keys = keys.as_slice()?;
        let inner = detached(py, || {
            let mut all = BandKeys::new(bands);
            let documents = keys.len() / bands.max(1);
            if documents * bands != keys.len() {
                let message = format!("{} keys are no columns of {bands} bands", keys.len());
                return Err(Error::argument(message));
            }
            if documents > 0 {
                let columns: Vec<_> = keys.chunks_exact(documents).map(<[u64]>::to_vec).collect();
                all.extend(&columns)?;
            }
            Ok(all)
        })?;
        Ok(Self { inner })
    }

    /// Adds the keys of a batch.
    fn extend(&mut self, py: Python<'_>, batch: &BatchSurvey) -> PyResult<()> {
        self.take(py, batch)
    }

    #[getter]
    fn documents(&self) -> usize {
        self.inner.documents()
    }

    /// The keys of one band, 0 where a document has none.
    fn column<'py>(&self, py: Python<'py>, band: usize) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_slice(py, self.inner.column(band))
    }
}

type Numbers<'py> = Bound<'py, PyArray1<u32>>;

/// Candidate pairs (a, b), a < b, each once; buckets above the cap and the pairs in them left out.
#[pyfunction]
pub fn candidate_pairs<'py>(
    py: Python<'py>,
    keys: &PyBandKeys,
    rank: PyReadonlyArray1<'py, u32>,
    takes_part: PyReadonlyArray1<'py, bool>,
    cap: usize,
    threads: usize,
) -> PyResult<(Numbers<'py>, Numbers<'py>, u64, u64)> {
    let (rank, mask) = (rank.as_slice()?, takes_part.as_slice()?);
    let (a, b, capped) = detached(py, || {
        if keys.inner.bands() == 0 {
            return Ok((Vec::new(), Vec::new(), pairs::Capped::default()));
        }
        let (found, capped) = pairs::candidates(&keys.inner, rank, Some(mask), cap, threads)?;
        let (a, b) = found.into_iter().unzip();
        Ok((a, b, capped))
    })?;
    Ok((PyArray1::from_vec(py, a), PyArray1::from_vec(py, b), capped.buckets, capped.pairs))
}

/// All pairs of sets of at least this similarity, a < b, sorted; and the similarity of each.
#[pyfunction]
pub fn exact_join<'py>(
    py: Python<'py>,
    values: Values<'py>,
    start: Bounds<'py>,
    length: Bounds<'py>,
    threshold: f64,
    threads: usize,
) -> PyResult<(Numbers<'py>, Numbers<'py>, Bound<'py, PyArray1<f64>>)> {
    let (values, start, length) = (values.as_slice()?, start.as_slice()?, length.as_slice()?);
    let found = detached(py, || join::join(Sets::new(values, start, length)?, threshold, threads))?;
    Ok((
        PyArray1::from_iter(py, found.iter().map(|pair| pair.a)),
        PyArray1::from_iter(py, found.iter().map(|pair| pair.b)),
        PyArray1::from_iter(py, found.iter().map(|pair| pair.jaccard)),
    ))
}

/// For each document the first, by rank, of those of equal digest.
#[pyfunction]
pub fn leaders<'py>(
    py: Python<'py>,
    digest: PyReadonlyArray2<'py, u64>,
    rank: PyReadonlyArray1<'py, u32>,
    takes_part: PyReadonlyArray1<'py, bool>,
) -> PyResult<Numbers<'py>> {
    let (rank, mask) = (rank.as_slice()?, takes_part.as_slice()?);
    let words = by_rows(&digest)?;
    let leader = detached(py, || {
        let digest: Vec<u128> = words
            .chunks_exact(2)
            .map(|pair| u128::from(pair[1]) << 64 | u128::from(pair[0]))
            .collect();
        exact::leaders(&digest, rank, mask)
    })?;
    Ok(PyArray1::from_vec(py, leader))
}

type Bounds<'py> = PyReadonlyArray1<'py, i64>;
type Values<'py> = PyReadonlyArray1<'py, u64>;
type Ids<'py> = PyReadonlyArray1<'py, u32>;

/// Exact Jaccard similarity of pairs of sets, -1 where it is below the threshold.
#[pyfunction(name = "verify")]
#[allow(clippy::too_many_arguments, reason = "the call of one kernel, made in one place")]
pub fn verify_pairs<'py>(
    py: Python<'py>,
    values: Values<'py>,
    start: Bounds<'py>,
    length: Bounds<'py>,
    a: Ids<'py>,
    b: Ids<'py>,
    threshold: f64,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (values, start, length) = (values.as_slice()?, start.as_slice()?, length.as_slice()?);
    let (a, b) = (a.as_slice()?, b.as_slice()?);
    let found = detached(py, || {
        verify::verify(Sets::new(values, start, length)?, a, b, threshold, threads)
    })?;
    Ok(PyArray1::from_vec(py, found))
}

/// Estimated similarity of pairs of signatures, -1 where it is below the threshold.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the call of one kernel, made in one place")]
pub fn estimate_pairs<'py>(
    py: Python<'py>,
    values: Values<'py>,
    start: Bounds<'py>,
    length: Bounds<'py>,
    a: Ids<'py>,
    b: Ids<'py>,
    size: usize,
    threshold: f64,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (values, start, length) = (values.as_slice()?, start.as_slice()?, length.as_slice()?);
    let (a, b) = (a.as_slice()?, b.as_slice()?);
    let found = detached(py, || {
        let sets = Sets::new(values, start, length)?;
        verify::estimates(sets, size, a, b, threshold, threads)
    })?;
    Ok(PyArray1::from_vec(py, found))
}

/// Similarity of pairs of SimHash fingerprints by their distance, -1 where it is below the threshold.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the call of one kernel, made in one place")]
pub fn estimate_fingerprints<'py>(
    py: Python<'py>,
    values: Values<'py>,
    start: Bounds<'py>,
    length: Bounds<'py>,
    a: Ids<'py>,
    b: Ids<'py>,
    bits: usize,
    threshold: f64,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (values, start, length) = (values.as_slice()?, start.as_slice()?, length.as_slice()?);
    let (a, b) = (a.as_slice()?, b.as_slice()?);
    let found = detached(py, || {
        let sets = Sets::new(values, start, length)?;
        verify::fingerprint_estimates(sets, bits, a, b, threshold, threads)
    })?;
    Ok(PyArray1::from_vec(py, found))
}

/// For each pair of sets, whether each has something that the other lacks.
#[pyfunction]
pub fn both_have_more<'py>(
    py: Python<'py>,
    values: Values<'py>,
    start: Bounds<'py>,
    length: Bounds<'py>,
    a: Ids<'py>,
    b: Ids<'py>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let (values, start, length) = (values.as_slice()?, start.as_slice()?, length.as_slice()?);
    let (a, b) = (a.as_slice()?, b.as_slice()?);
    let found =
        detached(py, || verify::both_have_more(Sets::new(values, start, length)?, a, b, threads))?;
    Ok(PyArray1::from_vec(py, found))
}

type Clusters<'py> = (Numbers<'py>, Bound<'py, PyArray1<f64>>);

/// Star clustering: for each document the kept one that stands for it, and the similarity to it.
#[pyfunction]
pub fn star<'py>(
    py: Python<'py>,
    rank: Ids<'py>,
    a: Ids<'py>,
    b: Ids<'py>,
    similarity: PyReadonlyArray1<'py, f64>,
) -> PyResult<Clusters<'py>> {
    clusters(py, rank, a, b, similarity, cluster::star)
}

/// Connected components: for each document the first of its component, and the similarity to it,
/// NaN where the two are no pair.
#[pyfunction]
pub fn components<'py>(
    py: Python<'py>,
    rank: Ids<'py>,
    a: Ids<'py>,
    b: Ids<'py>,
    similarity: PyReadonlyArray1<'py, f64>,
) -> PyResult<Clusters<'py>> {
    clusters(py, rank, a, b, similarity, cluster::components)
}

fn clusters<'py>(
    py: Python<'py>,
    rank: Ids<'py>,
    a: Ids<'py>,
    b: Ids<'py>,
    similarity: PyReadonlyArray1<'py, f64>,
    cluster: fn(&[Edge], &[u32]) -> neardup_core::Result<cluster::Clusters>,
) -> PyResult<Clusters<'py>> {
    let (rank, a, b) = (rank.as_slice()?, a.as_slice()?, b.as_slice()?);
    let similarity = similarity.as_slice()?;
    let found = detached(py, || {
        if a.len() != b.len() || a.len() != similarity.len() {
            return Err(Error::argument("a pair has two sides and one similarity"));
        }
        let sides = a.iter().zip(b).zip(similarity);
        let edges: Vec<Edge> =
            sides.map(|((&a, &b), &similarity)| Edge { a, b, similarity }).collect();
        cluster(&edges, rank)
    })?;
    Ok((PyArray1::from_vec(py, found.representative), PyArray1::from_vec(py, found.similarity)))
}
