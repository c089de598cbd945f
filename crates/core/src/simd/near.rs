//! A scan for fingerprints within some bits of one: what an index falls back to where blocks do not pay.

use super::by_tier;

by_tier! {
    /// Appends the numbers, from `first` on, of the fingerprints of `width` words that differ from `probe` in at most
    /// `most` bits, each with its distance.
    pub fn near(words: &[u64], probe: &[u64], most: u32, first: u32, found: &mut Vec<(u32, u32)>) = near_body
}

#[inline(always)]
fn near_body(words: &[u64], probe: &[u64], most: u32, first: u32, found: &mut Vec<(u32, u32)>) {
    match *probe {
        [probe] => {
            for (&word, id) in words.iter().zip(first..) {
                let distance = (word ^ probe).count_ones();
                if distance <= most {
                    found.push((id, distance));
                }
            }
        }
        [low, high] => {
            for (pair, id) in words.chunks_exact(2).zip(first..) {
                let distance = (pair[0] ^ low).count_ones() + (pair[1] ^ high).count_ones();
                if distance <= most {
                    found.push((id, distance));
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;
    use crate::simd::Tier;

    #[test]
    fn one_by_one_in_every_tier() {
        for width in [1, 2] {
            let words: Vec<u64> = (0..200).map(|i| splitmix(1, i) & splitmix(2, i)).collect();
            let probe = &words[..width];
            for most in [0, 10, 24, 40, 128] {
                let apart = |one: &[u64]| -> u32 {
                    one.iter().zip(probe).map(|(x, y)| (x ^ y).count_ones()).sum()
                };
                let all = words.chunks(width).map(apart).zip(9..);
                let expected: Vec<_> =
                    all.filter(|&(d, _)| d <= most).map(|(d, id)| (id, d)).collect();
                for tier in Tier::available() {
                    let mut found = Vec::new();
                    near(tier, &words, probe, most, 9, &mut found);
                    assert_eq!(found, expected, "{width} {most} {}", tier.name());
                }
            }
        }
    }
}
