//! Pass one: what is kept of each document while its text goes by. At most 300 bytes, never the text.

use crate::hash;
use crate::long::signature;
use crate::lsh::bands::{self, NO_KEY};
use crate::lsh::curve::Banding;
use crate::parallel;
use crate::sketch::{EMPTY, Scratch, Sketch};
use crate::text::long::{Walked, rows};
use crate::text::{Column, Input, Shingler, TextSpec};
use crate::{Error, Result};

/// What pass one keeps of the documents of a batch, one entry each.
#[derive(Default)]
pub struct Survey {
    /// Digest of the normalised text; of the raw bytes where there is no token. Equal means exact duplicate.
    pub digest: Vec<u128>,
    /// Digest of the raw text, which breaks ties.
    pub raw: Vec<u128>,
    /// Tokens of the text spec.
    pub tokens: Vec<u32>,
    /// Words of the normalised text, whatever the text spec counts.
    pub words: Vec<u32>,
    /// Bytes of the raw text.
    pub bytes: Vec<u64>,
    /// Band keys, a column a band; of a fingerprint its words of 64 bits, two slots a word.
    pub keys: Vec<Vec<u64>>,
    /// How many of the documents are short and Chinese.
    pub short_han: usize,
    /// How many have tokens, and none of their shingles is in the spec's fraction.
    pub unsampled: usize,
}

/// Marks digests of texts without a token, so that they never meet those of texts that have one.
const NO_TOKEN: u128 = 0x6e6f_2074_6f6b_656e_0000_0000_0000_0000;

/// Texts per piece of work that a thread takes.
const GRAIN: usize = 16;

/// Surveys the rows of a column; rows not `valid` get an entry that means nothing and no key. Without a sketch
/// only exact duplicates are surveyed.
pub fn survey(
    column: &Column<'_>,
    valid: Option<&[bool]>,
    spec: &TextSpec,
    sketch: Option<(&dyn Sketch, Banding)>,
    threads: usize,
) -> Result<Survey> {
    if valid.is_some_and(|valid| valid.len() != column.len()) {
        return Err(Error::argument("the validity mask must have one entry a row"));
    }
    let is_valid = |row: usize| valid.is_none_or(|valid| valid[row]);
    let mut long = Vec::new();
    for row in rows(column).filter(|&row| is_valid(row)) {
        let found = signature(column.text(row)?, spec, sketch.map(|(sketch, _)| sketch), threads)?;
        long.extend(found.map(|found| (row, found)));
    }
    let parts = parallel::map_chunks(column.len(), threads, GRAIN, |range| {
        let mut reader = Reader::new(spec, sketch);
        for row in range {
            let known = long.iter().find(|(long, _)| *long == row);
            match known {
                _ if !is_valid(row) => reader.skip(),
                None => reader.read(column.input(row)?),
                Some((_, (walked, signature))) => {
                    reader.signature.clone_from(signature);
                    let empty = signature.iter().all(|&slot| slot == EMPTY) && sketch.is_some();
                    reader.keep(column.text(row)?, *walked, empty);
                }
            }
        }
        Ok(reader.kept)
    })?;
    let mut whole = Reader::new(spec, sketch).kept;
    for part in parts {
        whole.digest.extend(part.digest);
        whole.raw.extend(part.raw);
        whole.tokens.extend(part.tokens);
        whole.words.extend(part.words);
        whole.bytes.extend(part.bytes);
        whole.short_han += part.short_han;
        whole.unsampled += part.unsampled;
        whole.keys.iter_mut().zip(part.keys).for_each(|(all, some)| all.extend(some));
    }
    Ok(whole)
}

/// Whether a text is short and Chinese: at most 40 Han characters, half or more of what is no space.
///
/// Bytes tell: characters from U+4000 to U+9FFF begin with one of six, and no other does.
fn is_short_han(text: &str) -> bool {
    const LONGEST: usize = 240; // bytes that 40 of them and as many others take
    if text.len() > LONGEST {
        return false;
    }
    let count = |is: fn(u8) -> bool| text.bytes().filter(|&b| is(b)).count();
    let han = count(|b| (0xE4..=0xE9).contains(&b));
    let ink = count(|b| b > b' ' && b & 0xC0 != 0x80);
    (2..=40).contains(&han) && 2 * han >= ink
}

/// One thread's share of the work.
struct Reader<'a> {
    spec: &'a TextSpec,
    shingler: Shingler,
    sketch: Option<(&'a dyn Sketch, Banding)>,
    scratch: Scratch,
    signature: Vec<u32>,
    kept: Survey,
}

impl<'a> Reader<'a> {
    fn new(spec: &'a TextSpec, sketch: Option<(&'a dyn Sketch, Banding)>) -> Self {
        let (size, bands) = sketch.map_or((0, 0), |(s, b)| (s.size(), b.bands));
        Self {
            spec,
            shingler: Shingler::new(spec),
            sketch,
            scratch: Scratch::default(),
            signature: vec![0; size],
            kept: Survey { keys: vec![Vec::new(); bands], ..Survey::default() },
        }
    }

    fn skip(&mut self) {
        let kept = &mut self.kept;
        kept.raw.push(0);
        kept.digest.push(0);
        kept.tokens.push(0);
        kept.words.push(0);
        kept.bytes.push(0);
        kept.keys.iter_mut().for_each(|column| column.push(NO_KEY));
    }

    fn read(&mut self, input: Input<'_>) {
        let document = self.shingler.run(input);
        let (digest, tokens) = (self.spec.digest(document.normalized), document.tokens);
        let empty = document.shingles.is_empty();
        if let Some((sketch, _)) = self.sketch {
            sketch.sketch(document.shingles, &mut self.scratch, &mut self.signature);
        }
        let words = self.shingler.words();
        self.keep(input.text, Walked { digest, tokens, words }, empty);
    }

    /// Keeps what is known of a text, and the keys of `signature`, unless it has no shingle.
    fn keep(&mut self, text: &str, Walked { digest, tokens, words }: Walked, empty: bool) {
        let kept = &mut self.kept;
        let raw = hash::digest(text.as_bytes());
        kept.raw.push(raw);
        kept.digest.push(if tokens == 0 { raw ^ NO_TOKEN } else { digest });
        kept.tokens.push(u32::try_from(tokens).unwrap_or(u32::MAX));
        kept.words.push(u32::try_from(words).unwrap_or(u32::MAX));
        kept.bytes.push(text.len() as u64);
        kept.short_han += usize::from(is_short_han(text));
        kept.unsampled += usize::from(tokens > 0 && empty);
        if let Some((sketch, banding)) = self.sketch {
            let slots = self.signature.chunks_exact(banding.rows);
            for (band, (column, slots)) in kept.keys.iter_mut().zip(slots).enumerate() {
                column.push(match slots {
                    _ if empty => NO_KEY,
                    [low, high] if sketch.fingerprint() => u64::from(*high) << 32 | u64::from(*low),
                    _ => bands::key(band, slots),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_chinese() {
        for (text, expected) in [
            ("这款耳机音质很好", true),
            ("加V信：abc一二三", true),
            ("a long English sentence with 汉字", false),
            ("字", false),
            ("ascii", false),
            ("", false),
            ("ラーメンが好き", false),
        ] {
            assert_eq!(is_short_han(text), expected, "{text}");
        }
        assert!(is_short_han(&"字".repeat(40)) && !is_short_han(&"字".repeat(41)));
    }
}
