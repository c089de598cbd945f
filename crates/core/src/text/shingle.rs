//! Shingles of N units as 64-bit integers, without building strings.
//!
//! * N characters of 21 bits or N bytes of 9 bits that fit in 63 bits are packed: nothing is lost.
//! * Otherwise n units t_1 .. t_n give `mix(sum of t_j * BASE^(n - j) mod 2^64)`, but one hashed token
//!   is its own hash.
//!
//! A text of fewer than N units is one shingle of all of them; no unit, no shingle.

use super::tokenize::Unit;
use crate::simd::{Tier, combine};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
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
}
