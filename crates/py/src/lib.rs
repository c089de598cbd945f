//! Python face of neardup-core: arrays in and out, errors, GIL release. No algorithm lives here.

mod answers;
mod bloom;
mod call;
mod containment;
mod curve;
mod fingerprints;
mod forest;
mod hll;
mod jsonl;
mod lsh;
mod probes;
mod shared;
mod sketch;
mod stream;
mod text;
mod tokens;
mod union_find;

/// The compiled module `neardup._native`.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::answers::{
        PyBandKeys, both_have_more, candidate_pairs, components, estimate_fingerprints,
        estimate_pairs, exact_join, leaders, star, verify_pairs,
    };
    #[pymodule_export]
    use crate::bloom::PyBloom;
    #[pymodule_export]
    use crate::containment::PyContainment;
    #[pymodule_export]
    use crate::curve::{candidate_probability, choose_banding, common_rule, midpoint};
    #[pymodule_export]
    use crate::fingerprints::{
        PyHamming, hamming_estimates, hamming_pairs, hamming_rows, pack, packed_estimates,
    };
    #[pymodule_export]
    use crate::forest::PyForest;
    #[pymodule_export]
    use crate::hll::PyHll;
    #[pymodule_export]
    use crate::jsonl::{
        JsonArray, JsonlBlock, JsonlLines, field_names, first_record, is_json_array, scan_csv,
        scan_jsonl, scan_lines, scan_text,
    };
    #[pymodule_export]
    use crate::lsh::{PyLsh, duplicate_flags};
    #[pymodule_export]
    use crate::probes::{
        PyProbes, choose_probed, probed_probability, sketch_sets_probed, sketch_texts_probed,
    };
    #[pymodule_export]
    use crate::sketch::{
        PySketch, estimate_oph, estimate_rows, hash_signed, hash_tokens, hash_unsigned,
    };
    #[pymodule_export]
    use crate::stream::PyStream;
    #[pymodule_export]
    use crate::text::{
        BatchSurvey, PyTextSpec, Tokenized, contents, limit_tier, sketch_texts, survey, take_texts,
    };
    #[pymodule_export]
    use crate::union_find::PyUnionFind;

    use neardup_core::{sketch, text, token_hash};
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let py = module.py();
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module
            .add("SKETCHES", PyTuple::new(py, sketch::REGISTRY.iter().map(|&(name, _)| name))?)?;
        module.add("UNITS", PyTuple::new(py, text::tokenize::UNITS.map(|unit| unit.name))?)?;
        module.add("STEPS", PyTuple::new(py, text::normalize::STEPS.map(|(name, _)| name))?)?;
        module.add("STEMS", PyTuple::new(py, text::filter::STEMS.map(|(name, _)| name))?)?;
        module.add("STOPWORDS", PyTuple::new(py, text::filter::stopword_languages())?)?;
        module.add("HASH_ALIASES", token_hash::ALIASES.to_vec())?;
        module.add("HASHES", PyTuple::new(py, text::HASHES)?)
    }
}
