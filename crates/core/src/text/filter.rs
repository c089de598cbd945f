//! Stop words and stems: tokens that go, and tokens that another stands for, before shingles are made.
//!
//! Stop words are those of Stopwords ISO (crate `stop-words`), put through the spec's own `normalize`
//! list; stems are those of Snowball (Porter 1980 and 2001; crate `snowball_stemmers_rs`). Most tokens
//! have been seen before, and what became of them is remembered by their hash.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use snowball_stemmers_rs::{Algorithm as Snowball, Stemmer};

use super::normalize::{Step, apply_all};
use crate::token_hash::TokenHash;
use crate::{Error, Result};

/// Crate and version of the stop words, and of the stems: part of a text spec's identity.
const STOPWORDS_VERSION: &str = "stop-words-0.10.1";
const STEMS_VERSION: &str = "snowball_stemmers_rs-1.0.1";

/// The stemmers by language code; the last three are algorithms of their own.
pub const STEMS: [(&str, Snowball); 38] = [
    ("ar", Snowball::Arabic),
    ("ca", Snowball::Catalan),
    ("cs", Snowball::Czech),
    ("da", Snowball::Danish),
    ("de", Snowball::German),
    ("el", Snowball::Greek),
    ("en", Snowball::English),
    ("eo", Snowball::Esperanto),
    ("es", Snowball::Spanish),
    ("et", Snowball::Estonian),
    ("eu", Snowball::Basque),
    ("fa", Snowball::Persian),
    ("fi", Snowball::Finnish),
    ("fr", Snowball::French),
    ("ga", Snowball::Irish),
    ("hi", Snowball::Hindi),
    ("hu", Snowball::Hungarian),
    ("hy", Snowball::Armenian),
    ("id", Snowball::Indonesian),
    ("it", Snowball::Italian),
    ("lt", Snowball::Lithuanian),
    ("ne", Snowball::Nepali),
    ("nl", Snowball::Dutch),
    ("no", Snowball::Norwegian),
    ("pl", Snowball::Polish),
    ("pt", Snowball::Portuguese),
    ("ro", Snowball::Romanian),
    ("ru", Snowball::Russian),
    ("sr", Snowball::Serbian),
    ("st", Snowball::Sesotho),
    ("sv", Snowball::Swedish),
    ("ta", Snowball::Tamil),
    ("tr", Snowball::Turkish),
    ("uk", Snowball::Ukrainian),
    ("yi", Snowball::Yiddish),
    ("porter", Snowball::Porter),
    ("lovins", Snowball::Lovins),
    ("dutch_porter", Snowball::DutchPorter),
];

/// The languages that have stop words.
pub fn stopword_languages() -> &'static [&'static str] {
    stop_words::available_languages()
}

/// A longer token is its own stem.
const LONGEST: usize = 255;
/// Places in the memory of what became of a token: 8 MiB, which the words of a corpus rarely fill.
const PLACES: usize = 1 << 19;
/// Stands for a token that goes.
const GONE: u64 = 0;

/// What becomes of tokens; shared by threads.
pub struct Filter {
    hash: TokenHash,
    stop: HashSet<String>,
    stemmer: Option<Stemmer>,
    identity: String,
    /// `[token hash ^ answer, answer]`: a torn read of two threads' writes fits no token's hash.
    seen: Box<[[AtomicU64; 2]]>,
}

impl Filter {
    /// Stop words and stems of languages; none if neither is asked for.
    pub fn new(
        steps: &[Step],
        hash: TokenHash,
        stopwords: Option<&str>,
        stem: Option<&str>,
    ) -> Result<Option<Filter>> {
        let mut identity = String::new();
        let mut stop = HashSet::new();
        if let Some(code) = stopwords {
            let words = stop_words::lookup(code)
                .ok_or_else(|| unknown("stopwords", code, stopword_languages().iter().copied()))?;
            let (mut out, mut spare) = (String::new(), String::new());
            for word in words {
                apply_all(steps, word, false, &mut out, &mut spare);
                stop.insert(out.clone());
            }
            identity += &format!(";stopwords={code}@{STOPWORDS_VERSION}");
        }
        let mut stemmer = None;
        if let Some(code) = stem {
            let found = STEMS.into_iter().find(|&(name, _)| name == code);
            let (_, algorithm) =
                found.ok_or_else(|| unknown("stem", code, STEMS.iter().map(|&(name, _)| name)))?;
            stemmer = Some(Stemmer::create(algorithm));
            identity += &format!(";stem={code}@{STEMS_VERSION}");
        }
        if identity.is_empty() {
            return Ok(None);
        }
        let seen = (0..PLACES).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect();
        Ok(Some(Filter { hash, stop, stemmer, identity, seen }))
    }

    /// What the identity of a text spec says of it.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The hash by which a token is remembered: that of the spec if it is keyed, so that nobody can
    /// have one token taken for another.
    pub fn key(&self) -> TokenHash {
        match self.hash {
            TokenHash::Sip(_) => self.hash,
            _ => TokenHash::Xxh3,
        }
    }

    /// What a token becomes.
    pub fn text<'a>(&self, token: &'a str) -> Option<Cow<'a, str>> {
        if self.stop.contains(token) {
            return None;
        }
        match &self.stemmer {
            Some(stemmer) if token.len() <= LONGEST => Some(stemmer.stem(token)),
            _ => Some(token.into()),
        }
    }

    /// Replaces the hashes of tokens from the `from`-th on, which are their keys, by the hashes of what
    /// they become; `pairs` are their begins and ends in `text`.
    pub fn apply(&self, text: &str, pairs: &[[usize; 2]], from: usize, hashes: &mut Vec<u64>) {
        let mut kept = 0;
        let fresh = hashes.get_mut(from..).unwrap_or_default();
        for i in 0..fresh.len().min(pairs.len()) {
            let key = fresh[i];
            let [check, answer] = &self.seen[key as usize % PLACES];
            let mut answer = answer.load(Relaxed);
            if check.load(Relaxed) ^ answer != key || key == 0 {
                let [begin, end] = pairs[i];
                answer = self.learn(key, text.get(begin..end).unwrap_or_default());
            }
            fresh[kept] = answer;
            kept += usize::from(answer != GONE);
        }
        hashes.truncate(from + kept);
    }

    /// Finds out what becomes of a token, and remembers it.
    #[cold]
    fn learn(&self, key: u64, token: &str) -> u64 {
        let answer = self.ask(token);
        let place = &self.seen[key as usize % PLACES];
        place[0].store(key ^ answer, Relaxed);
        place[1].store(answer, Relaxed);
        answer
    }

    /// The hash of what a token becomes, or [`GONE`].
    fn ask(&self, token: &str) -> u64 {
        // A hash that looks as if the token were gone is one of 2^64: another stands for it.
        self.text(token).map_or(GONE, |token| self.hash.token(token.as_bytes()).max(1))
    }

    /// Appends the hash of what a token becomes, unless it goes.
    pub fn push(&self, token: &str, hashes: &mut Vec<u64>) {
        hashes.extend(Some(self.ask(token)).filter(|&answer| answer != GONE));
    }
}

fn unknown<'a>(option: &str, code: &str, all: impl Iterator<Item = &'a str>) -> Error {
    let all: Vec<&str> = all.collect();
    Error::argument(format!("{option}: {code:?} is none; write one of {}", all.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::super::normalize::parse;
    use super::*;

    fn filter(stopwords: Option<&str>, stem: Option<&str>) -> Filter {
        let steps = parse("nfkc,casefold,collapse-space").unwrap();
        Filter::new(&steps, TokenHash::Xxh3, stopwords, stem).unwrap().unwrap()
    }

    /// Examples of the Snowball site: Porter2 and Porter part ways at "generously" and "skies".
    #[test]
    fn published_stems() {
        for (code, word, stem) in [
            ("en", "consistency", "consist"),
            ("en", "knightly", "knight"),
            ("en", "generously", "generous"),
            ("porter", "generously", "gener"),
            ("en", "skies", "sky"),
            ("porter", "skies", "ski"),
            ("porter", "relational", "relat"),
            ("porter", "hopefulness", "hope"),
            ("de", "aufeinanderfolgenden", "aufeinanderfolg"),
            ("fr", "continuellement", "continuel"),
            ("es", "chicharrones", "chicharron"),
            ("ru", "важнейшими", "важн"),
        ] {
            assert_eq!(filter(None, Some(code)).text(word).unwrap(), stem, "{code}");
        }
        let long = "ing".repeat(100);
        assert_eq!(filter(None, Some("en")).text(&long).unwrap(), long);
    }

    #[test]
    fn stop_words_go_as_they_are_normalised() {
        let english = filter(Some("en"), None);
        assert_eq!((english.text("the"), english.text("harbour")), (None, Some("harbour".into())));
        // "daß" is in the list, and casefold makes it "dass".
        assert!(filter(Some("de"), None).text("dass").is_none());
        assert!(filter(Some("zh"), None).text("的").is_none());
    }

    #[test]
    fn what_is_remembered_is_what_was_asked() {
        let both = filter(Some("en"), Some("en"));
        let text = "the fishing boats the boat fishes ".repeat(50);
        let mut pairs = Vec::new();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let begin = word.as_ptr() as usize - text.as_ptr() as usize;
            pairs.push([begin, begin + word.len()]);
        }
        let mut hashes: Vec<u64> =
            pairs.iter().map(|&[b, e]| both.key().token(&text.as_bytes()[b..e])).collect();
        both.apply(&text, &pairs, 0, &mut hashes);
        let expected =
            ["fish", "boat", "boat", "fish"].map(|stem| TokenHash::Xxh3.token(stem.as_bytes()));
        assert_eq!(hashes, expected.repeat(50));
    }

    #[test]
    fn unknown_languages_list_what_there_is() {
        let steps = parse("none").unwrap();
        for (stopwords, stem) in [(Some("xx"), None), (None, Some("EN"))] {
            let error = Filter::new(&steps, TokenHash::Xxh3, stopwords, stem).err().unwrap();
            let message = error.to_string();
            assert!(message.contains("none; write one of") && message.contains("ru"), "{message}");
        }
        assert!(Filter::new(&steps, TokenHash::Xxh3, None, None).unwrap().is_none());
    }
}
