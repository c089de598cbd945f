//! Connected components by union-find with union by rank and path compression (Tarjan 1975).

use super::{Clusters, Edge, visiting_order};
use crate::error::{Error, Result};
use crate::parallel;

/// A partition of 0..n that only ever grows coarser.
#[derive(Clone, Debug)]
pub struct UnionFind {
    parent: Vec<u32>,
    height: Vec<u8>,
}

impl UnionFind {
    /// Every element by itself, or an error if that many do not fit in memory.
    pub fn new(n: u32) -> Result<Self> {
        let (mut parent, mut height) = (Vec::new(), Vec::new());
        // Asked for first, since what cannot be had would end the process.
        parent
            .try_reserve_exact(n as usize)
            .and_then(|()| height.try_reserve_exact(n as usize))
            .map_err(|_| {
                let bytes = 5 * u64::from(n);
                Error::argument(format!(
                    "{n} elements of {bytes} bytes do not fit in memory; take a smaller n"
                ))
            })?;
        parent.extend(0..n);
        height.resize(n as usize, 0);
        Ok(Self { parent, height })
    }

    /// The root of the set that holds `x`.
    pub fn find(&mut self, x: u32) -> u32 {
        let mut root = x;
        while self.parent[root as usize] != root {
            root = self.parent[root as usize];
        }
        let mut node = x;
        while node != root {
            node = std::mem::replace(&mut self.parent[node as usize], root);
        }
        root
    }

    /// Joins the sets of `a` and `b`; whether they were apart.
    pub fn union(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        let (low, high) = match self.height[a as usize] < self.height[b as usize] {
            true => (a, b),
            false => (b, a),
        };
        self.parent[low as usize] = high;
        if self.height[low as usize] == self.height[high as usize] {
            self.height[high as usize] += 1;
        }
        true
    }

    /// How many elements there are.
    pub fn len(&self) -> u32 {
        self.parent.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// Joins each pair; how many were apart.
    pub fn union_all(&mut self, a: &[u32], b: &[u32]) -> Result<usize> {
        if a.len() != b.len() {
            return Err(Error::argument(format!("{} left sides and {} right", a.len(), b.len())));
        }
        if let Some(x) = a.iter().chain(b).find(|&&x| x >= self.len()) {
            return Err(Error::argument(format!(
                "{x} is none of the {} elements, which are numbered from 0",
                self.len()
            )));
        }
        Ok(a.iter().zip(b).filter(|&(&a, &b)| self.union(a, b)).count())
    }

    /// For each element the least of its set.
    pub fn labels(&mut self) -> Vec<u32> {
        let mut least = vec![u32::MAX; self.parent.len()];
        (0..self.len())
            .map(|x| {
                let root = self.find(x) as usize;
                least[root] = least[root].min(x);
                least[root]
            })
            .collect()
    }

    /// Joins whatever is joined in `other`, which has as many elements; how many joins that took.
    pub fn merge(&mut self, other: &UnionFind) -> Result<usize> {
        if self.len() != other.len() {
            return Err(Error::mismatch(format!(
                "a partition of {} elements and one of {} cannot be merged; make both as large",
                self.len(),
                other.len()
            )));
        }
        Ok((0..).zip(&other.parent).filter(|&(x, &parent)| self.union(x, parent)).count())
    }
}

/// The partition of 0..n by all pairs, shard by shard apart and merged two and two (divide and merge).
pub fn divide_and_merge(n: u32, shards: &[(&[u32], &[u32])], threads: usize) -> Result<UnionFind> {
    let mut parts = parallel::map_chunks(shards.len(), threads, 1, |range| {
        let mut part = UnionFind::new(n)?;
        for &(a, b) in &shards[range] {
            part.union_all(a, b)?;
        }
        Ok(part)
    })?;
    while parts.len() > 1 {
        let half = parts.len().div_ceil(2);
        let right = parts.split_off(half);
        let pairs = parts.iter_mut().zip(&right);
        parallel::run(pairs, parallel::threads(threads).min(right.len()), |(left, right)| {
            left.merge(right).map(|_| ())
        })?;
    }
    parts.pop().map_or_else(|| UnionFind::new(n), Ok)
}

/// Connected components of verified pairs: the first of each in keep order is kept. `rank` is each document's
/// position in keep order. A similarity is NaN where a document and its representative are no pair.
pub fn components(edges: &[Edge], rank: &[u32]) -> Result<Clusters> {
    let order = visiting_order(rank, edges)?;
    let n = order.len();
    let mut sets = UnionFind::new(n as u32)?;
    for edge in edges {
        sets.union(edge.a, edge.b);
    }
    let mut first = vec![u32::MAX; n];
    let mut clusters = Clusters::singletons(n);
    for document in order {
        let root = sets.find(document) as usize;
        if first[root] == u32::MAX {
            first[root] = document;
        } else {
            clusters.representative[document as usize] = first[root];
            clusters.similarity[document as usize] = f64::NAN;
        }
    }
    for edge in edges {
        for (document, other) in [(edge.a, edge.b), (edge.b, edge.a)] {
            if clusters.representative[document as usize] == other {
                clusters.similarity[document as usize] = edge.similarity;
            }
        }
    }
    Ok(clusters)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{edge, random};
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    /// Breadth-first search from each document in keep order.
    fn by_search(edges: &[Edge], rank: &[u32]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..rank.len() as u32).collect();
        order.sort_by_key(|&d| rank[d as usize]);
        let mut representative = vec![u32::MAX; rank.len()];
        for first in order {
            let mut queue = VecDeque::from([first]);
            while let Some(d) = queue.pop_front() {
                if representative[d as usize] == u32::MAX {
                    representative[d as usize] = first;
                    queue.extend(edges.iter().filter(|e| e.a == d).map(|e| e.b));
                    queue.extend(edges.iter().filter(|e| e.b == d).map(|e| e.a));
                }
            }
        }
        representative
    }

    proptest! {
        #[test]
        fn shards_apart_give_the_same_clusters(n in 1usize..60, pairs in 0usize..80, seed: u64, cut in 1usize..40) {
            let (edges, _) = random(n, pairs, seed);
            let expected = by_search(&edges, &(0..n as u32).collect::<Vec<_>>());
            let (a, b): (Vec<u32>, Vec<u32>) = edges.iter().map(|e| (e.a, e.b)).unzip();
            let shards: Vec<_> = a.chunks(cut).zip(b.chunks(cut)).collect();
            for threads in [1, 3] {
                let mut sets = divide_and_merge(n as u32, &shards, threads).unwrap();
                prop_assert_eq!(&sets.labels(), &expected);
            }
        }

        #[test]
        fn equal_to_a_search(n in 0usize..60, pairs in 0usize..80, seed: u64) {
            let (edges, rank) = random(n, pairs, seed);
            let clusters = components(&edges, &rank).unwrap();
            prop_assert_eq!(&clusters.representative, &by_search(&edges, &rank));
            for (d, kept) in clusters.removed() {
                let pair = edges.iter().find(|e| (e.a, e.b) == (d.min(kept), d.max(kept)));
                let known = clusters.similarity[d as usize];
                prop_assert!(pair.map_or(known.is_nan(), |e| e.similarity == known));
            }
        }
    }

    #[test]
    fn a_long_chain_in_any_order() {
        let n = 1_000_000u32;
        let edges: Vec<Edge> = (1..n).rev().map(|d| edge(d - 1, d, 0.9)).collect();
        let clusters = components(&edges, &(0..n).collect::<Vec<_>>()).unwrap();
        assert!(clusters.representative.iter().all(|&r| r == 0));
        assert_eq!(clusters.similarity[1], 0.9);
    }

    #[test]
    fn union_says_whether_it_joined() {
        let mut sets = UnionFind::new(3).unwrap();
        assert!(sets.union(0, 1) && !sets.union(1, 0));
        assert_eq!(sets.find(0), sets.find(1));
        assert_ne!(sets.find(0), sets.find(2));
        assert_eq!((sets.union_all(&[1, 2], &[2, 0]), sets.labels()), (Ok(1), vec![0, 0, 0]));
        assert!(sets.union_all(&[3], &[0]).is_err() && sets.union_all(&[1], &[]).is_err());
        assert!(sets.merge(&UnionFind::new(2).unwrap()).is_err());
        assert!(divide_and_merge(2, &[(&[0], &[2])], 1).is_err());
    }
}
