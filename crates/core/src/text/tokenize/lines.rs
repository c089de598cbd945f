//! `line`: lines that are not blank, stripped; a line ends with `\n` (before it, `\r` is white space).

use super::super::tables::{SPACE, is};
use super::{Cut, Sink, Unit};
use crate::simd::Tier;
use crate::simd::edges::Edges;

/// Lines that are not blank, stripped.
pub const UNIT: Unit = Unit { name: "line", cut: Cut::Runs(runs), by_line: true, collapse: false };

/// See [`Cut::Runs`].
fn runs(_: Tier, text: &str, edges: &mut Edges, sink: Sink) {
    let mut at = 0;
    for line in text.split('\n') {
        let from_ink = line.trim_start_matches(|c| is(c, SPACE));
        let begin = at + line.len() - from_ink.len();
        let ink = from_ink.trim_end_matches(|c| is(c, SPACE));
        if !ink.is_empty() {
            edges.push(begin);
            edges.push(begin + ink.len());
        }
        if edges.is_full() {
            sink(edges.pairs());
            edges.clear();
        }
        at += line.len() + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::runs;
    use super::*;

    #[test]
    fn blank_lines_are_none_and_ends_are_stripped() {
        let text = "\n a b \r\n\u{3000}\t\nc\rd\u{2028}e\u{85}\n".repeat(2000);
        let mut all = Vec::new();
        runs(UNIT, Tier::SCALAR, &text, &mut Edges::default(), &mut |pairs| {
            all.extend(pairs.iter().map(|&[b, e]| &text[b..e]));
        });
        assert_eq!(all.len(), 4000);
        assert!(all.chunks(2).all(|pair| pair == ["a b", "c\rd\u{2028}e"]));
    }
}
