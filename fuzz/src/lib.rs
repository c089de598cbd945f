//! What each fuzz target holds of any bytes: not only that nothing panics, but that the answer is the
//! one another reader gives, or a plain definition.
//!
//! `fuzz_targets/` hands these to libFuzzer; `crates/core/tests/fuzz_seeds.rs` replays `seeds/` through
//! the very same functions, on a stable compiler, in `make test`.

pub mod answers;
pub mod bands;
pub mod columns;
pub mod csv;
pub mod json_array;
pub mod jsonl;
pub mod table_file;
pub mod text;

mod strings;

/// A function of this kind panics if something does not hold.
pub type Target = fn(&[u8]);

/// Every target by name; its seeds are in the folder of that name.
pub const TARGETS: [(&str, Target); 8] = [
    ("answers", answers::run),
    ("bands", bands::run),
    ("columns", columns::run),
    ("csv", csv::run),
    ("json_array", json_array::run),
    ("jsonl", jsonl::run),
    ("table_file", table_file::run),
    ("text", text::run),
];
