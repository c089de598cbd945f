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
//! probes  an index looked up with runners-up too; postings its lists, keys to ids
//! forest  the best answers without a threshold, by sorted prefixes
//! bloom   one filter a band: who was seen before, in constant memory
//! blocks  which blocks of a fingerprint find everything within d bits
//! hamming the index of fingerprints by such blocks
//! ```
pub mod bands;
pub mod blocks;
pub mod bloom;
pub mod curve;
pub mod flags;
pub mod forest;
pub mod gather;
pub mod group;
pub mod hamming;
pub mod postings;
pub mod probes;
pub mod ranked;
mod run;
mod store;
pub mod table;

pub use bands::{BandKeys, NO_KEY};
pub use curve::Banding;
pub use flags::duplicate_flags;
pub use hamming::Hamming;
pub use table::Table;
