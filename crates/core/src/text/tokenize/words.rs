//! `word`: maximal runs of L, M, N and `_`; each word character of Han, Hiragana, Katakana, Thai, Lao,
//! Khmer or Myanmar is a token of its own, with the marks that follow it.
//!
//! As an expression: `alone mark* | (word - alone)+`. Blocks of ASCII go through the bit-mask kernel,
//! the rest through the class table.

use super::super::tables::{ALONE, MARK, WORD, class};
use super::{Cut, Sink, Unit};
use crate::simd::Tier;
use crate::simd::edges::{Class, Edges, scan};

/// Runs of word characters; characters of scripts written without spaces one by one.
pub const UNIT: Unit = Unit { name: "word", cut: Cut::Runs(runs), by_line: false, collapse: false };

/// What is open at a place in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    Run,
    Alone,
}

/// See [`Cut::Runs`].
fn runs(tier: Tier, text: &str, edges: &mut Edges, sink: Sink) {
    let (mut at, mut state) = (0, State::Outside);
    while at < text.len() {
        if state != State::Alone {
            let mut open = state == State::Run;
            at = scan(tier, text.as_bytes(), at, Class::Word, &mut open, edges);
            state = if open { State::Run } else { State::Outside };
        }
        if !edges.is_full() {
            (at, state) = stretch(text, at, state, edges);
        }
        if edges.is_full() {
            sink(edges.pairs());
            edges.clear();
        }
    }
    if state != State::Outside {
        edges.push(text.len());
    }
}

/// Takes characters from `at` on, and stops before an ASCII character after 16 bytes or more.
fn stretch(text: &str, at: usize, mut state: State, edges: &mut Edges) -> (usize, State) {
    let Some(rest) = text.get(at..) else { return (text.len(), state) };
    for (i, c) in rest.char_indices() {
        let place = at + i;
        let stop = i >= 16 && c.is_ascii() && state != State::Alone;
        if stop || edges.is_full() {
            return (place, state);
        }
        let bits = class(c);
        let next = match state {
            State::Alone if bits & MARK != 0 => continue,
            _ if bits & ALONE != 0 => State::Alone,
            State::Run if bits & WORD != 0 => continue,
            _ if bits & WORD != 0 => State::Run,
            _ => State::Outside,
        };
        // Something open ends here, and something else may begin.
        if state != State::Outside {
            edges.push(place);
        }
        if next != State::Outside {
            edges.push(place);
        }
        state = next;
    }
    (text.len(), state)
}

#[cfg(test)]
mod tests {
    use super::super::runs;
    use super::*;
    use crate::text::tables::is;
    use proptest::prelude::*;

    fn tokens(tier: Tier, text: &str) -> Vec<&str> {
        let mut all = Vec::new();
        runs(UNIT, tier, text, &mut Edges::default(), &mut |pairs| {
            all.extend(pairs.iter().map(|&[b, e]| &text[b..e]));
        });
        all
    }

    /// The expression of the definition, character by character.
    fn plain(text: &str) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let mut before = (false, false); // (a token is open, it is an alone one)
        for c in text.chars() {
            if before.1 && is(c, MARK) {
                all.last_mut().unwrap().push(c);
            } else if is(c, ALONE) {
                all.push(c.into());
                before = (true, true);
            } else if is(c, WORD) {
                if before != (true, false) {
                    all.push(String::new());
                }
                all.last_mut().unwrap().push(c);
                before = (true, false);
            } else {
                before = (false, false);
            }
        }
        all
    }

    #[test]
    fn examples() {
        for (text, expected) in [
            ("", vec![]),
            (" -,. ", vec![]),
            ("The quick_brown fox-3", vec!["The", "quick_brown", "fox", "3"]),
            ("你好, world你", vec!["你", "好", "world", "你"]),
            ("กำลัง", vec!["ก", "ำ", "ลั", "ง"]),
            ("a\u{E31}b", vec!["a", "\u{E31}", "b"]),
            ("が\u{3099}ラーメン", vec!["が\u{3099}", "ラ", "ー", "メ", "ン"]),
            ("naïve e\u{301}", vec!["naïve", "e\u{301}"]),
            ("字a\u{301}字\u{301}", vec!["字", "a\u{301}", "字\u{301}"]),
        ] {
            for tier in Tier::available() {
                assert_eq!(tokens(tier, text), expected);
            }
        }
    }

    proptest! {
        #[test]
        fn every_tier_follows_the_definition(
            parts in prop::collection::vec(prop_oneof![
                "[ -~\n]{0,150}", "[a-z]{60,70}", "\\PC{0,9}", "[字かカกั៣\u{301}a ー-]{0,60}",
            ], 0..60),
        ) {
            let text = parts.concat();
            for tier in Tier::available() {
                prop_assert_eq!(tokens(tier, &text), plain(&text));
            }
        }
    }
}
