//! Buckets of one band: the runs of equal keys in a column, found by one radix pass and sorts in cache.
//!
//! Keys are uniform 64-bit numbers. A first pass scatters the documents by the top bits of their key into
//! partitions that fit the cache; a record is the next 32 bits of the key and the document, so a partition is
//! sorted as plain u64 and 8 bytes a document is all the memory. Records whose key is alone are left out before. A run of equal records is checked against
//! the full keys, so buckets are exact. Equal keys arrive in order of document, which the sort notices: a column of
//! one giant bucket takes linear time.

use std::ops::Range;

use super::bands::NO_KEY;
use crate::error::{Error, Result};
use crate::parallel;

/// Records a partition should hold: 8 KiB, well inside the first-level cache.
const PARTITION: usize = 1024;
/// More partitions than this would miss the cache while scattering.
const MAX_BITS: u32 = 12;
/// Documents below which another thread does not pay.
const GRAIN: usize = 1 << 15;

/// The memory of a grouping, kept from band to band.
#[derive(Default)]
pub struct Grouping {
    /// Records, partition by partition within each slab.
    records: Vec<u64>,
    /// For each slab, where its partitions begin, and the end.
    offsets: Vec<u32>,
    slab: usize,
    bits: u32,
}

impl Grouping {
    /// Calls `visit` for each bucket of two or more documents in the column `keys`, the documents ascending.
    ///
    /// Documents without a key take no part, nor do those for which `takes_part` (one a document) is false.
    /// Each thread folds its buckets into values of its own, which are returned; the order of buckets is that
    /// of their keys' top bits and does not depend on the threads, but where one value ends does.
    pub fn buckets<T, V>(
        &mut self,
        keys: &[u64],
        takes_part: Option<&[bool]>,
        threads: usize,
        visit: V,
    ) -> Result<Vec<T>>
    where
        T: Default + Send,
        V: Fn(&mut T, &[u32]) + Sync,
    {
        self.partitions(keys, takes_part, threads, |folded, records, run| {
            let mut rest = records;
            // Some records are alone after all.
            while let Some(at) = rest.windows(2).position(|pair| alike(&pair[0], &pair[1])) {
                let length =
                    rest[at..].iter().take_while(|record| alike(record, &rest[at])).count();
                run.clear();
                run.extend(rest[at..at + length].iter().map(|&record| record as u32));
                split(keys, run).filter(|bucket| bucket.len() > 1).for_each(|b| visit(folded, b));
                rest = &rest[at + length..];
            }
        })
    }

    /// Calls `visit` for the sorted records of each partition that may share a key, in order; its last argument is
    /// scratch.
    fn partitions<T, V>(
        &mut self,
        keys: &[u64],
        takes_part: Option<&[bool]>,
        threads: usize,
        visit: V,
    ) -> Result<Vec<T>>
    where
        T: Default + Send,
        V: Fn(&mut T, &[u64], &mut Vec<u32>) + Sync,
    {
        self.scatter(keys, takes_part, threads)?;
        let partitions = 1usize << self.bits;
        let grain = (GRAIN * partitions / keys.len().max(1)).max(1);
        let shared = &*self;
        parallel::map_chunks(partitions, threads, grain, |range| {
            let mut folded = T::default();
            let (mut workspace, mut scratch) = (Workspace::default(), Vec::new());
            for partition in range {
                let parts = || {
                    (0..shared.slabs()).map(|slab| &shared.records[shared.place(slab, partition)])
                };
                visit(&mut folded, workspace.runs(parts), &mut scratch);
            }
            Ok(folded)
        })
    }

    /// Scatters each slab of documents into its partitions.
    fn scatter(&mut self, keys: &[u64], mask: Option<&[bool]>, threads: usize) -> Result<()> {
        let n = keys.len();
        if n > u32::MAX as usize {
            return Err(Error::argument(format!(
                "{n} documents in memory are more than the {} that fit; use the out-of-core engine",
                u32::MAX
            )));
        }
        if mask.is_some_and(|mask| mask.len() != n) {
            return Err(Error::internal("the mask and the keys are of different lengths"));
        }
        let bits = (n / PARTITION).max(1).ilog2().min(MAX_BITS);
        let width = (1 << bits) + 1;
        let slab = n.div_ceil(parallel::threads(threads)).max(GRAIN);
        (self.slab, self.bits) = (slab, bits);
        self.records.clear();
        self.records.resize(n, 0);
        self.offsets.clear();
        self.offsets.resize(n.div_ceil(slab) * width, 0);
        let tasks = self.records.chunks_mut(slab).zip(self.offsets.chunks_mut(width)).enumerate();
        parallel::run(tasks, n.div_ceil(slab), |(index, (records, offsets))| {
            let documents = index * slab..index * slab + records.len();
            let keyed = documents
                .filter(|&d| keys[d] != NO_KEY && mask.is_none_or(|mask| mask[d]))
                .map(|d| (partition_of(keys[d], bits), keys[d], d as u32));
            for (partition, ..) in keyed.clone() {
                offsets[partition + 1] += 1;
            }
            for i in 1..width {
                offsets[i] += offsets[i - 1];
            }
            let mut next = offsets.to_vec();
            for (partition, key, document) in keyed {
                let place = &mut next[partition];
                records[*place as usize] = (key << bits) >> 32 << 32 | u64::from(document);
                *place += 1;
            }
            Ok(())
        })
    }

    fn slabs(&self) -> usize {
        self.records.len().div_ceil(self.slab.max(1))
    }

    fn place(&self, slab: usize, partition: usize) -> Range<usize> {
        let base = slab * self.slab;
        let at = slab * ((1 << self.bits) + 1) + partition;
        base + self.offsets[at] as usize..base + self.offsets[at + 1] as usize
    }
}

/// What a thread needs to find the runs of a partition.
#[derive(Default)]
struct Workspace {
    seen: Vec<u64>,
    again: Vec<u64>,
    records: Vec<u64>,
    sorted: Vec<u64>,
    places: Vec<u32>,
}

impl Workspace {
    /// The records of a partition that may share their key, sorted.
    fn runs<'a, I>(&mut self, parts: impl Fn() -> I) -> &[u64]
    where
        I: Iterator<Item = &'a [u64]>,
    {
        self.repeated(parts);
        if self.records.is_sorted() {
            return &self.records; // of one key, say
        }
        sort(&self.records, &mut self.sorted, &mut self.places);
        &self.sorted
    }

    /// Takes the records that meet another one by some bits of the key; most keys are alone, and of those one in
    /// sixteen is taken. A partition much larger than usual is full of repeated keys, and taken whole.
    fn repeated<'a, I>(&mut self, parts: impl Fn() -> I)
    where
        I: Iterator<Item = &'a [u64]>,
    {
        let total: usize = parts().map(<[u64]>::len).sum();
        self.records.clear();
        if total > 4 * PARTITION {
            parts().for_each(|part| self.records.extend_from_slice(part));
            return;
        }
        let bits = (16 * total).next_power_of_two().max(64);
        let shift = 64 - bits.trailing_zeros();
        let bit = |record: u64| {
            let at = (record >> shift) as usize;
            (at / 64, 1 << (at % 64))
        };
        for places in [&mut self.seen, &mut self.again] {
            places.clear();
            places.resize(bits / 64, 0);
        }
        for &record in parts().flatten() {
            let (word, bit) = bit(record);
            self.again[word] |= self.seen[word] & bit;
            self.seen[word] |= bit;
        }
        self.records.resize(total, 0);
        let mut count = 0;
        for &record in parts().flatten() {
            let (word, bit) = bit(record);
            self.records[count] = record; // no branch: overwritten unless it is one
            count += usize::from(self.again[word] & bit != 0);
        }
        self.records.truncate(count);
    }
}

/// Sorts records: a stable scatter by the top bits into places of about one record each, then what is left to
/// do within a place. Equal keys share a place, in order already.
fn sort(given: &[u64], records: &mut Vec<u64>, places: &mut Vec<u32>) {
    let shift = 63 - given.len().max(1).ilog2().min(MAX_BITS);
    let place = |record: u64| (record >> 1 >> shift) as usize;
    places.clear();
    places.resize((1 << (63 - shift)) + 1, 0);
    given.iter().for_each(|&record| places[place(record) + 1] += 1);
    for i in 1..places.len() {
        places[i] += places[i - 1];
    }
    records.resize(given.len(), 0);
    for &record in given {
        let next = &mut places[place(record)];
        records[*next as usize] = record;
        *next += 1;
    }
    // Each place now tells its end.
    let mut start = 0;
    for &end in places.iter() {
        match &mut records[start as usize..end as usize] {
            [] | [_] => {}
            [a, b] => (*a, *b) = (*a.min(b), *a.max(b)),
            more => more.sort_unstable(),
        }
        start = end;
    }
}

/// Whether two records have the same piece of key.
fn alike(a: &u64, b: &u64) -> bool {
    a >> 32 == b >> 32
}

fn partition_of(key: u64, bits: u32) -> usize {
    (key >> 1 >> (63 - bits)) as usize
}

/// Splits a run of documents whose records agree by their full keys: nearly always they are one bucket.
fn split<'a>(keys: &[u64], run: &'a mut [u32]) -> impl Iterator<Item = &'a [u32]> {
    let key = |d: &u32| keys[*d as usize];
    if run.iter().any(|d| key(d) != key(&run[0])) {
        run.sort_unstable_by_key(|d| (key(d), *d));
    }
    run.chunk_by(move |a, b| key(a) == key(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;
    use std::collections::BTreeMap;

    fn brute(keys: &[u64], mask: Option<&[bool]>) -> Vec<Vec<u32>> {
        let mut groups: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (d, &key) in keys.iter().enumerate() {
            if key != NO_KEY && mask.is_none_or(|mask| mask[d]) {
                groups.entry(key).or_default().push(d as u32);
            }
        }
        let mut groups: Vec<_> = groups.into_values().filter(|group| group.len() > 1).collect();
        groups.sort();
        groups
    }

    fn check(keys: &[u64], mask: Option<&[bool]>) {
        let mut grouping = Grouping::default();
        for threads in [1, 2, 8] {
            let folded = grouping
                .buckets(keys, mask, threads, |all: &mut Vec<Vec<u32>>, b| all.push(b.to_vec()))
                .unwrap();
            let mut got: Vec<_> = folded.into_iter().flatten().collect();
            got.sort();
            assert_eq!(got, brute(keys, mask), "{} keys, {threads} threads", keys.len());
        }
    }

    #[test]
    fn equals_brute_force() {
        for (n, universe) in [(0, 1), (1, 1), (2, 1), (5000, 1), (5000, 3000), (200_000, 70_000)] {
            let keys: Vec<u64> =
                (0..n).map(|i| splitmix(7, splitmix(1, i) % universe).max(1)).collect();
            check(&keys, None);
            let mask: Vec<bool> = (0..n).map(|i| splitmix(2, i) & 3 > 0).collect();
            check(&keys, Some(&mask));
        }
    }

    #[test]
    fn keys_that_agree_in_the_record_are_told_apart() {
        let keys: Vec<u64> = (0..4000u64).map(|i| (5 << 40) + i % 7).collect();
        check(&keys, None);
        let low: Vec<u64> = (0..4000u64).map(|i| i % 3).collect();
        check(&low, None);
        check(&vec![u64::MAX; 3000], None);
    }
}
