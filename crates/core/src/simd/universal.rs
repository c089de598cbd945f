//! Minima of (a y + b) mod 2^61 - 1: the inner loop of MinHash by the universal family.

use super::by_tier;

/// The Mersenne prime.
pub const P: u64 = (1 << 61) - 1;

by_tier! {
    /// The least `hash(a, b, y)` over all `ys`, numbers below [`P`]; `u64::MAX` of none.
    pub fn minimum(ys: &[u64], a: u64, b: u64) -> u64 = minimum_body
}

#[inline(always)]
fn minimum_body(ys: &[u64], a: u64, b: u64) -> u64 {
    ys.iter().fold(u64::MAX, |least, &y| least.min(hash(a, b, y)))
}

/// `(a * y + b) mod P` for numbers below P, by products of halves, which registers of any width have.
#[inline(always)]
pub fn hash(a: u64, b: u64, y: u64) -> u64 {
    let low = |v: u64| v & 0xFFFF_FFFF;
    // Halves of 29 and 32 bits: a product is  high 2^64 + middle 2^32 + least,  and 2^61 counts as 1.
    let high = (a >> 32) * (y >> 32);
    let middle = (a >> 32) * low(y) + low(a) * (y >> 32);
    let least = low(a) * low(y);
    let middle = (middle >> 29) + ((middle << 32) & P);
    let sum = (high << 3) + middle + (least & P) + (least >> 61) + b; // below 2^63 + 2^34
    let sum = (sum & P) + (sum >> 61);
    sum.min(sum.wrapping_sub(P))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;

    #[test]
    fn halves_and_folds_are_a_remainder() {
        let ends = [0, 1, 2, 1 << 32, P / 2, P - (1 << 32), P - 2, P - 1];
        let made = (0..200).map(|i| splitmix(3, i) % P);
        let numbers: Vec<u64> = ends.into_iter().chain(made).collect();
        for &a in &numbers {
            for &y in &numbers {
                for b in ends {
                    let exact = (u128::from(a) * u128::from(y) + u128::from(b)) % u128::from(P);
                    assert_eq!(u128::from(hash(a, b, y)), exact, "{a} {b} {y}");
                }
            }
        }
    }
}
