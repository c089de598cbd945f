//! `_native.Sketch`: sets of tokens to signatures.

use neardup_core::parallel;
use neardup_core::simd::Tier;
use neardup_core::sketch::{self, Params, Scratch, Sketch};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::call::{attached, detached, raise, value_error};
use crate::tokens;

/// Token hashes gathered under the GIL before they are sketched without it.
const CHUNK: usize = 1 << 20;
/// Hashes worth a thread of their own.
const GRAIN: usize = 1 << 14;

/// A sketch and its parameters; immutable, so any number of threads may share it.
#[pyclass(name = "Sketch", module = "neardup._native", frozen)]
pub struct PySketch {
    pub inner: Box<dyn Sketch>,
}

#[pymethods]
impl PySketch {
    #[new]
    #[pyo3(signature = (name, size, seed, rounds=None, tier=None))]
    fn new(
        py: Python<'_>,
        name: &str,
        size: usize,
        seed: u64,
        rounds: Option<u32>,
        tier: Option<&str>,
    ) -> PyResult<Self> {
        let inner = attached(py, || {
            let tier = tier.map_or_else(|| Ok(Tier::best()), Tier::parse)?;
            sketch::build(name, Params { size, seed, rounds, tier })
        })?;
        Ok(Self { inner })
    }

    #[getter]
    fn identity(&self) -> String {
        self.inner.identity().to_string()
    }

    #[getter]
    fn size(&self) -> usize {
        self.inner.size()
    }

    /// Whether the signature of a union is the slot-wise minimum of two.
    #[getter]
    fn merges(&self) -> bool {
        self.inner.merges()
    }

    /// Whether repeats count as weight.
    #[getter]
    fn weighs_repeats(&self) -> bool {
        self.inner.weighs_repeats()
    }

    fn cardinality(
        &self,
        py: Python<'_>,
        slots: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<Option<(f64, f64)>> {
        let slots = slots.as_slice()?;
        attached(py, || {
            if slots.len() != self.inner.size() {
                return Err(neardup_core::Error::mismatch(format!(
                    "a signature of {} slots is none of a sketch of {}",
                    slots.len(),
                    self.inner.size()
                )));
            }
            Ok(self.inner.cardinality(slots))
        })
    }

    /// Signatures of weighted sets; `first` is the number of the first row, for messages.
    #[pyo3(signature = (hashes, weights, offsets, threads=0, first=None))]
    fn weigh<'py>(
        &self,
        py: Python<'py>,
        hashes: PyReadonlyArray1<'py, u64>,
        weights: PyReadonlyArray1<'py, f64>,
        offsets: PyReadonlyArray1<'py, i64>,
        threads: usize,
        first: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let (hashes, weights) = (hashes.as_slice()?, weights.as_slice()?);
        let end = hashes.len().min(weights.len());
        let offsets = checked_offsets(offsets.as_slice()?, end).map_err(|e| raise(py, &e))?;
        let rows = offsets.len() - 1;
        let out = detached(py, || {
            let mut out = vec![0; rows * self.inner.size()];
            weigh_rows(&*self.inner, (hashes, weights), &offsets, &mut out, threads, first)?;
            Ok(out)
        })?;
        PyArray1::from_vec(py, out).reshape([rows, self.inner.size()])
    }

    fn std_err(&self, py: Python<'_>, jaccard: f64, union: u64) -> PyResult<f64> {
        attached(py, || Ok(self.inner.std_err(jaccard, union)))
    }

    #[pyo3(signature = (tokens, prehashed=false))]
    fn one<'py>(
        &self,
        py: Python<'py>,
        tokens: &Bound<'py, PyAny>,
        prehashed: bool,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let mut hashes = Vec::new();
        tokens::extend(tokens, None, prehashed, &mut hashes)?;
        let mut out = vec![0; self.inner.size()];
        let work = || {
            self.inner.sketch(&hashes, &mut Scratch::default(), &mut out);
            Ok(())
        };
        if hashes.len() < 1000 { attached(py, work) } else { detached(py, work) }?;
        Ok(PyArray1::from_vec(py, out))
    }

    #[pyo3(signature = (rows, prehashed=false, threads=0))]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        prehashed: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let mut out = Vec::new();
        let (mut hashes, mut offsets) = (Vec::new(), vec![0]);
        let mut flush = |hashes: &mut Vec<u64>, offsets: &mut Vec<usize>| -> PyResult<()> {
            let start = out.len();
            out.resize(start + (offsets.len() - 1) * self.inner.size(), 0);
            let part = &mut out[start..];
            detached(py, || sketch_rows(&*self.inner, hashes, offsets, part, threads))?;
            hashes.clear();
            offsets.truncate(1);
            Ok(())
        };
        let length = rows.len().ok();
        let mut count = 0;
        for row in rows.try_iter()? {
            tokens::extend(&row?, Some(count), prehashed, &mut hashes)?;
            offsets.push(hashes.len());
            count += 1;
            if hashes.len() >= CHUNK {
                flush(&mut hashes, &mut offsets)?;
            }
        }
        flush(&mut hashes, &mut offsets)?;
        if length.is_some_and(|length| length != count) {
            return Err(value_error(
                py,
                "the rows changed while they were read; pass a copy".into(),
            ));
        }
        PyArray1::from_vec(py, out).reshape([count, self.inner.size()])
    }

    #[pyo3(signature = (hashes, offsets, threads=0))]
    fn csr<'py>(
        &self,
        py: Python<'py>,
        hashes: PyReadonlyArray1<'py, u64>,
        offsets: PyReadonlyArray1<'py, i64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let (hashes, offsets) = (hashes.as_slice()?, offsets.as_slice()?);
        let offsets = checked_offsets(offsets, hashes.len()).map_err(|e| raise(py, &e))?;
        let rows = offsets.len() - 1;
        let out = detached(py, || {
            let mut out = vec![0; rows * self.inner.size()];
            sketch_rows(&*self.inner, hashes, &offsets, &mut out, threads)?;
            Ok(out)
        })?;
        PyArray1::from_vec(py, out).reshape([rows, self.inner.size()])
    }
}

/// Hashes of integer tokens, by value.
#[pyfunction]
pub fn hash_signed<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, i64>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let hashes = values.as_array().iter().map(|&v| tokens::signed(v)).collect();
    Ok(PyArray1::from_vec(py, hashes))
}

/// Hashes of integer tokens, by value.
#[pyfunction]
pub fn hash_unsigned<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, u64>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let hashes = values.as_array().iter().map(|&v| neardup_core::hash::unsigned(v)).collect();
    Ok(PyArray1::from_vec(py, hashes))
}

/// Hashes of the tokens of one row, whatever their kind.
#[pyfunction]
pub fn hash_tokens<'py>(
    py: Python<'py>,
    tokens: &Bound<'py, PyAny>,
    prehashed: bool,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let mut hashes = Vec::new();
    tokens::extend(tokens, None, prehashed, &mut hashes)?;
    Ok(PyArray1::from_vec(py, hashes))
}

/// Jaccard estimates of row pairs of one matrix or two.
#[pyfunction]
pub fn estimate_rows<'py>(
    py: Python<'py>,
    left: PyReadonlyArray2<'py, u32>,
    right: PyReadonlyArray2<'py, u32>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (left, right) = (left.as_array(), right.as_array());
    let mut out = Vec::with_capacity(left.nrows());
    for (a, b) in left.rows().into_iter().zip(right.rows()) {
        let (Some(a), Some(b)) = (a.as_slice(), b.as_slice()) else {
            return Err(value_error(py, "the signature matrices must be C-contiguous".into()));
        };
        out.push(attached(py, || sketch::estimate(a, b))?);
    }
    Ok(PyArray1::from_vec(py, out))
}

/// Jaccard estimate of two signatures of one-permutation hashing, by the bins they occupy.
#[pyfunction]
pub fn estimate_oph(
    py: Python<'_>,
    a: PyReadonlyArray1<'_, u32>,
    b: PyReadonlyArray1<'_, u32>,
) -> PyResult<f64> {
    let (a, b) = (a.as_slice()?, b.as_slice()?);
    attached(py, || sketch::oph::estimate_raw(a, b))
}

pub fn checked_offsets(offsets: &[i64], end: usize) -> neardup_core::Result<Vec<usize>> {
    use neardup_core::Error;
    if offsets.first() != Some(&0) {
        let seen = offsets.first().map_or("none".into(), i64::to_string);
        return Err(Error::argument(format!("offsets[0] must be 0, got {seen}")));
    }
    if let Some(i) = (1..offsets.len()).find(|&i| offsets[i] < offsets[i - 1]) {
        return Err(Error::argument(format!(
            "offsets must not decrease, but offsets[{i}] = {} follows {}",
            offsets[i],
            offsets[i - 1]
        )));
    }
    match offsets.last() {
        Some(&last) if usize::try_from(last).ok() == Some(end) => {
            Ok(offsets.iter().map(|&o| o as usize).collect())
        }
        last => Err(Error::argument(format!(
            "the last offset must be the number of values, {end}, got {}",
            last.map_or("none".into(), i64::to_string)
        ))),
    }
}

fn sketch_rows(
    sketch: &dyn Sketch,
    hashes: &[u64],
    offsets: &[usize],
    out: &mut [u32],
    threads: usize,
) -> neardup_core::Result<()> {
    let rows = offsets.len() - 1;
    let per_row = hashes.len() / rows.max(1) + sketch.size();
    let grain = (GRAIN / per_row).max(1);
    parallel::fill_chunks(out, sketch.size(), threads, grain, |range, part| {
        let mut scratch = Scratch::default();
        for (row, signature) in range.zip(part.chunks_mut(sketch.size())) {
            sketch.sketch(&hashes[offsets[row]..offsets[row + 1]], &mut scratch, signature);
        }
        Ok(())
    })
}

fn weigh_rows(
    sketch: &dyn Sketch,
    (hashes, weights): (&[u64], &[f64]),
    offsets: &[usize],
    out: &mut [u32],
    threads: usize,
    first: Option<usize>,
) -> neardup_core::Result<()> {
    let per_row = hashes.len() / (offsets.len() - 1).max(1) + sketch.size();
    let grain = (GRAIN / per_row).max(1);
    parallel::fill_chunks(out, sketch.size(), threads, grain, |range, part| {
        let mut scratch = Scratch::default();
        for (row, signature) in range.zip(part.chunks_mut(sketch.size())) {
            let (hashes, weights) =
                (&hashes[offsets[row]..offsets[row + 1]], &weights[offsets[row]..offsets[row + 1]]);
            sketch.weigh(hashes, weights, &mut scratch, signature).map_err(|error| {
                let place =
                    first.map_or_else(String::new, |first| format!("row {}: ", first + row));
                neardup_core::Error::argument(format!("{place}{error}"))
            })?;
        }
        Ok(())
    })
}
