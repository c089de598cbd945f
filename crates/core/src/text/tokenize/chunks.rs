//! `chunk`: runs of bytes cut where the content says so: FastCDC (Xia et al. 2020, "The Design of Fast
//! Content-Defined Chunking"), by the crate of that name.
//!
//! Stands where Rabin fingerprints stood: a cut depends on the bytes before it only, so that an
//! insertion changes the chunks around it and no other. A cut inside a character moves to its end.

use fastcdc::v2020::FastCDC;

use super::super::tables::{SPACE, is};
use super::{Cut, Sink, Unit};
use crate::simd::edges::Edges;

/// Chunks of so many bytes on average, from a quarter of that to four times it.
pub const UNIT: Unit =
    Unit { name: "chunk", cut: Cut::Chunks(4096), by_line: false, collapse: false };

/// The crate and its version: part of a text spec's identity.
pub const VERSION: &str = "fastcdc-5.0.0";

/// The smallest and the largest average that the crate takes with these bounds.
pub const AVERAGE: [usize; 2] = [256, 1 << 20];

/// Begins and ends of the chunks of `text`, of `average` bytes.
pub fn runs(average: usize, text: &str, edges: &mut Edges, sink: Sink) {
    if text.chars().all(|c| is(c, SPACE)) {
        return;
    }
    let even = |size: usize| size & !1;
    let cutter = FastCDC::new(text.as_bytes(), even(average / 4), even(average), even(4 * average));
    let mut begin = 0;
    while begin < text.len() {
        let (_, end) = cutter.cut(begin, text.len() - begin);
        // The crate always moves on; were it not to, the rest would be one chunk.
        let mut end = if end > begin { end.min(text.len()) } else { text.len() };
        while !text.is_char_boundary(end) {
            end += 1;
        }
        edges.push(begin);
        edges.push(end);
        if edges.is_full() {
            sink(edges.pairs());
            edges.clear();
        }
        begin = end;
    }
}

#[cfg(test)]
mod tests {
    use super::super::runs;
    use super::*;
    use crate::hash::splitmix;
    use crate::simd::Tier;

    fn chunks(average: usize, text: &str) -> Vec<&str> {
        let unit = Unit { cut: Cut::Chunks(average), ..UNIT };
        let mut all = Vec::new();
        runs(unit, Tier::SCALAR, text, &mut Edges::default(), &mut |pairs| {
            all.extend(pairs.iter().map(|&[b, e]| &text[b..e]));
        });
        all
    }

    fn made(words: u64) -> String {
        (0..words).map(|i| format!("字{:x} ", splitmix(5, i))).collect()
    }

    #[test]
    fn chunks_are_the_text_and_their_sizes_are_bounded() {
        let text = made(40_000);
        for average in [256, 1000, 4096, 65_536] {
            let found = chunks(average, &text);
            assert_eq!(found.concat(), text);
            let (last, rest) = found.split_last().unwrap();
            let bounds = average / 4 - 1..=4 * average + 3;
            assert!(last.len() <= 4 * average + 3);
            assert!(rest.iter().all(|chunk| bounds.contains(&chunk.len())), "{average}");
            let mean = text.len() / found.len();
            assert!((average / 2..average * 2).contains(&mean), "{average} {mean}");
        }
        assert!(chunks(256, " \n\u{3000}").is_empty());
        assert_eq!(chunks(256, "short"), ["short"]);
    }

    #[test]
    fn an_insertion_changes_the_chunks_around_it_only() {
        let text = made(20_000);
        let middle = text.len() / 2;
        let at = (middle..).find(|&at| text.is_char_boundary(at)).unwrap();
        let longer = format!("{}插入{}", &text[..at], &text[at..]);
        let (before, after) = (chunks(1024, &text), chunks(1024, &longer));
        let old: std::collections::HashSet<&str> = before.iter().copied().collect();
        let new = after.iter().filter(|chunk| !old.contains(*chunk)).count();
        assert!((1..10).contains(&new), "{new} of {}", after.len());
    }
}
