//! Near-duplicate text: raw text in, verified duplicates out. This crate knows nothing of Python.
//!
//! ```text
//! documents   what the user has
//!    |  text::        normalise > tokenise > shingle
//!    |  sketch::      one of a family, Fast Similarity Sketching first
//! signatures
//!    |  lsh::bands    64-bit band keys
//! bands
//!    |  pairs::       equal keys > candidate pairs, capped and counted
//!    |                or join::, every pair without bands
//!    |  verify::      exact Jaccard with an integer cut-off
//! pairs
//!    |  cluster::     star | components
//! clusters
//! ```
pub mod cluster;
pub mod containment;
pub mod contents;
pub mod csv;
pub mod error;
pub mod exact;
pub mod hash;
pub mod hll;
pub mod intersect;
pub mod join;
pub mod json_array;
mod json_stops;
mod json_string;
pub mod json_walk;
pub mod jsonl;
mod long;
pub mod lsh;
pub mod pairs;
pub mod parallel;
pub mod runners;
pub mod signatures;
pub mod simd;
pub mod sketch;
pub mod stream;
pub mod survey;
pub mod text;
pub mod token_hash;
pub mod verify;

pub use error::{Error, Kind, Result};
