//! Measures the sketch: nanoseconds a set by size, rounds and tier, beside the exact variance of each choice.
//!
//! `sketch_speed [TIER]`: the table behind the choice of `ROUNDS` in docs/design.md. Best of many.

use std::time::Instant;

use neardup_core::hash::mix;
use neardup_core::simd::Tier;
use neardup_core::sketch::{self, Params, Scratch};

const SIZES: [usize; 15] =
    [4, 10, 16, 20, 24, 32, 50, 100, 200, 300, 400, 1000, 4000, 10_000, 100_000];
const ROUNDS: [u32; 7] = [0, 1, 2, 3, 4, 6, 16];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tiers = match std::env::args().nth(1) {
        Some(name) => vec![Tier::parse(&name)?],
        None => Tier::available(),
    };
    for size in [128, 256] {
        println!("k = {size}: variance as a multiple of MinHash's, by elements in the union");
        for m in SIZES {
            let rho = ROUNDS.map(|r| format!("{:>9.3}", sketch::fast::rho(size, m as u64, r)));
            println!("m={m:<7}{}", rho.concat());
        }
        for &tier in &tiers {
            println!("k = {size}, {}: ns a set, for rounds {ROUNDS:?}", tier.name());
            for n in SIZES {
                let hashes: Vec<u64> = (0..n as u64).map(mix).collect();
                let mut row = String::new();
                for rounds in ROUNDS {
                    let params = Params { size, seed: 42, rounds: Some(rounds), tier };
                    let sketch = sketch::build("fast", params)?;
                    let mut scratch = Scratch::default();
                    let mut out = vec![0; size];
                    let repeats = (100_000 / (n + 100)).max(1);
                    let mut best = f64::MAX;
                    for _ in 0..40 {
                        let start = Instant::now();
                        for _ in 0..repeats {
                            sketch.sketch(&hashes, &mut scratch, &mut out);
                            std::hint::black_box(&out);
                        }
                        best = best.min(start.elapsed().as_nanos() as f64 / repeats as f64);
                    }
                    row += &format!("{best:>9.0}");
                }
                println!("n={n:<7}{row}");
            }
        }
    }
    Ok(())
}
