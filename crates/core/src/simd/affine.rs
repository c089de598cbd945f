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
        minima_body, scalar: Twin, avx2: super::proof::Avx2::here(), avx512: super::proof::Avx512::here()
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
mod x86 {
    use super::{Kernel, LANES, Lanes, STEPS};
    use crate::simd::proof::{Avx2, Avx512};
    use std::arch::x86_64::*;

    impl Kernel for Avx2 {
        #[inline(always)]
        fn minima(
            self,
            words: (&[u32], &[u32]),
            factors: (&Lanes, &Lanes),
            best: &mut [Lanes; STEPS],
            used: usize,
        ) {
            // SAFETY: `self` shows that the machine has AVX2; the halves begin at lanes 0 and 8.
            unsafe {
                for first in [0, LANES / 2] {
                    match used {
                        0..=1 => minima_avx2::<1>(words, factors, best, first),
                        2 => minima_avx2::<2>(words, factors, best, first),
                        3..=4 => minima_avx2::<4>(words, factors, best, first),
                        _ => minima_avx2::<8>(words, factors, best, first),
                    }
                }
            }
        }
    }

    impl Kernel for Avx512 {
        #[inline(always)]
        fn minima(
            self,
            words: (&[u32], &[u32]),
            factors: (&Lanes, &Lanes),
            best: &mut [Lanes; STEPS],
            used: usize,
        ) {
            // SAFETY: `self` shows that the machine has AVX-512 F.
            unsafe {
                match used {
                    0..=1 => minima_avx512::<1>(words, factors, best),
                    2 => minima_avx512::<2>(words, factors, best),
                    3..=4 => minima_avx512::<4>(words, factors, best),
                    _ => minima_avx512::<8>(words, factors, best),
                }
            }
        }
    }

    /// Eight lanes from `first` on, which must be 0 or 8, of `N` vectors.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn minima_avx2<const N: usize>(
        words: (&[u32], &[u32]),
        (mul, step): (&Lanes, &Lanes),
        best: &mut [Lanes; STEPS],
        first: usize,
    ) {
        const { assert!(N <= STEPS) };
        // SAFETY: the caller's word; loads and stores may be unaligned.
        unsafe {
            let load =
                |from: &Lanes| _mm256_loadu_si256(from.as_ptr().add(first).cast::<__m256i>());
            let (mul, step) = (load(mul), load(step));
            let mut least: [__m256i; N] = std::array::from_fn(|v| load(&best[v]));
            for (&z, &w) in words.0.iter().zip(words.1) {
                let (z, w) = (_mm256_set1_epi32(z as i32), _mm256_set1_epi32(w as i32));
                let mut value = _mm256_add_epi32(_mm256_mullo_epi32(mul, z), w);
                let step = _mm256_mullo_epi32(step, z);
                for least in &mut least {
                    *least = _mm256_min_epu32(*least, value);
                    value = _mm256_add_epi32(value, step);
                }
            }
            for (best, least) in best.iter_mut().zip(least) {
                _mm256_storeu_si256(best.as_mut_ptr().add(first).cast(), least);
            }
        }
    }

    /// All lanes of `N` vectors.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn minima_avx512<const N: usize>(
        words: (&[u32], &[u32]),
        (mul, step): (&Lanes, &Lanes),
        best: &mut [Lanes; STEPS],
    ) {
        const { assert!(N <= STEPS) };
        // SAFETY: sixteen lanes are 64 bytes; loads and stores may be unaligned.
        unsafe {
            let load = |from: &Lanes| _mm512_loadu_si512(from.as_ptr().cast::<__m512i>());
            let (mul, step) = (load(mul), load(step));
            let mut least: [__m512i; N] = std::array::from_fn(|v| load(&best[v]));
            for (&z, &w) in words.0.iter().zip(words.1) {
                let (z, w) = (_mm512_set1_epi32(z as i32), _mm512_set1_epi32(w as i32));
                let mut value = _mm512_add_epi32(_mm512_mullo_epi32(mul, z), w);
                let step = _mm512_mullo_epi32(step, z);
                for least in &mut least {
                    *least = _mm512_min_epu32(*least, value);
                    value = _mm512_add_epi32(value, step);
                }
            }
            for (best, least) in best.iter_mut().zip(least) {
                _mm512_storeu_si512(best.as_mut_ptr().cast(), least);
            }
        }
    }
}
