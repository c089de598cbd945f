//! Measures the text path: megabytes a second and nanoseconds a token, one thread.
//!
//! `text_speed FILE SHINGLE...`: each line of FILE is one text, `\n` in it written as `\\n` (make it with
//! `jq -r '.text | @json' docs.jsonl`, quotes and all: they cost nothing). Best rounds.

use std::time::Instant;

use neardup_core::simd::Tier;
use neardup_core::text::{Shingler, TextSpec};

const ROUNDS: usize = 9;

/// Seconds for all texts: the sum over slices of each slice's best round, so that a moment in which the
/// machine was busy with something else does not count.
fn best_of(texts: &[String], mut work: impl FnMut(&str)) -> f64 {
    let slice = |texts: &[String]| {
        let round = |_| {
            let start = Instant::now();
            texts.iter().for_each(|text| work(text));
            start.elapsed().as_secs_f64()
        };
        (0..ROUNDS).map(round).fold(f64::MAX, f64::min)
    };
    texts.chunks(texts.len().div_ceil(1000).max(1)).map(slice).sum()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = std::env::args().skip(1);
    let file = options.next().ok_or("usage: text_speed FILE SHINGLE...")?;
    let texts: Vec<String> =
        std::fs::read_to_string(&file)?.lines().map(|line| line.replace("\\n", "\n")).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("{file}: {} texts, {:.1} MB", texts.len(), bytes as f64 / 1e6);
    println!(
        "{:>8} {:>16} {:>9} {:>9} {:>9} {:>9}",
        "shingle", "tier", "MB/s", "ns/token", "norm", "tokens"
    );
    for shingle in options {
        let spec = TextSpec::parse("nfkc,casefold,collapse-space", &shingle, "xxh3")?;
        for tier in Tier::available() {
            let mut shingler = Shingler::with_tier(&spec, tier);
            let mut count = 0;
            let normalize = best_of(&texts, |text| {
                std::hint::black_box(shingler.normalize(text));
            });
            let best = best_of(&texts, |text| count += shingler.run(text).tokens);
            let tokens = count / ROUNDS;
            let each = |seconds: f64| seconds * 1e9 / tokens as f64;
            println!(
                "{shingle:>8} {:>16} {:9.0} {:9.2} {:9.2} {tokens:>9}",
                format!("{tier:?}"),
                bytes as f64 / 1e6 / best,
                each(best),
                each(normalize),
            );
        }
    }
    Ok(())
}
