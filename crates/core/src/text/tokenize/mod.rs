//! The tokenizers by name, and what they share.
//!
//! Four find runs of bytes, whose unit is the hash of the run; two take each character or byte as a
//! unit of itself. A tokenizer is one file here, with its [`Unit`], and one line in [`UNITS`].

pub mod bytes;
pub mod chars;
pub mod chunks;
pub mod lines;
pub mod whitespace;
pub mod words;

use super::MAX_SIZE;
use crate::simd::Tier;
use crate::simd::edges::Edges;

/// What a shingle is made of.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    /// As in `word:3`.
    pub name: &'static str,
    /// How a text is cut into units.
    pub cut: Cut,
    /// `collapse-space` works inside each line and leaves line ends alone.
    pub by_line: bool,
    /// The text is cut after `collapse-space`, whatever the list, unless that removes white space.
    pub collapse: bool,
}

/// Takes begins and ends of runs.
pub type Sink<'a> = &'a mut dyn FnMut(&[[usize; 2]]);

/// How a text is cut.
#[derive(Clone, Copy, Debug)]
pub enum Cut {
    /// Into runs of bytes, begins and ends of which go to the sink, many at a time and in order; the edges
    /// are scratch, and what is left in them is the rest. The unit of a run is its hash.
    Runs(fn(Tier, &str, &mut Edges, Sink)),
    /// Into runs of so many bytes on average; the number in a spec is that of the bytes.
    Chunks(usize),
    /// Into numbers that are units of themselves.
    Numbers {
        /// Bits of a number.
        width: u32,
        /// Appends the units of a text, none of them zero; with `true` those of its text after
        /// `collapse-space`.
        units: fn(&str, bool, &mut Vec<u64>),
        /// Appends the bytes that a unit stands for.
        bytes: fn(u64, &mut Vec<u8>),
        /// A unit as people read it.
        show: fn(u64) -> String,
    },
}

/// The tokenizers, in the order in which messages list them.
pub const UNITS: [Unit; 6] =
    [words::UNIT, whitespace::UNIT, chars::UNIT, bytes::UNIT, lines::UNIT, chunks::UNIT];

impl Unit {
    /// The width in bits of a unit that is a number of its own, and is not hashed.
    pub fn width(self) -> Option<u32> {
        match self.cut {
            Cut::Numbers { width, .. } => Some(width),
            Cut::Runs(_) | Cut::Chunks(_) => None,
        }
    }

    /// Smallest and largest number after the colon, and what it counts.
    pub fn numbers(self) -> ([usize; 2], &'static str) {
        match self.cut {
            Cut::Chunks(_) => (chunks::AVERAGE, "BYTES"),
            _ => ([1, MAX_SIZE], "N"),
        }
    }

    /// The unit and the units in a shingle that a number after the colon stands for.
    pub fn sized(self, number: usize) -> (Unit, usize) {
        match self.cut {
            Cut::Chunks(_) => (Unit { cut: Cut::Chunks(number), ..self }, 1),
            _ => (self, number),
        }
    }
}

impl PartialEq for Unit {
    fn eq(&self, other: &Unit) -> bool {
        self.name == other.name
    }
}

/// Calls `sink` with begins and ends of the tokens of `text`, many at a time, in order. `edges` is scratch.
///
/// Units that are numbers are not runs: they give nothing here.
pub fn runs(unit: Unit, tier: Tier, text: &str, edges: &mut Edges, sink: Sink) {
    edges.restart();
    match unit.cut {
        Cut::Runs(cut) => cut(tier, text, edges, sink),
        Cut::Chunks(average) => chunks::runs(average, text, edges, sink),
        Cut::Numbers { .. } => {}
    }
    sink(edges.pairs());
}
