//! What the NEON kernels share: a block of 64 bytes in four registers, and a mask of what is true of its bytes.

use super::ascii::Block;
use std::arch::aarch64::*;

/// The 64 bytes of a block.
pub type Bytes = [uint8x16_t; 4];

/// The bytes of a block.
#[target_feature(enable = "neon")]
#[inline]
#[allow(unsafe_code, reason = "unaligned loads")]
pub fn load(block: &Block) -> Bytes {
    // SAFETY: 16 bytes from 0, 16, 32 and 48 of a block of 64; the load may be unaligned.
    [0, 16, 32, 48].map(|from| unsafe { vld1q_u8(block.as_ptr().add(from)) })
}

/// Whether each byte is one of the `count` from `first` on.
#[target_feature(enable = "neon")]
#[inline]
pub fn within(x: uint8x16_t, first: u8, count: u8) -> uint8x16_t {
    vcltq_u8(vsubq_u8(x, vdupq_n_u8(first)), vdupq_n_u8(count))
}

/// Bit i: whether byte i, which is 0 or 255, is 255. There is no instruction for it: each byte keeps the bit of
/// its place among eight, and sums of neighbours bring eight together (as simdjson does).
#[target_feature(enable = "neon")]
#[inline]
pub fn bits(truth: Bytes) -> u64 {
    let places = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    let [a, b, c, d] = truth.map(|x| vandq_u8(x, places));
    let sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
}

/// Bit i: whether byte i is not ASCII, which is seldom so of any.
#[target_feature(enable = "neon")]
#[inline]
pub fn not_ascii(bytes: Bytes) -> u64 {
    let [a, b, c, d] = bytes;
    let any = vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d));
    if vmaxvq_u8(any) < 0x80 { 0 } else { bits(bytes.map(|x| vcgeq_u8(x, vdupq_n_u8(0x80)))) }
}
