//! Shingles from units, in place: each unit is replaced by a function of itself and its successors.

use super::by_tier;
use crate::hash;

/// The odd base of the polynomial: the first output of SplitMix64 seeded with 0.
pub const BASE: u64 = hash::splitmix(0, 0);

/// Above this many units the rolling form costs less than the direct one.
const DIRECT: usize = 8;

/// Outputs computed side by side.
const LANES: usize = 32;

by_tier! {
    /// `units[i] = mix(sum of units[i + j] * BASE^(n - 1 - j), j < n)`; the last n - 1 are dropped.
    pub fn polynomial(units: &mut Vec<u64>, n: usize) = polynomial_body
}

by_tier! {
    /// `units[i] = units[i] << (n - 1) * width | ... | units[i + n - 1]`; the last n - 1 are dropped.
    pub fn pack(units: &mut Vec<u64>, n: usize, width: u32) = pack_body
}

#[inline(always)]
fn polynomial_body(units: &mut Vec<u64>, n: usize) {
    if n <= DIRECT {
        windows(units, n, |acc, unit| acc.wrapping_mul(BASE).wrapping_add(unit), hash::mix);
    } else {
        rolling(units, n);
    }
}

#[inline(always)]
fn pack_body(units: &mut Vec<u64>, n: usize, width: u32) {
    windows(units, n, |acc, unit| acc << width | unit, |acc| acc);
}

/// Folds each window of n units. An output is written only after all windows that begin before it are
/// read, so the units are their own output.
#[inline(always)]
fn windows(
    units: &mut Vec<u64>,
    n: usize,
    fold: impl Fn(u64, u64) -> u64,
    finish: impl Fn(u64) -> u64,
) {
    let count = (units.len() + 1).saturating_sub(n);
    let mut at = 0;
    while at < count {
        let lanes = LANES.min(count - at);
        let mut acc = [0; LANES];
        if lanes == LANES {
            for j in at..at + n {
                for (acc, &unit) in acc.iter_mut().zip(&units[j..j + LANES]) {
                    *acc = fold(*acc, unit);
                }
            }
        } else {
            for (i, acc) in acc.iter_mut().enumerate().take(lanes) {
                *acc = units[at + i..at + i + n].iter().fold(0, |acc, &unit| fold(acc, unit));
            }
        }
        for acc in &mut acc {
            *acc = finish(*acc);
        }
        units[at..at + lanes].copy_from_slice(&acc[..lanes]);
        at += lanes;
    }
    units.truncate(count);
}

/// The same polynomial, each from the one before (Karp and Rabin 1987).
#[inline(always)]
fn rolling(units: &mut Vec<u64>, n: usize) {
    let count = (units.len() + 1).saturating_sub(n);
    let leaving = (0..n).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let add = |sum: u64, unit: u64| sum.wrapping_mul(BASE).wrapping_add(unit);
    let mut sum = units.iter().take(n - 1).fold(0, |sum, &unit| add(sum, unit));
    let mut gone = 0;
    for i in 0..count {
        sum = add(sum, units[i + n - 1]).wrapping_sub(leaving.wrapping_mul(gone));
        gone = std::mem::replace(&mut units[i], hash::mix(sum));
    }
    units.truncate(count);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Tier;

    #[test]
    fn base_is_fixed_and_odd() {
        assert_eq!(BASE, 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn every_tier_follows_the_definition() {
        for len in [1usize, 2, 5, 31, 32, 33, 100, 131] {
            for n in (1..=len).take(40) {
                let units: Vec<u64> = (0..len as u64).map(hash::mix).collect();
                let sum = |w: &[u64]| {
                    let term = |(j, t): (usize, &u64)| {
                        t.wrapping_mul(BASE.wrapping_pow((n - 1 - j) as u32))
                    };
                    hash::mix(w.iter().enumerate().map(term).fold(0, u64::wrapping_add))
                };
                let expected: Vec<u64> = units.windows(n).map(sum).collect();
                let bytes: Vec<u64> = units.iter().map(|u| u % 256 + 1).collect();
                let packed: Vec<u64> =
                    bytes.windows(n).map(|w| w.iter().fold(0, |a, u| a << 9 | u)).collect();
                for tier in Tier::available() {
                    let mut got = units.clone();
                    polynomial(tier, &mut got, n);
                    assert_eq!(got, expected, "{len} {n} {tier:?}");
                    let mut got = bytes.clone();
                    pack(tier, &mut got, n, 9);
                    assert_eq!(got, packed, "{len} {n} {tier:?}");
                }
            }
        }
    }
}
