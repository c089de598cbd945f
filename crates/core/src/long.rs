//! The signature of one long text, made by every thread and merged: a union's signature is the minimum of two.

use crate::parallel;
use crate::sketch::{EMPTY, Scratch, Sketch};
use crate::text::TextSpec;
use crate::text::long::{Walked, walk};
use crate::{Error, Result};

/// Distinct shingles that are counted at a time: 16 MB of them, and as much again when they meet.
const COUNTED: usize = 2 << 20;

/// One thread's share.
struct Part<'a> {
    sketch: Option<&'a dyn Sketch>,
    scratch: Scratch,
    piece: Vec<u32>,
    merged: Vec<u32>,
}

/// What a walk finds and the signature; none where the text must be read whole: see [`walk`], or the sketch
/// does not merge.
pub fn signature(
    text: &str,
    spec: &TextSpec,
    sketch: Option<&dyn Sketch>,
    threads: usize,
) -> Result<Option<(Walked, Vec<u32>)>> {
    if sketch.is_some_and(|sketch| !sketch.merges() || sketch.weighs_repeats()) {
        return Ok(None);
    }
    let size = sketch.map_or(0, Sketch::size);
    let start = |_| Part {
        sketch,
        scratch: Scratch::default(),
        piece: vec![EMPTY; size],
        merged: vec![EMPTY; size],
    };
    let mut parts: Vec<Part<'_>> = (0..parallel::threads(threads)).map(start).collect();
    let walked = walk(text, spec, &mut parts, |part, shingles| {
        if let Some(sketch) = part.sketch {
            sketch.sketch(shingles, &mut part.scratch, &mut part.piece);
            minimum(&mut part.merged, &part.piece);
        }
        Ok(())
    })?;
    let mut merged = vec![EMPTY; size];
    parts.iter().for_each(|part| minimum(&mut merged, &part.merged));
    Ok(walked.map(|walked| (walked, merged)))
}

fn minimum(least: &mut [u32], other: &[u32]) {
    least.iter_mut().zip(other).for_each(|(least, &other)| *least = other.min(*least));
}

/// Distinct shingles of a long text with so many tokens, a share of the hashes at a time.
pub fn distinct(text: &str, spec: &TextSpec, tokens: usize, threads: usize) -> Result<usize> {
    let shares = tokens.div_ceil(COUNTED) as u64;
    let mut count = 0;
    for share in 0..shares {
        let mut parts = vec![Vec::new(); parallel::threads(threads)];
        walk(text, spec, &mut parts, |found: &mut Vec<u64>, shingles| {
            // Shingles of few characters are no hashes, so they are mixed before they are shared out.
            let mine = shingles.iter().filter(|&&x| {
                let place = u128::from(crate::hash::mix(x)) * u128::from(shares);
                (place >> 64) as u64 == share
            });
            found.extend(mine);
            Ok(())
        })?
        .ok_or_else(|| Error::internal("a text that had pieces has none"))?;
        let mut all = parts.concat();
        all.sort_unstable();
        all.dedup();
        count += all.len();
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Tier;
    use crate::sketch::{Params, build};
    use crate::text::Shingler;

    #[test]
    fn as_the_plain_way_with_any_number_of_threads() {
        let text: String =
            (0..300_000u32).map(|i| format!("w{} ", i.wrapping_mul(i) % 40_009)).collect();
        let params = Params { size: 128, seed: 42, rounds: None, tier: Tier::best() };
        let sketch = build("fast", params).unwrap();
        for unit in ["word:3", "char:2"] {
            let spec = TextSpec::parse("nfkc,casefold,collapse-space", unit, "xxh3").unwrap();
            let mut shingler = Shingler::new(&spec);
            let mut expected = vec![0; 128];
            let document = shingler.run(&text);
            sketch.sketch(document.shingles, &mut Scratch::default(), &mut expected);
            let tokens = document.tokens;
            let count = shingler.set(&text).len();
            for threads in [1, 2, 3] {
                let (walked, found) =
                    signature(&text, &spec, Some(&*sketch), threads).unwrap().unwrap();
                assert_eq!((walked.tokens, &found), (tokens, &expected));
                for about in [tokens, 3 * COUNTED] {
                    assert_eq!(distinct(&text, &spec, about, threads), Ok(count));
                }
            }
            assert!(signature("too short", &spec, Some(&*sketch), 2).unwrap().is_none());
        }
    }
}
