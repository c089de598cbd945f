//! Shingles of N units as 64-bit integers, without building strings.
//!
//! * N characters of 21 bits or N bytes of 9 bits that fit in 63 bits are packed: nothing is lost.
//! * Otherwise n units t_1 .. t_n give `mix(sum of t_j * BASE^(n - j) mod 2^64)`, but one hashed token
//!   is its own hash.
//!
//! A text of fewer than N units is one shingle of all of them; no unit, no shingle.
//!
//! Characters and bytes are hashed under another hash than the default only: then a shingle is the hash
//! of its bytes. A fraction of the shingles (FracMinHash; Irber et al. 2022) is those whose mixed
//! number is small, whatever the text.

use super::tokenize::Unit;
use crate::hash::{mix, splitmix};
use crate::simd::{Tier, combine};
use crate::token_hash::TokenHash;
use crate::{Error, Result};

/// Replaces the units of a text by its shingles of `size` units, in text order and with repeats.
pub fn shingle(tier: Tier, unit: Unit, size: usize, units: &mut Vec<u64>) {
    let n = size.min(units.len());
    if n == 0 {
        return;
    }
    match unit.width() {
        Some(width) if size as u64 * u64::from(width) <= 63 => combine::pack(tier, units, n, width),
        None if n == 1 => {}
        _ => combine::polynomial(tier, units, n),
    }
}

/// Replaces units by the hashes of the bytes of runs of `size`; `bytes` appends those of a unit.
pub fn hashed(hash: TokenHash, size: usize, bytes: fn(u64, &mut Vec<u8>), units: &mut Vec<u64>) {
    let (n, count) = (size.min(units.len()), units.len());
    if n == 0 {
        return;
    }
    let mut text = Vec::with_capacity(3 * count);
    let mut ends = Vec::with_capacity(count + 1);
    ends.push(0);
    for &unit in &*units {
        bytes(unit, &mut text);
        ends.push(text.len());
    }
    units.clear();
    units.extend(ends.iter().zip(&ends[n..]).map(|(&begin, &end)| hash.token(&text[begin..end])));
}

/// Which shingles stay: a share of all there could be, the same ones in every text.
#[derive(Clone, Copy, PartialEq)]
pub struct Fraction {
    share: f64,
    limit: u64,
}

/// Not the mix of any sketch, so that what stays looks like any other set to it.
const SALT: u64 = splitmix(0, 1);

impl Fraction {
    /// A share above 0 and below 1.
    pub fn new(share: f64) -> Result<Fraction> {
        if share > 0.0 && share < 1.0 {
            // A product below 2^64; the cast rounds down.
            return Ok(Fraction { share, limit: (share * 2f64.powi(64)) as u64 });
        }
        Err(Error::argument(format!(
            "fraction: {share} is not allowed; write a number above 0 and below 1, such as 0.01"
        )))
    }

    /// Whether a shingle stays.
    #[inline]
    pub fn keeps(self, shingle: u64) -> bool {
        mix(mix(shingle ^ SALT)) < self.limit
    }
}

/// As people write the share.
impl std::fmt::Display for Fraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::combine::BASE;
    use crate::text::tokenize::{bytes, chars, lines, words};

    fn of(unit: Unit, size: usize, units: &[u64]) -> Vec<u64> {
        let mut units = units.to_vec();
        shingle(Tier::SCALAR, unit, size, &mut units);
        units
    }

    #[test]
    fn definition() {
        let pair = |a: u64, b: u64| mix(a.wrapping_mul(BASE).wrapping_add(b));
        assert_eq!(of(words::UNIT, 2, &[5, 6, 7]), [pair(5, 6), pair(6, 7)]);
        assert_eq!(of(words::UNIT, 1, &[5, 6]), [5, 6]);
        assert_eq!(of(lines::UNIT, 3, &[5]), [5]);
        assert_eq!(of(words::UNIT, 3, &[5, 6]), [pair(5, 6)]);
        assert_eq!(of(chars::UNIT, 2, &[98, 99, 100]), [98 << 21 | 99, 99 << 21 | 100]);
        assert_eq!(of(chars::UNIT, 3, &[98]), [98]);
        assert_eq!(of(chars::UNIT, 4, &[98]), [mix(98)]);
        assert_eq!(of(bytes::UNIT, 7, &[1, 2]), [1 << 9 | 2]);
        assert_eq!(of(bytes::UNIT, 8, &[1, 2]), [pair(1, 2)]);
        assert!(of(words::UNIT, 3, &[]).is_empty());
    }

    #[test]
    fn hashes_of_runs_of_characters() {
        let of = |size| {
            let mut units: Vec<u64> = "字a字".chars().map(|c| u64::from(c) + 1).collect();
            hashed(TokenHash::Murmur128, size, chars::bytes, &mut units);
            units
        };
        let hash = |text: &str| TokenHash::Murmur128.token(text.as_bytes());
        assert_eq!(of(2), [hash("字a"), hash("a字")]);
        assert_eq!(of(1), [hash("字"), hash("a"), hash("字")]);
        assert_eq!(of(9), [hash("字a字")]);
    }

    /// A sample of a share s of n values has n s of them, and a deviation of sqrt(n s (1 - s)).
    #[test]
    fn a_fraction_is_that_fraction() {
        for share in [0.5, 0.1, 0.001] {
            let fraction = Fraction::new(share).unwrap();
            let n = 400_000;
            let kept = (0..n).filter(|&x| fraction.keeps(x)).count() as f64;
            let n = n as f64;
            assert!((kept - n * share).abs() < 4.0 * (n * share * (1.0 - share)).sqrt(), "{kept}");
        }
        for bad in [0.0, 1.0, -1.0, 2.0, f64::NAN, f64::INFINITY] {
            assert!(Fraction::new(bad).is_err());
        }
        assert_eq!(Fraction::new(0.001).unwrap().to_string(), "0.001");
    }
}
