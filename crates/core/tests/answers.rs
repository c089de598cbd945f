//! From signatures to clusters as a whole: the S-curve by simulation, and the cases of a small pipeline.
//!
//! A simulated pair of similarity J agrees in each slot with probability J, independently, as MinHash does.

use neardup_core::cluster::{Edge, components, star};
use neardup_core::hash::splitmix;
use neardup_core::lsh::curve::choose;
use neardup_core::lsh::{BandKeys, Banding};
use neardup_core::pairs::{Capped, candidates};
use neardup_core::verify::{FAILED, Sets, verify};

const SIZE: usize = 128;

/// How many of `pairs` simulated pairs of similarity `jaccard` become candidates.
fn found(pairs: usize, jaccard: f64, banding: Banding, seed: u64) -> usize {
    let mut matrix = Vec::with_capacity(2 * pairs * SIZE);
    for pair in 0..pairs as u64 {
        let slot = |i: u64| splitmix(seed, pair << 32 | i);
        let agree = |i: u64| (slot(i | 1 << 30) as f64) < jaccard * 2f64.powi(64);
        let own = (0..SIZE as u64).map(|i| slot(i) as u32);
        let other = |i: u64| if agree(i) { slot(i) } else { slot(i | 1 << 29) };
        matrix.extend(own.chain((0..SIZE as u64).map(|i| other(i) as u32)));
    }
    let keys = BandKeys::of(&matrix, SIZE, banding, 0).unwrap();
    let rank: Vec<u32> = (0..2 * pairs as u32).collect();
    let (all, _) = candidates(&keys, &rank, None, 2000, 0).unwrap();
    assert!(all.iter().all(|&(a, b)| a % 2 == 0 && b == a + 1), "unrelated documents met");
    all.len()
}

#[test]
fn s_curve() {
    let banding = Banding { bands: 16, rows: 8 };
    for jaccard in [0.4, 0.7, 0.9] {
        let n = 20_000;
        let (p, share) = (banding.candidate(jaccard), found(n, jaccard, banding, 1) as f64);
        let sigma = (p * (1.0 - p) / n as f64).sqrt();
        assert!((share / n as f64 - p).abs() < 4.0 * sigma + 1e-9, "{jaccard}: {share} of {n}");
    }
}

#[test]
fn a_recall_asked_for_is_a_recall_had() {
    // Sets of 100 that share 97: J = 97/103, at threshold .9 and recall .95, in a hundred draws.
    let banding = choose(0.9, 0.95, SIZE).unwrap();
    let hits = found(100, 97.0 / 103.0, banding, 2);
    assert!(hits >= 95, "{hits} of 100");
    // At J = t the promise is tight; a little above it must hold.
    for (threshold, recall) in [(0.7, 0.9), (0.8, 0.95), (0.9, 0.99)] {
        let banding = choose(threshold, recall, SIZE).unwrap();
        let hits = found(5000, threshold + 0.02, banding, 3) as f64 / 5000.0;
        assert!(hits >= recall, "{threshold} {recall}: {hits}");
    }
}

#[test]
fn verified_pairs_alone_make_clusters() {
    // Documents 0-1-2-3, a chain of candidates; 0, 1 and 2, 3 share 9 of 10 shingles, 1 and 2 only 3.
    let texts: [Vec<u64>; 4] =
        [(0..10).collect(), (0..9).collect(), (6..15).collect(), (6..16).collect()];
    let (start, length, values) = ([0, 10, 19, 28], [10, 9, 9, 10], texts.concat());
    // Band 0 joins 0-1 and 2-3, band 1 joins 1-2.
    let mut keys = BandKeys::new(2);
    keys.extend(&[vec![5, 5, 6, 6], vec![1, 2, 2, 3]]).unwrap();
    let rank = [0, 1, 2, 3];
    let (pairs, _) = candidates(&keys, &rank, None, 2000, 1).unwrap();
    assert_eq!(pairs, [(0, 1), (1, 2), (2, 3)]);
    let (a, b): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
    let sets = Sets::new(&values, &start, &length).unwrap();
    let verified = verify(sets, &a, &b, 0.8, 1).unwrap();
    let edges: Vec<Edge> = pairs
        .iter()
        .zip(verified)
        .filter(|(_, similarity)| *similarity != FAILED)
        .map(|(&(a, b), similarity)| Edge { a, b, similarity })
        .collect();
    for clusters in [star(&edges, &rank).unwrap(), components(&edges, &rank).unwrap()] {
        assert_eq!(clusters.representative, [0, 0, 2, 2]);
        assert_eq!(clusters.similarity, [1.0, 0.9, 1.0, 0.9]);
    }
}

#[test]
fn many_documents_any_threads() {
    let n = 150_000;
    let column = |c: u64| -> Vec<u64> {
        let n = n as u64;
        (c * n..c * n + n).map(|i| splitmix(9, splitmix(1, i) % 60_000).max(1)).collect()
    };
    let mut keys = BandKeys::new(3);
    keys.extend(&[column(0), column(1), column(2)]).unwrap();
    let rank = (0..n as u32).rev().collect::<Vec<_>>();
    let (pairs, capped) = candidates(&keys, &rank, None, 2000, 1).unwrap();
    assert!(pairs.is_sorted() && pairs.len() > 400_000 && capped == Capped::default());
    for threads in [2, 8] {
        assert_eq!(candidates(&keys, &rank, None, 2000, threads).unwrap().0, pairs);
    }
}

#[test]
fn arguments_that_mean_nothing_are_refused() {
    use neardup_core::lsh::{BandKeys, duplicate_flags};
    use neardup_core::sketch::{self, MAX_SIZE, Params};
    use neardup_core::verify::{Sets, both_have_more, estimates};
    use neardup_core::{exact, simd::Tier};

    let params = Params { size: 8, seed: 1, rounds: None, tier: Tier::SCALAR };
    let refused = |name, params| sketch::build(name, params).err().map(|error| error.to_string());
    for (said, name, params) in [
        ("size must be", "fast", Params { size: 0, ..params }),
        ("size must be", "fast", Params { size: MAX_SIZE + 1, ..params }),
        ("rounds must be", "fast", Params { rounds: Some(17), ..params }),
        ("unknown sketch \"slow\"; known: fast", "slow", params),
    ] {
        assert!(refused(name, params).is_some_and(|message| message.contains(said)), "{said}");
    }
    assert!(Tier::parse("mmx").is_err() && Tier::parse("scalar").is_ok());
    for (a, b) in [(&[1, 2][..], &[1][..]), (&[], &[])] {
        assert!(sketch::estimate(a, b).is_err());
    }
    assert!(Sets::new(&[1], &[0, 0], &[1]).is_err());
    let sets = Sets::new(&[1, 2], &[0], &[2]).unwrap();
    assert!(!sets.is_empty() && estimates(sets, 0, &[0], &[0], 0.5, 1).is_err());
    assert!(both_have_more(sets, &[0], &[], 1).is_err());
    assert!(exact::leaders(&[1, 2], &[0, 1], &[true]).is_err());
    assert!(duplicate_flags(&BandKeys::new(0), true, 1).unwrap().is_empty());
}
