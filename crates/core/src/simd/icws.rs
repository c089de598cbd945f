//! One element in all slots of Improved Consistent Weighted Sampling, and the logarithm it draws with.

use super::by_tier;
use crate::hash::mix;

/// The step of SplitMix64.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;
/// 2^52: the float64 with these bits in front holds a whole number in its last 52.
const WHOLE: f64 = 4_503_599_627_370_496.0;
/// 2^-52.
const LAST: f64 = 1.0 / WHOLE;
/// Bits of the square root of 1/2, rounded down.
const ROOT_HALF: u64 = 0x3FE6_A09E_667F_3BCC;

/// 1/21, 1/19 ... 1: what follows 1/23 in the series of the logarithm.
const SERIES: [f64; 11] = [
    1.0 / 21.0,
    1.0 / 19.0,
    1.0 / 17.0,
    1.0 / 15.0,
    1.0 / 13.0,
    1.0 / 11.0,
    1.0 / 9.0,
    1.0 / 7.0,
    1.0 / 5.0,
    1.0 / 3.0,
    1.0,
];

by_tier! {
    /// Puts the element into every slot where its value is below the least so far.
    ///
    /// Draw i of slot j is `mix(state + GAMMA (3j + i + 1))`. Equal values are decided by the smaller name, so that
    /// the order of elements does not matter.
    pub fn least(state: u64, log_weight: f64, least: &mut [f64], slots: &mut [u32]) = least_body
}

#[inline(always)]
fn least_body(state: u64, log_weight: f64, least: &mut [f64], slots: &mut [u32]) {
    let mut draw = state;
    let mut next = || {
        draw = draw.wrapping_add(GAMMA.wrapping_mul(3));
        draw
    };
    for (least, slot) in least.iter_mut().zip(slots) {
        let first = next();
        let r = -log_of_product(mix(first.wrapping_sub(GAMMA.wrapping_mul(2))));
        let c = -log_of_product(mix(first.wrapping_sub(GAMMA)));
        let beta = (whole(mix(first) >> 12) + 0.5) * LAST;
        let t = (log_weight / r + beta).floor() + 0.0; // never -0
        let value = log(c) - r * (t - beta + 1.0);
        let name = ((mix(state ^ t.to_bits()) >> 32) as u32).min(u32::MAX - 1);
        let wins = value < *least || (value == *least && name < *slot);
        *least = if wins { value } else { *least };
        *slot = if wins { name } else { *slot };
    }
}

/// ln(u v) of two numbers in (0, 1), the halves of a word: minus a draw of Gamma(2, 1).
#[inline(always)]
fn log_of_product(word: u64) -> f64 {
    let (high, low) = (whole(word >> 32), whole(word & 0xFFFF_FFFF));
    log((high + 0.5) * ((low + 0.5) * (LAST / 4096.0)))
}

/// A whole number below 2^52 as a float64; every tier can do this.
#[inline(always)]
fn whole(value: u64) -> f64 {
    f64::from_bits(value | WHOLE.to_bits()) - WHOLE
}

/// ln(x) for any x > 0.
pub fn ln(x: f64) -> f64 {
    if x >= f64::MIN_POSITIVE { log(x) } else { log(x * WHOLE) - 52.0 * std::f64::consts::LN_2 }
}

/// ln(x) for normal x > 0, to an ulp or two, and to the same bit everywhere: x = m 2^e with m nearest to 1, and
/// ln m = 2 artanh s = 2 (s + s^3 / 3 + s^5 / 5 ...) for s = (m-1) / (m+1), |s| < .172.
#[inline(always)]
fn log(x: f64) -> f64 {
    let above = x.to_bits().wrapping_sub(ROOT_HALF);
    let power = above & 0xFFF0_0000_0000_0000; // e, in place
    let m = f64::from_bits(x.to_bits().wrapping_sub(power));
    // e + 2048 is a whole number of 12 bits whatever its sign
    let e = whole((above >> 52) ^ 0x800) - 2048.0;
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let sum = SERIES.iter().fold(1.0 / 23.0, |sum, &next| sum * z + next);
    e * std::f64::consts::LN_2 + 2.0 * s * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;

    #[test]
    fn the_logarithm_is_right_to_two_ulps() {
        let near = |x: f64| {
            let (found, expected) = (ln(x), x.ln());
            assert!((found - expected).abs() <= 4e-16 * expected.abs().max(0.35), "{x}: {found}");
        };
        for i in 0..100_000 {
            near(f64::from_bits(splitmix(1, i) >> 1 & !(1 << 62)));
            near((splitmix(2, i) as f64 + 0.5) / 18_446_744_073_709_551_616.0);
            near(1.0 + (splitmix(3, i) % 4096) as f64 * f64::EPSILON);
        }
        for x in [f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), 0.5f64.sqrt(), 1.0 - f64::EPSILON]
        {
            near(x);
        }
        assert_eq!((ln(1.0), ln(2.0)), (0.0, std::f64::consts::LN_2));
    }
}
