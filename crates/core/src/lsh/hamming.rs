//! The index of fingerprints: every one within d bits, nearest first. What it looks up is in [`super::blocks`].
//!
//! For each block a table of chains: the newest fingerprint of each hashed block value, and for each fingerprint the
//! one before it. What a chain gives is compared in full, and taken in the first block that meets it, so nothing is
//! given twice and no answer depends on the blocks. They are chosen anew when the index has doubled.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::blocks::{Block, choose};
use crate::error::{Error, Result};
use crate::parallel;
use crate::simd::{Tier, near::near};

/// The end of a chain.
const NONE: u32 = u32::MAX;
/// Queries below which another thread does not pay.
const GRAIN: usize = 64;
/// Fingerprints up to which no blocks are made.
const FEW: usize = 512;

/// What became of a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// It is found.
    Live = 0,
    /// That of a text without shingles: it has a number, and is never found.
    Empty = 1,
    /// It was removed.
    Removed = 2,
}

/// An index of fingerprints of 64 or 128 bits.
pub struct Hamming {
    width: usize,
    distance: u32,
    words: Vec<u64>,
    states: Vec<State>,
    removed: usize,
    chains: Vec<Chains>,
    /// How many fingerprints there may be before the blocks are chosen anew.
    room: usize,
}

/// The chains of one block.
struct Chains {
    block: Block,
    shift: u32,
    heads: Vec<u32>,
    before: Vec<u32>,
}

impl Chains {
    fn slot(&self, value: u128) -> usize {
        let folded = (value as u64) ^ ((value >> 64) as u64).rotate_left(29);
        (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    /// Begins the chain of a fingerprint, whose number is the next, unless it is never to be found.
    fn push(&mut self, id: u32, fingerprint: u128, found: bool) {
        if !found {
            return self.before.push(NONE);
        }
        let slot = self.slot(self.block.value(fingerprint));
        self.before.push(std::mem::replace(&mut self.heads[slot], id));
    }
}

/// Two fingerprints, `a < b`, and in how many bits they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// Number of the one.
    pub a: u32,
    /// Number of the other.
    pub b: u32,
    /// Bits that differ.
    pub distance: u32,
}

impl Hamming {
    /// An empty index of fingerprints of `bits` bits that finds those within `distance`.
    pub fn new(bits: usize, distance: u32) -> Result<Self> {
        if bits != 64 && bits != 128 {
            return Err(Error::argument(format!("bits must be 64 or 128, got {bits}")));
        }
        if distance as usize > bits {
            return Err(Error::argument(format!(
                "distance must be from 0 to {bits}, got {distance}"
            )));
        }
        let (words, states, chains) = Default::default();
        Ok(Self { width: bits / 64, distance, words, states, removed: 0, chains, room: FEW })
    }

    /// The index of these fingerprints in these states.
    pub fn of(bits: usize, distance: u32, words: Vec<u64>, states: Vec<State>) -> Result<Self> {
        let mut index = Self::new(bits, distance)?;
        index.check(&words, states.len())?;
        index.removed = states.iter().filter(|&&state| state == State::Removed).count();
        (index.words, index.states) = (words, states);
        index.build();
        Ok(index)
    }

    /// Bits of a fingerprint.
    pub fn bits(&self) -> usize {
        64 * self.width
    }

    /// Bits that may differ.
    pub fn distance(&self) -> u32 {
        self.distance
    }

    /// Fingerprints that are not removed.
    pub fn len(&self) -> usize {
        self.states.len() - self.removed
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Blocks in use; 0 while all fingerprints are compared.
    pub fn blocks(&self) -> usize {
        self.chains.len()
    }

    /// All words in order of number, removed fingerprints included.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// What became of each fingerprint.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let each = |chains: &Chains| 4 * (chains.heads.capacity() + chains.before.capacity());
        let chains: usize = self.chains.iter().map(each).sum();
        8 * self.words.capacity() + self.states.capacity() + chains
    }

    /// Adds fingerprints, words of 64 bits with the low one first; those not `found` get a number only. Returns the
    /// number of the first.
    pub fn insert(&mut self, words: &[u64], found: Option<&[bool]>) -> Result<u32> {
        let count = words.len() / self.width;
        self.check(words, found.map_or(count, <[bool]>::len))?;
        let first = self.states.len();
        if first + count >= NONE as usize {
            return Err(Error::argument("an index holds fewer than 2^32 - 1 fingerprints"));
        }
        self.words.extend_from_slice(words);
        let state =
            |row| if found.is_none_or(|found| found[row]) { State::Live } else { State::Empty };
        self.states.extend((0..count).map(state));
        if self.states.len() > self.room {
            self.build();
        } else {
            self.link(first);
        }
        Ok(first as u32)
    }

    /// Removes a fingerprint; false if it is not there.
    pub fn remove(&mut self, id: u32) -> bool {
        match self.states.get_mut(id as usize) {
            Some(state) if *state != State::Removed => {
                *state = State::Removed;
                self.removed += 1;
                true
            }
            _ => false,
        }
    }

    /// Whether there is such a fingerprint.
    pub fn contains(&self, id: u32) -> bool {
        self.states.get(id as usize).is_some_and(|&state| state != State::Removed)
    }

    /// For each fingerprint the numbers of those within the distance, and how far they are: nearest first, then by
    /// number. Nothing for those not `asked`.
    pub fn query(
        &self,
        words: &[u64],
        asked: Option<&[bool]>,
        threads: usize,
    ) -> Result<Vec<Vec<(u32, u32)>>> {
        let count = words.len() / self.width;
        self.check(words, asked.map_or(count, <[bool]>::len))?;
        let parts = parallel::map_chunks(count, threads, GRAIN, |range| {
            let one = |row: usize| {
                let mut found = Vec::new();
                if asked.is_none_or(|asked| asked[row]) {
                    self.find(&words[row * self.width..][..self.width], 0, &mut found);
                    found.sort_unstable_by_key(|&(id, distance)| (distance, id));
                }
                found
            };
            Ok(range.map(one).collect::<Vec<_>>())
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// All pairs within the distance, sorted; an error if there are more than `most`.
    pub fn pairs(&self, threads: usize, most: usize) -> Result<Vec<Pair>> {
        let count = AtomicUsize::new(0);
        let parts = parallel::map_chunks(self.states.len(), threads, GRAIN, |range| {
            let (mut pairs, mut found) = (Vec::new(), Vec::new());
            for row in range.filter(|&row| self.states[row] == State::Live) {
                let a = row as u32;
                found.clear();
                self.find(&self.words[row * self.width..][..self.width], a + 1, &mut found);
                if count.fetch_add(found.len(), Ordering::Relaxed) + found.len() > most {
                    return Err(Error::argument(format!(
                        "more than {most} pairs of fingerprints differ in at most {} bits",
                        self.distance
                    )));
                }
                found.sort_unstable();
                pairs.extend(found.iter().map(|&(b, distance)| Pair { a, b, distance }));
            }
            Ok(pairs)
        })?;
        Ok(parts.concat())
    }

    /// Appends what lies within the distance, from number `first` on, in any order.
    fn find(&self, probe: &[u64], first: u32, found: &mut Vec<(u32, u32)>) {
        if self.chains.is_empty() {
            let rest = self.words.get(first as usize * self.width..).unwrap_or_default();
            near(Tier::best(), rest, probe, self.distance, first, found);
            found.retain(|&(id, _)| self.states[id as usize] == State::Live);
            return;
        }
        let fingerprint = joined(probe);
        for (number, chains) in self.chains.iter().enumerate() {
            let block = chains.block;
            block.values(block.value(fingerprint), &mut |value| {
                let mut id = chains.heads[chains.slot(value)];
                // The newest first, so that the numbers fall.
                while id != NONE && id >= first {
                    let other = self.at(id);
                    let apart = fingerprint ^ other;
                    let distance = apart.count_ones();
                    if distance <= self.distance
                        && block.value(other) == value
                        && self.states[id as usize] == State::Live
                        && !self.chains[..number].iter().any(|earlier| earlier.block.meets(apart))
                    {
                        found.push((id, distance));
                    }
                    id = chains.before[id as usize];
                }
            });
        }
    }

    fn at(&self, id: u32) -> u128 {
        joined(&self.words[id as usize * self.width..][..self.width])
    }

    /// Chooses blocks with room for twice as many fingerprints, and links them all.
    fn build(&mut self) {
        let count = self.states.len();
        self.room = (2 * count).max(FEW);
        self.chains.clear();
        if count <= FEW {
            return;
        }
        let bits = self.bits() as u32;
        let logarithm = count.ilog2() + 1;
        let chains = |block| Chains {
            block,
            shift: 64 - logarithm,
            heads: vec![NONE; 1 << logarithm],
            before: Vec::with_capacity(count),
        };
        self.chains = choose(bits, self.distance, count).into_iter().map(chains).collect();
        self.link(0);
    }

    /// Links the fingerprints from a number on.
    fn link(&mut self, first: usize) {
        let Self { width, words, states, chains, .. } = self;
        for chains in chains {
            let rows = words[first * *width..].chunks_exact(*width).zip(&states[first..]);
            for ((words, &state), id) in rows.zip(first as u32..) {
                chains.push(id, joined(words), state == State::Live);
            }
        }
    }

    fn check(&self, words: &[u64], rows: usize) -> Result<()> {
        if words.len() == rows * self.width {
            return Ok(());
        }
        Err(Error::mismatch(format!(
            "{} words are not {rows} fingerprints of {} bits",
            words.len(),
            self.bits()
        )))
    }
}

/// A fingerprint as one number.
fn joined(words: &[u64]) -> u128 {
    words.iter().rev().fold(0, |all, &word| all << 64 | u128::from(word))
}

#[cfg(test)]
mod tests;
