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
pub mod tables;
pub mod tokenize;

use std::sync::Arc;

use self::buffer::{FRONT, Padded};
use self::fast::Fast;
use self::filter::Filter;
use self::given::Row;
use self::normalize::Step;
use self::pages::Scratch;
use self::shingle::Fraction;
use self::tokenize::{Cut, UNITS, Unit, words};
use crate::simd::edges::Edges;
use crate::simd::{Tier, digits, tokens};
use crate::token_hash::TokenHash;
use crate::{Error, Result};

pub use self::column::{Column, Input};
pub use crate::token_hash::HASHES;

/// The largest number of units in a shingle.
pub const MAX_SIZE: usize = 1000;

/// The options of a text spec as a user writes them.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// A comma list of steps, or `none`.
    pub normalize: &'a str,
    /// A unit and a number, such as `word:3`.
    pub shingle: &'a str,
    /// The hash of a token.
    pub hash: &'a str,
    /// The key of a hash that has one.
    pub key: Option<[u8; 16]>,
    /// The language of the words that are left out.
    pub stopwords: Option<&'a str>,
    /// The language of stems.
    pub stem: Option<&'a str>,
    /// The share of the shingles that stays.
    pub fraction: Option<f64>,
    /// The name of whoever cuts texts into tokens, where it is not the unit.
    pub tokenizer: Option<&'a str>,
}

/// How a text becomes a set of shingles. Clones share what they remember.
#[derive(Clone)]
pub struct TextSpec {
    steps: Vec<Step>,
    unit: Unit,
    size: usize,
    /// The number in the spec: of units, or of bytes.
    number: usize,
    hash: TokenHash,
    /// `char` sees the text after `collapse-space`, whatever the list, unless it removes white space.
    collapse: bool,
    fast: Option<Arc<Fast>>,
    filter: Option<Arc<Filter>>,
    fraction: Option<Fraction>,
    tokenizer: Option<String>,
}

impl TextSpec {
    /// Reads the three options of every spec, e.g. `nfkc,casefold,collapse-space`, `word:3`, `xxh3`.
    pub fn parse(normalize: &str, shingle: &str, hash: &str) -> Result<TextSpec> {
        TextSpec::new(Options {
            normalize,
            shingle,
            hash,
            key: None,
            stopwords: None,
            stem: None,
            fraction: None,
            tokenizer: None,
        })
    }

    /// Reads all options.
    pub fn new(options: Options<'_>) -> Result<TextSpec> {
        let steps = normalize::parse(options.normalize)?;
        let (unit, number) = parse_shingle(options.shingle)?;
        let (unit, size) = unit.sized(number);
        let hash = TokenHash::parse(options.hash, options.key)?;
        let filter = Filter::new(&steps, hash, options.stopwords, options.stem)?.map(Arc::new);
        let needs_words = [
            (filter.is_some() && unit.name != "whitespace", "stop words and stems are of words"),
            (options.tokenizer.is_some(), "a tokenizer of one's own gives words"),
        ];
        if let Some((_, why)) = needs_words.iter().find(|(needs, _)| *needs && unit != words::UNIT)
        {
            return Err(Error::argument(format!(
                "shingle: {why}, and {:?} has none; write word:N",
                options.shingle
            )));
        }
        let collapse = unit.collapse
            && !steps.contains(&Step::RemoveSpace)
            && steps.last() != Some(&Step::CollapseSpace);
        let fast = Fast::new(&steps, unit.by_line).map(Arc::new);
        let fraction = options.fraction.map(Fraction::new).transpose()?;
        let tokenizer = options.tokenizer.map(str::to_owned);
        Ok(TextSpec {
            steps,
            unit,
            size,
            number,
            hash,
            collapse,
            fast,
            filter,
            fraction,
            tokenizer,
        })
    }

    /// The spec as canonical text: texts under specs of equal identity have comparable shingles.
    pub fn identity(&self) -> String {
        let mut identity = format!(
            "normalize={};shingle={}:{};hash={};unicode={}",
            normalize::canonical(&self.steps),
            self.unit.name,
            self.number,
            self.hash.identity(),
            tables::UNICODE_VERSION
        );
        let mut tables: Vec<&str> = self.steps.iter().filter_map(|step| step.tables()).collect();
        tables.sort_unstable();
        tables.dedup();
        if !tables.is_empty() {
            identity += &format!(";tables={}", tables.join(","));
        }
        if let Cut::Chunks(_) = self.unit.cut {
            identity += &format!(";chunks={}", tokenize::chunks::VERSION);
        }
        identity += self.filter.as_ref().map_or("", |filter| filter.identity());
        if let Some(fraction) = self.fraction {
            identity += &format!(";fraction={fraction}");
        }
        if let Some(tokenizer) = &self.tokenizer {
            identity += &format!(";tokenizer={tokenizer}");
        }
        identity
    }

    /// The digest by which equal texts are recognised.
    pub fn digest(&self, bytes: &[u8]) -> u128 {
        self.hash.digest(bytes)
    }
}

fn parse_shingle(shingle: &str) -> Result<(Unit, usize)> {
    let name_of = |unit: &Unit| {
        let ([low, high], what) = unit.numbers();
        (format!("{}:{what}", unit.name), format!("{what} from {low} to {high}"))
    };
    let help = || {
        let (names, mut ranges): (Vec<_>, Vec<_>) = UNITS.iter().map(name_of).unzip();
        ranges.dedup();
        Error::argument(format!(
            "shingle: {shingle:?} is none; write one of {} with {}, e.g. word:3",
            names.join(", "),
            ranges.join(", ")
        ))
    };
    let (name, number) = shingle.split_once(':').ok_or_else(help)?;
    let unit = UNITS.into_iter().find(|unit| unit.name == name).ok_or_else(help)?;
    let ([low, high], _) = unit.numbers();
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    match number.parse() {
        Ok(number) if digits && (low..=high).contains(&number) => Ok((unit, number)),
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
mod tests {
    use super::*;
    use crate::hash;

    const DEFAULT: &str = "nfkc,casefold,collapse-space";

    fn shingler(normalize: &str, shingle: &str) -> Shingler {
        Shingler::new(&TextSpec::parse(normalize, shingle, "xxh3").unwrap())
    }

    /// `size` above the least of a unit.
    fn shingle_of(unit: Unit, size: usize) -> String {
        format!("{}:{}", unit.name, unit.numbers().0[0] + size - 1)
    }

    fn options<'a>(shingle: &'a str) -> Options<'a> {
        Options {
            normalize: DEFAULT,
            shingle,
            hash: "xxh3",
            key: None,
            stopwords: None,
            stem: None,
            fraction: None,
            tokenizer: None,
        }
    }

    /// Whatever changes shingles changes the identity, and each thing is named.
    #[test]
    fn identities_tell_all_apart() {
        let plain = options("word:3");
        let others = [
            plain,
            Options { hash: "murmur3", ..plain },
            Options { hash: "siphash", key: Some([1; 16]), ..plain },
            Options { hash: "siphash", key: Some([2; 16]), ..plain },
            Options { stopwords: Some("en"), ..plain },
            Options { stem: Some("en"), ..plain },
            Options { stem: Some("porter"), ..plain },
            Options { fraction: Some(0.5), ..plain },
            Options { fraction: Some(0.25), ..plain },
            Options { tokenizer: Some("jieba"), ..plain },
            Options { normalize: "t2s", ..plain },
            Options { normalize: "pinyin", ..plain },
            options("chunk:300"),
            options("chunk:301"),
        ];
        let identities: Vec<String> =
            others.iter().map(|&options| TextSpec::new(options).unwrap().identity()).collect();
        let distinct: std::collections::HashSet<&String> = identities.iter().collect();
        assert_eq!(distinct.len(), others.len());
        let all = Options { stopwords: Some("en"), stem: Some("en"), fraction: Some(0.5), ..plain };
        let expected = "normalize=nfkc,casefold,collapse-space;shingle=word:3;hash=xxh3;unicode=18.0;\
                        stopwords=en@stop-words-0.10.1;stem=en@snowball_stemmers_rs-1.0.1;fraction=0.5";
        assert_eq!(TextSpec::new(all).unwrap().identity(), expected);
    }

    #[test]
    fn what_needs_words_says_so() {
        for shingle in ["char:3", "byte:3", "line:1", "chunk:4096"] {
            for bad in [
                Options { stem: Some("en"), ..options(shingle) },
                Options { stopwords: Some("en"), ..options(shingle) },
                Options { tokenizer: Some("jieba"), ..options(shingle) },
            ] {
                let message = TextSpec::new(bad).err().unwrap().to_string();
                assert!(message.contains(shingle) && message.contains("word:N"), "{message}");
            }
        }
    }

    #[test]
    fn words_are_filtered_before_they_are_shingled() {
        let with = Options { stopwords: Some("en"), stem: Some("en"), ..options("word:2") };
        for hash in ["xxh3", "murmur3_32"] {
            let mut one = Shingler::new(&TextSpec::new(Options { hash, ..with }).unwrap());
            let mut plain = Shingler::new(&TextSpec::parse(DEFAULT, "word:2", hash).unwrap());
            for text in ["The fishing of the boats", "the boats fished", "the", ""].repeat(3) {
                let left = one.tokens(text);
                let document = one.run(text);
                assert_eq!(document.tokens, left.len());
                assert_eq!(document.shingles, plain.run(&left.join(" ")).shingles);
                assert_eq!(one.words(), text.split_whitespace().count());
            }
        }
    }

    #[test]
    fn given_tokens_stand_for_those_of_the_unit() {
        let with = Options { tokenizer: Some("jieba"), ..options("word:2") };
        let mut one = Shingler::new(&TextSpec::new(with).unwrap());
        let mut tokens = given::Tokens::default();
        ["我", "喜欢", " ", "健身"].iter().for_each(|token| tokens.push(token));
        tokens.end_row();
        let document = one.run(Input { text: "我喜欢 健身", tokens: Some(tokens.row(0)) });
        let words = ["我", "喜欢", "健身"].map(|word| hash::token(word.as_bytes()));
        let mut expected = words.to_vec();
        shingle::shingle(Tier::SCALAR, words::UNIT, 2, &mut expected);
        assert_eq!((document.tokens, document.shingles), (3, expected.as_slice()));
        assert_eq!(one.words(), 5);
    }

    #[test]
    fn a_fraction_keeps_the_same_shingles_of_every_text() {
        let with = Options { fraction: Some(0.25), ..options("word:1") };
        let mut some = Shingler::new(&TextSpec::new(with).unwrap());
        let mut all = shingler(DEFAULT, "word:1");
        let text = (0..2000).map(|i| format!("w{i} ")).collect::<String>();
        let (half, _) = text.split_at(text.len() / 2);
        let whole = some.set(&text).to_vec();
        assert!(some.set(half).iter().all(|x| whole.contains(x)));
        assert!(whole.iter().all(|x| all.set(&text).contains(x)));
        assert!((400..600).contains(&whole.len()), "{}", whole.len());
        assert_eq!(some.run(&text).tokens, 2000);
    }

    #[test]
    fn identity_is_canonical() {
        let spec = TextSpec::parse("nfkc, casefold", "word:3", "xxh3").unwrap();
        let expected = "normalize=nfkc,casefold;shingle=word:3;hash=xxh3;unicode=18.0";
        assert_eq!(spec.identity(), expected);
    }

    #[test]
    fn errors_list_what_is_valid() {
        for bad in
            ["word", "word:0", "word:+3", "word:", "word:1001", "chunk:9", "Word:3", "word:3 "]
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
            for unit in UNITS {
                for size in [1, 3, 9] {
                    let mut shingler = shingler(normalize, &shingle_of(unit, size));
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
        for unit in UNITS {
            for size in [1, 2, 3, 5, 12] {
                for normalize in ["none", DEFAULT, "lower", "strip-accents,remove-punct"] {
                    let shingle = shingle_of(unit, size);
                    let spec = TextSpec::parse(normalize, &shingle, "xxh3").unwrap();
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
