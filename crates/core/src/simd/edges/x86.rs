//! Class masks, and their bits as positions, in registers of 256 and 512 bits.

use super::{Block, Class, Kernel};
use crate::simd::proof::{Avx2, Avx512};
use std::arch::x86_64::*;

impl Kernel for Avx2 {
    #[inline(always)]
    fn mask(self, block: &Block, class: Class) -> (u64, u64) {
        // SAFETY: `self` shows that the machine has AVX2.
        unsafe { mask_avx2(block, class) }
    }
}

impl Kernel for Avx512 {
    #[inline(always)]
    fn mask(self, block: &Block, class: Class) -> (u64, u64) {
        // SAFETY: `self` shows that the machine has AVX-512 F and BW.
        unsafe { mask_avx512(block, class) }
    }

    #[inline(always)]
    fn spread(self, base: usize, bits: u64, slots: &mut [usize; 64]) {
        // SAFETY: `self` shows that the machine has AVX-512 F and VBMI2.
        unsafe { spread_avx512(base, bits, slots) }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn mask_avx2(block: &Block, class: Class) -> (u64, u64) {
    let within = |x: __m256i, first: u8, count: u8| {
        let x = _mm256_sub_epi8(x, _mm256_set1_epi8(first as i8));
        _mm256_cmpeq_epi8(_mm256_min_epu8(x, _mm256_set1_epi8(count as i8 - 1)), x)
    };
    let or = |a, b| _mm256_or_si256(a, b);
    let (mut masks, mut others) = ([0u64; 2], [0u64; 2]);
    for (half, (mask, other)) in masks.iter_mut().zip(&mut others).enumerate() {
        // SAFETY: 32 bytes from 0 or 32 of a block of 64; the load may be unaligned.
        let x = unsafe { _mm256_loadu_si256(block.as_ptr().add(32 * half).cast()) };
        *other = u64::from(_mm256_movemask_epi8(x) as u32);
        *mask = match class {
            Class::Word => {
                let letter = within(or(x, _mm256_set1_epi8(0x20)), b'a', 26);
                let low_line = _mm256_cmpeq_epi8(x, _mm256_set1_epi8(b'_' as i8));
                let word = or(or(letter, within(x, b'0', 10)), low_line);
                u64::from(_mm256_movemask_epi8(word) as u32)
            }
            Class::Ink => {
                let space = or(within(x, 9, 5), within(x, 0x1C, 5));
                u64::from(!_mm256_movemask_epi8(space) as u32)
            }
        };
    }
    (masks[0] | masks[1] << 32, others[0] | others[1] << 32)
}

/// The numbers of the bits, a byte each, are moved together in a register, then widened.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
#[inline]
fn spread_avx512(base: usize, bits: u64, slots: &mut [usize; 64]) {
    const NUMBERS: [u8; 64] = {
        let mut numbers = [0; 64];
        let mut i = 0;
        while i < 64 {
            numbers[i] = i as u8;
            i += 1;
        }
        numbers
    };
    let mut packed = [0u8; 64];
    // SAFETY: both arrays have 64 bytes; load and store may be unaligned.
    unsafe {
        let numbers = _mm512_loadu_si512(NUMBERS.as_ptr().cast());
        let numbers = _mm512_maskz_compress_epi8(bits, numbers);
        _mm512_storeu_si512(packed.as_mut_ptr().cast(), numbers);
    }
    let base = _mm512_set1_epi64(base as i64);
    let eights = packed.as_chunks::<8>().0.iter().zip(slots.as_chunks_mut::<8>().0);
    for (packed, slots) in eights.take(bits.count_ones().div_ceil(8) as usize) {
        // SAFETY: eight bytes are read and eight slots of eight bytes written, both may be unaligned.
        unsafe {
            let eight = _mm_loadl_epi64(packed.as_ptr().cast());
            let eight = _mm512_add_epi64(_mm512_cvtepu8_epi64(eight), base);
            _mm512_storeu_si512(slots.as_mut_ptr().cast(), eight);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn mask_avx512(block: &Block, class: Class) -> (u64, u64) {
    let within = |x: __m512i, first: u8, count: u8| {
        let x = _mm512_sub_epi8(x, _mm512_set1_epi8(first as i8));
        _mm512_cmplt_epu8_mask(x, _mm512_set1_epi8(count as i8))
    };
    // SAFETY: a block has 64 bytes; the load may be unaligned.
    let x = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    let mask = match class {
        Class::Word => {
            let letter = within(_mm512_or_si512(x, _mm512_set1_epi8(0x20)), b'a', 26);
            let low_line = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(b'_' as i8));
            letter | within(x, b'0', 10) | low_line
        }
        Class::Ink => !(within(x, 9, 5) | within(x, 0x1C, 5)),
    };
    (mask, _mm512_movepi8_mask(x))
}
