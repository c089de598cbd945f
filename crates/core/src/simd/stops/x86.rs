//! Masks of what stops a string, in registers of 256 and 512 bits.

use super::{Block, Kernel};
use crate::simd::proof::{Avx2, Avx512};
use std::arch::x86_64::*;

impl Kernel for Avx2 {
    #[inline(always)]
    fn mask(self, block: &Block) -> u64 {
        // SAFETY: `self` shows that the machine has AVX2.
        unsafe { mask_avx2(block) }
    }
}

impl Kernel for Avx512 {
    #[inline(always)]
    fn mask(self, block: &Block) -> u64 {
        // SAFETY: `self` shows that the machine has AVX-512 F and BW.
        unsafe { mask_avx512(block) }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn mask_avx2(block: &Block) -> u64 {
    let mut masks = [0u64; 2];
    for (half, mask) in masks.iter_mut().enumerate() {
        // SAFETY: 32 bytes from 0 or 32 of a block of 64; the load may be unaligned.
        let x = unsafe { _mm256_loadu_si256(block.as_ptr().add(32 * half).cast()) };
        let quote = _mm256_cmpeq_epi8(x, _mm256_set1_epi8(b'"' as i8));
        let backslash = _mm256_cmpeq_epi8(x, _mm256_set1_epi8(b'\\' as i8));
        // The maximum with 0x1F is 0x1F where a byte is no more than that.
        let last = _mm256_set1_epi8(0x1F);
        let control = _mm256_cmpeq_epi8(_mm256_max_epu8(x, last), last);
        let stop = _mm256_or_si256(_mm256_or_si256(quote, backslash), control);
        *mask = u64::from(_mm256_movemask_epi8(stop) as u32);
    }
    masks[0] | masks[1] << 32
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn mask_avx512(block: &Block) -> u64 {
    // SAFETY: a block has 64 bytes; the load may be unaligned.
    let x = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(b'"' as i8))
        | _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(b'\\' as i8))
        | _mm512_cmplt_epu8_mask(x, _mm512_set1_epi8(0x20))
}
