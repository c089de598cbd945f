//! b-bit views of signatures (Li and Konig, WWW 2010): of every slot the lowest b bits, packed into words.
//!
//! ```text
//! lane j  = low b bits of mix(slot j), at bit b j of the row, words of 64 bits, the low end first
//! P       = share of equal lanes;  E P = J + (1 - J) C,  C = 2^-b
//! J       = (P - C) / (1 - C), clamped to [0, 1]                                  Theorem 1, for sparse sets
//! Var     = (1 - J) / k [J rho + 1 / (2^b - 1)]             rho is that of the sketch, 1 for MinHash
//! ```
//! The mix makes lanes of different slot values equal with probability C, and of different slots independently so,
//! whatever bits a sketch leaves low: those of an affine fill say the same of one element in every slot.
//! A packed row cannot tell the empty set from another one; its shingle count, 0, has to travel along.

use crate::simd::{Tier, lanes};
use crate::{Error, Result};

/// The widths there are: those that fill words without a rest.
pub const WIDTHS: [u32; 5] = [1, 2, 4, 8, 16];

/// Words of a packed row of `size` slots.
pub fn words(size: usize, bits: u32) -> usize {
    (size * bits as usize).div_ceil(64)
}

/// Refuses another number of bits.
pub fn check(bits: u32) -> Result<()> {
    if WIDTHS.contains(&bits) {
        return Ok(());
    }
    Err(Error::argument(format!("bits must be 1, 2, 4, 8 or 16, got {bits}")))
}

/// Packs signatures of `size` slots, one after the other.
pub fn pack(slots: &[u32], size: usize, bits: u32) -> Result<Vec<u64>> {
    check(bits)?;
    if size == 0 || !slots.len().is_multiple_of(size) {
        return Err(Error::argument(format!("{} slots are no rows of {size}", slots.len())));
    }
    let (mask, lanes) = ((1 << bits) - 1, (64 / bits) as usize);
    let word = |slots: &[u32]| {
        let lane = |(i, &slot): (usize, &u32)| (mixed(slot) & mask) << (i as u32 * bits);
        slots.iter().enumerate().map(lane).fold(0, |all, lane| all | lane)
    };
    Ok(slots.chunks(size).flat_map(|row| row.chunks(lanes).map(word)).collect())
}

/// Jaccard similarity of two packed rows of `size` slots, estimated. The caller sees to empty sets.
pub fn estimate(a: &[u64], b: &[u64], size: usize, bits: u32, tier: Tier) -> Result<f64> {
    check(bits)?;
    let words = words(size, bits);
    if size == 0 || a.len() != words || b.len() != words {
        return Err(Error::mismatch(format!(
            "packed rows of {} and {} words cannot be compared as {size} slots of {bits} bits",
            a.len(),
            b.len()
        )));
    }
    let equal = size as f64 - lanes::differing(tier, a, b, bits) as f64;
    let (share, chance) = (equal / size as f64, 0.5f64.powi(bits as i32));
    Ok(((share - chance) / (1.0 - chance)).clamp(0.0, 1.0))
}

/// The finaliser of MurmurHash3 (32 bits), a bijection.
fn mixed(slot: u32) -> u64 {
    let mut x = slot;
    x = (x ^ x >> 16).wrapping_mul(0x85EB_CA6B);
    x = (x ^ x >> 13).wrapping_mul(0xC2B2_AE35);
    u64::from(x ^ x >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;

    #[test]
    fn lanes_lie_where_the_definition_says() {
        let slots: Vec<u32> = (0..3 * 70).map(|i| splitmix(0, i) as u32).collect();
        for bits in WIDTHS {
            let packed = pack(&slots, 70, bits).unwrap();
            assert_eq!(packed.len(), 3 * words(70, bits));
            for (row, packed) in slots.chunks(70).zip(packed.chunks(words(70, bits))) {
                for (j, &slot) in row.iter().enumerate() {
                    let at = j * bits as usize;
                    let lane = packed[at / 64] >> (at % 64) & ((1 << bits) - 1);
                    assert_eq!(lane, mixed(slot) & ((1 << bits) - 1));
                }
                let used = 70 * bits as usize % 64;
                assert!(used == 0 || packed[packed.len() - 1] >> used == 0);
            }
        }
        assert_eq!((mixed(0), mixed(1), mixed(u32::MAX)), (0, 0x514E_28B7, 0x81F1_6F39));
    }

    #[test]
    fn estimates_are_corrected_and_clamped() {
        for bits in WIDTHS {
            let words = words(64, bits);
            let (zero, ones) = (vec![0; words], vec![u64::MAX; words]);
            for tier in Tier::available() {
                assert_eq!(estimate(&zero, &zero, 64, bits, tier), Ok(1.0));
                assert_eq!(estimate(&zero, &ones, 64, bits, tier), Ok(0.0));
            }
        }
        // 48 of 64 equal: (3/4 - 1/2) / (1/2)
        assert_eq!(estimate(&[0], &[0xFFFF], 64, 1, Tier::best()), Ok(0.5));
        assert!(estimate(&[0], &[0, 0], 64, 1, Tier::best()).is_err());
        assert!(pack(&[1, 2, 3], 2, 1).is_err() && pack(&[1], 1, 3).is_err());
    }
}
