//! `_native.Hll`: how many distinct hashes there are.

use neardup_core::hll::{self, Hll};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::{attached, detached, raise};
use crate::text::{PyTextSpec, Texts};

/// A HyperLogLog counter; never changed, so any number of threads may share it.
#[pyclass(name = "Hll", module = "neardup._native", frozen)]
pub struct PyHll {
    inner: Hll,
}

#[pymethods]
impl PyHll {
    #[new]
    fn new(py: Python<'_>, precision: u8) -> PyResult<Self> {
        Ok(Self { inner: Hll::new(precision).map_err(|e| raise(py, &e))? })
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        attached(py, || Ok(Self { inner: Hll::from_bytes(data)? }))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    #[getter]
    fn precision(&self) -> u8 {
        self.inner.precision()
    }

    #[getter]
    fn estimate(&self) -> f64 {
        self.inner.estimate()
    }

    fn merge(&self, py: Python<'_>, other: &PyHll) -> PyResult<Self> {
        attached(py, || Ok(Self { inner: self.inner.merge(&other.inner)? }))
    }

    /// The counter of these hashes too.
    fn with_hashes(&self, py: Python<'_>, hashes: PyReadonlyArray1<'_, u64>) -> PyResult<Self> {
        let hashes = hashes.as_slice()?;
        detached(py, || {
            let mut inner = self.inner.clone();
            inner.extend(hashes);
            Ok(Self { inner })
        })
    }

    /// The counter of the shingles of some rows of a column, or all, too.
    fn with_texts(
        &self,
        py: Python<'_>,
        texts: Texts<'_>,
        rows: Option<PyReadonlyArray1<'_, u32>>,
        spec: &PyTextSpec,
        threads: usize,
    ) -> PyResult<Self> {
        let rows = rows.as_ref().map(|rows| rows.as_slice()).transpose()?;
        texts.with(py, |column| {
            let found = hll::shingles(column, rows, &spec.inner, self.inner.precision(), threads)?;
            Ok(Self { inner: self.inner.merge(&found)? })
        })
    }
}
