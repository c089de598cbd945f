//! Probes against every variant of every band compared; the curve and the choice along it.

use super::*;
use crate::hash::splitmix;

const FEW: Banding = Banding { bands: 3, rows: 2 };

#[test]
fn the_curves_are_those_measured() {
    let banding = Banding { bands: 9, rows: 13 };
    assert!((Probes::Query.candidate(0.8, banding) - 0.706).abs() < 0.005);
    assert!((Probes::Both.candidate(0.8, banding) - 0.955).abs() < 0.005);
    for probes in [Probes::Query, Probes::Both] {
        assert_eq!((probes.candidate(0.0, banding), probes.candidate(1.0, banding)), (0.0, 1.0));
        let one = Banding { bands: 1, rows: 1 };
        assert!((0..=100).all(|i| probes.candidate(f64::from(i) / 100.0, one) <= 1.0));
    }
}

#[test]
fn the_choice_is_the_first_that_reaches_the_recall() {
    for probes in [Probes::Query, Probes::Both] {
        for (threshold, recall) in [(0.8, 0.95), (0.5, 0.9), (0.9, 0.99)] {
            let found = probes.choose(threshold, recall, 128).unwrap();
            let reaches =
                |bands, rows| probes.candidate(threshold, Banding { bands, rows }) >= recall;
            assert!(reaches(found.bands, found.rows));
            assert!(found.bands == 1 || !reaches(found.bands - 1, found.rows));
            for rows in found.rows + 1..=128 {
                assert!(!reaches(128 / rows, rows));
            }
            let plain = curve::choose(threshold, recall, 128).unwrap();
            assert!(found.rows > plain.rows);
        }
        assert_eq!(probes.choose(1.0, 0.95, 128), curve::choose(1.0, 0.95, 128));
        assert!(probes.choose(0.1, 0.999, 4).is_err() && probes.choose(0.8, 2.0, 8).is_err());
    }
}

/// Two matrices of few values, a runner-up of 3 being none.
fn rows(n: usize, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let value = |i: usize, s: u64| (splitmix(seed + s, i as u64) % 3) as u32;
    let first: Vec<u32> = (0..n * 7).map(|i| value(i, 0)).collect();
    let second = (0..n * 7).map(|i| if value(i, 1) == 2 { EMPTY } else { 10 + value(i, 2) });
    (first, second.collect())
}

fn variants(first: &[u32], second: &[u32], both: bool) -> Vec<(usize, Vec<u32>)> {
    let mut all = Vec::new();
    for band in 0..3 {
        let slots = &first[2 * band..2 * band + 2];
        all.push((band, slots.to_vec()));
        for i in (0..2).filter(|i| both && second[2 * band + i] != EMPTY) {
            let mut other = slots.to_vec();
            other[i] = second[2 * band + i];
            all.push((band, other));
        }
    }
    all
}

#[test]
fn answers_are_those_of_comparing_every_variant() {
    let ((a, a2), (mut b, b2)) = (rows(60, 1), rows(40, 9));
    b.iter_mut().enumerate().for_each(|(i, slot)| *slot += 10 * u32::from(i % 5 == 0));
    for probes in [Probes::Query, Probes::Both] {
        let mut table = ProbeTable::new(7, FEW, probes).unwrap();
        assert_eq!(table.insert(&a[..70], &a2[..70], 1).unwrap(), 0);
        assert_eq!(table.insert(&a[70..], &a2[70..], 3).unwrap(), 10);
        let found = table.query(&b, &b2, 1).unwrap();
        assert_eq!(table.query(&b, &b2, 3).unwrap(), found);
        for row in 0..40 {
            let at = 7 * row..7 * row + 7;
            let asked = variants(&b[at.clone()], &b2[at], true);
            let expected: Vec<u32> = (0..60u32)
                .filter(|&id| {
                    let at = 7 * id as usize..7 * id as usize + 7;
                    let held = variants(&a[at.clone()], &a2[at], probes == Probes::Both);
                    held.iter().any(|each| asked.contains(each))
                })
                .collect();
            assert_eq!(found.ids[found.offsets[row]..found.offsets[row + 1]], expected);
        }
        let mut again = ProbeTable::new(7, FEW, probes).unwrap();
        again.restore(&table.entries(), 60).unwrap();
        assert_eq!(again.query(&b, &b2, 1).unwrap(), found);
        again.merge(&table).unwrap();
        assert_eq!(
            (again.len(), again.query(&b, &b2, 1).unwrap().ids.len()),
            (120, 2 * found.ids.len())
        );
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut table = ProbeTable::new(7, FEW, Probes::Both).unwrap();
    assert!(table.insert(&[0; 7], &[], 1).is_err() && table.insert(&[0; 8], &[0; 8], 1).is_err());
    assert!(table.query(&[0; 7], &[0; 6], 1).is_err());
    assert!(table.restore(&[], 0).is_err() && table.is_empty());
    let other = ProbeTable::new(7, FEW, Probes::Query).unwrap();
    assert!(table.merge(&other).is_err());
}
