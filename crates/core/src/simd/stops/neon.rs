//! Masks of what stops a string, in registers of 128 bits.

use super::{Block, Kernel};
use crate::simd::neon::{bits, load};
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
    bits(load(block).map(|x| {
        let quote = vceqq_u8(x, vdupq_n_u8(b'"'));
        let backslash = vceqq_u8(x, vdupq_n_u8(b'\\'));
        vorrq_u8(vorrq_u8(quote, backslash), vcltq_u8(x, vdupq_n_u8(0x20)))
    }))
}
