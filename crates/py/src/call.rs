//! The boundary: work without the GIL, panics caught, errors raised as the package's own classes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use neardup_core::{Error, Kind};
use numpy::{Element, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// Runs `work` with the GIL released; a panic in it becomes a `NeardupError`.
pub fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> neardup_core::Result<T> + Send,
) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(|error| raise(py, &error))
}

/// Runs `work` as it is, for what takes less than a GIL release costs.
pub fn attached<T>(py: Python<'_>, work: impl FnOnce() -> neardup_core::Result<T>) -> PyResult<T> {
    caught(work).map_err(|error| raise(py, &error))
}

fn caught<T>(work: impl FnOnce() -> neardup_core::Result<T>) -> neardup_core::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<&str>()
            .map(|s| (*s).to_string())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(Error::internal(format!("internal error, please report it: {said}")))
    })
}

/// The values of a matrix, row after row. numpy's own `as_slice` takes one that lies column after column too.
pub fn by_rows<'a, T: Element>(matrix: &'a PyReadonlyArray2<'_, T>) -> PyResult<&'a [T]> {
    if matrix.is_c_contiguous() {
        return Ok(matrix.as_slice()?);
    }
    let message = "a matrix must lie in memory row after row; pass numpy.ascontiguousarray(matrix)";
    Err(value_error(matrix.py(), message.into()))
}

/// The Python exception for an error of the core.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error.kind() {
        Kind::Argument | Kind::Data | Kind::Mismatch => "NeardupValueError",
        Kind::Internal => "NeardupError",
    };
    exception(py, class, error.to_string())
}

/// A `NeardupTypeError` with that text.
pub fn type_error(py: Python<'_>, message: String) -> PyErr {
    exception(py, "NeardupTypeError", message)
}

/// A `NeardupValueError` with that text.
pub fn value_error(py: Python<'_>, message: String) -> PyErr {
    exception(py, "NeardupValueError", message)
}

fn exception(py: Python<'_>, class: &str, message: String) -> PyErr {
    let found = py
        .import("neardup.errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| Ok(class.cast_into::<PyType>()?));
    match found {
        Ok(class) => PyErr::from_type(class, message),
        Err(error) => error,
    }
}
