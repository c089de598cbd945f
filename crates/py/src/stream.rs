//! `_native.Stream`: texts looked up and added one at a time or by the batch, from as many threads as wanted.
//!
//! Texts are read outside the lock, with memory that calls hand on to each other.

use std::sync::{Mutex, PoisonError, RwLock};

use neardup_core::lsh::Banding;
use neardup_core::stream::{Arrays, Found, Item, Limits, NOBODY, Reader, Rule, Store, read_all};
use neardup_core::text::TextSpec;
use neardup_core::{Error, Result};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::call::detached;
use crate::sketch::PySketch;
use crate::text::{PyTextSpec, Texts};

/// Documents of a stream that any number of threads may share.
#[pyclass(name = "Stream", module = "neardup._native", frozen)]
pub struct PyStream {
    spec: TextSpec,
    sketch: Py<PySketch>,
    banding: Banding,
    rule: Rule,
    exact: bool,
    readers: Mutex<Vec<Reader>>,
    store: RwLock<Store>,
}

type Parts<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u64>>,
);
type Batch<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, Vec<u64>);
type U32<'py> = PyReadonlyArray1<'py, u32>;
type U64<'py> = PyReadonlyArray1<'py, u64>;

#[pymethods]
impl PyStream {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the options of a stream, given in one place")]
    fn new(
        py: Python<'_>,
        spec: &PyTextSpec,
        sketch: Py<PySketch>,
        bands: usize,
        rows: usize,
        threshold: f64,
        cap: usize,
        exact: bool,
    ) -> PyResult<Self> {
        let size = sketch.get().inner.size();
        let banding = detached(py, || Banding::new(bands, rows, size))?;
        let rule = Rule { bands, threshold, cap };
        let store = RwLock::new(Store::new(rule));
        let spec = spec.inner.clone();
        Ok(Self { spec, sketch, banding, rule, exact, readers: Mutex::default(), store })
    }

    /// The best match of a text: the number of a document and the similarity.
    fn check(
        &self,
        py: Python<'_>,
        text: &str,
        since: f64,
        except_: Option<u64>,
    ) -> PyResult<Found> {
        detached(py, || {
            let item = self.read(text);
            self.with(|store| Ok(store.find(&item, since, except_.unwrap_or(NOBODY))))
        })
    }

    /// Adds a text; if it is `new` only, not where there is a match. That, and the numbers that had to leave.
    #[allow(clippy::too_many_arguments, reason = "the call of one kernel, made in one place")]
    fn add(
        &self,
        py: Python<'_>,
        number: u64,
        text: &str,
        time: f64,
        new: bool,
        most: usize,
        since: f64,
    ) -> PyResult<(Found, Vec<u64>)> {
        let limits = Limits { documents: most, since };
        detached(py, || {
            let item = self.read(text);
            self.change(|store| {
                let found = if new { store.find(&item, since, NOBODY) } else { None };
                if found.is_none() {
                    store.add(number, time, item)?;
                }
                Ok((found, store.limit(limits)))
            })
        })
    }

    /// As `add`, of a batch numbered from `first`: for each text its match or -1, and the similarity.
    #[allow(clippy::too_many_arguments, reason = "the call of one kernel, made in one place")]
    fn add_batch<'py>(
        &self,
        py: Python<'py>,
        first: u64,
        texts: Texts<'_>,
        time: f64,
        new: bool,
        most: usize,
        since: f64,
        threads: usize,
    ) -> PyResult<Batch<'py>> {
        let limits = Limits { documents: most, since };
        let (numbers, similarity, gone) = texts.with(py, |column| {
            let sketch = &*self.sketch.get().inner;
            let items = read_all(column, &self.spec, sketch, self.banding, self.exact, threads)?;
            self.change(|store| {
                let (mut numbers, mut similarity, mut gone) = (Vec::new(), Vec::new(), Vec::new());
                for (number, item) in (first..).zip(items) {
                    let found = if new { store.find(&item, since, NOBODY) } else { None };
                    numbers.push(found.map_or(-1, |(number, _)| number as i64));
                    similarity.push(found.map_or(0.0, |(_, similarity)| similarity));
                    if found.is_none() {
                        store.add(number, time, item)?;
                        gone.extend(store.limit(limits));
                    }
                }
                gone.extend(store.limit(limits));
                Ok((numbers, similarity, gone))
            })
        })?;
        Ok((PyArray1::from_vec(py, numbers), PyArray1::from_vec(py, similarity), gone))
    }

    fn remove(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        detached(py, || self.change(|store| Ok(store.remove(number))))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || self.with(|store| Ok(store.len())))
    }

    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || self.with(|store| Ok(store.bytes())))
    }

    /// What a file holds: numbers, times, groups; lengths, keys and values of the groups.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        let arrays = detached(py, || self.with(|store| Ok(store.arrays())))?;
        Ok((
            PyArray1::from_vec(py, arrays.numbers),
            PyArray1::from_vec(py, arrays.times),
            PyArray1::from_vec(py, arrays.group),
            PyArray1::from_vec(py, arrays.length),
            PyArray1::from_vec(py, arrays.keys),
            PyArray1::from_vec(py, arrays.values),
        ))
    }

    /// Takes in what `parts` gave, in place of what is there.
    #[allow(clippy::too_many_arguments, reason = "the sections of a file")]
    fn restore(
        &self,
        py: Python<'_>,
        numbers: U64<'_>,
        times: PyReadonlyArray1<'_, f64>,
        group: U32<'_>,
        length: U32<'_>,
        keys: U32<'_>,
        values: U64<'_>,
    ) -> PyResult<()> {
        let arrays = Arrays {
            numbers: numbers.as_slice()?.to_vec(),
            times: times.as_slice()?.to_vec(),
            group: group.as_slice()?.to_vec(),
            length: length.as_slice()?.to_vec(),
            keys: keys.as_slice()?.to_vec(),
            values: values.as_slice()?.to_vec(),
        };
        detached(py, || {
            let size = (!self.exact).then(|| self.sketch.get().inner.size());
            let store = Store::of_arrays(self.rule, &arrays, size)?;
            self.change(|old| {
                *old = store;
                Ok(())
            })
        })
    }
}

impl PyStream {
    fn read(&self, text: &str) -> Item {
        let readers = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = readers().pop();
        let mut reader = idle.unwrap_or_else(|| Reader::new(&self.spec));
        let item = reader.read(text, &*self.sketch.get().inner, self.banding, self.exact);
        readers().push(reader);
        item
    }

    fn with<T>(&self, work: impl FnOnce(&Store) -> Result<T>) -> Result<T> {
        work(&*self.store.read().map_err(|_| half_changed())?)
    }

    fn change<T>(&self, work: impl FnOnce(&mut Store) -> Result<T>) -> Result<T> {
        work(&mut *self.store.write().map_err(|_| half_changed())?)
    }
}

fn half_changed() -> Error {
    Error::internal(
        "an earlier internal error left this stream half changed; load or build it again",
    )
}
