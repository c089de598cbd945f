//! Measures the text path: megabytes a second and nanoseconds a token, one thread.
//!
//! `text_speed FILE SHINGLE...`: each line of FILE is one text, `\n` in it written as `\\n` (make it with
//! `jq -r '.text | @json' docs.jsonl`, quotes and all: they cost nothing). The best of seven rounds.

use std::time::Instant;

use neardup_core::simd::Tier;
use neardup_core::text::{Shingler, TextSpec};

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
            let (mut best, mut normalize, mut tokens) = (f64::MAX, f64::MAX, 0);
            for _ in 0..7 {
                let start = Instant::now();
                for text in &texts {
                    std::hint::black_box(shingler.normalize(text));
                }
                normalize = normalize.min(start.elapsed().as_secs_f64());
                let start = Instant::now();
                tokens = texts.iter().map(|text| shingler.run(text).tokens).sum();
                best = best.min(start.elapsed().as_secs_f64());
            }
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
