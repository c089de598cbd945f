//! Measures sketches: nanoseconds a set by number of elements, k = 128. Best of many.
//!
//! `sketch_speed rounds [TIER]`: `fast` by rounds and tier, beside the exact variance of each choice: the table
//! behind the choice of `ROUNDS` in docs/design.md. `sketch_speed NAME,... [TIER]`: the sketches of those names
//! beside each other (`all`: every one), and as multiples of the first.

use std::time::Instant;

use neardup_core::hash::mix;
use neardup_core::simd::Tier;
use neardup_core::sketch::{self, Params, Scratch};

const SIZES: [usize; 15] =
    [4, 10, 16, 20, 24, 32, 50, 100, 200, 300, 400, 1000, 4000, 10_000, 100_000];
const ROUNDS: [u32; 7] = [0, 1, 2, 3, 4, 6, 16];

/// Sizes of sets in the comparison of sketches.
const LENGTHS: [usize; 6] = [4, 10, 30, 100, 1000, 10_000];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let what = words.next().unwrap_or("rounds".into());
    let tiers = match words.next() {
        Some(name) => vec![Tier::parse(&name)?],
        None => Tier::available(),
    };
    match what.as_str() {
        "rounds" => rounds(&tiers),
        "all" => {
            beside(&sketch::REGISTRY.iter().map(|&(name, _)| name).collect::<Vec<_>>(), &tiers)
        }
        names => beside(&names.split(',').collect::<Vec<_>>(), &tiers),
    }
}

/// Sketches of those names beside each other.
fn beside(names: &[&str], tiers: &[Tier]) -> Result<(), Box<dyn std::error::Error>> {
    for &tier in tiers {
        println!(
            "k = 128, {}: ns a set of {LENGTHS:?}, and as a multiple of {}",
            tier.name(),
            names[0]
        );
        let mut first = None;
        for name in names {
            let times = LENGTHS.map(|n| time(name, 128, n, None, tier));
            let times = times.into_iter().collect::<Result<Vec<f64>, _>>()?;
            let base = first.get_or_insert_with(|| times.clone());
            let ratios = times.iter().zip(base).map(|(t, b)| format!("{:>9.2}", t / *b));
            let ratios: String = ratios.collect();
            let times: String = times.iter().map(|t| format!("{t:>9.0}")).collect();
            println!("{name:<13}{times}   {ratios}");
        }
    }
    Ok(())
}

/// Nanoseconds that a sketch takes for a set of `n`.
fn time(
    name: &str,
    size: usize,
    n: usize,
    rounds: Option<u32>,
    tier: Tier,
) -> neardup_core::Result<f64> {
    let hashes: Vec<u64> = (0..n as u64).map(mix).collect();
    let sketch = sketch::build(name, Params { size, seed: 42, rounds, tier })?;
    let mut scratch = Scratch::default();
    let mut out = vec![0; size];
    let repeats = (100_000 / (n + 100)).max(1);
    let mut best = f64::MAX;
    let begin = Instant::now();
    for round in 0..40 {
        if round > 2 && begin.elapsed().as_secs_f64() > 0.7 {
            break; // a slow sketch
        }
        let start = Instant::now();
        for _ in 0..repeats {
            sketch.sketch(&hashes, &mut scratch, &mut out);
            std::hint::black_box(&out);
        }
        best = best.min(start.elapsed().as_nanos() as f64 / repeats as f64);
    }
    Ok(best)
}

/// The table of rounds.
fn rounds(tiers: &[Tier]) -> Result<(), Box<dyn std::error::Error>> {
    for size in [128, 256] {
        println!("k = {size}: variance as a multiple of MinHash's, by elements in the union");
        for m in SIZES {
            let rho = ROUNDS.map(|r| format!("{:>9.3}", sketch::fast::rho(size, m as u64, r)));
            println!("m={m:<7}{}", rho.concat());
        }
        for &tier in tiers {
            println!("k = {size}, {}: ns a set, for rounds {ROUNDS:?}", tier.name());
            for n in SIZES {
                let mut row = String::new();
                for rounds in ROUNDS {
                    row += &format!("{:>9.0}", time("fast", size, n, Some(rounds), tier)?);
                }
                println!("n={n:<7}{row}");
            }
        }
    }
    Ok(())
}
