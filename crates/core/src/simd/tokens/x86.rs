//! Eight tokens in registers of 512 bits, which have 64-bit products.

use super::{BATCH, MARGIN, Tier};
use crate::hash::short;
use std::arch::x86_64::*;

/// Hashes of at most [`BATCH`] tokens; a bit for each that the formulas do not cover.
pub fn hash(
    tier: Tier,
    text: &[u8],
    offset: usize,
    edges: &[[usize; 2]],
    out: &mut [u64; BATCH],
) -> u64 {
    debug_assert_eq!(tier.name(), "avx512");
    // SAFETY: the caller is in the arm of a tier that exists only where the machine has these features.
    unsafe { batch(text, offset, edges, out) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
fn batch(text: &[u8], offset: usize, edges: &[[usize; 2]], out: &mut [u64; BATCH]) -> u64 {
    let mut alone = 0;
    let eights = edges.chunks(8).zip(out.as_chunks_mut::<8>().0).zip((0..).step_by(8));
    for ((edges, out), first) in eights {
        alone |= u64::from(eight(text, offset, edges, out)) << first;
    }
    alone
}

/// Eight tokens at most; lanes without one, and those of the tokens told by a bit, get any number.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
#[inline]
fn eight(text: &[u8], offset: usize, edges: &[[usize; 2]], out: &mut [u64; 8]) -> u8 {
    let set = |x: u64| _mm512_set1_epi64(x as i64);
    let used = ((1u32 << (2 * edges.len().min(8))) - 1) as u16;
    // SAFETY: the masks keep to the numbers of `edges`; the loads may be unaligned.
    let (low, high) = unsafe {
        let at = edges.as_ptr().cast::<i64>();
        let rest = _mm512_maskz_loadu_epi64((used >> 8) as u8, at.wrapping_add(8));
        (_mm512_maskz_loadu_epi64(used as u8, at), rest)
    };
    let even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    let odd = _mm512_add_epi64(even, set(1));
    let begin = _mm512_add_epi64(_mm512_permutex2var_epi64(low, even, high), set(offset as u64));
    let end = _mm512_add_epi64(_mm512_permutex2var_epi64(low, odd, high), set(offset as u64));
    let len = _mm512_sub_epi64(end, begin);
    let all = text.len() as u64;
    let covered = _mm512_cmplt_epu64_mask(_mm512_sub_epi64(len, set(1)), set(16))
        & _mm512_cmple_epu64_mask(end, set(all))
        & _mm512_cmpge_epu64_mask(end, set(MARGIN as u64))
        & _mm512_cmple_epu64_mask(begin, set(all.saturating_sub(MARGIN as u64)))
        & u8::from(text.len() >= MARGIN).wrapping_neg();
    // SAFETY: a lane of `covered` reads eight bytes from `begin` <= all - 8, or up to `end`, 8 <= end <= all.
    let (first, last) = unsafe {
        let base = text.as_ptr().cast::<i64>();
        let back = _mm512_sub_epi64(end, set(MARGIN as u64));
        let zero = _mm512_setzero_si512();
        (
            _mm512_mask_i64gather_epi64::<1>(zero, covered, begin, base),
            _mm512_mask_i64gather_epi64::<1>(zero, covered, back, base),
        )
    };
    let larger = _mm512_mask_blend_epi64(
        _mm512_cmpgt_epu64_mask(len, set(8)),
        small(first, last, len),
        medium(first, last, len),
    );
    let is_tiny = _mm512_cmplt_epu64_mask(len, set(4));
    let hashes = _mm512_mask_blend_epi64(is_tiny, larger, tiny(first, last, len));
    // SAFETY: eight 64-bit numbers are 64 bytes; the store may be unaligned.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), hashes) };
    !covered & ((1u32 << edges.len().min(8)) - 1) as u8
}

/// `x ^ x >> N`.
#[target_feature(enable = "avx512f")]
#[inline]
fn fold_down<const N: u32>(x: __m512i) -> __m512i {
    _mm512_xor_si512(x, _mm512_srli_epi64::<N>(x))
}

/// The product with a constant, mod 2^64.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn times(x: __m512i, factor: u64) -> __m512i {
    _mm512_mullo_epi64(x, _mm512_set1_epi64(factor as i64))
}

/// [`short::tiny`] of each lane.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn tiny(first: __m512i, last: __m512i, len: __m512i) -> __m512i {
    let set = |x: u64| _mm512_set1_epi64(x as i64);
    let byte = set(0xFF);
    let place = _mm512_and_si512(_mm512_slli_epi64::<2>(len), set(0x38));
    let middle = _mm512_and_si512(_mm512_srlv_epi64(first, place), byte);
    let ends = _mm512_or_si512(
        _mm512_slli_epi64::<16>(_mm512_and_si512(first, byte)),
        _mm512_srli_epi64::<56>(last),
    );
    let others = _mm512_or_si512(_mm512_slli_epi64::<24>(middle), _mm512_slli_epi64::<8>(len));
    let h = _mm512_xor_si512(_mm512_or_si512(ends, others), set(short::FLIP_TINY));
    let h = times(fold_down::<33>(h), short::PRIME64_2);
    fold_down::<32>(times(fold_down::<29>(h), short::PRIME64_3))
}

/// [`short::small`] of each lane.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn small(first: __m512i, last: __m512i, len: __m512i) -> __m512i {
    let set = |x: u64| _mm512_set1_epi64(x as i64);
    let both = _mm512_or_si512(_mm512_srli_epi64::<32>(last), _mm512_slli_epi64::<32>(first));
    let h = _mm512_xor_si512(both, set(short::FLIP_SMALL));
    // x ^ y ^ z in one instruction
    let turned = (_mm512_rol_epi64::<49>(h), _mm512_rol_epi64::<24>(h));
    let h = _mm512_ternarylogic_epi64::<0x96>(h, turned.0, turned.1);
    let h = times(h, short::RRMXMX);
    let h = _mm512_xor_si512(h, _mm512_add_epi64(_mm512_srli_epi64::<35>(h), len));
    fold_down::<28>(times(h, short::RRMXMX))
}

/// [`short::keyed`] and [`short::medium`] of each lane; the upper half of the product comes from 32-bit pieces.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
#[inline]
fn medium(first: __m512i, last: __m512i, len: __m512i) -> __m512i {
    let set = |x: u64| _mm512_set1_epi64(x as i64);
    let (a, b) = (
        _mm512_xor_si512(first, set(short::FLIP_LOW)),
        _mm512_xor_si512(last, set(short::FLIP_HIGH)),
    );
    let low = set(0xFFFF_FFFF);
    // By shuffles: shifts would show the compiler a wide product, and it makes those one by one.
    let (a1, b1) = (_mm512_shuffle_epi32::<0xF5>(a), _mm512_shuffle_epi32::<0xF5>(b));
    // At most (2^32 - 1)^2 + 2^32 - 1 each: no sum overflows.
    let carry = _mm512_srli_epi64::<32>(_mm512_mul_epu32(a, b));
    let middle = _mm512_add_epi64(_mm512_mul_epu32(a1, b), carry);
    let other = _mm512_add_epi64(_mm512_mul_epu32(a, b1), _mm512_and_si512(middle, low));
    let upper = _mm512_add_epi64(
        _mm512_add_epi64(_mm512_mul_epu32(a1, b1), _mm512_srli_epi64::<32>(middle)),
        _mm512_srli_epi64::<32>(other),
    );
    let folded = _mm512_xor_si512(upper, _mm512_mullo_epi64(a, b));
    let swap =
        _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    let swapped = _mm512_shuffle_epi8(a, swap);
    let sum = _mm512_add_epi64(_mm512_add_epi64(len, swapped), _mm512_add_epi64(b, folded));
    fold_down::<32>(times(fold_down::<37>(sum), short::PRIME_MX1))
}
