//! From verified pairs to clusters: which document stands for which.
//!
//! `star` removes a document only if it is verified similar to a kept one; `components` follows chains of
//! verified pairs and keeps the first of each. Both see leaders only: exact copies are folded in before.

pub mod star;
pub mod union_find;

use crate::error::{Error, Result};

pub use star::star;
pub use union_find::components;

/// A verified pair of documents and its similarity; a and b in any order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// One document.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Their similarity.
    pub similarity: f64,
}

/// The answer: for each document the kept one that stands for it, itself if it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// The kept document that stands for each document.
    pub representative: Vec<u32>,
    /// The similarity to it as far as the pairs tell: 1 for a kept document, NaN where a chain joins two
    /// documents that are no verified pair.
    pub similarity: Vec<f64>,
}

impl Clusters {
    /// Every document by itself.
    fn singletons(n: usize) -> Self {
        Self { representative: (0..n as u32).collect(), similarity: vec![1.0; n] }
    }

    /// Whether a document is kept.
    pub fn kept(&self, document: u32) -> bool {
        self.representative.get(document as usize) == Some(&document)
    }

    /// The removed documents, and with each the kept one that stands for it.
    pub fn removed(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let all = self.representative.iter().enumerate();
        all.map(|(d, &kept)| (d as u32, kept)).filter(|(d, kept)| d != kept)
    }
}

/// Documents in keep order, from the position of each; refuses what is no permutation or out of range.
fn visiting_order(rank: &[u32], edges: &[Edge]) -> Result<Vec<u32>> {
    let n = rank.len();
    if let Some(edge) = edges.iter().find(|e| e.a.max(e.b) as usize >= n || e.a == e.b) {
        return Err(Error::argument(format!(
            "pair ({}, {}) does not name two of the {n} documents",
            edge.a, edge.b
        )));
    }
    let mut order = vec![u32::MAX; n];
    for (document, &position) in rank.iter().enumerate() {
        match order.get_mut(position as usize) {
            Some(place) if *place == u32::MAX => *place = document as u32,
            _ => {
                return Err(Error::argument(format!(
                    "position {position} in keep order is out of range or given twice; \
                     ranks are 0 to {} in some order",
                    n.saturating_sub(1)
                )));
            }
        }
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;

    pub(super) fn edge(a: u32, b: u32, similarity: f64) -> Edge {
        Edge { a, b, similarity }
    }

    /// A random graph of similarities in steps of .05, so that ties are common, and a random keep order.
    pub(super) fn random(n: usize, pairs: usize, seed: u64) -> (Vec<Edge>, Vec<u32>) {
        let draw = |i: usize| splitmix(seed, i as u64);
        let mut edges: Vec<Edge> = (0..if n > 1 { pairs } else { 0 })
            .map(|i| {
                let a = draw(3 * i) % n as u64;
                let b = (a + 1 + draw(3 * i + 1) % (n as u64 - 1)) % n as u64;
                edge(a.min(b) as u32, a.max(b) as u32, 0.8 + (draw(3 * i + 2) % 5) as f64 * 0.05)
            })
            .collect();
        edges.sort_by_key(|e| (e.a, e.b));
        edges.dedup_by_key(|e| (e.a, e.b));
        let mut rank: Vec<u32> = (0..n as u32).collect();
        rank.sort_by_key(|&d| splitmix(!seed, u64::from(d)));
        (edges, rank)
    }

    #[test]
    fn chain_of_unlike_ends() {
        // A ~ B ~ C with A, C unlike.
        let edges = [edge(0, 1, 0.9), edge(1, 2, 0.85)];
        let kept = |clusters: &Clusters| (0..3).map(|d| clusters.kept(d)).collect::<Vec<_>>();
        let stars = star(&edges, &[0, 1, 2]).unwrap();
        assert_eq!(kept(&stars), [true, false, true]);
        assert_eq!(stars.removed().collect::<Vec<_>>(), [(1, 0)]);
        let chains = components(&edges, &[0, 1, 2]).unwrap();
        assert_eq!(kept(&chains), [true, false, false]);
        assert_eq!(chains.similarity[1], 0.9);
        assert!(chains.similarity[2].is_nan());
    }

    #[test]
    fn only_verified_pairs_join() {
        // A chain 0-1-2-3 in the candidate graph of which (0, 1) and (2, 3) are verified.
        let edges = [edge(0, 1, 0.9), edge(2, 3, 0.9)];
        for clusters in [star(&edges, &[0, 1, 2, 3]), components(&edges, &[0, 1, 2, 3])] {
            assert_eq!(clusters.unwrap().representative, [0, 0, 2, 2]);
        }
    }

    #[test]
    fn bad_input_is_refused() {
        for f in [star, components] {
            assert!(f(&[edge(0, 2, 1.0)], &[0, 1]).is_err());
            assert!(f(&[edge(1, 1, 1.0)], &[0, 1]).is_err());
            assert!(f(&[], &[0, 0]).is_err() && f(&[], &[0, 2]).is_err());
            assert!(f(&[], &[]).unwrap().representative.is_empty());
        }
    }
}
