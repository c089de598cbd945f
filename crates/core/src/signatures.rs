//! Signatures of a column of texts, and the sizes of their shingle sets.

use crate::parallel;
use crate::sketch::{Scratch, Sketch};
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
    let rows = column.len().div_ceil(parallel::threads(threads) * 8).max(GRAIN);
    let tasks = slots.chunks_mut(rows * size).zip(counts.chunks_mut(rows)).enumerate();
    parallel::run(tasks, parallel::threads(threads), |(part, (slots, counts))| {
        let mut shingler = Shingler::new(spec);
        let mut scratch = Scratch::default();
        let mut distinct = Distinct::default();
        for (row, (signature, count)) in slots.chunks_mut(size).zip(counts).enumerate() {
            let document = shingler.run(column.text(part * rows + row)?);
            sketch.sketch(document.shingles, &mut scratch, signature);
            *count = distinct.count(document.shingles) as i64;
        }
        Ok(())
    })?;
    Ok(Signatures { slots, counts })
}

/// Counts distinct hashes in a small open-addressing table, several times faster than by sorting.
#[derive(Default)]
struct Distinct {
    table: Vec<u64>,
}

impl Distinct {
    fn count(&mut self, hashes: &[u64]) -> usize {
        let bits = (2 * hashes.len()).next_power_of_two().max(2).trailing_zeros();
        self.table.clear();
        self.table.resize(1 << bits, 0);
        let mask = self.table.len() - 1;
        let mut count = 0;
        let mut zero = false; // 0 marks a free place, so it is counted apart
        for &hash in hashes {
            zero |= hash == 0;
            let mut at = (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize;
            while self.table[at] != 0 && self.table[at] != hash {
                at = (at + 1) & mask;
            }
            count += usize::from(self.table[at] != hash);
            self.table[at] = hash;
        }
        count + usize::from(zero)
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
                assert_eq!(distinct.count(&values), set.len());
            }
        }
    }
}
