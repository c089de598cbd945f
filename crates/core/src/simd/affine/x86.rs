//! Minima of affine functions in registers of 256 and 512 bits.

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
        let load = |from: &Lanes| _mm256_loadu_si256(from.as_ptr().add(first).cast::<__m256i>());
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
