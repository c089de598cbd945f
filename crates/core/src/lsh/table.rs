//! The in-memory index of signatures by band keys: ids in, ids out, exact on 64-bit keys.
//!
//! Each band is a short list of sorted runs, the newest last; an insert adds one, and runs are merged while
//! the last is at least half as long as the one before (O'Neil et al. 1996, LSM-tree): log2(n) runs at most, an entry
//! is moved log2(n) times, 12 bytes an entry and band. Ids count up from 0 and are never given twice, so order of
//! id is order of insertion and removed ones never come back.

use super::bands::{self, BandKeys, NO_KEY};
use super::curve::Banding;
use super::flags::duplicate_flags;
use super::run::Run;
use crate::error::{Error, Result};
use crate::parallel;

/// Rows of a batch below which another thread does not pay.
const GRAIN: usize = 64;

/// An index of signatures of one size under one banding. Queries take `&self`, from as many threads as wanted.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) size: usize,
    pub(super) banding: Banding,
    /// For each band its runs, oldest and longest first; all bands have runs of the same entries.
    pub(super) runs: Vec<Vec<Run>>,
    /// One bit an id given out: whether it was removed.
    pub(super) removed: Vec<u64>,
    pub(super) next: u32,
    pub(super) live: usize,
}

/// Answers to a batch of queries (CSR): those to row i are `ids[offsets[i]..offsets[i + 1]]`, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// Where each row's answers begin, and the end.
    pub offsets: Vec<usize>,
    /// The ids, row after row.
    pub ids: Vec<u32>,
}

impl Table {
    /// An empty index for signatures of `size` slots.
    pub fn new(size: usize, banding: Banding) -> Result<Self> {
        let banding = Banding::new(banding.bands, banding.rows, size)?;
        let runs = vec![Vec::new(); banding.bands];
        Ok(Self { size, banding, runs, removed: Vec::new(), next: 0, live: 0 })
    }

    /// Inserts the rows of a matrix, `size` slots each; the first gets the id returned, the others follow.
    /// An empty signature gets its id and counts, but no query returns it.
    pub fn insert(&mut self, matrix: &[u32], threads: usize) -> Result<u32> {
        let keys = BandKeys::of(matrix, self.size, self.banding, threads)?;
        self.insert_keys(&keys, threads)
    }

    /// Inserts the rows of a matrix and tells of each whether it is a duplicate: shares a band with an earlier
    /// row, of this matrix or before (`keep_first`), or with any other row (else).
    pub fn insert_and_flag(
        &mut self,
        matrix: &[u32],
        keep_first: bool,
        threads: usize,
    ) -> Result<(u32, Vec<bool>)> {
        let keys = BandKeys::of(matrix, self.size, self.banding, threads)?;
        let mut flags = duplicate_flags(&keys, keep_first, threads)?;
        if self.live > 0 {
            parallel::fill_chunks(&mut flags, 1, threads, GRAIN, |rows, part| {
                for (row, flag) in rows.zip(part).filter(|(_, flag)| !**flag) {
                    let mut own = (0..keys.bands()).map(|band| (band, keys.column(band)[row]));
                    *flag = own.any(|(band, key)| self.found(band, key).next().is_some());
                }
                Ok(())
            })?;
        }
        Ok((self.insert_keys(&keys, threads)?, flags))
    }

    /// The ids that share a band with `signature`, in order of insertion.
    pub fn query(&self, signature: &[u32]) -> Result<Vec<u32>> {
        if signature.len() != self.size {
            return Err(Error::mismatch(format!(
                "a signature of {} slots was given to an index of {}",
                signature.len(),
                self.size
            )));
        }
        let mut ids = Vec::new();
        self.answer(signature, &mut ids);
        Ok(ids)
    }

    /// The answers to each row of a matrix.
    pub fn query_batch(&self, matrix: &[u32], threads: usize) -> Result<Answers> {
        let n = bands::rows_of(matrix, self.size, self.banding)?;
        let parts = parallel::map_chunks(n, threads, GRAIN, |rows| {
            let (mut ends, mut ids, mut own) = (Vec::with_capacity(rows.len()), vec![], vec![]);
            for row in rows {
                own.clear();
                self.answer(&matrix[row * self.size..(row + 1) * self.size], &mut own);
                ids.extend_from_slice(&own);
                ends.push(ids.len());
            }
            Ok((ends, ids))
        })?;
        let (mut offsets, mut ids) = (Vec::with_capacity(n + 1), Vec::new());
        offsets.push(0);
        for (ends, part) in parts {
            offsets.extend(ends.iter().map(|end| ids.len() + end));
            ids.extend(part);
        }
        Ok(Answers { offsets, ids })
    }

    /// Removes `id` from every band; false if it is not there, never was or was removed before.
    pub fn remove(&mut self, id: u32) -> bool {
        let there = self.contains(id);
        if there {
            self.removed[id as usize / 64] |= 1 << (id % 64);
            self.live -= 1;
        }
        there
    }

    /// Whether `id` was inserted and not removed.
    pub fn contains(&self, id: u32) -> bool {
        id < self.next && !self.is_removed(id)
    }

    /// Makes it a new index: nothing in it, ids from 0.
    pub fn clear(&mut self) {
        self.runs.iter_mut().for_each(Vec::clear);
        self.removed.clear();
        (self.next, self.live) = (0, 0);
    }

    /// Number of rows in it, those with an empty signature included.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there is no row in it.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Number of ids given out, those of removed rows included: the next one.
    pub fn given(&self) -> usize {
        self.next as usize
    }

    /// Slots a signature.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Bands and rows.
    pub fn banding(&self) -> Banding {
        self.banding
    }

    /// Bytes held: about 12.2 a row and band.
    pub fn bytes(&self) -> usize {
        let runs: usize = self.runs.iter().flatten().map(Run::bytes).sum();
        runs + 8 * self.removed.capacity()
    }

    fn insert_keys(&mut self, keys: &BandKeys, threads: usize) -> Result<u32> {
        let first = self.next;
        let after = u32::try_from(keys.documents()).ok().and_then(|n| first.checked_add(n));
        let Some(after) = after else {
            return Err(Error::argument(format!(
                "{} more rows would exceed the {} ids of an index; split it",
                keys.documents(),
                u32::MAX
            )));
        };
        self.next = after;
        self.live += keys.documents();
        self.removed.resize((after as usize).div_ceil(64), 0);
        let removed = &self.removed;
        let workers = parallel::threads(threads).min(keys.documents().div_ceil(GRAIN));
        parallel::run(self.runs.iter_mut().enumerate(), workers, |(band, runs)| {
            let rows = (first..).zip(keys.column(band)).filter(|(_, key)| **key != NO_KEY);
            let mut entries: Vec<(u64, u32)> = rows.map(|(id, &key)| (key, id)).collect();
            entries.sort_unstable();
            if !entries.is_empty() {
                let ids = entries.iter().map(|entry| entry.1).collect();
                runs.push(Run::new(entries.iter().map(|entry| entry.0).collect(), ids));
            }
            drop(entries);
            while let [.., older, newer] = &runs[..]
                && older.len() <= 2 * newer.len()
            {
                let merged = Run::merge(older, newer, |id| bit(removed, id));
                runs.truncate(runs.len() - 2);
                runs.push(merged);
            }
            Ok(())
        })?;
        Ok(first)
    }

    fn answer(&self, signature: &[u32], ids: &mut Vec<u32>) {
        if bands::is_empty(signature) {
            return;
        }
        for (band, slots) in signature.chunks_exact(self.banding.rows).enumerate() {
            if band == self.banding.bands {
                break;
            }
            ids.extend(self.found(band, bands::key(band, slots)));
        }
        // Ascending stretches one after the other: the stable sort merges them.
        ids.sort();
        ids.dedup();
    }

    /// The ids under a key of a band that were not removed.
    fn found(&self, band: usize, key: u64) -> impl Iterator<Item = u32> + '_ {
        let runs = if key == NO_KEY { &[] } else { self.runs[band].as_slice() };
        let ids = runs.iter().flat_map(move |run| run.get(key));
        ids.copied().filter(|&id| !self.is_removed(id))
    }

    fn is_removed(&self, id: u32) -> bool {
        bit(&self.removed, id)
    }
}

pub(super) fn bit(words: &[u64], id: u32) -> bool {
    words.get(id as usize / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;

    const BANDING: Banding = Banding { bands: 3, rows: 2 };

    #[test]
    fn every_member_of_a_group_and_clear() {
        let mut table = Table::new(2, Banding { bands: 1, rows: 2 }).unwrap();
        let flags = table.insert_and_flag(&[1, 1, 2, 2, 1, 1], false, 1).unwrap();
        assert_eq!(flags, (0, vec![true, false, true]));
        assert_eq!(table.insert_and_flag(&[2, 2], false, 1).unwrap(), (3, vec![true]));
        assert_eq!(table.query(&[2, 2]).unwrap(), [1, 3]);
        table.clear();
        assert!(table.is_empty() && table.query(&[2, 2]).unwrap().is_empty());
        assert_eq!(table.insert(&[2, 2], 1).unwrap(), 0);
    }

    #[test]
    fn equal_rows_and_size_in_memory() {
        let banding = Banding { bands: 16, rows: 8 };
        let mut table = Table::new(128, banding).unwrap();
        table.insert(&vec![5; 128 * 40_000], 0).unwrap();
        assert_eq!(table.query(&[5; 128]).unwrap().len(), 40_000);
        let mut table = Table::new(128, banding).unwrap();
        for batch in 0..30 {
            let slots: Vec<u32> =
                (0..128 * 1000).map(|i| splitmix(batch, i as u64) as u32).collect();
            table.insert(&slots, 0).unwrap();
        }
        let a_row = table.bytes() as f64 / table.len() as f64;
        assert!((192.0..200.0).contains(&a_row), "{a_row} bytes a row");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut table = Table::new(7, BANDING).unwrap();
        assert!(table.insert(&[0; 8], 1).is_err());
        assert!(table.query(&[0; 6]).is_err() && table.query_batch(&[0; 15], 1).is_err());
        assert!(Table::new(5, BANDING).is_err());
        assert!(table.insert(&[], 0).unwrap() == 0 && table.is_empty());
    }
}
