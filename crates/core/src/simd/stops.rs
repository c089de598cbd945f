//! Which bytes stop a run of plain JSON string contents: one bit a byte, 64 bytes at a time (Langdale and
//! Lemire, "Parsing Gigabytes of JSON per Second", 2019, section 3.1).

use super::ascii::{Block, mask};
use super::by_tier;

/// Blocks looked at in one call.
pub const BLOCKS: usize = 8;

/// What a tier must do: bit `i` tells whether byte `i` is a quote, a backslash or a control character.
trait Kernel: Copy {
    fn mask(self, block: &Block) -> u64;
}

by_tier! {
    /// The masks of the first [`BLOCKS`] blocks of `bytes`; beyond its end nothing stops.
    pub fn stops(bytes: &[u8]) -> [u64; BLOCKS] =
        blocks, scalar: Scalar, avx2: super::proof::Avx2::here(),
        avx512: super::proof::Avx512::here(), neon: super::proof::Neon::here()
}

#[inline(always)]
fn blocks<K: Kernel>(bytes: &[u8], kernel: K) -> [u64; BLOCKS] {
    let mut masks = [0; BLOCKS];
    let (whole, rest) = bytes.as_chunks::<64>();
    for (mask, block) in masks.iter_mut().zip(whole) {
        *mask = kernel.mask(block);
    }
    if let Some(mask) = masks.get_mut(whole.len())
        && !rest.is_empty()
    {
        let mut padded = [b' '; 64];
        padded[..rest.len()].copy_from_slice(rest);
        *mask = kernel.mask(&padded);
    }
    masks
}

/// The twin in plain Rust.
#[derive(Clone, Copy)]
struct Scalar;

impl Kernel for Scalar {
    #[inline(always)]
    fn mask(self, block: &Block) -> u64 {
        mask(block, |byte| (byte == b'"') | (byte == b'\\') | (byte < 0x20))
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "unaligned loads; each block says why it is sound")]
mod x86;

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "calls of functions compiled for NEON")]
mod neon;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Tier;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn masks_are_the_definition_in_every_tier(
            bytes in prop::collection::vec(any::<u8>(), 0..600), near: bool,
        ) {
            let odd = [0x1f, 0x20, b'"', b'\\', 0x7f, 0x80, 0xff, 0x9f];
            let bytes: Vec<u8> =
                bytes.iter().map(|&b| if near { odd[b as usize % 8] } else { b }).collect();
            let mut expected = [0; BLOCKS];
            for (i, &byte) in bytes.iter().enumerate().take(64 * BLOCKS) {
                let stop = matches!(byte, b'"' | b'\\' | 0..0x20);
                expected[i / 64] |= u64::from(stop) << (i % 64);
            }
            for tier in Tier::available() {
                prop_assert_eq!(stops(tier, &bytes), expected, "{}", tier.name());
            }
        }
    }
}
