//! Comparing packed rows: in how many lanes of 1, 2, 4, 8 or 16 bits two rows of words differ.
//!
//! The bits of a lane's difference are folded into its lowest, which are counted for the word at once. Lanes past the
//! end of a row hold zeros on both sides and never differ.

use super::by_tier;

by_tier! {
    /// Lanes that differ; `bits` divides 64.
    pub fn differing(a: &[u64], b: &[u64], bits: u32) -> u64 = differing_body
}

#[inline(always)]
fn differing_body(a: &[u64], b: &[u64], bits: u32) -> u64 {
    match bits {
        1 => counted::<1>(a, b),
        2 => counted::<2>(a, b),
        4 => counted::<4>(a, b),
        8 => counted::<8>(a, b),
        _ => counted::<16>(a, b),
    }
}

/// The lowest bit of each lane.
const fn lowest(bits: u32) -> u64 {
    u64::MAX / ((1 << bits) - 1)
}

#[inline(always)]
fn counted<const BITS: u32>(a: &[u64], b: &[u64]) -> u64 {
    let fold = |x: u64, y: u64| {
        let (mut apart, mut by) = (x ^ y, BITS / 2);
        while by > 0 {
            apart |= apart >> by;
            by /= 2;
        }
        u64::from((apart & lowest(BITS)).count_ones())
    };
    a.iter().zip(b).map(|(&x, &y)| fold(x, y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;
    use crate::simd::Tier;

    #[test]
    fn lane_by_lane_in_every_tier() {
        for words in 0..40u64 {
            let a: Vec<u64> = (0..words).map(|i| splitmix(1, i)).collect();
            // Some lanes of `b` are those of `a`, some differ in one bit only.
            let b: Vec<u64> =
                (0..words).map(|i| a[i as usize] ^ splitmix(2, i) & splitmix(3, i)).collect();
            for bits in [1, 2, 4, 8, 16] {
                let lane = |word: u64, i: u32| word >> (i * bits) & ((1 << bits) - 1);
                let apart = |(&x, &y): (&u64, &u64)| {
                    (0..64 / bits).filter(|&i| lane(x, i) != lane(y, i)).count() as u64
                };
                let expected: u64 = a.iter().zip(&b).map(apart).sum();
                for tier in Tier::available() {
                    assert_eq!(differing(tier, &a, &b, bits), expected, "{words} {bits}");
                }
            }
        }
    }
}
