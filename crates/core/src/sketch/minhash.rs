//! MinHash (Broder, "On the resemblance and containment of documents", 1997): k minima of k hash functions.
//!
//! ```text
//! y(x) = mix(x ^ key), z and w its high and low half
//! S[j] = minimum over all x of  f[j] * z + w  mod 2^32
//! f[128 b + 16 v + l] = mul[16 b + l] + v * step[16 b + l],   v = 0..7, l = 0..15, steps odd
//! ```
//! Each function is affine in z after a seeded bijective mix; w is drawn for the element, not for the slot, so
//! that any two slots have 64 random bits between them and are independent up to the few low bits in which
//! their factors agree. The progression of factors turns seven products of eight into sums. Three slots of one
//! progression are not independent; they lie 16 apart, which no band of up to 32 rows can hold.

use super::{EMPTY, Identity, Params, Scratch, Sketch, cardinality};
use crate::Result;
use crate::hash::splitmix;
use crate::simd::Tier;
use crate::simd::affine::{self, BLOCK, LANES};

/// Registry name.
pub const NAME: &str = "minhash";
/// Bumped whenever any output changes.
const VERSION: u32 = 1;

/// MinHash by 32-bit affine functions.
pub struct MinHash {
    size: usize,
    seed: u64,
    tier: Tier,
    key: u64,
    mul: Vec<u32>,
    step: Vec<u32>,
}

/// Builds the sketch from checked parameters.
pub fn build(params: Params) -> Result<Box<dyn Sketch>> {
    let Params { size, seed, tier, .. } = params.without_rounds(NAME)?;
    let word = |i: usize| splitmix(seed, 1 + i as u64);
    let lanes = size.div_ceil(BLOCK) * LANES;
    Ok(Box::new(MinHash {
        size,
        seed,
        tier,
        key: splitmix(seed, 0),
        mul: (0..lanes).map(|i| (word(i) >> 32) as u32).collect(),
        step: (0..lanes).map(|i| word(i) as u32 | 1).collect(),
    }))
}

impl Sketch for MinHash {
    fn identity(&self) -> Identity {
        let Self { size, seed, .. } = *self;
        Identity { name: NAME, version: VERSION, size, seed, rounds: 0 }
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sketch(&self, hashes: &[u64], _: &mut Scratch, out: &mut [u32]) {
        out.fill(EMPTY);
        affine::minima(self.tier, hashes, self.key, &self.mul, &self.step, out);
        if !hashes.is_empty() {
            // the very last value is given up for "empty"
            out.iter_mut().for_each(|slot| *slot = (*slot).min(EMPTY - 1));
        }
    }

    fn cardinality(&self, slots: &[u32]) -> Option<(f64, f64)> {
        Some(cardinality::of_uniform(slots))
    }

    fn std_err(&self, j: f64, _: u64) -> f64 {
        (j * (1.0 - j) / self.size as f64).max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn every_tier_gives_the_definition() {
        let hashes: Vec<u64> = (0..600).map(mix).collect();
        for size in [1, 15, 16, 17, 40, 64, 127, 128, 129, 300] {
            let factor = |j: usize| {
                let word = splitmix(42, (1 + j / BLOCK * LANES + j % LANES) as u64);
                let v = (j % BLOCK / LANES) as u32;
                ((word >> 32) as u32).wrapping_add((word as u32 | 1).wrapping_mul(v))
            };
            for n in [0, 1, 2, 7, 16, 255, 256, 257, 600] {
                let value = |j: usize, x: u64| {
                    let y = mix(x ^ splitmix(42, 0));
                    let product = factor(j).wrapping_mul((y >> 32) as u32);
                    product.wrapping_add(y as u32).min(EMPTY - 1)
                };
                let least = |j| hashes[..n].iter().map(|&x| value(j, x)).min().unwrap_or(EMPTY);
                let expected: Vec<u32> = (0..size).map(least).collect();
                for tier in Tier::available() {
                    let sketch = build(Params { size, seed: 42, rounds: None, tier }).unwrap();
                    let mut out = vec![7; size];
                    sketch.sketch(&hashes[..n], &mut Scratch::default(), &mut out);
                    assert!(out == expected, "k={size} n={n} {}", tier.name());
                }
            }
        }
    }
}
