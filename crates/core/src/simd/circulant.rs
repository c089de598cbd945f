//! Minima of one permutation of the 32-bit words, shifted by the number of the slot: the inner loop of C-MinHash.

use super::by_tier;

/// Slots that stay at hand while a block of elements passes.
const BLOCK: usize = 64;
/// Elements a block.
const ELEMENTS: usize = 256;

by_tier! {
    /// `out[j] = min(out[j], permute(position + j))` over all positions.
    pub fn minima(positions: &[u32], out: &mut [u32]) = minima_body
}

/// A fixed permutation of the 32-bit words: two rounds of multiplication and shifts, found by search for a low
/// bias (Wellons 2018, "Prospecting for hash functions").
#[inline(always)]
pub const fn permute(mut v: u32) -> u32 {
    v = (v ^ (v >> 16)).wrapping_mul(0x7FEB_352D);
    v = (v ^ (v >> 15)).wrapping_mul(0x846C_A68B);
    v ^ (v >> 16)
}

#[inline(always)]
fn minima_body(positions: &[u32], out: &mut [u32]) {
    for positions in positions.chunks(ELEMENTS) {
        for (first, out) in (0..).step_by(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let mut best = [u32::MAX; BLOCK];
            for &position in positions {
                for (j, best) in (first..).zip(&mut best) {
                    *best = (*best).min(permute(position.wrapping_add(j)));
                }
            }
            for (out, best) in out.iter_mut().zip(best) {
                *out = (*out).min(best);
            }
        }
    }
}
