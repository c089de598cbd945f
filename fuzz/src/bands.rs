//! Matrices, bandings and keys of any shape: keys, flags, candidate pairs and index answers are those
//! of the definition, and whatever is no matrix is refused.

use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use neardup_core::lsh::bands::{self, BandKeys};
use neardup_core::lsh::{Banding, NO_KEY, Table, curve, duplicate_flags};
use neardup_core::pairs::{ANCHORS, candidates};

/// Builds a matrix, a banding and a keep order from the data.
pub fn run(data: &[u8]) {
    let _ = matrix(&mut Unstructured::new(data)); // data that ends too soon is no case
}

fn matrix(u: &mut Unstructured<'_>) -> Result<()> {
    let size = u.int_in_range(0..=9)?;
    let banding = Banding {
        bands: u.arbitrary::<u8>()? as usize % 6,
        rows: u.arbitrary::<u8>()? as usize % 5,
    };
    let (cap, split) = (u.int_in_range(1..=100)?, u.arbitrary::<u8>()? as usize);
    let threads = if u.ratio(1, 32)? { 3 } else { 1 }; // threads cost more than all the rest
    choose(u.arbitrary()?, u.arbitrary()?, u.int_in_range(0..=300)?);
    let odd = u.arbitrary::<[u64; 2]>()?;
    // Few values, so that bands meet; some of them empty. Few rows: every two are compared.
    let slots: Vec<u32> = u
        .peek_bytes(u.len().min(200))
        .unwrap_or_default()
        .iter()
        .map(|&byte| if byte > 250 { bands::EMPTY_SLOT } else { u32::from(byte % 5) })
        .collect();
    let fits = Banding::new(banding.bands, banding.rows, size).is_ok();
    let Ok(keys) = BandKeys::of(&slots, size, banding, threads) else {
        assert!(!fits || !slots.len().is_multiple_of(size));
        return Ok(());
    };
    assert!(fits && slots.len() == keys.documents() * size);
    let rows: Vec<Vec<u64>> = slots.chunks(size).map(|row| bands::keys(row, banding)).collect();
    for (row, own) in rows.iter().enumerate() {
        for band in 0..banding.bands {
            assert_eq!(keys.column(band)[row], own.get(band).copied().unwrap_or(NO_KEY));
        }
    }
    let meet = |a: usize, b: usize| rows[a].iter().zip(&rows[b]).any(|(a, b)| a == b);
    flags(&keys, &meet, threads);
    index(&slots, size, banding, &rows, split, threads);
    pairs(&keys, &meet, cap, threads);
    ragged(keys, odd);
    Ok(())
}

fn choose(threshold: f64, recall: f64, size: usize) {
    if let Ok(found) = curve::choose(threshold, recall, size) {
        assert!(found.bands >= 1 && found.rows >= 1 && found.slots() <= size);
        assert!(found.candidate(threshold) >= recall);
    }
    let _ = Banding { bands: size, rows: size }.candidate(threshold);
}

fn flags(keys: &BandKeys, meet: &impl Fn(usize, usize) -> bool, threads: usize) {
    let n = keys.documents();
    for first in [true, false] {
        let found = duplicate_flags(keys, first, threads).expect("flags");
        for (row, &flag) in found.iter().enumerate() {
            let mut others = if first { 0..row } else { 0..n };
            assert_eq!(flag, others.any(|other| other != row && meet(row, other)));
        }
    }
}

fn index(
    slots: &[u32],
    size: usize,
    banding: Banding,
    rows: &[Vec<u64>],
    split: usize,
    threads: usize,
) {
    let mut table = Table::new(size, banding).expect("a banding that fits");
    let cut = split % (rows.len() + 1) * size;
    table.insert(&slots[..cut], threads).expect("rows");
    table.insert_and_flag(&slots[cut..], true, threads).expect("rows");
    let gone = split as u32 / 3;
    table.remove(gone);
    let answers = table.query_batch(slots, threads).expect("rows");
    for (row, own) in rows.iter().enumerate() {
        let found = &answers.ids[answers.offsets[row]..answers.offsets[row + 1]];
        let meets = |other: &u32| own.iter().zip(&rows[*other as usize]).any(|(a, b)| a == b);
        let expected = (0..rows.len() as u32).filter(|other| *other != gone && meets(other));
        assert!(found.iter().copied().eq(expected));
    }
}

fn pairs(keys: &BandKeys, meet: &impl Fn(usize, usize) -> bool, cap: usize, threads: usize) {
    let n = keys.documents();
    let rank: Vec<u32> = (0..n as u32).rev().collect();
    let (found, capped) = candidates(keys, &rank, None, cap, threads).expect("pairs");
    let all: BTreeSet<(u32, u32)> = (0..n as u32)
        .flat_map(|a| (a + 1..n as u32).map(move |b| (a, b)))
        .filter(|&(a, b)| meet(a as usize, b as usize))
        .collect();
    assert!(found.windows(2).all(|two| two[0] < two[1]));
    assert!(found.iter().all(|pair| all.contains(pair)));
    assert!(capped.pairs > 0 || found.len() == all.len(), "pairs were lost unsaid");
    assert!(n > cap.min(ANCHORS) || capped.pairs == 0);
    assert!(candidates(keys, &rank[..n.saturating_sub(1)], None, cap, threads).is_ok() == (n == 0));
}

/// Columns that differ in number or length are refused and change nothing.
fn ragged(mut keys: BandKeys, odd: [u64; 2]) {
    let (n, bands) = (keys.documents(), keys.bands());
    let mut more = vec![vec![odd[0] | 1]; bands];
    keys.extend(&more).expect("one row more");
    assert_eq!(keys.documents(), n + 1);
    if bands > 1 {
        more[1].push(odd[1]);
        assert!(keys.extend(&more).is_err());
    }
    more.pop();
    assert!(keys.extend(&more).is_err());
    assert_eq!((keys.documents(), keys.bands()), (n + 1, bands));
}
