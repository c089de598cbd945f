//! Runs one kernel on made data a few times: `counted KERNEL [TIER]`, to be counted by callgrind.
//!
//! What is to be counted happens in functions named `counted_...`; everything else is preparation.

use std::hint::black_box;

use neardup_core::hash::mix;
use neardup_core::intersect;
use neardup_core::simd::Tier;
use neardup_core::sketch::{self, Params, Scratch, Sketch};
use neardup_core::text::{Shingler, TextSpec};

const ROUNDS: usize = 20;

#[inline(never)]
fn counted_text(shingler: &mut Shingler, text: &str) {
    for _ in 0..ROUNDS {
        black_box(shingler.run(black_box(text)));
    }
}

#[inline(never)]
fn counted_sketch(sketch: &dyn Sketch, scratch: &mut Scratch, hashes: &[u64], out: &mut [u32]) {
    for _ in 0..ROUNDS {
        sketch.sketch(black_box(hashes), scratch, out);
    }
}

#[inline(never)]
fn counted_intersect(a: &[u64], b: &[u64]) {
    for _ in 0..ROUNDS {
        black_box(intersect::at_least(black_box(a), black_box(b), 1));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let kernel = arguments.next().unwrap_or_default();
    if let Some(name) = arguments.next() {
        Tier::parse(&name)?.limit();
    }
    match kernel.as_str() {
        "text" => {
            // Words of 1 to 12 letters, some with capitals, a few with an accent.
            let word = |i: u64| {
                let letters = (0..1 + mix(i) % 12)
                    .map(|j| char::from(b"etaoinshrdluETA"[(mix(i ^ j << 32) % 15) as usize]));
                let accent = if mix(i) >> 32 & 63 == 0 { "é" } else { "" };
                letters.collect::<String>() + accent
            };
            let words: Vec<String> = (0..2000).map(|i| word(mix(i) % 700)).collect();
            let spec = TextSpec::parse("nfkc,casefold,collapse-space", "word:3", "xxh3")?;
            let mut shingler = Shingler::new(&spec);
            let text = words.join(" ");
            shingler.run(&text);
            counted_text(&mut shingler, &text);
        }
        "sketch" => {
            let hashes: Vec<u64> = (0..300).map(mix).collect();
            let params = Params { size: 128, seed: 42, rounds: None, tier: Tier::best() };
            let sketch = sketch::build("fast", params)?;
            let (mut scratch, mut out) = (Scratch::default(), vec![0; 128]);
            sketch.sketch(&hashes, &mut scratch, &mut out);
            counted_sketch(&*sketch, &mut scratch, &hashes, &mut out);
        }
        "intersect" => {
            let some = |skipped: u64| -> Vec<u64> {
                let mut kept: Vec<u64> = (0..1000).filter(|i| i % 20 != skipped).map(mix).collect();
                kept.sort_unstable();
                kept
            };
            let (a, b) = (some(3), some(7));
            intersect::at_least(&a, &b, 1);
            counted_intersect(&a, &b);
        }
        _ => return Err(format!("no kernel {kernel:?}; there are text, sketch, intersect").into()),
    }
    Ok(())
}
