//! Blocks of ASCII in registers of 256 and 512 bits.

use super::{Block, Kernel};
use crate::simd::proof::{Avx2, Avx512};
use std::arch::x86_64::*;

impl Kernel for Avx2 {
    #[inline(always)]
    fn convert(self, block: &Block, lower: bool, collapse: bool, out: &mut Block) -> (u64, u64) {
        // SAFETY: `self` shows that the machine has AVX2.
        unsafe { convert_avx2(block, lower, collapse, out) }
    }

    #[inline(always)]
    fn squeeze(self, block: &mut Block, keep: u64) {
        // SAFETY: `self` exists only in functions compiled for the tier, which has BMI2 too.
        unsafe { squeeze_bmi2(block, keep) }
    }
}

/// Eight bytes at a time: their bits of `keep` are spread to bytes, and the bytes under those moved together. What
/// is written is never beyond what has been read.
#[target_feature(enable = "bmi2,popcnt")]
#[inline]
fn squeeze_bmi2(block: &mut Block, keep: u64) {
    let mut to = 0;
    for i in 0..8 {
        let bits = keep >> (8 * i) & 0xFF;
        let Some(word) = block.get(8 * i..).and_then(|rest| rest.first_chunk()) else { return };
        let bytes = _pdep_u64(bits, 0x0101_0101_0101_0101).wrapping_mul(0xFF);
        let packed = _pext_u64(u64::from_le_bytes(*word), bytes).to_le_bytes();
        if let Some(place) = block.get_mut(to..).and_then(|rest| rest.first_chunk_mut()) {
            *place = packed;
        }
        to += bits.count_ones() as usize;
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn convert_avx2(block: &Block, lower: bool, collapse: bool, out: &mut Block) -> (u64, u64) {
    // x - first < count, unsigned: the minimum of x - first and count - 1 is x - first itself.
    let within = |x: __m256i, first: u8, count: u8| {
        let x = _mm256_sub_epi8(x, _mm256_set1_epi8(first as i8));
        _mm256_cmpeq_epi8(_mm256_min_epu8(x, _mm256_set1_epi8(count as i8 - 1)), x)
    };
    let (mut masks, mut others) = ([0u64; 2], [0u64; 2]);
    for (half, (mask, other)) in masks.iter_mut().zip(&mut others).enumerate() {
        // SAFETY: 32 bytes from 0 or 32 of a block of 64; the load may be unaligned.
        let x = unsafe { _mm256_loadu_si256(block.as_ptr().add(32 * half).cast()) };
        *other = u64::from(_mm256_movemask_epi8(x) as u32);
        let space = _mm256_or_si256(within(x, 9, 5), within(x, 0x1C, 5));
        *mask = u64::from(_mm256_movemask_epi8(space) as u32);
        let mut y = x;
        if lower {
            let shift = _mm256_and_si256(within(x, b'A', 26), _mm256_set1_epi8(0x20));
            y = _mm256_add_epi8(y, shift);
        }
        if collapse {
            y = _mm256_blendv_epi8(y, _mm256_set1_epi8(0x20), space);
        }
        // SAFETY: as for the load.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().add(32 * half).cast(), y) };
    }
    (masks[0] | masks[1] << 32, others[0] | others[1] << 32)
}

impl Kernel for Avx512 {
    #[inline(always)]
    fn convert(self, block: &Block, lower: bool, collapse: bool, out: &mut Block) -> (u64, u64) {
        // SAFETY: `self` shows that the machine has AVX-512 F, BW and VBMI2.
        unsafe { convert_avx512(block, lower, collapse, out) }
    }

    #[inline(always)]
    fn squeeze(self, block: &mut Block, keep: u64) {
        // SAFETY: as above.
        unsafe { squeeze_avx512(block, keep) }
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn convert_avx512(block: &Block, lower: bool, collapse: bool, out: &mut Block) -> (u64, u64) {
    let within = |x: __m512i, first: u8, count: u8| {
        let x = _mm512_sub_epi8(x, _mm512_set1_epi8(first as i8));
        _mm512_cmplt_epu8_mask(x, _mm512_set1_epi8(count as i8))
    };
    // SAFETY: a block has 64 bytes; the load may be unaligned.
    let x = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    let space = within(x, 9, 5) | within(x, 0x1C, 5);
    let mut y = x;
    if lower {
        y = _mm512_mask_add_epi8(y, within(x, b'A', 26), y, _mm512_set1_epi8(0x20));
    }
    if collapse {
        y = _mm512_mask_mov_epi8(y, space, _mm512_set1_epi8(0x20));
    }
    // SAFETY: a block has 64 bytes; the store may be unaligned.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), y) };
    (space, _mm512_movepi8_mask(x))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
#[inline]
fn squeeze_avx512(block: &mut Block, keep: u64) {
    // SAFETY: a block has 64 bytes; load and store may be unaligned.
    unsafe {
        let x = _mm512_loadu_si512(block.as_ptr().cast());
        let x = _mm512_maskz_compress_epi8(keep, x);
        _mm512_storeu_si512(block.as_mut_ptr().cast(), x);
    }
}
