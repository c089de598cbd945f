//! Throws in registers of 512 bits, which keep lanes by a mask.

use super::{BLOCK, Bits, FILTERED, GAMMA, Kernel, Only, Throws, stage_base};
use crate::simd::proof::Avx512;
use std::arch::x86_64::*;

/// Lanes computed together.
const LANES: usize = 16;

impl Kernel for Avx512 {
    #[inline(always)]
    fn throw(self, throws: &mut Throws, draws: &[u64], round: u32, slots: usize, only: Only<'_>) {
        // SAFETY: `self` shows that the machine has AVX-512 F and DQ.
        unsafe { throw(throws, draws, round, slots, only) }
    }

    #[inline(always)]
    fn from(self, base: u32, slots: &[u32]) -> Bits {
        // SAFETY: as above.
        unsafe { from(base, slots) }
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn from(base: u32, slots: &[u32]) -> Bits {
    let base = _mm512_set1_epi32(base as i32);
    let mut bits = [0; FILTERED / 32];
    for (word, slots) in bits.iter_mut().zip(slots.chunks(2 * LANES)) {
        for (half, slots) in slots.chunks(LANES).enumerate() {
            let lanes = ((1u32 << slots.len()) - 1) as __mmask16;
            // SAFETY: the mask keeps to the lanes of `slots`.
            let slots = unsafe { _mm512_maskz_loadu_epi32(lanes, slots.as_ptr().cast()) };
            let there = _mm512_mask_cmpge_epu32_mask(lanes, slots, base);
            *word |= u32::from(there) << (LANES * half);
        }
    }
    bits
}

/// `hash::mix` of eight numbers.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn mix(x: __m512i) -> __m512i {
    let times = |x, factor: u64| _mm512_mullo_epi64(x, _mm512_set1_epi64(factor as i64));
    let x = times(_mm512_xor_si512(x, _mm512_srli_epi64::<30>(x)), 0xBF58_476D_1CE4_E5B9);
    let x = times(_mm512_xor_si512(x, _mm512_srli_epi64::<27>(x)), 0x94D0_49BB_1331_11EB);
    _mm512_xor_si512(x, _mm512_srli_epi64::<31>(x))
}

#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn throw(throws: &mut Throws, draws: &[u64], round: u32, slots: usize, only: Only<'_>) {
    let step = _mm512_set1_epi64(GAMMA.wrapping_mul(u64::from(round)) as i64);
    let base = _mm512_set1_epi32(stage_base(round) as i32);
    let mask = _mm512_set1_epi32((u32::MAX >> (round + 1)) as i32);
    let slots = _mm512_set1_epi64(slots as i64);
    let even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    let scaled = |y| _mm512_mul_epu32(_mm512_srli_epi64::<32>(y), slots);
    for part in draws.chunks(LANES) {
        if throws.len > 2 * BLOCK - LANES {
            return; // never: there was room for a block
        }
        let lanes = ((1u32 << part.len()) - 1) as __mmask16;
        // SAFETY: the mask keeps to the lanes of `part`.
        let (mut a, mut b) = unsafe {
            let at = part.as_ptr().cast::<i64>();
            let rest = _mm512_maskz_loadu_epi64((lanes >> 8) as __mmask8, at.wrapping_add(8));
            (_mm512_maskz_loadu_epi64(lanes as __mmask8, at), rest)
        };
        if round > 0 {
            (a, b) = (mix(_mm512_add_epi64(a, step)), mix(_mm512_add_epi64(b, step)));
        }
        let at = _mm512_permutex2var_epi32(scaled(a), odd, scaled(b));
        let low = _mm512_permutex2var_epi32(a, even, b);
        let value = _mm512_or_si512(base, _mm512_and_si512(low, mask));
        let wanted = lanes
            & match only {
                Only::All => lanes,
                Only::Below(most) => _mm512_cmple_epu32_mask(value, _mm512_set1_epi32(most as i32)),
                Only::Into(bits) => {
                    // SAFETY: sixteen words are 64 bytes; the load may be unaligned.
                    let bits = unsafe { _mm512_loadu_si512(bits.as_ptr().cast()) };
                    // `at` < k <= 512, so the word's number is below 16
                    let word = _mm512_permutexvar_epi32(_mm512_srli_epi32::<5>(at), bits);
                    let place = _mm512_and_si512(at, _mm512_set1_epi32(31));
                    let bit = _mm512_srlv_epi32(word, place);
                    _mm512_test_epi32_mask(bit, _mm512_set1_epi32(1))
                }
            };
        // Compressed in a register and stored whole: compressing stores are slow on some machines.
        let at = _mm512_maskz_compress_epi32(wanted, at);
        let value = _mm512_maskz_compress_epi32(wanted, value);
        // SAFETY: sixteen lanes from `len` on lie within the arrays, see above; they may be unaligned.
        unsafe {
            _mm512_storeu_si512(throws.at.as_mut_ptr().add(throws.len).cast(), at);
            _mm512_storeu_si512(throws.value.as_mut_ptr().add(throws.len).cast(), value);
        }
        throws.len += wanted.count_ones() as usize;
    }
}
