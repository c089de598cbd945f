//! Size of the intersection of two ascending slices of distinct numbers, given up as soon as it must stay too small.
//!
//! Sizes alike: a merge without a branch on data, two halves side by side. Sizes far apart: a galloping search.

use std::cmp::Ordering;

/// Above this ratio of sizes the larger set is searched rather than merged.
const GALLOP: usize = 24;
/// Steps of a merge between two looks at the cut-off.
const BLOCK: usize = 16;

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
    let (low, high) = small.split_at(small.len() / 2);
    let (below, above) = large.split_at(large.partition_point(|y| Some(y) < high.first()));
    let mut lanes = [Lane { a: low, b: below, shared: 0 }, Lane { a: high, b: above, shared: 0 }];
    let reachable = |lanes: &[Lane<'_>]| lanes.iter().map(Lane::bound).sum::<usize>() >= needed;
    while advance(&mut lanes) {
        if !reachable(&lanes) {
            return None;
        }
    }
    for lane in 0..lanes.len() {
        while advance(std::array::from_mut(&mut lanes[lane])) {
            if !reachable(&lanes) {
                return None;
            }
        }
        lanes[lane].finish();
    }
    let shared = lanes.iter().map(|lane| lane.shared).sum();
    (shared >= needed).then_some(shared)
}

/// A merge under way: what is left of either side, and what was found in both.
struct Lane<'a> {
    a: &'a [u64],
    b: &'a [u64],
    shared: usize,
}

impl Lane<'_> {
    /// What it can reach at most.
    fn bound(&self) -> usize {
        self.shared + self.a.len().min(self.b.len())
    }

    fn finish(&mut self) {
        let (mut x, mut y) = (0, 0);
        while let (Some(l), Some(r)) = (self.a.get(x), self.b.get(y)) {
            self.shared += usize::from(l == r);
            x += usize::from(l <= r);
            y += usize::from(r <= l);
        }
    }
}

/// [`BLOCK`] steps of each lane without a branch, side by side, as each waits for its own loads and compares;
/// false, and nothing done, if a lane may be too short for them.
fn advance<const N: usize>(lanes: &mut [Lane<'_>; N]) -> bool {
    let mut blocks = [(&[0; BLOCK], &[0; BLOCK]); N];
    for (lane, block) in lanes.iter().zip(&mut blocks) {
        match (lane.a.first_chunk(), lane.b.first_chunk()) {
            (Some(a), Some(b)) => *block = (a, b),
            _ => return false,
        }
    }
    let mut at = [(0, 0); N];
    for _ in 0..BLOCK {
        for ((a, b), (x, y)) in blocks.iter().zip(&mut at) {
            // Below BLOCK anyway; the remainder spares the check.
            let (l, r) = (a[*x % BLOCK], b[*y % BLOCK]);
            *x += usize::from(l <= r);
            *y += usize::from(r <= l);
        }
    }
    for (lane, (x, y)) in lanes.iter_mut().zip(at) {
        (lane.a, lane.b) = (&lane.a[x..], &lane.b[y..]);
        // A step that moved both sides found one.
        lane.shared += x + y - BLOCK;
    }
    true
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
