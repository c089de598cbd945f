//! Band keys: the r slots of a band, hashed to one 64-bit key; two documents with an equal key are a candidate pair.
//!
//! Definition, fixed for ever (the golden vectors below hold it). For band i of r slots s_0 .. s_(r-1):
//!
//! ```text
//! h   = splitmix(BAND_SEED, i)                      each band is a universe of its own
//! w_j = s_2j + 2^32 s_(2j+1)                        two slots a word; a missing last slot is 0
//! h   = fold((h xor w_j) * MULTIPLIER)              for each word; fold: low xor high half of the 128-bit product
//! key = mix(h), and 1 where that is 0               0 is NO_KEY
//! ```
//!
//! Every slot passes at least one full 64 x 64 multiplication and the final bijective mix, so keys of a band
//! collide as random 64-bit numbers do: 0.43 accidental pairs at 10^9 documents and 16 bands.
//! The empty signature (every slot 0xFFFFFFFF) has no keys, so that it is never similar to anything.

use std::ops::Range;

use super::curve::Banding;
use crate::error::{Error, Result};
use crate::{hash, parallel};

/// The key that stands for "no key": an empty signature's, and never another's.
pub const NO_KEY: u64 = 0;

/// The slot value of an empty signature.
pub const EMPTY_SLOT: u32 = u32::MAX;

/// Seed of the per-band starting values: the first 64 bits of the fractional part of the golden ratio.
const BAND_SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// An odd multiplier without a pattern: the first 64 bits of the fractional part of pi.
const MULTIPLIER: u64 = 0x243F_6A88_85A3_08D3;

/// Rows taken at a time: 64 signatures of 128 slots are 32 KiB, and their keys are written 512 bytes a band.
const BLOCK: usize = 64;

/// Rows below which another thread does not pay.
const GRAIN: usize = 2048;

/// Band keys of n documents, one column a band.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BandKeys {
    columns: Vec<Vec<u64>>,
}

impl BandKeys {
    /// No document yet.
    pub fn new(bands: usize) -> Self {
        Self { columns: vec![Vec::new(); bands] }
    }

    /// The keys of a matrix of signatures, `size` slots a row, row-major.
    pub fn of(matrix: &[u32], size: usize, banding: Banding, threads: usize) -> Result<Self> {
        let documents = rows_of(matrix, size, banding)?;
        let mut columns = vec![vec![NO_KEY; documents]; banding.bands];
        if documents > 0 {
            // A task is a range of rows, and its part of every column.
            let share = documents.div_ceil(parallel::threads(threads) * 4);
            let length = share.max(GRAIN).next_multiple_of(BLOCK);
            let mut cut: Vec<_> = columns.iter_mut().map(|c| c.chunks_mut(length)).collect();
            let tasks = (0..documents).step_by(length).map(|start| {
                let parts: Vec<&mut [u64]> = cut.iter_mut().filter_map(Iterator::next).collect();
                (start..(start + length).min(documents), parts)
            });
            let workers = parallel::threads(threads).min(documents.div_ceil(length));
            parallel::run(tasks, workers, |(rows, mut parts)| {
                fill(matrix, size, banding.rows, rows, &mut parts);
                Ok(())
            })?;
        }
        Ok(Self { columns })
    }

    /// Adds documents: for each band the keys of as many documents as for every other.
    pub fn extend(&mut self, more: &[Vec<u64>]) -> Result<()> {
        let documents = more.first().map_or(0, Vec::len);
        if more.len() != self.bands() || more.iter().any(|column| column.len() != documents) {
            return Err(Error::argument(format!(
                "keys of {} bands cannot join keys of {}, or differ in length",
                more.len(),
                self.bands()
            )));
        }
        self.columns.iter_mut().zip(more).for_each(|(all, some)| all.extend_from_slice(some));
        Ok(())
    }

    /// The keys of band `band`, one a document; empty for a band that does not exist.
    pub fn column(&self, band: usize) -> &[u64] {
        self.columns.get(band).map_or(&[], Vec::as_slice)
    }

    /// Number of documents.
    pub fn documents(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Number of bands.
    pub fn bands(&self) -> usize {
        self.columns.len()
    }
}

/// The key of band `band`, whose slots are `slots`. The caller sees to empty signatures.
#[inline]
pub fn key(band: usize, slots: &[u32]) -> u64 {
    key_from(hash::splitmix(BAND_SEED, band as u64), slots)
}

/// The keys of one signature, one a band; none if the signature is empty.
pub fn keys(signature: &[u32], banding: Banding) -> Vec<u64> {
    if is_empty(signature) {
        return Vec::new();
    }
    let bands = signature.chunks_exact(banding.rows).take(banding.bands);
    bands.enumerate().map(|(band, slots)| key(band, slots)).collect()
}

/// Whether a signature is that of the empty set.
#[inline]
pub fn is_empty(signature: &[u32]) -> bool {
    // The first slot tells nearly always.
    signature.first() == Some(&EMPTY_SLOT) && signature.iter().all(|&slot| slot == EMPTY_SLOT)
}

/// Number of rows of a matrix, after checking that it is one and that the banding fits it.
pub fn rows_of(matrix: &[u32], size: usize, banding: Banding) -> Result<usize> {
    Banding::new(banding.bands, banding.rows, size)?;
    if !matrix.len().is_multiple_of(size) {
        return Err(Error::data(format!(
            "{} slots are not rows of {size}; the matrix is not uint32[n, {size}]",
            matrix.len()
        )));
    }
    Ok(matrix.len() / size)
}

#[inline]
fn key_from(start: u64, slots: &[u32]) -> u64 {
    let mut h = start;
    let words = slots.chunks_exact(2);
    let last = words.remainder();
    for word in words {
        h = fold(h ^ (u64::from(word[0]) | u64::from(word[1]) << 32));
    }
    if let [slot] = last {
        h = fold(h ^ u64::from(*slot));
    }
    hash::mix(h).max(NO_KEY + 1)
}

#[inline]
fn fold(x: u64) -> u64 {
    let product = u128::from(x) * u128::from(MULTIPLIER);
    product as u64 ^ (product >> 64) as u64
}

/// Keys of the matrix rows `rows` into their part of each column, a block of rows at a time.
fn fill(matrix: &[u32], size: usize, width: usize, rows: Range<usize>, parts: &mut [&mut [u64]]) {
    let starts: Vec<u64> =
        (0..parts.len()).map(|band| hash::splitmix(BAND_SEED, band as u64)).collect();
    let block_slots = BLOCK * size;
    for (i, block) in matrix[rows.start * size..rows.end * size].chunks(block_slots).enumerate() {
        for (band, part) in parts.iter_mut().enumerate() {
            let out = part[i * BLOCK..].iter_mut();
            let slots = block.chunks_exact(size).map(|row| &row[band * width..(band + 1) * width]);
            // The same for every width; told the commonest one, the compiler unrolls it.
            match width {
                8 => slots.zip(out).for_each(|(slots, out)| {
                    *out = slots.first_chunk::<8>().map_or(NO_KEY, |s| key_from(starts[band], s));
                }),
                _ => slots.zip(out).for_each(|(slots, out)| *out = key_from(starts[band], slots)),
            }
        }
        for (row, signature) in block.chunks_exact(size).enumerate() {
            if is_empty(signature) {
                parts.iter_mut().for_each(|part| part[i * BLOCK + row] = NO_KEY);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn matrix(n: usize, size: usize, seed: u64) -> Vec<u32> {
        (0..n * size).map(|i| hash::splitmix(seed, i as u64) as u32).collect()
    }

    /// From the twin in neardup.reference.
    #[test]
    fn golden() {
        for (band, slots, expected) in [
            (0, &[0][..], 0x1817_175D_4577_D7C6),
            (1, &[0], 0xFBD8_DBD6_E8B1_0B32),
            (0, &[1, 2, 3], 0x5CE1_E86A_DDBB_FC57),
            (7, &[1, 2, 3, 4, 5, 6, 7, u32::MAX], 0xE34D_84CB_F993_F893),
        ] {
            assert_eq!(key(band, slots), expected);
        }
    }

    #[test]
    fn columns_are_the_keys_of_rows_for_any_threads() {
        for (n, size, bands, rows) in
            [(0, 8, 2, 4), (1, 1, 1, 1), (5000, 20, 3, 5), (4500, 4096, 300, 4), (130, 128, 1, 128)]
        {
            let n = n / (size / 1024 + 1);
            let banding = Banding { bands, rows };
            let mut slots = matrix(n, size, 1);
            if n > 100 {
                slots[70 * size..71 * size].fill(EMPTY_SLOT);
            }
            let serial = BandKeys::of(&slots, size, banding, 1).unwrap();
            for threads in [2, 8] {
                assert_eq!(BandKeys::of(&slots, size, banding, threads).unwrap(), serial);
            }
            assert_eq!((serial.documents(), serial.bands()), (n, bands));
            for (row, signature) in slots.chunks(size).enumerate() {
                let keys = keys(signature, banding);
                for band in 0..bands {
                    let expected = keys.get(band).copied().unwrap_or(NO_KEY);
                    assert_eq!(serial.column(band)[row], expected);
                }
            }
            assert!(n <= 100 || serial.column(0)[70] == NO_KEY);
        }
    }

    #[test]
    fn every_slot_and_the_band_count() {
        // Every bit of every slot, and the band, flip about half the bits of the key.
        let slots = matrix(1, 9, 2);
        let base = key(3, &slots);
        let flips = |other: u64| (other ^ base).count_ones();
        let mut total = 0;
        for slot in 0..9 {
            for bit in 0..32 {
                let mut changed = slots.clone();
                changed[slot] ^= 1 << bit;
                let flipped = flips(key(3, &changed));
                assert!((10..=54).contains(&flipped), "slot {slot} bit {bit}: {flipped}");
                total += flipped;
            }
        }
        assert!((31.0..33.0).contains(&(f64::from(total) / 288.0)));
        assert!((10..=54).contains(&flips(key(4, &slots))));
    }

    #[test]
    fn structured_slots_do_not_collide() {
        let mut seen = HashSet::new();
        for x in 0..200u32 {
            for y in 0..200u32 {
                for band in 0..3 {
                    assert!(seen.insert(key(band, &[x, y])));
                    assert!(seen.insert(key(band, &[x << 24, 7, y << 24])));
                }
            }
        }
    }

    #[test]
    fn only_the_wholly_empty_signature_has_no_keys() {
        let banding = Banding { bands: 2, rows: 2 };
        assert!(keys(&[EMPTY_SLOT; 5], banding).is_empty());
        assert_eq!(keys(&[EMPTY_SLOT, EMPTY_SLOT, EMPTY_SLOT, EMPTY_SLOT, 1], banding).len(), 2);
    }

    #[test]
    fn what_is_not_a_matrix_is_refused() {
        let banding = Banding { bands: 2, rows: 4 };
        assert!(BandKeys::of(&[0; 17], 8, banding, 1).is_err());
        assert!(BandKeys::of(&[0; 14], 7, banding, 1).is_err());
        assert!(BandKeys::of(&[], 0, banding, 1).is_err());
        let mut keys = BandKeys::new(2);
        assert!(keys.extend(&[vec![1; 3]]).is_err());
        assert!(keys.extend(&[vec![1; 3], vec![1; 2]]).is_err());
        keys.extend(&[vec![1; 3], vec![2; 3]]).unwrap();
        assert_eq!((keys.documents(), keys.column(1), keys.column(2)), (3, &[2; 3][..], &[][..]));
    }
}
