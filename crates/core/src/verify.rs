//! Exact Jaccard similarity and containment of shingle sets: sorted slices of distinct 64-bit hashes.
//!
//! A pair passes iff `intersection as f64 / union as f64 >= threshold` in float64, to the last bit. The
//! smallest intersection that passes is found by that very quotient, not by ceil(T / (1 + T) * (a + b)), which
//! in floats asks one too many for some sizes (T = .8: 28 and 35). With it a merge stops as soon as what is
//! left cannot reach it, and sizes that are too far apart are not looked at.

use crate::error::{Error, Result};
use crate::intersect::at_least;
use crate::lsh::curve::check_threshold;
use crate::parallel;

/// Pairs below which another thread does not pay.
const GRAIN: usize = 256;

/// Shingle sets one after the other (CSR): set i is `values[offsets[i]..offsets[i + 1]]`, ascending, distinct.
#[derive(Clone, Copy, Debug)]
pub struct Sets<'a> {
    values: &'a [u64],
    offsets: &'a [usize],
}

impl<'a> Sets<'a> {
    /// Checks the offsets: they begin at 0, never decrease and end at the number of values. That each set is
    /// ascending is the caller's word; a set that is not gives a wrong count, never a crash.
    pub fn new(values: &'a [u64], offsets: &'a [usize]) -> Result<Self> {
        let whole = offsets.first() == Some(&0) && offsets.last() == Some(&values.len());
        if !whole || !offsets.is_sorted() {
            return Err(Error::data(format!(
                "offsets must begin at 0, never decrease and end at the number of values {}, got \
                 {} offsets from {:?} to {:?}",
                values.len(),
                offsets.len(),
                offsets.first(),
                offsets.last()
            )));
        }
        Ok(Self { values, offsets })
    }

    /// Number of sets.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is no set at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Set `i`; empty if there is none of that number.
    pub fn get(&self, i: usize) -> &'a [u64] {
        match self.offsets.get(i..i.saturating_add(2)) {
            Some(&[start, end]) => &self.values[start..end],
            _ => &[],
        }
    }
}

/// A pair that passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verified {
    /// One document.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Shingles in both.
    pub intersection: u32,
    /// Exact Jaccard similarity.
    pub jaccard: f64,
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

/// Verifies `pairs` of `sets`: those of Jaccard similarity at least `threshold`, in the order given.
pub fn verify(
    sets: Sets<'_>,
    pairs: &[(u32, u32)],
    threshold: f64,
    threads: usize,
) -> Result<Vec<Verified>> {
    check_threshold(threshold)?;
    if let Some((a, b)) = pairs.iter().find(|(a, b)| *a.max(b) as usize >= sets.len()) {
        return Err(Error::argument(format!(
            "pair ({a}, {b}) does not name two of the {} sets",
            sets.len()
        )));
    }
    let parts = parallel::map_chunks(pairs.len(), threads, GRAIN, |range| {
        let verified = pairs[range].iter().filter_map(|&(a, b)| {
            let (left, right) = (sets.get(a as usize), sets.get(b as usize));
            let (shared, jaccard) = passes(left, right, threshold)?;
            Some(Verified { a, b, intersection: shared as u32, jaccard })
        });
        Ok(verified.collect::<Vec<_>>())
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
        let offsets: Vec<usize> = (0..=60).map(|i| all[..i].iter().map(Vec::len).sum()).collect();
        let values = all.concat();
        let sets = Sets::new(&values, &offsets).unwrap();
        let pairs: Vec<(u32, u32)> =
            (0..60).flat_map(|a| (a + 1..60).map(move |b| (a, b))).collect();
        let serial = verify(sets, &pairs, 0.5, 1).unwrap();
        let expected: Vec<_> = pairs
            .iter()
            .map(|&(a, b)| (a, b, jaccard(&all[a as usize], &all[b as usize])))
            .filter(|pair| pair.2 >= 0.5)
            .collect();
        assert_eq!(serial.iter().map(|v| (v.a, v.b, v.jaccard)).collect::<Vec<_>>(), expected);
        assert!(!serial.is_empty() && serial.len() < pairs.len());
        for threads in [2, 8] {
            assert_eq!(verify(sets, &pairs, 0.5, threads).unwrap(), serial);
        }
        assert!(verify(sets, &[(0, 60)], 0.5, 1).is_err());
        assert!(verify(sets, &pairs, f64::NAN, 1).is_err());
        for bad in [vec![], vec![1, values.len()], vec![0, 9, 3, values.len()], vec![0, 1]] {
            assert!(Sets::new(&values, &bad).is_err());
        }
    }
}
