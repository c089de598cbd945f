//! What any number of threads may share: an index behind a lock, and the identity of what was put into it.
//!
//! The lock is taken only where the GIL is not held, so that neither is ever waited for under the other.

use std::sync::RwLock;

use neardup_core::lsh::postings::Entries;
use neardup_core::{Error, Result};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::call::{by_rows, detached, raise};

/// An index of some kind behind a lock.
pub struct Shared<T>(RwLock<Named<T>>);

/// An index, and how what is in it was made, once that was said.
#[derive(Clone)]
pub struct Named<T> {
    pub index: T,
    pub identity: Option<String>,
}

impl<T: Clone + Send + Sync> Shared<T> {
    pub fn new(index: T, identity: Option<String>) -> Self {
        Self(RwLock::new(Named { index, identity }))
    }

    /// Looks without the GIL; others may look at once.
    pub fn read<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Named<T>) -> Result<R> + Send,
    ) -> PyResult<R> {
        detached(py, || self.look(work))
    }

    /// Looks; for callers that have let go of the GIL already.
    pub fn look<R>(&self, work: impl FnOnce(&Named<T>) -> Result<R>) -> Result<R> {
        work(&*self.0.read().map_err(|_| half_changed())?)
    }

    /// Changes without the GIL, alone.
    pub fn write<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Named<T>) -> Result<R> + Send,
    ) -> PyResult<R> {
        detached(py, || self.change(work))
    }

    /// Changes; for callers that have let go of the GIL already.
    pub fn change<R>(&self, work: impl FnOnce(&mut Named<T>) -> Result<R>) -> Result<R> {
        work(&mut *self.0.write().map_err(|_| half_changed())?)
    }

    /// Changes by what another holds, which is copied first: two locks are never held at once.
    pub fn merge(
        &self,
        py: Python<'_>,
        other: &Self,
        work: impl FnOnce(&mut T, &T) -> Result<()> + Send,
    ) -> PyResult<()> {
        detached(py, || {
            let other = other.look(|other| Ok(other.clone()))?;
            self.change(|own| {
                own.meet(other.identity.as_deref())?;
                work(&mut own.index, &other.index)?;
                own.remember(other.identity);
                Ok(())
            })
        })
    }
}

impl<T> Named<T> {
    /// Refuses signatures of another making.
    pub fn meet(&self, identity: Option<&str>) -> Result<()> {
        match (&self.identity, identity) {
            (Some(own), Some(other)) if own != other => Err(Error::mismatch(format!(
                "the index holds signatures of [{own}], these are of [{other}]; sketch both alike"
            ))),
            _ => Ok(()),
        }
    }

    /// After something was put in.
    pub fn remember(&mut self, identity: Option<String>) {
        if self.identity.is_none() {
            self.identity = identity;
        }
    }
}

fn half_changed() -> Error {
    Error::internal(
        "an earlier internal error left this index half changed; load or build it again",
    )
}

/// The slots of a matrix of signatures of `size` slots.
pub fn slots<'a>(
    py: Python<'_>,
    matrix: &'a PyReadonlyArray2<'_, u32>,
    size: usize,
) -> PyResult<&'a [u32]> {
    if matrix.shape()[1] != size {
        let error = Error::mismatch(format!(
            "signatures of {} slots were given to an index of {size}; sketch both with one size",
            matrix.shape()[1]
        ));
        return Err(raise(py, &error));
    }
    by_rows(matrix)
}

pub type Numbers<'py> = Bound<'py, PyArray1<i64>>;
pub type Floats<'py> = Bound<'py, PyArray1<f64>>;

/// Ids and offsets (CSR) as Python takes them.
pub fn numbers<'py>(
    py: Python<'py>,
    ids: &[u32],
    offsets: &[usize],
) -> (Numbers<'py>, Numbers<'py>) {
    (
        PyArray1::from_iter(py, ids.iter().map(|&id| i64::from(id))),
        PyArray1::from_iter(py, offsets.iter().map(|&at| at as i64)),
    )
}

pub type EntryArrays<'py> =
    (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>);

/// Entries of several lists as flat arrays, and how many each list has.
pub fn flat(py: Python<'_>, lists: Vec<Entries>) -> EntryArrays<'_> {
    let lengths: Vec<i64> = lists.iter().map(|(keys, _)| keys.len() as i64).collect();
    let (keys, ids): (Vec<_>, Vec<_>) = lists.into_iter().unzip();
    (
        PyArray1::from_vec(py, keys.concat()),
        PyArray1::from_vec(py, ids.concat()),
        PyArray1::from_vec(py, lengths),
    )
}

/// What `flat` was made of; lengths that do not add up are refused.
pub fn lists(
    keys: &PyReadonlyArray1<'_, u64>,
    ids: &PyReadonlyArray1<'_, u32>,
    lengths: &[i64],
) -> PyResult<Result<Vec<Entries>>> {
    let (mut keys, mut ids) = (keys.as_slice()?, ids.as_slice()?);
    let parts = lengths.iter().map(|&length| {
        let length = usize::try_from(length).ok()?;
        let (some_keys, more_keys) = keys.split_at_checked(length)?;
        let (some_ids, more_ids) = ids.split_at_checked(length)?;
        (keys, ids) = (more_keys, more_ids);
        Some((some_keys.to_vec(), some_ids.to_vec()))
    });
    let parts = parts.collect::<Option<Vec<_>>>().filter(|_| keys.is_empty() && ids.is_empty());
    Ok(parts.ok_or_else(|| Error::data("the parts of the index do not add up")))
}
