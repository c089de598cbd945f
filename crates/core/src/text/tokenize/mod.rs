//! The tokenizers by name, and what they share.
//!
//! Three find runs of bytes, whose unit is the hash of the run; two take each character or byte as a
//! unit of itself. A tokenizer is one file here and one line in [`UNITS`].

pub mod bytes;
pub mod chars;
pub mod lines;
pub mod whitespace;
pub mod words;

use crate::simd::Tier;
use crate::simd::edges::Edges;

/// What a shingle is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Runs of word characters; characters of scripts written without spaces one by one.
    Word,
    /// What Python's `str.split()` gives.
    Whitespace,
    /// Code points.
    Char,
    /// Bytes of the normalised UTF-8.
    Byte,
    /// Lines that are not blank, stripped.
    Line,
}

/// The units by name, in the order in which messages list them.
pub const UNITS: [(&str, Unit); 5] = [
    ("word", Unit::Word),
    ("whitespace", Unit::Whitespace),
    ("char", Unit::Char),
    ("byte", Unit::Byte),
    ("line", Unit::Line),
];

impl Unit {
    /// The name in [`UNITS`].
    pub fn name(self) -> &'static str {
        UNITS.iter().find(|(_, unit)| *unit == self).map_or("", |&(name, _)| name)
    }

    /// The width in bits of a unit that is a number of its own, and is not hashed.
    pub fn width(self) -> Option<u32> {
        match self {
            Unit::Char => Some(21),
            Unit::Byte => Some(9),
            Unit::Word | Unit::Whitespace | Unit::Line => None,
        }
    }
}

/// Calls `sink` with begins and ends of the tokens of `text`, many at a time, in order. `edges` is scratch.
///
/// Chars and bytes are not runs: they give nothing here.
pub fn runs(
    unit: Unit,
    tier: Tier,
    text: &str,
    edges: &mut Edges,
    sink: &mut dyn FnMut(&[[usize; 2]]),
) {
    edges.restart();
    match unit {
        Unit::Word => words::runs(tier, text, edges, sink),
        Unit::Whitespace => whitespace::runs(tier, text, edges, sink),
        Unit::Line => lines::runs(text, edges, sink),
        Unit::Char | Unit::Byte => {}
    }
    sink(edges.pairs());
}
