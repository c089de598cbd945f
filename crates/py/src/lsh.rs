//! `_native.Lsh`: the table of band keys behind a lock, with its rows' signatures if they are kept.
//!
//! The lock is taken only where the GIL is not held, so that neither is ever waited for under the other.

use std::sync::RwLock;

use neardup_core::lsh::bands::EMPTY_SLOT;
use neardup_core::lsh::gather::LEFT_OUT;
use neardup_core::lsh::ranked::{Wanted, rank};
use neardup_core::lsh::{self, BandKeys, Banding, Table};
use neardup_core::{Error, Result};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::{attached, by_rows, detached, raise};

/// An index that any number of threads may share.
#[pyclass(name = "Lsh", module = "neardup._native", frozen)]
pub struct PyLsh {
    #[pyo3(get)]
    size: usize,
    banding: Banding,
    state: RwLock<State>,
}

struct State {
    table: Table,
    /// Signatures in order of id, removed ones included.
    kept: Option<Vec<u32>>,
    /// How the signatures were made, once one said so.
    identity: Option<String>,
}

impl State {
    /// Refuses signatures of another making.
    fn meet(&self, identity: Option<&str>) -> Result<()> {
        match (&self.identity, identity) {
            (Some(own), Some(other)) if own != other => Err(Error::mismatch(format!(
                "the index holds signatures of [{own}], these are of [{other}]; sketch both alike"
            ))),
            _ => Ok(()),
        }
    }

    /// After rows were inserted.
    fn remember(&mut self, slots: &[u32], identity: Option<String>) {
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(slots);
        }
        if self.identity.is_none() {
            self.identity = identity;
        }
    }
}

type Matrix<'py> = PyReadonlyArray2<'py, u32>;
type Numbers<'py> = Bound<'py, PyArray1<i64>>;
type Parts<'py> = (Bound<'py, PyBytes>, Option<Bound<'py, PyArray1<u32>>>, Option<String>);

#[pymethods]
impl PyLsh {
    #[new]
    fn new(py: Python<'_>, size: usize, bands: usize, rows: usize, keep: bool) -> PyResult<Self> {
        let table = attached(py, || Table::new(size, Banding { bands, rows }))?;
        Ok(Self::over(table, keep.then(Vec::new), None))
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
    fn identity(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.read(py, |state| Ok(state.identity.clone()))
    }

    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, |state| {
            Ok(state.table.bytes() + 4 * state.kept.as_ref().map_or(0, Vec::capacity))
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, |state| Ok(state.table.len()))
    }

    #[pyo3(signature = (matrix, identity, threads, replaced=None))]
    fn insert(
        &self,
        py: Python<'_>,
        matrix: Matrix<'_>,
        identity: Option<String>,
        threads: usize,
        replaced: Option<Vec<u32>>,
    ) -> PyResult<u32> {
        let slots = self.slots(py, &matrix)?;
        self.write(py, |state| {
            state.meet(identity.as_deref())?;
            let first = state.table.insert(slots, threads)?;
            state.remember(slots, identity);
            // At once with the insert: no query sees a row and the one that replaces it, or neither.
            for id in replaced.into_iter().flatten() {
                state.table.remove(id);
            }
            Ok(first)
        })
    }

    fn insert_and_flag<'py>(
        &self,
        py: Python<'py>,
        matrix: Matrix<'py>,
        identity: Option<String>,
        keep_first: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let slots = self.slots(py, &matrix)?;
        let flags = self.write(py, |state| {
            state.meet(identity.as_deref())?;
            let (_, flags) = state.table.insert_and_flag(slots, keep_first, threads)?;
            state.remember(slots, identity);
            Ok(flags)
        })?;
        Ok(PyArray1::from_vec(py, flags))
    }

    /// Ids and offsets (CSR), in order of insertion.
    fn query<'py>(
        &self,
        py: Python<'py>,
        matrix: Matrix<'py>,
        identity: Option<&str>,
        threads: usize,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>)> {
        let slots = self.slots(py, &matrix)?;
        let (ids, offsets) = self.read(py, |state| {
            state.meet(identity)?;
            let found = state.table.query_batch(slots, threads)?;
            Ok(numbers(&found.ids, &found.offsets))
        })?;
        Ok((PyArray1::from_vec(py, ids), PyArray1::from_vec(py, offsets)))
    }

    /// Ids, offsets (CSR) and estimates, best first.
    fn ranked<'py>(
        &self,
        py: Python<'py>,
        matrix: Matrix<'py>,
        identity: Option<&str>,
        threshold: f64,
        limit: Option<usize>,
        threads: usize,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>, Bound<'py, PyArray1<f64>>)> {
        let slots = self.slots(py, &matrix)?;
        let wanted = Wanted { threshold, limit: limit.unwrap_or(usize::MAX) };
        let (ids, offsets, estimates) = self.read(py, |state| {
            state.meet(identity)?;
            let Some(kept) = &state.kept else {
                return Err(Error::argument("this index keeps no signatures to estimate from"));
            };
            let found = state.table.query_batch(slots, threads)?;
            let ranked = rank(&found, slots, kept, self.size, wanted, threads)?;
            let (ids, offsets) = numbers(&ranked.ids, &ranked.offsets);
            Ok((ids, offsets, ranked.estimates))
        })?;
        Ok((
            PyArray1::from_vec(py, ids),
            PyArray1::from_vec(py, offsets),
            PyArray1::from_vec(py, estimates),
        ))
    }

    fn remove(&self, py: Python<'_>, id: u32) -> PyResult<bool> {
        self.write(py, |state| Ok(state.table.remove(id)))
    }

    /// Ids given out, those of removed rows included.
    fn given(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, |state| Ok(state.table.given()))
    }

    /// Rows of several indexes in one that has given out `given` ids: row i of a part as `ids[i]`.
    #[staticmethod]
    fn gather(
        py: Python<'_>,
        parts: Vec<(PyRef<'_, Self>, PyReadonlyArray1<'_, u32>)>,
        given: u32,
        threads: usize,
    ) -> PyResult<Self> {
        let copies: Vec<(&Self, &[u32])> = parts
            .iter()
            .map(|(part, ids)| Ok((&**part, ids.as_slice()?)))
            .collect::<PyResult<_>>()?;
        detached(py, || {
            // One lock at a time, so that two merges into each other cannot wait for one another.
            let mut states = Vec::with_capacity(copies.len());
            for (part, ids) in copies {
                let state = part.state.read().map_err(|_| half_changed())?;
                states.push((state.table.clone(), state.kept.clone(), state.identity.clone(), ids));
            }
            let tables: Vec<_> = states.iter().map(|(table, .., ids)| (table, *ids)).collect();
            let table = Table::gather(&tables, given, threads)?;
            let size = table.size();
            let mut kept = states.iter().all(|(_, kept, ..)| kept.is_some()).then(Vec::new);
            if let Some(kept) = &mut kept {
                kept.resize(given as usize * size, EMPTY_SLOT);
                for (_, own, _, ids) in &states {
                    let rows = own.iter().flat_map(|own| own.chunks_exact(size));
                    for (&id, slots) in ids.iter().zip(rows).filter(|(id, _)| **id != LEFT_OUT) {
                        let at = id as usize * size;
                        kept[at..at + size].copy_from_slice(slots);
                    }
                }
            }
            let identity = states.into_iter().find_map(|(_, _, identity, _)| identity);
            Ok(Self::over(table, kept, identity))
        })
    }

    fn contains(&self, py: Python<'_>, id: u32) -> PyResult<bool> {
        self.read(py, |state| Ok(state.table.contains(id)))
    }

    /// What a file holds: the table's bytes, the signatures kept, and the identity.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        let (table, kept, identity) = self.read(py, |state| {
            Ok((state.table.to_bytes(), state.kept.clone(), state.identity.clone()))
        })?;
        let kept = kept.map(|slots| PyArray1::from_vec(py, slots));
        Ok((PyBytes::new(py, &table), kept, identity))
    }

    /// The index that `parts` described; whatever does not hold together is refused.
    #[staticmethod]
    fn of_parts(
        py: Python<'_>,
        table: &[u8],
        kept: Option<PyReadonlyArray1<'_, u32>>,
        identity: Option<String>,
    ) -> PyResult<Self> {
        let kept = kept.as_ref().map(|kept| kept.as_slice()).transpose()?;
        detached(py, || {
            let table = Table::from_bytes(table)?;
            let slots = table.given() * table.size();
            if let Some(kept) = kept.filter(|kept| kept.len() != slots) {
                return Err(Error::data(format!(
                    "LSH table is inconsistent: {slots} slots belong to it, {} are there",
                    kept.len()
                )));
            }
            Ok(Self::over(table, kept.map(<[u32]>::to_vec), identity))
        })
    }
}

impl PyLsh {
    fn over(table: Table, kept: Option<Vec<u32>>, identity: Option<String>) -> Self {
        let (size, banding) = (table.size(), table.banding());
        Self { size, banding, state: RwLock::new(State { table, kept, identity }) }
    }

    fn read<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&State) -> Result<T> + Send,
    ) -> PyResult<T> {
        detached(py, || work(&*self.state.read().map_err(|_| half_changed())?))
    }

    fn write<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut State) -> Result<T> + Send,
    ) -> PyResult<T> {
        detached(py, || work(&mut *self.state.write().map_err(|_| half_changed())?))
    }

    /// The slots of a matrix as wide as the index wants it.
    fn slots<'a>(&self, py: Python<'_>, matrix: &'a Matrix<'_>) -> PyResult<&'a [u32]> {
        if matrix.shape()[1] != self.size {
            let error = Error::mismatch(format!(
                "signatures of {} slots were given to an index of {}; sketch both with one size",
                matrix.shape()[1],
                self.size
            ));
            return Err(raise(py, &error));
        }
        by_rows(matrix)
    }
}

fn half_changed() -> Error {
    Error::internal(
        "an earlier internal error left this index half changed; load or build it again",
    )
}

fn numbers(ids: &[u32], offsets: &[usize]) -> (Vec<i64>, Vec<i64>) {
    (ids.iter().map(|&id| id.into()).collect(), offsets.iter().map(|&at| at as i64).collect())
}

/// Which rows of a matrix share a band with an earlier one, or with any other; nothing is kept.
#[pyfunction]
pub fn duplicate_flags<'py>(
    py: Python<'py>,
    matrix: Matrix<'py>,
    bands: usize,
    rows: usize,
    keep_first: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let (size, slots) = (matrix.shape()[1], matrix.as_slice()?);
    let flags = detached(py, || {
        let keys = BandKeys::of(slots, size.max(1), Banding::new(bands, rows, size)?, threads)?;
        lsh::duplicate_flags(&keys, keep_first, threads)
    })?;
    Ok(PyArray1::from_vec(py, flags))
}
