//! Star clustering: a document goes only if it is verified similar to a kept one (greedy maximal independent set).
//!
//! Documents are visited in keep order; one with a pair to a kept document is removed, else kept. Its partner
//! is the kept document of highest similarity, ties by keep order. A kept document that is visited later
//! cannot be a neighbour of an earlier kept one, but may be the better partner of an earlier removed one, so
//! partners are chosen after all is decided.

use super::{Clusters, Edge, visiting_order};
use crate::error::Result;

/// Stars over verified pairs; `rank` is each document's position in keep order, 0 to n - 1.
pub fn star(edges: &[Edge], rank: &[u32]) -> Result<Clusters> {
    let order = visiting_order(rank, edges)?;
    // Each edge from its later end: a document asks only those before it whether they are kept.
    let ends = |edge: &Edge| match rank[edge.a as usize] < rank[edge.b as usize] {
        true => (edge.a, edge.b),
        false => (edge.b, edge.a),
    };
    let mut start = vec![0usize; order.len() + 1];
    for edge in edges {
        start[ends(edge).1 as usize + 1] += 1;
    }
    for d in 0..order.len() {
        start[d + 1] += start[d];
    }
    let (mut next, mut earlier) = (start.clone(), vec![0u32; edges.len()]);
    for edge in edges {
        let (first, second) = ends(edge);
        earlier[next[second as usize]] = first;
        next[second as usize] += 1;
    }
    let mut kept = vec![false; order.len()];
    for document in order {
        let d = document as usize;
        kept[d] = !earlier[start[d]..start[d + 1]].iter().any(|&e| kept[e as usize]);
    }
    let mut clusters = Clusters::singletons(kept.len());
    for edge in edges {
        for (removed, partner) in [(edge.a, edge.b), (edge.b, edge.a)] {
            let d = removed as usize;
            if kept[d] || !kept[partner as usize] {
                continue;
            }
            let current = clusters.representative[d];
            let better = current == removed
                || edge.similarity > clusters.similarity[d]
                || (edge.similarity == clusters.similarity[d]
                    && rank[partner as usize] < rank[current as usize]);
            if better {
                clusters.representative[d] = partner;
                clusters.similarity[d] = edge.similarity;
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

    /// The definition, word by word, over a full table of similarities.
    fn by_definition(edges: &[Edge], rank: &[u32]) -> Clusters {
        let n = rank.len();
        let similarity = |a: u32, b: u32| {
            edges.iter().find(|e| (e.a, e.b) == (a.min(b), a.max(b))).map(|e| e.similarity)
        };
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&d| rank[d as usize]);
        let mut kept: Vec<u32> = Vec::new();
        for &d in &order {
            if !kept.iter().any(|&k| similarity(d, k).is_some()) {
                kept.push(d);
            }
        }
        let mut clusters = Clusters::singletons(n);
        for &d in order.iter().filter(|d| !kept.contains(d)) {
            let mut best: Option<(u32, f64)> = None;
            for &k in &kept {
                if let Some(s) = similarity(d, k)
                    && best.is_none_or(|(_, seen)| s > seen)
                {
                    best = Some((k, s));
                }
            }
            (clusters.representative[d as usize], clusters.similarity[d as usize]) = best.unwrap();
        }
        clusters
    }

    proptest! {
        #[test]
        fn equal_to_the_definition(n in 0usize..60, pairs in 0usize..200, seed: u64) {
            let (mut edges, rank) = random(n, pairs, seed);
            let expected = by_definition(&edges, &rank);
            prop_assert_eq!(&star(&edges, &rank).unwrap(), &expected);
            // Neither the order of the pairs nor that of their ends matters.
            edges.reverse();
            edges.iter_mut().for_each(|e| (e.a, e.b) = (e.b, e.a));
            prop_assert_eq!(&star(&edges, &rank).unwrap(), &expected);
            // Every removed document is verified similar to its kept partner.
            for (d, kept) in expected.removed() {
                prop_assert!(expected.kept(kept));
                prop_assert!(edges.iter().any(|e| (e.a, e.b) == (d, kept) || (e.b, e.a) == (d, kept)));
            }
        }
    }

    #[test]
    fn partner_is_the_most_similar_kept_one_even_if_visited_later() {
        // 1 falls to 0, but 2 (kept, as unlike 0) resembles it more.
        let edges = [edge(0, 1, 0.80), edge(1, 2, 0.95)];
        let clusters = star(&edges, &[0, 1, 2]).unwrap();
        assert_eq!((clusters.representative[1], clusters.similarity[1]), (2, 0.95));
        let tie = star(&[edge(0, 1, 0.9), edge(1, 2, 0.9)], &[2, 1, 0]).unwrap();
        assert_eq!(tie.representative[1], 2);
    }
}
