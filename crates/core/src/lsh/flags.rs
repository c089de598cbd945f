//! Duplicate flags of a whole matrix at once: which rows share a band with an earlier one.

use std::sync::atomic::{AtomicBool, Ordering};

use super::bands::BandKeys;
use super::group::Grouping;
use crate::error::Result;

/// For each document whether it shares a band with an earlier one (`keep_first`), or with any other. Documents
/// without keys are never flagged. One sort a band, linear even where all documents are equal.
pub fn duplicate_flags(keys: &BandKeys, keep_first: bool, threads: usize) -> Result<Vec<bool>> {
    let flags: Vec<AtomicBool> = (0..keys.documents()).map(|_| AtomicBool::new(false)).collect();
    let mut grouping = Grouping::default();
    for band in 0..keys.bands() {
        grouping.buckets(keys.column(band), None, threads, |(), bucket| {
            for &d in &bucket[usize::from(keep_first)..] {
                flags[d as usize].store(true, Ordering::Relaxed);
            }
        })?;
    }
    Ok(flags.into_iter().map(AtomicBool::into_inner).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;
    use crate::lsh::curve::Banding;
    use std::collections::HashMap;

    const BANDING: Banding = Banding { bands: 16, rows: 8 };

    fn flags(matrix: &[u32], keep_first: bool, threads: usize) -> Vec<bool> {
        let keys = BandKeys::of(matrix, 128, BANDING, threads).unwrap();
        duplicate_flags(&keys, keep_first, threads).unwrap()
    }

    #[test]
    fn equal_rows_are_linear() {
        let n = 40_000;
        let matrix = vec![7u32; n * 128];
        let first = flags(&matrix, true, 0);
        assert!(!first[0] && first[1..].iter().all(|&flag| flag));
        assert!(flags(&matrix, false, 0).iter().all(|&flag| flag));
        assert!(flags(&vec![u32::MAX; 100 * 128], false, 1).iter().all(|&flag| !flag));
        assert!(flags(&[], true, 0).is_empty());
    }

    #[test]
    fn equal_to_brute_force_for_any_threads() {
        let n = 3000;
        // Rows of few values in the first band, so that groups overlap; two empty ones.
        let mut matrix: Vec<u32> = (0..n * 128).map(|i| splitmix(4, i as u64) as u32).collect();
        for (row, slots) in matrix.chunks_mut(128).enumerate() {
            slots[..8].fill((splitmix(5, row as u64) % 2000) as u32);
            slots[8..16].fill((splitmix(6, row as u64) % 9000) as u32);
        }
        matrix[256..512].fill(u32::MAX);
        let mut groups: HashMap<(usize, &[u32]), Vec<usize>> = HashMap::new();
        for (row, slots) in matrix.chunks(128).enumerate().filter(|(row, _)| ![2, 3].contains(row))
        {
            for (band, slots) in slots.chunks(8).enumerate() {
                groups.entry((band, slots)).or_default().push(row);
            }
        }
        for keep_first in [true, false] {
            let mut expected = vec![false; n];
            for group in groups.values().filter(|group| group.len() > 1) {
                group[usize::from(keep_first)..].iter().for_each(|&row| expected[row] = true);
            }
            for threads in [1, 2, 8] {
                assert_eq!(flags(&matrix, keep_first, threads), expected);
            }
        }
    }
}
