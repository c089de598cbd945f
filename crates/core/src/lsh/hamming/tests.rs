use super::*;
use crate::hash::splitmix;
use proptest::prelude::*;

/// Fingerprints of which many differ from an earlier one in few bits, some in none.
fn close(n: usize, width: usize, seed: u64) -> Vec<u64> {
    let mut words: Vec<u64> = Vec::new();
    for i in 0..n as u64 {
        let draw = |j| splitmix(seed, 8 * i + j);
        let copied = (i > 0 && draw(0) % 4 > 0).then(|| (draw(1) % i) as usize * width);
        let mut row: Vec<u64> = match copied {
            Some(at) => words[at..at + width].to_vec(),
            None => (0..width as u64).map(|j| draw(2 + j)).collect(),
        };
        for j in 0..draw(4) % 5 {
            let place = splitmix(draw(5), j) as usize % (64 * width);
            row[place / 64] ^= 1 << (place % 64);
        }
        words.extend(row);
    }
    words
}

/// By definition.
fn brute(words: &[u64], width: usize, probe: &[u64], most: u32) -> Vec<(u32, u32)> {
    let rows = words.chunks(width).zip(0..);
    let mut found: Vec<_> = rows
        .map(|(row, id)| (id, row.iter().zip(probe).map(|(x, y)| (x ^ y).count_ones()).sum()))
        .filter(|&(_, distance)| distance <= most)
        .collect();
    found.sort_by_key(|&(id, distance)| (distance, id));
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn every_one_within_the_distance_once_and_in_order(
        n in 0usize..1500, width in 1usize..3, distance in prop_oneof![0u32..5, 0u32..24],
        cut in 0usize..1500, removed in 0u64..5, seed: u64,
    ) {
        let words = close(n, width, seed);
        let cut = cut.min(n) * width;
        let mut index = Hamming::new(64 * width, distance).unwrap();
        index.insert(&words[..cut], None).unwrap();
        for row in words[cut..].chunks(7 * width) {
            index.insert(row, None).unwrap();
        }
        let gone = |id: u32| removed > 0 && splitmix(!seed, id.into()) % 5 < removed;
        for id in (0..n as u32).filter(|&id| gone(id)) {
            prop_assert!(index.remove(id) && !index.remove(id));
        }
        let expected = |probe: &[u64]| -> Vec<_> {
            brute(&words, width, probe, distance).into_iter().filter(|&(id, _)| !gone(id)).collect()
        };
        let probes = [&words[..words.len().min(40 * width)], &close(5, width, !seed)].concat();
        let all: Vec<_> = probes.chunks(width).map(expected).collect();
        for threads in [1, 3] {
            prop_assert_eq!(index.query(&probes, None, threads).unwrap(), all.clone());
        }
        let again = Hamming::of(64 * width, distance, words.clone(), index.states().to_vec()).unwrap();
        prop_assert_eq!(again.query(&probes, None, 1).unwrap(), all);
        prop_assert_eq!(again.len(), index.len());
        let pairs: Vec<Pair> = (0..n as u32)
            .filter(|&a| !gone(a))
            .flat_map(|a| {
                let mut row = expected(&words[a as usize * width..][..width]);
                row.sort_unstable();
                row.into_iter()
                    .filter(move |&(b, _)| b > a)
                    .map(move |(b, distance)| Pair { a, b, distance })
            })
            .collect();
        for threads in [1, 3] {
            prop_assert!(index.pairs(threads, pairs.len()).unwrap() == pairs);
        }
    }
}

#[test]
fn blocks_come_with_size_and_answers_stay() {
    let words = close(40_000, 1, 5);
    let mut index = Hamming::new(64, 3).unwrap();
    let mut seen = Vec::new();
    for part in words.chunks(500) {
        index.insert(part, None).unwrap();
        seen.push(index.blocks());
    }
    seen.dedup();
    assert_eq!(seen, [0, 4]);
    for probe in words.iter().step_by(997) {
        let found = index.query(&[*probe], None, 1).unwrap();
        assert_eq!(found[0], brute(&words, 1, &[*probe], 3));
    }
}

#[test]
fn empty_ones_are_numbered_and_never_found() {
    let mut index = Hamming::new(64, 64).unwrap();
    assert_eq!(index.insert(&[1, u64::MAX, 3], Some(&[true, false, true])), Ok(0));
    assert_eq!((index.len(), index.contains(1), index.contains(3)), (3, true, false));
    let found = index.query(&[1, 1], Some(&[true, false]), 1).unwrap();
    assert_eq!(found, [vec![(0, 0), (2, 1)], vec![]]);
    assert!(index.remove(1) && !index.contains(1));
    assert_eq!(index.pairs(1, 1).unwrap(), [Pair { a: 0, b: 2, distance: 1 }]);
}

#[test]
fn what_does_not_fit_is_refused() {
    for (bits, distance) in [(32, 3), (0, 0), (64, 65), (128, 129)] {
        assert!(Hamming::new(bits, distance).is_err());
    }
    let mut index = Hamming::new(128, 3).unwrap();
    assert!(index.insert(&[1, 2, 3], None).is_err());
    assert!(index.insert(&[1, 2], Some(&[true, true])).is_err());
    assert!(index.query(&[1], None, 1).is_err());
    assert!(Hamming::of(64, 3, vec![1], vec![]).is_err());
}

#[test]
fn more_pairs_than_there_is_room_for_are_an_error() {
    let mut index = Hamming::new(64, 0).unwrap();
    index.insert(&[7; 3000], None).unwrap();
    for threads in [1, 3] {
        assert!(index.pairs(threads, 100_000).is_err());
        assert_eq!(index.pairs(threads, 3000 * 2999 / 2).unwrap().len(), 3000 * 2999 / 2);
    }
}
