//! Python face of neardup-core: arrays in and out, errors, GIL release. No algorithm lives here.
use pyo3::prelude::*;

mod jsonl;

#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::jsonl::{JsonlBlock, JsonlLines, field_names, scan_jsonl, scan_lines};
}
