//! LSH Forest: the most similar signatures without a threshold (Bawa, Condie, Ganesan, WWW 2005).
//!
//! Tree t orders the rows by `depth` slots from slot t * size / trees on, cyclically. Rows that share a long prefix
//! with a query lie beside its place in that order, so a tree is a sorted array and needs no nodes. A query goes
//! up from full depth level by level in all trees at once, as the paper's SyncAscend does, takes every row that shares a
//! prefix so long, and stops after the level at which there are as many candidates as wanted. They are
//! then ordered by the estimate from the whole signature: the answer is truly sorted.
//!
//! Levels are finished, so the candidates depend on the rows alone and not on how they were inserted. A batch is a
//! run of its own; runs are merged as they grow (O'Neil et al. 1996). 12 bytes a row and tree beside the signatures.

use std::cmp::Ordering;
use std::ops::Range;

use super::bands;
use super::ranked::Ranked;
use crate::error::{Error, Result};
use crate::{parallel, sketch};

/// Queries of a batch below which another thread does not pay.
const GRAIN: usize = 4;

/// The rows of one run in the order of one tree.
#[derive(Clone, Debug, Default)]
struct Sorted {
    /// The first two slots of each row, so that most steps of a search touch no signature.
    heads: Vec<u64>,
    ids: Vec<u32>,
}

/// Trees over signatures, which are kept. Ids count up from 0.
#[derive(Clone, Debug)]
pub struct Forest {
    size: usize,
    trees: usize,
    depth: usize,
    slots: Vec<u32>,
    /// Oldest first: how many rows, and their order in each tree.
    runs: Vec<(usize, Vec<Sorted>)>,
}

/// How many candidates and answers a query wants.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Answers.
    pub best: usize,
    /// Candidates after which no shorter prefix is looked at.
    pub candidates: usize,
}

impl Forest {
    /// An empty forest over signatures of `size` slots.
    pub fn new(size: usize, trees: usize, depth: usize) -> Result<Self> {
        if size == 0 || trees == 0 || depth == 0 || trees > size || depth > size {
            return Err(Error::argument(format!(
                "trees and depth must be from 1 to the {size} slots of a signature, got \
                 trees={trees}, depth={depth}"
            )));
        }
        Ok(Self { size, trees, depth, slots: Vec::new(), runs: Vec::new() })
    }

    /// Inserts the rows of a matrix; the first gets the id returned. Signatures of empty sets are never found.
    pub fn insert(&mut self, matrix: &[u32], threads: usize) -> Result<u32> {
        if !matrix.len().is_multiple_of(self.size) {
            return Err(Error::data(format!(
                "{} slots are not rows of {}",
                matrix.len(),
                self.size
            )));
        }
        let (first, rows) = (self.len(), matrix.len() / self.size);
        let range = u32::try_from(first).ok().zip(u32::try_from(first + rows).ok());
        let Some((first, after)) = range else {
            return Err(Error::argument(format!(
                "{rows} more rows would exceed the {} ids of a forest; split it",
                u32::MAX
            )));
        };
        self.slots.extend_from_slice(matrix);
        if rows > 0 {
            self.runs.push((rows, self.sorted(first..after, threads)?));
        }
        while let [.., older, newer] = &self.runs[..]
            && older.0 <= 2 * newer.0
        {
            let merged = (older.0 + newer.0, self.merged(&older.1, &newer.1, threads)?);
            self.runs.truncate(self.runs.len() - 2);
            self.runs.push(merged);
        }
        Ok(first)
    }

    /// The most similar rows to each row of a matrix, best first, ties by id.
    pub fn query(&self, matrix: &[u32], wanted: Wanted, threads: usize) -> Result<Ranked> {
        if !matrix.len().is_multiple_of(self.size) {
            return Err(Error::mismatch(format!(
                "{} slots are not signatures of {}",
                matrix.len(),
                self.size
            )));
        }
        let rows = matrix.len() / self.size;
        let parts = parallel::map_chunks(rows, threads, GRAIN, |range: Range<usize>| {
            let queries = matrix[range.start * self.size..range.end * self.size].chunks(self.size);
            queries.map(|query| self.best(query, wanted)).collect::<Result<Vec<_>>>()
        })?;
        let mut all = Ranked { offsets: vec![0], ids: Vec::new(), estimates: Vec::new() };
        for found in parts.into_iter().flatten() {
            all.ids.extend(found.iter().map(|&(_, id)| id));
            all.estimates.extend(found.iter().map(|&(estimate, _)| estimate));
            all.offsets.push(all.ids.len());
        }
        Ok(all)
    }

    /// Rows in it, those of empty sets included.
    pub fn len(&self) -> usize {
        self.slots.len() / self.size
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// All signatures in order of id: with them a forest can be grown anew.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let trees = self.runs.iter().flat_map(|(_, trees)| trees);
        let trees = trees.map(|tree| 8 * tree.heads.capacity() + 4 * tree.ids.capacity());
        4 * self.slots.capacity() + trees.sum::<usize>()
    }

    fn best(&self, query: &[u32], wanted: Wanted) -> Result<Vec<(f64, u32)>> {
        let ids = if bands::is_empty(query) {
            Vec::new()
        } else {
            self.candidates(query, wanted.candidates)
        };
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.push((sketch::estimate(query, self.row(id))?, id));
        }
        let order = |x: &(f64, u32), y: &(f64, u32)| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1));
        if found.len() > wanted.best {
            found.select_nth_unstable_by(wanted.best, order);
            found.truncate(wanted.best);
        }
        found.sort_unstable_by(order);
        Ok(found)
    }

    /// Rows that share a prefix with the query, in order of id: of the greatest length at which there are enough.
    fn candidates(&self, query: &[u32], enough: usize) -> Vec<u32> {
        let mut sides = Vec::with_capacity(2 * self.trees * self.runs.len());
        for (_, trees) in &self.runs {
            for (tree, sorted) in trees.iter().enumerate() {
                let at = self.place(tree, sorted, query);
                sides.push(self.side(tree, &sorted.ids[..at], true, query));
                sides.push(self.side(tree, &sorted.ids[at..], false, query));
            }
        }
        let mut found = Vec::new();
        for level in (1..=self.depth).rev() {
            for side in &mut sides {
                while side.shared >= level {
                    found.extend(side.next());
                    side.shared = self.shared(side.tree, side.peek(), query);
                }
            }
            found.sort_unstable();
            found.dedup();
            if found.len() >= enough {
                break;
            }
        }
        found
    }

    fn side<'a>(&self, tree: usize, ids: &'a [u32], before: bool, query: &[u32]) -> Side<'a> {
        let mut side = Side { tree, ids, before, shared: 0 };
        side.shared = self.shared(tree, side.peek(), query);
        side
    }

    /// How many rows of a tree come before the query.
    fn place(&self, tree: usize, sorted: &Sorted, query: &[u32]) -> usize {
        let head = self.head(tree, query);
        let start = sorted.heads.partition_point(|&other| other < head);
        let equal = sorted.heads[start..].partition_point(|&other| other == head);
        let alike = &sorted.ids[start..start + equal];
        start + alike.partition_point(|&id| self.compare(tree, self.row(id), query).is_lt())
    }

    /// Slots from the front that a row shares with the query in a tree.
    fn shared(&self, tree: usize, id: Option<u32>, query: &[u32]) -> usize {
        id.map_or(0, |id| {
            let pairs = self.path(tree, self.row(id)).zip(self.path(tree, query));
            pairs.take_while(|(a, b)| a == b).count()
        })
    }

    /// The slots by which a tree orders a signature.
    fn path<'a>(&self, tree: usize, signature: &'a [u32]) -> impl Iterator<Item = u32> + use<'a> {
        let (front, back) = signature.split_at(tree * self.size / self.trees);
        back.iter().chain(front).copied().take(self.depth)
    }

    fn head(&self, tree: usize, signature: &[u32]) -> u64 {
        let mut path = self.path(tree, signature).map(u64::from);
        path.next().unwrap_or(0) << 32 | path.next().unwrap_or(0)
    }

    fn compare(&self, tree: usize, a: &[u32], b: &[u32]) -> Ordering {
        self.path(tree, a).cmp(self.path(tree, b))
    }

    fn row(&self, id: u32) -> &[u32] {
        &self.slots[id as usize * self.size..(id as usize + 1) * self.size]
    }

    fn order(&self, tree: usize, a: (u64, u32), b: (u64, u32)) -> Ordering {
        let deep = || self.compare(tree, self.row(a.1), self.row(b.1));
        a.0.cmp(&b.0).then_with(deep).then(a.1.cmp(&b.1))
    }

    fn sorted(&self, ids: Range<u32>, threads: usize) -> Result<Vec<Sorted>> {
        self.each_tree(threads, |tree| {
            let there = ids.clone().filter(|&id| !bands::is_empty(self.row(id)));
            let mut rows: Vec<_> = there.map(|id| (self.head(tree, self.row(id)), id)).collect();
            rows.sort_unstable_by(|&a, &b| self.order(tree, a, b));
            rows.into_iter().unzip()
        })
    }

    fn merged(&self, older: &[Sorted], newer: &[Sorted], threads: usize) -> Result<Vec<Sorted>> {
        self.each_tree(threads, |tree| {
            let rows = |trees: &[Sorted]| -> Vec<(u64, u32)> {
                let sorted = &trees[tree];
                sorted.heads.iter().copied().zip(sorted.ids.iter().copied()).collect()
            };
            let mut all = rows(older);
            all.extend(rows(newer));
            all.sort_by(|&a, &b| self.order(tree, a, b)); // two ascending stretches: a merge
            all.into_iter().unzip()
        })
    }

    fn each_tree(
        &self,
        threads: usize,
        work: impl Fn(usize) -> (Vec<u64>, Vec<u32>) + Sync,
    ) -> Result<Vec<Sorted>> {
        let parts = parallel::map_chunks(self.trees, threads, 1, |trees| {
            Ok(trees.map(&work).collect::<Vec<_>>())
        })?;
        Ok(parts.into_iter().flatten().map(|(heads, ids)| Sorted { heads, ids }).collect())
    }
}

/// What is left of a tree on one side of the query's place, nearest first.
struct Side<'a> {
    tree: usize,
    ids: &'a [u32],
    before: bool,
    /// Slots that the nearest row shares with the query.
    shared: usize,
}

impl Side<'_> {
    fn peek(&self) -> Option<u32> {
        if self.before { self.ids.last() } else { self.ids.first() }.copied()
    }

    fn next(&mut self) -> Option<u32> {
        let split = if self.before { self.ids.split_last() } else { self.ids.split_first() };
        let (&id, rest) = split?;
        self.ids = rest;
        Some(id)
    }
}

#[cfg(test)]
mod tests;
