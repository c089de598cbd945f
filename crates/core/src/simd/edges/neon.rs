//! Class masks in registers of 128 bits.

use super::{Block, Class, Kernel};
use crate::simd::neon::{bits, load, not_ascii, within};
use crate::simd::proof::Neon;
use std::arch::aarch64::*;

impl Kernel for Neon {
    #[inline(always)]
    fn mask(self, block: &Block, class: Class) -> (u64, u64) {
        // SAFETY: `self` shows that the machine has NEON.
        unsafe { mask(block, class) }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn mask(block: &Block, class: Class) -> (u64, u64) {
    let bytes = load(block);
    let mask = match class {
        Class::Word => bits(bytes.map(|x| {
            let letter = within(vorrq_u8(x, vdupq_n_u8(0x20)), b'a', 26);
            let low_line = vceqq_u8(x, vdupq_n_u8(b'_'));
            vorrq_u8(vorrq_u8(letter, within(x, b'0', 10)), low_line)
        })),
        Class::Ink => !bits(bytes.map(|x| vorrq_u8(within(x, 9, 5), within(x, 0x1C, 5)))),
    };
    (mask, not_ascii(bytes))
}
