//! A forest's answers against every row compared in every tree.

use super::*;
use crate::hash::splitmix;

/// Signatures over few values, so that prefixes are shared; some rows equal, one empty.
fn matrix(n: usize, size: usize, seed: u64) -> Vec<u32> {
    let mut slots: Vec<u32> =
        (0..n * size).map(|i| (splitmix(seed, i as u64) % 3) as u32).collect();
    if n > 9 {
        slots.copy_within(0..size, 5 * size);
        slots[7 * size..8 * size].fill(u32::MAX);
    }
    slots
}

/// Candidates by the definition: every row compared in every tree.
fn expected(forest: &Forest, query: &[u32], wanted: Wanted) -> Vec<(f64, u32)> {
    let mut found = Vec::new();
    for level in (1..=forest.depth).rev() {
        let there = (0..forest.len() as u32).filter(|&id| !bands::is_empty(forest.row(id)));
        found = there
            .filter(|&id| (0..forest.trees).any(|t| forest.shared(t, Some(id), query) >= level))
            .collect();
        if found.len() >= wanted.candidates {
            break;
        }
    }
    let estimate = |id| sketch::estimate(query, forest.row(id)).unwrap();
    let mut ranked: Vec<_> = found.into_iter().map(|id| (estimate(id), id)).collect();
    ranked.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    ranked.truncate(wanted.best);
    ranked
}

#[test]
fn answers_are_the_definitions_however_inserted() {
    for (size, trees, depth) in [(8, 4, 2), (8, 8, 5), (7, 3, 7), (1, 1, 1), (20, 2, 3)] {
        let (slots, queries) = (matrix(150, size, 1), matrix(40, size, 2));
        let mut whole = Forest::new(size, trees, depth).unwrap();
        whole.insert(&slots, 1).unwrap();
        let mut parts = Forest::new(size, trees, depth).unwrap();
        for (part, batch) in slots.chunks(11 * size).enumerate() {
            assert_eq!(parts.insert(batch, 3).unwrap() as usize, 11 * part);
        }
        for (best, candidates) in [(1, 1), (5, 5), (5, 40), (1000, 1000)] {
            let wanted = Wanted { best, candidates };
            let found = whole.query(&queries, wanted, 1).unwrap();
            assert_eq!(parts.query(&queries, wanted, 3).unwrap(), found);
            for (row, query) in queries.chunks(size).enumerate() {
                let at = found.offsets[row]..found.offsets[row + 1];
                let ids = found.ids[at.clone()].iter().copied();
                let got: Vec<_> = found.estimates[at].iter().copied().zip(ids).collect();
                let all =
                    if bands::is_empty(query) { vec![] } else { expected(&whole, query, wanted) };
                assert_eq!(got, all);
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    for (size, trees, depth) in [(0, 1, 1), (8, 0, 1), (8, 1, 0), (8, 9, 1), (8, 1, 9)] {
        assert!(Forest::new(size, trees, depth).is_err());
    }
    let mut forest = Forest::new(8, 2, 2).unwrap();
    assert!(forest.insert(&[0; 7], 1).is_err() && forest.is_empty());
    assert!(forest.query(&[0; 9], Wanted { best: 1, candidates: 1 }, 1).is_err());
}
