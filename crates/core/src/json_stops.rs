//! Where a run of plain JSON string contents stops: one bit a byte, 64 bytes at a time, in the
//! manner of Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (2019), section 3.1.

/// The quotes, backslashes and control characters of a line, found block by block as they are asked
/// for; keys, escapes and short values that share a block share its mask.
pub(crate) struct Stops<'a> {
    line: &'a [u8],
    /// Number of the block of which `mask` speaks.
    block: usize,
    mask: u64,
}

impl<'a> Stops<'a> {
    pub fn new(line: &'a [u8]) -> Self {
        let mut stops = Self { line, block: 0, mask: 0 };
        stops.load(0);
        stops
    }

    pub fn line(&self) -> &'a [u8] {
        self.line
    }

    /// First offset from `at` on that holds a stop, else the line's length.
    #[inline]
    pub fn next(&mut self, at: usize) -> usize {
        let block = at / 64;
        if block != self.block {
            self.load(block);
        }
        let rest = self.mask >> (at % 64);
        if rest != 0 {
            return at + rest.trailing_zeros() as usize;
        }
        while (self.block + 1) * 64 < self.line.len() {
            self.load(self.block + 1);
            if self.mask != 0 {
                return self.block * 64 + self.mask.trailing_zeros() as usize;
            }
        }
        self.line.len()
    }

    #[inline]
    fn load(&mut self, block: usize) {
        self.block = block;
        let rest = self.line.get(block * 64..).unwrap_or_default();
        self.mask = match rest.first_chunk::<64>() {
            Some(whole) => mask(whole),
            None => {
                // Spaces stop nothing.
                let mut padded = [b' '; 64];
                padded[..rest.len()].copy_from_slice(rest);
                mask(&padded)
            }
        };
    }
}

/// Bit `i` tells whether byte `i` is a stop.
#[inline(always)]
fn mask(block: &[u8; 64]) -> u64 {
    // The compares are independent, so that the compiler makes vectors of them on every target; each
    // leaves its own bit of eight, and one product gathers eight bytes into one.
    let mut bits = [0u8; 64];
    for (index, (bit, &byte)) in bits.iter_mut().zip(block).enumerate() {
        let stop = (byte == b'"') | (byte == b'\\') | (byte < 0x20);
        *bit = u8::from(stop).wrapping_neg() & (1 << (index % 8));
    }
    let (words, _) = bits.as_chunks::<8>();
    let gather = |word: &[u8; 8]| u64::from_le_bytes(*word).wrapping_mul(u64::MAX / 255) >> 56;
    words.iter().rev().fold(0, |mask, word| mask << 8 | gather(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_stop(byte: u8) -> bool {
        matches!(byte, b'"' | b'\\' | 0..0x20)
    }

    proptest! {
        #[test]
        fn a_mask_is_the_definition(bytes in prop::collection::vec(any::<u8>(), 64), near: bool) {
            let mut block = [0; 64];
            for (to, byte) in block.iter_mut().zip(bytes) {
                *to = if near { [0x1f, 0x20, b'"', b'\\', 0x7f, 0x80, 0xff, 0x9f][byte as usize % 8] } else { byte };
            }
            let expected = (0..64).fold(0, |mask, i| mask | u64::from(is_stop(block[i])) << i);
            prop_assert_eq!(mask(&block), expected);
        }

        #[test]
        fn next_is_the_definition(line in prop::collection::vec(prop_oneof![9 => Just(b'a'), 1 => any::<u8>()], 0..300)) {
            let mut stops = Stops::new(&line);
            for at in 0..=line.len() {
                let expected = (at..line.len()).find(|&i| is_stop(line[i])).unwrap_or(line.len());
                prop_assert_eq!(stops.next(at), expected);
                // Going back is allowed: the block is loaded again.
                prop_assert!(stops.next(0) <= expected);
            }
        }
    }
}
