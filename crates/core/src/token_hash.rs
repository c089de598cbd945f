//! The hashes a token may have, by name: published ones, each held to its published vectors.
//!
//! Hashes of 32 bits are extended by zeros; of the 128 bits of MurmurHash3 x64 the first 64 are taken.

use std::hash::Hasher;

use siphasher::sip::SipHasher24;
use siphasher::sip128::{Hasher128, SipHasher24 as SipHasher128};
use twox_hash::{XxHash32, XxHash64};

use crate::hash;
use crate::{Error, Result};

/// The names, in the order in which messages list them.
pub const HASHES: [&str; 8] =
    ["xxh3", "xxh64", "xxh32", "murmur3_32", "murmur3_128", "fnv1a_32", "fnv1a_64", "siphash"];
/// Short names, and what they stand for.
pub const ALIASES: [(&str, &str); 2] = [("murmur3", "murmur3_128"), ("fnv1a", "fnv1a_64")];

/// What is hashed with a key to tell keys apart without telling anything of them.
const PROOF: &[u8] = b"neardup: which key";

/// A hash of tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TokenHash {
    /// XXH3-64.
    Xxh3,
    /// XXH64.
    Xxh64,
    /// XXH32.
    Xxh32,
    /// MurmurHash3 x86, 32 bits.
    Murmur32,
    /// MurmurHash3 x64, the first 64 of 128 bits.
    Murmur128,
    /// FNV-1a, 32 bits.
    Fnv32,
    /// FNV-1a, 64 bits.
    Fnv64,
    /// SipHash-2-4 (Aumasson and Bernstein 2012) with a secret key.
    Sip([u8; 16]),
}

impl TokenHash {
    /// The hash of a name; `siphash` needs a key, and no other takes one.
    pub fn parse(name: &str, key: Option<[u8; 16]>) -> Result<TokenHash> {
        let full = ALIASES.iter().find(|(short, _)| *short == name).map_or(name, |&(_, full)| full);
        let found = match (full, key) {
            ("siphash", Some(key)) => return Ok(TokenHash::Sip(key)),
            ("siphash", None) => {
                return Err(Error::argument(
                    "hash: siphash needs a secret key of 16 bytes; give a file that holds it as \
                     hash_key_file",
                ));
            }
            ("xxh3", _) => TokenHash::Xxh3,
            ("xxh64", _) => TokenHash::Xxh64,
            ("xxh32", _) => TokenHash::Xxh32,
            ("murmur3_32", _) => TokenHash::Murmur32,
            ("murmur3_128", _) => TokenHash::Murmur128,
            ("fnv1a_32", _) => TokenHash::Fnv32,
            ("fnv1a_64", _) => TokenHash::Fnv64,
            _ => {
                let names = HASHES.join(", ");
                return Err(Error::argument(format!(
                    "hash: {name:?} is none; write one of {names}"
                )));
            }
        };
        match key {
            None => Ok(found),
            Some(_) => Err(Error::argument(format!(
                "hash: {name} takes no key, and one was given; write siphash, or leave \
                 hash_key_file out"
            ))),
        }
    }

    /// The hash of a token's bytes.
    #[inline]
    pub fn token(self, bytes: &[u8]) -> u64 {
        match self {
            TokenHash::Xxh3 => hash::token(bytes),
            TokenHash::Xxh64 => XxHash64::oneshot(0, bytes),
            TokenHash::Xxh32 => XxHash32::oneshot(0, bytes).into(),
            // Reading from memory does not fail.
            TokenHash::Murmur32 => {
                murmur3::murmur3_32(&mut &*bytes, 0).map_or(0, |hash| hash.into())
            }
            TokenHash::Murmur128 => {
                murmur3::murmur3_x64_128(&mut &*bytes, 0).map_or(0, |hash| hash as u64)
            }
            TokenHash::Fnv32 => bytes
                .iter()
                .fold(0x811C_9DC5u32, |h, &b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
                .into(),
            TokenHash::Fnv64 => bytes.iter().fold(0xCBF2_9CE4_8422_2325, |h, &b| {
                (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3)
            }),
            TokenHash::Sip(key) => {
                let mut state = SipHasher24::new_with_key(&key);
                state.write(bytes);
                state.finish()
            }
        }
    }

    /// The digest by which equal texts are recognised: keyed if the hash is, else XXH3-128.
    pub fn digest(self, bytes: &[u8]) -> u128 {
        let TokenHash::Sip(key) = self else { return hash::digest(bytes) };
        let mut state = SipHasher128::new_with_key(&key);
        state.write(bytes);
        state.finish128().as_u128()
    }

    /// Whether it has a secret key.
    pub fn is_keyed(self) -> bool {
        matches!(self, TokenHash::Sip(_))
    }

    /// The name in an identity. Of a key it tells nothing but whether it is the same.
    pub fn identity(self) -> String {
        let name = match self {
            TokenHash::Xxh3 => "xxh3",
            TokenHash::Xxh64 => "xxh64",
            TokenHash::Xxh32 => "xxh32",
            TokenHash::Murmur32 => "murmur3_32",
            TokenHash::Murmur128 => "murmur3_128",
            TokenHash::Fnv32 => "fnv1a_32",
            TokenHash::Fnv64 => "fnv1a_64",
            TokenHash::Sip(_) => return format!("siphash:{:016x}", self.token(PROOF)),
        };
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, text: &[u8]) -> u64 {
        TokenHash::parse(name, None).unwrap().token(text)
    }

    /// Vectors of the xxHash specification, of FNV's authors, of SMHasher, and of the SipHash paper.
    #[test]
    fn published_vectors() {
        for (name, text, expected) in [
            ("xxh3", &b""[..], 0x2D06_8005_38D3_94C2),
            ("xxh64", b"", 0xEF46_DB37_51D8_E999),
            ("xxh64", b"abc", 0x44BC_2CF5_AD77_0999),
            ("xxh32", b"", 0x02CC_5D05),
            ("xxh32", b"abc", 0x32D1_53FF),
            ("murmur3_32", b"", 0),
            ("murmur3_32", b"test", 0xBA6B_D213),
            ("murmur3_32", b"Hello, world!", 0xC036_3E43),
            ("murmur3_32", b"The quick brown fox jumps over the lazy dog", 0x2E4F_F723),
            ("murmur3_128", b"The quick brown fox jumps over the lazy dog", 0xE34B_BC7B_BC07_1B6C),
            ("murmur3_128", b"", 0),
            ("fnv1a_32", b"", 0x811C_9DC5),
            ("fnv1a_32", b"a", 0xE40C_292C),
            ("fnv1a_32", b"foobar", 0xBF9C_F968),
            ("fnv1a_64", b"", 0xCBF2_9CE4_8422_2325),
            ("fnv1a_64", b"a", 0xAF63_DC4C_8601_EC8C),
            ("fnv1a_64", b"foobar", 0x8594_4171_F739_67E8),
        ] {
            assert_eq!(of(name, text), expected, "{name} {text:?}");
        }
        let key: [u8; 16] = std::array::from_fn(|i| i as u8);
        let sip = TokenHash::parse("siphash", Some(key)).unwrap();
        let message: Vec<u8> = (0..15).collect();
        assert_eq!(sip.token(&message), 0xA129_CA61_49BE_45E5);
        assert_eq!(sip.token(b""), 0x726F_DB47_DD0E_0E31);
    }

    #[test]
    fn names_aliases_and_keys() {
        for (short, full) in ALIASES {
            assert_eq!(of(short, b"token"), of(full, b"token"));
            assert_eq!(TokenHash::parse(short, None).unwrap().identity(), full);
        }
        for name in HASHES.into_iter().filter(|&name| name != "siphash") {
            assert_eq!(TokenHash::parse(name, None).unwrap().identity(), name);
            assert!(TokenHash::parse(name, Some([0; 16])).is_err());
        }
        assert!(TokenHash::parse("siphash", None).is_err());
        let [one, other] = [1, 2].map(|byte| TokenHash::Sip([byte; 16]));
        assert_ne!(one.identity(), other.identity());
        assert_ne!(one.digest(b"text"), other.digest(b"text"));
        assert!(!one.identity().contains("0101"));
    }
}
