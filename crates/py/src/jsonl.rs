//! JSON Lines for Python: blocks of bytes in, numpy arrays out.
use neardup_core::{csv, json_array, jsonl};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::call::{attached, detached, raise, value_error};

/// Where the rows of a block stand.
#[pyclass(frozen, get_all, module = "neardup._native")]
pub struct JsonlLines {
    starts: Py<PyArray1<u64>>,
    ends: Py<PyArray1<u64>>,
    stops: Py<PyArray1<u64>>,
    line: Py<PyArray1<u64>>,
    next_line: u64,
    mark: u64,
}

/// The rows of a block, read: texts, ids and keys in the Arrow LargeUtf8 layout.
#[pyclass(frozen, get_all, module = "neardup._native")]
pub struct JsonlBlock {
    lines: Py<JsonlLines>,
    status: Py<PyArray1<u8>>,
    column: Py<PyArray1<u64>>,
    field: Py<PyArray1<u32>>,
    text_data: Py<PyArray1<u8>>,
    text_offsets: Py<PyArray1<i64>>,
    id_data: Py<PyArray1<u8>>,
    id_offsets: Py<PyArray1<i64>>,
    id_kind: Py<PyArray1<u8>>,
    key_data: Py<PyArray1<u8>>,
    key_offsets: Py<PyArray1<i64>>,
    key_kind: Py<PyArray1<u8>>,
}

fn array<T: numpy::Element>(py: Python<'_>, values: Vec<T>) -> Py<PyArray1<T>> {
    values.into_pyarray(py).unbind()
}

fn lines(py: Python<'_>, lines: jsonl::Lines) -> PyResult<Py<JsonlLines>> {
    let found = JsonlLines {
        starts: array(py, lines.starts),
        ends: array(py, lines.ends),
        stops: array(py, lines.stops),
        line: array(py, lines.numbers),
        next_line: lines.next_line,
        mark: lines.mark,
    };
    Py::new(py, found)
}

fn path(steps: Vec<String>) -> jsonl::Path {
    steps.into_iter().map(String::into_bytes).collect()
}

/// Read each row of a block of whole lines, or the `wanted` ones; `id_path` and `key_path` are carried along.
#[pyfunction]
#[pyo3(signature = (block, text_paths, id_path=None, first_line=1, key_path=None, wanted=None))]
pub fn scan_jsonl(
    py: Python<'_>,
    block: PyReadonlyArray1<'_, u8>,
    text_paths: Vec<Vec<String>>,
    id_path: Option<Vec<String>>,
    first_line: u64,
    key_path: Option<Vec<String>>,
    wanted: Option<PyReadonlyArray1<'_, bool>>,
) -> PyResult<JsonlBlock> {
    let bytes = block.as_slice()?;
    let wanted = wanted.as_ref().map(|mask| mask.as_slice()).transpose()?;
    let texts: Vec<jsonl::Path> = text_paths.into_iter().map(path).collect();
    // An empty path is never found, so its column comes back empty.
    let carried = [path(id_path.unwrap_or_default()), path(key_path.unwrap_or_default())];
    let read = detached(py, || {
        Ok(match wanted {
            Some(wanted) => jsonl::scan_wanted(bytes, &texts, &carried, first_line, wanted),
            None => jsonl::scan(bytes, &texts, &carried, first_line),
        })
    })?;
    pack(py, read)
}

/// A block as numpy arrays; a column that was not asked for is empty.
fn pack(py: Python<'_>, read: jsonl::Block) -> PyResult<JsonlBlock> {
    let mut values = read.values.into_iter();
    let mut column = || {
        let next = values.next().map(|v| (v.strings.data, v.strings.offsets, v.kinds));
        let (data, offsets, kinds) = next.unwrap_or_default();
        (array(py, data), array(py, offsets), array(py, kinds))
    };
    let (id_data, id_offsets, id_kind) = column();
    let (key_data, key_offsets, key_kind) = column();
    Ok(JsonlBlock {
        lines: lines(py, read.lines)?,
        status: array(py, read.status),
        column: array(py, read.column),
        field: array(py, read.field),
        text_data: array(py, read.text.data),
        text_offsets: array(py, read.text.offsets),
        id_data,
        id_offsets,
        id_kind,
        key_data,
        key_offsets,
        key_kind,
    })
}

/// Find the rows of a block of whole lines without reading them.
#[pyfunction]
#[pyo3(signature = (block, first_line=1))]
pub fn scan_lines(
    py: Python<'_>,
    block: PyReadonlyArray1<'_, u8>,
    first_line: u64,
) -> PyResult<Py<JsonlLines>> {
    let bytes = block.as_slice()?;
    let found = detached(py, || Ok(jsonl::lines(bytes, first_line)))?;
    lines(py, found)
}

/// Names of the fields of a line's outermost object, in order, for messages.
#[pyfunction]
pub fn field_names(py: Python<'_>, line: &[u8]) -> PyResult<Vec<String>> {
    attached(py, || Ok(jsonl::field_names(line)))
}

/// The elements of one JSON array, found and ready to be read.
#[pyclass(frozen, module = "neardup._native")]
pub struct JsonArray {
    found: jsonl::Lines,
}

#[pymethods]
impl JsonArray {
    /// Find the elements of an array; a `ValueError` says why there is none.
    #[new]
    fn new(py: Python<'_>, data: PyReadonlyArray1<'_, u8>) -> PyResult<Self> {
        let bytes = data.as_slice()?;
        let found = detached(py, || Ok(json_array::elements(bytes)))?;
        let found = found.map_err(|error| raise(py, &error))?;
        Ok(Self { found })
    }

    fn __len__(&self) -> usize {
        self.found.starts.len()
    }

    /// Where they stand.
    fn lines(&self, py: Python<'_>) -> PyResult<Py<JsonlLines>> {
        lines(py, self.found.clone())
    }

    /// Read the elements numbered `first..stop`; offsets count from the first one's start.
    #[pyo3(signature = (data, first, stop, text_paths, id_path=None, key_path=None))]
    #[expect(clippy::too_many_arguments, reason = "the same as scan_jsonl, and a range")]
    fn scan(
        &self,
        py: Python<'_>,
        data: PyReadonlyArray1<'_, u8>,
        first: usize,
        stop: usize,
        text_paths: Vec<Vec<String>>,
        id_path: Option<Vec<String>>,
        key_path: Option<Vec<String>>,
    ) -> PyResult<JsonlBlock> {
        let bytes = data.as_slice()?;
        if self.found.ends.last().is_some_and(|&end| end > bytes.len() as u64) {
            let message = "the data is not what the elements were found in";
            return Err(value_error(py, message.into()));
        }
        let texts: Vec<jsonl::Path> = text_paths.into_iter().map(path).collect();
        let carried = [path(id_path.unwrap_or_default()), path(key_path.unwrap_or_default())];
        let read = detached(py, || {
            Ok(json_array::scan(bytes, &self.found, first, stop, &texts, &carried))
        })?;
        pack(py, read)
    }
}

/// Whether data begins as a JSON array does.
#[pyfunction]
pub fn is_json_array(py: Python<'_>, data: &[u8]) -> PyResult<bool> {
    attached(py, || Ok(json_array::is_array(data)))
}

/// Read the records of a block; the second value is how much of it has been read.
#[pyfunction]
#[pyo3(signature = (block, delimiter, texts, carried, first_line, last))]
pub fn scan_csv(
    py: Python<'_>,
    block: PyReadonlyArray1<'_, u8>,
    delimiter: u8,
    texts: Vec<usize>,
    carried: Vec<usize>,
    first_line: u64,
    last: bool,
) -> PyResult<(JsonlBlock, usize)> {
    let bytes = block.as_slice()?;
    let (read, used) =
        detached(py, || Ok(csv::scan(bytes, delimiter, &texts, &carried, first_line, last)))?;
    Ok((pack(py, read)?, used))
}

/// The fields of the first record of a block, and the offset after it.
#[pyfunction]
pub fn first_record(
    py: Python<'_>,
    block: &[u8],
    delimiter: u8,
) -> PyResult<(Vec<Vec<u8>>, usize)> {
    attached(py, || Ok(csv::first_record(block, delimiter)))
}

/// Read every line of a block as a text, blank ones too.
#[pyfunction]
#[pyo3(signature = (block, first_line=1))]
pub fn scan_text(
    py: Python<'_>,
    block: PyReadonlyArray1<'_, u8>,
    first_line: u64,
) -> PyResult<JsonlBlock> {
    let bytes = block.as_slice()?;
    let read = detached(py, || Ok(csv::plain_lines(bytes, first_line)))?;
    pack(py, read)
}
