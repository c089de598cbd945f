//! Empty slots in registers of 512 bits, which move lanes by a mask.

use super::{Kernel, LANES};
use crate::simd::proof::Avx512;
use std::arch::x86_64::*;

impl Kernel for Avx512 {
    #[inline(always)]
    fn pick(self, empty: u32, slots: &[u32], from: &[u32], into: &mut [u32]) -> usize {
        // SAFETY: `self` shows that the machine has AVX-512 F.
        unsafe { pick_avx512(empty, slots, from, into) }
    }

    #[inline(always)]
    fn place(self, empty: u32, values: &[u32], slots: &mut [u32]) {
        // SAFETY: as above.
        unsafe { place_avx512(empty, values, slots) }
    }
}

/// The first lanes of a vector, a bit each.
fn first(lanes: usize) -> u16 {
    ((1u32 << lanes.min(LANES)) - 1) as u16
}

/// Compressed in a register and stored whole: compressing stores are slow on some machines.
#[target_feature(enable = "avx512f")]
#[inline]
fn pick_avx512(empty: u32, slots: &[u32], from: &[u32], into: &mut [u32]) -> usize {
    let empty = _mm512_set1_epi32(empty as i32);
    let mut count = 0;
    for (slots, from) in slots.chunks(LANES).zip(from.chunks(LANES)) {
        let Some(room) = into.get_mut(count..).and_then(|into| into.first_chunk_mut::<LANES>())
        else {
            break;
        };
        let lanes = first(slots.len().min(from.len()));
        // SAFETY: the mask keeps to the lanes of both; there is room for a vector.
        unsafe {
            let slots = _mm512_maskz_loadu_epi32(lanes, slots.as_ptr().cast());
            let wanted = _mm512_mask_cmpeq_epi32_mask(lanes, slots, empty);
            let from = _mm512_maskz_loadu_epi32(lanes, from.as_ptr().cast());
            let packed = _mm512_maskz_compress_epi32(wanted, from);
            _mm512_storeu_si512(room.as_mut_ptr().cast(), packed);
            count += wanted.count_ones() as usize;
        }
    }
    count
}

#[target_feature(enable = "avx512f")]
#[inline]
fn place_avx512(empty: u32, values: &[u32], slots: &mut [u32]) {
    let none = _mm512_set1_epi32(empty as i32);
    let mut count = 0;
    for slots in slots.chunks_mut(LANES) {
        let values = values.get(count..).unwrap_or_default();
        let lanes = first(slots.len());
        // SAFETY: the masks keep to the lanes of `slots` and of what is left of `values`.
        unsafe {
            let old = _mm512_maskz_loadu_epi32(lanes, slots.as_ptr().cast());
            let wanted = _mm512_mask_cmpeq_epi32_mask(lanes, old, none);
            let left = first(values.len());
            let values = _mm512_mask_loadu_epi32(none, left, values.as_ptr().cast());
            let new = _mm512_mask_expand_epi32(old, wanted, values);
            _mm512_mask_storeu_epi32(slots.as_mut_ptr().cast(), lanes, new);
            count += wanted.count_ones() as usize;
        }
    }
}
