//! From a text to its shingles: normalise > tokenise > hash > shingle, in one pass without strings.
//!
//! A [`TextSpec`] says how, a [`Shingler`] (one a thread) does it and owns the scratch space.

mod buffer;
pub mod column;
mod fast;
pub mod filter;
pub mod given;
mod han;
pub mod long;
pub mod normalize;
mod order;
mod pages;
pub mod shingle;
mod spec;
pub mod tables;
pub mod tokenize;

use self::buffer::{FRONT, Padded};
use self::filter::Filter;
use self::given::Row;
use self::pages::Scratch;
use self::tokenize::{Cut, words};
use crate::simd::edges::Edges;
use crate::simd::{Tier, digits, tokens};
use crate::token_hash::TokenHash;

pub use self::column::{Column, Input};
pub use self::spec::{Options, TextSpec};
pub use crate::token_hash::HASHES;

/// The largest number of units in a shingle.
pub const MAX_SIZE: usize = 1000;

/// What a text became; borrowed from the shingler until its next text.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The normalised text, UTF-8.
    pub normalized: &'a [u8],
    /// How many tokens it has.
    pub tokens: usize,
    /// Its shingles, in text order and with repeats.
    pub shingles: &'a [u64],
}

/// Does what a [`TextSpec`] says, reusing its scratch space from text to text.
pub struct Shingler {
    spec: TextSpec,
    tier: Tier,
    text: Padded,
    scratch: Scratch,
    edges: Edges,
    units: Vec<u64>,
    spare: Vec<u64>,
    digits: Vec<u64>,
    /// Words of the text last read, where they have been counted.
    words: Option<usize>,
}

impl Shingler {
    /// A shingler with the best kernels of this machine.
    pub fn new(spec: &TextSpec) -> Shingler {
        Shingler::with_tier(spec, Tier::best())
    }

    /// A shingler with the kernels of one tier; all give the same answer.
    pub fn with_tier(spec: &TextSpec, tier: Tier) -> Shingler {
        Shingler {
            spec: spec.clone(),
            tier,
            text: Padded::new(),
            scratch: Scratch::default(),
            edges: Edges::default(),
            units: Vec::new(),
            spare: Vec::new(),
            digits: Vec::new(),
            words: None,
        }
    }

    /// The text after the `normalize` list.
    pub fn normalize(&mut self, text: &str) -> &str {
        self.fill(text);
        content(&self.text)
    }

    /// Puts the normalised text into the buffer.
    fn fill(&mut self, text: &str) {
        let Self { spec, tier, text: out, scratch, .. } = self;
        let fast = spec.fast.as_ref();
        if !fast.is_some_and(|fast| fast.run(text, *tier, scratch, out)) {
            let Scratch { out: exact, spare } = scratch;
            normalize::apply_all(&spec.steps, text, spec.unit.by_line, exact, spare);
            out.clear(exact.len());
            out.push_str(exact);
        }
    }

    /// Normalised text, number of tokens and shingles.
    pub fn run<'i>(&mut self, input: impl Into<Input<'i>>) -> Document<'_> {
        let input = input.into();
        self.fill(input.text);
        self.cut(input.tokens);
        let tokens = self.units.len();
        self.shingle();
        Document { normalized: self.text.content(), tokens, shingles: &self.units }
    }

    /// Puts the units of the buffer's text into `units`, or those that are given.
    fn cut(&mut self, given: Option<Row<'_>>) {
        let Self { spec, tier, text, edges, units, words, .. } = self;
        let normalized = content(text);
        let filter = spec.filter.as_deref();
        units.clear();
        *words = None;
        match (given, spec.unit.cut) {
            (Some(tokens), _) => tokens.iter().for_each(|token| match filter {
                Some(filter) => filter.push(token, units),
                None => units.push(spec.hash.token(token.as_bytes())),
            }),
            (_, Cut::Numbers { units: cut, .. }) => cut(normalized, spec.collapse, units),
            _ => {
                let mut count = 0;
                let padded = text.padded();
                let key = filter.map_or(spec.hash, Filter::key);
                tokenize::runs(spec.unit, *tier, normalized, edges, &mut |pairs| {
                    let from = units.len();
                    match key {
                        TokenHash::Xxh3 => tokens::hash(*tier, padded, FRONT, pairs, units),
                        hash => units.extend(pairs.iter().map(|&[begin, end]| {
                            hash.token(padded.get(FRONT + begin..FRONT + end).unwrap_or_default())
                        })),
                    }
                    if let Some(filter) = filter {
                        filter.apply(normalized, pairs, from, units);
                    }
                    count += pairs.len();
                });
                *words = Some(count).filter(|_| spec.unit == words::UNIT);
            }
        }
    }

    /// Replaces the units by shingles, as many of them as the fraction keeps.
    fn shingle(&mut self) {
        let Self { spec, tier, units, .. } = self;
        match spec.unit.cut {
            Cut::Numbers { bytes, .. } if spec.hash != TokenHash::Xxh3 => {
                shingle::hashed(spec.hash, spec.size, bytes, units);
            }
            _ => shingle::shingle(*tier, spec.unit, spec.size, units),
        }
        if let Some(fraction) = spec.fraction {
            units.retain(|&shingle| fraction.keeps(shingle));
        }
    }

    /// The shingle set: sorted, each once.
    pub fn set<'i>(&mut self, input: impl Into<Input<'i>>) -> &[u64] {
        self.run(input);
        order::sort(&mut self.units, &mut self.spare);
        self.units.dedup();
        &self.units
    }

    /// The tokens as text, for people and tests; a byte is two hexadecimal digits.
    pub fn tokens(&mut self, text: &str) -> Vec<String> {
        self.fill(text);
        let Self { spec, tier, text, edges, units, .. } = self;
        let normalized = content(text);
        let mut tokens = Vec::new();
        units.clear();
        if let Cut::Numbers { units: cut, show, .. } = spec.unit.cut {
            cut(normalized, spec.collapse, units);
            tokens.extend(units.iter().map(|&unit| show(unit)));
        }
        let filter = spec.filter.as_deref();
        tokenize::runs(spec.unit, *tier, normalized, edges, &mut |pairs| {
            let cut = pairs.iter().map(|&[begin, end]| &normalized[begin..end]);
            match filter {
                Some(filter) => {
                    tokens.extend(cut.filter_map(|t| Some(filter.text(t)?.into_owned())))
                }
                None => tokens.extend(cut.map(str::to_owned)),
            }
        });
        tokens
    }
}

impl Shingler {
    /// Words of the text last read, whatever the unit of the spec: their number.
    pub fn words(&mut self) -> usize {
        if let Some(count) = self.words {
            return count;
        }
        let Self { tier, text, edges, .. } = self;
        let mut count = 0;
        tokenize::runs(words::UNIT, *tier, content(text), edges, &mut |pairs| count += pairs.len());
        count
    }

    /// Hashes of the words with a decimal digit in the text last read: sorted, each once. Two texts that each
    /// have one the other lacks are another statement rather than another copy.
    pub fn numbers(&mut self) -> Vec<u64> {
        let Self { tier, text, edges, digits, .. } = self;
        let normalized = content(text);
        let mut numbers = Vec::new();
        digits::digits(*tier, normalized.as_bytes(), digits);
        if digits.iter().all(|&mask| mask == 0) {
            return numbers;
        }
        tokenize::runs(words::UNIT, *tier, normalized, edges, &mut |pairs| {
            let may = pairs.iter().filter(|[begin, end]| digits::within(digits, *begin, *end));
            let words = may.map(|&[begin, end]| &normalized[begin..end]);
            let numeric = words.filter(|word| word.chars().any(|c| tables::is(c, tables::DIGIT)));
            numbers.extend(numeric.map(|word| crate::hash::token(word.as_bytes())));
        });
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

/// The buffer as text: only whole characters are ever put there.
fn content(buffer: &Padded) -> &str {
    let text = simdutf8::basic::from_utf8(buffer.content());
    debug_assert!(text.is_ok());
    text.unwrap_or_default()
}

#[cfg(test)]
mod tests;
