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
    // Tokens are short, and the crate's one-shot function takes some time to find that out.
    match bytes.len() {
        len @ 1..=3 => {
            short::tiny(bytes[0].into(), bytes[len / 2].into(), bytes[len - 1].into(), len as u64)
        }
        4..=16 => short::token(bytes),
        _ => XxHash3_64::oneshot(bytes),
    }
}

/// XXH3-64, seed 0, of 1 to 16 bytes (xxHash specification, "XXH3 algorithm, small inputs").
pub(crate) mod short {
    /// Differences of words of the default secret, by the lengths they serve.
    pub const FLIP_TINY: u64 = 0x396C_FEB8 ^ 0xBE4B_A423;
    pub const FLIP_SMALL: u64 = 0x1CAD_21F7_2C81_017C ^ 0xDB97_9083_E96D_D4DE;
    pub const FLIP_LOW: u64 = 0x1F67_B3B7_A4A4_4072 ^ 0x78E5_C0CC_4EE6_79CB;
    pub const FLIP_HIGH: u64 = 0x2172_FFCC_7DD0_5A82 ^ 0x8E24_43F7_7446_08B8;

    /// Factors of the finalisers, as the specification names them.
    pub const PRIME64_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
    pub const PRIME64_3: u64 = 0x1656_67B1_9E37_79F9;
    pub const PRIME_MX1: u64 = 0x1656_6791_9E37_79F9;
    pub const RRMXMX: u64 = 0x9FB2_1C65_1E98_DF25;

    /// 1 to 3 bytes, from the first, the middle and the last byte.
    #[inline(always)]
    pub fn tiny(first: u64, middle: u64, last: u64, len: u64) -> u64 {
        let mut h = (first << 16 | middle << 24 | last | len << 8) ^ FLIP_TINY;
        h = (h ^ h >> 33).wrapping_mul(PRIME64_2);
        h = (h ^ h >> 29).wrapping_mul(PRIME64_3);
        h ^ h >> 32
    }

    /// 4 to 8 bytes, from the first and the last four.
    #[inline(always)]
    pub fn small(first: u64, last: u64, len: u64) -> u64 {
        let mut h = (last | first << 32) ^ FLIP_SMALL;
        h ^= h.rotate_left(49) ^ h.rotate_left(24);
        h = h.wrapping_mul(RRMXMX);
        h = (h ^ (h >> 35).wrapping_add(len)).wrapping_mul(RRMXMX);
        h ^ h >> 28
    }

    /// The factors for 9 to 16 bytes, from the first and the last eight.
    #[inline(always)]
    pub fn keyed(first: u64, last: u64) -> (u64, u64) {
        (first ^ FLIP_LOW, last ^ FLIP_HIGH)
    }

    /// 9 to 16 bytes, from the factors and the two halves of their product, folded by xor.
    #[inline(always)]
    pub fn medium(low: u64, high: u64, folded: u64, len: u64) -> u64 {
        let mut h = len.wrapping_add(low.swap_bytes()).wrapping_add(high).wrapping_add(folded);
        h = (h ^ h >> 37).wrapping_mul(PRIME_MX1);
        h ^ h >> 32
    }

    /// 4 to 16 bytes; other lengths give 0.
    #[inline]
    pub fn token(bytes: &[u8]) -> u64 {
        let len = bytes.len() as u64;
        if let (9..=16, Some(first), Some(last)) =
            (len, bytes.first_chunk::<8>(), bytes.last_chunk::<8>())
        {
            let (low, high) = keyed(u64::from_le_bytes(*first), u64::from_le_bytes(*last));
            let product = u128::from(low) * u128::from(high);
            return medium(low, high, product as u64 ^ (product >> 64) as u64, len);
        }
        match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
            (Some(first), Some(last)) => {
                small(u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into(), len)
            }
            _ => 0,
        }
    }
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
    fn short_tokens_hash_as_the_crate_says() {
        let bytes: Vec<u8> = (0..4000u64).map(|i| splitmix(7, i) as u8).collect();
        for len in 0..=240 {
            for from in (0..3700).step_by(37) {
                let bytes = &bytes[from..from + len];
                assert_eq!(token(bytes), XxHash3_64::oneshot(bytes), "{len}");
            }
        }
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
