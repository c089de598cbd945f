//! Positional population count: how many of many 64-bit draws have a one in each of the 64 places.
//!
//! Eight counters of a byte lie in a word: `lanes[i]` counts places i, 8 + i, .. 56 + i, so that a draw costs a shift,
//! a mask and an addition for eight places, and the compiler makes vectors of the eight words. The bytes are emptied
//! into wide counters before any of them can overflow.

use super::by_tier;
use crate::hash::mix;

/// Draws after which a byte counter may be full.
const FULL: usize = u8::MAX as usize;
/// The lowest bit of each byte.
const LOW: u64 = 0x0101_0101_0101_0101;

by_tier! {
    /// Adds to `counts[place]` the number of elements whose draw `mix(mix(x ^ key) + step)`, or `mix(x ^ key)` for
    /// `step` 0, has a one there.
    pub fn ones(hashes: &[u64], key: u64, step: u64, counts: &mut [u64; 64]) = ones_body
}

#[inline(always)]
fn ones_body(hashes: &[u64], key: u64, step: u64, counts: &mut [u64; 64]) {
    let mut draws = [0; FULL];
    for block in hashes.chunks(FULL) {
        let draws = &mut draws[..block.len()];
        for (y, &x) in draws.iter_mut().zip(block) {
            let first = mix(x ^ key);
            *y = if step == 0 { first } else { mix(first.wrapping_add(step)) };
        }
        let mut lanes = [0u64; 8];
        for &y in draws.iter() {
            for (i, lane) in lanes.iter_mut().enumerate() {
                *lane += (y >> i) & LOW;
            }
        }
        for (i, lane) in lanes.into_iter().enumerate() {
            for (byte, count) in
                lane.to_le_bytes().into_iter().zip(counts[i..].iter_mut().step_by(8))
            {
                *count += u64::from(byte);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;
    use crate::simd::Tier;

    #[test]
    fn every_place_of_every_draw_is_counted_in_every_tier() {
        for n in (0..70).chain([254, 255, 256, 509, 510, 511, 1000]) {
            let hashes: Vec<u64> = (0..n).map(|i| splitmix(3, i)).collect();
            for step in [0, 0x9E37_79B9_7F4A_7C15] {
                let mut expected = [7; 64];
                for &x in &hashes {
                    let first = mix(x ^ 5);
                    let y = if step == 0 { first } else { mix(first.wrapping_add(step)) };
                    for (place, count) in expected.iter_mut().enumerate() {
                        *count += y >> place & 1;
                    }
                }
                for tier in Tier::available() {
                    let mut counts = [7; 64];
                    ones(tier, &hashes, 5, step, &mut counts);
                    assert_eq!(counts, expected, "n={n} {}", tier.name());
                }
            }
        }
    }

    #[test]
    fn no_counter_overflows_however_often_one_element_is_repeated() {
        let hashes = vec![77; 100_000];
        for tier in Tier::available() {
            let mut counts = [0; 64];
            ones(tier, &hashes, 0, 0, &mut counts);
            let y = mix(77);
            for (place, count) in counts.into_iter().enumerate() {
                assert_eq!(count, 100_000 * (y >> place & 1));
            }
        }
    }
}
