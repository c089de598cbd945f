//! Candidate pairs: documents that share a band key, each pair once, the hubs capped and counted.
//!
//! A bucket of up to `cap` documents is compared in full. In a larger one every member is paired with the 64
//! first in keep order only, its anchors; the pairs left out are counted, never silently dropped.
//!
//! A pair met in band j is passed over if an earlier band i has already given it: the two keys are equal there
//! and, if that bucket was capped, one of the two was an anchor. So repeats are never held and nothing has to
//! be removed afterwards, and each band may be verified and let go before the next.

use crate::error::{Error, Result};
use crate::lsh::bands::{BandKeys, NO_KEY};
use crate::lsh::group::Grouping;

/// Members of a capped bucket that all others are compared with.
pub const ANCHORS: usize = 64;

/// Members from which on a bucket is first looked at as a whole.
const FEW: usize = 8;

/// What a search for candidate pairs left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capped {
    /// Buckets of more than `cap` documents.
    pub buckets: u64,
    /// Pairs within them that were not compared, summed over buckets.
    pub pairs: u64,
}

/// A search for candidate pairs, one band at a time.
pub struct Candidates<'a> {
    keys: &'a BandKeys,
    rank: &'a [u32],
    takes_part: Option<&'a [bool]>,
    cap: usize,
    grouping: Grouping,
    /// For each band done, its capped buckets by key, with the rank of their last anchor.
    limits: Vec<Vec<(u64, u32)>>,
    capped: Capped,
}

/// What one thread gathers from its buckets.
#[derive(Default)]
struct Found {
    pairs: Vec<(u32, u32)>,
    limits: Vec<(u64, u32)>,
    capped: Capped,
    by_rank: Vec<u32>,
}

impl<'a> Candidates<'a> {
    /// A search among the documents of `keys`. `rank` is each document's position in keep order, all different;
    /// `takes_part` leaves documents out; `cap` is the largest bucket to be compared in full.
    pub fn new(
        keys: &'a BandKeys,
        rank: &'a [u32],
        takes_part: Option<&'a [bool]>,
        cap: usize,
    ) -> Result<Self> {
        let n = keys.documents();
        if rank.len() != n || takes_part.is_some_and(|mask| mask.len() != n) {
            return Err(Error::argument(format!(
                "{n} documents have keys, {} a rank and {} a mask; one each is needed",
                rank.len(),
                takes_part.map_or(n, <[bool]>::len)
            )));
        }
        let (grouping, limits) = (Grouping::default(), Vec::new());
        Ok(Self { keys, rank, takes_part, cap, grouping, limits, capped: Capped::default() })
    }

    /// The pairs (a, b), a < b, that the next band is the first to give, sorted; `None` after the last band.
    pub fn next_band(&mut self, threads: usize) -> Result<Option<Vec<(u32, u32)>>> {
        let band = self.limits.len();
        if band == self.keys.bands() {
            return Ok(None);
        }
        let search = Search {
            keys: self.keys,
            rank: self.rank,
            cap: self.cap,
            column: self.keys.column(band),
            limits: &self.limits,
        };
        let found = self.grouping.buckets(
            search.column,
            self.takes_part,
            threads,
            |found: &mut Found, bucket| search.visit(found, bucket),
        )?;
        let mut pairs = Vec::with_capacity(found.iter().map(|part| part.pairs.len()).sum());
        let mut limits = Vec::new();
        for part in found {
            pairs.extend_from_slice(&part.pairs);
            limits.extend(part.limits);
            self.capped.buckets += part.capped.buckets;
            self.capped.pairs = self.capped.pairs.saturating_add(part.capped.pairs);
        }
        limits.sort_unstable();
        self.limits.push(limits);
        sort(&mut pairs);
        Ok(Some(pairs))
    }

    /// What was left out in the bands done so far.
    pub fn capped(&self) -> Capped {
        self.capped
    }
}

/// All candidate pairs (a, b), a < b, each once, sorted; and what the cap left out.
pub fn candidates(
    keys: &BandKeys,
    rank: &[u32],
    takes_part: Option<&[bool]>,
    cap: usize,
    threads: usize,
) -> Result<(Vec<(u32, u32)>, Capped)> {
    let mut search = Candidates::new(keys, rank, takes_part, cap)?;
    let mut all = Vec::new();
    while let Some(pairs) = search.next_band(threads)? {
        all.extend(pairs);
    }
    sort(&mut all);
    Ok((all, search.capped()))
}

/// One band's search: what every thread reads.
struct Search<'a> {
    keys: &'a BandKeys,
    rank: &'a [u32],
    cap: usize,
    column: &'a [u64],
    limits: &'a [Vec<(u64, u32)>],
}

impl Search<'_> {
    fn visit(&self, found: &mut Found, bucket: &[u32]) {
        if bucket.len() <= self.cap {
            if bucket.len() > FEW && self.all_given_before(bucket, None) {
                return;
            }
            for (i, &a) in bucket.iter().enumerate() {
                let later = bucket[i + 1..].iter().filter(|&&b| !self.given_before(a, b));
                found.pairs.extend(later.map(|&b| (a, b)));
            }
            return;
        }
        let rank = |d: &u32| self.rank[*d as usize];
        let by_rank = &mut found.by_rank;
        by_rank.clear();
        by_rank.extend_from_slice(bucket);
        if bucket.len() > ANCHORS {
            by_rank.select_nth_unstable_by_key(ANCHORS - 1, rank);
            by_rank.truncate(ANCHORS);
        }
        let limit = by_rank.iter().map(rank).max().unwrap_or(0);
        by_rank.sort_unstable();
        let anchors = if self.all_given_before(bucket, Some(limit)) { &[] } else { &by_rank[..] };
        for a in anchors {
            for b in bucket {
                // A pair of two anchors is met twice, and taken when the smaller number leads.
                let twice = rank(b) <= limit && b <= a;
                if !twice && !self.given_before(*a, *b) {
                    found.pairs.push((*a.min(b), *a.max(b)));
                }
            }
        }
        let (members, anchors) = (bucket.len() as u64, by_rank.len() as u64);
        let rest = members - anchors;
        found.limits.push((self.column[bucket[0] as usize], limit));
        found.capped.buckets += 1;
        let left_out = rest.saturating_mul(rest.saturating_sub(1)) / 2;
        found.capped.pairs = found.capped.pairs.saturating_add(left_out);
    }

    /// Whether one earlier band has given every pair of this bucket: it has all members in one bucket, and that
    /// was compared in full or has among its anchors all of this one's, whose ranks end at `limit`.
    fn all_given_before(&self, bucket: &[u32], limit: Option<u32>) -> bool {
        self.limits.iter().enumerate().any(|(band, limits)| {
            let column = self.keys.column(band);
            let key = column[bucket[0] as usize];
            bucket.iter().all(|&d| column[d as usize] == key)
                && match limits.binary_search_by_key(&key, |&(key, _)| key) {
                    Ok(at) => limit.is_some_and(|limit| limit <= limits[at].1),
                    Err(_) => key != NO_KEY,
                }
        })
    }

    /// Whether an earlier band has given this pair.
    fn given_before(&self, a: u32, b: u32) -> bool {
        self.limits.iter().enumerate().any(|(band, limits)| {
            let column = self.keys.column(band);
            let key = column[a as usize];
            key == column[b as usize]
                && key != NO_KEY
                && match limits.binary_search_by_key(&key, |&(key, _)| key) {
                    Ok(at) => self.rank[a as usize].min(self.rank[b as usize]) <= limits[at].1,
                    Err(_) => true,
                }
        })
    }
}

fn sort(pairs: &mut [(u32, u32)]) {
    // Stable, because it merges the ascending stretches that buckets and bands leave.
    pairs.sort_by_key(|&(a, b)| u64::from(a) << 32 | u64::from(b));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys of `bands` columns that follow one another.
    fn columns(values: &[u64], bands: usize) -> BandKeys {
        let parts: Vec<Vec<u64>> =
            values.chunks((values.len() / bands).max(1)).map(<[u64]>::to_vec).collect();
        let mut keys = BandKeys::new(bands);
        if !values.is_empty() {
            keys.extend(&parts).unwrap();
        }
        keys
    }
    use crate::hash::splitmix;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// The definition, bucket by bucket.
    fn brute(
        keys: &BandKeys,
        rank: &[u32],
        mask: &[bool],
        cap: usize,
    ) -> (Vec<(u32, u32)>, Capped) {
        let (mut pairs, mut capped) = (BTreeSet::new(), Capped::default());
        for band in 0..keys.bands() {
            let mut buckets: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            for (d, &key) in keys.column(band).iter().enumerate() {
                if key != NO_KEY && mask[d] {
                    buckets.entry(key).or_default().push(d as u32);
                }
            }
            for mut bucket in buckets.into_values() {
                bucket.sort_by_key(|&d| rank[d as usize]);
                let anchors = if bucket.len() > cap { ANCHORS } else { bucket.len() };
                capped.buckets += u64::from(bucket.len() > cap);
                for (i, &a) in bucket.iter().enumerate() {
                    for &b in &bucket[i + 1..] {
                        if i < anchors {
                            pairs.insert((a.min(b), a.max(b)));
                        } else {
                            capped.pairs += 1;
                        }
                    }
                }
            }
        }
        (pairs.into_iter().collect(), capped)
    }

    fn shuffled(n: usize, seed: u64) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&d| splitmix(seed, u64::from(d)));
        order
    }

    proptest! {
        #[test]
        fn equal_to_the_definition(
            n in 0usize..300, bands in 1usize..6, universe in 1u64..40, cap in 1usize..200, seed: u64,
        ) {
            // Few values a band: large buckets, often capped, that overlap from band to band.
            let values: Vec<u64> = (0..n * bands)
                .map(|i| match splitmix(seed, i as u64) % (universe + 1) { 0 => 0, v => splitmix(5, v) })
                .collect();
            let keys = columns(&values, bands);
            let rank = shuffled(n, seed);
            let mask: Vec<bool> = (0..n).map(|d| splitmix(!seed, d as u64) & 7 > 0).collect();
            let expected = brute(&keys, &rank, &mask, cap);
            for threads in [1, 2, 8] {
                let (pairs, capped) = candidates(&keys, &rank, Some(&mask), cap, threads).unwrap();
                prop_assert_eq!(capped, expected.1);
                prop_assert!(pairs == expected.0, "{} pairs, not {}", pairs.len(), expected.0.len());
            }
        }
    }

    #[test]
    fn one_giant_bucket_is_linear_and_counted() {
        let n = 40_000u64;
        let keys = columns(&vec![77; 4 * n as usize], 4);
        let rank: Vec<u32> = (0..n as u32).rev().collect();
        let (pairs, capped) = candidates(&keys, &rank, None, 2000, 2).unwrap();
        let compared = 64 * (n - 64) + 64 * 63 / 2;
        assert_eq!(pairs.len() as u64, compared);
        assert_eq!(capped, Capped { buckets: 4, pairs: 4 * (n * (n - 1) / 2 - compared) });
        // The first in keep order are the last documents.
        assert!(pairs.iter().all(|&(_, b)| u64::from(b) >= n - 64));
    }

    #[test]
    fn empty_signatures_and_none_at_all() {
        let keys = columns(&[NO_KEY; 10], 2);
        let rank = [0, 1, 2, 3, 4];
        assert_eq!(candidates(&keys, &rank, None, 2000, 1).unwrap(), (vec![], Capped::default()));
        let none = BandKeys::new(2);
        assert!(candidates(&none, &[], None, 2000, 0).unwrap().0.is_empty());
        assert!(candidates(&keys, &rank[1..], None, 2000, 1).is_err());
        assert!(candidates(&keys, &rank, Some(&[true]), 2000, 1).is_err());
    }
}
