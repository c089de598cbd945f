//! Minima of affine functions in registers of 128 bits.

use super::{Kernel, LANES, Lanes, STEPS};
use crate::simd::proof::Neon;
use std::arch::aarch64::*;

impl Kernel for Neon {
    #[inline(always)]
    fn minima(
        self,
        words: (&[u32], &[u32]),
        factors: (&Lanes, &Lanes),
        best: &mut [Lanes; STEPS],
        used: usize,
    ) {
        // SAFETY: `self` shows that the machine has NEON; each quarter has four lanes.
        unsafe {
            for first in (0..LANES).step_by(4) {
                match used {
                    0..=1 => minima::<1>(words, factors, best, first),
                    2 => minima::<2>(words, factors, best, first),
                    3..=4 => minima::<4>(words, factors, best, first),
                    _ => minima::<8>(words, factors, best, first),
                }
            }
        }
    }
}

/// Four lanes from `first` on, which must be there, of `N` vectors.
#[target_feature(enable = "neon")]
#[inline]
unsafe fn minima<const N: usize>(
    words: (&[u32], &[u32]),
    (mul, step): (&Lanes, &Lanes),
    best: &mut [Lanes; STEPS],
    first: usize,
) {
    const { assert!(N <= STEPS) };
    // SAFETY: the caller's word; loads and stores may be unaligned.
    unsafe {
        let load = |from: &Lanes| vld1q_u32(from.as_ptr().add(first));
        let (mul, step) = (load(mul), load(step));
        let mut least: [uint32x4_t; N] = std::array::from_fn(|v| load(&best[v]));
        for (&z, &w) in words.0.iter().zip(words.1) {
            let z = vdupq_n_u32(z);
            let mut value = vmlaq_u32(vdupq_n_u32(w), mul, z);
            let step = vmulq_u32(step, z);
            for least in &mut least {
                *least = vminq_u32(*least, value);
                value = vaddq_u32(value, step);
            }
        }
        for (best, least) in best.iter_mut().zip(least) {
            vst1q_u32(best.as_mut_ptr().add(first), least);
        }
    }
}
