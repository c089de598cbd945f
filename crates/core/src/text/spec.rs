//! How a text becomes a set of shingles: the options as a user writes them, checked, and their identity.

use std::sync::Arc;

use super::fast::Fast;
use super::filter::Filter;
use super::normalize::{self, Step};
use super::shingle::Fraction;
use super::tables;
use super::tokenize::{self, Cut, UNITS, Unit, words};
use crate::token_hash::TokenHash;
use crate::{Error, Result};

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
    pub(super) steps: Vec<Step>,
    pub(super) unit: Unit,
    pub(super) size: usize,
    /// The number in the spec: of units, or of bytes.
    number: usize,
    pub(super) hash: TokenHash,
    /// `char` sees the text after `collapse-space`, whatever the list, unless it removes white space.
    pub(super) collapse: bool,
    pub(super) fast: Option<Arc<Fast>>,
    pub(super) filter: Option<Arc<Filter>>,
    pub(super) fraction: Option<Fraction>,
    pub(super) tokenizer: Option<String>,
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
