//! The direct fill in registers of 128 bits.

use super::{BLOCK, Kernel, Slots, stage_base};
use crate::simd::proof::Neon;
use std::arch::aarch64::*;

impl Kernel for Neon {
    #[inline(always)]
    fn block(self, zs: &[u32], mul: &Slots, add: &Slots, shift: u32, out: &mut Slots, used: usize) {
        // More than four vectors, with factors, summands and minima, would not stay in registers.
        for first in (0..used.min(BLOCK)).step_by(16) {
            // SAFETY: `self` shows that the machine has NEON; 16 numbers from a multiple of 16 are there.
            unsafe {
                match used - first {
                    0..=4 => block::<1>(zs, mul, add, shift, out, first),
                    5..=8 => block::<2>(zs, mul, add, shift, out, first),
                    _ => block::<4>(zs, mul, add, shift, out, first),
                }
            }
        }
    }
}

/// `N` vectors of four slots from `first` on, which must be there, stay in registers while all elements pass.
#[target_feature(enable = "neon")]
#[inline]
unsafe fn block<const N: usize>(
    zs: &[u32],
    mul: &Slots,
    add: &Slots,
    shift: u32,
    out: &mut Slots,
    first: usize,
) {
    // SAFETY: the caller's word; loads and stores may be unaligned.
    unsafe {
        let load = |from: &Slots, i: usize| vld1q_u32(from.as_ptr().add(first + 4 * i));
        let m: [uint32x4_t; N] = std::array::from_fn(|i| load(mul, i));
        let a: [uint32x4_t; N] = std::array::from_fn(|i| load(add, i));
        let mut least = [vdupq_n_u32(u32::MAX); N];
        for &z in zs {
            let z = vdupq_n_u32(z);
            for i in 0..N {
                least[i] = vminq_u32(least[i], vmlaq_u32(a[i], m[i], z));
            }
        }
        let (base, most) = (vdupq_n_u32(stage_base(shift)), vdupq_n_u32(u32::MAX - 1));
        let shift = vdupq_n_s32(-(shift as i32)); // to the left, hence to the right
        for (i, least) in least.into_iter().enumerate() {
            let value = vorrq_u32(base, vshlq_u32(least, shift));
            let value = vminq_u32(vminq_u32(value, most), load(out, i));
            vst1q_u32(out.as_mut_ptr().add(first + 4 * i), value);
        }
    }
}
