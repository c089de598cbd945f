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
        first_round_body, scalar: Twin, avx2: Twin, avx512: super::proof::Avx512::here(), neon: Twin
}

by_tier! {
    /// Round 0 alone, of values up to `most` only.
    pub fn round_below(hashes: &[u64], key: u64, most: u32, slots: &mut [u32], throws: &mut Throws) =
        round_below_body, scalar: Twin, avx2: Twin, avx512: super::proof::Avx512::here(), neon: Twin
}

by_tier! {
    /// A random round: every element falls into a uniform slot with a value of `31 - round` bits above the
    /// values of all earlier rounds; a slot keeps the minimum.
    pub fn round(draws: &[u64], round: u32, slots: &mut [u32], throws: &mut Throws) =
        round_body, scalar: Twin, avx2: Twin, avx512: super::proof::Avx512::here(), neon: Twin
}

by_tier! {
    /// Rounds `0..rounds` of a few elements at once.
    pub fn all_rounds(draws: &[u64], rounds: u32, slots: &mut [u32], throws: &mut Throws) =
        all_rounds_body, scalar: Twin, avx2: Twin, avx512: super::proof::Avx512::here(), neon: Twin
}

by_tier! {
    /// The 32-bit words that the fill hashes: the high half of each element's draw number `round`.
    pub fn fill_words(draws: &[u64], round: u32, out: &mut [u32]) = fill_words_body
}

by_tier! {
    /// Which of the first [`FILTERED`] slots have at least the value `base`, a bit each.
    pub fn from(base: u32, slots: &[u32]) -> Bits =
        from_body, scalar: Twin, avx2: Twin, avx512: super::proof::Avx512::here(), neon: Twin
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
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "for vectors that pick lanes")
    )]
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
mod x86;
