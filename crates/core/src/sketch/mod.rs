//! Sketches: a set of 64-bit hashes in, `k` slots out; and the identity that travels with every signature.
//!
//! A sketch is one file that implements [`Sketch`] and one line in [`REGISTRY`].

pub mod bbit;
pub mod cardinality;
pub mod cminhash;
pub mod dart;
pub mod fast;
pub mod icws;
mod identity;
pub mod minhash;
pub mod minhash61;
pub mod oph;
pub mod simhash;
pub mod superminhash;
pub mod weights;

pub use identity::Identity;

use std::any::Any;

use crate::simd::Tier;
use crate::{Error, Result};

/// What an empty slot holds; the signature of an empty set is nothing else.
pub const EMPTY: u32 = u32::MAX;

/// Signatures longer than this are refused.
pub const MAX_SIZE: usize = 65_536;

/// How a sketch is to be built.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Number of slots, 1 to [`MAX_SIZE`]; of SimHash the number of bits.
    pub size: usize,
    /// Any 64-bit seed.
    pub seed: u64,
    /// Rounds of random slots where the sketch has them; `None` is the sketch's default.
    pub rounds: Option<u32>,
    /// Instruction set to run on.
    pub tier: Tier,
}

impl Params {
    /// The same for a sketch that has no rounds, which are refused.
    fn without_rounds(self, name: &str) -> Result<Self> {
        match self.rounds {
            None => Ok(self),
            Some(_) => Err(Error::argument(format!("the sketch {name} has no rounds; fast has"))),
        }
    }
}

/// Working memory of one thread, reused from set to set; each sketch keeps its own kind in it.
#[derive(Default)]
pub struct Scratch(Option<Box<dyn Any + Send>>);

impl Scratch {
    /// The memory of kind `T`, as it was left; new if another sketch was here last.
    fn of<T: Any + Default + Send>(&mut self) -> &mut T {
        if !self.0.as_ref().is_some_and(|kept| kept.is::<T>()) {
            self.0 = None;
        }
        let kept = self.0.get_or_insert_with(|| Box::<T>::default());
        match kept.downcast_mut() {
            Some(kept) => kept,
            None => unreachable!("its kind was looked at above"),
        }
    }
}

/// A min-wise sketch: P(slot of A = slot of B) = Jaccard(A, B); or a [`Sketch::fingerprint`].
pub trait Sketch: Send + Sync {
    /// The name, format version and parameters that two signatures must share to be compared.
    fn identity(&self) -> Identity;

    /// Number of slots.
    fn size(&self) -> usize;

    /// Writes the signature of the set `hashes` (repeats allowed) into `out`, which has [`Sketch::size`] slots.
    fn sketch(&self, hashes: &[u64], scratch: &mut Scratch, out: &mut [u32]);

    /// Writes the signature of a weighted set: element `hashes[i]` weighs `weights[i]`, the sum if it is named
    /// twice. A sketch of plain sets takes whole weights, each element as so many distinct copies.
    ///
    /// # Errors
    /// As many weights as hashes are needed, finite and not negative; what else a sketch asks is in [`weights`].
    fn weigh(
        &self,
        hashes: &[u64],
        weights: &[f64],
        scratch: &mut Scratch,
        out: &mut [u32],
    ) -> Result<()> {
        let copies = weights::copies(hashes, weights, self.weighs_repeats())?;
        self.sketch(&copies, scratch, out);
        Ok(())
    }

    /// Writes the runner-up of each slot of `signature`, that of the set `hashes`: the second smallest value that
    /// elements bring there, [`EMPTY`] where there is one element only. False, and nothing written, if this
    /// sketch is no slot-wise minimum over elements and so has no runners-up.
    ///
    /// What an element brings to each slot is its signature when alone; a sketch may know a shorter way.
    fn runners_up(&self, hashes: &[u64], signature: &[u32], out: &mut [u32]) -> bool {
        if !self.merges() || self.weighs_repeats() {
            return false;
        }
        out.fill(EMPTY);
        let (mut scratch, mut alone) = (Scratch::default(), vec![EMPTY; self.size()]);
        for x in hashes {
            self.sketch(std::slice::from_ref(x), &mut scratch, &mut alone);
            for ((second, &value), &first) in out.iter_mut().zip(&alone).zip(signature) {
                *second = if value > first { value.min(*second) } else { *second };
            }
        }
        true
    }

    /// Whether repeats count as weight; elsewhere a set with repeats has the signature of the set without.
    fn weighs_repeats(&self) -> bool {
        false
    }

    /// Whether the signature of a union is the slot-wise minimum of two.
    fn merges(&self) -> bool {
        true
    }

    /// How many elements a signature is of, and the standard error of that; none where slots do not tell.
    fn cardinality(&self, _slots: &[u32]) -> Option<(f64, f64)> {
        None
    }

    /// Whether the slots are the words of one number that is compared by the bits that differ, not slot by slot.
    fn fingerprint(&self) -> bool {
        false
    }

    /// Standard error of the Jaccard estimate for true Jaccard `j` and `m` elements in the union.
    fn std_err(&self, j: f64, m: u64) -> f64;
}

/// Builds a sketch from checked parameters.
pub type Build = fn(Params) -> Result<Box<dyn Sketch>>;

/// Every sketch by name.
pub const REGISTRY: &[(&str, Build)] = &[
    (fast::NAME, fast::build),
    (minhash::NAME, minhash::build),
    (minhash61::NAME, minhash61::build),
    (superminhash::NAME, superminhash::build),
    (oph::NAME, oph::build),
    (cminhash::NAME, cminhash::build),
    (icws::NAME, icws::build),
    (dart::NAME, dart::build),
    (simhash::NAME, simhash::build),
];

/// Builds the sketch of that name.
pub fn build(name: &str, params: Params) -> Result<Box<dyn Sketch>> {
    if params.size == 0 || params.size > MAX_SIZE {
        return Err(Error::argument(format!(
            "size must be between 1 and {MAX_SIZE} slots, got {}",
            params.size
        )));
    }
    match REGISTRY.iter().find(|(known, _)| *known == name) {
        Some((_, build)) => build(params),
        None => {
            let known: Vec<&str> = REGISTRY.iter().map(|(name, _)| *name).collect();
            Err(Error::argument(format!("unknown sketch {name:?}; known: {}", known.join(", "))))
        }
    }
}

/// Share of equal slots that are not empty: the unbiased estimate of the Jaccard similarity.
pub fn estimate(a: &[u32], b: &[u32]) -> Result<f64> {
    if a.len() != b.len() || a.is_empty() {
        return Err(Error::mismatch(format!(
            "signatures of {} and {} slots cannot be compared; sketch both with one size",
            a.len(),
            b.len()
        )));
    }
    let equal = a.iter().zip(b).filter(|(x, y)| x == y && **x != EMPTY).count();
    Ok(equal as f64 / a.len() as f64)
}
