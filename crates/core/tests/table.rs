//! The LSH table against a plain list of rows, under random inserts, removals and queries.

use neardup_core::hash::splitmix;
use neardup_core::lsh::{Banding, NO_KEY, Table, bands};
use proptest::prelude::*;

const BANDING: Banding = Banding { bands: 3, rows: 2 };

/// Signatures of 7 slots (one to spare) over few values, some of them empty.
fn matrix(n: usize, seed: u64) -> Vec<u32> {
    let mut slots: Vec<u32> = (0..n * 7).map(|i| (splitmix(seed, i as u64) % 12) as u32).collect();
    for (row, slots) in slots.chunks_mut(7).enumerate() {
        if splitmix(!seed, row as u64) % 10 < 1 {
            slots.fill(bands::EMPTY_SLOT);
        }
    }
    slots
}

fn alike(a: &[u32], b: &[u32]) -> bool {
    let (mut a, mut b) = (bands::keys(a, BANDING), bands::keys(b, BANDING));
    a.resize(3, 0);
    b.resize(3, 0);
    a.iter().zip(&b).any(|(x, y)| x == y && *x != NO_KEY)
}

proptest! {
    #[test]
    fn equal_to_a_list_of_rows(steps in prop::collection::vec((0usize..40, 0u32..60), 1..25), seed: u64) {
        let mut table = Table::new(7, BANDING).unwrap();
        let mut rows: Vec<(Vec<u32>, bool)> = Vec::new();
        for (step, (n, id)) in steps.into_iter().enumerate() {
            let slots = matrix(n, seed.wrapping_add(step as u64));
            let there: Vec<&[u32]> = rows.iter().filter(|r| r.1).map(|r| &r.0[..]).collect();
            let own: Vec<&[u32]> = slots.chunks(7).collect();
            let expected: Vec<bool> = own.iter().enumerate().map(|(i, row)| {
                there.iter().chain(&own[..i]).any(|other| alike(row, other))
            }).collect();
            let first = rows.len() as u32;
            prop_assert_eq!(table.insert_and_flag(&slots, true, 2).unwrap(), (first, expected));
            rows.extend(slots.chunks(7).map(|row| (row.to_vec(), true)));
            let there = rows.get(id as usize).is_some_and(|row| row.1);
            prop_assert_eq!(table.remove(id), there);
            if let Some(row) = rows.get_mut(id as usize) {
                row.1 = false;
            }
            prop_assert_eq!(table.len(), rows.iter().filter(|row| row.1).count());
            let queries = matrix(8, !seed);
            let expected: Vec<Vec<u32>> = queries.chunks(7).map(|q| {
                let ids = 0..rows.len() as u32;
                ids.filter(|&i| rows[i as usize].1 && alike(q, &rows[i as usize].0)).collect()
            }).collect();
            let batch = table.query_batch(&queries, 2).unwrap();
            for (i, query) in queries.chunks(7).enumerate() {
                prop_assert_eq!(&table.query(query).unwrap(), &expected[i]);
                let own = &batch.ids[batch.offsets[i]..batch.offsets[i + 1]];
                prop_assert_eq!(own, &expected[i][..]);
            }
            let loaded = Table::from_bytes(&table.to_bytes()).unwrap();
            prop_assert_eq!(loaded.query_batch(&queries, 1).unwrap(), batch);
        }
    }
}
