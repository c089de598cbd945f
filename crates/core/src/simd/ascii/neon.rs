//! Blocks of ASCII in registers of 128 bits.

use super::{Block, Kernel};
use crate::simd::neon::{bits, load, not_ascii, within};
use crate::simd::proof::Neon;
use std::arch::aarch64::*;

impl Kernel for Neon {
    #[inline(always)]
    fn convert(self, block: &Block, lower: bool, collapse: bool, out: &mut Block) -> (u64, u64) {
        // SAFETY: `self` shows that the machine has NEON.
        unsafe { convert(block, lower, collapse, out) }
    }

    #[inline(always)]
    fn squeeze(self, block: &mut Block, keep: u64) {
        // SAFETY: as above.
        unsafe { squeeze(block, keep) }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn convert(block: &Block, lower: bool, collapse: bool, out: &mut Block) -> (u64, u64) {
    let bytes = load(block);
    let space = bytes.map(|x| vorrq_u8(within(x, 9, 5), within(x, 0x1C, 5)));
    let outs = out.as_chunks_mut::<16>().0;
    for ((&x, &space), out) in bytes.iter().zip(&space).zip(outs) {
        let mut y = x;
        if lower {
            y = vaddq_u8(y, vandq_u8(within(x, b'A', 26), vdupq_n_u8(0x20)));
        }
        if collapse {
            y = vbslq_u8(space, vdupq_n_u8(0x20), y);
        }
        // SAFETY: there are 16 bytes; the store may be unaligned.
        unsafe { vst1q_u8(out.as_mut_ptr(), y) };
    }
    (bits(space), not_ascii(bytes))
}

/// For each mask of eight bytes the places of those that stay, one after the other, a byte each.
const PLACES: [u64; 256] = {
    let mut places = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut place, mut to) = (0, 0);
        while place < 8 {
            if mask >> place & 1 == 1 {
                places[mask] |= place << (8 * to);
                to += 1;
            }
            place += 1;
        }
        mask += 1;
    }
    places
};

/// Eight bytes at a time are moved together by a look-up; what follows them is written over by the next eight.
#[target_feature(enable = "neon")]
#[inline]
fn squeeze(block: &mut Block, keep: u64) {
    let mut to = 0;
    for (i, keep) in keep.to_le_bytes().into_iter().enumerate() {
        let eight = u64::from_le_bytes(block.as_chunks().0[i]);
        let places = PLACES[usize::from(keep)];
        let packed = vtbl1_u8(vcreate_u8(eight), vcreate_u8(places));
        // to <= 8 i: nothing is written over that is still to be read.
        if let Some(room) = block[to & 63..].first_chunk_mut() {
            *room = vget_lane_u64::<0>(vreinterpret_u64_u8(packed)).to_le_bytes();
        }
        to += keep.count_ones() as usize;
    }
}
