//! JSON Lines for Python: blocks of bytes in, numpy arrays out.
use neardup_core::jsonl;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

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

/// Read each row of a block of whole lines; `id_path` and `key_path` are carried along.
#[pyfunction]
#[pyo3(signature = (block, text_paths, id_path=None, first_line=1, key_path=None))]
pub fn scan_jsonl(
    py: Python<'_>,
    block: PyReadonlyArray1<'_, u8>,
    text_paths: Vec<Vec<String>>,
    id_path: Option<Vec<String>>,
    first_line: u64,
    key_path: Option<Vec<String>>,
) -> PyResult<JsonlBlock> {
    let bytes = block.as_slice()?;
    let texts: Vec<jsonl::Path> = text_paths.into_iter().map(path).collect();
    // An empty path is never found, so its column comes back empty.
    let carried = [path(id_path.unwrap_or_default()), path(key_path.unwrap_or_default())];
    let read = py.detach(|| jsonl::scan(bytes, &texts, &carried, first_line));
    let [id, key]: [jsonl::Values; 2] = read
        .values
        .try_into()
        .map_err(|_| pyo3::exceptions::PyRuntimeError::new_err("two paths in, two columns out"))?;
    Ok(JsonlBlock {
        lines: lines(py, read.lines)?,
        status: array(py, read.status),
        column: array(py, read.column),
        field: array(py, read.field),
        text_data: array(py, read.text.data),
        text_offsets: array(py, read.text.offsets),
        id_data: array(py, id.strings.data),
        id_offsets: array(py, id.strings.offsets),
        id_kind: array(py, id.kinds),
        key_data: array(py, key.strings.data),
        key_offsets: array(py, key.strings.offsets),
        key_kind: array(py, key.kinds),
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
    let found = py.detach(|| jsonl::lines(bytes, first_line));
    lines(py, found)
}

/// Names of the fields of a line's outermost object, in order, for messages.
#[pyfunction]
pub fn field_names(line: &[u8]) -> Vec<String> {
    jsonl::field_names(line)
}
