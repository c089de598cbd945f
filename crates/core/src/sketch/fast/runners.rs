//! Runners-up of Fast Similarity Sketching, for multi-probe lookups: the second smallest value of each slot.
//!
//! ```text
//! v(x, j)  = the least value that element x brings to slot j, over all rounds and the fill
//! S[j]     = the smallest of { v(x, j) : x in the set }                       the signature
//! T[j]     = the second smallest of that set of distinct values, or EMPTY     the runners-up
//! ```
//! Each element brings one value to a slot, its least: what it throws there again is no rival of its own. A function
//! of the set { v(x, j) }, hence: order and repeats do not matter, and S, T of a union are the two smallest distinct
//! values among those of its parts. Legal shortcuts: stop between rounds when no runner-up is missing, and fill
//! only those that are, since stage i sorts before stage i + 1.

use super::super::EMPTY;
use super::FastSketch;
use crate::hash::mix;
use crate::simd::fast as kernel;

impl FastSketch {
    /// Writes the runners-up of the set `hashes`, whose signature is `first`.
    pub(super) fn second(&self, hashes: &[u64], first: &[u32], out: &mut [u32]) {
        out.fill(EMPTY);
        let draws: Vec<u64> = hashes.iter().map(|x| mix(x ^ self.key)).collect();
        for round in 0..self.rounds {
            for &y in &draws {
                let (slot, value) = self.throw(y, round);
                if self.rivals(y, round, slot, value, first[slot], out[slot]) {
                    out[slot] = value;
                }
            }
            if !out.contains(&EMPTY) {
                return;
            }
        }
        let words: Vec<u32> = draws.iter().map(|&y| self.word(y)).collect();
        for (slot, out) in out.iter_mut().enumerate().filter(|(_, value)| **value == EMPTY) {
            for (&y, &word) in draws.iter().zip(&words) {
                let value = self.filled(word, slot);
                if self.rivals(y, self.rounds, slot, value, first[slot], *out) {
                    *out = value;
                }
            }
        }
    }

    /// Whether element `y` lowers the runner-up `second` of a slot by a value of this round, and has not won the
    /// slot itself in an earlier one.
    fn rivals(&self, y: u64, round: u32, slot: usize, value: u32, first: u32, second: u32) -> bool {
        if value >= second || value <= first {
            return false;
        }
        // a value of round i has i leading ones, one of the fill as many as there are rounds, or more
        let won_in = first.leading_ones();
        won_in >= round || self.throw(y, won_in) != (slot, first)
    }

    fn draw(y: u64, i: u32) -> u64 {
        match i {
            0 => y,
            _ => mix(y.wrapping_add(kernel::GAMMA.wrapping_mul(u64::from(i)))),
        }
    }

    /// Slot and value of an element in a random round.
    fn throw(&self, y: u64, round: u32) -> (usize, u32) {
        let draw = Self::draw(y, round);
        let slot = ((draw >> 32) * self.size as u64) >> 32;
        (slot as usize, kernel::stage_base(round) | (draw as u32 & (u32::MAX >> (round + 1))))
    }

    /// The word of an element that the fill hashes.
    fn word(&self, y: u64) -> u32 {
        (Self::draw(y, self.rounds) >> 32) as u32
    }

    /// Value in the fill of a slot of the element that has this word.
    fn filled(&self, word: u32, slot: usize) -> u32 {
        let value = self.mul[slot].wrapping_mul(word).wrapping_add(self.add[slot]) >> self.rounds;
        (kernel::stage_base(self.rounds) | value).min(EMPTY - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Identity, Params, Scratch, Sketch};
    use super::*;
    use crate::simd::Tier;
    use std::collections::{BTreeMap, BTreeSet};

    fn both(sketch: &FastSketch, hashes: &[u64]) -> (Vec<u32>, Vec<u32>) {
        let (mut first, mut second) = (vec![0; sketch.size], vec![0; sketch.size]);
        sketch.sketch(hashes, &mut Scratch::default(), &mut first);
        assert!(sketch.runners_up(hashes, &first, &mut second));
        (first, second)
    }

    /// The two smallest of each slot, from the definition at the top of this file.
    fn definition(sketch: &FastSketch, hashes: &[u64]) -> (Vec<u32>, Vec<u32>) {
        let mut slots = vec![BTreeSet::new(); sketch.size];
        for x in hashes {
            let y = mix(x ^ sketch.key);
            let mut own: BTreeMap<usize, u32> = BTreeMap::new();
            for (slot, value) in (0..sketch.size)
                .map(|slot| (slot, sketch.filled(sketch.word(y), slot)))
                .chain((0..sketch.rounds).map(|round| sketch.throw(y, round)))
            {
                own.entry(slot).and_modify(|least| *least = value.min(*least)).or_insert(value);
            }
            for (slot, value) in own {
                slots[slot].insert(value);
            }
        }
        let nth = |n| slots.iter().map(|s| s.iter().nth(n).copied().unwrap_or(EMPTY)).collect();
        (nth(0), nth(1))
    }

    fn sketches() -> impl Iterator<Item = FastSketch> {
        [(1, 4), (7, 0), (16, 1), (128, 4), (130, 16)].into_iter().map(|(size, rounds)| {
            let tier = Tier::best();
            FastSketch::new(Params { size, seed: 9, rounds: Some(rounds), tier }).unwrap()
        })
    }

    #[test]
    fn the_definition_whatever_the_order_and_repeats() {
        for sketch in sketches() {
            for n in (0..20).chain([60, 200, 900]) {
                let hashes: Vec<u64> = (0..n).map(mix).collect();
                let found = both(&sketch, &hashes);
                assert_eq!(found, definition(&sketch, &hashes), "k={} n={n}", sketch.size);
                let again: Vec<u64> = hashes.iter().rev().chain(&hashes).copied().collect();
                assert_eq!(both(&sketch, &again), found);
                assert!(n != 1 || found.1.iter().all(|&value| value == EMPTY));
            }
        }
    }

    /// The sketch without its shorter way.
    struct Plain<'a>(&'a FastSketch);

    impl Sketch for Plain<'_> {
        fn identity(&self) -> Identity {
            self.0.identity()
        }

        fn size(&self) -> usize {
            self.0.size()
        }

        fn sketch(&self, hashes: &[u64], scratch: &mut Scratch, out: &mut [u32]) {
            self.0.sketch(hashes, scratch, out);
        }

        fn std_err(&self, j: f64, m: u64) -> f64 {
            self.0.std_err(j, m)
        }
    }

    #[test]
    fn the_way_of_every_sketch_leads_to_the_same() {
        for sketch in sketches() {
            for n in [0, 1, 2, 9, 300] {
                let hashes: Vec<u64> = (0..n).map(|i| mix(i % 250)).collect();
                let (first, second) = both(&sketch, &hashes);
                let mut found = vec![7; sketch.size];
                assert!(Plain(&sketch).runners_up(&hashes, &first, &mut found));
                assert_eq!(found, second);
            }
        }
    }

    #[test]
    fn a_union_has_the_two_smallest_of_its_parts() {
        for sketch in sketches() {
            let hashes: Vec<u64> = (0..300).map(mix).collect();
            let (a, b) = (both(&sketch, &hashes[..190]), both(&sketch, &hashes[120..]));
            let union = both(&sketch, &hashes);
            for slot in 0..sketch.size {
                let all = BTreeSet::from([a.0[slot], a.1[slot], b.0[slot], b.1[slot]]);
                let least: Vec<u32> = all.into_iter().take(2).collect();
                assert_eq!(least, [union.0[slot], union.1[slot]]);
            }
        }
    }
}
