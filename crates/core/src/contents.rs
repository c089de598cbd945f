//! Pass two: what verification reads of a candidate, its shingle set or its signature, and then its numbers.

use crate::parallel;
use crate::sketch::{Scratch, Sketch};
use crate::text::{Column, Shingler, TextSpec};
use crate::{Error, Result};

/// Texts per piece of work that a thread takes.
const GRAIN: usize = 16;

/// Contents of some documents, one after the other: `length` values to compare, then `numbers` hashes of words
/// with a digit, both ascending.
#[derive(Default)]
pub struct Contents {
    /// All values.
    pub values: Vec<u64>,
    /// Shingles, or slots, of each document.
    pub length: Vec<i64>,
    /// Numbers of each document.
    pub numbers: Vec<i64>,
}

/// Reads the documents `rows` of a column; with a sketch their signatures stand for the shingle sets.
pub fn contents(
    column: &Column<'_>,
    rows: &[u32],
    spec: &TextSpec,
    sketch: Option<&dyn Sketch>,
    threads: usize,
) -> Result<Contents> {
    if let Some(row) = rows.iter().find(|&&row| row as usize >= column.len()) {
        return Err(Error::argument(format!("row {row} of a column of {} rows", column.len())));
    }
    let parts = parallel::map_chunks(rows.len(), threads, GRAIN, |range| {
        let mut part = Contents::default();
        let mut shingler = Shingler::new(spec);
        let mut scratch = Scratch::default();
        let mut signature = vec![0; sketch.map_or(0, Sketch::size)];
        for &row in &rows[range] {
            let input = column.input(row as usize)?;
            let before = part.values.len();
            match sketch {
                Some(sketch) => {
                    sketch.sketch(shingler.run(input).shingles, &mut scratch, &mut signature);
                    part.values.extend(signature.iter().map(|&slot| u64::from(slot)));
                }
                None => part.values.extend_from_slice(shingler.set(input)),
            }
            part.length.push((part.values.len() - before) as i64);
            let numbers = shingler.numbers();
            part.numbers.push(numbers.len() as i64);
            part.values.extend(numbers);
        }
        Ok(part)
    })?;
    let mut whole = Contents::default();
    for part in parts {
        whole.values.extend(part.values);
        whole.length.extend(part.length);
        whole.numbers.extend(part.numbers);
    }
    Ok(whole)
}
