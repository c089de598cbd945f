//! Speed of everything between signatures and verified pairs: `cargo run --release --example answers_speed [rows]`.
//!
//! Each line is the best of three runs on signatures of 128 slots, 16 bands of 8 rows, all cores.

use std::error::Error;
use std::time::Instant;

use neardup_core::hash::splitmix;
use neardup_core::lsh::{BandKeys, Banding, Table, duplicate_flags};
use neardup_core::pairs::candidates;
use neardup_core::verify;

const SIZE: usize = 128;
const BANDING: Banding = Banding { bands: 16, rows: 8 };

fn main() -> Result<(), Box<dyn Error>> {
    let rows = std::env::args().nth(1).map_or(Ok(1_000_000), |rows| rows.parse())?;
    for n in [rows / 10, rows] {
        for (name, matrix) in [
            ("20 % near copies", near_copies(n, 5)),
            ("all distinct", near_copies(n, usize::MAX)),
            ("all equal", vec![7; n * SIZE]),
        ] {
            grouping(n, name, &matrix)?;
        }
    }
    let matrix = near_copies(rows, 5);
    table(&matrix)?;
    drop(matrix);
    for size in [100, 1000, 10_000] {
        verification(size)?;
    }
    Ok(())
}

fn grouping(n: usize, name: &str, matrix: &[u32]) -> Result<(), Box<dyn Error>> {
    let (key_seconds, keys) = best(|| BandKeys::of(matrix, SIZE, BANDING, 0))?;
    let (flag_seconds, flags) = best(|| duplicate_flags(&keys, true, 0))?;
    let flagged = flags.iter().filter(|&&flag| flag).count();
    println!(
        "{n:>9} rows, {name}: band keys {:.1} ms, flags {:.1} ms ({:.1} ns a key), together {:.1} ms; \
         {flagged} flagged",
        key_seconds * 1e3,
        flag_seconds * 1e3,
        flag_seconds * 1e9 / (keys.documents() * keys.bands()) as f64,
        (key_seconds + flag_seconds) * 1e3
    );
    let rank: Vec<u32> = (0..n as u32).collect();
    let (seconds, (pairs, capped)) = best(|| candidates(&keys, &rank, None, 2000, 0))?;
    println!(
        "{:>9} candidate pairs in {:.1} ms ({:.1} ns a key), {} buckets capped",
        pairs.len(),
        seconds * 1e3,
        seconds * 1e9 / (keys.documents() * keys.bands()) as f64,
        capped.buckets
    );
    Ok(())
}

fn table(matrix: &[u32]) -> Result<(), Box<dyn Error>> {
    let n = matrix.len() / SIZE;
    let (insert, table) = best(|| {
        let mut table = Table::new(SIZE, BANDING)?;
        table.insert(matrix, 0).map(|_| table)
    })?;
    let some = &matrix[..matrix.len().min(100_000 * SIZE)];
    let (batch, answers) = best(|| table.query_batch(some, 0))?;
    let (single, _) = best(|| {
        some.chunks(SIZE).take(10_000).try_for_each(|signature| table.query(signature).map(|_| ()))
    })?;
    let (rows, _) = best(|| {
        let mut table = Table::new(SIZE, BANDING)?;
        some.chunks(SIZE).take(20_000).try_for_each(|row| table.insert(row, 1).map(|_| ()))
    })?;
    let queries = some.len() / SIZE;
    println!(
        "table of {n} rows: insert {:.1} ms, {:.1} bytes a row; query {:.2} us a row in a batch on all \
         cores ({} answers), {:.2} us alone; row by row insert {:.2} us",
        insert * 1e3,
        table.bytes() as f64 / table.len() as f64,
        batch * 1e6 / queries as f64,
        answers.ids.len(),
        single * 1e6 / queries.min(10_000) as f64,
        rows * 1e6 / queries.min(20_000) as f64
    );
    Ok(())
}

fn verification(size: usize) -> Result<(), Box<dyn Error>> {
    // Set i shares all but a tenth of its elements with set i + 1.
    let sets = 2_000_000 / size;
    let element = |i: usize, j: usize| splitmix(0, ((j * 10 / size + i) * size + j) as u64);
    let (mut values, mut start, mut length) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..sets {
        let mut own: Vec<u64> = (0..size).map(|j| element(i / 2, j + i % 2 * size / 10)).collect();
        own.sort_unstable();
        own.dedup();
        start.push(values.len() as i64);
        length.push(own.len() as i64);
        values.extend(own);
    }
    let (a, b): (Vec<u32>, Vec<u32>) = (1..sets as u32).map(|b| (b - 1, b)).unzip();
    let sets = verify::Sets::new(&values, &start, &length)?;
    for threshold in [0.01, 0.8] {
        let (seconds, passed) = best(|| verify::verify(sets, &a, &b, threshold, 1))?;
        let elements = 2 * a.len() * size;
        println!(
            "verify sets of {size} at {threshold}: {:.2} ns an element, {:.0} ns a pair, one thread; \
             {} of {} pass",
            seconds * 1e9 / elements as f64,
            seconds * 1e9 / a.len() as f64,
            passed.iter().filter(|&&jaccard| jaccard >= 0.0).count(),
            a.len()
        );
    }
    Ok(())
}

/// Random signatures; of every `every` rows the last is a near copy of the one before, a slot in ten changed.
fn near_copies(n: usize, every: usize) -> Vec<u32> {
    let mut matrix: Vec<u32> = (0..n * SIZE).map(|i| splitmix(1, i as u64) as u32).collect();
    for row in (1..n).filter(|row| row % every == every - 1) {
        for slot in 0..SIZE {
            if splitmix(2, (row * SIZE + slot) as u64) % 10 >= 1 {
                matrix[row * SIZE + slot] = matrix[(row - 1) * SIZE + slot];
            }
        }
    }
    matrix
}

fn best<T>(run: impl Fn() -> neardup_core::Result<T>) -> neardup_core::Result<(f64, T)> {
    let timed = || {
        let start = Instant::now();
        run().map(|result| (start.elapsed().as_secs_f64(), result))
    };
    let mut best = timed()?;
    for _ in 0..2 {
        let (seconds, result) = timed()?;
        best = (best.0.min(seconds), result);
    }
    Ok(best)
}
