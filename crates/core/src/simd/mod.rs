//! Kernels compiled once per instruction set from one body, so that every tier gives the same bits.
//!
//! The body of a kernel is plain Rust over blocks that the compiler vectorises; each tier is the same body
//! under other target features. Nothing else in the crate is `unsafe` but memory maps.

pub mod fast;

use crate::{Error, Result};

/// An instruction set that a kernel may be compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// What every CPU of the target has.
    Scalar,
    /// x86-64 with AVX2, BMI1 and BMI2.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ, VL.
    Avx512,
}

impl Tier {
    /// The best tier that this CPU can run.
    pub fn detect() -> Tier {
        Tier::all().into_iter().rev().find(|t| t.available()).unwrap_or(Tier::Scalar)
    }

    /// Every tier this crate knows, worst first.
    pub fn all() -> [Tier; 3] {
        [Tier::Scalar, Tier::Avx2, Tier::Avx512]
    }

    /// Whether this CPU can run it.
    pub fn available(self) -> bool {
        match self {
            Tier::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
            }
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => {
                Tier::Avx2.available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The name under which tests and reports speak of it.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Scalar => "scalar",
            Tier::Avx2 => "avx2",
            Tier::Avx512 => "avx512",
        }
    }

    /// The tier of that name, refused where this CPU cannot run it.
    pub fn parse(name: &str) -> Result<Tier> {
        let found = Tier::all().into_iter().find(|t| t.name() == name);
        match found {
            Some(tier) if tier.available() => Ok(tier),
            Some(_) => Err(Error::argument(format!("this CPU cannot run the tier {name:?}"))),
            None => Err(Error::argument(format!(
                "unknown tier {name:?}; known are scalar, avx2, avx512"
            ))),
        }
    }
}

/// Compiles `body` once per tier and calls the one asked for.
///
/// A `Tier` other than `Scalar` reaches this point only through [`Tier::detect`] or [`Tier::parse`], which
/// checked the CPU; the debug assertion holds that.
macro_rules! per_tier {
    ($(#[$doc:meta])* $vis:vis fn $name:ident = $body:ident ( $($arg:ident : $ty:ty),* $(,)? )) => {
        $(#[$doc])*
        $vis fn $name(tier: $crate::simd::Tier, $($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2")]
            fn avx2($($arg: $ty),*) { $body($($arg),*) }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl")]
            fn avx512($($arg: $ty),*) { $body($($arg),*) }

            debug_assert!(tier.available());
            match tier {
                // SAFETY: `available` saw these features on this CPU before the tier could be made.
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Tier::Avx2 => unsafe { avx2($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Tier::Avx512 => unsafe { avx512($($arg),*) },
                _ => $body($($arg),*),
            }
        }
    };
}
pub(crate) use per_tier;
