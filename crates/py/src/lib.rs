//! Python face of neardup-core: arrays in and out, errors, GIL release. No algorithm lives here.
use pyo3::prelude::*;

mod jsonl;

#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::jsonl::{
        JsonArray, JsonlBlock, JsonlLines, field_names, first_record, is_json_array, scan_csv,
        scan_jsonl, scan_lines, scan_text,
    };
}
