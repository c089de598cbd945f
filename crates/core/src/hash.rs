//! 64-bit hashes of tokens, 128-bit digests of texts, and the bijective mixers between them.
//!
//! Tokens are hashed with XXH3-64 (published vectors in the tests). Integers are hashed as their eight
//! little-endian bytes under another XXH3 seed, so an integer is never the same token as a string.

use twox_hash::{XxHash3_64, XxHash3_128};

/// Domain seed of non-negative integer tokens; strings have seed 0.
const SEED_UNSIGNED: u64 = 1;
/// Domain seed of negative integer tokens, so that -1 and 2^64-1 differ.
const SEED_NEGATIVE: u64 = 2;

/// XXH3-64 of a token's UTF-8 bytes.
#[inline]
pub fn token(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Hash of a non-negative integer token.
#[inline]
pub fn unsigned(value: u64) -> u64 {
    XxHash3_64::oneshot_with_seed(SEED_UNSIGNED, &value.to_le_bytes())
}

/// Hash of a negative integer token.
#[inline]
pub fn negative(value: i64) -> u64 {
    XxHash3_64::oneshot_with_seed(SEED_NEGATIVE, &value.to_le_bytes())
}

/// XXH3-128: the digest by which exact duplicates are recognised and ties are broken.
#[inline]
pub fn digest(bytes: &[u8]) -> u128 {
    XxHash3_128::oneshot(bytes)
}

/// The SplitMix64 finaliser (Steele, Lea, Flood 2014; variant 13 of Stafford): a bijection of u64.
#[inline]
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The `i`-th output of the SplitMix64 generator seeded with `seed`: independent constants for seeded mixes.
#[inline]
pub const fn splitmix(seed: u64, i: u64) -> u64 {
    mix(seed.wrapping_add(0x9E37_79B9_7F4A_7C15u64.wrapping_mul(i.wrapping_add(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        assert_eq!(token(b""), 0x2D06_8005_38D3_94C2);
        assert_eq!(digest(b""), 0x99AA_06D3_0147_98D8_6001_C324_468D_497F);
    }

    #[test]
    fn integers_are_their_own_domain() {
        let same_bits = [token(&u64::MAX.to_le_bytes()), unsigned(u64::MAX), negative(-1)];
        assert!(
            same_bits[0] != same_bits[1]
                && same_bits[1] != same_bits[2]
                && same_bits[0] != same_bits[2]
        );
        assert_ne!(unsigned(1), unsigned((1 << 32) + 1));
    }
}
