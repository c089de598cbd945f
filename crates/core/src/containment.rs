//! Which documents contain a passage: shingles to documents, looked up rarest first, exact.
//!
//! A document that has at least s of the w shingles of a passage lacks w - s of them at most, so it has one of any
//! w - s + 1: the prefix filter (Chaudhuri, Ganti, Kaushik 2006), with the rarest shingles of this very index
//! as the prefix of each query. What they name is counted through the other lists and dropped as soon as it
//! cannot reach s any more. Recall is 1 and the containments are exact, whatever the sizes; measured against
//! LSH Ensemble (Zhu, Nargesian, Pu, Miller, VLDB 2016) and against samples of the shingles in
//! docs/guide/containment.md.
//!
//! A shingle's key is a bijection of its hash that makes keys uniform: they are equal only if shingles are.

use crate::error::{Error, Result};
use crate::lsh::NO_KEY;
use crate::lsh::postings::{Entries, Postings};
use crate::text::{Column, Shingler, TextSpec};
use crate::{hash, parallel};

/// Lists by the low bits of the key, so that threads fill them side by side.
const SHARDS: usize = 16;
/// Texts per piece of work that a thread takes.
const GRAIN: usize = 16;
/// Texts entered at a time, which bounds what is held beside the lists.
const BLOCK: usize = 1 << 13;

/// Makes the key of no packed shingle 0, which no list holds; of hashed ones, that of one in 2^64.
const FLIP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Shingles, and the documents that have them. Ids count up from 0.
#[derive(Clone, Debug)]
pub struct Containment {
    shards: Vec<Postings>,
    next: u32,
}

/// Documents that contain each of many passages (CSR), best first, ties by id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contained {
    /// Where each passage's answers begin, and the end.
    pub offsets: Vec<usize>,
    /// The ids, passage after passage.
    pub ids: Vec<u32>,
    /// Share of the passage's shingles that the document has.
    pub shares: Vec<f64>,
}

impl Default for Containment {
    fn default() -> Self {
        Self { shards: vec![Postings::default(); SHARDS], next: 0 }
    }
}

impl Containment {
    /// Inserts the texts of a column; the first gets the id returned. Rows not `valid` get an id and nothing else.
    pub fn insert(
        &mut self,
        column: &Column<'_>,
        valid: Option<&[bool]>,
        spec: &TextSpec,
        threads: usize,
    ) -> Result<u32> {
        check_mask(column, valid)?;
        let first = self.next;
        let after = u32::try_from(column.len()).ok().and_then(|n| first.checked_add(n));
        let Some(after) = after else {
            return Err(Error::argument(format!(
                "{} more texts would exceed the {} ids of an index; split it",
                column.len(),
                u32::MAX
            )));
        };
        let there = |row: usize| valid.is_none_or(|valid| valid[row]);
        (0..column.len())
            .filter(|&row| there(row))
            .try_for_each(|row| column.text(row).map(drop))?;
        for start in (0..column.len()).step_by(BLOCK) {
            let rows = BLOCK.min(column.len() - start);
            let parts = parallel::map_chunks(rows, threads, GRAIN, |range| {
                let mut shingler = Shingler::new(spec);
                let mut shards = vec![Vec::new(); SHARDS];
                for row in range.map(|row| start + row).filter(|&row| there(row)) {
                    for &shingle in shingler.set(column.input(row)?) {
                        let key = key_of(shingle);
                        shards[shard_of(key)].push((key, first + row as u32));
                    }
                }
                Ok(shards)
            })?;
            for (shard, held) in self.shards.iter().enumerate() {
                held.check_room(parts.iter().map(|part| part[shard].len()).sum())?;
            }
            let tasks = self.shards.iter_mut().enumerate();
            parallel::run(tasks, parallel::threads(threads).min(rows), |(shard, held)| {
                held.insert(parts.iter().flat_map(|part| part[shard].iter().copied()).collect());
                Ok(())
            })?;
            self.next = first + (start + rows) as u32;
        }
        self.next = after;
        Ok(first)
    }

    /// For each text of a column the documents that have at least the share `threshold` of its shingles.
    pub fn query(
        &self,
        column: &Column<'_>,
        valid: Option<&[bool]>,
        spec: &TextSpec,
        threshold: f64,
        limit: usize,
        threads: usize,
    ) -> Result<Contained> {
        check_mask(column, valid)?;
        let parts = parallel::map_chunks(column.len(), threads, GRAIN, |range| {
            let (mut shingler, mut part) = (Shingler::new(spec), Contained::default());
            for row in range {
                if valid.is_none_or(|valid| valid[row]) {
                    let set = shingler.set(column.input(row)?);
                    let mut found = self.containing(set, threshold);
                    found.sort_unstable_by(|x, y| y.1.cmp(&x.1).then(x.0.cmp(&y.0)));
                    found.truncate(limit);
                    part.ids.extend(found.iter().map(|&(id, _)| id));
                    part.shares.extend(found.iter().map(|&(_, n)| share(n, set.len())));
                }
                part.offsets.push(part.ids.len());
            }
            Ok(part)
        })?;
        let mut all = Contained { offsets: vec![0], ..Contained::default() };
        for part in parts {
            all.offsets.extend(part.offsets.iter().map(|end| all.ids.len() + end));
            all.ids.extend(part.ids);
            all.shares.extend(part.shares);
        }
        Ok(all)
    }

    /// Documents, by id, that have enough of the shingles of `set`, and how many.
    fn containing(&self, set: &[u64], threshold: f64) -> Vec<(u32, usize)> {
        let Some(needed) = cut_off(set.len(), threshold) else { return Vec::new() };
        let mut pieces: Vec<&[u32]> = Vec::with_capacity(set.len());
        let mut lists = Vec::with_capacity(set.len());
        for &shingle in set {
            let (key, begin) = (key_of(shingle), pieces.len());
            pieces.extend(self.shards[shard_of(key)].get(key).filter(|piece| !piece.is_empty()));
            let documents: usize = pieces[begin..].iter().map(|piece| piece.len()).sum();
            lists.push((documents, begin, pieces.len()));
        }
        lists.sort_unstable();
        let (rarest, others) = lists.split_at(set.len() - needed + 1);
        let mut ids: Vec<u32> = Vec::new();
        for &(_, begin, end) in rarest {
            pieces[begin..end].iter().for_each(|piece| ids.extend_from_slice(piece));
        }
        ids.sort_unstable();
        let mut found: Vec<_> =
            ids.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
        for (done, &(_, begin, end)) in others.iter().enumerate() {
            found.retain(|&(_, count)| count + (others.len() - done) >= needed);
            if found.is_empty() {
                return found;
            }
            pieces[begin..end].iter().for_each(|piece| count(&mut found, piece));
        }
        found.retain(|&(_, count)| count >= needed);
        found
    }

    /// Takes over the documents of another; their ids follow the own ones.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        let after = self.next.checked_add(other.next);
        let after = after.ok_or_else(|| Error::argument("too many texts for one index"))?;
        for (own, more) in self.shards.iter().zip(&other.shards) {
            own.check_room(more.len())?;
        }
        self.shards
            .iter_mut()
            .zip(&other.shards)
            .for_each(|(own, more)| own.append(more, self.next));
        self.next = after;
        Ok(())
    }

    /// The entries of each list, for a file.
    pub fn entries(&self) -> Vec<Entries> {
        self.shards.iter().map(Postings::entries).collect()
    }

    /// The index of `next` documents that had these entries.
    pub fn of(shards: &[Entries], next: u32) -> Result<Self> {
        let placed =
            |(shard, (keys, _)): (usize, &Entries)| keys.iter().all(|&k| shard_of(k) == shard);
        if shards.len() != SHARDS || !shards.iter().enumerate().all(placed) {
            return Err(Error::data("the entries of an index are not in their lists"));
        }
        let held = shards.iter().map(|(keys, ids)| Postings::of(keys, ids, next));
        Ok(Self { shards: held.collect::<Result<_>>()?, next })
    }

    /// Documents in it, those without a shingle included.
    pub fn len(&self) -> usize {
        self.next as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.next == 0
    }

    /// Shingles entered, one for each document that has it.
    pub fn shingles(&self) -> usize {
        self.shards.iter().map(Postings::len).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.shards.iter().map(Postings::bytes).sum()
    }
}

/// Adds one to the count of each document of `found` that is in `piece`; both ascend.
fn count(found: &mut [(u32, usize)], mut piece: &[u32]) {
    if piece.len() < found.len() {
        for id in piece {
            if let Ok(at) = found.binary_search_by_key(id, |entry| entry.0) {
                found[at].1 += 1;
            }
        }
        return;
    }
    for (id, count) in found {
        piece = &piece[piece.partition_point(|other| *other < *id)..];
        *count += usize::from(piece.first() == Some(id));
    }
}

/// The smallest number of `size` shingles whose share, as a float64 quotient, reaches `threshold`; none of none.
fn cut_off(size: usize, threshold: f64) -> Option<usize> {
    let guess = (threshold * size as f64) as usize;
    (guess.saturating_sub(1).max(1)..=size).find(|&shared| share(shared, size) >= threshold)
}

fn share(shared: usize, size: usize) -> f64 {
    shared as f64 / size as f64
}

fn key_of(shingle: u64) -> u64 {
    hash::mix(shingle ^ FLIP).max(NO_KEY + 1)
}

fn shard_of(key: u64) -> usize {
    (key % SHARDS as u64) as usize
}

fn check_mask(column: &Column<'_>, valid: Option<&[bool]>) -> Result<()> {
    if valid.is_some_and(|valid| valid.len() != column.len()) {
        return Err(Error::argument("the validity mask must have one entry a row"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
