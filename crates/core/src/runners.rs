//! Signatures with their runners-up, of a column of texts or of many sets: what multi-probe lookups ask for.

use crate::parallel;
use crate::signatures::Distinct;
use crate::sketch::{EMPTY, Scratch, Sketch};
use crate::text::{Column, Shingler, TextSpec};
use crate::{Error, Result};

/// Sets per piece of work that a thread takes.
const GRAIN: usize = 16;

/// Signatures one after the other, the runners-up of their slots, and the sizes of the sets.
#[derive(Debug, Default, PartialEq)]
pub struct Probed {
    /// `size` slots a set.
    pub slots: Vec<u32>,
    /// As many runners-up.
    pub runners: Vec<u32>,
    /// Distinct elements of each set.
    pub counts: Vec<i64>,
}

/// Sketches every text of a column.
pub fn of_texts(
    column: &Column<'_>,
    spec: &TextSpec,
    sketch: &dyn Sketch,
    threads: usize,
) -> Result<Probed> {
    probed(column.len(), sketch, threads, || {
        let (mut shingler, mut distinct) = (Shingler::new(spec), Distinct::default());
        move |row: usize, take: &mut dyn FnMut(&[u64])| {
            take(distinct.of(shingler.run(column.input(row)?).shingles));
            Ok(())
        }
    })
}

/// Sketches sets of hashes: set i is `hashes[offsets[i]..offsets[i + 1]]`, repeats allowed.
pub fn of_sets(
    hashes: &[u64],
    offsets: &[usize],
    sketch: &dyn Sketch,
    threads: usize,
) -> Result<Probed> {
    probed(offsets.len().saturating_sub(1), sketch, threads, || {
        let mut distinct = Distinct::default();
        move |row: usize, take: &mut dyn FnMut(&[u64])| {
            let range = offsets[row]..offsets[row + 1];
            let set =
                hashes.get(range).ok_or_else(|| Error::argument("offsets run past the end"))?;
            take(distinct.of(set));
            Ok(())
        }
    })
}

/// `reader` makes for each thread what hands over the set of a row.
fn probed<R>(
    rows: usize,
    sketch: &dyn Sketch,
    threads: usize,
    reader: impl Fn() -> R + Sync,
) -> Result<Probed>
where
    R: FnMut(usize, &mut dyn FnMut(&[u64])) -> Result<()>,
{
    let size = sketch.size();
    if !sketch.runners_up(&[], &vec![EMPTY; size], &mut vec![EMPTY; size]) {
        return Err(Error::argument(format!(
            "the sketch {} has no runners-up, since it is no minimum over elements; use fast",
            sketch.identity().name
        )));
    }
    let parts = parallel::map_chunks(rows, threads, GRAIN, |range| {
        let (mut read, mut scratch, mut part) = (reader(), Scratch::default(), Probed::default());
        let (mut first, mut second) = (vec![EMPTY; size], vec![EMPTY; size]);
        for row in range {
            read(row, &mut |set| {
                sketch.sketch(set, &mut scratch, &mut first);
                sketch.runners_up(set, &first, &mut second);
                part.counts.push(set.len() as i64);
            })?;
            part.slots.extend_from_slice(&first);
            part.runners.extend_from_slice(&second);
        }
        Ok(part)
    })?;
    let mut all = Probed::default();
    for part in parts {
        all.slots.extend(part.slots);
        all.runners.extend(part.runners);
        all.counts.extend(part.counts);
    }
    Ok(all)
}
