//! Exact Jaccard similarity and containment of shingle sets: sorted slices of distinct 64-bit hashes.
//!
//! A pair passes iff `intersection as f64 / union as f64 >= threshold` in float64, to the last bit. The
//! smallest intersection that passes is found by that very quotient, not by ceil(T / (1 + T) * (a + b)), which
//! in floats asks one too many for some sizes (T = .8: 28 and 35). With it a merge stops as soon as what is
//! left cannot reach it, and sizes that are too far apart are not looked at.

use crate::error::{Error, Result};
use crate::intersect::at_least;
use crate::parallel;
use crate::sketch::simhash;

/// Pairs below which another thread does not pay.
const GRAIN: usize = 256;

/// What stands for the similarity of a pair that did not pass.
pub const FAILED: f64 = -1.0;

/// Shingle sets anywhere in one buffer: set i is `length[i]` values from `start[i]`, ascending and distinct.
#[derive(Clone, Copy, Debug)]
pub struct Sets<'a> {
    values: &'a [u64],
    start: &'a [i64],
    length: &'a [i64],
}

impl<'a> Sets<'a> {
    /// One start and one length a set. That each set is ascending is the caller's word; a set that is not gives
    /// a wrong count, never a crash.
    pub fn new(values: &'a [u64], start: &'a [i64], length: &'a [i64]) -> Result<Self> {
        if start.len() != length.len() {
            return Err(Error::argument(format!(
                "{} starts and {} lengths; a set has one each",
                start.len(),
                length.len()
            )));
        }
        Ok(Self { values, start, length })
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.length.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.length.is_empty()
    }

    /// Set `i`, or an error if it does not lie within the buffer.
    pub fn get(&self, i: u32) -> Result<&'a [u64]> {
        let bound = |bounds: &[i64]| usize::try_from(*bounds.get(i as usize)?).ok();
        let range = bound(self.start).zip(bound(self.length));
        range
            .and_then(|(start, length)| self.values.get(start..start.checked_add(length)?))
            .ok_or_else(|| Error::data(format!("set {i} does not lie within the values")))
    }
}

/// Size of the intersection.
pub fn intersection(a: &[u64], b: &[u64]) -> usize {
    at_least(a, b, 0).unwrap_or(0)
}

/// Exact Jaccard similarity; the empty set has 0 with everything, itself included.
pub fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    quotient(intersection(a, b), a.len(), b.len())
}

/// The share of `a` that is in `b`; 0 for an empty `a`.
pub fn containment(a: &[u64], b: &[u64]) -> f64 {
    if a.is_empty() { 0.0 } else { intersection(a, b) as f64 / a.len() as f64 }
}

/// The intersection and the similarity if the pair passes `threshold`, else nothing, as early as possible.
pub fn passes(a: &[u64], b: &[u64], threshold: f64) -> Option<(usize, f64)> {
    let needed = cut_off(a.len(), b.len(), threshold)?;
    let shared = at_least(a, b, needed)?;
    Some((shared, quotient(shared, a.len(), b.len())))
}

/// The smallest intersection of sets of `a` and `b` elements that passes; `None` if not even the smaller set
/// as a whole would do.
pub fn cut_off(a: usize, b: usize, threshold: f64) -> Option<usize> {
    let most = a.min(b);
    let enough = |shared: usize| quotient(shared, a, b) >= threshold;
    if most == 0 || !enough(most) {
        return None;
    }
    // Within one of the answer; the quotient grows with the intersection, so stepping finds it.
    let guess = threshold / (1.0 + threshold) * (a as f64 + b as f64);
    let mut shared = (guess as usize).min(most);
    while !enough(shared) {
        shared += 1;
    }
    while shared > 0 && enough(shared - 1) {
        shared -= 1;
    }
    Some(shared)
}

/// For each pair of sets the exact Jaccard similarity, or [`FAILED`] if it is below `threshold`.
pub fn verify(
    sets: Sets<'_>,
    a: &[u32],
    b: &[u32],
    threshold: f64,
    threads: usize,
) -> Result<Vec<f64>> {
    for_pairs(sets, a, b, threads, |left, right| {
        passes(left, right, threshold).map_or(FAILED, |(_, jaccard)| jaccard)
    })
}

/// For each pair of sets, whether each has something that the other lacks.
pub fn both_have_more(sets: Sets<'_>, a: &[u32], b: &[u32], threads: usize) -> Result<Vec<bool>> {
    for_pairs(sets, a, b, threads, |left, right| {
        intersection(left, right) < left.len().min(right.len())
    })
}

/// For each pair of signatures of `size` slots the share of slots that agree, or [`FAILED`] below `threshold`.
pub fn estimates(
    signatures: Sets<'_>,
    size: usize,
    a: &[u32],
    b: &[u32],
    threshold: f64,
    threads: usize,
) -> Result<Vec<f64>> {
    if size == 0 {
        return Err(Error::argument("signatures of no slots cannot be compared"));
    }
    for_pairs(signatures, a, b, threads, |left, right| {
        let equal = left.iter().zip(right).filter(|(x, y)| x == y).count();
        let estimate = equal as f64 / size as f64;
        if estimate >= threshold { estimate } else { FAILED }
    })
}

/// For each pair of SimHash fingerprints of `bits` bits the similarity that their distance stands for, or [`FAILED`]
/// below `threshold`.
pub fn fingerprint_estimates(
    fingerprints: Sets<'_>,
    bits: usize,
    a: &[u32],
    b: &[u32],
    threshold: f64,
    threads: usize,
) -> Result<Vec<f64>> {
    for_pairs(fingerprints, a, b, threads, |left, right| {
        let distance = left.iter().zip(right).map(|(x, y)| (x ^ y).count_ones()).sum();
        let estimate = simhash::jaccard(distance, bits);
        if estimate >= threshold { estimate } else { FAILED }
    })
}

/// What `check` says of each pair of sets, in the order given.
fn for_pairs<T: Clone + Send>(
    sets: Sets<'_>,
    a: &[u32],
    b: &[u32],
    threads: usize,
    check: impl Fn(&[u64], &[u64]) -> T + Sync,
) -> Result<Vec<T>> {
    if a.len() != b.len() {
        return Err(Error::argument(format!("{} left sides and {} right", a.len(), b.len())));
    }
    let parts = parallel::map_chunks(a.len(), threads, GRAIN, |range| {
        let pairs = a[range.clone()].iter().zip(&b[range]);
        pairs.map(|(&a, &b)| Ok(check(sets.get(a)?, sets.get(b)?))).collect::<Result<Vec<T>>>()
    })?;
    Ok(parts.concat())
}

fn quotient(shared: usize, a: usize, b: usize) -> f64 {
    let union = a + b - shared;
    if union == 0 { 0.0 } else { shared as f64 / union as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;
    use proptest::prelude::*;
    use std::collections::{BTreeSet, HashSet};

    fn set(values: &[u64]) -> Vec<u64> {
        values.iter().copied().collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn draw(n: usize, universe: u64, seed: u64) -> Vec<u64> {
        set(&(0..n as u64).map(|i| splitmix(0, splitmix(seed, i) % universe)).collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn equal_to_hash_sets(
            n in 0usize..700, m in 0usize..700, widen in 1usize..60, universe in 1u64..2000,
            threshold in 0.01f64..=1.0, seed: u64,
        ) {
            let (a, b) = (draw(n, universe, seed), draw(m * widen, universe * widen as u64, !seed));
            let (x, y): (HashSet<_>, HashSet<_>) = (a.iter().collect(), b.iter().collect());
            let (inter, union) = (x.intersection(&y).count(), x.union(&y).count());
            let expected = if union == 0 { 0.0 } else { inter as f64 / union as f64 };
            prop_assert_eq!(intersection(&a, &b), inter);
            prop_assert_eq!((jaccard(&a, &b), jaccard(&b, &a)), (expected, expected));
            let share = if a.is_empty() { 0.0 } else { inter as f64 / a.len() as f64 };
            prop_assert_eq!(containment(&a, &b), share);
            for t in [threshold, expected] {
                if t > 0.0 {
                    let passed = (expected >= t).then_some((inter, expected));
                    prop_assert_eq!(passes(&a, &b, t), passed);
                }
            }
        }

        #[test]
        fn cut_off_is_the_float_quotient(a in 1usize..5000, b in 1usize..5000, hundredths in 1u32..=100) {
            let t = f64::from(hundredths) / 100.0;
            let first = (0..=a.min(b)).find(|&i| i as f64 / (a + b - i) as f64 >= t);
            prop_assert_eq!(cut_off(a, b, t), first);
        }
    }

    #[test]
    fn no_pair_is_lost_to_rounding() {
        // 28 / 35 = .8 exactly, and is >= .8 in float64.
        let (a, b): (Vec<u64>, Vec<u64>) = ((0..28).collect(), (0..35).collect());
        assert_eq!(passes(&a, &b, 0.8), Some((28, 0.8)));
        for a in 1..200usize {
            for b in a..200 {
                for t in [0.1, 0.3, 0.55, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0] {
                    let first = (0..=a).find(|&i| i as f64 / (a + b - i) as f64 >= t);
                    assert_eq!(cut_off(a, b, t), first, "{a} {b} {t}");
                }
            }
        }
    }

    #[test]
    fn empty_sets_are_like_nothing() {
        assert_eq!(
            (jaccard(&[], &[]), jaccard(&[], &[1]), containment(&[], &[1])),
            (0.0, 0.0, 0.0)
        );
        assert_eq!((passes(&[], &[], 0.1), passes(&[], &[1], 0.1)), (None, None));
        assert_eq!((containment(&[1], &[1, 2]), containment(&[1, 2], &[1])), (1.0, 0.5));
    }

    #[test]
    fn batches_in_order_for_any_threads() {
        let all: Vec<Vec<u64>> = (0..60).map(|i| draw(40 + 400 * (i % 2), 50, i as u64)).collect();
        let length: Vec<i64> = all.iter().map(|set| set.len() as i64).collect();
        let start: Vec<i64> = (0..60).map(|i| length[..i].iter().sum()).collect();
        let values = all.concat();
        let sets = Sets::new(&values, &start, &length).unwrap();
        let (a, b): (Vec<u32>, Vec<u32>) =
            (0..60).flat_map(|a| (a + 1..60).map(move |b| (a, b))).unzip();
        let serial = verify(sets, &a, &b, 0.5, 1).unwrap();
        for ((&a, &b), &found) in a.iter().zip(&b).zip(&serial) {
            let exact = jaccard(&all[a as usize], &all[b as usize]);
            assert_eq!(found, if exact >= 0.5 { exact } else { FAILED });
        }
        assert!(serial.contains(&FAILED) && serial.iter().any(|&found| found != FAILED));
        for threads in [2, 8] {
            assert_eq!(verify(sets, &a, &b, 0.5, threads).unwrap(), serial);
        }
        assert!(verify(sets, &[0], &[60], 0.5, 1).is_err());
        assert!(verify(sets, &[0], &[], 0.5, 1).is_err());
        for (start, length) in [(-1, 1), (0, -1), (i64::MAX, i64::MAX), (0, i64::MAX)] {
            let sets = Sets::new(&values, &[start], std::slice::from_ref(&length))
                .map(|s| s.get(0).is_err());
            assert_eq!(sets, Ok(true));
        }
    }

    #[test]
    fn more_on_both_sides_and_estimates() {
        let values = [1, 2, 3, 1, 2, 4, 5];
        let sets = Sets::new(&values, &[0, 3, 3], &[3, 2, 3]).unwrap(); // {1,2,3} {1,2} {1,2,4}
        let (a, b) = ([0, 0, 1, 0], [1, 2, 2, 0]);
        assert_eq!(both_have_more(sets, &a, &b, 1).unwrap(), [false, true, false, false]);
        let two_thirds = 2.0 / 3.0;
        assert_eq!(estimates(sets, 3, &[0], &[2], 0.5, 1).unwrap(), [two_thirds]);
        assert_eq!(estimates(sets, 3, &[0], &[2], 0.7, 1).unwrap(), [FAILED]);
    }
}
