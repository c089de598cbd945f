//! Writes the two-stage Unicode class table of `text/tables.rs` from the ICU4X property data.
//!
//! One `u16` of class bits per code point, 256 code points a block, equal blocks stored once.

use std::fmt::Write as _;
use std::{env, fs, path::Path};

use icu_normalizer::properties::{CanonicalCombiningClassMap, CanonicalDecomposition, Decomposed};
use icu_properties::props::{CaseIgnorable, Cased, Script, VariationSelector};
use icu_properties::props::{GeneralCategory as Gc, GeneralCategoryGroup as Group};
use icu_properties::{CodePointMapData, CodePointSetData};

// The bits, in the order of `text/tables.rs`.
const WORD: u16 = 1;
const ALONE: u16 = 1 << 1;
const MARK: u16 = 1 << 2;
const SPACE: u16 = 1 << 3;
const PUNCT: u16 = 1 << 4;
const DIGIT: u16 = 1 << 5;
const NONSPACING: u16 = 1 << 6;
const INVISIBLE: u16 = 1 << 7;
const JOINS: u16 = 1 << 8;
const CASED: u16 = 1 << 9;
const IGNORABLE: u16 = 1 << 10;
const SYMBOL: u16 = 1 << 11;

/// Scripts written without spaces: each of their word characters is a token of its own.
const ALONE_SCRIPTS: [Script; 7] = [
    Script::Han,
    Script::Hiragana,
    Script::Katakana,
    Script::Thai,
    Script::Lao,
    Script::Khmer,
    Script::Myanmar,
];

/// What Python's `str.isspace` accepts: bidirectional class WS, B or S, or category Zs.
fn is_space(c: u32) -> bool {
    matches!(c, 0x09..=0x0D | 0x1C..=0x20 | 0x85 | 0xA0 | 0x1680 | 0x2000..=0x200A)
        || matches!(c, 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000)
}

fn class(c: u32) -> u16 {
    // A class, once given, is kept, so that an answer does not depend on the year: U+1171E was Mn until
    // Unicode 15 and is Mc now, U+0295 was Ll and is Lo.
    let category = match c {
        0x1171E => Gc::NonspacingMark,
        0x0295 => Gc::LowercaseLetter,
        _ => CodePointMapData::<Gc>::new().get32(c),
    };
    let script = CodePointMapData::<Script>::new().get32(c);
    let word = Group::Letter.contains(category)
        || Group::Mark.contains(category)
        || Group::Number.contains(category)
        || c == u32::from('_');
    let invisible =
        category == Gc::Format || CodePointSetData::new::<VariationSelector>().contains32(c);
    let cased = c == 0x0295 || CodePointSetData::new::<Cased>().contains32(c);
    let ignorable = c == 0x1171E || CodePointSetData::new::<CaseIgnorable>().contains32(c);
    let mut bits = 0;
    for (bit, holds) in [
        (WORD, word),
        (ALONE, word && ALONE_SCRIPTS.contains(&script)),
        (MARK, Group::Mark.contains(category)),
        (SPACE, is_space(c)),
        (PUNCT, Group::Punctuation.contains(category)),
        (DIGIT, category == Gc::DecimalNumber),
        (NONSPACING, category == Gc::NonspacingMark),
        (INVISIBLE, invisible),
        (JOINS, CanonicalCombiningClassMap::new().get32_u8(c) != 0),
        (CASED, cased),
        (IGNORABLE, ignorable),
        (SYMBOL, Group::Symbol.contains(category)),
    ] {
        bits |= if holds { bit } else { 0 };
    }
    bits
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let mut classes: Vec<u16> = (0..0x11_0000).map(class).collect();
    // The second character of a canonical composite may join what stands before it.
    for c in (0..0x11_0000).filter_map(char::from_u32) {
        if let Decomposed::Expansion(_, second) = CanonicalDecomposition::new().decompose(c) {
            classes[second as usize] |= JOINS;
        }
    }
    let mut blocks: Vec<&[u16]> = Vec::new();
    let mut index = Vec::new();
    for block in classes.chunks(256) {
        let at = blocks.iter().position(|b| *b == block).unwrap_or_else(|| {
            blocks.push(block);
            blocks.len() - 1
        });
        index.push(u8::try_from(at)?);
    }
    let mut out = String::new();
    writeln!(out, "static INDEX: [u8; {}] = {index:?};", index.len())?;
    writeln!(out, "static BLOCKS: [[u16; 256]; {}] = {blocks:?};", blocks.len())?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("classes.rs"), out)?;
    Ok(())
}
