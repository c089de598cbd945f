//! Weighted sets: checked, merged and sorted for the sketches of real weights; as copies for all others.

use crate::hash::mix;
use crate::{Error, Result};

/// The most copies that stand for one weighted set.
pub const MAX_COPIES: u64 = 1 << 24;

/// Tells the copies of an element apart.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// An element and its weight.
pub type Weighed = (u64, f64);

/// Weights are as many as elements, finite and not negative.
fn check(hashes: &[u64], weights: &[f64]) -> Result<()> {
    if hashes.len() != weights.len() {
        return Err(Error::argument(format!(
            "{} tokens have {} weights; each needs one",
            hashes.len(),
            weights.len()
        )));
    }
    match weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0)) {
        None => Ok(()),
        Some(at) => Err(Error::argument(format!(
            "weight {} of entry {at}: a weight is a number from 0, and finite; leave the entry out, or \
             clip it",
            weights[at]
        ))),
    }
}

/// Puts the elements of weight above 0 into `set`, by hash, each once; the sum of their weights comes back.
///
/// An element named twice weighs the sum, added up from the lightest, so that order does not matter.
pub fn merged(hashes: &[u64], weights: &[f64], set: &mut Vec<Weighed>) -> Result<f64> {
    check(hashes, weights)?;
    set.clear();
    set.extend(hashes.iter().copied().zip(weights.iter().copied()).filter(|each| each.1 > 0.0));
    set.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    set.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 += next.1;
        }
        same
    });
    let total: f64 = set.iter().map(|each| each.1).sum();
    if total.is_finite() {
        return Ok(total);
    }
    Err(Error::argument(
        "the weights add up to more than a float64 holds; divide them all by one number",
    ))
}

/// Puts each of `hashes` once into `set`, by hash, with how often it was there; their number comes back.
pub fn counted(hashes: &[u64], set: &mut Vec<Weighed>) -> f64 {
    set.clear();
    set.extend(hashes.iter().map(|&hash| (hash, 1.0)));
    set.sort_unstable_by_key(|each| each.0);
    set.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 += next.1;
        }
        same
    });
    hashes.len() as f64
}

/// Each element so many times as it weighs: the Jaccard similarity of two such sets is the weighted one.
///
/// Copy 0 is the element itself, so that weights of 1 give the plain set; with `alike` every copy is.
pub fn copies(hashes: &[u64], weights: &[f64], alike: bool) -> Result<Vec<u64>> {
    let mut set = Vec::new();
    let total = merged(hashes, weights, &mut set)?;
    if let Some(at) = weights.iter().position(|weight| weight.fract() != 0.0) {
        return Err(Error::argument(format!(
            "weight {} of entry {at}: this sketch takes whole weights; the sketches dart and icws take \
             any",
            weights[at]
        )));
    }
    if total > MAX_COPIES as f64 {
        return Err(Error::argument(format!(
            "the weights add up to {total}, and this sketch makes a copy for each unit, {MAX_COPIES} at \
             most; the sketches dart and icws take any"
        )));
    }
    let copy = |hash: u64, i: u64| {
        if i == 0 || alike { hash } else { mix(hash.wrapping_add(GAMMA.wrapping_mul(i))) }
    };
    Ok(set
        .iter()
        .flat_map(|&(hash, weight)| (0..weight as u64).map(move |i| copy(hash, i)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn copies_are_as_many_as_the_weight_and_nested() {
        let of = |weight: f64| -> HashSet<u64> {
            copies(&[7, 9], &[weight, 0.0], false).unwrap().into_iter().collect()
        };
        for weight in [0u32, 1, 2, 255, 256, 70_000] {
            assert_eq!(of(weight.into()).len(), weight as usize);
            assert!(of(weight.into()).is_subset(&of(f64::from(weight) + 1.0)));
        }
        assert_eq!(copies(&[7, 9, 7], &[1.0, 1.0, 2.0], true), Ok(vec![7, 7, 7, 9]));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for weight in [-1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = merged(&[1, 2], &[0.5, weight], &mut Vec::new()).unwrap_err().to_string();
            assert!(error.contains("of entry 1"), "{error}");
        }
        assert!(merged(&[1, 2], &[1e308, 1e308], &mut Vec::new()).is_err());
        assert!(merged(&[1], &[], &mut Vec::new()).is_err());
        for weight in [0.5, 4_294_967_296.0, 1e300] {
            assert!(copies(&[1], &[weight], false).is_err());
        }
    }

    #[test]
    fn repeats_are_counts_in_any_order() {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        assert_eq!(counted(&[3, 1, 3, 3], &mut one), 4.0);
        assert_eq!(one, [(1, 1.0), (3, 3.0)]);
        let total = merged(&[3, 1, 3, 9], &[0.1, 1.0, 0.7, 0.0], &mut one).unwrap();
        assert_eq!(merged(&[3, 3, 1], &[0.7, 0.1, 1.0], &mut other).unwrap(), total);
        assert_eq!(one, other);
    }
}
