//! Python face of neardup-core: arrays in and out, errors, GIL release. No algorithm lives here.
use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _native {}
