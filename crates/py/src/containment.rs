//! `_native.Containment`: which texts contain a passage, shared by threads.

use neardup_core::containment::Containment;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::call::detached;
use crate::shared::{EntryArrays, Floats, Numbers, Shared, flat, lists, numbers};
use crate::text::{PyTextSpec, Texts};

type Mask<'py> = Option<PyReadonlyArray1<'py, bool>>;

/// Shingles, and the texts that have them.
#[pyclass(name = "Containment", module = "neardup._native", frozen)]
pub struct PyContainment {
    shared: Shared<Containment>,
}

#[pymethods]
impl PyContainment {
    #[new]
    fn new() -> Self {
        Self { shared: Shared::new(Containment::default(), None) }
    }

    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.read(py, |own| Ok(own.index.bytes()))
    }

    #[getter]
    fn shingles(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.read(py, |own| Ok(own.index.shingles()))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.shared.read(py, |own| Ok(own.index.len()))
    }

    /// Inserts the valid texts of a column; the first row's id is returned.
    fn insert(
        &self,
        py: Python<'_>,
        texts: Texts<'_>,
        valid: Mask<'_>,
        spec: &PyTextSpec,
        threads: usize,
    ) -> PyResult<u32> {
        let valid = valid.as_ref().map(|valid| valid.as_slice()).transpose()?;
        texts.with(py, |column| {
            self.shared.change(|own| own.index.insert(column, valid, &spec.inner, threads))
        })
    }

    /// Ids, offsets (CSR) and exact containments, best first.
    #[allow(clippy::too_many_arguments, reason = "the call of one kernel, made in one place")]
    fn query<'py>(
        &self,
        py: Python<'py>,
        texts: Texts<'py>,
        valid: Mask<'py>,
        spec: &PyTextSpec,
        threshold: f64,
        limit: Option<usize>,
        threads: usize,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>, Floats<'py>)> {
        let valid = valid.as_ref().map(|valid| valid.as_slice()).transpose()?;
        let limit = limit.unwrap_or(usize::MAX);
        let found = texts.with(py, |column| {
            self.shared
                .look(|own| own.index.query(column, valid, &spec.inner, threshold, limit, threads))
        })?;
        let (ids, offsets) = numbers(py, &found.ids, &found.offsets);
        Ok((ids, offsets, PyArray1::from_vec(py, found.shares)))
    }

    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        self.shared.merge(py, &other.shared, Containment::merge)
    }

    /// What a file holds: keys, ids, entries of each list.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<EntryArrays<'py>> {
        let entries = self.shared.read(py, |own| Ok(own.index.entries()))?;
        Ok(flat(py, entries))
    }

    /// The index of `texts` texts that `parts` described; whatever does not hold together is refused.
    #[staticmethod]
    fn of_parts(
        py: Python<'_>,
        keys: PyReadonlyArray1<'_, u64>,
        ids: PyReadonlyArray1<'_, u32>,
        lengths: Vec<i64>,
        texts: u32,
    ) -> PyResult<Self> {
        let entries = lists(&keys, &ids, &lengths)?;
        let index = detached(py, || Containment::of(&entries?, texts))?;
        Ok(Self { shared: Shared::new(index, None) })
    }
}
