//! One-permutation hashing (Li, Owen, Zhang 2012) with optimal densification (Shrivastava 2017, arXiv 1703.04664).
//!
//! ```text
//! y(x)    = mix(x ^ key): x falls into bin  hi32(y) * k >> 32  with a value of 31 bits, the low ones of y
//! S[j]    = 2 * (minimum of bin j)             where bin j is occupied
//! S[j]    = S[b] + 1, borrowed from bin b      where it is not
//! draws of j = SplitMix64 from the state splitmix(seed, 1 + j)
//! b       = the first occupied one of  hi32(draw i of j) * k >> 32,  i = 0 .. 31; if none is,
//!           the occupied bin with the least draw 32 + b of j
//! ```
//! One hash an element, whatever k. The rule by which a slot borrows ranks all bins in an order that does not
//! depend on the set, so two sets that both lack bin j borrow from one bin or match nowhere, and P(match) = J.
//! The paper draws until a bin is occupied; the bound keeps a set of one element in 65,536 slots from four
//! billion draws. A borrowed slot is odd, an own one even: they never meet, and what the bins held before is
//! still to be seen, see [`estimate_raw`]. A union does not have the minimum: it may occupy a bin in which
//! both have borrowed.

use super::{EMPTY, Identity, Params, Scratch, Sketch};
use crate::hash::splitmix;
use crate::simd::{Tier, fast as kernel};
use crate::{Error, Result};

/// Registry name.
pub const NAME: &str = "oph";
/// Bumped whenever any output changes.
const VERSION: u32 = 1;
/// Draws after which an empty slot compares all occupied bins instead.
const DRAWS: u64 = 32;
/// Above so many elements the moments of the number of occupied bins say what its distribution would.
const FEW: u64 = 256;

/// One-permutation hashing with optimal densification.
pub struct Oph {
    size: usize,
    seed: u64,
    tier: Tier,
    key: u64,
}

/// Working memory of a thread: the occupied bins, and their values by number of bin.
#[derive(Default)]
struct Work {
    occupied: Vec<u32>,
    bins: Vec<u32>,
    throws: kernel::Throws,
}

/// Builds the sketch from checked parameters.
pub fn build(params: Params) -> Result<Box<dyn Sketch>> {
    let Params { size, seed, tier, .. } = params.without_rounds(NAME)?;
    Ok(Box::new(Oph { size, seed, tier, key: splitmix(seed, 0) }))
}

impl Oph {
    /// The value that slot `j` borrows.
    fn borrowed(&self, j: usize, work: &Work) -> u32 {
        let start = splitmix(self.seed, 1 + j as u64);
        let draw = |i: u64| splitmix(start, i);
        let drawn = (0..DRAWS).map(|i| (((draw(i) >> 32) * self.size as u64) >> 32) as usize);
        let mut values = drawn.map(|bin| work.bins[bin]);
        if let Some(value) = values.find(|&value| value != EMPTY) {
            return value;
        }
        let least = work.occupied.iter().min_by_key(|&&bin| draw(DRAWS + u64::from(bin)));
        least.map_or(EMPTY, |&bin| work.bins[bin as usize])
    }
}

impl Sketch for Oph {
    fn identity(&self) -> Identity {
        let Self { size, seed, .. } = *self;
        Identity { name: NAME, version: VERSION, size, seed, rounds: 0 }
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sketch(&self, hashes: &[u64], scratch: &mut Scratch, out: &mut [u32]) {
        out.fill(EMPTY);
        if hashes.is_empty() {
            return;
        }
        let work: &mut Work = scratch.of();
        kernel::round_below(self.tier, hashes, self.key, EMPTY, out, &mut work.throws);
        work.bins.clear();
        work.bins.extend_from_slice(out);
        work.occupied.clear();
        let bins = (0..).zip(out.iter());
        work.occupied.extend(bins.filter(|&(_, &value)| value != EMPTY).map(|(bin, _)| bin));
        for (j, slot) in out.iter_mut().enumerate() {
            let own = *slot != EMPTY;
            let value = if own { *slot } else { self.borrowed(j, work) };
            // the very last value is given up for "empty"
            *slot = value.min((EMPTY >> 1) - 1) << 1 | u32::from(!own);
        }
    }

    fn merges(&self) -> bool {
        false
    }

    fn std_err(&self, j: f64, m: u64) -> f64 {
        (j * (1.0 - j) / self.size as f64 * rho(self.size, m)).max(0.0).sqrt()
    }
}

/// Share of equal bins among those that either set occupies: unbiased, and better than all slots for small sets.
///
/// 0 where both sets are empty. Its variance is J(1-J)/k [`rho_raw`].
pub fn estimate_raw(a: &[u32], b: &[u32]) -> Result<f64> {
    if a.len() != b.len() {
        return Err(Error::mismatch(format!(
            "signatures of {} and {} slots cannot be compared; sketch both with one size",
            a.len(),
            b.len()
        )));
    }
    let (mut equal, mut occupied) = (0u32, 0u32);
    for (&a, &b) in a.iter().zip(b) {
        let own = a & b & 1 == 0;
        occupied += u32::from(own);
        equal += u32::from(own && a == b);
    }
    Ok(f64::from(equal) / f64::from(occupied.max(1)))
}

/// Variance of the share of equal slots as a multiple of MinHash's J(1-J)/k, exactly, for `m` elements in the union.
///
/// Of N occupied bins the winners are a random sample of the union, and the k - N others borrow from one of them
/// at random. Let p be the expected number of ordered pairs of slots with one source,
/// E\[k(k-1)/N - (N-1)\]; then `rho = ((k + p) m - k^2) / (k (m-1))`.
pub fn rho(k: usize, m: u64) -> f64 {
    if m < 2 || k < 2 {
        return 1.0;
    }
    let (mean, inverse) = occupied(k, m);
    let (k, m) = (k as f64, m as f64);
    let one_source = k * (k - 1.0) * inverse - mean + 1.0;
    ((k + one_source) * m - k * k) / (k * (m - 1.0))
}

/// The same for [`estimate_raw`]: `k (m E[1/N] - 1) / (m-1)`.
pub fn rho_raw(k: usize, m: u64) -> f64 {
    if m < 2 || k < 2 {
        return 1.0;
    }
    let (_, inverse) = occupied(k, m);
    k as f64 * (m as f64 * inverse - 1.0) / (m as f64 - 1.0)
}

/// E\[N\] and E\[1/N\] of the number N of bins that `m` elements occupy.
fn occupied(k: usize, m: u64) -> (f64, f64) {
    if m > FEW {
        // 1/N to the second order about the mean
        let (k, m) = (k as f64, m as f64);
        let (one, two) = ((1.0 - 1.0 / k).powf(m), (1.0 - 2.0 / k).powf(m));
        let mean = k * (1.0 - one);
        let variance = k * ((k - 1.0) * two + one - k * one * one);
        return (mean, (1.0 + variance.max(0.0) / (mean * mean)) / mean);
    }
    let most = k.min(m as usize);
    let mut chance = vec![0.0; most + 1];
    chance[0] = 1.0;
    for _ in 0..m {
        for n in (1..=most).rev() {
            let (hit, new) = (n as f64 / k as f64, (k + 1 - n) as f64 / k as f64);
            chance[n] = chance[n] * hit + chance[n - 1] * new;
        }
        chance[0] = 0.0;
    }
    let counted = (1..=most).map(|n| (n as f64, chance[n]));
    counted.fold((0.0, 0.0), |(mean, inverse), (n, p)| (mean + n * p, inverse + p / n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moments_take_over_where_the_distribution_ends() {
        for k in [2, 16, 128, 256, 1000, 65_536] {
            let moments = |m: f64| {
                let k = k as f64;
                let (one, two) = ((1.0 - 1.0 / k).powf(m), (1.0 - 2.0 / k).powf(m));
                let mean = k * (1.0 - one);
                (mean, (1.0 + (k * ((k - 1.0) * two + one - k * one * one)) / mean / mean) / mean)
            };
            let (exact, near) = (occupied(k, FEW), moments(FEW as f64));
            assert!((exact.0 / near.0 - 1.0).abs() < 1e-9, "{k}");
            assert!((exact.1 / near.1 - 1.0).abs() < 1e-5, "{k} {exact:?} {near:?}");
        }
    }

    #[test]
    fn rho_is_what_was_measured() {
        for (m, all, raw) in [(16, 1.42, 0.535), (128, 0.95, 0.59), (1024, 0.89, 0.887)] {
            assert!((rho(128, m) - all).abs() < 0.02, "{m}: {}", rho(128, m));
            assert!((rho_raw(128, m) - raw).abs() < 0.02, "{m}: {}", rho_raw(128, m));
        }
        assert_eq!((rho(1, 9), rho(9, 1), rho_raw(1, 9)), (1.0, 1.0, 1.0));
    }
}
