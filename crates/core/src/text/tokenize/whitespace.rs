//! `whitespace`: what Python's `str.split()` gives.

use super::super::tables::{SPACE, is};
use super::{Cut, Sink, Unit};
use crate::simd::Tier;
use crate::simd::edges::{Class, Edges, scan};

/// What Python's `str.split()` gives.
pub const UNIT: Unit =
    Unit { name: "whitespace", cut: Cut::Runs(runs), by_line: false, collapse: false };

/// See [`Cut::Runs`].
fn runs(tier: Tier, text: &str, edges: &mut Edges, sink: Sink) {
    let (mut at, mut open) = (0, false);
    while at < text.len() {
        at = scan(tier, text.as_bytes(), at, Class::Ink, &mut open, edges);
        at = stretch(text, at, &mut open, edges);
        if edges.is_full() {
            sink(edges.pairs());
            edges.clear();
        }
    }
    if open {
        edges.push(text.len());
    }
}

/// Takes characters from `at` on, and stops before an ASCII character after 16 bytes or more.
fn stretch(text: &str, at: usize, open: &mut bool, edges: &mut Edges) -> usize {
    for (i, c) in text.get(at..).unwrap_or_default().char_indices() {
        if (i >= 16 && c.is_ascii()) || edges.is_full() {
            return at + i;
        }
        if is(c, SPACE) == *open {
            edges.push(at + i);
            *open = !*open;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::super::runs;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_tier_splits_at_white_space(
            parts in prop::collection::vec(prop_oneof![
                "[ -~\n\u{1c}]{0,150}", "[a-z]{60,70}", "\\PC{0,9}", "[字é \u{85}\u{3000}a]{0,60}",
            ], 0..60),
        ) {
            let text = parts.concat();
            let expected: Vec<&str> = text.split(|c| is(c, SPACE)).filter(|t| !t.is_empty()).collect();
            for tier in Tier::available() {
                let mut all = Vec::new();
                runs(UNIT, tier, &text, &mut Edges::default(), &mut |pairs| {
                    all.extend(pairs.iter().map(|&[b, e]| &text[b..e]));
                });
                prop_assert_eq!(&all, &expected);
            }
        }
    }
}
