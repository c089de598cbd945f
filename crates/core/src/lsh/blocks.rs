//! Which blocks a Hamming index cuts a fingerprint into: multi-index hashing (Norouzi, Punjani, Fleet, CVPR 2012).
//!
//! Cut into m blocks, and let d = r m + a with a < m. Of two fingerprints within d bits, one of the blocks 0 .. a is
//! within r bits, or one of the others within r - 1: else the distances would add up to more than d. So it is enough to
//! look up, for every block, all values within its radius. With m = d + 1 each radius is 0: the pigeonhole blocks of
//! Manku, Jain and Das Sarma (WWW 2007). Fewer blocks are longer, so that less is met by chance, but have more values
//! to look up; which number costs least depends on how many fingerprints there are.

/// Fingerprints that a scan passes in the time that one of them is fetched from memory.
const SCANNED: f64 = 32.0;

/// A block: which bits, and how many of them may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its lowest bit.
    pub from: u32,
    /// How many bits it has.
    pub bits: u32,
    /// Values of it that differ in so many bits are looked up.
    pub radius: u32,
}

impl Block {
    /// The value of the block in a fingerprint.
    #[inline]
    pub fn value(self, fingerprint: u128) -> u128 {
        fingerprint >> self.from & (u128::MAX >> (128 - self.bits))
    }

    /// Whether a block of these differing bits is one that is looked up.
    #[inline]
    pub fn meets(self, apart: u128) -> bool {
        self.value(apart).count_ones() <= self.radius
    }

    /// Calls `visit` with every value within the radius of `value`, once.
    pub fn values(self, value: u128, visit: &mut impl FnMut(u128)) {
        flipped(value, 0, self.bits, self.radius, visit);
    }

    /// Values looked up.
    fn lookups(self) -> f64 {
        let (mut ways, mut sum) = (1.0, 1.0);
        for i in 0..self.radius.min(self.bits) {
            ways *= f64::from(self.bits - i) / f64::from(i + 1);
            sum += ways;
        }
        sum
    }
}

/// Visits `value` with up to `left` of its bits from `from` on flipped.
fn flipped(value: u128, from: u32, bits: u32, left: u32, visit: &mut impl FnMut(u128)) {
    visit(value);
    if left > 0 {
        for bit in from..bits {
            flipped(value ^ 1 << bit, bit + 1, bits, left - 1, visit);
        }
    }
}

/// `count` blocks of fingerprints of `bits` bits that find whatever lies within `distance`; at most `distance + 1`.
pub fn cut(bits: u32, distance: u32, count: u32) -> Vec<Block> {
    let (radius, rest) = (distance / count, distance % count);
    let mut from = 0;
    let block = |i: u32| {
        let bits = bits / count + u32::from(i < bits % count);
        let radius = if i <= rest { radius } else { radius - 1 };
        let block = Block { from, bits, radius };
        from += bits;
        block
    };
    (0..count).map(block).collect()
}

/// The blocks by which a query among `n` fingerprints costs least, counted in fetches from memory; none where a scan
/// of all costs less.
pub fn choose(bits: u32, distance: u32, n: usize) -> Vec<Block> {
    let (n, mut least, mut best) = (n as f64, n as f64 / SCANNED, Vec::new());
    for count in 1..=bits.min(distance.saturating_add(1)) {
        let blocks = cut(bits, distance, count);
        let met = |block: &Block| block.lookups() * (1.0 + n / f64::from(block.bits).exp2());
        let cost = blocks.iter().map(met).sum();
        if cost < least {
            (least, best) = (cost, blocks);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_is_within_the_distance_meets_in_a_block(
            distance in 0u32..20, count in 1u32..21, places in prop::collection::vec(0u32..64, 0..20),
        ) {
            let count = count.min(distance + 1);
            let places = &places[..places.len().min(distance as usize)];
            let apart = places.iter().fold(0, |all, place| all ^ 1u128 << place);
            let blocks = cut(64, distance, count);
            prop_assert!(blocks.iter().any(|block| block.meets(apart)));
            // The blocks are all the bits, each once.
            let whole = |block: &Block| (u128::MAX >> (128 - block.bits)) << block.from;
            let ends = blocks.iter().map(|block| block.from + block.bits);
            prop_assert_eq!(blocks.iter().map(whole).fold(0, |all, one| all | one), u64::MAX.into());
            prop_assert_eq!(blocks.iter().map(|block| block.bits).sum::<u32>(), 64);
            prop_assert_eq!(ends.max(), Some(64));
        }

        #[test]
        fn values_are_those_within_the_radius(value in 0u128..1 << 9, radius in 0u32..10) {
            let block = Block { from: 0, bits: 9, radius };
            let mut seen = Vec::new();
            block.values(value, &mut |value| seen.push(value));
            seen.sort_unstable();
            let near = |&other: &u128| (value ^ other).count_ones() <= radius;
            prop_assert_eq!(&seen, &(0..1 << 9).filter(near).collect::<Vec<_>>());
            prop_assert_eq!(block.lookups(), seen.len() as f64);
        }
    }

    #[test]
    fn the_choice_follows_n_and_d() {
        let count = |bits, distance, n| choose(bits, distance, n).len();
        assert_eq!((count(64, 3, 100), count(64, 0, 1000)), (0, 1));
        assert_eq!((count(64, 3, 10_000), count(64, 3, 1_000_000)), (4, 3));
        assert_eq!(choose(64, 3, 10_000), cut(64, 3, 4)); // pigeonhole: every radius is 0
        assert!(choose(64, 3, 10_000).iter().all(|block| block.radius == 0));
        assert_eq!((count(64, 8, 1_000_000), count(64, 40, 1_000_000)), (3, 0));
        assert_eq!((count(128, 128, 1 << 30), count(128, 0, 1 << 30)), (0, 1));
    }
}
