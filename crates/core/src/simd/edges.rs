//! Where runs of a class of ASCII characters begin and end: 64 bytes become a bit mask, its changes
//! are the edges (the idea of simdjson; Langdale and Lemire 2019, section 3.1).

use super::ascii::{self, Block, is_space};
use super::by_tier;

/// The class of characters a run is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Letters, digits and the low line.
    Word,
    /// What is not white space.
    Ink,
}

impl Class {
    /// Whether an ASCII byte belongs to the class.
    #[inline]
    pub fn has(self, b: u8) -> bool {
        match self {
            Class::Word => b.is_ascii_alphanumeric() || b == b'_',
            Class::Ink => !is_space(b),
        }
    }
}

/// A bounded list of edges: begin, end, begin, end ... as byte positions.
pub struct Edges {
    at: Box<[usize; Edges::ROOM]>,
    len: usize,
}

impl Default for Edges {
    fn default() -> Self {
        Self { at: Box::new([0; Self::ROOM]), len: 0 }
    }
}

impl Edges {
    const ROOM: usize = 2048;

    /// Whether a further block might not fit: the list must be emptied first.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len + 72 > Self::ROOM
    }

    /// Adds one edge; it is dropped if the list has no room at all, which [`Self::is_full`] tells before.
    #[inline]
    pub fn push(&mut self, at: usize) {
        if let Some(slot) = self.at.get_mut(self.len) {
            *slot = at;
            self.len += 1;
        }
    }

    /// The edges of complete runs.
    pub fn pairs(&self) -> &[[usize; 2]] {
        self.at[..self.len].as_chunks().0
    }

    /// Forgets everything.
    pub fn restart(&mut self) {
        self.len = 0;
    }

    /// Forgets complete runs; the beginning of an open one stays.
    pub fn clear(&mut self) {
        self.at[0] = self.at[self.len.saturating_sub(1)];
        self.len &= 1;
    }

    /// Adds `base + i` for each bit `i`.
    #[inline(always)]
    fn push_bits<K: Kernel>(&mut self, base: usize, bits: u64, kernel: K) {
        if let Some(slots) = self.at.get_mut(self.len..).and_then(|rest| rest.first_chunk_mut()) {
            kernel.spread(base, bits, slots);
            self.len += bits.count_ones() as usize;
        }
    }
}

/// What a tier must do.
trait Kernel: Copy {
    /// The masks of the class and of bytes that are not ASCII, where the first means nothing.
    fn mask(self, block: &Block, class: Class) -> (u64, u64);

    /// Writes `base + i` for each bit `i`, in order, and anything into the slots after them. Eight at a time,
    /// so that the number of rounds, unlike the number of bits, can be foreseen by the branch predictor.
    #[inline(always)]
    fn spread(self, base: usize, mut bits: u64, slots: &mut [usize; 64]) {
        let eights = slots.as_chunks_mut::<8>().0.iter_mut();
        for eight in eights.take(bits.count_ones().div_ceil(8) as usize) {
            for slot in eight {
                *slot = base + bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
            }
        }
    }
}

by_tier! {
    /// Adds the edges of ASCII from `from` on; gives the position reached.
    ///
    /// Stops before a byte that is not ASCII, at the end, or when `edges` is full. `open`: a run is open
    /// at this place.
    pub fn scan(
        text: &[u8],
        from: usize,
        class: Class,
        open: &mut bool,
        edges: &mut Edges,
    ) -> usize = blocks, scalar: Scalar, avx2: super::proof::Avx2::here(),
        avx512: super::proof::Avx512::here(), neon: super::proof::Neon::here()
}

#[inline(always)]
fn blocks<K: Kernel>(
    text: &[u8],
    from: usize,
    class: Class,
    open: &mut bool,
    edges: &mut Edges,
    kernel: K,
) -> usize {
    let mut at = from;
    let mut run = *open;
    while !edges.is_full() && at < text.len() {
        let mut last = [b' '; 64];
        let (block, len) = match text[at..].first_chunk::<64>() {
            Some(block) => (block, 64),
            None => {
                let rest = &text[at..];
                last[..rest.len()].copy_from_slice(rest);
                (&last, rest.len())
            }
        };
        let (mask, other) = kernel.mask(block, class);
        if other != 0 {
            // What comes after the ASCII bytes is as the last of them was: no edge.
            let count = other.trailing_zeros();
            let inside = !(u64::MAX << count);
            let changes = (mask ^ (mask << 1 | u64::from(run))) & inside;
            edges.push_bits(at, changes, kernel);
            run = if count == 0 { run } else { mask >> (count - 1) & 1 == 1 };
            at += count as usize;
            break;
        }
        edges.push_bits(at, mask ^ (mask << 1 | u64::from(run)), kernel);
        run = mask >> 63 == 1;
        at += len;
    }
    *open = run;
    at
}

/// The twin in plain Rust.
#[derive(Clone, Copy)]
struct Scalar;

impl Kernel for Scalar {
    #[inline(always)]
    fn mask(self, block: &Block, class: Class) -> (u64, u64) {
        let other = if block.is_ascii() { 0 } else { ascii::mask(block, |b| !b.is_ascii()) };
        (ascii::mask(block, |b| class.has(b)), other)
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "unaligned loads; each block says why it is sound")]
mod x86;

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "calls of functions compiled for NEON")]
mod neon;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Tier;
    use proptest::prelude::*;

    #[test]
    fn every_byte_has_its_class_in_every_tier() {
        for class in [Class::Word, Class::Ink] {
            for b in 0..128u8 {
                let expected: &[[usize; 2]] = if class.has(b) { &[[70, 71]] } else { &[] };
                let other = if class == Class::Word { b'-' } else { b' ' };
                let mut text = [other; 100];
                text[70] = b;
                for tier in Tier::available() {
                    let (mut open, mut edges) = (false, Edges::default());
                    assert_eq!(scan(tier, &text, 0, class, &mut open, &mut edges), 100);
                    assert_eq!(edges.pairs(), expected, "{class:?} {b} {tier:?}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn edges_are_those_of_a_plain_loop(text in "[a-c _!\t]{0,1500}", word: bool) {
            let class = if word { Class::Word } else { Class::Ink };
            let mut plain = Vec::new();
            let mut before = false;
            for (i, b) in text.bytes().enumerate() {
                if class.has(b) != before { plain.push(i); }
                before = class.has(b);
            }
            if before { plain.push(text.len()); }
            for tier in Tier::available() {
                let (mut at, mut open, mut edges, mut all) = (0, false, Edges::default(), Vec::new());
                while at < text.len() {
                    at = scan(tier, text.as_bytes(), at, class, &mut open, &mut edges);
                    all.extend_from_slice(edges.pairs().as_flattened());
                    edges.clear();
                }
                if open { all.extend([edges.at[0], text.len()]); }
                prop_assert_eq!(&all, &plain);
            }
        }
    }
}
