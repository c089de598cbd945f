//! Fingerprints and packed signatures for Python: the Hamming index behind a lock, pairs, estimates.
//!
//! The lock is taken only where the GIL is not held, as in `lsh.rs`.

use std::sync::RwLock;

use neardup_core::lsh::hamming::{Hamming, Pair, State};
use neardup_core::simd::Tier;
use neardup_core::sketch::{bbit, simhash};
use neardup_core::{Error, Result};
use numpy::{
    PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use crate::answers::PyBandKeys;
use crate::call::{by_rows, detached};

type Words<'py> = PyReadonlyArray2<'py, u64>;
type Mask<'py> = PyReadonlyArray1<'py, bool>;
type Numbers<'py> = Bound<'py, PyArray1<i64>>;
type Distances<'py> = Bound<'py, PyArray1<u32>>;
type Pairs<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Distances<'py>);
type Parts<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u8>>, Option<String>);

/// An index of fingerprints that any number of threads may share.
#[pyclass(name = "Hamming", module = "neardup._native", frozen)]
pub struct PyHamming {
    #[pyo3(get)]
    bits: usize,
    #[pyo3(get)]
    distance: u32,
    state: RwLock<Held>,
}

struct Held {
    index: Hamming,
    /// How the fingerprints were made, once some said so.
    identity: Option<String>,
}

impl Held {
    /// Refuses fingerprints of another making.
    fn meet(&self, identity: Option<&str>) -> Result<()> {
        match (&self.identity, identity) {
            (Some(own), Some(other)) if own != other => Err(Error::mismatch(format!(
                "the index holds fingerprints of [{own}], these are of [{other}]; make both alike"
            ))),
            _ => Ok(()),
        }
    }
}

#[pymethods]
impl PyHamming {
    #[new]
    fn new(py: Python<'_>, bits: usize, distance: u32) -> PyResult<Self> {
        Ok(Self::over(detached(py, || Hamming::new(bits, distance))?, None))
    }

    #[getter]
    fn identity(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.read(py, |held| Ok(held.identity.clone()))
    }

    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, |held| Ok(held.index.bytes()))
    }

    #[getter]
    fn blocks(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, |held| Ok(held.index.blocks()))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, |held| Ok(held.index.len()))
    }

    /// The number of the first; those not `found` get a number only.
    fn insert(
        &self,
        py: Python<'_>,
        words: Words<'_>,
        found: Option<Mask<'_>>,
        identity: Option<String>,
    ) -> PyResult<u32> {
        let (words, found) = (by_rows(&words)?, found.as_ref().map(|f| f.as_slice()).transpose()?);
        self.write(py, |held| {
            held.meet(identity.as_deref())?;
            let first = held.index.insert(words, found)?;
            if held.identity.is_none() {
                held.identity = identity;
            }
            Ok(first)
        })
    }

    /// Number and distance of what lies near one fingerprint, whose words these are, nearest first.
    fn one(&self, py: Python<'_>, low: u64, high: u64) -> PyResult<Vec<(u32, u32)>> {
        let words = [low, high];
        let mut found =
            self.read(py, |held| held.index.query(&words[..self.bits / 64], None, 1))?;
        Ok(found.pop().unwrap_or_default())
    }

    /// Numbers, offsets (CSR) and distances, nearest first.
    fn query<'py>(
        &self,
        py: Python<'py>,
        words: Words<'py>,
        asked: Option<Mask<'py>>,
        identity: Option<&str>,
        threads: usize,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>, Distances<'py>)> {
        let (words, asked) = (by_rows(&words)?, asked.as_ref().map(|a| a.as_slice()).transpose()?);
        let found = self.read(py, |held| {
            held.meet(identity)?;
            held.index.query(words, asked, threads)
        })?;
        let mut offsets = vec![0];
        offsets.extend(found.iter().scan(0, |end, row| {
            *end += row.len() as i64;
            Some(*end)
        }));
        let all = || found.iter().flatten();
        Ok((
            PyArray1::from_iter(py, all().map(|&(id, _)| i64::from(id))),
            PyArray1::from_vec(py, offsets),
            PyArray1::from_iter(py, all().map(|&(_, distance)| distance)),
        ))
    }

    /// All pairs within the distance, a < b, sorted.
    fn pairs<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<Pairs<'py>> {
        Ok(arrays(py, &self.read(py, |held| held.index.pairs(threads, usize::MAX))?))
    }

    fn remove(&self, py: Python<'_>, id: u32) -> PyResult<bool> {
        self.write(py, |held| Ok(held.index.remove(id)))
    }

    fn contains(&self, py: Python<'_>, id: u32) -> PyResult<bool> {
        self.read(py, |held| Ok(held.index.contains(id)))
    }

    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.write(py, |held| {
            *held = Held { index: Hamming::new(self.bits, self.distance)?, identity: None };
            Ok(())
        })
    }

    /// What a file holds: words, what became of each fingerprint, and the identity.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        let (words, states, identity) = self.read(py, |held| {
            let states: Vec<u8> = held.index.states().iter().map(|&state| state as u8).collect();
            Ok((held.index.words().to_vec(), states, held.identity.clone()))
        })?;
        Ok((PyArray1::from_vec(py, words), PyArray1::from_vec(py, states), identity))
    }

    /// The index that `parts` described; whatever does not hold together is refused.
    #[staticmethod]
    fn of_parts(
        py: Python<'_>,
        bits: usize,
        distance: u32,
        words: PyReadonlyArray1<'_, u64>,
        states: PyReadonlyArray1<'_, u8>,
        identity: Option<String>,
    ) -> PyResult<Self> {
        let (words, states) = (words.as_slice()?, states.as_slice()?);
        let index = detached(py, || {
            let state = |&byte: &u8| match byte {
                0 => Ok(State::Live),
                1 => Ok(State::Empty),
                2 => Ok(State::Removed),
                _ => Err(Error::data(format!("state {byte} of a fingerprint means nothing"))),
            };
            let states = states.iter().map(state).collect::<Result<_>>()?;
            Hamming::of(bits, distance, words.to_vec(), states)
        })?;
        Ok(Self::over(index, identity))
    }
}

impl PyHamming {
    fn over(index: Hamming, identity: Option<String>) -> Self {
        let (bits, distance) = (index.bits(), index.distance());
        Self { bits, distance, state: RwLock::new(Held { index, identity }) }
    }

    fn read<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Held) -> Result<T> + Send,
    ) -> PyResult<T> {
        detached(py, || work(&*self.state.read().map_err(|_| half_changed())?))
    }

    fn write<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Held) -> Result<T> + Send,
    ) -> PyResult<T> {
        detached(py, || work(&mut *self.state.write().map_err(|_| half_changed())?))
    }
}

fn half_changed() -> Error {
    Error::internal(
        "an earlier internal error left this index half changed; load or build it again",
    )
}

fn arrays<'py>(py: Python<'py>, pairs: &[Pair]) -> Pairs<'py> {
    (
        PyArray1::from_iter(py, pairs.iter().map(|pair| pair.a)),
        PyArray1::from_iter(py, pairs.iter().map(|pair| pair.b)),
        PyArray1::from_iter(py, pairs.iter().map(|pair| pair.distance)),
    )
}

/// All pairs of documents whose fingerprints, which are the columns of `keys`, lie within the distance;
/// an error if there are more than `most`.
#[pyfunction]
pub fn hamming_pairs<'py>(
    py: Python<'py>,
    keys: &PyBandKeys,
    takes_part: Mask<'py>,
    distance: u32,
    most: usize,
    threads: usize,
) -> PyResult<Pairs<'py>> {
    let mask = takes_part.as_slice()?;
    let pairs = detached(py, || {
        let (width, count) = (keys.inner.bands(), keys.inner.documents());
        if mask.len() != count {
            let message = format!("{count} fingerprints and a mask of {}", mask.len());
            return Err(Error::argument(message));
        }
        let chosen: Vec<u32> = (0..count as u32).filter(|&d| mask[d as usize]).collect();
        let words =
            chosen.iter().flat_map(|&d| (0..width).map(move |w| keys.inner.column(w)[d as usize]));
        let states = vec![State::Live; chosen.len()];
        let mut pairs =
            Hamming::of(64 * width, distance, words.collect(), states)?.pairs(threads, most)?;
        for pair in &mut pairs {
            (pair.a, pair.b) = (chosen[pair.a as usize], chosen[pair.b as usize]);
        }
        Ok(pairs)
    })?;
    Ok(arrays(py, &pairs))
}

/// Bits that differ between the rows of two matrices of SimHash slots; all of them where one is of the empty set.
#[pyfunction]
pub fn hamming_rows<'py>(
    py: Python<'py>,
    left: PyReadonlyArray2<'py, u32>,
    right: PyReadonlyArray2<'py, u32>,
) -> PyResult<Distances<'py>> {
    let width = left.shape()[1].max(1);
    let (left, right) = (by_rows(&left)?, by_rows(&right)?);
    let rows = left.chunks(width).zip(right.chunks(width));
    Ok(PyArray1::from_iter(py, rows.map(|(a, b)| simhash::hamming(a, b))))
}

/// Cosine and Jaccard similarity that so many differing bits stand for.
#[pyfunction]
pub fn hamming_estimates(distance: u32, bits: usize) -> (f64, f64) {
    (simhash::cosine(distance, bits), simhash::jaccard(distance, bits))
}

/// The low bits of every slot, packed into words.
#[pyfunction]
pub fn pack<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArray2<'py, u32>,
    bits: u32,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let (rows, size) = (matrix.shape()[0], matrix.shape()[1]);
    let slots = by_rows(&matrix)?;
    let words = detached(py, || bbit::pack(slots, size, bits))?;
    PyArray1::from_vec(py, words).reshape([rows, bbit::words(size, bits)])
}

/// Jaccard estimates of row pairs of packed signatures; empty sets are the caller's affair.
#[pyfunction]
#[pyo3(signature = (left, right, size, bits, tier=None))]
pub fn packed_estimates<'py>(
    py: Python<'py>,
    left: Words<'py>,
    right: Words<'py>,
    size: usize,
    bits: u32,
    tier: Option<&str>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let width = left.shape()[1].max(1);
    let (left, right) = (by_rows(&left)?, by_rows(&right)?);
    let estimates = detached(py, || {
        let tier = tier.map_or_else(|| Ok(Tier::best()), Tier::parse)?;
        let rows = left.chunks(width).zip(right.chunks(width));
        rows.map(|(a, b)| bbit::estimate(a, b, size, bits, tier)).collect::<Result<Vec<f64>>>()
    })?;
    Ok(PyArray1::from_vec(py, estimates))
}
