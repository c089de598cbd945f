//! Bands and rows for Python: the S-curve and the choice along it, as the core has them.

use neardup_core::lsh::Banding;
use neardup_core::lsh::curve;
use pyo3::prelude::*;

use crate::call::{attached, detached};

/// Bands and rows for a threshold and a recall.
#[pyfunction]
pub fn choose_banding(
    py: Python<'_>,
    threshold: f64,
    recall: f64,
    size: usize,
) -> PyResult<(usize, usize)> {
    let found = detached(py, || curve::choose(threshold, recall, size))?;
    Ok((found.bands, found.rows))
}

/// Bands and rows by the common rule, for comparison.
#[pyfunction]
pub fn common_rule(py: Python<'_>, threshold: f64, size: usize) -> PyResult<(usize, usize)> {
    let found = detached(py, || curve::common_rule(threshold, size))?;
    Ok((found.bands, found.rows))
}

/// Probability that a pair of that similarity becomes a candidate.
#[pyfunction]
pub fn candidate_probability(
    py: Python<'_>,
    jaccard: f64,
    bands: usize,
    rows: usize,
) -> PyResult<f64> {
    attached(py, || Ok(Banding { bands, rows }.candidate(jaccard)))
}

/// The similarity near which the curve is steepest.
#[pyfunction]
pub fn midpoint(py: Python<'_>, bands: usize, rows: usize) -> PyResult<f64> {
    attached(py, || Ok(Banding { bands, rows }.midpoint()))
}
