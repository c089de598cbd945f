//! The direct fill of Fast Similarity Sketching: k-minimum values, every element tried in every slot.

use super::by_tier;
use super::fast::stage_base;

/// Slots whose numbers stay in registers while all elements pass.
const BLOCK: usize = 64;

by_tier! {
    /// `out[j] = min(out[j], base + (mul[j] * z + add[j] mod 2^32 >> shift))` over all `z`: k-minimum values.
    pub fn fill(zs: &[u32], mul: &[u32], add: &[u32], shift: u32, out: &mut [u32]) =
        fill_body, scalar: Twin, avx2: super::proof::Avx2::here(), avx512: super::proof::Avx512::here()
}

/// One number a slot, for the slots of a block.
type Slots = [u32; BLOCK];

/// What a tier must do.
trait Kernel: Copy {
    /// `best[j] = min(best[j], mul[j] * z + add[j])` over all `z`, for the first `used` `j` at least.
    #[inline(always)]
    fn minima(self, zs: &[u32], mul: &Slots, add: &Slots, best: &mut Slots, used: usize) {
        for ((&m, &a), best) in mul.iter().zip(add).zip(best).take(used) {
            *best = zs.iter().fold(*best, |best, &z| best.min(m.wrapping_mul(z).wrapping_add(a)));
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
    let base = stage_base(shift);
    for ((mul, add), out) in mul.chunks(BLOCK).zip(add.chunks(BLOCK)).zip(out.chunks_mut(BLOCK)) {
        let (mut m, mut a, mut best) = ([0; BLOCK], [0; BLOCK], [u32::MAX; BLOCK]);
        m[..mul.len()].copy_from_slice(mul);
        a[..add.len()].copy_from_slice(add);
        kernel.minima(zs, &m, &a, &mut best, out.len());
        for (o, b) in out.iter_mut().zip(best) {
            // u32::MAX means "no element": the very last value is given up for it
            *o = (*o).min((base | (b >> shift)).min(u32::MAX - 1));
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "loads and stores within arrays of one block")]
mod x86 {
    use super::{BLOCK, Kernel, Slots};
    use crate::simd::proof::{Avx2, Avx512};
    use std::arch::x86_64::*;

    /// Lanes of the widest vector.
    const LANES: usize = 16;

    impl Kernel for Avx2 {
        #[inline(always)]
        fn minima(self, zs: &[u32], mul: &Slots, add: &Slots, best: &mut Slots, used: usize) {
            for first in (0..used.min(BLOCK)).step_by(32) {
                // SAFETY: `self` shows that the machine has AVX2; 32 numbers from 0 or 32 are there.
                unsafe {
                    match used - first {
                        0..=8 => minima_avx2::<1>(zs, mul, add, best, first),
                        9..=16 => minima_avx2::<2>(zs, mul, add, best, first),
                        _ => minima_avx2::<4>(zs, mul, add, best, first),
                    }
                }
            }
        }
    }

    impl Kernel for Avx512 {
        #[inline(always)]
        fn minima(self, zs: &[u32], mul: &Slots, add: &Slots, best: &mut Slots, used: usize) {
            // SAFETY: `self` shows that the machine has AVX-512 F.
            unsafe {
                match used {
                    0..=16 => minima_avx512::<1>(zs, mul, add, best),
                    17..=32 => minima_avx512::<2>(zs, mul, add, best),
                    _ => minima_avx512::<4>(zs, mul, add, best),
                }
            }
        }
    }

    /// `N` vectors of eight slots from `first` on, which must be there, stay in registers while all elements pass.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn minima_avx2<const N: usize>(
        zs: &[u32],
        mul: &Slots,
        add: &Slots,
        best: &mut Slots,
        first: usize,
    ) {
        // SAFETY: the caller's word; loads and stores may be unaligned.
        unsafe {
            let load = |from: &Slots, i: usize| {
                _mm256_loadu_si256(from.as_ptr().add(first + 8 * i).cast::<__m256i>())
            };
            let m: [__m256i; N] = std::array::from_fn(|i| load(mul, i));
            let a: [__m256i; N] = std::array::from_fn(|i| load(add, i));
            let mut least: [__m256i; N] = std::array::from_fn(|i| load(best, i));
            for &z in zs {
                let z = _mm256_set1_epi32(z as i32);
                for i in 0..N {
                    let value = _mm256_add_epi32(_mm256_mullo_epi32(m[i], z), a[i]);
                    least[i] = _mm256_min_epu32(least[i], value);
                }
            }
            for (i, least) in least.into_iter().enumerate() {
                _mm256_storeu_si256(best.as_mut_ptr().add(first + 8 * i).cast(), least);
            }
        }
    }

    /// The same with vectors of sixteen, from slot 0 on.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn minima_avx512<const N: usize>(zs: &[u32], mul: &Slots, add: &Slots, best: &mut Slots) {
        const { assert!(N * LANES <= BLOCK) };
        // SAFETY: N vectors lie within a block, see above; loads and stores may be unaligned.
        unsafe {
            let load = |from: &Slots, i: usize| {
                _mm512_loadu_si512(from.as_ptr().add(LANES * i).cast::<__m512i>())
            };
            let m: [__m512i; N] = std::array::from_fn(|i| load(mul, i));
            let a: [__m512i; N] = std::array::from_fn(|i| load(add, i));
            let mut least: [__m512i; N] = std::array::from_fn(|i| load(best, i));
            for &z in zs {
                let z = _mm512_set1_epi32(z as i32);
                for i in 0..N {
                    let value = _mm512_add_epi32(_mm512_mullo_epi32(m[i], z), a[i]);
                    least[i] = _mm512_min_epu32(least[i], value);
                }
            }
            for (i, least) in least.into_iter().enumerate() {
                _mm512_storeu_si512(best.as_mut_ptr().add(LANES * i).cast(), least);
            }
        }
    }
}
