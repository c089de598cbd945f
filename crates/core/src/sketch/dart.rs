//! DartMinHash (Christiani 2020, arXiv 2005.11547): weighted minwise hashing in O(n + k log k), exact for real weights.
//!
//! ```text
//! darts of x   a Poisson process of rate 1 over weight > 0, rank > 0: one and the same for x in every set
//! hit          a dart of weight below that of x in the set; it has a bin, uniform in 0 .. k-1
//! S[j]         = the least rank of the hits in bin j
//! ```
//! Of two sets the first dart in a bin hits both with probability sum(min) / sum(max) = J, and bins are independent:
//! Var = J (1-J) / k. A coordinate-wise minimum, hence order and repeats do not matter, and the minimum of two
//! signatures is that of the larger weight of each element. The paper hashes darts and normalises weights; here a
//! slot is the rank itself, so that signatures merge, and any float64 may be a weight.
//!
//! Darts are drawn by tiles, a tile of area A with Poisson(A) of them, in bands of ranks [2^r, 2^(r+1)):
//!
//! ```text
//! tile (0, r, c)        weights [c, c+1) 2^-r, ranks of band r, area 1                       c = 1, 2, ...
//! tile (q, b), q = 1-8  weights [2^-q, 2^(1-q)) 2^-r, any of the bands r = B b .. B b + B-1, area B 2^-q
//! tile (9, b)           weights [0, 2^-8) 2^-r, the same with B = 64
//! ```
//! B = 1, 2, 4, 8, 8 ... 8 for q = 1 .. 8: an element of small weight looks at some tiles, most of them without a dart,
//! and not at one for each band down to 0. Bands are read upwards until no bin is empty, which takes some k ln k darts;
//! more than 64 bands below the first, where a set has a dart once in 10^16, are left out. Whole numbers, comparisons
//! and powers of two are all there is: the same bits on every machine.

use super::{EMPTY, Identity, Params, Scratch, Sketch, weights};
use crate::Result;
use crate::hash::{mix, splitmix};
use weights::Weighed;

/// Registry name.
pub const NAME: &str = "dart";
/// Bumped whenever any output changes.
const VERSION: u32 = 1;
/// The step of SplitMix64, here from draw to draw of a tile, and from tile to tile of a row.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;
/// Tells kinds and bands of tiles apart.
const TILE: u64 = 0xD1B5_4A32_D192_ED03;
/// Bands read below the one where darts are expected.
const DEPTH: i32 = 64;
/// The kind of the tiles that reach down to weight 0.
const LOWEST: i32 = 9;
/// Binary logarithm of B, by kind of tile.
const BITS: [i32; 10] = [0, 0, 1, 2, 3, 3, 3, 3, 3, 6];
/// Bits of a rank within its band; the others number the band.
const WITHIN: u32 = 20;
/// Added to the number of a band in a slot.
const BIAS: i32 = 1 << 11;
/// Bands that a slot can hold.
const BANDS: std::ops::Range<i32> = -BIAS..BIAS - 1;
/// A draw of 32 bits means as many darts as it is at or above these, by kind of tile.
const COUNTS: [[u32; 13]; 10] = {
    let half = poisson(0.606_530_659_712_633_4, 1.0 / 2.0);
    let quarter = poisson(0.778_800_783_071_404_9, 1.0 / 4.0);
    [
        poisson(0.367_879_441_171_442_33, 1.0),
        half,
        half,
        half,
        half,
        quarter,
        poisson(0.882_496_902_584_595_5, 1.0 / 8.0),
        poisson(0.939_413_062_813_475_8, 1.0 / 16.0),
        poisson(0.969_233_234_476_344_1, 1.0 / 32.0),
        quarter,
    ]
};

/// The distribution function of Poisson(area), times 2^32; `none` is exp(-area).
const fn poisson(none: f64, area: f64) -> [u32; 13] {
    let (mut least, mut sum, mut term) = ([0; 13], 0.0, none);
    let mut n = 0;
    while n < 13 {
        sum += term;
        least[n] = (sum * 4_294_967_296.0) as u32;
        term = term * area / (n as f64 + 1.0);
        n += 1;
    }
    least
}

/// DartMinHash with slots that are ranks.
pub struct DartSketch {
    size: usize,
    seed: u64,
    key: u64,
}

/// Builds the sketch from checked parameters.
pub fn build(params: Params) -> Result<Box<dyn Sketch>> {
    let Params { size, seed, .. } = params.without_rounds(NAME)?;
    Ok(Box::new(DartSketch { size, seed, key: splitmix(seed, 0) }))
}

/// One element: the state of its darts, its weight, and the whole part of the weight's binary logarithm.
#[derive(Clone, Copy)]
struct Element {
    state: u64,
    weight: f64,
    log: i32,
}

impl Element {
    /// The weight times 2^band.
    fn scaled(&self, band: i32) -> f64 {
        self.weight * power(band / 2) * power(band - band / 2)
    }
}

/// 2^e for |e| <= 1022.
fn power(e: i32) -> f64 {
    f64::from_bits(((1023 + e) as u64) << 52)
}

/// The whole part of log2(x), for x > 0.
fn log2(x: f64) -> i32 {
    let exponent = |x: f64| (x.to_bits() >> 52) as i32 - 1023;
    if x >= f64::MIN_POSITIVE { exponent(x) } else { exponent(x * power(64)) - 64 }
}

/// A number in (0, 1) from the upper 52 bits.
fn unit(word: u64) -> f64 {
    ((word >> 12) as f64 + 0.5) * power(-52)
}

/// The darts of a tile of some kind, each as the state of its draws.
fn darts(tile: u64, kind: usize) -> impl Iterator<Item = u64> {
    let draw = (tile >> 32) as u32;
    let count = COUNTS[kind].iter().take_while(|&&least| draw >= least).count() as u64;
    (0..count).map(move |dart| tile.wrapping_add(GAMMA.wrapping_mul(2 * dart + 1)))
}

/// The state from which the darts of a tile come.
fn tile(element: &Element, kind: i32, band: i32) -> u64 {
    let id = (kind as u64) << 32 | (band + 2 * BIAS) as u64;
    element.state.wrapping_add(id.wrapping_mul(TILE))
}

impl DartSketch {
    fn throw(&self, set: &[Weighed], total: f64, elements: &mut Vec<Element>, out: &mut [u32]) {
        out.fill(EMPTY);
        elements.clear();
        elements.extend(set.iter().map(|&(hash, weight)| Element {
            state: mix(hash ^ self.key),
            weight,
            log: log2(weight),
        }));
        if elements.is_empty() {
            return;
        }
        // Below 2^first there are half as many darts as the last bin waits for, or as many. Where elements are many,
        // and a look at each costs more than twice the darts, there are twice as many: the signature is the same.
        let bits = self.size.ilog2();
        let many = i32::from(elements.len() > self.size / 2);
        let first = (self.size * (bits as usize + 1)).ilog2() as i32 - 1 + many - log2(total);
        let mut bands = first - many - DEPTH..first;
        while bands.start < BANDS.end {
            for element in elements.iter() {
                self.low(element, &bands, out);
                self.high(element, &bands, out);
            }
            if !out.contains(&EMPTY) {
                return;
            }
            bands = bands.end..bands.end + 1;
        }
    }

    /// Darts of bands that lie below weight 2^-band.
    fn low(&self, element: &Element, bands: &std::ops::Range<i32>, out: &mut [u32]) {
        for kind in 1..=LOWEST {
            let bits = BITS[kind as usize];
            let (least, width) = match kind {
                LOWEST => (0.0, power(1 - kind)),
                _ => (power(-kind), power(-kind)),
            };
            // The tile begins at least * 2^-band, which must be below the weight.
            let start =
                if kind == LOWEST { bands.start } else { bands.start.max(-kind - element.log) };
            if start >= bands.end {
                continue;
            }
            for block in start >> bits..=(bands.end - 1) >> bits {
                for dart in darts(mix(tile(element, kind, block)), kind as usize) {
                    let place = mix(dart);
                    let band = (block << bits) + (place & ((1 << bits) - 1)) as i32;
                    let inside = (start..bands.end).contains(&band);
                    if inside && least + width * unit(place) < element.scaled(band) {
                        self.hit(dart, band, out);
                    }
                }
            }
        }
    }

    /// Darts of bands that lie above weight 2^-band.
    fn high(&self, element: &Element, bands: &std::ops::Range<i32>, out: &mut [u32]) {
        for band in bands.start.max(-element.log)..bands.end {
            let (end, row) = (element.scaled(band), tile(element, 0, band));
            let mut at = 1.0;
            while at < end {
                let tile = mix(row.wrapping_add(GAMMA.wrapping_mul(at as u64)));
                for dart in darts(tile, 0) {
                    if end - at >= 1.0 || unit(mix(dart)) < end - at {
                        self.hit(dart, band, out);
                    }
                }
                at += 1.0;
            }
        }
    }

    /// A dart below the weight: its bin and its rank.
    fn hit(&self, dart: u64, band: i32, out: &mut [u32]) {
        if !BANDS.contains(&band) {
            return;
        }
        let word = mix(dart.wrapping_add(GAMMA));
        let bin = ((word >> 32) * self.size as u64) >> 32;
        let rank = ((band + BIAS) as u32) << WITHIN | (word as u32 & ((1 << WITHIN) - 1));
        let slot = &mut out[bin as usize];
        *slot = rank.min(*slot);
    }
}

/// Working memory of a thread.
#[derive(Default)]
struct Work {
    set: Vec<Weighed>,
    elements: Vec<Element>,
}

impl Sketch for DartSketch {
    fn identity(&self) -> Identity {
        let Self { size, seed, .. } = *self;
        Identity { name: NAME, version: VERSION, size, seed, rounds: 0 }
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sketch(&self, hashes: &[u64], scratch: &mut Scratch, out: &mut [u32]) {
        let Work { set, elements } = scratch.of();
        let total = weights::counted(hashes, set);
        self.throw(set, total, elements, out);
    }

    fn weigh(
        &self,
        hashes: &[u64],
        weights: &[f64],
        scratch: &mut Scratch,
        out: &mut [u32],
    ) -> Result<()> {
        let Work { set, elements } = scratch.of();
        let total = weights::merged(hashes, weights, set)?;
        self.throw(set, total, elements, out);
        Ok(())
    }

    fn weighs_repeats(&self) -> bool {
        true
    }

    fn std_err(&self, j: f64, _m: u64) -> f64 {
        (j * (1.0 - j) / self.size as f64).max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::super::estimate;
    use super::*;
    use crate::simd::Tier;

    fn of(hashes: &[u64], weights: &[f64], size: usize) -> Vec<u32> {
        let params = Params { size, seed: 42, rounds: None, tier: Tier::SCALAR };
        let mut out = vec![7; size];
        let mut scratch = Scratch::default();
        build(params).unwrap().weigh(hashes, weights, &mut scratch, &mut out).unwrap();
        out
    }

    #[test]
    fn the_larger_weights_have_the_minimum_of_two_signatures() {
        for n in [1u64, 2, 10, 300] {
            let hashes: Vec<u64> = (0..n).map(mix).collect();
            let weight = |seed: u64| -> Vec<f64> {
                (0..n).map(|i| unit(splitmix(seed, i)).powi(7) * 1e3).collect()
            };
            for size in [1, 7, 128] {
                let (a, b) = (weight(1), weight(2));
                let larger: Vec<f64> = a.iter().zip(&b).map(|(x, y)| x.max(*y)).collect();
                let least: Vec<u32> = of(&hashes, &a, size)
                    .into_iter()
                    .zip(of(&hashes, &b, size))
                    .map(|(x, y)| x.min(y))
                    .collect();
                assert_eq!(of(&hashes, &larger, size), least);
                assert!(!least.contains(&EMPTY));
            }
        }
    }

    #[test]
    fn a_scale_of_two_moves_every_rank_by_a_band() {
        let hashes: Vec<u64> = (0..50).map(mix).collect();
        let weights: Vec<f64> = (0..50).map(|i| 1.0 + f64::from(i)).collect();
        for e in [-1060, -300, -1, 1, 300, 1000] {
            let scaled: Vec<f64> =
                weights.iter().map(|w| w * power(e / 2) * power(e - e / 2)).collect();
            let (one, other) = (of(&hashes, &weights, 64), of(&hashes, &scaled, 64));
            assert!(!other.contains(&EMPTY), "{e}");
            let band =
                |slots: &[u32]| slots.iter().map(|s| (s >> WITHIN) as f64).sum::<f64>() / 64.0;
            let moved = band(&one) - band(&other) - f64::from(e);
            assert!(moved.abs() < 4.0 * 2.0 / 8.0 * 1.5, "{e}: {moved}");
            assert!(estimate(&one, &other).unwrap() < 0.7);
        }
        assert!(of(&[1], &[f64::MAX], 8).iter().all(|&slot| slot != EMPTY));
        assert!(of(&[1], &[f64::from_bits(1)], 8).iter().all(|&slot| slot != EMPTY));
        assert_eq!(of(&[1], &[0.0], 8), [EMPTY; 8]);
    }
}
