//! Sets, pairs, ranks and edges of any kind: similarity, join, exact groups and clusters are those of
//! the definition, and numbers that point nowhere are refused.

use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use neardup_core::cluster::{self, Edge};
use neardup_core::verify::{self, FAILED, Sets};
use neardup_core::{exact, join};

/// Builds sets from the data, then edges over them.
pub fn run(data: &[u8]) {
    let _ = sets(&mut Unstructured::new(data)); // data that ends too soon is no case
}

fn sets(u: &mut Unstructured<'_>) -> Result<()> {
    let threshold = match u.int_in_range(0..=9)? {
        0 => u.arbitrary()?,
        tenths => f64::from(tenths) / 9.0,
    };
    // Threads cost more than all the rest.
    let (count, threads) = (u.int_in_range(0..=12)?, if u.ratio(1, 32)? { 2 } else { 1 });
    let mut family: Vec<BTreeSet<u64>> = Vec::new();
    for _ in 0..count {
        // Bits of a number are a set of small values; some of them are spread wide.
        let (bits, wide): (u64, bool) = u.arbitrary()?;
        let values = (0..64).filter(|bit| bits >> bit & 1 == 1);
        family.push(values.map(|v| if wide { u64::MAX / 63 * v } else { v }).collect());
    }
    let values: Vec<u64> = family.iter().flatten().copied().collect();
    let length: Vec<i64> = family.iter().map(|set| set.len() as i64).collect();
    let start: Vec<i64> = (0..count).map(|i| length[..i].iter().sum()).collect();
    similar(&family, Sets::new(&values, &start, &length).expect("one each"), threshold, threads);
    bounds(u, &values, threshold)?;
    graph(u)
}

fn jaccard(a: &BTreeSet<u64>, b: &BTreeSet<u64>) -> f64 {
    let union = a.union(b).count();
    if union == 0 { 0.0 } else { a.intersection(b).count() as f64 / union as f64 }
}

fn similar(family: &[BTreeSet<u64>], sets: Sets<'_>, threshold: f64, threads: usize) {
    let n = family.len() as u32;
    let pairs = || (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    let (a, b): (Vec<u32>, Vec<u32>) = pairs().unzip();
    let of = |a: u32, b: u32| jaccard(&family[a as usize], &family[b as usize]);
    let found = verify::verify(sets, &a, &b, threshold, threads).expect("pairs of sets");
    let more = verify::both_have_more(sets, &a, &b, threads).expect("pairs of sets");
    for (pair, (a, b)) in pairs().enumerate() {
        // An empty set passes nothing, not even a threshold of 0.
        let (one, other) = (&family[a as usize], &family[b as usize]);
        let passes = of(a, b) >= threshold && !one.is_empty() && !other.is_empty();
        assert_eq!(found[pair], if passes { of(a, b) } else { FAILED });
        assert_eq!(more[pair], !one.is_subset(other) && !other.is_subset(one));
    }
    match join::join(sets, threshold, threads) {
        Ok(joined) => {
            let expected = pairs().filter(|&(a, b)| of(a, b) >= threshold);
            assert!(joined.iter().map(|pair| (pair.a, pair.b)).eq(expected));
            assert!(joined.iter().all(|pair| pair.jaccard == of(pair.a, pair.b)));
        }
        Err(_) => assert!(!(threshold > 0.0 && threshold <= 1.0)),
    }
}

/// Starts and lengths that are anything, over values in any order.
fn bounds(u: &mut Unstructured<'_>, values: &[u64], threshold: f64) -> Result<()> {
    let mut values = values.to_vec();
    values.reverse();
    let (mut start, mut length) = (Vec::new(), Vec::new());
    for _ in 0..u.int_in_range(0..=6)? {
        let wild = u.ratio(1, 8)?;
        let near = |u: &mut Unstructured<'_>| u.int_in_range(0..=values.len() as i64 / 2);
        start.push(if wild { u.arbitrary()? } else { near(u)? });
        length.push(if u.ratio(1, 8)? { u.arbitrary()? } else { near(u)? });
    }
    let sides: Vec<u32> = (0..length.len() as u32 + u32::from(u.ratio(1, 8)?)).collect();
    let sets = Sets::new(&values, &start, &length).expect("one each");
    let inside = |i: &u32| sets.get(*i).is_ok();
    let whole = sides.iter().all(inside);
    let swapped: Vec<u32> = sides.iter().rev().copied().collect();
    // A set that is not ascending gives a wrong count, never a crash.
    assert_eq!(verify::verify(sets, &sides, &swapped, threshold, 1).is_ok(), whole);
    let estimates = verify::estimates(sets, 4, &sides, &swapped, threshold, 1);
    assert_eq!(estimates.is_ok(), whole);
    assert!(verify::verify(sets, &sides, &[], threshold, 1).is_err() != sides.is_empty());
    let _ = join::join(sets, threshold, 1);
    Ok(())
}

fn graph(u: &mut Unstructured<'_>) -> Result<()> {
    let n = u.int_in_range(0..=12u32)?;
    let mut rank: Vec<u32> = (0..n).collect();
    for place in (1..n as usize).rev() {
        rank.swap(place, u.int_in_range(0..=place)?);
    }
    if n > 0 && u.ratio(1, 8)? {
        rank[0] = u.arbitrary()?;
    }
    let mut edges: Vec<Edge> = Vec::new();
    for _ in 0..u.int_in_range(0..=30)? {
        let one = |u: &mut Unstructured<'_>| u.int_in_range(0..=n.saturating_sub(u32::from(n > 1)));
        let (a, b) = (one(u)?, one(u)?);
        let similarity = f64::from(u.int_in_range(1..=4u8)?) / 4.0;
        // A pair is listed once: of repeats the first stands.
        if !edges.iter().any(|e| (e.a, e.b) == (a, b) || (e.b, e.a) == (a, b)) {
            edges.push(Edge { a, b, similarity });
        }
    }
    let places: BTreeSet<u32> = rank.iter().copied().filter(|&place| place < n).collect();
    let sound = places.len() == n as usize && edges.iter().all(|e| e.a.max(e.b) < n && e.a != e.b);
    let (star, chains) = (cluster::star(&edges, &rank), cluster::components(&edges, &rank));
    assert_eq!((star.is_ok(), chains.is_ok()), (sound, sound));
    if let (Ok(star), Ok(chains)) = (star, chains) {
        stars(&edges, &rank, &star);
        reach(&edges, &rank, &chains);
        groups(u, &rank)?;
    }
    Ok(())
}

fn similarity(edges: &[Edge], a: u32, b: u32) -> Option<f64> {
    let same = |e: &&Edge| (e.a, e.b) == (a, b) || (e.b, e.a) == (a, b);
    edges.iter().find(same).map(|edge| edge.similarity)
}

/// Kept documents are unlike each other; a removed one goes to the most similar of them, ties by rank.
fn stars(edges: &[Edge], rank: &[u32], found: &cluster::Clusters) {
    let place = |d: u32| rank[d as usize];
    for d in 0..rank.len() as u32 {
        let kept = (0..rank.len() as u32).filter(|&k| k != d && found.kept(k));
        let near = kept.filter_map(|k| Some((k, similarity(edges, d, k)?)));
        if found.kept(d) {
            assert_eq!(near.count(), 0);
            continue;
        }
        let near: Vec<(u32, f64)> = near.collect();
        assert!(near.iter().any(|&(k, _)| place(k) < place(d)), "removed for a later one only");
        let best =
            near.into_iter().max_by(|x, y| x.1.total_cmp(&y.1).then(place(y.0).cmp(&place(x.0))));
        let (representative, similarity) = best.expect("a kept neighbour");
        assert_eq!(found.representative[d as usize], representative);
        assert_eq!(found.similarity[d as usize], similarity);
    }
}

/// The first of what chains of edges reach.
fn reach(edges: &[Edge], rank: &[u32], found: &cluster::Clusters) {
    let n = rank.len() as u32;
    let mut first: Vec<u32> = (0..n).collect();
    for _ in 0..n {
        for edge in edges {
            let (a, b) = (edge.a as usize, edge.b as usize);
            let least =
                if rank[first[a] as usize] < rank[first[b] as usize] { first[a] } else { first[b] };
            (first[a], first[b]) = (least, least);
        }
    }
    assert_eq!(found.representative, first);
    for d in 0..n {
        let (expected, said) =
            (similarity(edges, d, first[d as usize]), found.similarity[d as usize]);
        assert_eq!(
            expected.unwrap_or(if first[d as usize] == d { 1.0 } else { -1.0 }),
            if said.is_nan() { -1.0 } else { said }
        );
    }
}

fn groups(u: &mut Unstructured<'_>, rank: &[u32]) -> Result<()> {
    let mut digest = Vec::new();
    let mut mask = Vec::new();
    for _ in rank {
        digest.push(u128::from(u.int_in_range(0..=3u8)?) << 100);
        mask.push(!u.ratio(1, 8)?);
    }
    let leader = exact::leaders(&digest, rank, &mask).expect("one each");
    for d in 0..rank.len() {
        let group = (0..rank.len()).filter(|&o| mask[o] && digest[o] == digest[d]);
        let first = group.min_by_key(|&o| rank[o]).filter(|_| mask[d]).unwrap_or(d);
        assert_eq!(leader[d] as usize, first);
    }
    assert!(rank.is_empty() || exact::leaders(&digest, &rank[1..], &mask).is_err());
    Ok(())
}
