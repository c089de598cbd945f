//! The direct fill of Fast Similarity Sketching: k-minimum values, every element tried in every slot.

use super::by_tier;
use super::fast::stage_base;

/// Slots whose numbers stay in registers while all elements pass.
const BLOCK: usize = 64;

by_tier! {
    /// `out[j] = min(out[j], base + (mul[j] * z + add[j] mod 2^32 >> shift))` over all `z`: k-minimum values.
    pub fn fill(zs: &[u32], mul: &[u32], add: &[u32], shift: u32, out: &mut [u32]) =
        fill_body, scalar: Twin, avx2: super::proof::Avx2::here(),
        avx512: super::proof::Avx512::here(), neon: super::proof::Neon::here()
}

/// One number a slot, for the slots of a block.
type Slots = [u32; BLOCK];

/// What a tier must do.
trait Kernel: Copy {
    /// The same for the first `used` slots of a block, and any number in the others.
    #[inline(always)]
    fn block(self, zs: &[u32], mul: &Slots, add: &Slots, shift: u32, out: &mut Slots, used: usize) {
        let base = stage_base(shift);
        for ((&m, &a), out) in mul.iter().zip(add).zip(out).take(used) {
            let least = |least: u32, &z: &u32| least.min(m.wrapping_mul(z).wrapping_add(a));
            // u32::MAX means "no element": the very last value is given up for it
            *out = (*out).min((base | zs.iter().fold(u32::MAX, least) >> shift).min(u32::MAX - 1));
        }
    }
}

/// The twin in plain Rust.
#[derive(Clone, Copy)]
struct Twin;

impl Kernel for Twin {}

#[inline(always)]
fn fill_body<K: Kernel>(
    zs: &[u32],
    mul: &[u32],
    add: &[u32],
    shift: u32,
    out: &mut [u32],
    kernel: K,
) {
    let (muls, mul) = mul.as_chunks::<BLOCK>();
    let (adds, add) = add.as_chunks::<BLOCK>();
    let (outs, out) = out.as_chunks_mut::<BLOCK>();
    for ((mul, add), out) in muls.iter().zip(adds).zip(outs) {
        kernel.block(zs, mul, add, shift, out, BLOCK);
    }
    if !out.is_empty() {
        let (mut m, mut a, mut o) = ([0; BLOCK], [0; BLOCK], [0; BLOCK]);
        m[..mul.len()].copy_from_slice(mul);
        a[..add.len()].copy_from_slice(add);
        o[..out.len()].copy_from_slice(out);
        kernel.block(zs, &m, &a, shift, &mut o, out.len());
        out.copy_from_slice(&o[..out.len()]);
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "loads and stores within arrays of one block")]
mod x86;

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "loads and stores within arrays of one block")]
mod neon;
