//! From a text to its shingles: normalise > tokenise > hash > shingle, in one pass without strings.
//!
//! A [`TextSpec`] says how, a [`Shingler`] (one a thread) does it and owns the scratch space.

mod buffer;
pub mod column;
mod fast;
pub mod long;
pub mod normalize;
mod order;
mod pages;
pub mod shingle;
pub mod tables;
pub mod tokenize;

use std::sync::Arc;

use self::buffer::{FRONT, Padded};
use self::fast::Fast;
use self::normalize::Step;
use self::pages::Scratch;
use self::tokenize::{Cut, UNITS, Unit, words};
use crate::simd::edges::Edges;
use crate::simd::{Tier, digits, tokens};
use crate::{Error, Result};

pub use self::column::Column;

/// The token hashes by name.
pub const HASHES: [&str; 1] = ["xxh3"];

/// The largest number of units in a shingle.
pub const MAX_SIZE: usize = 1000;

/// How a text becomes a set of shingles. Clones share what they remember.
#[derive(Clone)]
pub struct TextSpec {
    steps: Vec<Step>,
    unit: Unit,
    size: usize,
    hash: &'static str,
    /// `char` sees the text after `collapse-space`, whatever the list, unless it removes white space.
    collapse: bool,
    fast: Option<Arc<Fast>>,
}

impl TextSpec {
    /// Reads the three options as a user writes them, e.g. `nfkc,casefold,collapse-space`, `word:3`, `xxh3`.
    pub fn parse(normalize: &str, shingle: &str, hash: &str) -> Result<TextSpec> {
        let steps = normalize::parse(normalize)?;
        let (unit, size) = parse_shingle(shingle)?;
        let hash = HASHES.into_iter().find(|&name| name == hash).ok_or_else(|| {
            Error::argument(format!("hash: {hash:?} is none; write one of {}", HASHES.join(", ")))
        })?;
        let collapse = unit.collapse
            && !steps.contains(&Step::RemoveSpace)
            && steps.last() != Some(&Step::CollapseSpace);
        let fast = Fast::new(&steps, unit.by_line).map(Arc::new);
        Ok(TextSpec { steps, unit, size, hash, collapse, fast })
    }

    /// The spec as canonical text: texts under specs of equal identity have comparable shingles.
    pub fn identity(&self) -> String {
        format!(
            "normalize={};shingle={}:{};hash={};unicode={}",
            normalize::canonical(&self.steps),
            self.unit.name,
            self.size,
            self.hash,
            tables::UNICODE_VERSION
        )
    }
}

fn parse_shingle(shingle: &str) -> Result<(Unit, usize)> {
    let names: Vec<String> = UNITS.iter().map(|unit| format!("{}:N", unit.name)).collect();
    let help = || {
        Error::argument(format!(
            "shingle: {shingle:?} is none; write one of {} with N from 1 to {MAX_SIZE}, e.g. word:3",
            names.join(", ")
        ))
    };
    let (name, size) = shingle.split_once(':').ok_or_else(help)?;
    let unit = UNITS.into_iter().find(|unit| unit.name == name).ok_or_else(help)?;
    let digits = !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit());
    match size.parse() {
        Ok(size @ 1..=MAX_SIZE) if digits => Ok((unit, size)),
        _ => Err(help()),
    }
}

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
    pub fn run(&mut self, text: &str) -> Document<'_> {
        self.fill(text);
        self.cut();
        let Self { spec, tier, text, units, .. } = self;
        let tokens = units.len();
        shingle::shingle(*tier, spec.unit, spec.size, units);
        Document { normalized: text.content(), tokens, shingles: units }
    }

    /// Puts the units of the buffer's text into `units`.
    fn cut(&mut self) {
        let Self { spec, tier, text, edges, units, .. } = self;
        let normalized = content(text);
        units.clear();
        match spec.unit.cut {
            Cut::Numbers { units: cut, .. } => cut(normalized, spec.collapse, units),
            Cut::Runs(_) => tokenize::runs(spec.unit, *tier, normalized, edges, &mut |pairs| {
                tokens::hash(*tier, text.padded(), FRONT, pairs, units);
            }),
        }
    }

    /// The shingle set: sorted, each once.
    pub fn set(&mut self, text: &str) -> &[u64] {
        self.run(text);
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
        match spec.unit.cut {
            Cut::Numbers { units: cut, show, .. } => {
                cut(normalized, spec.collapse, units);
                tokens.extend(units.iter().map(|&unit| show(unit)));
            }
            Cut::Runs(_) => tokenize::runs(spec.unit, *tier, normalized, edges, &mut |pairs| {
                tokens.extend(pairs.iter().map(|&[begin, end]| normalized[begin..end].to_owned()));
            }),
        }
        tokens
    }
}

impl Shingler {
    /// Words of the text last read, whatever the unit of the spec: their number.
    pub fn words(&mut self) -> usize {
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

    /// Whether tokens of the spec are words, so that they need not be counted again.
    pub fn counts_words(&self) -> bool {
        self.spec.unit == words::UNIT
    }
}

/// The buffer as text: only whole characters are ever put there.
fn content(buffer: &Padded) -> &str {
    let text = simdutf8::basic::from_utf8(buffer.content());
    debug_assert!(text.is_ok());
    text.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;

    const DEFAULT: &str = "nfkc,casefold,collapse-space";

    fn shingler(normalize: &str, shingle: &str) -> Shingler {
        Shingler::new(&TextSpec::parse(normalize, shingle, "xxh3").unwrap())
    }

    #[test]
    fn identity_is_canonical() {
        let spec = TextSpec::parse("nfkc, casefold", "word:3", "xxh3").unwrap();
        let expected = "normalize=nfkc,casefold;shingle=word:3;hash=xxh3;unicode=18.0";
        assert_eq!(spec.identity(), expected);
    }

    #[test]
    fn errors_list_what_is_valid() {
        for bad in ["word", "word:0", "word:+3", "word:", "word:1001", "chunk", "Word:3", "word:3 "]
        {
            let message = TextSpec::parse(DEFAULT, bad, "xxh3").err().unwrap().to_string();
            assert!(message.contains("whitespace:N") && message.contains(bad), "{message}");
        }
        let message = TextSpec::parse(DEFAULT, "word:3", "md5").err().unwrap().to_string();
        assert!(message.contains("xxh3"), "{message}");
    }

    #[test]
    fn words_of_a_sentence() {
        let mut shingler = shingler(DEFAULT, "word:3");
        let document = shingler.run("  The CAT\u{a0}sat, the ﬁsh: ");
        assert_eq!(document.normalized, "the cat sat, the fish:".as_bytes());
        assert_eq!((document.tokens, document.shingles.len()), (5, 3));
        assert_eq!(shingler.tokens("The CAT"), ["the", "cat"]);
        assert_eq!(shingler.run("Cat").shingles, [hash::token(b"cat")]);
        assert_eq!(shingler.set("a b c a b c a b").len(), 3);
    }

    #[test]
    fn chars_collapse_even_under_none() {
        assert_eq!(shingler("none", "char:2").tokens(" a \n b"), ["a", " ", "b"]);
        assert_eq!(shingler("none", "char:2").normalize(" a \n b"), " a \n b");
        assert_eq!(shingler("remove-space", "char:2").tokens(" a \n b"), ["a", "b"]);
        assert_eq!(shingler("collapse-space,remove-punct", "char:2").tokens("a - b").len(), 3);
        assert_eq!(shingler("none", "byte:2").tokens(" é"), ["20", "c3", "a9"]);
        let (mut one, mut other) = (shingler(DEFAULT, "char:2"), shingler(DEFAULT, "char:2"));
        let (a, b) = (one.set("我喜欢健身"), other.set("我喜欢普洱茶"));
        let both = a.iter().filter(|x| b.contains(x)).count();
        assert_eq!((both, a.len() + b.len() - both), (2, 7));
    }

    #[test]
    fn numbers_and_words_of_any_spec() {
        for shingle in ["word:3", "char:2", "line:1"] {
            let mut one = shingler(DEFAULT, shingle);
            one.run("Pay 40 EUR by 2024年3月, not 41; 40 is ４０ and v2");
            assert_eq!(one.words(), 15);
            let mut expected: Vec<u64> =
                [&b"40"[..], b"2024", b"3", b"41", b"v2"].map(hash::token).into();
            expected.sort_unstable();
            assert_eq!(one.numbers(), expected);
            one.run("no figures here");
            assert!(one.numbers().is_empty());
        }
    }

    #[test]
    fn blank_texts_have_no_token_under_any_spec() {
        for normalize in ["none", DEFAULT, "remove-space,nfkc", "remove-punct", "mask-digits,lower"]
        {
            for Unit { name: unit, .. } in UNITS {
                for size in [1, 3, 9] {
                    let mut shingler = shingler(normalize, &format!("{unit}:{size}"));
                    for blank in ["", " ", "\r\n\t \u{3000}\u{85}\u{1c}", &" \n".repeat(500)] {
                        let document = shingler.run(blank);
                        assert_eq!((document.tokens, document.shingles.len()), (0, 0));
                    }
                }
            }
        }
    }

    #[test]
    fn every_tier_gives_the_same_document() {
        let text =
            "Ünïcode and plain ASCII, 字字 and a-long-token_of_more_than_16_bytes\n\n\t end. ";
        for Unit { name: unit, .. } in UNITS {
            for size in [1, 2, 3, 5, 12] {
                for normalize in ["none", DEFAULT, "lower", "strip-accents,remove-punct"] {
                    let spec =
                        TextSpec::parse(normalize, &format!("{unit}:{size}"), "xxh3").unwrap();
                    let all: Vec<_> = Tier::available()
                        .into_iter()
                        .map(|tier| {
                            let mut shingler = Shingler::with_tier(&spec, tier);
                            let document = shingler.run(&text.repeat(40));
                            (document.normalized.to_vec(), document.shingles.to_vec())
                        })
                        .collect();
                    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
                }
            }
        }
    }
}
