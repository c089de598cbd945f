//! Connected components by union-find with union by rank and path compression (Tarjan 1975).

use super::{Clusters, Edge, visiting_order};
use crate::error::Result;

/// A partition of 0..n that only ever grows coarser.
#[derive(Clone, Debug)]
pub struct UnionFind {
    parent: Vec<u32>,
    height: Vec<u8>,
}

impl UnionFind {
    /// Every element by itself.
    pub fn new(n: u32) -> Self {
        Self { parent: (0..n).collect(), height: vec![0; n as usize] }
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
}

/// Connected components of verified pairs: the first of each in keep order is kept. `rank` is each document's
/// position in keep order. A similarity is NaN where a document and its representative are no pair.
pub fn components(edges: &[Edge], rank: &[u32]) -> Result<Clusters> {
    let order = visiting_order(rank, edges)?;
    let n = order.len();
    let mut sets = UnionFind::new(n as u32);
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
        let mut sets = UnionFind::new(3);
        assert!(sets.union(0, 1) && !sets.union(1, 0));
        assert_eq!(sets.find(0), sets.find(1));
        assert_ne!(sets.find(0), sets.find(2));
    }
}
