//! SimHash (Charikar, STOC 2002; Manku, Jain, Das Sarma, WWW 2007): 64 or 128 bits that differ in few places for texts
//! that are almost equal.
//!
//! ```text
//! y(x, w)   = draw w of a SplitMix64 generator whose state is mix(x ^ key)       64 signs for word w
//! bit p     = 1 if more than half of the elements, repeats counted, have a one at p in y(x, p / 64)
//! P(bit p of A differs from that of B) = angle(A, B) / pi, the angle between the vectors of counts
//! ```
//! Each bit says on which side of a random hyperplane the vector of counts lies. Two sets of equal size have the cosine
//! 2J/(1+J). No minimum: it does not merge, and equal slots mean little, so it is compared by the bits that differ.
//! The slots are the 32-bit words, the low one first. All of them [`EMPTY`] is the fingerprint of the empty set and of
//! no other: one that would be all ones, once in 2^64, loses its lowest bit.

use std::f64::consts::PI;

use super::{EMPTY, Identity, Params, Scratch, Sketch};
use crate::hash::splitmix;
use crate::simd::{Tier, fast::GAMMA, ones::ones};
use crate::{Error, Result};

/// Registry name.
pub const NAME: &str = "simhash";
/// Bumped whenever any output changes.
const VERSION: u32 = 1;
/// The sizes there are.
pub const BITS: [usize; 2] = [64, 128];

/// A SimHash of 64 or 128 bits.
pub struct SimHash {
    bits: usize,
    seed: u64,
    key: u64,
    tier: Tier,
}

/// Builds the sketch from checked parameters.
pub fn build(params: Params) -> Result<Box<dyn Sketch>> {
    SimHash::new(params).map(|s| Box::new(s) as Box<dyn Sketch>)
}

impl SimHash {
    /// A fingerprint of `size` bits.
    pub fn new(params: Params) -> Result<Self> {
        let Params { size: bits, seed, rounds, tier } = params;
        if !BITS.contains(&bits) {
            return Err(Error::argument(format!(
                "the size of a simhash is its number of bits, 64 or 128, got {bits}"
            )));
        }
        if let Some(rounds) = rounds {
            return Err(Error::argument(format!("simhash has no rounds, got rounds={rounds}")));
        }
        Ok(Self { bits, seed, key: splitmix(seed, 0), tier })
    }
}

impl Sketch for SimHash {
    fn identity(&self) -> Identity {
        Identity { name: NAME, version: VERSION, size: self.bits, seed: self.seed, rounds: 0 }
    }

    fn size(&self) -> usize {
        self.bits / 32
    }

    fn sketch(&self, hashes: &[u64], _: &mut Scratch, out: &mut [u32]) {
        if hashes.is_empty() {
            out.fill(EMPTY);
            return;
        }
        let half = hashes.len() as u64;
        let mut step = 0;
        for pair in out.chunks_mut(2) {
            let mut counts = [0; 64];
            ones(self.tier, hashes, self.key, step, &mut counts);
            step = GAMMA.wrapping_add(step);
            for (slot, counts) in pair.iter_mut().zip(counts.chunks(32)) {
                let bit = |(place, &count): (usize, &u64)| u32::from(2 * count > half) << place;
                *slot = counts.iter().enumerate().map(bit).fold(0, |all, bit| all | bit);
            }
        }
        if out.iter().all(|&slot| slot == EMPTY) {
            out[0] -= 1;
        }
    }

    fn weighs_repeats(&self) -> bool {
        true
    }

    fn merges(&self) -> bool {
        false
    }

    fn fingerprint(&self) -> bool {
        true
    }

    /// Of [`jaccard`], for sets of equal size: the error of the share of bits, to the first order.
    fn std_err(&self, j: f64, _: u64) -> f64 {
        let cosine = 2.0 * j / (1.0 + j);
        let angle = cosine.clamp(-1.0, 1.0).acos();
        let share = angle / PI;
        let slope = 2.0 * PI * angle.sin() / (2.0 - cosine).powi(2);
        slope * (share * (1.0 - share) / self.bits as f64).sqrt()
    }
}

/// Bits in which two fingerprints differ; all of them if either is that of the empty set.
pub fn hamming(a: &[u32], b: &[u32]) -> u32 {
    let empty = |slots: &[u32]| slots.iter().all(|&slot| slot == EMPTY);
    if empty(a) || empty(b) {
        return 32 * a.len().max(b.len()) as u32;
    }
    a.iter().zip(b).map(|(x, y)| (x ^ y).count_ones()).sum()
}

/// The cosine of two vectors of counts whose fingerprints differ in so many bits, estimated; counts are never
/// negative, and neither is it.
pub fn cosine(distance: u32, bits: usize) -> f64 {
    (PI * f64::from(distance) / bits as f64).cos().max(0.0)
}

/// The Jaccard similarity of two sets of equal size whose fingerprints differ in so many bits, estimated.
pub fn jaccard(distance: u32, bits: usize) -> f64 {
    let cosine = cosine(distance, bits);
    cosine / (2.0 - cosine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    fn sketch(bits: usize, tier: Tier, hashes: &[u64]) -> Vec<u32> {
        let sketch = SimHash::new(Params { size: bits, seed: 42, rounds: None, tier }).unwrap();
        let mut out = vec![7; sketch.size()];
        sketch.sketch(hashes, &mut Scratch::default(), &mut out);
        out
    }

    /// The definition at the top of this file.
    fn definition(bits: usize, hashes: &[u64]) -> Vec<u32> {
        let mut slots = vec![0; bits / 32];
        for place in 0..bits {
            let step = GAMMA.wrapping_mul(place as u64 / 64);
            let sign = |x: u64| {
                let y = mix(x ^ splitmix(42, 0));
                let y = if step == 0 { y } else { mix(y.wrapping_add(step)) };
                if y >> (place % 64) & 1 == 1 { 1 } else { -1 }
            };
            let sum: i64 = hashes.iter().map(|&x| sign(x)).sum();
            slots[place / 32] |= u32::from(sum > 0) << (place % 32);
        }
        slots
    }

    #[test]
    fn every_tier_gives_the_definition_and_repeats_weigh() {
        let hashes: Vec<u64> = (0..700).map(|i| mix(i * i % 97)).collect();
        for n in (1..70).chain([254, 255, 256, 257, 700]) {
            for bits in BITS {
                for tier in Tier::available() {
                    assert_eq!(sketch(bits, tier, &hashes[..n]), definition(bits, &hashes[..n]));
                }
            }
        }
        let often = [[1, 2].repeat(300), vec![3; 601]].concat();
        assert_eq!(sketch(128, Tier::best(), &often), sketch(128, Tier::best(), &[3]));
        assert_eq!(sketch(64, Tier::best(), &often)[..], sketch(128, Tier::best(), &often)[..2]);
    }

    #[test]
    fn only_the_empty_set_is_all_ones() {
        assert_eq!(sketch(64, Tier::best(), &[]), [EMPTY; 2]);
        // The element that is drawn as all ones: the mix undone, by the inverses of its odd factors.
        let undo = |mut x: u64| {
            x ^= x >> 31 ^ x >> 62;
            x = x.wrapping_mul(0x3196_42B2_D24D_8EC3);
            x ^= x >> 27 ^ x >> 54;
            x = x.wrapping_mul(0x96DE_1B17_3F11_9089);
            x ^ x >> 30 ^ x >> 60
        };
        let all_ones = undo(u64::MAX) ^ splitmix(42, 0);
        assert_eq!(mix(all_ones ^ splitmix(42, 0)), u64::MAX);
        assert_eq!(sketch(64, Tier::best(), &[all_ones]), [EMPTY - 1, EMPTY]);
        assert_eq!(hamming(&[EMPTY; 2], &[EMPTY; 2]), 64);
        assert_eq!(hamming(&[EMPTY - 1, EMPTY], &[EMPTY - 1, EMPTY]), 0);
    }

    #[test]
    fn estimates_of_what_is_known() {
        assert_eq!((cosine(0, 64), jaccard(0, 64), jaccard(64, 64)), (1.0, 1.0, 0.0));
        assert!((cosine(64, 192) - 0.5).abs() < 1e-12 && cosine(33, 64) == 0.0);
        assert!((jaccard(64, 192) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn other_sizes_and_rounds_are_refused() {
        let params = Params { size: 32, seed: 1, rounds: None, tier: Tier::best() };
        for (size, rounds) in [(1, None), (63, None), (256, None), (64, Some(2))] {
            assert!(build(Params { size, rounds, ..params }).is_err());
        }
    }
}
