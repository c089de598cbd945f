//! Exact all-pairs Jaccard join: prefix, size and position filter (Bayardo, Ma, Srikant 2007; Xiao et al. 2008, PPJoin).
//!
//! Order the elements of every set alike, rarest first. Two sets that share s elements have one in common among the
//! first |x| - s + 1 of either, so an index of short prefixes meets every pair that can pass; sizes too far apart are
//! not looked at, and where two prefixes meet, what is left of both must still suffice. What remains is compared in
//! full. Every bound is decided by the float64 quotient that decides the answer, so no pair is lost to rounding.
//!
//! The frequency by which elements are ordered is counted in a table of bounded size in which some of them share a
//! counter: any one order gives the same answer, only sooner or later. Sets are visited in order of size, each probing
//! an index of the smaller ones, so each pair is met once and no thread waits for another.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::{Error, Result};
use crate::hash::splitmix;
use crate::parallel;
use crate::verify::{Sets, cut_off, passes};

/// Shares of the work, each over sets of all sizes; a constant, so that nothing depends on the threads.
const STRIDES: usize = 64;
/// At most so many counters of frequency: 256 MiB.
const MOST_COUNTERS: usize = 1 << 26;
/// What the counter of a candidate becomes once it cannot pass any more.
const RULED_OUT: u32 = u32::MAX;

/// Two sets, `a < b`, and their similarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Number of the one set.
    pub a: u32,
    /// Number of the other.
    pub b: u32,
    /// Exact Jaccard similarity.
    pub jaccard: f64,
}

/// All pairs of sets whose exact Jaccard similarity is at least `threshold`, each once, sorted.
pub fn join(sets: Sets<'_>, threshold: f64, threads: usize) -> Result<Vec<Pair>> {
    if !(threshold > 0.0 && threshold <= 1.0) {
        return Err(Error::argument(format!(
            "threshold {threshold} is not allowed; use a number above 0, up to 1"
        )));
    }
    let join = Join::new(sets, threshold, threads)?;
    let index = join.index(threads)?;
    let found = parallel::map_chunks(STRIDES, threads, 1, |strides| {
        let mut probe = Probe::new(&join, &index);
        for stride in strides {
            for place in (stride..join.order.len()).step_by(STRIDES) {
                probe.visit(place)?;
            }
        }
        Ok(probe.found)
    })?;
    let mut pairs = found.concat();
    pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    Ok(pairs)
}

/// What all threads read: the sets that are not empty in order of size, and how frequent their elements are.
struct Join<'a> {
    sets: Sets<'a>,
    threshold: f64,
    /// Numbers of the sets, smaller sets first.
    order: Vec<u32>,
    /// Their sizes, in that order.
    sizes: Vec<u32>,
    counters: Vec<AtomicU32>,
}

impl<'a> Join<'a> {
    fn new(sets: Sets<'a>, threshold: f64, threads: usize) -> Result<Self> {
        let count = u32::try_from(sets.len())
            .map_err(|_| Error::argument("a join takes fewer than 2^32 sets"))?;
        let mut by_size = Vec::with_capacity(sets.len());
        let mut total = 0u64;
        for number in 0..count {
            let size = sets.get(number)?.len() as u64;
            total = total.saturating_add(size);
            if size > 0 {
                by_size.push((size, number));
            }
        }
        // No counter overflows, and no size.
        if total >= u64::from(RULED_OUT) {
            return Err(Error::argument(format!(
                "a join takes fewer than 2^32 - 1 elements in all sets together, got {total}; join parts"
            )));
        }
        by_size.sort_unstable();
        let order: Vec<u32> = by_size.iter().map(|&(_, number)| number).collect();
        let sizes = by_size.iter().map(|&(size, _)| size as u32).collect();
        let room = (total as usize).next_power_of_two().clamp(2, MOST_COUNTERS);
        let mut counters = Vec::new();
        counters.resize_with(room, AtomicU32::default);
        let join = Self { sets, threshold, order, sizes, counters };
        parallel::for_chunks(join.order.len(), threads, STRIDES, |range| {
            for &number in &join.order[range] {
                for &element in sets.get(number)? {
                    join.counter(spread(element)).fetch_add(1, Ordering::Relaxed);
                }
            }
            Ok(())
        })?;
        Ok(join)
    }

    /// How often what shares a counter with this element occurs: 1 only if no other set has the element.
    fn counter(&self, element: u64) -> &AtomicU32 {
        &self.counters[element as usize & (self.counters.len() - 1)]
    }

    /// The first `length` elements of the set at a place, rarest first, each with its frequency.
    fn prefix(&self, place: usize, length: usize, into: &mut Vec<(u32, u64)>) -> Result<()> {
        into.clear();
        into.extend(self.sets.get(self.order[place])?.iter().map(|&element| {
            let element = spread(element);
            (self.counter(element).load(Ordering::Relaxed), element)
        }));
        if length < into.len() {
            into.select_nth_unstable(length);
            into.truncate(length);
        }
        into.sort_unstable();
        Ok(())
    }

    /// The prefixes by which larger sets find the set. One of them shares at least as many elements as two sets of
    /// this size must.
    fn index(&self, threads: usize) -> Result<Index> {
        let parts = parallel::map_chunks(STRIDES, threads, 1, |strides| {
            let (mut entries, mut prefix) = (Vec::new(), Vec::new());
            for stride in strides {
                for place in (stride..self.order.len()).step_by(STRIDES) {
                    let size = self.sizes[place] as usize;
                    let needed = cut_off(size, size, self.threshold).unwrap_or(size);
                    self.prefix(place, size - needed + 1, &mut prefix)?;
                    let shared = prefix.iter().enumerate().filter(|(_, (count, _))| *count > 1);
                    entries.extend(shared.map(|(at, &(_, element))| Entry {
                        element,
                        place: place as u32,
                        at: at as u32,
                    }));
                }
            }
            entries.sort_unstable();
            Ok(entries)
        })?;
        let mut entries = Vec::with_capacity(parts.iter().map(Vec::len).sum());
        for part in parts {
            entries.extend(part); // each part is freed as it is taken
        }
        entries.sort(); // the stable sort finds the sorted parts, and merges them
        Ok(Index::new(entries))
    }
}

/// An element of a set, where it is in the set's order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    element: u64,
    place: u32,
    at: u32,
}

/// Entries by element, then place; `starts` by the leading bits of the element.
struct Index {
    entries: Vec<Entry>,
    starts: Vec<usize>,
    shift: u32,
}

impl Index {
    fn new(entries: Vec<Entry>) -> Self {
        let bits = (entries.len() / 4).next_power_of_two().ilog2().clamp(1, 26);
        let shift = 64 - bits;
        let mut starts = vec![0; (1 << bits) + 1];
        for entry in &entries {
            starts[(entry.element >> shift) as usize + 1] += 1;
        }
        for slot in 1..starts.len() {
            starts[slot] += starts[slot - 1];
        }
        Self { entries, starts, shift }
    }

    /// Where an element occurs, from a place on.
    fn from(&self, element: u64, place: u32) -> &[Entry] {
        let slot = (element >> self.shift) as usize;
        let near = &self.entries[self.starts[slot]..self.starts[slot + 1]];
        let begin = near.partition_point(|entry| (entry.element, entry.place) < (element, place));
        &near[begin..]
    }
}

/// One thread's search.
struct Probe<'a> {
    join: &'a Join<'a>,
    index: &'a Index,
    prefix: Vec<(u32, u64)>,
    /// For each place the elements met in common, or [`RULED_OUT`].
    met: Vec<u32>,
    /// Places whose `met` is not 0.
    touched: Vec<u32>,
    /// The intersection needed with a set of each admissible size, the least size first.
    needed: Vec<u32>,
    found: Vec<Pair>,
}

impl<'a> Probe<'a> {
    fn new(join: &'a Join<'a>, index: &'a Index) -> Self {
        let met = vec![0; join.order.len()];
        let (prefix, touched, needed, found) = Default::default();
        Self { join, index, prefix, met, touched, needed, found }
    }

    /// Finds the partners of the set at a place among those before it, none of which is larger.
    fn visit(&mut self, place: usize) -> Result<()> {
        let join = self.join;
        let size = join.sizes[place] as usize;
        let least = least_share(size, join.threshold);
        let first = join.sizes.partition_point(|&other| (other as usize) < least) as u32;
        join.prefix(place, size - least + 1, &mut self.prefix)?;
        self.needed.clear();
        let needed = |other| cut_off(size, other, join.threshold).unwrap_or(other + 1) as u32;
        self.needed.extend((least..=size).map(needed));
        for (at, &(count, element)) in self.prefix.iter().enumerate() {
            if count == 1 {
                continue;
            }
            for entry in self.index.from(element, first) {
                if entry.element != element || entry.place as usize >= place {
                    break;
                }
                let met = &mut self.met[entry.place as usize];
                let other = join.sizes[entry.place as usize];
                if *met == 0 {
                    self.touched.push(entry.place);
                }
                let left = (size - at).min((other - entry.at) as usize) as u32;
                if *met == RULED_OUT || *met + left < self.needed[other as usize - least] {
                    *met = RULED_OUT;
                } else {
                    *met += 1;
                }
            }
        }
        self.compare(place)
    }

    /// Compares the set at a place in full with those that were met and not ruled out.
    fn compare(&mut self, place: usize) -> Result<()> {
        let number = self.join.order[place];
        let set = self.join.sets.get(number)?;
        for other in self.touched.drain(..) {
            if std::mem::take(&mut self.met[other as usize]) == RULED_OUT {
                continue;
            }
            let other = self.join.order[other as usize];
            if let Some((_, jaccard)) = passes(set, self.join.sets.get(other)?, self.join.threshold)
            {
                self.found.push(Pair { a: number.min(other), b: number.max(other), jaccard });
            }
        }
        Ok(())
    }
}

/// The element in a form whose bits are all alike: 64-bit hashes are, short texts packed into a word are not.
fn spread(element: u64) -> u64 {
    splitmix(0, element)
}

/// The smallest set that may pass with one of `size` elements, which is then a subset of it.
fn least_share(size: usize, threshold: f64) -> usize {
    let enough = |other: usize| other as f64 / size as f64 >= threshold;
    let mut least = ((threshold * size as f64) as usize).min(size);
    while !enough(least) {
        least += 1;
    }
    while least > 0 && enough(least - 1) {
        least -= 1;
    }
    least
}

#[cfg(test)]
mod tests;
