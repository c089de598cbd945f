//! XXH3-64 of many short tokens at once: equal to `hash::token` of each.
//!
//! The three formulas for 1-3, 4-8 and 9-16 bytes read the same two words (a token's first and last
//! eight bytes), so a vector of tokens is put through all three and each lane keeps its own: no
//! branch depends on a length, which no predictor could guess. Where 64-bit products are not vector
//! instructions, one token after the other is faster.

#[cfg(target_arch = "x86_64")]
use super::Level;
use super::Tier;
use crate::hash;

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
            let mut hashes = [0; BATCH];
            for edges in edges.chunks(BATCH) {
                let mut alone = x86::hash(tier, text, offset, edges, &mut hashes);
                while alone != 0 {
                    let i = alone.trailing_zeros() as usize;
                    hashes[i] = one(text, offset, &edges[i]);
                    alone &= alone - 1;
                }
                out.extend_from_slice(&hashes[..edges.len()]);
            }
        }
        _ => out.extend(edges.iter().map(|e| one(text, offset, e))),
    }
}

fn one(text: &[u8], offset: usize, &[begin, end]: &[usize; 2]) -> u64 {
    hash::token(text.get(offset + begin..offset + end).unwrap_or_default())
}

/// Tokens hashed between two visits to the result.
#[cfg(target_arch = "x86_64")]
const BATCH: usize = 64;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "gathers within the text; each block says why it is sound")]
mod x86;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::short;

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
                let text = [a.to_le_bytes(), b.to_le_bytes()].concat();
                for tier in Tier::available() {
                    let mut out = Vec::new();
                    super::hash(tier, &text, 0, &[[0, 16]; 9], &mut out);
                    assert_eq!(out, [hash::token(&text); 9], "{tier:?}");
                }
            }
        }
    }

    #[test]
    fn edges_beyond_the_text_are_empty_tokens() {
        for tier in Tier::available() {
            for text in [&b"abcdefghijkl"[..], b"abc", b""] {
                for edge in [[0, 13], [11, 40], [5, 3], [usize::MAX - 3, usize::MAX]] {
                    let mut out = Vec::new();
                    super::hash(tier, text, 0, &[edge], &mut out);
                    assert_eq!(out, [hash::token(b"")], "{tier:?} {edge:?}");
                }
            }
        }
    }
}
