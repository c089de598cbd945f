//! Arrow string columns whose offsets, views and bytes are whatever the fuzzer likes: an error or what
//! the buffers say, the same for one thread and two.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use neardup_core::contents::contents;
use neardup_core::lsh::Banding;
use neardup_core::signatures::signatures;
use neardup_core::simd::Tier;
use neardup_core::sketch::{self, Params};
use neardup_core::survey::{Survey, survey};
use neardup_core::text::{Column, TextSpec};

/// Builds a column from the data and takes all three passes over it.
pub fn run(data: &[u8]) {
    let _ = column(&mut Unstructured::new(data)); // data that ends too soon is no case
}

fn column(u: &mut Unstructured<'_>) -> Result<()> {
    let layout = u.int_in_range(0..=2)?;
    let (rows, valid, mask): (Vec<u32>, Vec<bool>, bool) = u.arbitrary()?;
    let threads = if u.ratio(1, 32)? { 2 } else { 1 }; // threads cost more than all the rest
    // Offsets near the data, so that some of them fit; wild ones too.
    let narrow: Vec<i32> = offsets(u)?.iter().map(|&at| at as i32).collect();
    let wide: Vec<i64> = offsets(u)?;
    let data = u.peek_bytes(u.len()).unwrap_or_default();
    passes(
        &match layout {
            0 => Column::Utf8 { data, offsets: &narrow },
            1 => Column::Large { data, offsets: &wide },
            _ => {
                let (views, buffer) = data.split_at(data.len() / 2);
                Column::View { views, buffers: vec![buffer, views] }
            }
        },
        &rows,
        mask.then_some(&valid),
        threads,
    );
    Ok(())
}

fn offsets(u: &mut Unstructured<'_>) -> Result<Vec<i64>> {
    let mut offsets = Vec::new();
    let mut at = 0i64;
    for _ in 0..u.int_in_range(0..=20)? {
        offsets.push(at);
        at = match u.int_in_range(0..=15)? {
            0 => u.arbitrary()?,
            1 => at.wrapping_sub(1),
            step => at.wrapping_add(step - 2),
        };
    }
    Ok(offsets)
}

fn passes(column: &Column<'_>, rows: &[u32], valid: Option<&Vec<bool>>, threads: usize) {
    static SPEC: LazyLock<TextSpec> = LazyLock::new(|| {
        TextSpec::parse("nfkc,casefold,collapse-space", "word:2", "xxh3").expect("a spec")
    });
    let spec = &*SPEC;
    let params = Params { size: 8, seed: 42, rounds: None, tier: Tier::best() };
    let sketch = sketch::build("fast", params).expect("a sketch");
    let banding = Banding { bands: 2, rows: 4 };
    let texts: Vec<Option<&str>> = (0..column.len()).map(|row| column.text(row).ok()).collect();
    let defined = (0..column.len()).map(|row| std::str::from_utf8(defined(column, row)?).ok());
    assert!(texts.iter().copied().eq(defined));
    assert!(column.get(column.len()).is_err());

    let found = [1, threads].map(|threads| {
        let valid = valid.map(Vec::as_slice);
        survey(column, valid, spec, Some((&*sketch, banding)), threads).map(flat)
    });
    assert_eq!(found[0], found[1]);
    let wanted = |row: usize| valid.is_none_or(|valid| valid.get(row) == Some(&true));
    let whole = (0..texts.len()).all(|row| !wanted(row) || texts[row].is_some());
    let fits = valid.is_none_or(|valid| valid.len() == texts.len());
    assert_eq!(found[0].is_ok(), whole && fits);

    let found = [1, threads].map(|threads| {
        signatures(column, spec, &*sketch, threads).map(|all| (all.slots, all.counts))
    });
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0].is_ok(), texts.iter().all(Option::is_some));

    let rows = &rows[..rows.len().min(50)];
    let found = [1, threads].map(|threads| {
        let all = contents(column, rows, spec, None, threads);
        all.map(|all| (all.values, all.length, all.numbers))
    });
    assert_eq!(found[0], found[1]);
    let there = |row: &u32| texts.get(*row as usize).is_some_and(Option::is_some);
    assert_eq!(found[0].is_ok(), rows.iter().all(there));
}

/// The bytes of a row by the Columnar Format.
fn defined<'a>(column: &Column<'a>, row: usize) -> Option<&'a [u8]> {
    let slice = |data: &'a [u8], begin: i64, end: i64| {
        data.get(usize::try_from(begin).ok()?..usize::try_from(end).ok()?)
    };
    match column {
        Column::Utf8 { data, offsets } => slice(data, offsets[row].into(), offsets[row + 1].into()),
        Column::Large { data, offsets } | Column::Tokenized { data, offsets, .. } => {
            slice(data, offsets[row], offsets[row + 1])
        }
        Column::View { views, buffers } => {
            let view = &views[16 * row..16 * row + 16];
            let word =
                |i: usize| i32::from_le_bytes([view[i], view[i + 1], view[i + 2], view[i + 3]]);
            let (len, buffer, offset) = (word(0), word(8), word(12));
            if (0..=12).contains(&len) {
                return slice(view, 4, 4 + i64::from(len));
            }
            let data = buffers.get(usize::try_from(buffer).ok()?)?;
            slice(data, offset.into(), i64::from(offset) + i64::from(len))
        }
    }
}

type Flat = (Vec<u128>, Vec<u128>, Vec<u32>, Vec<u32>, Vec<u64>, Vec<Vec<u64>>);

fn flat(found: Survey) -> Flat {
    (found.digest, found.raw, found.tokens, found.words, found.bytes, found.keys)
}
