//! The direct fill in registers of 256 and 512 bits.

use super::{BLOCK, Kernel, Slots, stage_base};
use crate::simd::proof::{Avx2, Avx512};
use std::arch::x86_64::*;

impl Kernel for Avx2 {
    #[inline(always)]
    fn block(self, zs: &[u32], mul: &Slots, add: &Slots, shift: u32, out: &mut Slots, used: usize) {
        for first in (0..used.min(BLOCK)).step_by(32) {
            // SAFETY: `self` shows that the machine has AVX2; 32 numbers from 0 or 32 are there.
            unsafe {
                match used - first {
                    0..=8 => block_avx2::<1>(zs, mul, add, shift, out, first),
                    9..=16 => block_avx2::<2>(zs, mul, add, shift, out, first),
                    _ => block_avx2::<4>(zs, mul, add, shift, out, first),
                }
            }
        }
    }
}

impl Kernel for Avx512 {
    #[inline(always)]
    fn block(self, zs: &[u32], mul: &Slots, add: &Slots, shift: u32, out: &mut Slots, used: usize) {
        // SAFETY: `self` shows that the machine has AVX-512 F.
        unsafe {
            match used {
                0..=16 => block_avx512::<1>(zs, mul, add, shift, out),
                17..=32 => block_avx512::<2>(zs, mul, add, shift, out),
                _ => block_avx512::<4>(zs, mul, add, shift, out),
            }
        }
    }
}

/// `N` vectors of eight slots from `first` on, which must be there, stay in registers while all elements pass.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn block_avx2<const N: usize>(
    zs: &[u32],
    mul: &Slots,
    add: &Slots,
    shift: u32,
    out: &mut Slots,
    first: usize,
) {
    // SAFETY: the caller's word; loads and stores may be unaligned.
    unsafe {
        let load = |from: &Slots, i: usize| {
            _mm256_loadu_si256(from.as_ptr().add(first + 8 * i).cast::<__m256i>())
        };
        let m: [__m256i; N] = std::array::from_fn(|i| load(mul, i));
        let a: [__m256i; N] = std::array::from_fn(|i| load(add, i));
        let mut least = [_mm256_set1_epi32(-1); N];
        for &z in zs {
            let z = _mm256_set1_epi32(z as i32);
            for i in 0..N {
                let value = _mm256_add_epi32(_mm256_mullo_epi32(m[i], z), a[i]);
                least[i] = _mm256_min_epu32(least[i], value);
            }
        }
        let (base, most) = (_mm256_set1_epi32(stage_base(shift) as i32), _mm256_set1_epi32(-2));
        let shift = _mm_cvtsi32_si128(shift as i32);
        for (i, least) in least.into_iter().enumerate() {
            let value = _mm256_or_si256(base, _mm256_srl_epi32(least, shift));
            let value = _mm256_min_epu32(_mm256_min_epu32(value, most), load(out, i));
            _mm256_storeu_si256(out.as_mut_ptr().add(first + 8 * i).cast(), value);
        }
    }
}

/// The same with vectors of sixteen, from slot 0 on.
#[target_feature(enable = "avx512f")]
#[inline]
fn block_avx512<const N: usize>(zs: &[u32], mul: &Slots, add: &Slots, shift: u32, out: &mut Slots) {
    const { assert!(N * 16 <= BLOCK) };
    // SAFETY: N vectors lie within a block, see above; loads and stores may be unaligned.
    unsafe {
        let load = |from: &Slots, i: usize| {
            _mm512_loadu_si512(from.as_ptr().add(16 * i).cast::<__m512i>())
        };
        let m: [__m512i; N] = std::array::from_fn(|i| load(mul, i));
        let a: [__m512i; N] = std::array::from_fn(|i| load(add, i));
        let mut least = [_mm512_set1_epi32(-1); N];
        for &z in zs {
            let z = _mm512_set1_epi32(z as i32);
            for i in 0..N {
                let value = _mm512_add_epi32(_mm512_mullo_epi32(m[i], z), a[i]);
                least[i] = _mm512_min_epu32(least[i], value);
            }
        }
        let (base, most) = (_mm512_set1_epi32(stage_base(shift) as i32), _mm512_set1_epi32(-2));
        let shift = _mm_cvtsi32_si128(shift as i32);
        for (i, least) in least.into_iter().enumerate() {
            let value = _mm512_or_si512(base, _mm512_srl_epi32(least, shift));
            let value = _mm512_min_epu32(_mm512_min_epu32(value, most), load(out, i));
            _mm512_storeu_si512(out.as_mut_ptr().add(16 * i).cast(), value);
        }
    }
}
