//! Size of the intersection of two ascending slices of distinct numbers, given up as soon as it must stay too small.
//!
//! Sizes alike: block against block in registers. Sizes far apart: a galloping search.

use std::cmp::Ordering;

use crate::simd::Tier;
use crate::simd::intersect::blocks;

/// Above this ratio of sizes the larger set is searched rather than merged.
const GALLOP: usize = 24;

/// The intersection's size, or nothing once it cannot reach `needed`.
pub fn at_least(a: &[u64], b: &[u64], needed: usize) -> Option<usize> {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if small.len() < needed {
        return None;
    }
    if large.len() / GALLOP > small.len() {
        let shared = gallop(small, large);
        return (shared >= needed).then_some(shared);
    }
    let done = blocks(Tier::best(), small, large, needed);
    let (mut small, mut large, mut shared) = (&small[done.a..], &large[done.b..], done.shared);
    if shared + small.len().min(large.len()) < needed {
        return None;
    }
    // Less than a block is left of one of them.
    while let (Some((x, after_x)), Some((y, after_y))) = (small.split_first(), large.split_first())
    {
        shared += usize::from(x == y);
        (small, large) =
            (if x <= y { after_x } else { small }, if y <= x { after_y } else { large });
    }
    (shared >= needed).then_some(shared)
}

/// Looks up each element of `small`, doubling the step from where the last one was (Bentley, Yao 1976).
fn gallop(small: &[u64], mut large: &[u64]) -> usize {
    let mut shared = 0;
    for x in small {
        let mut step = 1;
        while large.get(step - 1).is_some_and(|y| y < x) {
            step *= 2;
        }
        let window = &large[step / 2..step.min(large.len())];
        let at = step / 2 + window.partition_point(|y| y < x);
        large = &large[at..];
        match large.first().map(|y| y.cmp(x)) {
            Some(Ordering::Equal) => shared += 1,
            Some(_) => {}
            None => break,
        }
    }
    shared
}
