//! Two blocks, all pairs of them compared, in registers of 128 bits.

use super::{BLOCK, Kernel};
use crate::simd::proof::Neon;
use std::arch::aarch64::*;

impl Kernel for Neon {
    #[inline(always)]
    fn shared(self, a: &[u64; BLOCK], b: &[u64; BLOCK]) -> usize {
        // SAFETY: `self` shows that the machine has NEON.
        unsafe { shared(a, b) }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn shared(a: &[u64; BLOCK], b: &[u64; BLOCK]) -> usize {
    // SAFETY: two 64-bit numbers from 0, 2, 4 and 6 of a block of eight; the loads may be unaligned.
    let load =
        |block: &[u64; BLOCK]| [0, 2, 4, 6].map(|i| unsafe { vld1q_u64(block.as_ptr().add(i)) });
    let (x, y) = (load(a), load(b));
    let turned = y.map(|y| vextq_u64::<1>(y, y));
    let mut found = [vdupq_n_u64(0); 4];
    for (&y, &turned) in y.iter().zip(&turned) {
        for (found, &x) in found.iter_mut().zip(&x) {
            *found = vorrq_u64(*found, vorrq_u64(vceqq_u64(x, y), vceqq_u64(x, turned)));
        }
    }
    // A lane that was found is -1.
    let [p, q, r, s] = found;
    let sum = vaddvq_u64(vaddq_u64(vaddq_u64(p, q), vaddq_u64(r, s)));
    sum.wrapping_neg() as usize
}
