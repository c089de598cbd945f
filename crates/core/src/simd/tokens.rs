//! XXH3-64 of many short tokens at once: equal to `hash::token` of each.
//!
//! The three formulas for 1-3, 4-8 and 9-16 bytes read the same two words (a token's first and last
//! eight bytes), so a vector of tokens is put through all three and each lane keeps its own: no
//! branch depends on a length, which no predictor could guess. Where 64-bit products are not vector
//! instructions, one token after the other is faster.

use super::{Level, Tier, by_tier};
use crate::hash::{self, short};

/// Bytes that must be readable before and after each token.
pub const MARGIN: usize = 8;

/// Appends the hashes of the tokens `text[begin..end]` of `edges`, moved by `offset`.
///
/// `text` should reach [`MARGIN`] bytes beyond the tokens on both sides; a token that is not so placed
/// is hashed alone.
pub fn hash(tier: Tier, text: &[u8], offset: usize, edges: &[[usize; 2]], out: &mut Vec<u64>) {
    out.reserve(edges.len());
    match tier.0 {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            let mut batch = Batch::default();
            for edges in edges.chunks(LANES) {
                batch.hash(tier, text, offset, edges, out);
            }
        }
        _ => out.extend(edges.iter().map(|e| one(text, offset, e))),
    }
}

fn one(text: &[u8], offset: usize, &[begin, end]: &[usize; 2]) -> u64 {
    hash::token(text.get(offset + begin..offset + end).unwrap_or_default())
}

/// Tokens put through the formulas together.
const LANES: usize = 64;

/// One number a lane.
type Lanes = [u64; LANES];

/// First and last eight bytes, lengths and hashes of a batch of tokens.
struct Batch {
    first: Lanes,
    last: Lanes,
    lens: Lanes,
    hashes: Lanes,
}

impl Default for Batch {
    fn default() -> Self {
        let zeros = [0; LANES];
        Self { first: zeros, last: zeros, lens: zeros, hashes: zeros }
    }
}

impl Batch {
    /// Hashes at most [`LANES`] tokens; lanes left from the batch before are computed and ignored.
    fn hash(
        &mut self,
        tier: Tier,
        text: &[u8],
        offset: usize,
        edges: &[[usize; 2]],
        out: &mut Vec<u64>,
    ) {
        let mut alone = 0u64; // tokens the formulas do not cover
        for (i, &[begin, end]) in edges.iter().enumerate().take(LANES) {
            let (begin, end) = (offset + begin, offset + end);
            let head = text.get(begin..).and_then(|t| t.first_chunk::<8>());
            let tail = text.get(..end).and_then(|t| t.last_chunk::<8>());
            let len = end.wrapping_sub(begin);
            if let (Some(head), Some(tail), 1..=16) = (head, tail, len) {
                self.first[i] = u64::from_le_bytes(*head);
                self.last[i] = u64::from_le_bytes(*tail);
                self.lens[i] = len as u64;
            } else {
                alone |= 1 << i;
            }
        }
        formulas(tier, &self.first, &self.last, &self.lens, &mut self.hashes);
        while alone != 0 {
            let i = alone.trailing_zeros() as usize;
            self.hashes[i] = one(text, offset, &edges[i]);
            alone &= alone - 1;
        }
        out.extend_from_slice(&self.hashes[..edges.len().min(LANES)]);
    }
}

by_tier! {
    fn formulas(first: &Lanes, last: &Lanes, lens: &Lanes, out: &mut Lanes) = lanes,
        scalar: fold_scalar, avx2: fold_scalar, avx512: x86::fold()
}

/// All formulas in all lanes; `fold` gives the two halves of the product of each pair, xored.
#[inline(always)]
fn lanes(
    first: &Lanes,
    last: &Lanes,
    lens: &Lanes,
    out: &mut Lanes,
    fold: impl Fn(&Lanes, &Lanes, &mut Lanes),
) {
    let (mut low, mut high, mut folded) = ([0; LANES], [0; LANES], [0; LANES]);
    for i in 0..LANES {
        (low[i], high[i]) = short::keyed(first[i], last[i]);
    }
    fold(&low, &high, &mut folded);
    for i in 0..LANES {
        let (first, last, len) = (first[i], last[i], lens[i]);
        let tiny = short::tiny(first & 0xFF, first >> (len << 2 & 0x38) & 0xFF, last >> 56, len);
        let small = short::small(first & 0xFFFF_FFFF, last >> 32, len);
        let medium = short::medium(low[i], high[i], folded[i], len);
        let larger = if len > 8 { medium } else { small };
        out[i] = if len > 3 { larger } else { tiny };
    }
}

/// The twin.
#[inline(always)]
fn fold_scalar(a: &Lanes, b: &Lanes, out: &mut Lanes) {
    for i in 0..LANES {
        let product = u128::from(a[i]) * u128::from(b[i]);
        out[i] = product as u64 ^ (product >> 64) as u64;
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "unaligned loads and stores; each block says why it is sound")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    /// The kernel; it can be had only inside functions compiled for AVX-512 F and DQ.
    #[target_feature(enable = "avx512f,avx512dq")]
    #[inline]
    pub fn fold() -> impl Fn(&Lanes, &Lanes, &mut Lanes) {
        // The closure inherits the features of this function.
        |a, b, out| fold_avx512(a, b, out)
    }

    /// The upper half of a product comes from 32-bit pieces.
    #[target_feature(enable = "avx512f,avx512dq")]
    #[inline]
    fn fold_avx512(a: &Lanes, b: &Lanes, out: &mut Lanes) {
        let low = _mm512_set1_epi64(0xFFFF_FFFF);
        let eights = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
        for ((a, b), out) in eights.zip(out.as_chunks_mut::<8>().0) {
            // SAFETY: eight 64-bit numbers are 64 bytes; the loads may be unaligned.
            let (a, b) = unsafe {
                (_mm512_loadu_si512(a.as_ptr().cast()), _mm512_loadu_si512(b.as_ptr().cast()))
            };
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
            // SAFETY: as for the loads.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), folded) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_at_every_place_in_every_tier() {
        let text: Vec<u8> = (0..400u64).map(|i| hash::mix(i) as u8).collect();
        let mut edges = Vec::new();
        for len in 1..40 {
            edges.extend([[0, len], [7, 7 + len], [100, 100 + len], [392, 392 + len.min(8)]]);
            edges.push([400 - len, 400]);
        }
        for tier in Tier::available() {
            let mut out = Vec::new();
            hash(tier, &text, 0, &edges, &mut out);
            let expected: Vec<u64> = edges.iter().map(|&[b, e]| hash::token(&text[b..e])).collect();
            assert_eq!(out, expected, "{tier:?}");
            let mut moved = Vec::new();
            hash(tier, &text, 3, &[[97, 102]], &mut moved);
            assert_eq!(moved, [hash::token(&text[100..105])]);
        }
    }

    #[test]
    fn extreme_factors_fold_alike() {
        let words = [0, 1, u64::MAX, 1 << 32, u64::MAX << 32, 0xFFFF_FFFF, 1 << 63, hash::mix(5)];
        for first in words {
            for last in words {
                // Under the keys, so that the factors are these very words.
                let (a, b) = short::keyed(first, last);
                let expected = hash::token(&[a.to_le_bytes(), b.to_le_bytes()].concat());
                for tier in Tier::available() {
                    let mut out = [0; LANES];
                    formulas(tier, &[a; LANES], &[b; LANES], &[16; LANES], &mut out);
                    assert_eq!(out, [expected; LANES], "{tier:?}");
                }
            }
        }
    }
}
