//! The loops of Fast Similarity Sketching: draws and random rounds; the fill is in [`super::minima`].
//!
//! Slots and values of a block of elements are computed first (the compiler makes the vectors), then written
//! one by one with `S[b] = min(S[b], v)`, never a branch. Throws that cannot lower a slot are dropped before: from
//! the second round on those into slots that are not empty, and in large sets those above a threshold. Where the
//! machine can pick lanes by a mask this happens in registers.

use super::by_tier;
use crate::hash::mix;

/// Elements whose throws are computed together.
const BLOCK: usize = 64;
/// Slots whose emptiness fits a register: sketches with more are not filtered by it.
pub const FILTERED: usize = 512;
/// Step of the SplitMix64 generator: draw `i` of an element is `mix(y + i * GAMMA)`, draw 0 is `y` itself.
pub const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

by_tier! {
    /// The state `y` of each element: one seeded bijective mix.
    pub fn draws(hashes: &[u64], key: u64, out: &mut [u64]) = draws_body
}

by_tier! {
    /// The same, and round 0 with it: every element falls into a uniform slot with a value of 31 bits.
    pub fn first_round(hashes: &[u64], key: u64, draws: &mut [u64], slots: &mut [u32], throws: &mut Throws) =
        first_round_body, scalar: Twin, avx2: Twin, avx512: super::proof::Avx512::here()
}

by_tier! {
    /// Round 0 alone, of values up to `most` only.
    pub fn round_below(hashes: &[u64], key: u64, most: u32, slots: &mut [u32], throws: &mut Throws) =
        round_below_body, scalar: Twin, avx2: Twin, avx512: super::proof::Avx512::here()
}

by_tier! {
    /// A random round: every element falls into a uniform slot with a value of `31 - round` bits above the
    /// values of all earlier rounds; a slot keeps the minimum.
    pub fn round(draws: &[u64], round: u32, slots: &mut [u32], throws: &mut Throws) =
        round_body, scalar: Twin, avx2: Twin, avx512: super::proof::Avx512::here()
}

by_tier! {
    /// Rounds `0..rounds` of a few elements at once.
    pub fn all_rounds(draws: &[u64], rounds: u32, slots: &mut [u32], throws: &mut Throws) =
        all_rounds_body, scalar: Twin, avx2: Twin, avx512: super::proof::Avx512::here()
}

by_tier! {
    /// The 32-bit words that the fill hashes: the high half of each element's draw number `round`.
    pub fn fill_words(draws: &[u64], round: u32, out: &mut [u32]) = fill_words_body
}

by_tier! {
    /// Which of the first [`FILTERED`] slots have at least the value `base`, a bit each.
    pub fn from(base: u32, slots: &[u32]) -> Bits =
        from_body, scalar: Twin, avx2: Twin, avx512: super::proof::Avx512::here()
}

by_tier! {
    /// Whether no slot has the value `empty`.
    pub fn is_full(slots: &[u32], empty: u32) -> bool = is_full_body
}

/// Lowest value of stage `s`: stage 0 takes half of the range of u32, stage 1 a quarter and so on.
#[inline(always)]
pub fn stage_base(stage: u32) -> u32 {
    !(((1u64 << (32 - stage)) - 1) as u32)
}

/// Throws that wait to be written; none between two calls.
pub struct Throws {
    at: [u32; 2 * BLOCK],
    value: [u32; 2 * BLOCK],
    len: usize,
}

impl Default for Throws {
    fn default() -> Self {
        Throws { at: [0; 2 * BLOCK], value: [0; 2 * BLOCK], len: 0 }
    }
}

impl Throws {
    /// Writes what waits unless another block has room.
    #[inline(always)]
    fn settle(&mut self, slots: &mut [u32]) {
        if self.len > BLOCK {
            self.write(slots);
        }
    }

    /// Every slot keeps the minimum.
    #[inline(always)]
    fn write(&mut self, slots: &mut [u32]) {
        for (&at, &value) in self.at.iter().zip(&self.value).take(self.len) {
            #[allow(unsafe_code, reason = "the check that is left out costs a third of the loop")]
            // SAFETY: at = hi * k >> 32 with hi < 2^32, hence at < k = slots.len(); a filter only moves lanes.
            let slot = unsafe { slots.get_unchecked_mut(at as usize) };
            *slot = if value < *slot { value } else { *slot };
        }
        self.len = 0;
    }
}

/// One bit a slot.
pub type Bits = [u32; FILTERED / 32];

/// Which throws are worth writing; the others lower no slot, so that a kernel may keep them all.
#[derive(Clone, Copy)]
enum Only<'a> {
    All,
    /// Those into slots whose bit is set.
    Into(&'a Bits),
    /// Those of values up to a threshold. The others are left out by every kernel: they do lower slots.
    Below(u32),
}

/// What a tier must do.
trait Kernel: Copy {
    /// Adds the throws of a block of at most [`BLOCK`] draws in a round to those that wait, which are no more than
    /// a block: the slot comes from the high half of a draw, the value from the low half.
    fn throw(self, throws: &mut Throws, draws: &[u64], round: u32, slots: usize, only: Only<'_>);

    /// Which of the first [`FILTERED`] slots have at least the value `base`.
    #[inline(always)]
    fn from(self, base: u32, slots: &[u32]) -> Bits {
        let bit = |(i, &slot): (usize, &u32)| u32::from(slot >= base) << i;
        let mut bits = [0; FILTERED / 32];
        for (word, slots) in bits.iter_mut().zip(slots.chunks(32)) {
            *word = slots.iter().enumerate().map(bit).fold(0, |all, bit| all | bit);
        }
        bits
    }
}

/// The twin in plain Rust.
#[derive(Clone, Copy)]
struct Twin;

impl Kernel for Twin {
    #[inline(always)]
    fn throw(self, throws: &mut Throws, draws: &[u64], round: u32, slots: usize, only: Only<'_>) {
        let (base, mask) = (stage_base(round), u32::MAX >> (round + 1));
        let step = GAMMA.wrapping_mul(u64::from(round));
        let room = throws.at.iter_mut().zip(&mut throws.value).skip(throws.len);
        for (&y, (at, value)) in draws.iter().zip(room) {
            let y = if round == 0 { y } else { mix(y.wrapping_add(step)) };
            *at = (((y >> 32) * slots as u64) >> 32) as u32;
            *value = base | (y as u32 & mask);
            if let Only::Below(most) = only {
                *value = if *value <= most { *value } else { u32::MAX };
            }
        }
        throws.len += draws.len();
    }
}

#[inline(always)]
fn draws_body(hashes: &[u64], key: u64, out: &mut [u64]) {
    for (&x, y) in hashes.iter().zip(out) {
        *y = mix(x ^ key);
    }
}

#[inline(always)]
fn first_round_body<K: Kernel>(
    hashes: &[u64],
    key: u64,
    draws: &mut [u64],
    slots: &mut [u32],
    throws: &mut Throws,
    kernel: K,
) {
    for (block, draws) in hashes.chunks(BLOCK).zip(draws.chunks_mut(BLOCK)) {
        draws_body(block, key, draws);
        kernel.throw(throws, draws, 0, slots.len(), Only::All);
        throws.write(slots);
    }
}

#[inline(always)]
fn round_below_body<K: Kernel>(
    hashes: &[u64],
    key: u64,
    most: u32,
    slots: &mut [u32],
    throws: &mut Throws,
    kernel: K,
) {
    let mut draws = [0; BLOCK];
    for block in hashes.chunks(BLOCK) {
        draws_body(block, key, &mut draws);
        kernel.throw(throws, &draws[..block.len()], 0, slots.len(), Only::Below(most));
        throws.settle(slots);
    }
    throws.write(slots);
}

#[inline(always)]
fn round_body<K: Kernel>(
    draws: &[u64],
    round: u32,
    slots: &mut [u32],
    throws: &mut Throws,
    kernel: K,
) {
    // A value of the fill counts as empty: a round undercuts it.
    let empty = kernel.from(stage_base(round), slots);
    let filtered = round > 0 && slots.len() <= FILTERED;
    let only = if filtered { Only::Into(&empty) } else { Only::All };
    for block in draws.chunks(BLOCK) {
        kernel.throw(throws, block, round, slots.len(), only);
        throws.settle(slots);
    }
    throws.write(slots);
}

#[inline(always)]
fn all_rounds_body<K: Kernel>(
    draws: &[u64],
    rounds: u32,
    slots: &mut [u32],
    throws: &mut Throws,
    kernel: K,
) {
    for block in draws.chunks(BLOCK) {
        for round in 0..rounds {
            kernel.throw(throws, block, round, slots.len(), Only::All);
            throws.settle(slots);
        }
    }
    throws.write(slots);
}

#[inline(always)]
fn from_body<K: Kernel>(base: u32, slots: &[u32], kernel: K) -> Bits {
    kernel.from(base, slots)
}

#[inline(always)]
fn is_full_body(slots: &[u32], empty: u32) -> bool {
    slots.iter().fold(true, |full, &slot| full & (slot != empty))
}

#[inline(always)]
fn fill_words_body(draws: &[u64], round: u32, out: &mut [u32]) {
    let step = GAMMA.wrapping_mul(u64::from(round));
    for (&y, z) in draws.iter().zip(out) {
        let y = if round == 0 { y } else { mix(y.wrapping_add(step)) };
        *z = (y >> 32) as u32;
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "loads and stores within arrays of one block")]
mod x86 {
    use super::{BLOCK, Bits, FILTERED, GAMMA, Kernel, Only, Throws, stage_base};
    use crate::simd::proof::Avx512;
    use std::arch::x86_64::*;

    /// Lanes computed together.
    const LANES: usize = 16;

    impl Kernel for Avx512 {
        #[inline(always)]
        fn throw(
            self,
            throws: &mut Throws,
            draws: &[u64],
            round: u32,
            slots: usize,
            only: Only<'_>,
        ) {
            // SAFETY: `self` shows that the machine has AVX-512 F and DQ.
            unsafe { throw(throws, draws, round, slots, only) }
        }

        #[inline(always)]
        fn from(self, base: u32, slots: &[u32]) -> Bits {
            // SAFETY: as above.
            unsafe { from(base, slots) }
        }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn from(base: u32, slots: &[u32]) -> Bits {
        let base = _mm512_set1_epi32(base as i32);
        let mut bits = [0; FILTERED / 32];
        for (word, slots) in bits.iter_mut().zip(slots.chunks(2 * LANES)) {
            for (half, slots) in slots.chunks(LANES).enumerate() {
                let lanes = ((1u32 << slots.len()) - 1) as __mmask16;
                // SAFETY: the mask keeps to the lanes of `slots`.
                let slots = unsafe { _mm512_maskz_loadu_epi32(lanes, slots.as_ptr().cast()) };
                let there = _mm512_mask_cmpge_epu32_mask(lanes, slots, base);
                *word |= u32::from(there) << (LANES * half);
            }
        }
        bits
    }

    /// `hash::mix` of eight numbers.
    #[target_feature(enable = "avx512f,avx512dq")]
    #[inline]
    fn mix(x: __m512i) -> __m512i {
        let times = |x, factor: u64| _mm512_mullo_epi64(x, _mm512_set1_epi64(factor as i64));
        let x = times(_mm512_xor_si512(x, _mm512_srli_epi64::<30>(x)), 0xBF58_476D_1CE4_E5B9);
        let x = times(_mm512_xor_si512(x, _mm512_srli_epi64::<27>(x)), 0x94D0_49BB_1331_11EB);
        _mm512_xor_si512(x, _mm512_srli_epi64::<31>(x))
    }

    #[target_feature(enable = "avx512f,avx512dq")]
    #[inline]
    fn throw(throws: &mut Throws, draws: &[u64], round: u32, slots: usize, only: Only<'_>) {
        let step = _mm512_set1_epi64(GAMMA.wrapping_mul(u64::from(round)) as i64);
        let base = _mm512_set1_epi32(stage_base(round) as i32);
        let mask = _mm512_set1_epi32((u32::MAX >> (round + 1)) as i32);
        let slots = _mm512_set1_epi64(slots as i64);
        let even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
        let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
        let scaled = |y| _mm512_mul_epu32(_mm512_srli_epi64::<32>(y), slots);
        for part in draws.chunks(LANES) {
            if throws.len > 2 * BLOCK - LANES {
                return; // never: there was room for a block
            }
            let lanes = ((1u32 << part.len()) - 1) as __mmask16;
            // SAFETY: the mask keeps to the lanes of `part`.
            let (mut a, mut b) = unsafe {
                let at = part.as_ptr().cast::<i64>();
                let rest = _mm512_maskz_loadu_epi64((lanes >> 8) as __mmask8, at.wrapping_add(8));
                (_mm512_maskz_loadu_epi64(lanes as __mmask8, at), rest)
            };
            if round > 0 {
                (a, b) = (mix(_mm512_add_epi64(a, step)), mix(_mm512_add_epi64(b, step)));
            }
            let at = _mm512_permutex2var_epi32(scaled(a), odd, scaled(b));
            let low = _mm512_permutex2var_epi32(a, even, b);
            let value = _mm512_or_si512(base, _mm512_and_si512(low, mask));
            let wanted = lanes
                & match only {
                    Only::All => lanes,
                    Only::Below(most) => {
                        _mm512_cmple_epu32_mask(value, _mm512_set1_epi32(most as i32))
                    }
                    Only::Into(bits) => {
                        // SAFETY: sixteen words are 64 bytes; the load may be unaligned.
                        let bits = unsafe { _mm512_loadu_si512(bits.as_ptr().cast()) };
                        // `at` < k <= 512, so the word's number is below 16
                        let word = _mm512_permutexvar_epi32(_mm512_srli_epi32::<5>(at), bits);
                        let place = _mm512_and_si512(at, _mm512_set1_epi32(31));
                        let bit = _mm512_srlv_epi32(word, place);
                        _mm512_test_epi32_mask(bit, _mm512_set1_epi32(1))
                    }
                };
            // Compressed in a register and stored whole: compressing stores are slow on some machines.
            let at = _mm512_maskz_compress_epi32(wanted, at);
            let value = _mm512_maskz_compress_epi32(wanted, value);
            // SAFETY: sixteen lanes from `len` on lie within the arrays, see above; they may be unaligned.
            unsafe {
                _mm512_storeu_si512(throws.at.as_mut_ptr().add(throws.len).cast(), at);
                _mm512_storeu_si512(throws.value.as_mut_ptr().add(throws.len).cast(), value);
            }
            throws.len += wanted.count_ones() as usize;
        }
    }
}
