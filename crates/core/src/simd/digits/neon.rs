//! Masks of digits in registers of 128 bits.

use super::{Block, Kernel};
use crate::simd::neon::{bits, load, within};
use crate::simd::proof::Neon;
use std::arch::aarch64::*;

impl Kernel for Neon {
    #[inline(always)]
    fn mask(self, block: &Block) -> u64 {
        // SAFETY: `self` shows that the machine has NEON.
        unsafe { mask(block) }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn mask(block: &Block) -> u64 {
    bits(load(block).map(|x| vorrq_u8(within(x, b'0', 10), vcgeq_u8(x, vdupq_n_u8(0x80)))))
}
