//! Kernels for wide registers, each with a scalar twin that gives the same bits.
//!
//! The tier is chosen at run time and can be forced: tests run every available tier. Only this module
//! may hold `unsafe`; each block says why it is sound.

pub mod affine;
pub mod ascii;
pub mod circulant;
pub mod combine;
pub mod digits;
pub mod edges;
pub mod fast;
pub mod icws;
pub mod intersect;
pub mod lanes;
pub mod minima;
pub mod near;
#[cfg(target_arch = "aarch64")]
mod neon;
pub mod ones;
pub mod pick;
pub mod stops;
pub mod tokens;
pub mod universal;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Error, Result};

/// A set of instructions the kernels are written for; a value exists only where the machine has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Plain Rust.
    Scalar,
    /// 256-bit integer vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512-bit vectors with byte masks and 64-bit products (F, BW, DQ, VL, VBMI2).
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 128-bit vectors, which every machine of this architecture has.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// All levels of this architecture, plainest first.
const LEVELS: &[Level] = &[
    Level::Scalar,
    #[cfg(target_arch = "x86_64")]
    Level::Avx2,
    #[cfg(target_arch = "x86_64")]
    Level::Avx512,
    #[cfg(target_arch = "aarch64")]
    Level::Neon,
];

/// Place of the best level in [`LEVELS`], from 1; 0 until somebody asks.
static BEST: AtomicUsize = AtomicUsize::new(0);

impl Tier {
    /// Plain Rust: available everywhere.
    pub const SCALAR: Tier = Tier(Level::Scalar);

    /// The tiers this machine can run, plainest first.
    pub fn available() -> Vec<Tier> {
        #[allow(unused_mut, reason = "other architectures have one tier")]
        let mut tiers = vec![Tier::SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            use std::is_x86_feature_detected as has;
            if has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") {
                tiers.push(Tier(Level::Avx2));
                let wide = has!("avx512f") && has!("avx512bw") && has!("avx512dq");
                if wide && has!("avx512vl") && has!("avx512vbmi2") {
                    tiers.push(Tier(Level::Avx512));
                }
            }
        }
        #[cfg(target_arch = "aarch64")]
        tiers.push(Tier(Level::Neon));
        tiers
    }

    /// The best tier of this machine.
    pub fn best() -> Tier {
        let cached = BEST.load(Ordering::Relaxed);
        let tier = cached.checked_sub(1).and_then(|i| LEVELS.get(i)).map(|&level| Tier(level));
        tier.unwrap_or_else(|| {
            let best = Tier::available().pop().unwrap_or(Tier::SCALAR);
            best.limit();
            best
        })
    }

    /// Makes this the best tier of the process from now on, to measure what a lesser machine would take.
    pub fn limit(self) {
        let place = LEVELS.iter().position(|&level| level == self.0);
        BEST.store(place.map_or(0, |i| i + 1), Ordering::Relaxed);
    }

    /// The name by which tests and reports speak of it.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Level::Neon => "neon",
        }
    }

    /// The tier of that name, if this machine can run it.
    pub fn parse(name: &str) -> Result<Tier> {
        let tiers = Tier::available();
        tiers.iter().copied().find(|tier| tier.name() == name).ok_or_else(|| {
            let names: Vec<&str> = tiers.iter().map(|tier| tier.name()).collect();
            Error::argument(format!(
                "no tier {name:?} on this machine; it has {}",
                names.join(", ")
            ))
        })
    }
}

/// Proofs that the machine has the instructions: a value is made only inside functions compiled for them.
#[cfg(target_arch = "x86_64")]
mod proof {
    /// AVX2.
    #[derive(Clone, Copy)]
    pub struct Avx2(());

    /// AVX-512 F, BW and VBMI2.
    #[derive(Clone, Copy)]
    pub struct Avx512(());

    impl Avx2 {
        #[target_feature(enable = "avx2")]
        #[inline]
        pub fn here() -> Self {
            Self(())
        }
    }

    impl Avx512 {
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
        #[inline]
        pub fn here() -> Self {
            Self(())
        }
    }
}

/// The same where every function is compiled for them.
#[cfg(target_arch = "aarch64")]
mod proof {
    /// NEON.
    #[derive(Clone, Copy)]
    pub struct Neon(());

    impl Neon {
        #[inline]
        pub fn here() -> Self {
            const { assert!(cfg!(target_feature = "neon")) };
            Self(())
        }
    }
}

/// Defines `$name(tier, ...)`: the body `$body` compiled for each tier, chosen by `tier`.
///
/// With no arms the body itself is recompiled, and the compiler makes the vectors; with arms it gets a
/// kernel set written by hand as its last argument.
macro_rules! by_tier {
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:path
        $(, scalar: $s:expr, avx2: $a2:expr, avx512: $a5:expr, neon: $n:expr)?) => {
        $(#[$doc])*
        #[allow(unsafe_code, reason = "calls of functions compiled for more than the base machine")]
        $vis fn $name(tier: $crate::simd::Tier, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
            fn avx2($($arg: $ty),*) $(-> $ret)? {
                $body($($arg,)* $($a2)?)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2")]
            fn avx512($($arg: $ty),*) $(-> $ret)? {
                $body($($arg,)* $($a5)?)
            }
            match tier.0 {
                $crate::simd::Level::Scalar => $body($($arg,)* $($s)?),
                // SAFETY: a Tier of this level exists only where the machine has these features.
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Level::Avx2 => unsafe { avx2($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Level::Avx512 => unsafe { avx512($($arg),*) },
                #[cfg(target_arch = "aarch64")]
                $crate::simd::Level::Neon => $body($($arg,)* $($n)?),
            }
        }
    };
}
pub(crate) use by_tier;
