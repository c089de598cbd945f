//! The normalisation steps by name, each as one plain pass over the text: the exact route.
//!
//! Normal forms and case come from ICU4X; `lower` is full lower case with the final-sigma rule, as
//! Python's `str.lower`; `casefold` is full case folding. `fast.rs` is the fast route.

use std::borrow::Cow;

use icu_casemap::CaseMapper;
use icu_locale_core::LanguageIdentifier;
use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};

use super::han;
use super::tables::{CASED, DIGIT, IGNORABLE, INVISIBLE, NONSPACING, PUNCT, SPACE, SYMBOL, is};
use crate::{Error, Result};

/// One step of the `normalize` list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Canonical composition.
    Nfc,
    /// Compatibility composition.
    Nfkc,
    /// Full lower case.
    Lower,
    /// Full case folding.
    Casefold,
    /// NFD, without Mn, NFC.
    StripAccents,
    /// Without Cf and variation selectors.
    StripInvisible,
    /// Runs of white space become one space, both ends are stripped; with lines, inside each line.
    CollapseSpace,
    /// Without white space.
    RemoveSpace,
    /// Without P*.
    RemovePunct,
    /// Without Nd.
    RemoveDigits,
    /// Runs of Nd become one `0`.
    MaskDigits,
    /// Without S*.
    RemoveSymbols,
    /// Traditional characters become simplified ones.
    T2s,
    /// Chinese characters become their readings without tones.
    Pinyin,
}

/// The steps by name, in the order in which messages list them.
pub const STEPS: [(&str, Step); 14] = [
    ("nfc", Step::Nfc),
    ("nfkc", Step::Nfkc),
    ("lower", Step::Lower),
    ("casefold", Step::Casefold),
    ("strip-accents", Step::StripAccents),
    ("strip-invisible", Step::StripInvisible),
    ("collapse-space", Step::CollapseSpace),
    ("remove-space", Step::RemoveSpace),
    ("remove-punct", Step::RemovePunct),
    ("remove-digits", Step::RemoveDigits),
    ("mask-digits", Step::MaskDigits),
    ("remove-symbols", Step::RemoveSymbols),
    ("t2s", Step::T2s),
    ("pinyin", Step::Pinyin),
];

/// Reads a comma list of steps, or `none`.
pub fn parse(list: &str) -> Result<Vec<Step>> {
    if list.trim() == "none" {
        return Ok(Vec::new());
    }
    let one = |name: &str| STEPS.iter().find(|(n, _)| *n == name.trim()).map(|&(_, step)| step);
    list.split(',')
        .map(|name| {
            one(name).ok_or_else(|| {
                let names: Vec<&str> = STEPS.iter().map(|&(n, _)| n).collect();
                Error::argument(format!(
                    "normalize: {name:?} is no step; write \"none\" or a comma list of {}",
                    names.join(", ")
                ))
            })
        })
        .collect()
}

/// The list as a user would write it.
pub fn canonical(steps: &[Step]) -> String {
    let name = |step: &Step| STEPS.iter().find(|(_, s)| s == step).map_or("", |&(n, _)| n);
    if steps.is_empty() {
        return "none".to_owned();
    }
    steps.iter().map(name).collect::<Vec<_>>().join(",")
}

impl Step {
    /// Appends the normalised text to `out`. `lines`: white space is collapsed inside each line.
    pub fn apply(self, text: &str, lines: bool, out: &mut String) {
        match self {
            Step::Nfc => out.push_str(&ComposingNormalizer::new_nfc().normalize(text)),
            Step::Nfkc => out.push_str(&ComposingNormalizer::new_nfkc().normalize(text)),
            Step::Lower => lower(text, out),
            Step::Casefold => out.push_str(&CaseMapper::new().fold_string(text)),
            Step::StripAccents => {
                let mut bare = DecomposingNormalizer::new_nfd().normalize(text).into_owned();
                bare.retain(|c| !is(c, NONSPACING));
                out.push_str(&ComposingNormalizer::new_nfc().normalize(&bare));
            }
            Step::StripInvisible => without(text, INVISIBLE, out),
            Step::CollapseSpace if lines => {
                for (i, line) in text.split('\n').enumerate() {
                    if i > 0 {
                        out.push('\n');
                    }
                    collapse(line, out);
                }
            }
            Step::CollapseSpace => collapse(text, out),
            Step::RemoveSpace => without(text, SPACE, out),
            Step::RemovePunct => without(text, PUNCT, out),
            Step::RemoveDigits => without(text, DIGIT, out),
            Step::MaskDigits => mask_digits(text, out),
            Step::RemoveSymbols => without(text, SYMBOL, out),
            Step::T2s => out.extend(text.chars().map(han::simplified)),
            Step::Pinyin => text.chars().for_each(|c| han::push_pinyin(c, out)),
        }
    }

    /// The tables of the step, with their version, where these are not Unicode's.
    pub fn tables(self) -> Option<&'static str> {
        match self {
            Step::T2s => Some(han::T2S_VERSION),
            Step::Pinyin => Some(han::PINYIN_VERSION),
            _ => None,
        }
    }

    /// Whether the step composes or reorders characters.
    pub fn composes(self) -> bool {
        matches!(self, Step::Nfc | Step::Nfkc | Step::StripAccents)
    }
}

/// Applies the whole list; `spare` is scratch space.
pub fn apply_all(steps: &[Step], text: &str, lines: bool, out: &mut String, spare: &mut String) {
    out.clear();
    out.push_str(text);
    for step in steps {
        std::mem::swap(out, spare);
        out.clear();
        step.apply(spare, lines, out);
    }
}

/// Appends `text` with each run of white space as one space and none at the ends.
pub fn collapse(text: &str, out: &mut String) {
    let start = out.len();
    for word in text.split(|c| is(c, SPACE)).filter(|word| !word.is_empty()) {
        if out.len() > start {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Full lower case (Unicode Standard 3.13): a capital sigma is final, if a cased letter stands before
/// and none after it, case-ignorable characters not counted. All else does not look at neighbours.
fn lower(text: &str, out: &mut String) {
    let cased = |c: Option<char>| c.is_some_and(|c| is(c, CASED));
    let mut from = 0;
    for (at, sigma) in text.match_indices('Σ') {
        let after = at + sigma.len();
        out.push_str(&lower_piece(&text[from..at]));
        let preceded = cased(text[..at].chars().rev().find(|&c| !is(c, IGNORABLE)));
        let followed = cased(text[after..].chars().find(|&c| !is(c, IGNORABLE)));
        out.push(if preceded && !followed { 'ς' } else { 'σ' });
        from = after;
    }
    out.push_str(&lower_piece(&text[from..]));
}

fn lower_piece(text: &str) -> Cow<'_, str> {
    CaseMapper::new().lowercase_to_string(text, &LanguageIdentifier::UNKNOWN)
}

fn without(text: &str, bits: u16, out: &mut String) {
    text.split(|c| is(c, bits)).for_each(|part| out.push_str(part));
}

fn mask_digits(text: &str, out: &mut String) {
    let mut inside = false;
    for c in text.chars() {
        let digit = is(c, DIGIT);
        match (digit, inside) {
            (true, false) => out.push('0'),
            (true, true) => {}
            (false, _) => out.push(c),
        }
        inside = digit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(list: &str, text: &str, lines: bool) -> String {
        let (mut out, mut spare) = (String::new(), String::new());
        apply_all(&parse(list).unwrap(), text, lines, &mut out, &mut spare);
        out
    }

    #[test]
    fn each_step() {
        for (list, text, expected) in [
            ("none", " A ", " A "),
            ("nfc", "e\u{301}ﬁ", "éﬁ"),
            ("nfkc", "e\u{301}ﬁ１", "éfi1"),
            ("lower", "ΑΣ ΑΣΑ Σ İ", "ας ασα σ i\u{307}"),
            ("casefold", "Straße ς", "strasse σ"),
            ("strip-accents", "Éṩ각", "Es각"),
            ("strip-invisible", "a\u{200D}b\u{FE0F}\u{AD}", "ab"),
            ("collapse-space", "\u{1c} a \u{3000}\n b\u{85}", "a b"),
            ("remove-space", " a\t\u{a0}b", "ab"),
            ("remove-punct", "a-b_c。", "abc"),
            ("remove-digits", "a1٣²", "a²"),
            ("mask-digits", "a12.3٣b", "a0.0b"),
            ("remove-symbols", "a+b★c~，👍d", "abc，d"),
            ("t2s", "漢字，後", "汉字，后"),
            ("nfkc,casefold,pinyin", "加ＶＸ微信 薇信", "jiavxweixin weixin"),
            ("remove-punct,collapse-space", "a - b", "a b"),
            ("collapse-space,remove-punct", "a - b", "a  b"),
        ] {
            assert_eq!(run(list, text, false), expected, "{list}");
        }
        assert_eq!(run("collapse-space", " a  b \r\n\r\n c\u{2028}d", true), "a b\n\nc d");
    }

    #[test]
    fn names_go_both_ways_and_errors_list_them() {
        assert_eq!(canonical(&parse(" nfkc, casefold").unwrap()), "nfkc,casefold");
        assert_eq!(canonical(&parse("none").unwrap()), "none");
        for bad in ["", "nfkc,", "NFKC", "nfkc,none", "nfkc casefold"] {
            let message = parse(bad).unwrap_err().to_string();
            assert!(message.contains("mask-digits"), "{message}");
        }
    }
}
