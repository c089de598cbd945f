//! A text to what a stream keeps of it: band keys and content, in one pass with memory of one's own.

use super::store::Content;
use crate::lsh::bands;
use crate::lsh::curve::Banding;
use crate::parallel;
use crate::sketch::{Scratch, Sketch};
use crate::text::{Column, Shingler, TextSpec};
use crate::{Result, hash};

/// Texts per piece of work that a thread takes.
const GRAIN: usize = 16;

/// What is kept of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The upper half of each band key; none for a text without a token.
    pub keys: Vec<u32>,
    /// What is compared.
    pub content: Content,
}

/// Reads texts, one after the other.
pub struct Reader {
    shingler: Shingler,
    scratch: Scratch,
    signature: Vec<u32>,
    ends: Vec<u32>,
}

impl Reader {
    /// A reader for a thread.
    pub fn new(spec: &TextSpec) -> Self {
        Self {
            shingler: Shingler::new(spec),
            scratch: Scratch::default(),
            signature: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Reads a text; `exact` keeps its shingle set, else its signature stands for it.
    pub fn read(&mut self, text: &str, sketch: &dyn Sketch, banding: Banding, exact: bool) -> Item {
        let document = self.shingler.run(text);
        if document.shingles.is_empty() {
            // As in the survey: equal once normalised, unless there is no token at all.
            let same = if document.tokens == 0 { text.as_bytes() } else { document.normalized };
            let content = Content::Blank(hash::digest(same));
            return Item { keys: Vec::new(), content };
        }
        self.signature.resize(sketch.size(), 0);
        sketch.sketch(document.shingles, &mut self.scratch, &mut self.signature);
        let keys = bands::keys(&self.signature, banding);
        let keys = keys.into_iter().map(|key| (key >> 32) as u32).collect();
        let content = if exact {
            Content::Set(sorted(document.shingles, &mut self.ends))
        } else {
            Content::Signature(self.signature.as_slice().into())
        };
        Item { keys, content }
    }
}

/// Hashes in order, each once: scattered by their top bits into places of about two, then sorted within each. Since
/// hashes are uniform that is several times faster than sorting them as they are; if they are not, no slower.
fn sorted(hashes: &[u64], ends: &mut Vec<u32>) -> Box<[u64]> {
    let bits = (hashes.len() / 2).max(2).ilog2();
    let place = |hash: u64| (hash >> (64 - bits)) as usize;
    ends.clear();
    ends.resize((1 << bits) + 1, 0);
    hashes.iter().for_each(|&hash| ends[place(hash) + 1] += 1);
    for i in 1..ends.len() {
        ends[i] += ends[i - 1];
    }
    let mut set = vec![0; hashes.len()];
    for &hash in hashes {
        let next = &mut ends[place(hash)];
        set[*next as usize] = hash;
        *next += 1;
    }
    // Each place now tells its end.
    let mut start = 0;
    for &end in ends.iter() {
        set[start as usize..end as usize].sort_unstable();
        start = end;
    }
    set.dedup();
    set.into_boxed_slice()
}

/// Reads every text of a column.
pub fn read_all(
    column: &Column<'_>,
    spec: &TextSpec,
    sketch: &dyn Sketch,
    banding: Banding,
    exact: bool,
    threads: usize,
) -> Result<Vec<Item>> {
    let parts = parallel::map_chunks(column.len(), threads, GRAIN, |rows| {
        let mut reader = Reader::new(spec);
        let read = rows.map(|row| Ok(reader.read(column.text(row)?, sketch, banding, exact)));
        read.collect::<Result<Vec<Item>>>()
    })?;
    Ok(parts.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;

    #[test]
    fn sorted_is_what_sorting_gives() {
        let mut ends = Vec::new();
        for n in [1, 2, 3, 4, 5, 100, 1000] {
            for (range, shift) in [(u64::MAX, 0), (7, 0), (7, 61), (n, 0)] {
                let hashes: Vec<u64> = (0..n).map(|i| (splitmix(n, i) % range) << shift).collect();
                let expected: std::collections::BTreeSet<u64> = hashes.iter().copied().collect();
                assert!(sorted(&hashes, &mut ends).iter().eq(&expected));
            }
        }
    }
}
