//! The join is brute force, only sooner: random families of sets, edges of sizes, threads.

use super::*;
use crate::verify::jaccard;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Sets in one buffer.
struct Family {
    values: Vec<u64>,
    start: Vec<i64>,
    length: Vec<i64>,
}

impl Family {
    fn new(sets: &[Vec<u64>]) -> Self {
        let length: Vec<i64> = sets.iter().map(|set| set.len() as i64).collect();
        let start = (0..sets.len()).map(|i| length[..i].iter().sum()).collect();
        Self { values: sets.concat(), start, length }
    }

    fn join(&self, threshold: f64, threads: usize) -> Result<Vec<Pair>> {
        join(Sets::new(&self.values, &self.start, &self.length)?, threshold, threads)
    }
}

fn brute_force(sets: &[Vec<u64>], threshold: f64) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for a in 0..sets.len() {
        for b in a + 1..sets.len() {
            let jaccard = jaccard(&sets[a], &sets[b]);
            if jaccard >= threshold {
                pairs.push(Pair { a: a as u32, b: b as u32, jaccard });
            }
        }
    }
    pairs
}

/// Families of altered copies over a small universe, so that every similarity occurs; some sets are empty.
fn families() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let copies = (0usize..40, 1u64..200, any::<u64>(), 1u64..8, 0usize..6);
    prop::collection::vec(copies, 1..12).prop_map(|families| {
        let mut sets = Vec::new();
        for (size, universe, seed, edits, copies) in families {
            let draw = |i: u64| splitmix(seed, i) % universe;
            let first: BTreeSet<u64> = (0..size as u64).map(draw).collect();
            for copy in 0..=copies as u64 {
                let mut set = first.clone();
                for edit in 0..edits * copy {
                    let value = splitmix(seed ^ copy, edit) % universe;
                    if !set.remove(&value) {
                        set.insert(value);
                    }
                }
                sets.push(set.into_iter().collect());
            }
        }
        sets
    })
}

proptest! {
    #[test]
    fn equal_to_brute_force(sets in families(), hundredths in 1u32..=100, threads in 1usize..4) {
        let threshold = f64::from(hundredths) / 100.0;
        let found = Family::new(&sets).join(threshold, threads).unwrap();
        prop_assert_eq!(&found, &brute_force(&sets, threshold));
        // A similarity that occurs, as the threshold itself.
        if let Some(pair) = brute_force(&sets, 0.01).get(hundredths as usize) {
            let found = Family::new(&sets).join(pair.jaccard, threads).unwrap();
            prop_assert!(found.contains(pair));
            prop_assert_eq!(found, brute_force(&sets, pair.jaccard));
        }
    }
}

#[test]
fn sizes_at_the_edge_of_rounding() {
    // Nested sets: {0..n}, {0..m} have similarity n / m, often exactly a threshold.
    let sets: Vec<Vec<u64>> = (0..=120).map(|n| (0..n).collect()).collect();
    let family = Family::new(&sets);
    for threshold in [0.1, 0.3, 0.5, 0.55, 0.6, 2.0 / 3.0, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0] {
        assert_eq!(
            family.join(threshold, 2).unwrap(),
            brute_force(&sets, threshold),
            "{threshold}"
        );
    }
}

#[test]
fn the_same_for_any_threads() {
    let draw = |i: u64, j: u64| splitmix(i / 3, j) % 900 + 100 * (splitmix(i, j) % 9 / 8);
    let sets: Vec<Vec<u64>> = (0..500)
        .map(|i| (0..60 + i % 7).map(|j| draw(i, j)).collect::<BTreeSet<_>>())
        .map(|set| set.into_iter().collect())
        .collect();
    let family = Family::new(&sets);
    let serial = family.join(0.5, 1).unwrap();
    assert!(serial.len() > 100);
    assert_eq!(serial, brute_force(&sets, 0.5));
    for threads in [0, 2, 8] {
        assert_eq!(family.join(0.5, threads).unwrap(), serial);
    }
}

#[test]
fn nothing_and_what_is_not_allowed() {
    assert_eq!(Family::new(&[]).join(0.5, 2).unwrap(), []);
    assert_eq!(Family::new(&[vec![], vec![], vec![1]]).join(0.5, 2).unwrap(), []);
    for threshold in [0.0, -1.0, 1.1, f64::NAN] {
        let error = Family::new(&[vec![1]]).join(threshold, 1).unwrap_err();
        assert!(error.to_string().contains("use a number above 0, up to 1"), "{error}");
    }
    let outside = Sets::new(&[1, 2], &[0, 1], &[1, 2]).and_then(|sets| join(sets, 0.5, 1));
    assert!(outside.is_err());
}
