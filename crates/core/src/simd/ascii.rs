//! Lower case and white-space collapse of ASCII, 64 bytes at a time.

use super::by_tier;

/// One block of 64 bytes.
pub type Block = [u8; 64];

/// What a tier must do to a block.
trait Kernel: Copy {
    /// Writes the block to `out`, in lower case if `lower`, white space as spaces if `collapse`; gives
    /// the masks of white space and of bytes that are not ASCII, where `out` is of no use.
    fn convert(self, block: &Block, lower: bool, collapse: bool, out: &mut Block) -> (u64, u64);
    /// Moves the bytes named by `keep` to the front.
    fn squeeze(self, block: &mut Block, keep: u64);
}

by_tier! {
    /// Normalises ASCII up to the end or, since that may be joined, up to the character before the first byte
    /// that is not ASCII; gives bytes read, written.
    ///
    /// `blank`: white
    /// space at this place would be dropped; it is carried from call to call. A space at the very end
    /// is left to the caller. `out` must be as long as `text` and 64 bytes more.
    pub fn normalize(
        text: &[u8],
        lower: bool,
        collapse: bool,
        blank: &mut bool,
        out: &mut [u8],
    ) -> (usize, usize) = blocks, scalar: Scalar, avx2: super::proof::Avx2::here(),
        avx512: super::proof::Avx512::here(), neon: super::proof::Neon::here()
}

/// What Python's `str.isspace` accepts of ASCII.
#[inline]
pub fn is_space(b: u8) -> bool {
    matches!(b, 0x09..=0x0D | 0x1C..=0x20)
}

#[inline(always)]
fn blocks<K: Kernel>(
    text: &[u8],
    lower: bool,
    collapse: bool,
    blank: &mut bool,
    out: &mut [u8],
    kernel: K,
) -> (usize, usize) {
    let (mut used, mut made) = (0, 0);
    while used < text.len() {
        let rest = &text[used..];
        let Some(room) = out.get_mut(made..).and_then(|out| out.first_chunk_mut::<64>()) else {
            break;
        };
        let mut last = [0; 64];
        let (block, len) = match rest.first_chunk::<64>() {
            Some(block) => (block, 64),
            None => {
                last[..rest.len()].copy_from_slice(rest);
                (&last, rest.len())
            }
        };
        let (space, other) = kernel.convert(block, lower, collapse, room);
        let follows = rest.get(64).is_some_and(|b| !b.is_ascii());
        let ends = other != 0 || follows;
        let len = if ends { (other.trailing_zeros() as usize).saturating_sub(1) } else { len };
        if len == 0 {
            break;
        }
        let inside = u64::MAX >> (64 - len); // 1 <= len <= 64
        let mut keep = inside;
        if collapse {
            keep &= !(space & (space << 1 | u64::from(*blank)));
            *blank = space >> (len - 1) & 1 == 1;
            if keep != inside {
                kernel.squeeze(room, keep);
            }
        }
        used += len;
        made += keep.count_ones() as usize;
        if ends {
            break;
        }
    }
    (used, made)
}

/// Bit i: whether byte i passes. Flags of 0 or 1 are gathered, eight to a byte, by one product.
#[inline(always)]
pub fn mask(block: &Block, passes: impl Fn(u8) -> bool) -> u64 {
    let flags = block.map(|b| u8::from(passes(b)));
    let eights = flags.as_chunks::<8>().0.iter();
    let gather =
        |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.rev().fold(0, |mask, eight| mask << 8 | gather(eight))
}

/// The twin in plain Rust.
#[derive(Clone, Copy)]
struct Scalar;

impl Kernel for Scalar {
    #[inline(always)]
    fn convert(self, block: &Block, lower: bool, collapse: bool, out: &mut Block) -> (u64, u64) {
        *out = *block;
        if lower {
            out.make_ascii_lowercase();
        }
        if collapse {
            for b in out.iter_mut() {
                *b = if is_space(*b) { b' ' } else { *b };
            }
        }
        let other = if block.is_ascii() { 0 } else { mask(block, |b| !b.is_ascii()) };
        (mask(block, is_space), other)
    }

    #[inline(always)]
    fn squeeze(self, block: &mut Block, keep: u64) {
        squeeze(block, keep);
    }
}

#[inline(always)]
fn squeeze(block: &mut Block, keep: u64) {
    let mut to = 0;
    for i in 0..64 {
        block[to & 63] = block[i];
        to += (keep >> i & 1) as usize;
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "unaligned loads and stores; each block says why it is sound")]
mod x86;

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "unaligned loads and stores; each block says why it is sound")]
mod neon;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Tier;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_tier_gives_the_scalar_bytes(
            text in prop::collection::vec(prop_oneof![4 => 0u8..128, 3 => Just(b' '), 3 => b'A'..=b'z'], 0..300),
            odd in prop::option::of((0usize..300, 128u8..)),
            lower: bool, collapse: bool, start: bool,
        ) {
            let mut text = text;
            if let Some((at, b)) = odd && at < text.len() {
                text[at] = b;
            }
            let run = |tier| {
                let mut out = vec![0; text.len() + 64];
                let mut blank = start;
                let (used, made) = normalize(tier, &text, lower, collapse, &mut blank, &mut out);
                out.truncate(made);
                (used, out, blank)
            };
            let expected = run(Tier::SCALAR);
            for tier in Tier::available() {
                prop_assert_eq!(run(tier), expected.clone());
            }
            // And the scalar bytes are those of a plain loop.
            let mut plain = Vec::new();
            let mut blank = start;
            for &b in &text[..expected.0] {
                let b = if lower { b.to_ascii_lowercase() } else { b };
                if !(collapse && is_space(b)) {
                    plain.push(b);
                } else if !blank {
                    plain.push(b' ');
                }
                blank = is_space(b);
            }
            prop_assert_eq!(&expected.1, &plain);
            if text.is_ascii() {
                prop_assert_eq!(expected.0, text.len());
            }
        }
    }
}
