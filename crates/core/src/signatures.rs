//! Signatures of a column of texts, and the sizes of their shingle sets.

use crate::long;
use crate::parallel;
use crate::sketch::{Scratch, Sketch};
use crate::text::long::rows;
use crate::text::{Column, Shingler, TextSpec};
use crate::{Error, Result};

/// Texts per piece of work that a thread takes.
const GRAIN: usize = 16;

/// Signatures one after the other, and how many distinct shingles each text has.
pub struct Signatures {
    /// `size` slots a text.
    pub slots: Vec<u32>,
    /// Distinct shingles of each text.
    pub counts: Vec<i64>,
}

/// Sketches every text of a column.
pub fn signatures(
    column: &Column<'_>,
    spec: &TextSpec,
    sketch: &dyn Sketch,
    threads: usize,
) -> Result<Signatures> {
    let size = sketch.size();
    let length = column.len().checked_mul(size);
    let length = length.ok_or_else(|| Error::argument("the signatures would not fit in memory"))?;
    let mut slots = vec![0; length];
    let mut counts = vec![0; column.len()];
    let share = column.len().div_ceil(parallel::threads(threads) * 8).max(GRAIN);
    let tasks = slots.chunks_mut(share * size).zip(counts.chunks_mut(share)).enumerate();
    let mut long = Vec::new();
    for row in rows(column) {
        let text = column.text(row)?;
        if let Some((walked, signature)) = long::signature(text, spec, Some(sketch), threads)? {
            let distinct = long::distinct(text, spec, walked.tokens, threads)?;
            long.push((row, signature, distinct as i64));
        }
    }
    parallel::run(tasks, parallel::threads(threads), |(part, (slots, counts))| {
        let mut shingler = Shingler::new(spec);
        let mut scratch = Scratch::default();
        let mut distinct = Distinct::default();
        for (i, (signature, count)) in slots.chunks_mut(size).zip(counts).enumerate() {
            let row = part * share + i;
            if let Some((_, known, distinct)) = long.iter().find(|(long, ..)| *long == row) {
                signature.copy_from_slice(known);
                *count = *distinct;
                continue;
            }
            let document = shingler.run(column.input(row)?);
            let set = distinct.of(document.shingles);
            let all = if sketch.weighs_repeats() { document.shingles } else { set };
            sketch.sketch(all, &mut scratch, signature);
            *count = set.len() as i64;
        }
        Ok(())
    })?;
    Ok(Signatures { slots, counts })
}

/// Hashes without repeats, by a small open-addressing table: several times faster than sorting.
///
/// A place holds the number of a set in its upper half and of a hash in its lower half, so that nothing is cleared
/// between two sets.
#[derive(Default)]
pub(crate) struct Distinct {
    table: Vec<u64>,
    set: Vec<u64>,
    number: u64,
}

impl Distinct {
    /// Each of `hashes` once.
    pub(crate) fn of(&mut self, hashes: &[u64]) -> &[u64] {
        let places = (4 * hashes.len()).next_power_of_two().max(2);
        let shift = 64 - places.trailing_zeros();
        if self.table.len() < places {
            self.table.resize(places, 0);
        }
        self.number += 1 << 32;
        self.set.resize(hashes.len(), 0);
        let (table, set) = (&mut self.table[..places], self.set.as_mut_slice());
        let mut count = 0;
        for &hash in hashes {
            let mut at = (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize;
            // Whether a place is free or holds the same hash is a coin toss for words: both end the loop, whose one
            // branch nearly always goes alike. A free place is read as that of the next hash.
            set[count] = hash;
            let next = self.number | count as u64;
            let place = loop {
                // A place of an earlier set is smaller than any of this one.
                let place = if table[at] < self.number { next } else { table[at] };
                if set[place as u32 as usize] == hash {
                    break place;
                }
                at = (at + 1) & (places - 1);
            };
            table[at] = place;
            count += usize::from(place == next);
        }
        &self.set[..count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;

    #[test]
    fn distinct_is_what_a_set_counts() {
        let mut distinct = Distinct::default();
        for n in [0u64, 1, 2, 3, 100, 1000] {
            for range in [1, 3, n.max(1), 10_000] {
                let values: Vec<u64> = (0..n).map(|i| splitmix(n, i) % range).collect();
                let set: std::collections::HashSet<_> = values.iter().collect();
                assert_eq!(distinct.of(&values).len(), set.len());
                assert!(distinct.of(&values).iter().all(|value| set.contains(value)));
            }
        }
    }
}
