//! Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup, FOCS 2017, arXiv 1704.04370), R rounds and a fill.
//!
//! ```text
//! y(x, i)  = draw i of a SplitMix64 generator whose state is mix(x ^ key)
//! round i  : x falls into slot  hi32(y) * k >> 32  with value  stage i | low 31-i bits of y,   i = 0 .. R-1
//! fill     : x goes to every slot j with value          stage R | (mul[j] * hi32(y(x, R)) + add[j]) >> R
//! S[j]     = minimum over all rounds, the fill and all x; stage i sorts before stage i+1
//! ```
//! A coordinate-wise minimum, hence: order and repeats do not matter, signatures merge by minimum, and a slot
//! of A and B is equal exactly when the winner of A u B lies in both. Legal shortcuts, all taken here: stop
//! between rounds when no slot is empty, fill the empty slots only, and look at the small values of a large set
//! first, again at all if a slot stays empty. R is one constant, never a function of
//! the set. Algorithm 1 of the paper has R = k; R = 0 is MinHash. The variance is known exactly, see [`rho`].

mod runners;

use super::{EMPTY, Identity, Params, Scratch, Sketch, cardinality};
use crate::hash::splitmix;
use crate::simd::{Tier, fast as kernel, minima, pick};
use crate::{Error, Result};

/// Registry name.
pub const NAME: &str = "fast";
/// Bumped whenever any output changes.
const VERSION: u32 = 1;
/// Rounds with random slots; the table behind this choice is in docs/design.md.
pub const ROUNDS: u32 = 4;
/// Elements a slot from which on round 0 leaves none empty but once in ten sets of 128 slots.
const MANY: usize = 7;
/// More rounds would leave the fill too few bits to tell elements apart.
pub const MAX_ROUNDS: u32 = 16;

/// Working memory of a thread.
#[derive(Default)]
struct Work {
    draws: Vec<u64>,
    words: Vec<u32>,
    slots: Vec<u32>,
    mul: Vec<u32>,
    add: Vec<u32>,
    throws: kernel::Throws,
}

/// Fast Similarity Sketching with a fixed number of random rounds.
pub struct FastSketch {
    size: usize,
    seed: u64,
    rounds: u32,
    tier: Tier,
    key: u64,
    mul: Vec<u32>,
    add: Vec<u32>,
}

/// Builds the sketch from checked parameters.
pub fn build(params: Params) -> Result<Box<dyn Sketch>> {
    FastSketch::new(params).map(|s| Box::new(s) as Box<dyn Sketch>)
}

impl FastSketch {
    /// A sketch of `size` slots; the constants of the fill are drawn from the seed.
    pub fn new(params: Params) -> Result<Self> {
        let Params { size, seed, rounds, tier } = params;
        let rounds = rounds.unwrap_or(ROUNDS);
        if rounds > MAX_ROUNDS {
            return Err(Error::argument(format!(
                "rounds must be between 0 and {MAX_ROUNDS}, got {rounds}"
            )));
        }
        let word = |i: usize| splitmix(seed, 1 + i as u64);
        Ok(Self {
            size,
            seed,
            rounds,
            tier,
            key: splitmix(seed, 0),
            mul: (0..size).map(|j| (word(j) >> 32) as u32 | 1).collect(),
            add: (0..size).map(|j| word(j) as u32).collect(),
        })
    }

    /// Round 0 of a large set without keeping a draw; whether it has filled every slot, as it nearly always does.
    ///
    /// Of n throws only those below the threshold tau, n tau = k (ln k + 5), are looked at first: some
    /// ln k + 5 a slot, so that one stays empty once in e^5 sets (the coupon collector's bound).
    fn large(&self, hashes: &[u64], throws: &mut kernel::Throws, out: &mut [u32]) -> bool {
        let k = self.size as f64;
        let share = k * (k.ln() + 5.0) / hashes.len() as f64;
        let full = |out: &[u32]| kernel::is_full(self.tier, out, EMPTY);
        if share < 0.5 {
            let most = (share * f64::from(i32::MAX)) as u32;
            kernel::round_below(self.tier, hashes, self.key, most, out, throws);
            if full(out) {
                return true;
            }
        }
        kernel::round_below(self.tier, hashes, self.key, EMPTY, out, throws);
        full(out)
    }

    /// The words of the elements that the fill hashes.
    fn words<'a>(&self, draws: &[u64], words: &'a mut Vec<u32>) -> &'a [u32] {
        words.resize(draws.len(), 0);
        kernel::fill_words(self.tier, draws, self.rounds, words);
        words
    }

    /// H of [`cardinality`]: a slot of n elements is above this value with probability exp(-n H).
    fn hazard(&self, slot: u32) -> f64 {
        if slot == EMPTY {
            return f64::INFINITY;
        }
        let share = if self.size == 1 { 1.0 - f64::EPSILON } else { 1.0 / self.size as f64 };
        let passed = -(-share).ln_1p();
        let round = slot.leading_ones().min(self.rounds);
        // stage i has 31 - i bits of value, the fill as many as are left
        let bits = if round < self.rounds { 31 - round } else { 32 - self.rounds };
        let part = (f64::from(slot & (u32::MAX >> (32 - bits))) + 0.5) / f64::from(bits).exp2();
        let within = if round < self.rounds { share * part } else { part };
        f64::from(round) * passed - (-within).ln_1p()
    }

    /// Fills every slot that is still empty with its minimum over all elements.
    fn fill_empty(&self, work: &mut Work, out: &mut [u32]) {
        let Work { draws, words, slots, mul, add, .. } = work;
        let words = self.words(draws, words);
        mul.resize(out.len() + pick::LANES, 0);
        add.resize(out.len() + pick::LANES, 0);
        let count = pick::pick(self.tier, EMPTY, out, &self.mul, mul);
        pick::pick(self.tier, EMPTY, out, &self.add, add);
        slots.clear();
        slots.resize(count, EMPTY);
        minima::fill(self.tier, words, &mul[..count], &add[..count], self.rounds, slots);
        pick::place(self.tier, EMPTY, slots, out);
    }
}

impl Sketch for FastSketch {
    fn identity(&self) -> Identity {
        let Self { size, seed, rounds, .. } = *self;
        Identity { name: NAME, version: VERSION, size, seed, rounds }
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sketch(&self, hashes: &[u64], scratch: &mut Scratch, out: &mut [u32]) {
        let n = hashes.len();
        out.fill(EMPTY);
        if n == 0 {
            return;
        }
        let work: &mut Work = scratch.of();
        // Few elements leave most slots to the fill: fill them all, and let the rounds undercut.
        if 2 * n * self.rounds as usize <= 3 * self.size {
            work.draws.resize(n, 0);
            kernel::draws(self.tier, hashes, self.key, &mut work.draws);
            let words = self.words(&work.draws, &mut work.words);
            minima::fill(self.tier, words, &self.mul, &self.add, self.rounds, out);
            kernel::all_rounds(self.tier, &work.draws, self.rounds, out, &mut work.throws);
            return;
        }
        if self.rounds > 0 && n > MANY * self.size && self.large(hashes, &mut work.throws, out) {
            return;
        }
        work.draws.resize(n, 0);
        kernel::first_round(self.tier, hashes, self.key, &mut work.draws, out, &mut work.throws);
        for round in 0..self.rounds {
            if round > 0 {
                kernel::round(self.tier, &work.draws, round, out, &mut work.throws);
            }
            // fewer throws than slots cannot have filled them all
            if n * (round as usize + 1) >= self.size && kernel::is_full(self.tier, out, EMPTY) {
                return;
            }
        }
        self.fill_empty(work, out);
    }

    fn cardinality(&self, slots: &[u32]) -> Option<(f64, f64)> {
        Some(cardinality::estimate(slots.iter().map(|&slot| self.hazard(slot)), self.rounds))
    }

    fn runners_up(&self, hashes: &[u64], signature: &[u32], out: &mut [u32]) -> bool {
        self.second(hashes, signature, out);
        true
    }

    fn std_err(&self, j: f64, m: u64) -> f64 {
        (j * (1.0 - j) / self.size as f64 * rho(self.size, m, self.rounds)).max(0.0).sqrt()
    }
}

/// Variance of the estimate as a multiple of MinHash's J(1-J)/k, exactly, for `m` elements in the union.
///
/// Slots won in a random round are won by different elements more often than independent draws would be:
/// `rho = 1 - (k-1) p / (m-1)`, `p` the probability that two given slots are both won in one round.
pub fn rho(k: usize, m: u64, rounds: u32) -> f64 {
    if m < 2 || k < 2 {
        return 1.0;
    }
    let (k, m) = (k as f64, m as f64);
    let a = (1.0 - 1.0 / k).powf(m);
    let b = (1.0 - 2.0 / k).powf(m);
    let p_same = (1.0 - 2.0 * a + b) * (1.0 - b.powi(rounds as i32)) / (1.0 - b);
    1.0 - (k - 1.0) * p_same / (m - 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::estimate;
    use super::*;
    use crate::hash::mix;

    fn sketch(size: usize, rounds: Option<u32>, tier: Tier, hashes: &[u64]) -> Vec<u32> {
        let sketch = FastSketch::new(Params { size, seed: 42, rounds, tier }).unwrap();
        let mut out = vec![7; size];
        // A scratch that another set has used must not show.
        let mut scratch = Scratch::default();
        sketch.sketch(&[1, 2, 3], &mut scratch, &mut out);
        sketch.sketch(hashes, &mut scratch, &mut out);
        out
    }

    /// The definition at the top of this file, with no shortcut.
    fn definition(size: usize, rounds: u32, hashes: &[u64]) -> Vec<u32> {
        let word = |i: usize| splitmix(42, 1 + i as u64);
        let mut slots = vec![EMPTY; size];
        for &x in hashes {
            let y = mix(x ^ splitmix(42, 0));
            let draw = |i: u32| match i {
                0 => y,
                _ => mix(y.wrapping_add(kernel::GAMMA.wrapping_mul(u64::from(i)))),
            };
            for i in 0..rounds {
                let slot = (((draw(i) >> 32) * size as u64) >> 32) as usize;
                let value = kernel::stage_base(i) | (draw(i) as u32 & (u32::MAX >> (i + 1)));
                slots[slot] = slots[slot].min(value);
            }
            let z = (draw(rounds) >> 32) as u32;
            for (j, slot) in slots.iter_mut().enumerate() {
                let (mul, add) = ((word(j) >> 32) as u32 | 1, word(j) as u32);
                let value = mul.wrapping_mul(z).wrapping_add(add) >> rounds;
                *slot = (*slot).min((kernel::stage_base(rounds) | value).min(EMPTY - 1));
            }
        }
        slots
    }

    #[test]
    fn every_shortcut_and_tier_gives_the_definition() {
        let hashes: Vec<u64> = (0..5000).map(|i| mix(i / 2)).collect(); // every element twice
        for size in [1, 7, 128, 130, 512, 520] {
            for n in (0..70).chain([127, 128, 129, 255, 257, 600, 2500, 5000]) {
                for rounds in [0, 1, 4, 16] {
                    let expected = definition(size, rounds, &hashes[..n]);
                    for tier in Tier::available() {
                        let found = sketch(size, Some(rounds), tier, &hashes[..n]);
                        assert!(found == expected, "k={size} n={n} R={rounds} {}", tier.name());
                    }
                }
            }
        }
    }

    #[test]
    fn order_and_merge() {
        let hashes: Vec<u64> = (0..1500).map(mix).collect();
        let reversed: Vec<u64> = hashes.iter().rev().copied().collect();
        let of = |hashes: &[u64]| sketch(128, None, Tier::best(), hashes);
        assert_eq!(estimate(&of(&hashes), &of(&reversed)), Ok(1.0));
        let union: Vec<u32> =
            of(&hashes[..900]).iter().zip(of(&hashes[500..])).map(|(&a, b)| a.min(b)).collect();
        assert_eq!(of(&hashes), union);
    }

    #[test]
    fn rho_is_the_published_table() {
        // Algorithm 1 has as many rounds as slots.
        for (m, expected) in [(4, 0.5), (32, 0.503), (128, 0.538), (1024, 0.876), (4096, 0.969)] {
            assert!((rho(128, m, 128) - expected).abs() < 6e-4, "{m}");
        }
        for (m, expected) in [(16, 0.889), (32, 0.803), (128, 0.600), (512, 0.760), (1334, 0.905)] {
            assert!((rho(128, m, 1) - expected).abs() < 6e-4, "{m}");
        }
        assert_eq!((rho(128, 1000, 0), rho(1, 50, 4), rho(128, 1, 4)), (1.0, 1.0, 1.0));
    }
}
