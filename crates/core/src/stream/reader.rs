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
}

impl Reader {
    /// A reader for a thread.
    pub fn new(spec: &TextSpec) -> Self {
        Self {
            shingler: Shingler::new(spec),
            scratch: Scratch::default(),
            signature: Vec::new(),
        }
    }

    /// Reads a text; `exact` keeps its shingle set, else its signature stands for it.
    pub fn read(&mut self, text: &str, sketch: &dyn Sketch, banding: Banding, exact: bool) -> Item {
        let document = self.shingler.run(text);
        if document.shingles.is_empty() {
            let content = Content::Blank(hash::digest(text.as_bytes()));
            return Item { keys: Vec::new(), content };
        }
        self.signature.resize(sketch.size(), 0);
        sketch.sketch(document.shingles, &mut self.scratch, &mut self.signature);
        let keys = bands::keys(&self.signature, banding);
        let keys = keys.into_iter().map(|key| (key >> 32) as u32).collect();
        let content = if exact {
            let mut set = document.shingles.to_vec();
            set.sort_unstable();
            set.dedup();
            Content::Set(set.into_boxed_slice())
        } else {
            Content::Signature(self.signature.as_slice().into())
        };
        Item { keys, content }
    }
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
