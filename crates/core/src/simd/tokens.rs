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
            for edges in edges.chunks(LANES) {
                many(text, offset, edges, out, tier);
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

fn many(text: &[u8], offset: usize, edges: &[[usize; 2]], out: &mut Vec<u64>, tier: Tier) {
    let (mut first, mut last, mut lens) = ([0; LANES], [0; LANES], [0; LANES]);
    let mut alone = 0u64; // tokens the formulas do not cover
    for (i, &[begin, end]) in edges.iter().enumerate().take(LANES) {
        let (begin, end) = (offset + begin, offset + end);
        let head = text.get(begin..).and_then(|t| t.first_chunk::<8>());
        let tail = text.get(..end).and_then(|t| t.last_chunk::<8>());
        let len = end.wrapping_sub(begin);
        if let (Some(head), Some(tail), 1..=16) = (head, tail, len) {
            first[i] = u64::from_le_bytes(*head);
            last[i] = u64::from_le_bytes(*tail);
            lens[i] = len as u64;
        } else {
            alone |= 1 << i;
        }
    }
    let mut hashes = [0; LANES];
    formulas(tier, &first, &last, &lens, &mut hashes);
    while alone != 0 {
        let i = alone.trailing_zeros() as usize;
        hashes[i] = one(text, offset, &edges[i]);
        alone &= alone - 1;
    }
    out.extend_from_slice(&hashes[..edges.len().min(LANES)]);
}

/// One number a lane.
type Lanes = [u64; LANES];

by_tier! {
    fn formulas(first: &Lanes, last: &Lanes, lens: &Lanes, out: &mut Lanes) = lanes
}

#[inline(always)]
fn lanes(first: &Lanes, last: &Lanes, lens: &Lanes, out: &mut Lanes) {
    // A loop of its own: 128-bit products are no vector instructions, all the rest is.
    let mut folded = [0; LANES];
    for i in 0..LANES {
        let (low, high) = short::keyed(first[i], last[i]);
        let product = u128::from(low) * u128::from(high);
        folded[i] = product as u64 ^ (product >> 64) as u64;
    }
    for i in 0..LANES {
        let (first, last, len) = (first[i], last[i], lens[i]);
        let tiny = short::tiny(first & 0xFF, first >> (len << 2 & 0x38) & 0xFF, last >> 56, len);
        let small = short::small(first & 0xFFFF_FFFF, last >> 32, len);
        let (low, high) = short::keyed(first, last);
        let medium = short::medium(low, high, folded[i], len);
        let larger = if len > 8 { medium } else { small };
        out[i] = if len > 3 { larger } else { tiny };
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
}
