//! The fast route of normalisation: piece by piece, and most pieces are one character.
//!
//! A list whose steps look at one character at a time, but for composition, can be applied piecewise: a
//! *start* is a character that nothing before it can join (its decomposition begins with a character
//! of combining class 0 that ends no canonical composite; UAX 15, section 9). The text between two
//! starts is normalised on its own; where it is one character, the answer is remembered in
//! [`super::pages`]. `collapse-space` is allowed as the last step. Other lists, and a capital sigma
//! before `lower`, take the exact route.

use super::buffer::Padded;
use super::normalize::{Step, apply_all};
use super::pages::{BLANK, EXACT, Entry, LONG, PLAIN, Pages, START, Scratch};
use super::tables::{SPACE, is};
use crate::simd::{Tier, ascii};

/// What happens to white space at the end of the list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Keep,
    Collapse,
    CollapseInLines,
}

/// The fast route of one list of steps.
pub struct Fast {
    pages: Pages,
    space: Space,
    /// ASCII can go through the kernel: letters stay or become lower case (`Some(true)`), the rest stays.
    ascii: Option<bool>,
}

impl Fast {
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
        let pages = Pages::new(steps);
        let becomes = |lower: bool| {
            (0..128u8).all(|b| {
                let expected = if lower { b.to_ascii_lowercase() } else { b };
                let entry = pages.entry(char::from(b));
                entry.len() == 1 && entry.0[0] == expected
            })
        };
        let ascii = [false, true].into_iter().find(|&lower| becomes(lower));
        let ascii = ascii.filter(|_| space != Space::CollapseInLines);
        Some(Self { pages, space, ascii })
    }

    /// Whether a run of white space becomes one space, and none is left at the end.
    pub fn collapses(&self) -> bool {
        self.space == Space::Collapse
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

    /// Takes characters from `at` on, and stops before an ASCII character after 16 bytes or more.
    fn stretch(
        &self,
        text: &str,
        at: usize,
        blank: &mut bool,
        scratch: &mut Scratch,
        out: &mut Padded,
    ) -> Option<usize> {
        let enough = if self.ascii.is_some() { at + 16 } else { usize::MAX };
        let mut chars = text[at..].chars();
        let mut from = at;
        let Some(first) = chars.next() else { return Some(at) };
        let mut entry = self.pages.entry(first);
        loop {
            let mut to = text.len() - chars.as_str().len();
            let mut next = chars.next();
            // All but the last of a run of plain characters are copied as they are.
            let begin = from;
            while entry.flags() & PLAIN != 0
                && let Some(c) = next
                && self.pages.is_plain(c)
            {
                (from, to) = (to, to + c.len_utf8());
                next = chars.next();
            }
            if let (true, Some(last)) = (from > begin, text[from..to].chars().next()) {
                out.push_str(&text[begin..from]);
                *blank = false;
                entry = self.pages.entry(last);
            }
            let mut next_entry = next.map_or(Entry::END, |c| self.pages.entry(c));
            if (entry.flags() & (LONG | EXACT)) | (!next_entry.flags() & START) == 0 {
                self.push_entry(entry, blank, out);
            } else {
                let mut flags = entry.flags();
                while next_entry.flags() & START == 0 {
                    flags |= next_entry.flags();
                    to = text.len() - chars.as_str().len();
                    next = chars.next();
                    next_entry = next.map_or(Entry::END, |c| self.pages.entry(c));
                }
                if flags & EXACT != 0 {
                    return None;
                }
                let Scratch { out: piece, spare } = scratch;
                apply_all(self.pages.steps(), &text[from..to], false, piece, spare);
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
        if entry.flags() & BLANK == 0 || self.space == Space::Keep {
            *blank &= entry.len() == 0;
            out.push(entry.0, entry.len());
        } else {
            self.push_blank(entry.0[0] == b'\n' && entry.len() == 1, blank, out);
        }
    }

    fn push_blank(&self, newline: bool, blank: &mut bool, out: &mut Padded) {
        if newline && self.space == Space::CollapseInLines {
            out.pop_space();
            out.push(*b"\n", 1);
        } else if !*blank {
            out.push(*b" ", 1);
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
                out.push(bytes, len);
                *blank = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::normalize::parse;
    use super::*;
    use proptest::prelude::*;

    const LISTS: [&str; 15] = [
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
        "nfkc,casefold,t2s,collapse-space",
        "nfkc,casefold,pinyin,collapse-space",
        "remove-symbols,pinyin,t2s,nfkc,strip-accents",
    ];

    fn both(fast: &Fast, list: &str, lines: bool, text: &str, out: &mut Padded) {
        let (mut scratch, mut exact) = (Scratch::default(), Scratch::default());
        let Scratch { out: expected, spare } = &mut exact;
        apply_all(&parse(list).unwrap(), text, lines, expected, spare);
        for tier in Tier::available() {
            if fast.run(text, tier, &mut scratch, out) {
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
            let fast = Fast::new(&parse(list).unwrap(), false).unwrap();
            for c in (0..0x11_0000u32).filter_map(char::from_u32) {
                if (0xAC00..0xD7A4).contains(&(c as u32)) && !(c as u32).is_multiple_of(7) {
                    continue; // Hangul syllables are all alike
                }
                if (0x3_0000..0xE_0000).contains(&(c as u32)) || c as u32 > 0xE_0200 {
                    continue; // unassigned, private use, or ideographs like the others
                }
                both(&fast, list, false, &format!("{c} e{c}\u{301} {c}"), &mut out);
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
                    let fast = Fast::new(&parse(list).unwrap(), lines).unwrap();
                    both(&fast, list, lines, &text, &mut out);
                }
            }
        }
    }
}
