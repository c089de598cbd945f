//! Sketches: a set of 64-bit hashes in, `k` slots out; and the identity that travels with every signature.
//!
//! A sketch is one file that implements [`Sketch`] and one line in [`REGISTRY`].

pub mod bbit;
pub mod fast;
mod identity;
pub mod simhash;

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

    /// Whether repeats count as weight; elsewhere a set with repeats has the signature of the set without.
    fn weighs_repeats(&self) -> bool {
        false
    }

    /// Whether the signature of a union is the slot-wise minimum of two.
    fn merges(&self) -> bool {
        true
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
pub const REGISTRY: &[(&str, Build)] =
    &[(fast::NAME, fast::build), (simhash::NAME, simhash::build)];

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
