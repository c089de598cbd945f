//! The loops of Fast Similarity Sketching: draws, random rounds, and the direct fill of empty slots.
//!
//! Slots and values of a block of elements are computed first (the compiler makes the vectors), then written
//! one by one with `S[b] = min(S[b], v)`, never a branch. From the second round on only the slots that are
//! still empty matter: where the machine can pick lanes by a mask, the other elements are dropped in registers.

use super::by_tier;
use crate::hash::mix;

/// Elements of a block.
const BLOCK: usize = 64;
/// Slots whose emptiness fits a register: sketches with more are not filtered.
const FILTERED: usize = 512;
/// Step of the SplitMix64 generator: draw `i` of an element is `mix(y + i * GAMMA)`, draw 0 is `y` itself.
pub const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

by_tier! {
    /// The state `y` of each element: one seeded bijective mix.
    pub fn draws(hashes: &[u64], key: u64, out: &mut [u64]) = draws_body
}

by_tier! {
    /// Round 0 straight from the hashes: every element falls into a uniform slot with a value of 31 bits.
    pub fn first_round(hashes: &[u64], key: u64, slots: &mut [u32]) = first_round_body
}

by_tier! {
    /// A random round: every element falls into a uniform slot with a value of `31 - round` bits above the
    /// values of all earlier rounds; a slot keeps the minimum.
    pub fn round(draws: &[u64], round: u32, slots: &mut [u32]) =
        round_body, scalar: Every, avx2: Every, avx512: super::proof::Avx512::here()
}

by_tier! {
    /// The 32-bit words that the fill hashes: the high half of each element's draw number `round`.
    pub fn fill_words(draws: &[u64], round: u32, out: &mut [u32]) = fill_words_body
}

by_tier! {
    /// `out[j] = min(out[j], base + (mul[j] * z + add[j] mod 2^32 >> shift))` over all `z`: k-minimum values.
    pub fn fill(zs: &[u32], mul: &[u32], add: &[u32], shift: u32, out: &mut [u32]) = fill_body
}

/// Lowest value of stage `s`: stage 0 takes half of the range of u32, stage 1 a quarter and so on.
#[inline(always)]
pub fn stage_base(stage: u32) -> u32 {
    !(((1u64 << (32 - stage)) - 1) as u32)
}

/// Slots and values of a block of elements.
#[derive(Clone, Copy)]
struct Throws {
    at: [u32; BLOCK],
    value: [u32; BLOCK],
    len: usize,
}

impl Throws {
    const NONE: Throws = Throws { at: [0; BLOCK], value: [0; BLOCK], len: 0 };

    /// The slot comes from the high half of a draw, the value from the low half.
    #[inline(always)]
    fn set(&mut self, block: &[u64], slots: usize, round: u32, draw: impl Fn(u64) -> u64) {
        let (base, mask) = (stage_base(round), u32::MAX >> (round + 1));
        for ((&x, at), value) in block.iter().zip(&mut self.at).zip(&mut self.value) {
            let y = draw(x);
            *at = (((y >> 32) * slots as u64) >> 32) as u32;
            *value = base | (y as u32 & mask);
        }
        self.len = block.len();
    }

    /// Every slot keeps the minimum.
    #[inline(always)]
    fn write(&self, slots: &mut [u32]) {
        for (&at, &value) in self.at.iter().zip(&self.value).take(self.len) {
            #[allow(unsafe_code, reason = "the check that is left out costs a third of the loop")]
            // SAFETY: at = hi * k >> 32 with hi < 2^32, hence at < k = slots.len(); a filter only moves lanes.
            let slot = unsafe { slots.get_unchecked_mut(at as usize) };
            *slot = if value < *slot { value } else { *slot };
        }
    }
}

/// Drops throws into slots that an earlier round has reached: they cannot lower what it left there.
trait Filter: Copy {
    fn hits(self, throws: &mut Throws, empty: &[u32; FILTERED / 32]);
}

/// The twin: drops none.
#[derive(Clone, Copy)]
struct Every;

impl Filter for Every {
    #[inline(always)]
    fn hits(self, _: &mut Throws, _: &[u32; FILTERED / 32]) {}
}

#[inline(always)]
fn draws_body(hashes: &[u64], key: u64, out: &mut [u64]) {
    for (&x, y) in hashes.iter().zip(out) {
        *y = mix(x ^ key);
    }
}

#[inline(always)]
fn first_round_body(hashes: &[u64], key: u64, slots: &mut [u32]) {
    let mut throws = Throws::NONE;
    for block in hashes.chunks(BLOCK) {
        throws.set(block, slots.len(), 0, |x| mix(x ^ key));
        throws.write(slots);
    }
}

#[inline(always)]
fn round_body<F: Filter>(draws: &[u64], round: u32, slots: &mut [u32], filter: F) {
    let mut throws = Throws::NONE;
    let step = GAMMA.wrapping_mul(u64::from(round));
    let filtered = round > 0 && slots.len() <= FILTERED;
    let mut empty = [0u32; FILTERED / 32];
    if filtered {
        let base = stage_base(round); // a value of the fill counts as empty: a round undercuts it
        for (word, slots) in empty.iter_mut().zip(slots.chunks(32)) {
            let bit = |(i, &slot): (usize, &u32)| u32::from(slot >= base) << i;
            *word = slots.iter().enumerate().map(bit).fold(0, |all, bit| all | bit);
        }
    }
    for block in draws.chunks(BLOCK) {
        if round == 0 {
            throws.set(block, slots.len(), round, |y| y);
        } else {
            throws.set(block, slots.len(), round, |y| mix(y.wrapping_add(step)));
        }
        if filtered {
            filter.hits(&mut throws, &empty);
        }
        throws.write(slots);
    }
}

#[inline(always)]
fn fill_words_body(draws: &[u64], round: u32, out: &mut [u32]) {
    let step = GAMMA.wrapping_mul(u64::from(round));
    for (&y, z) in draws.iter().zip(out) {
        let y = if round == 0 { y } else { mix(y.wrapping_add(step)) };
        *z = (y >> 32) as u32;
    }
}

#[inline(always)]
fn fill_body(zs: &[u32], mul: &[u32], add: &[u32], shift: u32, out: &mut [u32]) {
    const LANES: usize = 32; // slots held in registers while all elements pass
    let base = stage_base(shift);
    for (j, out) in out.chunks_mut(LANES).enumerate() {
        let part = j * LANES..j * LANES + out.len();
        let (mut m, mut a, mut best) = ([0u32; LANES], [0u32; LANES], [u32::MAX; LANES]);
        m[..out.len()].copy_from_slice(&mul[part.clone()]);
        a[..out.len()].copy_from_slice(&add[part]);
        for &z in zs {
            for l in 0..LANES {
                best[l] = best[l].min(m[l].wrapping_mul(z).wrapping_add(a[l]));
            }
        }
        for (o, b) in out.iter_mut().zip(best) {
            // u32::MAX means "no element": the very last value is given up for it
            *o = (*o).min((base | (b >> shift)).min(u32::MAX - 1));
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "loads and stores within arrays of one block")]
mod x86 {
    use super::{BLOCK, FILTERED, Filter, Throws};
    use crate::simd::proof::Avx512;
    use std::arch::x86_64::*;

    impl Filter for Avx512 {
        #[inline(always)]
        fn hits(self, throws: &mut Throws, empty: &[u32; FILTERED / 32]) {
            // SAFETY: `self` shows that the machine has AVX-512 F.
            unsafe { hits(throws, empty) }
        }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn hits(throws: &mut Throws, empty: &[u32; FILTERED / 32]) {
        const LANES: usize = 16;
        // SAFETY: 16 words of an array of 16.
        let words = unsafe { _mm512_loadu_si512(empty.as_ptr().cast()) };
        let mut kept = 0;
        for from in (0..throws.len).step_by(LANES) {
            // SAFETY: `from` + 16 <= BLOCK: blocks are a multiple of 16 long.
            let (at, value) = unsafe {
                debug_assert!(from + LANES <= BLOCK);
                (
                    _mm512_loadu_si512(throws.at.as_ptr().add(from).cast()),
                    _mm512_loadu_si512(throws.value.as_ptr().add(from).cast()),
                )
            };
            // `at` < k <= 512, so the word's number is below 16
            let word = _mm512_permutexvar_epi32(_mm512_srli_epi32::<5>(at), words);
            let bit = _mm512_srlv_epi32(word, _mm512_and_si512(at, _mm512_set1_epi32(31)));
            let there = ((1u32 << (throws.len - from).min(LANES)) - 1) as __mmask16;
            let hit = _mm512_mask_test_epi32_mask(there, bit, _mm512_set1_epi32(1));
            // Compressed in a register and stored whole: compressing stores are slow on some machines.
            // SAFETY: `kept` <= `from`, so 16 lanes fit, and what they overwrite has been read.
            unsafe {
                let (at, value) =
                    (_mm512_maskz_compress_epi32(hit, at), _mm512_maskz_compress_epi32(hit, value));
                _mm512_storeu_si512(throws.at.as_mut_ptr().add(kept).cast(), at);
                _mm512_storeu_si512(throws.value.as_mut_ptr().add(kept).cast(), value);
            }
            kept += hit.count_ones() as usize;
        }
        throws.len = kept;
    }
}
