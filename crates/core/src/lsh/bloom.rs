//! Bloom bands: one Bloom filter a band, for streams without end (LSHBloom, Khan et al. 2024, arXiv 2411.04257).
//!
//! A document is a duplicate if the key of one of its bands was seen before; only its bits remain, so there is no
//! partner to verify against. For n documents and an overall rate P of false positives over b bands
//!
//! ```text
//! p = 1 - (1 - P)^(1/b)                            for each band
//! h = round(log2(1/p))                             bits set for a key
//! m = -1 / expm1(ln(1 - p^(1/h)) / (h n))          bits of a filter, so that (1 - (1 - 1/m)^(h n))^h = p
//! position i of a key = splitmix(key, i) * m >> 64
//! ```
//! The h draws are independent, so the rate is the formula's (Bloom 1970), not that of double hashing.

use super::bands::{BandKeys, NO_KEY};
use super::curve::Banding;
use crate::error::{Error, Result};
use crate::{hash, parallel};

/// Rows below which another thread does not pay.
const GRAIN: usize = 64;

/// What was asked of the filters, and their sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// Bands and rows.
    pub banding: Banding,
    /// Documents for which the rate holds.
    pub capacity: u64,
    /// Overall rate of false positives at capacity.
    pub rate: f64,
    /// Bits set for a key.
    pub hashes: u32,
    /// Words of 64 bits of each band's filter.
    pub words: usize,
}

impl Design {
    /// The filters for so many documents and this rate.
    pub fn new(banding: Banding, capacity: u64, rate: f64) -> Result<Self> {
        if !(rate > 0.0 && rate < 1.0) || capacity == 0 {
            return Err(Error::argument(format!(
                "capacity must be at least 1 and false_positives above 0 and below 1, \
                 got {capacity} and {rate}"
            )));
        }
        let each = -f64::exp_m1(f64::ln_1p(-rate) / banding.bands as f64);
        let hashes = (-each.log2()).round().max(1.0);
        let share = each.powf(1.0 / hashes);
        let bits = -1.0 / f64::exp_m1(f64::ln_1p(-share) / (hashes * capacity as f64));
        let words = (bits / 64.0).ceil().max(1.0);
        let most = (1u64 << 40) as f64 / banding.bands as f64;
        if !words.is_finite() || words > most {
            return Err(Error::argument(format!(
                "filters for {capacity} documents at a rate of {rate} would take {:.3e} bytes; \
                 lower capacity or raise false_positives",
                8.0 * words * banding.bands as f64
            )));
        }
        Ok(Self { banding, capacity, rate, hashes: hashes as u32, words: words as usize })
    }

    /// Bytes of all filters.
    pub fn bytes(&self) -> usize {
        8 * self.words * self.banding.bands
    }
}

/// The filters of all bands.
#[derive(Clone, Debug, PartialEq)]
pub struct BloomBands {
    design: Design,
    size: usize,
    filters: Vec<Vec<u64>>,
    added: u64,
}

impl BloomBands {
    /// Empty filters for signatures of `size` slots.
    pub fn new(size: usize, design: Design) -> Result<Self> {
        Banding::new(design.banding.bands, design.banding.rows, size)?;
        let mut filters = Vec::new();
        for _ in 0..design.banding.bands {
            // Asked for first, since what cannot be had would end the process; zeroed pages cost nothing.
            Vec::<u64>::new().try_reserve_exact(design.words).map_err(|_| {
                Error::argument(format!(
                    "{} bytes of filters do not fit in memory; lower capacity or raise \
                     false_positives",
                    design.bytes()
                ))
            })?;
            filters.push(vec![0; design.words]);
        }
        Ok(Self { design, size, filters, added: 0 })
    }

    /// What was asked for.
    pub fn design(&self) -> Design {
        self.design
    }

    /// Slots of a signature.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Documents added.
    pub fn added(&self) -> u64 {
        self.added
    }

    /// Whether each signature shares a band with one added before, or seems to.
    pub fn check(&self, matrix: &[u32], threads: usize) -> Result<Vec<bool>> {
        self.seen(&BandKeys::of(matrix, self.size, self.design.banding, threads)?, threads)
    }

    /// Adds signatures, whatever was there before; those of empty sets have nothing to add.
    pub fn add(&mut self, matrix: &[u32], threads: usize) -> Result<()> {
        let keys = BandKeys::of(matrix, self.size, self.design.banding, threads)?;
        let hashes = self.design.hashes;
        let filters = self.filters.iter_mut().enumerate();
        parallel::run(filters, parallel::threads(threads), |(band, filter)| {
            let known = keys.column(band).iter().filter(|&&key| key != NO_KEY);
            known.for_each(|&key| set(filter, key, hashes));
            Ok(())
        })?;
        self.added += keys.column(0).iter().filter(|&&key| key != NO_KEY).count() as u64;
        Ok(())
    }

    /// In order of the rows: flags what shares a band with a row added before, and adds what does not.
    pub fn check_and_add(&mut self, matrix: &[u32], threads: usize) -> Result<Vec<bool>> {
        let keys = BandKeys::of(matrix, self.size, self.design.banding, threads)?;
        let mut flags = self.seen(&keys, threads)?;
        for (row, flag) in flags.iter_mut().enumerate().filter(|(_, flag)| !**flag) {
            // Rows of this very matrix may have been added since.
            *flag = self.meets(&keys, row);
            if !*flag && keys.column(0)[row] != NO_KEY {
                for (band, filter) in self.filters.iter_mut().enumerate() {
                    set(filter, keys.column(band)[row], self.design.hashes);
                }
                self.added += 1;
            }
        }
        Ok(flags)
    }

    /// Share of bits set in each band's filter.
    pub fn fill(&self) -> Vec<f64> {
        let bits = (64 * self.design.words) as f64;
        let ones =
            |filter: &Vec<u64>| filter.iter().map(|w| u64::from(w.count_ones())).sum::<u64>();
        self.filters.iter().map(|filter| ones(filter) as f64 / bits).collect()
    }

    /// The overall rate of false positives as the filters are now.
    pub fn rate_now(&self) -> f64 {
        let each = self.fill().into_iter().map(|share| share.powi(self.design.hashes as i32));
        -f64::exp_m1(each.map(|p| f64::ln_1p(-p)).sum())
    }

    /// Takes over all that another of the same design has seen.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if (self.size, self.design) != (other.size, other.design) {
            return Err(Error::mismatch(format!(
                "filters of different design cannot be merged: {:?} and {:?}",
                self.design, other.design
            )));
        }
        for (own, more) in self.filters.iter_mut().zip(&other.filters) {
            own.iter_mut().zip(more).for_each(|(own, more)| *own |= more);
        }
        self.added = self.added.saturating_add(other.added);
        Ok(())
    }

    /// All bits, filter after filter.
    pub fn words(&self) -> Vec<u64> {
        self.filters.concat()
    }

    /// The filters that had these bits.
    pub fn of(size: usize, design: Design, words: &[u64], added: u64) -> Result<Self> {
        if words.len() != design.words * design.banding.bands {
            return Err(Error::data(format!(
                "{} words are not the {} filters of {} that the design asks for",
                words.len(),
                design.banding.bands,
                design.words
            )));
        }
        Banding::new(design.banding.bands, design.banding.rows, size)?;
        let filters = words.chunks_exact(design.words).map(<[u64]>::to_vec).collect();
        Ok(Self { design, size, filters, added })
    }

    fn seen(&self, keys: &BandKeys, threads: usize) -> Result<Vec<bool>> {
        let mut flags = vec![false; keys.documents()];
        parallel::fill_chunks(&mut flags, 1, threads, GRAIN, |rows, part| {
            rows.zip(part).for_each(|(row, flag)| *flag = self.meets(keys, row));
            Ok(())
        })?;
        Ok(flags)
    }

    fn meets(&self, keys: &BandKeys, row: usize) -> bool {
        self.filters.iter().enumerate().any(|(band, filter)| {
            let key = keys.column(band)[row];
            key != NO_KEY
                && places(key, self.design.hashes, filter.len())
                    .all(|(word, bit)| filter[word] & bit != 0)
        })
    }
}

/// Word and bit of each of a key's positions.
fn places(key: u64, hashes: u32, words: usize) -> impl Iterator<Item = (usize, u64)> {
    let bits = 64 * words as u128;
    (0..u64::from(hashes)).map(move |i| {
        let at = (u128::from(hash::splitmix(key, i)) * bits) >> 64;
        ((at / 64) as usize, 1 << (at % 64))
    })
}

fn set(filter: &mut [u64], key: u64, hashes: u32) {
    for (word, bit) in places(key, hashes, filter.len()) {
        filter[word] |= bit;
    }
}

#[cfg(test)]
mod tests;
