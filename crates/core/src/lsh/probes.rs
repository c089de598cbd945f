//! Multi-probe: each band is also looked up with one slot replaced by its runner-up (Lv et al. 2007, for minima).
//!
//! Let x1, x2 be the two first elements of A u B in the order of a slot, J the Jaccard similarity of two sets of equal
//! size. The winner of A is the winner of B with probability J; the runner-up of A is the winner of B
//! with a = J (1 - J) / 2 (x1 in A alone, x2 in both), and the runners-up are equal, the winners not, with
//! c = 2 J ((1 - J) / 2)^2. So a band of r slots is hit with
//!
//! ```text
//! query side   J^r + r J^(r-1) a                     keys of the query: itself and r with one slot replaced
//! both sides   J^r + r J^(r-1) (2 a + c) + r (r - 1) J^(r-2) a^2         and as many kept of each row
//! ```
//! and a pair is found with 1 - (1 - that)^b.

use super::bands::{self, rows_of};
use super::curve::{self, Banding};
use super::postings::{Entries, Postings};
use super::table::Answers;
use crate::error::{Error, Result};
use crate::parallel;
use crate::sketch::EMPTY;

/// Rows of a batch below which another thread does not pay.
const GRAIN: usize = 16;

/// On which side runners-up are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probes {
    /// By queries alone.
    Query,
    /// By queries and by the rows of the index.
    Both,
}

impl Probes {
    /// Probability that two sets of that similarity become a candidate pair.
    pub fn candidate(self, jaccard: f64, banding: Banding) -> f64 {
        let (j, r) = (jaccard.clamp(0.0, 1.0), banding.rows as f64);
        let one = (1.0 - j) / 2.0;
        let (a, c) = (j * one, 2.0 * j * one * one);
        let band = match self {
            Self::Query => j.powf(r) + r * j.powf(r - 1.0) * a,
            Self::Both if banding.rows == 1 => j + 2.0 * a + c,
            Self::Both => {
                let one_slot = r * j.powf(r - 1.0) * (2.0 * a + c);
                j.powf(r) + one_slot + r * (r - 1.0) * j.powf(r - 2.0) * a * a
            }
        };
        -f64::exp_m1(banding.bands as f64 * f64::ln_1p(-band.min(1.0)))
    }

    /// The largest r with which `recall` of the pairs at `threshold` are found, then the smallest b.
    pub fn choose(self, threshold: f64, recall: f64, size: usize) -> Result<Banding> {
        let plain = curve::choose(threshold, recall, size);
        for rows in (1..=size).rev() {
            let reaches =
                |bands: usize| self.candidate(threshold, Banding { bands, rows }) >= recall;
            let most = size / rows;
            if recall < 1.0 && threshold < 1.0 && reaches(most) {
                let (mut low, mut high) = (1, most);
                while low < high {
                    let middle = (low + high) / 2;
                    if reaches(middle) { high = middle } else { low = middle + 1 }
                }
                return Banding::new(low, rows, size);
            }
        }
        plain // and its reason, where it has none either
    }
}

/// An index of signatures that is looked up with runners-up. Ids count up from 0.
#[derive(Clone, Debug)]
pub struct ProbeTable {
    size: usize,
    banding: Banding,
    probes: Probes,
    bands: Vec<Postings>,
    next: u32,
}

impl ProbeTable {
    /// An empty index of signatures of `size` slots.
    pub fn new(size: usize, banding: Banding, probes: Probes) -> Result<Self> {
        let banding = Banding::new(banding.bands, banding.rows, size)?;
        let bands = vec![Postings::default(); banding.bands];
        Ok(Self { size, banding, probes, bands, next: 0 })
    }

    /// Inserts signatures with, for [`Probes::Both`], their runners-up; the first gets the id returned.
    pub fn insert(&mut self, first: &[u32], second: &[u32], threads: usize) -> Result<u32> {
        let rows = rows_of(first, self.size, self.banding)?;
        let variants = match self.probes {
            Probes::Query => &[],
            Probes::Both => second,
        };
        if self.probes == Probes::Both && second.len() != first.len() {
            return Err(Error::argument("each signature needs its runners-up"));
        }
        let keys = if variants.is_empty() { 1 } else { 1 + self.banding.rows };
        let (id, after) =
            (self.next, u32::try_from(rows).ok().and_then(|n| self.next.checked_add(n)));
        let Some(after) = after else {
            return Err(Error::argument(format!(
                "{rows} more rows would exceed the {} ids of an index; split it",
                u32::MAX
            )));
        };
        for band in &self.bands {
            band.check_room(rows.saturating_mul(keys))?;
        }
        let (size, width) = (self.size, self.banding.rows);
        parallel::run(
            self.bands.iter_mut().enumerate(),
            parallel::threads(threads),
            |(band, held)| {
                let mut entries = Vec::with_capacity(rows * keys);
                let mut own = Vec::new();
                let at = band * width..(band + 1) * width;
                for (row, signature) in first.chunks_exact(size).enumerate() {
                    if bands::is_empty(signature) {
                        continue;
                    }
                    let other = variants.get(row * size..(row + 1) * size).unwrap_or(&[]);
                    own.clear();
                    keys_of(
                        band,
                        &signature[at.clone()],
                        other.get(at.clone()).unwrap_or(&[]),
                        &mut own,
                    );
                    entries.extend(own.iter().map(|&key| (key, id + row as u32)));
                }
                held.insert(entries);
                Ok(())
            },
        )?;
        self.next = after;
        Ok(id)
    }

    /// The ids that a signature and its runners-up lead to, ascending, for each of many.
    pub fn query(&self, first: &[u32], second: &[u32], threads: usize) -> Result<Answers> {
        let rows = rows_of(first, self.size, self.banding)?;
        if second.len() != first.len() {
            return Err(Error::argument("each signature needs its runners-up"));
        }
        let parts = parallel::map_chunks(rows, threads, GRAIN, |range| {
            let (mut ends, mut ids, mut own, mut keys) =
                (vec![], Vec::<u32>::new(), vec![], vec![]);
            for row in range {
                own.clear();
                let (first, second) = (self.row(first, row), self.row(second, row));
                if !bands::is_empty(first) {
                    let cut = first.chunks_exact(self.banding.rows);
                    let cut = cut.zip(second.chunks_exact(self.banding.rows));
                    for (band, (held, (slots, others))) in self.bands.iter().zip(cut).enumerate() {
                        keys.clear();
                        keys_of(band, slots, others, &mut keys);
                        own.extend(keys.iter().flat_map(|&key| held.get(key)).flatten());
                    }
                }
                own.sort_unstable();
                own.dedup();
                ids.extend_from_slice(&own);
                ends.push(ids.len());
            }
            Ok((ends, ids))
        })?;
        let mut all = Answers { offsets: vec![0], ids: Vec::new() };
        for (ends, part) in parts {
            all.offsets.extend(ends.iter().map(|end| all.ids.len() + end));
            all.ids.extend(part);
        }
        Ok(all)
    }

    /// Takes over the rows of another of the same kind; their ids follow the own ones.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if (self.size, self.banding, self.probes) != (other.size, other.banding, other.probes) {
            return Err(Error::mismatch(format!(
                "indexes of different making cannot be merged: {:?} {:?} and {:?} {:?}",
                self.banding, self.probes, other.banding, other.probes
            )));
        }
        let after = self.next.checked_add(other.next);
        let after = after.ok_or_else(|| Error::argument("too many rows for one index"))?;
        for (own, more) in self.bands.iter().zip(&other.bands) {
            own.check_room(more.len())?;
        }
        self.bands.iter_mut().zip(&other.bands).for_each(|(own, more)| own.append(more, self.next));
        self.next = after;
        Ok(())
    }

    /// The entries of each band, for a file.
    pub fn entries(&self) -> Vec<Entries> {
        self.bands.iter().map(Postings::entries).collect()
    }

    /// Takes the entries of each band from a file, of `next` rows; the index must be empty.
    pub fn restore(&mut self, bands: &[Entries], next: u32) -> Result<()> {
        if bands.len() != self.bands.len() {
            return Err(Error::data("entries of another number of bands"));
        }
        let held: Result<Vec<_>> =
            bands.iter().map(|(keys, ids)| Postings::of(keys, ids, next)).collect();
        (self.bands, self.next) = (held?, next);
        Ok(())
    }

    /// Rows in it, those of empty sets included.
    pub fn len(&self) -> usize {
        self.next as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.next == 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bands.iter().map(Postings::bytes).sum()
    }

    fn row<'a>(&self, matrix: &'a [u32], row: usize) -> &'a [u32] {
        &matrix[row * self.size..(row + 1) * self.size]
    }
}

/// The key of a band, and those with one slot replaced by its runner-up where there is one.
fn keys_of(band: usize, slots: &[u32], others: &[u32], keys: &mut Vec<u64>) {
    keys.push(bands::key(band, slots));
    let mut changed = slots.to_vec();
    for (i, &other) in others.iter().enumerate().filter(|(_, value)| **value != EMPTY) {
        changed[i] = other;
        keys.push(bands::key(band, &changed));
        changed[i] = slots[i];
    }
}

#[cfg(test)]
mod tests;
