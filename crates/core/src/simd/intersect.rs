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
        passing, scalar: Scalar, avx2: super::proof::Avx2::here(), avx512: super::proof::Avx512::here()
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
mod x86 {
    use super::{BLOCK, Kernel};
    use crate::simd::proof::{Avx2, Avx512};
    use std::arch::x86_64::*;

    impl Kernel for Avx2 {
        #[inline(always)]
        fn shared(self, a: &[u64; BLOCK], b: &[u64; BLOCK]) -> usize {
            // SAFETY: `self` shows that the machine has AVX2.
            unsafe { shared_avx2(a, b) }
        }

        #[inline(always)]
        fn order(self, x: u64, y: u64) -> (bool, bool) {
            order(x, y)
        }
    }

    impl Kernel for Avx512 {
        #[inline(always)]
        fn shared(self, a: &[u64; BLOCK], b: &[u64; BLOCK]) -> usize {
            // SAFETY: `self` shows that the machine has AVX-512 F.
            unsafe { shared_avx512(a, b) }
        }

        #[inline(always)]
        fn order(self, x: u64, y: u64) -> (bool, bool) {
            order(x, y)
        }
    }

    /// By a subtraction that the compiler cannot look into: it would make two compares lanes of a vector, and
    /// every step wait twice as long for the answer.
    #[inline(always)]
    fn order(x: u64, y: u64) -> (bool, bool) {
        let mut apart = 0;
        #[allow(unused_unsafe, reason = "a safe function since Rust 1.93")]
        // SAFETY: the instruction belongs to every x86-64.
        let before = unsafe { _subborrow_u64(0, x, y, &mut apart) } != 0;
        (before, !before & (apart != 0))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn shared_avx2(a: &[u64; BLOCK], b: &[u64; BLOCK]) -> usize {
        // SAFETY: four 64-bit numbers from 0 or 4 of a block of eight; the loads may be unaligned.
        let half = |block: &[u64; BLOCK], from: usize| unsafe {
            _mm256_loadu_si256(block.as_ptr().add(from).cast())
        };
        let mut count = 0;
        for from in [0, 4] {
            let x = half(a, from);
            let mut found = _mm256_setzero_si256();
            for other in [0, 4] {
                let y = half(b, other);
                let turns = [
                    y,
                    _mm256_permute4x64_epi64::<0b00_11_10_01>(y),
                    _mm256_permute4x64_epi64::<0b01_00_11_10>(y),
                    _mm256_permute4x64_epi64::<0b10_01_00_11>(y),
                ];
                for y in turns {
                    found = _mm256_or_si256(found, _mm256_cmpeq_epi64(x, y));
                }
            }
            count += _mm256_movemask_pd(_mm256_castsi256_pd(found)).count_ones();
        }
        count as usize
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn shared_avx512(a: &[u64; BLOCK], b: &[u64; BLOCK]) -> usize {
        // SAFETY: eight 64-bit numbers are 64 bytes; the load may be unaligned.
        let x = unsafe { _mm512_loadu_si512(a.as_ptr().cast()) };
        // Spread by the load, which leaves the one port for compares to them.
        let is = |y: u64| _mm512_cmpeq_epi64_mask(x, _mm512_set1_epi64(y as i64));
        let found = (is(b[0]) | is(b[1]) | is(b[2]) | is(b[3]))
            | (is(b[4]) | is(b[5]) | is(b[6]) | is(b[7]));
        found.count_ones() as usize
    }
}

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
