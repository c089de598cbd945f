//! `_native.Forest`: the most similar signatures, shared by threads.

use neardup_core::lsh::forest::{Forest, Wanted};
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::call::attached;
use crate::shared::{Floats, Numbers, Shared, numbers, slots};

type Matrix<'py> = PyReadonlyArray2<'py, u32>;

/// Trees over signatures.
#[pyclass(name = "Forest", module = "neardup._native", frozen)]
pub struct PyForest {
    #[pyo3(get)]
    size: usize,
    #[pyo3(get)]
    trees: usize,
    #[pyo3(get)]
    depth: usize,
    shared: Shared<Forest>,
}

#[pymethods]
impl PyForest {
    #[new]
    fn new(py: Python<'_>, size: usize, trees: usize, depth: usize) -> PyResult<Self> {
        let forest = attached(py, || Forest::new(size, trees, depth))?;
        Ok(Self { size, trees, depth, shared: Shared::new(forest, None) })
    }

    #[getter]
    fn identity(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.shared.read(py, |own| Ok(own.identity.clone()))
    }

    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.read(py, |own| Ok(own.index.bytes()))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.read(py, |own| Ok(own.index.len()))
    }

    fn insert(
        &self,
        py: Python<'_>,
        matrix: Matrix<'_>,
        identity: Option<String>,
        threads: usize,
    ) -> PyResult<u32> {
        let slots = slots(py, &matrix, self.size)?;
        self.shared.write(py, |own| {
            own.meet(identity.as_deref())?;
            let first = own.index.insert(slots, threads)?;
            own.remember(identity);
            Ok(first)
        })
    }

    /// Ids, offsets (CSR) and estimates, best first.
    fn query<'py>(
        &self,
        py: Python<'py>,
        matrix: Matrix<'py>,
        identity: Option<&str>,
        best: usize,
        candidates: usize,
        threads: usize,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>, Floats<'py>)> {
        let slots = slots(py, &matrix, self.size)?;
        let found = self.shared.read(py, |own| {
            own.meet(identity)?;
            own.index.query(slots, Wanted { best, candidates }, threads)
        })?;
        let (ids, offsets) = numbers(py, &found.ids, &found.offsets);
        Ok((ids, offsets, PyArray1::from_vec(py, found.estimates)))
    }

    fn merge(&self, py: Python<'_>, other: &Self, threads: usize) -> PyResult<()> {
        self.shared
            .merge(py, &other.shared, |own, other| own.insert(other.slots(), threads).map(drop))
    }

    /// What a file holds: all signatures, and the identity.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyArray1<u32>>, Option<String>)> {
        let (slots, identity) =
            self.shared.read(py, |own| Ok((own.index.slots().to_vec(), own.identity.clone())))?;
        Ok((PyArray1::from_vec(py, slots), identity))
    }
}
