//! Where a run of plain JSON string contents stops, found some blocks ahead and remembered.

use crate::simd::{Tier, stops};

/// Bytes of which the stops are known at a time.
const WINDOW: usize = 64 * stops::BLOCKS;

/// The quotes, backslashes and control characters of a line, found window by window as they are asked
/// for; keys, escapes and short values that share a window share its masks.
pub(crate) struct Stops<'a> {
    line: &'a [u8],
    tier: Tier,
    /// Number of the window of which `masks` speak.
    window: usize,
    masks: [u64; stops::BLOCKS],
}

impl<'a> Stops<'a> {
    pub fn new(line: &'a [u8]) -> Self {
        let tier = Tier::best();
        Self { line, tier, window: 0, masks: stops::stops(tier, line) }
    }

    pub fn line(&self) -> &'a [u8] {
        self.line
    }

    /// First offset from `at` on that holds a stop, else the line's length.
    #[inline]
    pub fn next(&mut self, at: usize) -> usize {
        let (mut block, mut skip) = (at / 64, at % 64);
        while block * 64 < self.line.len() {
            if block / stops::BLOCKS != self.window {
                self.load(block / stops::BLOCKS);
            }
            let rest = self.masks[block % stops::BLOCKS] >> skip;
            if rest != 0 {
                return block * 64 + skip + rest.trailing_zeros() as usize;
            }
            (block, skip) = (block + 1, 0);
        }
        self.line.len()
    }

    fn load(&mut self, window: usize) {
        self.window = window;
        self.masks = stops::stops(self.tier, self.line.get(window * WINDOW..).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn next_is_the_definition(
            line in prop::collection::vec(prop_oneof![60 => Just(b'a'), 1 => any::<u8>()], 0..1500),
        ) {
            let is_stop = |byte: u8| matches!(byte, b'"' | b'\\' | 0..0x20);
            let mut stops = Stops::new(&line);
            for at in 0..=line.len() {
                let expected = (at..line.len()).find(|&i| is_stop(line[i])).unwrap_or(line.len());
                prop_assert_eq!(stops.next(at), expected);
                // Going back is allowed: the window is loaded again.
                prop_assert!(stops.next(0) <= expected);
            }
        }
    }
}
