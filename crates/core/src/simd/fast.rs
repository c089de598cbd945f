//! The two loops of Fast Similarity Sketching: a random round, and the direct fill of empty slots.

use super::by_tier;
use crate::hash::mix;

/// Elements whose slots and values are computed (vectorised) before they are written (one by one).
const BLOCK: usize = 64;
/// Step of the SplitMix64 generator: round `i` of an element draws `mix(y + i * GAMMA)`.
pub const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

by_tier! {
    /// One random round: every element falls into a uniform slot with a value of `31 - round` bits above
    /// the values of all earlier rounds; a slot keeps the minimum.
    ///
    /// The slot comes from the high half of the draw, the value from the low half.
    pub fn round(hashes: &[u64], key: u64, round: u32, slots: &mut [u32]) = round_body
}

by_tier! {
    /// `out[j] = min(out[j], base + (mul[j] * z + add[j] mod 2^32 >> shift))` over all `z`: k-minimum values.
    pub fn fill(zs: &[u32], mul: &[u32], add: &[u32], shift: u32, out: &mut [u32]) = fill_body
}

by_tier! {
    /// The 32-bit words that the fill hashes: the high half of each element's draw number `round`.
    pub fn fill_words(hashes: &[u64], key: u64, round: u32, out: &mut [u32]) = fill_words_body
}

/// Lowest value of stage `s`: stage 0 takes half of the range of u32, stage 1 a quarter and so on.
#[inline(always)]
pub fn stage_base(stage: u32) -> u32 {
    !(((1u64 << (32 - stage)) - 1) as u32)
}

#[inline(always)]
fn draw(hash: u64, key: u64, round: u32) -> u64 {
    let y = mix(hash ^ key);
    if round == 0 { y } else { mix(y.wrapping_add(GAMMA.wrapping_mul(round as u64))) }
}

#[inline(always)]
fn round_body(hashes: &[u64], key: u64, round: u32, slots: &mut [u32]) {
    let k = slots.len() as u64;
    let base = stage_base(round);
    let mask = u32::MAX >> (round + 1);
    let mut at = [0u32; BLOCK];
    let mut value = [0u32; BLOCK];
    for block in hashes.chunks(BLOCK) {
        for ((&x, a), v) in block.iter().zip(&mut at).zip(&mut value) {
            let y = draw(x, key, round);
            *a = (((y >> 32) * k) >> 32) as u32;
            *v = base | (y as u32 & mask);
        }
        for (&a, &v) in at.iter().zip(&value).take(block.len()) {
            #[allow(unsafe_code, reason = "see SAFETY")]
            // SAFETY: a = y_hi * k >> 32 with y_hi < 2^32, hence a < k = slots.len(); the check that is
            // left out here costs a third of the loop.
            let slot = unsafe { slots.get_unchecked_mut(a as usize) };
            *slot = if v < *slot { v } else { *slot };
        }
    }
}

#[inline(always)]
fn fill_words_body(hashes: &[u64], key: u64, round: u32, out: &mut [u32]) {
    for (&x, z) in hashes.iter().zip(out) {
        *z = (draw(x, key, round) >> 32) as u32;
    }
}

#[inline(always)]
fn fill_body(zs: &[u32], mul: &[u32], add: &[u32], shift: u32, out: &mut [u32]) {
    const LANES: usize = 32; // slots held in registers while all elements pass
    let base = stage_base(shift);
    let mut j = 0;
    while j < out.len() {
        let n = LANES.min(out.len() - j);
        let (mut m, mut a, mut best) = ([0u32; LANES], [0u32; LANES], [u32::MAX; LANES]);
        m[..n].copy_from_slice(&mul[j..j + n]);
        a[..n].copy_from_slice(&add[j..j + n]);
        for &z in zs {
            for l in 0..LANES {
                best[l] = best[l].min(m[l].wrapping_mul(z).wrapping_add(a[l]));
            }
        }
        for (o, b) in out[j..j + n].iter_mut().zip(best) {
            // u32::MAX means "no element": the very last value is given up for it
            *o = (*o).min((base | (b >> shift)).min(u32::MAX - 1));
        }
        j += n;
    }
}
