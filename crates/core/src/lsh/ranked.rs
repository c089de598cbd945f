//! Answers with their estimates: the rows found in order of likeness, best first, ties by id.

use std::ops::Range;

use super::table::Answers;
use crate::error::{Error, Result};
use crate::{parallel, sketch};

/// Rows of a batch below which another thread does not pay.
const GRAIN: usize = 16;

/// Answers to a batch of queries (CSR), each with its estimated similarity.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Where each row's answers begin, and the end.
    pub offsets: Vec<usize>,
    /// The ids, row after row.
    pub ids: Vec<u32>,
    /// The estimate for each id.
    pub estimates: Vec<f64>,
}

/// Which answers are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Those whose estimate is at least this.
    pub threshold: f64,
    /// At most so many a query, the best.
    pub limit: usize,
}

/// Orders the answers to each row of `queries` by the estimate from the signatures kept: signature `id` is
/// `kept[id * size..(id + 1) * size]`.
pub fn rank(
    answers: &Answers,
    queries: &[u32],
    kept: &[u32],
    size: usize,
    wanted: Wanted,
    threads: usize,
) -> Result<Ranked> {
    let n = answers.offsets.len().saturating_sub(1);
    let parts = parallel::map_chunks(n, threads, GRAIN, |rows: Range<usize>| {
        let (mut ends, mut found) = (Vec::with_capacity(rows.len()), Vec::new());
        for row in rows {
            let begin = found.len();
            let query = signature(queries, row, size)?;
            for &id in &answers.ids[answers.offsets[row]..answers.offsets[row + 1]] {
                let estimate = sketch::estimate(query, signature(kept, id as usize, size)?)?;
                if estimate >= wanted.threshold {
                    found.push((estimate, id));
                }
            }
            found[begin..].sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
            found.truncate(begin.saturating_add(wanted.limit));
            ends.push(found.len());
        }
        Ok((ends, found))
    })?;
    let mut all = Ranked { offsets: vec![0], ids: Vec::new(), estimates: Vec::new() };
    for (ends, part) in parts {
        all.offsets.extend(ends.iter().map(|end| all.ids.len() + end));
        all.ids.extend(part.iter().map(|&(_, id)| id));
        all.estimates.extend(part.iter().map(|&(estimate, _)| estimate));
    }
    Ok(all)
}

fn signature(slots: &[u32], row: usize, size: usize) -> Result<&[u32]> {
    let range = row.checked_mul(size).and_then(|at| Some(at..at.checked_add(size)?));
    range.and_then(|range| slots.get(range)).ok_or_else(|| {
        Error::internal(format!("row {row} has no signature among {} slots of {size}", slots.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(offsets: &[usize], ids: &[u32]) -> Answers {
        Answers { offsets: offsets.to_vec(), ids: ids.to_vec() }
    }

    #[test]
    fn best_first_ties_by_id_and_cut_off() {
        let kept = [1, 2, 9, 9, /**/ 1, 2, 3, 4, /**/ 9, 2, 9, 4, /**/ 9, 9, 9, 9];
        let queries = [1, 2, 3, 4, /**/ 5, 5, 5, 5, /**/ 9, 9, 9, 9];
        let found = answers(&[0, 4, 4, 6], &[0, 1, 2, 3, 0, 3]);
        let all = Wanted { threshold: 0.0, limit: usize::MAX };
        for threads in [1, 2] {
            let ranked = rank(&found, &queries, &kept, 4, all, threads).unwrap();
            assert_eq!(ranked.ids, [1, 0, 2, 3, 3, 0]);
            assert_eq!(ranked.offsets, [0, 4, 4, 6]);
            assert_eq!(ranked.estimates, [1.0, 0.5, 0.5, 0.0, 1.0, 0.5]);
        }
        let wanted = Wanted { threshold: 0.5, limit: 2 };
        let ranked = rank(&found, &queries, &kept, 4, wanted, 1).unwrap();
        assert_eq!((&ranked.ids[..], &ranked.offsets[..]), (&[1, 0, 3, 0][..], &[0, 2, 2, 4][..]));
    }

    #[test]
    fn a_row_without_a_signature_is_an_error() {
        let all = Wanted { threshold: 0.0, limit: 1 };
        assert!(rank(&answers(&[0, 1], &[7]), &[1, 2], &[1, 2], 2, all, 1).is_err());
        assert!(rank(&answers(&[0, 1], &[0]), &[1], &[1, 2], 2, all, 1).is_err());
    }
}
