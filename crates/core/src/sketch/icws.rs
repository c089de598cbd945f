//! Improved Consistent Weighted Sampling (Ioffe, ICDM 2010, Algorithm 1): one exact sample of a weighted set a slot.
//!
//! ```text
//! r, c ~ Gamma(2, 1), beta ~ U(0, 1)     of element and slot alone, the same in every set
//! t = floor(ln(w) / r + beta)            w the weight of the element in the set
//! ln a = ln c - r (t - beta + 1)
//! S[j] = 32 bits of a hash of (element, t), for the element of least a
//! ```
//! A slot of two sets is equal with probability sum(min) / sum(max) = J, and slots are independent:
//! Var = J (1-J) / k. O(n k): every element is tried in every slot. A slot is a name and no minimum, so signatures do
//! not merge. Logarithms are those of [`crate::simd::icws::ln`], the same bits on every machine.

use super::{EMPTY, Identity, Params, Scratch, Sketch, weights};
use crate::Result;
use crate::hash::{mix, splitmix};
use crate::simd::{Tier, icws as kernel};
use weights::Weighed;

/// Registry name.
pub const NAME: &str = "icws";
/// Bumped whenever any output changes.
const VERSION: u32 = 1;

/// Improved Consistent Weighted Sampling.
pub struct IcwsSketch {
    size: usize,
    seed: u64,
    key: u64,
    tier: Tier,
}

/// Builds the sketch from checked parameters.
pub fn build(params: Params) -> Result<Box<dyn Sketch>> {
    let Params { size, seed, tier, .. } = params.without_rounds(NAME)?;
    Ok(Box::new(IcwsSketch { size, seed, key: splitmix(seed, 0), tier }))
}

/// Working memory of a thread.
#[derive(Default)]
struct Work {
    set: Vec<Weighed>,
    least: Vec<f64>,
}

impl IcwsSketch {
    fn draw(&self, set: &[Weighed], least: &mut Vec<f64>, out: &mut [u32]) {
        out.fill(EMPTY);
        least.clear();
        least.resize(self.size, f64::INFINITY);
        for &(hash, weight) in set {
            kernel::least(self.tier, mix(hash ^ self.key), kernel::ln(weight), least, out);
        }
    }
}

impl Sketch for IcwsSketch {
    fn identity(&self) -> Identity {
        let Self { size, seed, .. } = *self;
        Identity { name: NAME, version: VERSION, size, seed, rounds: 0 }
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sketch(&self, hashes: &[u64], scratch: &mut Scratch, out: &mut [u32]) {
        let Work { set, least } = scratch.of();
        weights::counted(hashes, set);
        self.draw(set, least, out);
    }

    fn weigh(
        &self,
        hashes: &[u64],
        weights: &[f64],
        scratch: &mut Scratch,
        out: &mut [u32],
    ) -> Result<()> {
        let Work { set, least } = scratch.of();
        weights::merged(hashes, weights, set)?;
        self.draw(set, least, out);
        Ok(())
    }

    fn weighs_repeats(&self) -> bool {
        true
    }

    fn merges(&self) -> bool {
        false
    }

    fn std_err(&self, j: f64, _m: u64) -> f64 {
        (j * (1.0 - j) / self.size as f64).max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tier_gives_the_same_bits() {
        for size in [1, 7, 8, 64, 130] {
            for n in [0u64, 1, 2, 9, 200] {
                let hashes: Vec<u64> = (0..n).map(mix).collect();
                let weights: Vec<f64> =
                    (0..n).map(|i| f64::from_bits(splitmix(3, i) >> 2)).collect();
                let all: Vec<Vec<u32>> = Tier::available()
                    .into_iter()
                    .map(|tier| {
                        let params = Params { size, seed: 1, rounds: None, tier };
                        let mut out = vec![7; size];
                        let sketch = build(params).unwrap();
                        sketch.weigh(&hashes, &weights, &mut Scratch::default(), &mut out).unwrap();
                        out
                    })
                    .collect();
                assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "k={size} n={n}");
                assert_eq!(all[0].contains(&EMPTY), n == 0);
            }
        }
    }
}
