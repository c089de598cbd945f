//! SuperMinHash (Ertl 2017, arXiv 1706.05698): each element falls into every slot once, in an order of its own.
//!
//! ```text
//! y(x, i)     = draw i of a SplitMix64 generator whose state is mix(x ^ key)
//! order of x  = Fisher-Yates: stage i swaps place i with place i + (hi32(y(x, i)) * (k - i) >> 32)
//! stage i     : x falls into the slot at place i with the value  i * 2^f + (lo32(y(x, i)) >> 32 - f)
//! S[j]        = minimum over all x;   f = 32 - (bits of k - 1)
//! ```
//! A slot is a fixed-point number: stage before the point, f bits after it. Large sets win in stage 0, where a
//! slot sees n / k elements, so that two minima that differ have equal slots with probability
//! n / (k 2^(f + 1)) or n / 2^33, as for 32-bit MinHash; small sets win in later stages against few.
//! Stages beyond the largest that any slot holds cannot lower one and are left out (the paper's histogram).

use super::{EMPTY, Identity, Params, Scratch, Sketch};
use crate::Result;
use crate::hash::{mix, splitmix};
use crate::simd::fast::GAMMA;

/// Registry name.
pub const NAME: &str = "superminhash";
/// Bumped whenever any output changes.
const VERSION: u32 = 1;

/// SuperMinHash.
pub struct SuperMinHash {
    size: usize,
    seed: u64,
    key: u64,
    /// Bits after the point.
    fraction: u32,
}

/// Working memory of a thread.
#[derive(Default)]
struct Work {
    /// The order of the element at hand, and which element a place was last written for.
    places: Vec<(u32, u64)>,
    /// How many slots hold a value of each stage.
    stages: Vec<u32>,
}

/// Builds the sketch from checked parameters.
pub fn build(params: Params) -> Result<Box<dyn Sketch>> {
    let Params { size, seed, .. } = params.without_rounds(NAME)?;
    let fraction = (size as u32 - 1).leading_zeros();
    Ok(Box::new(SuperMinHash { size, seed, key: splitmix(seed, 0), fraction }))
}

impl SuperMinHash {
    /// The stage of a value; that of an empty slot is the last.
    fn stage(&self, value: u32) -> usize {
        ((u64::from(value) >> self.fraction) as usize).min(self.size - 1)
    }

    /// The value of a draw in a stage.
    fn value(&self, stage: usize, draw: u64) -> u32 {
        let low = u64::from(draw as u32) >> (32 - self.fraction);
        (((stage as u64) << self.fraction | low) as u32).min(EMPTY - 1)
    }
}

impl Sketch for SuperMinHash {
    fn identity(&self) -> Identity {
        let Self { size, seed, .. } = *self;
        Identity { name: NAME, version: VERSION, size, seed, rounds: 0 }
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sketch(&self, hashes: &[u64], scratch: &mut Scratch, out: &mut [u32]) {
        out.fill(EMPTY);
        let size = self.size;
        let Work { places, stages } = scratch.of();
        places.clear();
        places.resize(size, (0, 0));
        stages.clear();
        stages.resize(size, 0);
        stages[size - 1] = size as u32;
        let mut last = size - 1;
        for (element, &x) in (1..).zip(hashes) {
            let start = mix(x ^ self.key);
            let mut draw = start;
            for stage in 0..size {
                if stage > last {
                    break;
                }
                if stage > 0 {
                    draw = mix(start.wrapping_add(GAMMA.wrapping_mul(stage as u64)));
                }
                let other = stage + (((draw >> 32) * (size - stage) as u64) >> 32) as usize;
                let at = |(slot, of): (u32, u64), place| if of == element { slot } else { place };
                let slot = at(places[other], other as u32);
                places[other] = (at(places[stage], stage as u32), element);
                let kept = &mut out[slot as usize];
                let (value, before) = (self.value(stage, draw), *kept);
                if value < before {
                    *kept = value;
                    let before = self.stage(before);
                    stages[before] -= 1;
                    stages[stage] += 1;
                    while stages[last] == 0 {
                        last -= 1;
                    }
                }
            }
        }
    }

    fn std_err(&self, j: f64, m: u64) -> f64 {
        (j * (1.0 - j) / self.size as f64 * rho(self.size, m)).max(0.0).sqrt()
    }
}

/// Variance of the estimate as a multiple of MinHash's J(1-J)/k, exactly, for `m` elements in the union.
///
/// The paper's alpha(k, m), section 3, each term divided by the denominator's powers so that none overflows:
/// `1 - sum over l of l^m ((l+1)^m + (l-1)^m - 2 l^m) / ((k-1)^(m-1) k^m (m-1))`, l = 1 .. k-1.
pub fn rho(k: usize, m: u64) -> f64 {
    if m < 2 || k < 2 {
        return 1.0;
    }
    let (last, m) = (k as f64 - 1.0, m as f64);
    let whole = (last + 1.0) * last;
    let term = |l: usize| {
        let l = l as f64;
        let power = |other: f64| (l * other / whole).powf(m);
        power(l + 1.0) + power(l - 1.0) - 2.0 * power(l)
    };
    1.0 - (1..k).map(term).sum::<f64>() * last / (m - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Tier;

    /// The definition at the top of this file: every element takes part in every stage.
    fn definition(size: usize, hashes: &[u64]) -> Vec<u32> {
        let fraction = (0..=32).rev().find(|f| size as u64 <= 1 << (32 - f)).unwrap();
        let mut slots = vec![EMPTY; size];
        for &x in hashes {
            let start = mix(x ^ splitmix(42, 0));
            let mut order: Vec<usize> = (0..size).collect();
            for stage in 0..size {
                let draw = match stage {
                    0 => start,
                    _ => mix(start.wrapping_add(GAMMA.wrapping_mul(stage as u64))),
                };
                let other = stage + (((draw >> 32) * (size - stage) as u64) >> 32) as usize;
                order.swap(stage, other);
                let point = f64::from(draw as u32) / 2f64.powi(32 - fraction);
                let value = (stage as f64 * 2f64.powi(fraction) + point.floor()) as u32;
                let slot = &mut slots[order[stage]];
                *slot = (*slot).min(value.min(EMPTY - 1));
            }
        }
        slots
    }

    #[test]
    fn what_the_histogram_leaves_out_changes_nothing() {
        let hashes: Vec<u64> = (0..2000).map(|i| mix(i / 2)).collect(); // every element twice
        for size in [1, 2, 3, 64, 65, 128, 300] {
            let params = Params { size, seed: 42, rounds: None, tier: Tier::best() };
            let sketch = build(params).unwrap();
            let mut scratch = Scratch::default();
            for n in (0..20).chain([63, 130, 500, 2000]) {
                let mut out = vec![7; size];
                sketch.sketch(&hashes[..n], &mut scratch, &mut out);
                assert_eq!(out, definition(size, &hashes[..n]), "k={size} n={n}");
            }
        }
    }

    #[test]
    fn rho_is_that_of_the_paper() {
        for (m, expected) in [(16, 0.487), (128, 0.538), (1024, 0.876)] {
            assert!((rho(128, m) - expected).abs() < 6e-4, "{m}: {}", rho(128, m));
        }
        assert!((rho(65_536, 10_000_000_000) - 1.0).abs() < 1e-4);
        assert_eq!((rho(1, 9), rho(9, 1)), (1.0, 1.0));
    }
}
