//! Several indexes as one: the rows of each under new ids, as if they had been inserted into one index in that order.

use super::run::Run;
use super::table::{Table, bit};
use crate::error::{Error, Result};
use crate::parallel;

/// Stands for a row that is left out.
pub const LEFT_OUT: u32 = u32::MAX;

impl Table {
    /// An index that has given out `given` ids: row i of a part is its row `ids[i]`, or not there if that is
    /// [`LEFT_OUT`]. Ids that no row has count as removed. Parts are of one size and banding.
    pub fn gather(parts: &[(&Table, &[u32])], given: u32, threads: usize) -> Result<Table> {
        let Some((first, _)) = parts.first() else {
            return Err(Error::argument("no index was given to be gathered"));
        };
        let mut whole = Table::new(first.size, first.banding)?;
        whole.next = given;
        whole.removed = vec![u64::MAX; (given as usize).div_ceil(64)];
        if let Some(last) = whole.removed.last_mut().filter(|_| !given.is_multiple_of(64)) {
            *last = (1 << (given % 64)) - 1;
        }
        for (part, ids) in parts {
            if (part.size, part.banding) != (first.size, first.banding) {
                return Err(Error::mismatch("indexes of different bands cannot be gathered"));
            }
            if ids.len() != part.given() {
                return Err(Error::argument(format!(
                    "{} new ids for {} rows; each row needs one",
                    ids.len(),
                    part.given()
                )));
            }
            for (&id, _) in
                ids.iter().zip(0u32..).filter(|&(&id, row)| id != LEFT_OUT && part.contains(row))
            {
                if id >= given || !bit(&whole.removed, id) {
                    return Err(Error::argument(format!(
                        "new id {id} is given twice, or not below {given}"
                    )));
                }
                whole.removed[id as usize / 64] ^= 1 << (id % 64);
                whole.live += 1;
            }
        }
        parallel::run(
            whole.runs.iter_mut().enumerate(),
            parallel::threads(threads),
            |(band, runs)| {
                let mut entries: Vec<(u64, u32)> = Vec::new();
                for (part, ids) in parts {
                    for run in &part.runs[band] {
                        let rows = run.keys().iter().zip(run.ids());
                        let there = rows.filter(|(_, row)| part.contains(**row));
                        entries.extend(
                            there
                                .map(|(&key, &row)| (key, ids[row as usize]))
                                .filter(|&(_, id)| id != LEFT_OUT),
                        );
                    }
                }
                // Sorted stretches one after the other: the stable sort merges them.
                entries.sort();
                if !entries.is_empty() {
                    let ids = entries.iter().map(|entry| entry.1).collect();
                    runs.push(Run::new(entries.iter().map(|entry| entry.0).collect(), ids));
                }
                Ok(())
            },
        )?;
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::curve::Banding;
    use super::*;
    use crate::hash::splitmix;

    const BANDING: Banding = Banding { bands: 3, rows: 2 };

    fn table(rows: std::ops::Range<u64>) -> Table {
        let mut table = Table::new(6, BANDING).unwrap();
        for row in rows {
            let slots: Vec<u32> = (0..6).map(|i| splitmix(row, i) as u32 % 5).collect();
            table.insert(&slots, 1).unwrap();
        }
        table
    }

    #[test]
    fn parts_of_an_index_are_the_index() {
        let mut whole = table(0..90);
        let (mut one, other) = (table(0..40), table(40..90));
        assert!(whole.remove(7) && one.remove(7));
        let ids: Vec<u32> = (0..90).collect();
        let parts = [(&other, &ids[40..]), (&one, &ids[..40])];
        for threads in [1, 3] {
            let gathered = Table::gather(&parts, 90, threads).unwrap();
            assert_eq!(gathered.to_bytes(), whole.to_bytes());
        }
        // Rows left out are removed ones.
        assert!(whole.remove(89));
        let mut ids = ids.clone();
        ids[89] = LEFT_OUT;
        let parts = [(&one, &ids[..40]), (&other, &ids[40..])];
        assert_eq!(Table::gather(&parts, 90, 1).unwrap().to_bytes(), whole.to_bytes());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let one = table(0..2);
        assert!(Table::gather(&[], 0, 1).is_err());
        for (ids, given) in [(&[0u32, 0][..], 2), (&[0, 2], 2), (&[0], 1)] {
            assert!(Table::gather(&[(&one, ids)], given, 1).is_err());
        }
        let other = Table::new(7, BANDING).unwrap();
        assert!(Table::gather(&[(&one, &[0, 1]), (&other, &[])], 2, 1).is_err());
    }
}
