//! `_native.Bloom`: one Bloom filter a band, shared by threads.

use neardup_core::lsh::Banding;
use neardup_core::lsh::bloom::{BloomBands, Design};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::call::{attached, detached};
use crate::shared::{Shared, slots};

type Matrix<'py> = PyReadonlyArray2<'py, u32>;
type Flags<'py> = Bound<'py, PyArray1<bool>>;

/// Filters of a stated capacity and rate of false positives.
#[pyclass(name = "Bloom", module = "neardup._native", frozen)]
pub struct PyBloom {
    #[pyo3(get)]
    size: usize,
    design: Design,
    shared: Shared<BloomBands>,
}

#[pymethods]
impl PyBloom {
    #[new]
    fn new(
        py: Python<'_>,
        size: usize,
        bands: usize,
        rows: usize,
        capacity: u64,
        rate: f64,
    ) -> PyResult<Self> {
        let bloom = detached(py, || {
            let banding = Banding::new(bands, rows, size)?;
            BloomBands::new(size, Design::new(banding, capacity, rate)?)
        })?;
        Ok(Self::over(bloom))
    }

    #[getter]
    fn bands(&self) -> usize {
        self.design.banding.bands
    }

    #[getter]
    fn rows(&self) -> usize {
        self.design.banding.rows
    }

    #[getter]
    fn capacity(&self) -> u64 {
        self.design.capacity
    }

    #[getter]
    fn rate(&self) -> f64 {
        self.design.rate
    }

    /// Bits set for a key.
    #[getter]
    fn hashes(&self) -> u32 {
        self.design.hashes
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.design.bytes()
    }

    #[getter]
    fn added(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.read(py, |own| Ok(own.index.added()))
    }

    /// Documents added, the share of bits set in each filter, and the rate of false positives now.
    fn state(&self, py: Python<'_>) -> PyResult<(u64, Vec<f64>, f64)> {
        self.shared.read(py, |own| Ok((own.index.added(), own.index.fill(), own.index.rate_now())))
    }

    fn check<'py>(
        &self,
        py: Python<'py>,
        matrix: Matrix<'py>,
        threads: usize,
    ) -> PyResult<Flags<'py>> {
        let slots = slots(py, &matrix, self.size)?;
        let flags = self.shared.read(py, |own| own.index.check(slots, threads))?;
        Ok(PyArray1::from_vec(py, flags))
    }

    fn add(&self, py: Python<'_>, matrix: Matrix<'_>, threads: usize) -> PyResult<()> {
        let slots = slots(py, &matrix, self.size)?;
        self.shared.write(py, |own| own.index.add(slots, threads))
    }

    fn check_and_add<'py>(
        &self,
        py: Python<'py>,
        matrix: Matrix<'py>,
        threads: usize,
    ) -> PyResult<Flags<'py>> {
        let slots = slots(py, &matrix, self.size)?;
        let flags = self.shared.write(py, |own| own.index.check_and_add(slots, threads))?;
        Ok(PyArray1::from_vec(py, flags))
    }

    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        self.shared.merge(py, &other.shared, BloomBands::merge)
    }

    /// What a file holds: all bits, and the documents added.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyArray1<u64>>, u64)> {
        let (words, added) =
            self.shared.read(py, |own| Ok((own.index.words(), own.index.added())))?;
        Ok((PyArray1::from_vec(py, words), added))
    }

    /// The filters that had these bits; whatever does not fit the design is refused.
    #[staticmethod]
    #[allow(clippy::too_many_arguments, reason = "the parts of a file, read in one place")]
    fn of_parts(
        py: Python<'_>,
        size: usize,
        bands: usize,
        rows: usize,
        capacity: u64,
        rate: f64,
        words: PyReadonlyArray1<'_, u64>,
        added: u64,
    ) -> PyResult<Self> {
        let words = words.as_slice()?;
        let bloom = attached(py, || {
            let design = Design::new(Banding::new(bands, rows, size)?, capacity, rate)?;
            BloomBands::of(size, design, words, added)
        })?;
        Ok(Self::over(bloom))
    }
}

impl PyBloom {
    fn over(bloom: BloomBands) -> Self {
        let (size, design) = (bloom.size(), bloom.design());
        Self { size, design, shared: Shared::new(bloom, None) }
    }
}
