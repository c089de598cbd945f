//! HyperLogLog, by Apache DataSketches: how many distinct hashes there are, in 2^p bytes, merged without loss.
//!
//! Flajolet, Fusy, Gandouet, Meunier (2007), with the library's correction for small counts. The estimate is the one
//! that depends on registers alone ("composite"), so that order, threads and merges cannot change it; its standard
//! error is at most 1.04 / sqrt(2^p) of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use datasketches::hll::{HllSketch, HllType, HllUnion};

use crate::text::{Column, Shingler, TextSpec};
use crate::{Error, Result, parallel};

/// Texts per piece of work that a thread takes.
const GRAIN: usize = 64;

/// Counts distinct 64-bit hashes.
#[derive(Clone)]
pub struct Hll(HllSketch);

impl Hll {
    /// An empty counter of 2^precision registers, 4 <= precision <= 21.
    pub fn new(precision: u8) -> Result<Hll> {
        HllSketch::new(precision, HllType::Hll8).map(Hll).map_err(|_| {
            Error::argument(format!("precision must be from 4 to 21, got {precision}"))
        })
    }

    /// Reads what [`Hll::to_bytes`] or another DataSketches library wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Hll> {
        let read = catch_unwind(AssertUnwindSafe(|| {
            let sketch = HllSketch::deserialize(bytes).ok()?;
            let found = sketch.composite_estimate();
            (found.is_finite() && found >= 0.0).then_some(sketch)
        }));
        read.ok().flatten().map(Hll).ok_or_else(|| {
            Error::data(format!("{} bytes that are no HyperLogLog of DataSketches", bytes.len()))
        })
    }

    /// The format of DataSketches, which its libraries for Python, Java and C++ read.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.serialize()
    }

    /// Binary logarithm of the number of registers.
    pub fn precision(&self) -> u8 {
        self.0.lg_config_k()
    }

    /// Takes hashes, each as an unsigned whole number.
    pub fn extend(&mut self, hashes: &[u64]) {
        hashes.iter().for_each(|hash| self.0.update(hash));
    }

    /// How many distinct hashes it has taken.
    pub fn estimate(&self) -> f64 {
        self.0.composite_estimate()
    }

    /// The counter of what either has taken.
    pub fn merge(&self, other: &Hll) -> Result<Hll> {
        let (a, b) = (self.precision(), other.precision());
        if a != b {
            return Err(Error::mismatch(format!(
                "counters of precision {a} and {b} cannot meet; make both alike"
            )));
        }
        union(a, [self, other])
    }
}

fn union<'a>(precision: u8, parts: impl IntoIterator<Item = &'a Hll>) -> Result<Hll> {
    let mut union = HllUnion::new(precision).map_err(|e| Error::internal(e.to_string()))?;
    parts.into_iter().for_each(|part| union.update(&part.0));
    Ok(Hll(union.to_sketch(HllType::Hll8)))
}

/// Counts the distinct shingles of the texts `rows` of a column, or of all its texts.
pub fn shingles(
    column: &Column<'_>,
    rows: Option<&[u32]>,
    spec: &TextSpec,
    precision: u8,
    threads: usize,
) -> Result<Hll> {
    let empty = Hll::new(precision)?;
    let count = rows.map_or(column.len(), <[u32]>::len);
    let parts = parallel::map_chunks(count, threads, GRAIN, |range| {
        let (mut shingler, mut part) = (Shingler::new(spec), empty.clone());
        for place in range {
            let row = rows.map_or(place, |rows| rows[place] as usize);
            if row >= column.len() {
                return Err(Error::argument(format!("row {row} of {} rows", column.len())));
            }
            part.extend(shingler.run(column.input(row)?).shingles);
        }
        Ok(part)
    })?;
    union(precision, &parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{mix, splitmix};

    fn of(range: std::ops::Range<u64>) -> Hll {
        let mut hll = Hll::new(12).unwrap();
        hll.extend(&range.map(mix).collect::<Vec<_>>());
        hll
    }

    #[test]
    fn order_repeats_and_merging_change_nothing() {
        for n in [0, 1, 7, 100, 5000, 100_000] {
            let whole = of(0..n);
            let parts = of(n / 3..n).merge(&of(0..n / 2 + 1).merge(&of(0..n)).unwrap()).unwrap();
            let again = Hll::from_bytes(&whole.to_bytes()).unwrap();
            assert_eq!(again.estimate(), whole.estimate());
            assert!(n == 0 || whole.estimate() == parts.estimate(), "{n}");
            let error = 4.0 * 1.04 / 64.0 * n as f64;
            assert!((whole.estimate() - n as f64).abs() <= error, "{n}: {}", whole.estimate());
        }
    }

    #[test]
    fn damaged_bytes_are_refused_or_read() {
        for n in [5, 100, 50_000] {
            let bytes = of(0..n).to_bytes();
            for i in 0..2000u64 {
                let mut damaged = bytes.clone();
                let place = splitmix(n, 2 * i) as usize % bytes.len().min(64);
                damaged[place] ^= splitmix(n, 2 * i + 1) as u8;
                damaged.truncate(bytes.len() - (i % 3) as usize * (bytes.len() / 7));
                if let Ok(hll) = Hll::from_bytes(&damaged) {
                    assert!(hll.estimate() >= 0.0);
                }
            }
            assert!(Hll::from_bytes(&bytes[..bytes.len() / 2]).is_err());
        }
        assert!(Hll::from_bytes(&[]).is_err());
        assert!(Hll::new(3).is_err() && Hll::new(22).is_err());
        assert!(Hll::new(12).unwrap().merge(&Hll::new(13).unwrap()).is_err());
    }
}
