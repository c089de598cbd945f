//! Python face of neardup-core: arrays in and out, errors, GIL release. No algorithm lives here.

mod call;
mod jsonl;
mod sketch;
mod tokens;

/// The compiled module `neardup._native`.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::jsonl::{JsonlBlock, JsonlLines, field_names, scan_jsonl, scan_lines};
    #[pymodule_export]
    use crate::sketch::{PySketch, estimate_rows, hash_signed, hash_tokens, hash_unsigned};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
