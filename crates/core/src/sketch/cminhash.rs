//! C-MinHash-(sigma, pi) (Li and Li 2022, arXiv 2109.03337): one permutation, shifted from slot to slot.
//!
//! ```text
//! sigma(x) = hi32(mix(x ^ key)), a place in a circle of D = 2^32
//! S[j]     = minimum over all x of  pi(sigma(x) + j mod D),   pi one fixed permutation of the circle
//! ```
//! The paper keeps one permutation instead of k, and has less variance than MinHash: by the exact
//! `rho = 1 - (k-1)/(m-1) E[c / (2m - c)]`, c the number of the m elements whose neighbour at a given distance
//! on the circle is one too, on average m(m-1)/(D-1). That is .94 to .88 for k = 128 in a universe of 1024, and
//! 1 to seven digits in this one. Text has no small universe, so here it is MinHash at a higher price: for
//! comparison. The twin in `neardup.reference` takes any universe and permutation.

use super::{EMPTY, Identity, Params, Scratch, Sketch, cardinality};
use crate::Result;
use crate::hash::{mix, splitmix};
use crate::simd::{Tier, circulant};

/// Registry name.
pub const NAME: &str = "cminhash";
/// Bumped whenever any output changes.
const VERSION: u32 = 1;

/// C-MinHash on a circle of 2^32.
pub struct CMinHash {
    size: usize,
    seed: u64,
    tier: Tier,
    key: u64,
}

/// Working memory of a thread: the places of the elements.
#[derive(Default)]
struct Work(Vec<u32>);

/// Builds the sketch from checked parameters.
pub fn build(params: Params) -> Result<Box<dyn Sketch>> {
    let Params { size, seed, tier, .. } = params.without_rounds(NAME)?;
    Ok(Box::new(CMinHash { size, seed, tier, key: splitmix(seed, 0) }))
}

impl Sketch for CMinHash {
    fn identity(&self) -> Identity {
        let Self { size, seed, .. } = *self;
        Identity { name: NAME, version: VERSION, size, seed, rounds: 0 }
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sketch(&self, hashes: &[u64], scratch: &mut Scratch, out: &mut [u32]) {
        out.fill(EMPTY);
        let Work(places) = scratch.of();
        places.clear();
        places.extend(hashes.iter().map(|x| (mix(x ^ self.key) >> 32) as u32));
        circulant::minima(self.tier, places, out);
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

    #[test]
    fn every_tier_gives_the_definition() {
        let hashes: Vec<u64> = (0..300).map(mix).collect();
        for size in [1, 63, 64, 65, 200] {
            for n in [0, 1, 5, 255, 256, 257, 300] {
                let place = |x: u64| (mix(x ^ splitmix(42, 0)) >> 32) as u32;
                let value = |j: u32, x| circulant::permute(place(x).wrapping_add(j)).min(EMPTY - 1);
                let least = |j| hashes[..n].iter().map(|&x| value(j, x)).min().unwrap_or(EMPTY);
                let expected: Vec<u32> = (0..size).map(least).collect();
                for tier in Tier::available() {
                    let params = Params { size: size as usize, seed: 42, rounds: None, tier };
                    let mut out = vec![7; size as usize];
                    build(params).unwrap().sketch(&hashes[..n], &mut Scratch::default(), &mut out);
                    assert!(out == expected, "k={size} n={n} {}", tier.name());
                }
            }
        }
    }
}
