//! Two blocks, all pairs of them compared, in registers of 256 and 512 bits.

use super::{BLOCK, Kernel};
use crate::simd::proof::{Avx2, Avx512};
use std::arch::x86_64::*;

impl Kernel for Avx2 {
    #[inline(always)]
    fn shared(self, a: &[u64; BLOCK], b: &[u64; BLOCK]) -> usize {
        // SAFETY: `self` shows that the machine has AVX2.
        unsafe { shared_avx2(a, b) }
    }

    #[inline(always)]
    fn order(self, x: u64, y: u64) -> (bool, bool) {
        order(x, y)
    }
}

impl Kernel for Avx512 {
    #[inline(always)]
    fn shared(self, a: &[u64; BLOCK], b: &[u64; BLOCK]) -> usize {
        // SAFETY: `self` shows that the machine has AVX-512 F.
        unsafe { shared_avx512(a, b) }
    }

    #[inline(always)]
    fn order(self, x: u64, y: u64) -> (bool, bool) {
        order(x, y)
    }
}

/// By a subtraction that the compiler cannot look into: it would make two compares lanes of a vector, and
/// every step wait twice as long for the answer.
#[inline(always)]
fn order(x: u64, y: u64) -> (bool, bool) {
    let mut apart = 0;
    #[allow(unused_unsafe, reason = "a safe function since Rust 1.93")]
    // SAFETY: the instruction belongs to every x86-64.
    let before = unsafe { _subborrow_u64(0, x, y, &mut apart) } != 0;
    (before, !before & (apart != 0))
}

#[target_feature(enable = "avx2")]
#[inline]
fn shared_avx2(a: &[u64; BLOCK], b: &[u64; BLOCK]) -> usize {
    // SAFETY: four 64-bit numbers from 0 or 4 of a block of eight; the loads may be unaligned.
    let half = |block: &[u64; BLOCK], from: usize| unsafe {
        _mm256_loadu_si256(block.as_ptr().add(from).cast())
    };
    let mut count = 0;
    for from in [0, 4] {
        let x = half(a, from);
        let mut found = _mm256_setzero_si256();
        for other in [0, 4] {
            let y = half(b, other);
            let turns = [
                y,
                _mm256_permute4x64_epi64::<0b00_11_10_01>(y),
                _mm256_permute4x64_epi64::<0b01_00_11_10>(y),
                _mm256_permute4x64_epi64::<0b10_01_00_11>(y),
            ];
            for y in turns {
                found = _mm256_or_si256(found, _mm256_cmpeq_epi64(x, y));
            }
        }
        count += _mm256_movemask_pd(_mm256_castsi256_pd(found)).count_ones();
    }
    count as usize
}

#[target_feature(enable = "avx512f")]
#[inline]
fn shared_avx512(a: &[u64; BLOCK], b: &[u64; BLOCK]) -> usize {
    // SAFETY: eight 64-bit numbers are 64 bytes; the load may be unaligned.
    let x = unsafe { _mm512_loadu_si512(a.as_ptr().cast()) };
    // Spread by the load, which leaves the one port for compares to them.
    let is = |y: u64| _mm512_cmpeq_epi64_mask(x, _mm512_set1_epi64(y as i64));
    let found =
        (is(b[0]) | is(b[1]) | is(b[2]) | is(b[3])) | (is(b[4]) | is(b[5]) | is(b[6]) | is(b[7]));
    found.count_ones() as usize
}
