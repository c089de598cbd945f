//! Minima of affine functions of two words a token: the inner loop of MinHash.
//!
//! The factors of the slots of one lane are an arithmetic progression, so that seven of eight products are sums.

use super::by_tier;
use crate::hash::mix;

/// Progressions side by side: the lanes of the widest vector.
pub const LANES: usize = 16;
/// Slots a progression.
pub const STEPS: usize = 8;
/// Slots that stay in registers while a block of elements passes.
pub const BLOCK: usize = LANES * STEPS;
/// Elements whose words are computed together.
const ELEMENTS: usize = 256;

by_tier! {
    /// `out[128 b + 16 v + l] = min(that, f * z + w mod 2^32)` over all hashes `x`, where `z` and `w` are the high
    /// and the low half of `mix(x ^ key)` and `f = mul[16 b + l] + v * step[16 b + l]`.
    pub fn minima(hashes: &[u64], key: u64, mul: &[u32], step: &[u32], out: &mut [u32]) =
        minima_body, scalar: Twin, avx2: super::proof::Avx2::here(),
        avx512: super::proof::Avx512::here(), neon: super::proof::Neon::here()
}

/// A number a lane.
type Lanes = [u32; LANES];

/// What a tier must do.
trait Kernel: Copy {
    /// The first `used` vectors at least of `best`, over all pairs of words.
    #[inline(always)]
    fn minima(
        self,
        words: (&[u32], &[u32]),
        (mul, step): (&Lanes, &Lanes),
        best: &mut [Lanes; STEPS],
        used: usize,
    ) {
        for (v, best) in (0..).zip(best.iter_mut().take(used)) {
            for ((m, s), best) in mul.iter().zip(step).zip(best) {
                let factor = m.wrapping_add(s.wrapping_mul(v));
                let value = |(z, w): (&u32, &u32)| factor.wrapping_mul(*z).wrapping_add(*w);
                *best = words.0.iter().zip(words.1).map(value).fold(*best, u32::min);
            }
        }
    }
}

/// The twin in plain Rust.
#[derive(Clone, Copy)]
struct Twin;

impl Kernel for Twin {}

#[inline(always)]
fn minima_body<K: Kernel>(
    hashes: &[u64],
    key: u64,
    mul: &[u32],
    step: &[u32],
    out: &mut [u32],
    kernel: K,
) {
    let (mut zs, mut ws) = ([0; ELEMENTS], [0; ELEMENTS]);
    for part in hashes.chunks(ELEMENTS) {
        for ((&x, z), w) in part.iter().zip(&mut zs).zip(&mut ws) {
            let y = mix(x ^ key);
            (*z, *w) = ((y >> 32) as u32, y as u32);
        }
        let words = (&zs[..part.len()], &ws[..part.len()]);
        let mut factors = mul.as_chunks().0.iter().zip(step.as_chunks().0);
        let (vectors, rest) = out.as_chunks_mut::<LANES>();
        let (blocks, vectors) = vectors.as_chunks_mut::<STEPS>();
        for (best, factors) in blocks.iter_mut().zip(&mut factors) {
            kernel.minima(words, factors, best, STEPS);
        }
        if let Some(factors) = factors.next() {
            let mut best = [[u32::MAX; LANES]; STEPS];
            best[..vectors.len()].copy_from_slice(vectors);
            best[vectors.len()][..rest.len()].copy_from_slice(rest);
            kernel.minima(words, factors, &mut best, vectors.len() + 1);
            vectors.copy_from_slice(&best[..vectors.len()]);
            rest.copy_from_slice(&best[vectors.len()][..rest.len()]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "loads and stores within arrays of one block")]
mod x86;

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "loads and stores within arrays of one block")]
mod neon;
