//! Counts what two ascending lists of distinct numbers share, a block of each at a time: all pairs of two
//! blocks are compared in registers, then the block whose last element is the smaller one is passed
//! (Schlegel, Willhalm and Lehner, "Fast Sorted-Set Intersection using SIMD Instructions", 2011).

use super::by_tier;

/// Elements of a block.
const BLOCK: usize = 8;

/// What a tier must do.
trait Kernel: Copy {
    /// How many elements of `a` are in `b`.
    fn shared(self, a: &[u64; BLOCK], b: &[u64; BLOCK]) -> usize;

    /// Whether `x` is below `y`, and whether it is above.
    #[inline(always)]
    fn order(self, x: u64, y: u64) -> (bool, bool) {
        (x < y, x > y)
    }
}

/// How far an intersection has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Elements of `a` that are done with: each was counted, or is not in `b`.
    pub a: usize,
    /// The same of `b`.
    pub b: usize,
    /// Elements found in both.
    pub shared: usize,
}

by_tier! {
    /// Passes whole blocks until either list has none left, or until fewer than `needed` can be shared at
    /// most.
    pub fn blocks(a: &[u64], b: &[u64], needed: usize) -> Progress =
        passing, scalar: Scalar, avx2: super::proof::Avx2::here(),
        avx512: super::proof::Avx512::here(), neon: super::proof::Neon::here()
}

#[inline(always)]
fn passing<K: Kernel>(a: &[u64], b: &[u64], needed: usize, kernel: K) -> Progress {
    let (mut at, mut rest) = (0, b);
    let mut shared = 0;
    while let (Some(x), Some(y)) = (chunk(a, at), rest.first_chunk()) {
        if shared + (a.len() - at).min(rest.len()) < needed {
            break;
        }
        shared += kernel.shared(x, y);
        // An element past the end of the other block is met by the blocks that follow.
        let (before, after) = kernel.order(x[BLOCK - 1], y[BLOCK - 1]);
        at += BLOCK * usize::from(!after);
        rest = &rest[BLOCK * usize::from(!before)..];
    }
    Progress { a: at, b: b.len() - rest.len(), shared }
}

#[inline(always)]
fn chunk(list: &[u64], at: usize) -> Option<&[u64; BLOCK]> {
    list.get(at..at + BLOCK)?.first_chunk()
}

/// The twin in plain Rust.
#[derive(Clone, Copy)]
struct Scalar;

impl Kernel for Scalar {
    #[inline(always)]
    fn shared(self, a: &[u64; BLOCK], b: &[u64; BLOCK]) -> usize {
        // A merge: comparing all pairs pays in registers only.
        let (mut x, mut y, mut shared) = (0, 0, 0);
        while x < BLOCK && y < BLOCK {
            let (l, r) = (a[x], b[y]);
            shared += usize::from(l == r);
            x += usize::from(l <= r);
            y += usize::from(r <= l);
        }
        shared
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "unaligned loads; each block says why it is sound")]
mod x86;

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "unaligned loads; each block says why it is sound")]
mod neon;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Tier;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn what_is_passed_is_counted_in_every_tier(
            a in prop::collection::btree_set(0u64..300, 0..120),
            b in prop::collection::btree_set(0u64..300, 0..120),
            needed in 0usize..100,
        ) {
            let list = |set: &BTreeSet<u64>| set.iter().map(|x| x << 40).collect::<Vec<_>>();
            let (x, y) = (list(&a), list(&b));
            for tier in Tier::available() {
                let done = blocks(tier, &x, &y, needed);
                let rest: BTreeSet<_> = y[done.b..].iter().collect();
                let left = x[done.a..].iter().filter(|v| rest.contains(v)).count();
                prop_assert_eq!(done.shared + left, a.intersection(&b).count());
                let ended = x.len() - done.a < BLOCK || y.len() - done.b < BLOCK;
                let most = done.shared + (x.len() - done.a).min(y.len() - done.b);
                prop_assert!(ended || most < needed);
                prop_assert_eq!(done, blocks(Tier::SCALAR, &x, &y, needed));
            }
        }
    }
}
