//! The fast route of normalisation: what a list of steps makes of one code point, remembered.
//!
//! A list whose steps look at one character at a time, but for composition, can be applied piecewise: a
//! *start* is a character that nothing before it can join (its decomposition begins with a character
//! of combining class 0 that ends no canonical composite; UAX 15, stream-safe and quick-check
//! sections). The text between two starts is normalised on its own; where it is one character, the
//! answer comes from a page of 256 remembered answers, filled by the exact route when first needed.
//! `collapse-space` is allowed as the last step. Other lists, and a capital sigma before `lower`,
//! take the exact route.

use std::sync::OnceLock;

use icu_normalizer::DecomposingNormalizer;

use super::buffer::Padded;
use super::normalize::{Step, apply_all};
use super::tables::{JOINS, SPACE, is};
use crate::simd::{Tier, ascii};

/// What the list makes of one code point.
#[derive(Clone, Copy, Default)]
struct Entry {
    bytes: [u8; 4],
    len: u8,
    flags: u8,
}

/// Nothing that stands before can join it.
const START: u8 = 1;
/// The answer is one white-space character.
const BLANK: u8 = 1 << 1;
/// The answer is not in `bytes`: too long, or with white space among other characters.
const LONG: u8 = 1 << 2;
/// The answer depends on far neighbours: the whole text needs the exact route.
const EXACT: u8 = 1 << 3;

/// What happens to white space at the end of the list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Keep,
    Collapse,
    CollapseInLines,
}

type Page = [Entry; 256];

/// The remembered answers of one list of steps; shared by threads.
pub struct Pages {
    steps: Vec<Step>,
    space: Space,
    /// ASCII can go through the kernel: letters stay or become lower case (`Some(true)`), the rest stays.
    ascii: Option<bool>,
    pages: Box<[OnceLock<Box<Page>>]>,
}

/// Scratch strings of the exact route.
#[derive(Default)]
pub struct Scratch {
    /// Where the answer is.
    pub out: String,
    /// Where the step before last was.
    pub spare: String,
}

impl Pages {
    /// The fast route of a list, if it has one.
    pub fn new(list: &[Step], lines: bool) -> Option<Self> {
        let (steps, space) = match list.split_last() {
            Some((Step::CollapseSpace, rest)) if lines => (rest, Space::CollapseInLines),
            Some((Step::CollapseSpace, rest)) => (rest, Space::Collapse),
            _ => (list, Space::Keep),
        };
        if steps.iter().any(|s| matches!(s, Step::CollapseSpace | Step::MaskDigits)) {
            return None;
        }
        let pages = (0..0x11_0000 / 256).map(|_| OnceLock::new()).collect();
        let mut this = Self { steps: steps.to_vec(), space, ascii: None, pages };
        let becomes = |lower: bool| {
            (0..128u8).all(|b| {
                let expected = if lower { b.to_ascii_lowercase() } else { b };
                let entry = this.entry(char::from(b));
                entry.len == 1 && entry.bytes[0] == expected
            })
        };
        if space != Space::CollapseInLines {
            this.ascii = [false, true].into_iter().find(|&lower| becomes(lower));
        }
        Some(this)
    }

    /// Normalises `text` into `out`; false if it needs the exact route (`out` is then of no use).
    pub fn run(&self, text: &str, tier: Tier, scratch: &mut Scratch, out: &mut Padded) -> bool {
        out.clear(text.len());
        let collapse = self.space != Space::Keep;
        let mut blank = true; // white space here would be dropped
        let mut at = 0;
        while at < text.len() {
            if let Some(lower) = self.ascii {
                let rest = &text.as_bytes()[at..];
                let tail = out.tail(rest.len());
                let (used, made) = ascii::normalize(tier, rest, lower, collapse, &mut blank, tail);
                out.advance(made);
                at += used;
            }
            match self.stretch(text, at, &mut blank, scratch, out) {
                Some(end) => at = end,
                None => return false,
            }
        }
        if collapse {
            out.pop_space();
        }
        true
    }

    /// Takes characters from `at` on, and stops before an ASCII character after 64 bytes or more.
    fn stretch(
        &self,
        text: &str,
        at: usize,
        blank: &mut bool,
        scratch: &mut Scratch,
        out: &mut Padded,
    ) -> Option<usize> {
        let enough = if self.ascii.is_some() { at + 64 } else { usize::MAX };
        let mut chars = text[at..].chars();
        let mut from = at;
        let Some(first) = chars.next() else { return Some(at) };
        let mut entry = self.entry(first);
        loop {
            let mut to = text.len() - chars.as_str().len();
            let mut next = chars.next();
            let mut next_entry = next.map_or(Entry { flags: START, ..entry }, |c| self.entry(c));
            if (entry.flags & (LONG | EXACT)) | (!next_entry.flags & START) == 0 {
                self.push_entry(entry, blank, out);
            } else {
                let mut flags = entry.flags;
                while next_entry.flags & START == 0 {
                    flags |= next_entry.flags;
                    to = text.len() - chars.as_str().len();
                    next = chars.next();
                    next_entry = next.map_or(Entry { flags: START, ..entry }, |c| self.entry(c));
                }
                if flags & EXACT != 0 {
                    return None;
                }
                let Scratch { out: piece, spare } = scratch;
                apply_all(&self.steps, &text[from..to], false, piece, spare);
                self.push_text(piece, blank, out);
            }
            match next {
                None => return Some(to),
                Some(c) if to >= enough && c.is_ascii() => return Some(to),
                Some(_) => (from, entry) = (to, next_entry),
            }
        }
    }

    #[inline]
    fn push_entry(&self, entry: Entry, blank: &mut bool, out: &mut Padded) {
        if entry.flags & BLANK == 0 || self.space == Space::Keep {
            *blank &= entry.len == 0;
            out.push4(entry.bytes, entry.len);
        } else {
            self.push_blank(entry.bytes[0] == b'\n' && entry.len == 1, blank, out);
        }
    }

    fn push_blank(&self, newline: bool, blank: &mut bool, out: &mut Padded) {
        if newline && self.space == Space::CollapseInLines {
            out.pop_space();
            out.push4(*b"\n   ", 1);
        } else if !*blank {
            out.push4(*b"    ", 1);
        }
        *blank = true;
    }

    fn push_text(&self, text: &str, blank: &mut bool, out: &mut Padded) {
        if self.space == Space::Keep {
            return out.push_str(text);
        }
        for c in text.chars() {
            if is(c, SPACE) {
                self.push_blank(c == '\n', blank, out);
            } else {
                let mut bytes = [0; 4];
                let len = c.encode_utf8(&mut bytes).len() as u8;
                out.push4(bytes, len);
                *blank = false;
            }
        }
    }

    #[inline]
    fn entry(&self, c: char) -> Entry {
        let page = c as usize >> 8;
        self.pages[page].get_or_init(|| self.fill(page as u32))[c as usize & 0xFF]
    }

    #[cold]
    fn fill(&self, page: u32) -> Box<Page> {
        let mut scratch = Scratch::default();
        let mut entries = Box::new([Entry::default(); 256]);
        for (low, entry) in (0u32..).zip(entries.iter_mut()) {
            // Surrogates are no characters and are never asked for.
            if let Some(c) = char::from_u32(page << 8 | low) {
                *entry = self.ask(c, &mut scratch);
            }
        }
        entries
    }

    /// The exact route on one character.
    fn ask(&self, c: char, scratch: &mut Scratch) -> Entry {
        let composes = self.steps.iter().any(|s| s.composes());
        let mut text = String::from(c);
        let mut flags = START;
        for &step in &self.steps {
            if composes && !is_start(&text) {
                flags &= !START;
            }
            if step == Step::Lower && text.contains('Σ') {
                flags |= EXACT;
            }
            apply_all(&[step], &text, false, &mut scratch.out, &mut scratch.spare);
            text.clone_from(&scratch.out);
        }
        if composes && !is_start(&text) {
            flags &= !START;
        }
        let blanks = text.chars().filter(|&c| is(c, SPACE)).count();
        match (blanks, text.chars().count()) {
            (0, _) => {}
            (1, 1) => flags |= BLANK,
            _ => flags |= LONG,
        }
        let mut entry = Entry { flags, len: text.len() as u8, ..Entry::default() };
        match entry.bytes.get_mut(..text.len()) {
            Some(bytes) => bytes.copy_from_slice(text.as_bytes()),
            None => entry.flags |= LONG,
        }
        entry
    }
}

/// Whether nothing before this text can join it, under canonical and compatibility forms.
fn is_start(text: &str) -> bool {
    let first_stays = |form: DecomposingNormalizer| {
        form.as_borrowed().normalize(text).chars().next().is_some_and(|c| !is(c, JOINS))
    };
    let nfd = DecomposingNormalizer::new_nfd().static_to_owned();
    let nfkd = DecomposingNormalizer::new_nfkd().static_to_owned();
    first_stays(nfd) && first_stays(nfkd)
}

#[cfg(test)]
mod tests {
    use super::super::normalize::parse;
    use super::*;
    use proptest::prelude::*;

    const LISTS: [&str; 12] = [
        "nfkc,casefold,collapse-space",
        "nfc",
        "nfkc,lower",
        "casefold,nfkc,strip-accents,collapse-space",
        "strip-accents,remove-space",
        "strip-invisible,nfkc,collapse-space",
        "remove-punct,nfc,collapse-space",
        "nfkc,remove-digits,strip-invisible,nfc",
        "collapse-space",
        "none",
        "lower,collapse-space",
        "strip-invisible,remove-punct,remove-space",
    ];

    fn both(pages: &Pages, list: &str, lines: bool, text: &str, out: &mut Padded) {
        let (mut scratch, mut exact) = (Scratch::default(), Scratch::default());
        let Scratch { out: expected, spare } = &mut exact;
        apply_all(&parse(list).unwrap(), text, lines, expected, spare);
        for tier in Tier::available() {
            if pages.run(text, tier, &mut scratch, out) {
                let got = std::str::from_utf8(out.content()).unwrap();
                assert_eq!(got, expected, "{list} {tier:?} {text:?}");
            } else {
                assert!(list.contains("lower"), "{list} {text:?}");
            }
        }
    }

    /// Every character alone, after and before a letter, and between marks.
    #[test]
    fn every_code_point_as_the_exact_route() {
        let mut out = Padded::new();
        for list in LISTS {
            let pages = Pages::new(&parse(list).unwrap(), false).unwrap();
            for c in (0..0x11_0000u32).filter_map(char::from_u32) {
                if (0xAC00..0xD7A4).contains(&(c as u32)) && c as u32 % 7 != 0 {
                    continue; // Hangul syllables are all alike
                }
                if (0x3_0000..0xE_0000).contains(&(c as u32)) || c as u32 > 0xE_0200 {
                    continue; // unassigned, private use, or ideographs like the others
                }
                both(&pages, list, false, &format!("{c} e{c}\u{301} {c}"), &mut out);
            }
        }
    }

    proptest! {
        #[test]
        fn random_text_as_the_exact_route(
            words in prop::collection::vec(prop_oneof![
                "[ -~\n\t\r]{0,40}", "[a-zA-Z ]{60,90}", "\\PC{0,8}", "[\u{300}-\u{330}\u{1100}-\u{11FF}가-힣]{0,6}",
                "[ΑΣσς\u{345}\u{AD}'’ ]{0,6}", "[ \u{A0}\u{85}\u{3000}\u{2028}\r\n]{0,4}", "[ㄱ-ㅎ\u{FF00}-\u{FFEF}\u{9BE}\u{9C7}]{0,5}",
            ], 0..8),
        ) {
            let text = words.concat();
            let mut out = Padded::new();
            for list in LISTS {
                for lines in [false, true] {
                    let pages = Pages::new(&parse(list).unwrap(), lines).unwrap();
                    both(&pages, list, lines, &text, &mut out);
                }
            }
        }
    }
}
