//! Texts for Python: specs, string columns, and the two passes over them.

use neardup_core::lsh::Banding;
use neardup_core::simd::Tier;
use neardup_core::text::given::Tokens;
use neardup_core::text::{Column, Options, Shingler, TextSpec};
use neardup_core::verify;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::answers::PyBandKeys;
use crate::call::{attached, detached, raise, type_error, value_error};
use crate::sketch::PySketch;

/// How a text becomes a set of shingles.
#[pyclass(name = "TextSpec", module = "neardup._native", frozen)]
pub struct PyTextSpec {
    pub inner: TextSpec,
    tier: Tier,
}

#[pymethods]
impl PyTextSpec {
    /// `tier` is that of the methods below; passes over columns take the best.
    #[new]
    #[pyo3(signature = (normalize, shingle, hash, tier=None, *, key=None, stopwords=None, stem=None,
                        fraction=None, tokenizer=None))]
    #[allow(clippy::too_many_arguments, reason = "the options of a spec, made in one place")]
    fn new(
        py: Python<'_>,
        normalize: &str,
        shingle: &str,
        hash: &str,
        tier: Option<&str>,
        key: Option<[u8; 16]>,
        stopwords: Option<&str>,
        stem: Option<&str>,
        fraction: Option<f64>,
        tokenizer: Option<&str>,
    ) -> PyResult<Self> {
        attached(py, || {
            let tier = tier.map_or_else(|| Ok(Tier::best()), Tier::parse)?;
            let options =
                Options { normalize, shingle, hash, key, stopwords, stem, fraction, tokenizer };
            Ok(Self { inner: TextSpec::new(options)?, tier })
        })
    }

    /// Each of some texts after the `normalize` list.
    fn normalize_all(&self, py: Python<'_>, texts: Texts<'_>) -> PyResult<Vec<String>> {
        texts.with(py, |column| {
            let mut shingler = Shingler::with_tier(&self.inner, self.tier);
            let one = |row| Ok(shingler.normalize(column.text(row)?).to_owned());
            (0..column.len()).map(one).collect()
        })
    }

    #[getter]
    fn identity(&self) -> String {
        self.inner.identity()
    }

    fn normalize(&self, py: Python<'_>, text: &str) -> PyResult<String> {
        detached(py, || Ok(self.shingler().normalize(text).to_owned()))
    }

    fn tokens(&self, py: Python<'_>, text: &str) -> PyResult<Vec<String>> {
        detached(py, || Ok(self.shingler().tokens(text)))
    }

    fn shingles<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let found = detached(py, || Ok(self.shingler().run(text).shingles.to_vec()))?;
        Ok(PyArray1::from_vec(py, found))
    }

    fn set<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let found = detached(py, || Ok(self.shingler().set(text).to_vec()))?;
        Ok(PyArray1::from_vec(py, found))
    }

    fn jaccard(&self, py: Python<'_>, a: &str, b: &str) -> PyResult<f64> {
        detached(py, || {
            let left = self.shingler().set(a).to_vec();
            Ok(verify::jaccard(&left, self.shingler().set(b)))
        })
    }
}

impl PyTextSpec {
    fn shingler(&self) -> Shingler {
        Shingler::with_tier(&self.inner, self.tier)
    }
}

/// Texts, and the tokens that a function of the caller's has cut each of them into.
#[pyclass(frozen, module = "neardup._native")]
pub struct Tokenized {
    data: Vec<u8>,
    offsets: Vec<i64>,
    tokens: Tokens,
}

#[pymethods]
impl Tokenized {
    #[new]
    fn new(texts: Bound<'_, PyList>, rows: Bound<'_, PyList>) -> PyResult<Self> {
        let py = texts.py();
        let (data, offsets) = joined(&texts)?;
        let mut tokens = Tokens::default();
        for (number, row) in rows.iter().enumerate() {
            let refuse = |seen: String| {
                let message = format!("row {number}: a tokenizer gives a list of str, got {seen}");
                type_error(py, message)
            };
            let Ok(row) = row.cast::<PyList>() else {
                return Err(refuse(row.get_type().name()?.to_string()));
            };
            for token in row.iter() {
                let Ok(text) = token.cast::<PyString>() else {
                    return Err(refuse(format!("one with {}", token.get_type().name()?)));
                };
                let text = text.to_str().map_err(|_| {
                    let message = "a token holds a lone surrogate and has no UTF-8 form";
                    value_error(py, format!("row {number}: {message}"))
                })?;
                tokens.push(text);
            }
            tokens.end_row();
        }
        if tokens.len() + 1 != offsets.len() {
            let message = format!("{} texts and tokens of {}", offsets.len() - 1, tokens.len());
            return Err(value_error(py, message));
        }
        Ok(Self { data, offsets, tokens })
    }
}

/// Some rows of a column as a list of str.
#[pyfunction]
pub fn take_texts(
    py: Python<'_>,
    texts: Texts<'_>,
    rows: PyReadonlyArray1<'_, u32>,
) -> PyResult<Vec<String>> {
    let rows = rows.as_slice()?;
    texts.with(py, |column| {
        rows.iter().map(|&row| Ok(column.text(row as usize)?.to_owned())).collect()
    })
}

/// A string column as Python hands it over: Arrow buffers as numpy arrays, or a list of str.
#[derive(FromPyObject)]
pub enum Texts<'py> {
    #[pyo3(transparent)]
    List(Bound<'py, PyList>),
    #[pyo3(transparent)]
    Tokenized(Bound<'py, Tokenized>),
    Utf8(PyReadonlyArray1<'py, u8>, PyReadonlyArray1<'py, i32>),
    Large(PyReadonlyArray1<'py, u8>, PyReadonlyArray1<'py, i64>),
    View(PyReadonlyArray1<'py, u8>, Vec<PyReadonlyArray1<'py, u8>>),
}

impl Texts<'_> {
    /// Runs `work` on the column without the GIL. A list is copied first, under the GIL.
    pub fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Column<'_>) -> neardup_core::Result<T> + Send,
    ) -> PyResult<T> {
        let (data, offsets);
        let column = match self {
            Texts::List(list) => {
                (data, offsets) = joined(list)?;
                Column::Large { data: &data, offsets: &offsets }
            }
            Texts::Tokenized(held) => {
                let Tokenized { data, offsets, tokens } = held.get();
                Column::Tokenized { data, offsets, tokens }
            }
            Texts::Utf8(data, offsets) => {
                Column::Utf8 { data: data.as_slice()?, offsets: offsets.as_slice()? }
            }
            Texts::Large(data, offsets) => {
                Column::Large { data: data.as_slice()?, offsets: offsets.as_slice()? }
            }
            Texts::View(views, buffers) => Column::View {
                views: views.as_slice()?,
                buffers: buffers.iter().map(|b| b.as_slice()).collect::<Result<_, _>>()?,
            },
        };
        detached(py, || work(&column))
    }
}

fn joined(list: &Bound<'_, PyList>) -> PyResult<(Vec<u8>, Vec<i64>)> {
    let (mut data, mut offsets) = (Vec::new(), vec![0]);
    for (row, item) in list.iter().enumerate() {
        let Ok(text) = item.cast::<PyString>() else {
            let kind = item.get_type().name()?;
            return Err(type_error(list.py(), format!("row {row}: a text is a str, got {kind}")));
        };
        let text = text.to_str().map_err(|_| {
            let message = "the text holds a lone surrogate and has no UTF-8 form; encode it with \
                           errors='replace' first";
            value_error(list.py(), format!("row {row}: {message}"))
        })?;
        data.extend_from_slice(text.as_bytes());
        offsets.push(data.len() as i64);
    }
    Ok((data, offsets))
}

/// What pass one keeps of a batch; band keys stay native until they join the others.
#[pyclass(frozen, module = "neardup._native")]
pub struct BatchSurvey {
    #[pyo3(get)]
    digest: Py<PyArray2<u64>>,
    #[pyo3(get)]
    raw: Py<PyArray2<u64>>,
    #[pyo3(get)]
    tokens: Py<PyArray1<u32>>,
    #[pyo3(get)]
    words: Py<PyArray1<u32>>,
    #[pyo3(get)]
    bytes: Py<PyArray1<u64>>,
    #[pyo3(get)]
    short_han: usize,
    #[pyo3(get)]
    unsampled: usize,
    pub keys: Vec<Vec<u64>>,
}

/// Pass one over a batch of texts.
#[pyfunction]
#[pyo3(signature = (texts, valid, spec, sketch, bands, rows, threads))]
#[allow(clippy::too_many_arguments, reason = "the call of one kernel, made in one place")]
pub fn survey(
    py: Python<'_>,
    texts: Texts<'_>,
    valid: Option<PyReadonlyArray1<'_, bool>>,
    spec: &PyTextSpec,
    sketch: Option<&PySketch>,
    bands: usize,
    rows: usize,
    threads: usize,
) -> PyResult<BatchSurvey> {
    let valid = valid.as_ref().map(|v| v.as_slice()).transpose()?;
    let sketch = match sketch {
        Some(sketch) => {
            let banding = Banding::new(bands, rows, sketch.inner.size());
            Some((&*sketch.inner, banding.map_err(|e| raise(py, &e))?))
        }
        None => None,
    };
    let found = texts.with(py, |column| {
        neardup_core::survey::survey(column, valid, &spec.inner, sketch, threads)
    })?;
    Ok(BatchSurvey {
        digest: words(py, &found.digest)?,
        raw: words(py, &found.raw)?,
        tokens: PyArray1::from_vec(py, found.tokens).unbind(),
        words: PyArray1::from_vec(py, found.words).unbind(),
        bytes: PyArray1::from_vec(py, found.bytes).unbind(),
        short_han: found.short_han,
        unsampled: found.unsampled,
        keys: found.keys,
    })
}

/// 128-bit digests as two words each, the low one first.
fn words(py: Python<'_>, digests: &[u128]) -> PyResult<Py<PyArray2<u64>>> {
    let flat: Vec<u64> = digests.iter().flat_map(|&d| [d as u64, (d >> 64) as u64]).collect();
    Ok(PyArray1::from_vec(py, flat).reshape([digests.len(), 2])?.unbind())
}

type ContentArrays<'py> =
    (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

/// Pass two over some rows of a batch: values to compare, how many, and how many numbers follow.
#[pyfunction]
#[pyo3(signature = (texts, rows, spec, sketch, threads))]
pub fn contents<'py>(
    py: Python<'py>,
    texts: Texts<'py>,
    rows: PyReadonlyArray1<'py, u32>,
    spec: &PyTextSpec,
    sketch: Option<&PySketch>,
    threads: usize,
) -> PyResult<ContentArrays<'py>> {
    let rows = rows.as_slice()?;
    let sketch = sketch.map(|sketch| &*sketch.inner);
    let found = texts.with(py, |column| {
        neardup_core::contents::contents(column, rows, &spec.inner, sketch, threads)
    })?;
    Ok((
        PyArray1::from_vec(py, found.values),
        PyArray1::from_vec(py, found.length),
        PyArray1::from_vec(py, found.numbers),
    ))
}

type SignatureArrays<'py> = (Bound<'py, PyArray2<u32>>, Bound<'py, PyArray1<i64>>);

/// Signatures of texts, and the sizes of their shingle sets.
#[pyfunction]
#[pyo3(signature = (texts, spec, sketch, threads))]
pub fn sketch_texts<'py>(
    py: Python<'py>,
    texts: Texts<'py>,
    spec: &PyTextSpec,
    sketch: &PySketch,
    threads: usize,
) -> PyResult<SignatureArrays<'py>> {
    let found = texts.with(py, |column| {
        neardup_core::signatures::signatures(column, &spec.inner, &*sketch.inner, threads)
    })?;
    let shape = [found.counts.len(), sketch.inner.size()];
    let matrix = PyArray1::from_vec(py, found.slots).reshape(shape)?;
    Ok((matrix, PyArray1::from_vec(py, found.counts)))
}

impl PyBandKeys {
    /// Band keys of a batch join those of all.
    pub fn take(&mut self, py: Python<'_>, batch: &BatchSurvey) -> PyResult<()> {
        attached(py, || self.inner.extend(&batch.keys))
    }
}

/// Use no kernels beyond those of a tier from now on, to measure what a lesser machine would take.
#[pyfunction]
pub fn limit_tier(py: Python<'_>, name: &str) -> PyResult<()> {
    let tier = attached(py, || Tier::parse(name))?;
    tier.limit();
    Ok(())
}
