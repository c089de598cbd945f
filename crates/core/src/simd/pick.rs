//! Slots that are still empty: what belongs to them put together, and the answers put back.

use super::by_tier;

by_tier! {
    /// Puts `from[j]` of the slots that have the value `empty` one after the other into `into`, which has room for a
    /// vector more than there are slots; gives their number.
    pub fn pick(empty: u32, slots: &[u32], from: &[u32], into: &mut [u32]) -> usize =
        pick_body, scalar: Twin, avx2: Twin, avx512: super::proof::Avx512::here(), neon: Twin
}

by_tier! {
    /// Gives the values that [`pick`] would have taken back to the slots that have the value `empty`.
    pub fn place(empty: u32, values: &[u32], slots: &mut [u32]) =
        place_body, scalar: Twin, avx2: Twin, avx512: super::proof::Avx512::here(), neon: Twin
}

/// Lanes of the widest vector.
pub const LANES: usize = 16;

/// What a tier must do.
trait Kernel: Copy {
    /// See [`pick`].
    #[inline(always)]
    fn pick(self, empty: u32, slots: &[u32], from: &[u32], into: &mut [u32]) -> usize {
        let mut count = 0;
        for (&slot, &value) in slots.iter().zip(from) {
            if let Some(place) = into.get_mut(count) {
                *place = value;
            }
            count += usize::from(slot == empty);
        }
        count
    }

    /// See [`place`].
    #[inline(always)]
    fn place(self, empty: u32, values: &[u32], slots: &mut [u32]) {
        let mut count = 0;
        for slot in slots {
            let value = values.get(count).copied().unwrap_or(empty);
            count += usize::from(*slot == empty);
            *slot = if *slot == empty { value } else { *slot };
        }
    }
}

#[inline(always)]
fn pick_body<K: Kernel>(
    empty: u32,
    slots: &[u32],
    from: &[u32],
    into: &mut [u32],
    kernel: K,
) -> usize {
    kernel.pick(empty, slots, from, into)
}

#[inline(always)]
fn place_body<K: Kernel>(empty: u32, values: &[u32], slots: &mut [u32], kernel: K) {
    kernel.place(empty, values, slots)
}

/// The twin in plain Rust.
#[derive(Clone, Copy)]
struct Twin;

impl Kernel for Twin {}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "masked loads and stores within the slices")]
mod x86;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use crate::simd::Tier;

    #[test]
    fn what_is_picked_goes_back_to_its_place_in_every_tier() {
        for tier in Tier::available() {
            for n in (0..70).chain([127, 128, 130]) {
                let all: Vec<u32> = (0..n).map(|i| mix(i) as u32).collect();
                let slots: Vec<u32> =
                    all.iter().map(|&x| if x % 3 == 0 { u32::MAX } else { x }).collect();
                let wanted: Vec<u32> = all.iter().copied().filter(|x| x % 3 == 0).collect();
                let mut into = vec![7; all.len() + LANES];
                let count = pick(tier, u32::MAX, &slots, &all, &mut into);
                assert_eq!(into[..count], wanted, "{n} {tier:?}");
                let mut back = slots.clone();
                place(tier, u32::MAX, &into[..count], &mut back);
                assert_eq!(back, all, "{n} {tier:?}");
                let mut few = slots.clone();
                place(tier, u32::MAX, &[], &mut few);
                assert_eq!(few, slots, "{n} {tier:?}");
            }
        }
    }
}
