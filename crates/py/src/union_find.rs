//! `_native.UnionFind`: a partition of 0..n behind a lock.

use std::sync::{Mutex, PoisonError};

use neardup_core::Error;
use neardup_core::cluster::union_find::{UnionFind, divide_and_merge};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::call::detached;

/// A partition that any number of threads may share.
#[pyclass(name = "UnionFind", module = "neardup._native", frozen)]
pub struct PyUnionFind {
    inner: Mutex<UnionFind>,
}

type Elements<'py> = PyReadonlyArray1<'py, u32>;

#[pymethods]
impl PyUnionFind {
    #[new]
    fn new(py: Python<'_>, n: u32) -> PyResult<Self> {
        Ok(Self { inner: detached(py, || UnionFind::new(n).map(Mutex::new))? })
    }

    /// All pairs of all shards, each shard apart.
    #[staticmethod]
    fn divided(
        py: Python<'_>,
        n: u32,
        shards: Vec<(Elements<'_>, Elements<'_>)>,
        threads: usize,
    ) -> PyResult<Self> {
        let shards: Vec<(&[u32], &[u32])> = shards
            .iter()
            .map(|(a, b)| Ok((a.as_slice()?, b.as_slice()?)))
            .collect::<PyResult<_>>()?;
        let inner = detached(py, || divide_and_merge(n, &shards, threads).map(Mutex::new))?;
        Ok(Self { inner })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |sets| Ok(sets.len() as usize))
    }

    /// How many pairs were apart.
    fn union(&self, py: Python<'_>, a: Elements<'_>, b: Elements<'_>) -> PyResult<usize> {
        let (a, b) = (a.as_slice()?, b.as_slice()?);
        self.with(py, |sets| sets.union_all(a, b))
    }

    /// An element that stands for the set of `x` until the next union.
    fn root(&self, py: Python<'_>, x: u32) -> PyResult<u32> {
        self.with(py, |sets| {
            if x < sets.len() {
                return Ok(sets.find(x));
            }
            let n = sets.len();
            Err(Error::argument(format!(
                "{x} is none of the {n} elements, which are numbered from 0"
            )))
        })
    }

    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        Ok(PyArray1::from_vec(py, self.with(py, |sets| Ok(sets.labels()))?))
    }

    fn merge(&self, py: Python<'_>, other: &PyUnionFind) -> PyResult<usize> {
        let other = other.with(py, |sets| Ok(sets.clone()))?;
        self.with(py, |sets| sets.merge(&other))
    }
}

impl PyUnionFind {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut UnionFind) -> neardup_core::Result<T> + Send,
    ) -> PyResult<T> {
        // A partition is one at every step, whatever a panic left undone.
        detached(py, || work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}
