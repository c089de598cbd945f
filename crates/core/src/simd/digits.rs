//! Which bytes may belong to a decimal digit: those of ASCII, and all that are not ASCII.

use super::ascii::{self, Block};
use super::by_tier;

by_tier! {
    /// Replaces `masks` by one bit a byte of `text`, 64 bytes a word.
    pub fn digits(text: &[u8], masks: &mut Vec<u64>) =
        digits_body, scalar: Twin, avx2: Twin, avx512: Twin, neon: super::proof::Neon::here()
}

/// What a tier must do.
trait Kernel: Copy {
    /// The bits of a block.
    #[inline(always)]
    fn mask(self, block: &Block) -> u64 {
        ascii::mask(block, |b| b.is_ascii_digit() | !b.is_ascii())
    }
}

/// The twin in plain Rust, of which the compiler makes the vectors of other machines.
#[derive(Clone, Copy)]
struct Twin;

impl Kernel for Twin {}

#[inline(always)]
fn digits_body<K: Kernel>(text: &[u8], masks: &mut Vec<u64>, kernel: K) {
    let (blocks, rest) = text.as_chunks::<64>();
    masks.clear();
    masks.extend(blocks.iter().map(|block| kernel.mask(block)));
    if !rest.is_empty() {
        let mut last = [b' '; 64];
        last[..rest.len()].copy_from_slice(rest);
        masks.push(kernel.mask(&last));
    }
}

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "calls of functions compiled for NEON")]
mod neon;

/// Whether one of the bits `begin..end` is set; a range of a word's length mostly lies in one.
#[inline]
pub fn within(masks: &[u64], begin: usize, end: usize) -> bool {
    let upto = |end: usize| u64::MAX >> (63 - (end - 1) % 64);
    let (Some(last), true) = (end.checked_sub(1).map(|last| last / 64), begin < end) else {
        return false;
    };
    let first = begin / 64;
    let Some(masks) = masks.get(first..=last) else { return false };
    let inside = |(i, &mask): (usize, &u64)| {
        let mask = if i == 0 { mask & u64::MAX << (begin % 64) } else { mask };
        if first + i == last { mask & upto(end) } else { mask }
    };
    masks.iter().enumerate().any(|each| inside(each) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Tier;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_with_a_digit_in_every_tier(text in "[a-z ]{0,90}[0-9é]{0,2}[a-z ]{0,150}") {
            for tier in Tier::available() {
                let mut masks = vec![7; 9];
                digits(tier, text.as_bytes(), &mut masks);
                for begin in 0..=text.len() {
                    for end in [begin, begin + 1, begin + 9, begin + 64, begin + 130] {
                        let end = end.min(text.len());
                        let part = &text.as_bytes()[begin..end];
                        let expected = part.iter().any(|b| b.is_ascii_digit() || *b >= 128);
                        prop_assert_eq!(within(&masks, begin, end), expected);
                    }
                }
            }
        }
    }
}
