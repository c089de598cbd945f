//! MinHash by the universal family (a y + b) mod 2^61 - 1 (Carter and Wegman, 1979): the textbook's baseline.
//!
//! ```text
//! y(x) = mix(x ^ key) mod p,   p = 2^61 - 1
//! S[j] = (minimum over all x of  (a[j] y + b[j]) mod p) >> 29,   0 < a[j] < p, 0 <= b[j] < p
//! ```
//! A slot keeps the high 32 of 61 bits, hence still an order, and a union still has the minimum. Two minima that
//! differ have equal slots with probability n / 2^33: 1 in 8,600 for a million elements.

use super::{EMPTY, Identity, Params, Scratch, Sketch, cardinality};
use crate::Result;
use crate::hash::{mix, splitmix};
use crate::simd::Tier;
use crate::simd::universal::{self, P};

/// Registry name.
pub const NAME: &str = "minhash61";
/// Bumped whenever any output changes.
const VERSION: u32 = 1;
/// Bits of a minimum that a slot drops.
const DROPPED: u32 = 29;

/// MinHash by a universal family.
pub struct MinHash61 {
    size: usize,
    seed: u64,
    tier: Tier,
    key: u64,
    family: Vec<(u64, u64)>,
}

/// Working memory of a thread: the elements modulo p.
#[derive(Default)]
struct Work(Vec<u64>);

/// Builds the sketch from checked parameters.
pub fn build(params: Params) -> Result<Box<dyn Sketch>> {
    let Params { size, seed, tier, .. } = params.without_rounds(NAME)?;
    let word = |i: usize| splitmix(seed, 1 + i as u64);
    let family = (0..size).map(|j| (1 + word(2 * j) % (P - 1), word(2 * j + 1) % P)).collect();
    Ok(Box::new(MinHash61 { size, seed, tier, key: splitmix(seed, 0), family }))
}

impl Sketch for MinHash61 {
    fn identity(&self) -> Identity {
        let Self { size, seed, .. } = *self;
        Identity { name: NAME, version: VERSION, size, seed, rounds: 0 }
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sketch(&self, hashes: &[u64], scratch: &mut Scratch, out: &mut [u32]) {
        let Work(elements) = scratch.of();
        elements.clear();
        elements.extend(hashes.iter().map(|x| mix(x ^ self.key) % P));
        for (slot, &(a, b)) in out.iter_mut().zip(&self.family) {
            let least = universal::minimum(self.tier, elements, a, b);
            *slot = ((least >> DROPPED) as u32).min(EMPTY - 1);
        }
        if hashes.is_empty() {
            out.fill(EMPTY);
        }
    }

    fn cardinality(&self, slots: &[u32]) -> Option<(f64, f64)> {
        Some(cardinality::of_uniform(slots))
    }

    fn std_err(&self, j: f64, _: u64) -> f64 {
        (j * (1.0 - j) / self.size as f64).max(0.0).sqrt()
    }
}
