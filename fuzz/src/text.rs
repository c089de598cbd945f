//! The text path: every tier, the exact route and the plain definitions give one answer.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use neardup_core::hash;
use neardup_core::simd::{Tier, combine};
use neardup_core::sketch::{self, Params, REGISTRY, Scratch};
use neardup_core::text::normalize::{apply_all, parse};
use neardup_core::text::tables::{SPACE, is};
use neardup_core::text::{Shingler, TextSpec};

/// Steps, and whether they hold what the fast route cannot do.
const NORMALIZE: [&str; 9] = [
    "nfkc,casefold,collapse-space",
    "none",
    "lower",
    "nfkc,casefold,remove-space",
    "strip-accents,remove-punct,collapse-space",
    "nfc,lower,mask-digits",
    "strip-invisible,nfc,remove-digits",
    "collapse-space",
    "nfkc,casefold,remove-symbols,t2s,pinyin",
];
const UNITS: [&str; 5] = ["word", "whitespace", "char", "byte", "line"];
const SIZES: [usize; 6] = [1, 2, 3, 5, 8, 40];

/// Takes two bytes as a choice of spec and sketch, the rest as a text.
pub fn run(data: &[u8]) {
    let Some((&[list, cut], text)) = data.split_first_chunk::<2>() else { return };
    let text = String::from_utf8_lossy(text);
    let sketch = REGISTRY[list as usize / NORMALIZE.len() % REGISTRY.len()].0;
    let list = NORMALIZE[list as usize % NORMALIZE.len()];
    let (unit, size) = (cut as usize % UNITS.len(), cut as usize / UNITS.len() % SIZES.len());
    let (unit, size) = (UNITS[unit], SIZES[size]);
    let spec = spec(list, unit, size);
    let mut answers = Tier::available().into_iter().map(|tier| answer(&spec, sketch, tier, &text));
    let first = answers.next().expect("the plain tier");
    for other in answers {
        assert_eq!(first, other, "tiers differ");
    }
    let steps = parse(list).expect("a list");
    let (mut exact, mut spare) = (String::new(), String::new());
    apply_all(&steps, &text, unit == "line", &mut exact, &mut spare);
    assert_eq!(first.normalized, exact, "the routes differ");
    define(&first, unit, size);
}

/// A spec, made once: it remembers what characters become, which takes longer than any text.
fn spec(list: &'static str, unit: &'static str, size: usize) -> TextSpec {
    static MADE: Mutex<BTreeMap<(&str, &str, usize), TextSpec>> = Mutex::new(BTreeMap::new());
    let parse = || TextSpec::parse(list, &format!("{unit}:{size}"), "xxh3").expect("a spec");
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry((list, unit, size)).or_insert_with(parse).clone()
}

/// All that a text becomes.
#[derive(PartialEq, Debug)]
struct Answer {
    normalized: String,
    tokens: Vec<String>,
    shingles: Vec<u64>,
    words: usize,
    numbers: Vec<u64>,
    set: Vec<u64>,
    signature: Vec<u32>,
}

fn answer(spec: &TextSpec, name: &str, tier: Tier, text: &str) -> Answer {
    let mut shingler = Shingler::with_tier(spec, tier);
    let document = shingler.run(text);
    let normalized = String::from_utf8(document.normalized.to_vec()).expect("UTF-8");
    let (count, shingles) = (document.tokens, document.shingles.to_vec());
    let (words, numbers) = (shingler.words(), shingler.numbers());
    let (tokens, set) = (shingler.tokens(text), shingler.set(text).to_vec());
    assert_eq!(tokens.len(), count);
    assert_eq!(shingler.normalize(text), normalized);
    // An odd size, so that no vector is full.
    let params = Params { size: 37, seed: 42, rounds: None, tier };
    let sketch = sketch::build(name, params).expect("a sketch");
    let (mut signature, mut again) = (vec![0; 37], vec![0; 37]);
    sketch.sketch(&set, &mut Scratch::default(), &mut signature);
    sketch.sketch(&shingles, &mut Scratch::default(), &mut again);
    assert!(signature == again || sketch.weighs_repeats(), "order and repeats matter");
    Answer { normalized, tokens, shingles, words, numbers, set, signature }
}

/// Holds tokens and shingles to their definitions.
fn define(answer: &Answer, unit: &str, size: usize) {
    let Answer { normalized, tokens, shingles, set, signature, .. } = answer;
    let n = size.min(tokens.len());
    assert_eq!(shingles.len(), if n == 0 { 0 } else { tokens.len() - n + 1 });
    assert!(set.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(signature.iter().all(|&slot| slot == u32::MAX), set.is_empty());
    let space = |c: char| is(c, SPACE);
    let defined: Vec<&str> = match unit {
        "whitespace" => normalized.split(space).filter(|part| !part.is_empty()).collect(),
        "line" => normalized
            .split('\n')
            .map(|l| l.trim_matches(space))
            .filter(|l| !l.is_empty())
            .collect(),
        "word" => tokens.iter().map(String::as_str).collect(),
        _ => return,
    };
    assert!(tokens.iter().eq(&defined));
    let hashes: Vec<u64> = defined.iter().map(|token| hash::token(token.as_bytes())).collect();
    let sum = |hashes: &[u64]| {
        let sum = |sum: u64, &h: &u64| sum.wrapping_mul(combine::BASE).wrapping_add(h);
        if let [one] = hashes { *one } else { hash::mix(hashes.iter().fold(0, sum)) }
    };
    assert!(n == 0 || shingles.iter().copied().eq(hashes.windows(n).map(sum)));
}
