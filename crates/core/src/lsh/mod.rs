//! Locality-sensitive hashing of signatures by bands (Indyk, Motwani 1998; Broder 1997).
//!
//! ```text
//! curve   which bands and rows: the S-curve and the choice by threshold and recall
//! bands   signatures > 64-bit band keys, one column a band
//! group   one column > its buckets, the runs of equal keys
//! flags   which rows repeat an earlier one, in one go
//! table   the kept index over band keys: insert, query, remove; made of sorted runs; store saves and loads it,
//!         gather makes one of several
//! ranked  the answers of a table with their estimates, best first
//! ```
pub mod bands;
pub mod curve;
pub mod flags;
pub mod gather;
pub mod group;
pub mod ranked;
mod run;
mod store;
pub mod table;

pub use bands::{BandKeys, NO_KEY};
pub use curve::Banding;
pub use flags::duplicate_flags;
pub use table::Table;
