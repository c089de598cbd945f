//! One long text by every thread, piece by piece: neither its normalised form nor its shingles are ever held whole.
//!
//! A text may be cut before an ASCII letter that follows an ASCII space (a line end, where lines are units): no
//! step looks across that place, and no token of a unit that is cut by characters does. `collapse-space` would
//! drop the space at the end of a piece, so it is put back. Shingles across the cut are made of the units
//! carried over. What is made of a piece is merged in any order, so threads change nothing.

use twox_hash::xxhash3_128::Hasher;

use super::normalize::Step;
use super::tokenize::Cut;
use super::{Column, Shingler, TextSpec};
use crate::Result;
use crate::parallel;

/// Bytes from which a text is long.
pub const LONG: usize = 4 << 20;
/// Bytes of a piece, but for what is left until the next place to cut.
const PIECE: usize = 1 << 20;

/// What a walk finds out besides the shingles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walked {
    /// Digest of the normalised text.
    pub digest: u128,
    /// Tokens of the text spec.
    pub tokens: usize,
    /// Words of the normalised text.
    pub words: usize,
}

/// One thread's share: what cuts its pieces, and what the caller makes of them.
struct Worker<'a, T> {
    shingler: Shingler,
    tokens: usize,
    words: usize,
    kept: &'a mut T,
}

/// Shingles a text on as many threads as there are `workers`; `take` gets the shingles of a piece and its thread's
/// own worker. None if the spec cannot be cut, or the text has no place to cut or fewer units than a shingle.
pub fn walk<T: Send>(
    text: &str,
    spec: &TextSpec,
    workers: &mut [T],
    take: impl Fn(&mut T, &[u64]) -> Result<()> + Sync,
) -> Result<Option<Walked>> {
    walk_by(PIECE, text, spec, workers, take)
}

fn walk_by<T: Send>(
    length: usize,
    text: &str,
    spec: &TextSpec,
    workers: &mut [T],
    take: impl Fn(&mut T, &[u64]) -> Result<()> + Sync,
) -> Result<Option<Walked>> {
    let pieces = pieces(text, length, spec.unit.by_line);
    if !spec.has_pieces() || pieces.len() < 2 {
        return Ok(None);
    }
    let threads = workers.len();
    let start = |kept| Worker { shingler: Shingler::new(spec), tokens: 0, words: 0, kept };
    let mut workers: Vec<Worker<'_, T>> = workers.iter_mut().map(start).collect();
    let mut walked = Walked { digest: 0, tokens: 0, words: 0 };
    let mut digest = Hasher::new();
    let mut carried: Vec<u64> = Vec::new();
    let mut left = pieces.len();
    for wave in pieces.chunks(threads.max(1)) {
        left -= wave.len();
        let last = (left == 0).then(|| wave.len() - 1);
        let tasks = wave.iter().zip(&mut workers).enumerate();
        parallel::run(tasks, threads, |(i, (piece, worker))| {
            worker.tokens = worker.shingler.piece(piece, last != Some(i));
            worker.words = worker.shingler.words();
            Ok(())
        })?;
        for worker in workers.iter_mut().take(wave.len()) {
            walked.tokens += worker.tokens;
            walked.words += worker.words;
            digest.write(worker.shingler.text.content());
            worker.shingler.carry(&mut carried);
        }
        let tasks = workers.iter_mut().take(wave.len());
        parallel::run(tasks, threads, |worker| {
            take(worker.kept, worker.shingler.shingles_of_piece())
        })?;
    }
    walked.digest = digest.finish_128();
    Ok((walked.tokens >= spec.size).then_some(walked))
}

impl TextSpec {
    /// Whether a text may be cut into pieces, and the pieces taken one by one.
    fn has_pieces(&self) -> bool {
        // Words on both sides of white space that is removed are one, and chunks have no place of their own;
        // a keyed digest is not made piece by piece.
        let joins = self.steps.contains(&Step::RemoveSpace) && self.unit.width().is_none();
        let whole = matches!(self.unit.cut, Cut::Chunks(_)) || self.hash.is_keyed();
        self.fast.is_some() && !self.collapse && !joins && !whole && self.tokenizer.is_none()
    }
}

impl Shingler {
    /// Normalises a piece and cuts it into units; gives their number. `more`: another piece follows.
    fn piece(&mut self, piece: &str, more: bool) -> usize {
        self.fill(piece);
        let collapses = self.spec.fast.as_ref().is_some_and(|fast| fast.collapses());
        if more && collapses && !self.text.content().is_empty() {
            self.text.push_str(" ");
        }
        self.cut(None);
        self.units.len()
    }

    /// Puts the units carried over before those of the piece, and takes the last ones along.
    fn carry(&mut self, carried: &mut Vec<u64>) {
        self.units.splice(0..0, carried.drain(..));
        let kept = self.units.len().min(self.spec.size - 1);
        carried.extend_from_slice(&self.units[self.units.len() - kept..]);
    }

    /// The shingles of the units carried over and those of the piece; none if they are too few for one.
    fn shingles_of_piece(&mut self) -> &[u64] {
        if self.units.len() < self.spec.size {
            return &[];
        }
        self.shingle();
        &self.units
    }
}

/// The rows of a column that are long.
pub fn rows(column: &Column<'_>) -> impl Iterator<Item = usize> {
    (0..column.len()).filter(|&row| column.get(row).is_ok_and(|text| text.len() >= LONG))
}

/// The text, cut where nothing looks across, every `length` bytes or soon after.
fn pieces(text: &str, length: usize, by_line: bool) -> Vec<&str> {
    let mut pieces = Vec::with_capacity(text.len() / length + 1);
    let mut rest = text;
    while let Some(at) = place(rest, length, by_line) {
        let (piece, after) = rest.split_at(at);
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// The first place to cut from `length` on, if there is one.
fn place(text: &str, length: usize, by_line: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_end = |b: u8| b == b'\n' || (b == b' ' && !by_line);
    let from = length.min(bytes.len());
    let found = bytes[from..].windows(2).position(|p| is_end(p[0]) && p[1].is_ascii_alphabetic());
    found.map(|i| from + i + 1)
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::*;
    use crate::hash;

    const LENGTH: usize = 1000;

    /// What a walk finds, in any order, and what it says.
    fn walked(text: &str, spec: &TextSpec, threads: usize) -> Option<(Walked, Vec<u64>)> {
        let mut workers = vec![Vec::new(); threads];
        let found = walk_by(LENGTH, text, spec, &mut workers, |kept: &mut Vec<u64>, shingles| {
            kept.extend_from_slice(shingles);
            Ok(())
        });
        let mut all = workers.concat();
        all.sort_unstable();
        found.unwrap().map(|walked| (walked, all))
    }

    #[test]
    fn pieces_give_what_the_whole_gives() {
        let line = "The Quick brown-fox, 12 ＡＢＣ e\u{301}t\u{200b} ﬁn ΟΔΟΣ (\u{3000}字字) jumps  over \n\nthe lazy dog. ";
        let mut text =
            "\u{200b}\u{ad}".repeat(LENGTH / 4) + " " + &line.repeat(3 * LENGTH / line.len());
        text.truncate(text.len() - 2);
        for normalize in
            ["nfkc,casefold,collapse-space", "strip-invisible,lower,collapse-space", "nfc", "none"]
        {
            for unit in ["word:3", "word:1", "whitespace:5", "char:2", "char:9", "byte:7", "line:2"]
            {
                let spec = TextSpec::parse(normalize, unit, "xxh3").unwrap();
                let mut shingler = Shingler::new(&spec);
                let document = shingler.run(&text);
                let digest = hash::digest(document.normalized);
                let tokens = document.tokens;
                let mut expected = document.shingles.to_vec();
                expected.sort_unstable();
                let words = shingler.words();
                for threads in [1, 2, 3] {
                    match walked(&text, &spec, threads) {
                        Some((found, shingles)) => {
                            assert_eq!(
                                found,
                                Walked { digest, tokens, words },
                                "{normalize} {unit}"
                            );
                            assert!(shingles == expected, "{normalize} {unit}");
                        }
                        None => assert!(spec.collapse, "{normalize} {unit}"),
                    }
                }
            }
        }
    }

    /// Options that change units and shingles hold for pieces too, or the text is read whole.
    #[test]
    fn pieces_obey_every_option() {
        let text =
            "The fishing boats of 微信 were closed, and ＡＢＣ harbours are fishing. ".repeat(200);
        let plain = Options {
            normalize: "nfkc,casefold,collapse-space",
            shingle: "word:2",
            hash: "xxh3",
            key: None,
            stopwords: None,
            stem: None,
            fraction: None,
            tokenizer: None,
        };
        let keyed = Options { hash: "siphash", key: Some([7; 16]), ..plain };
        for (options, has_pieces) in [
            (Options { stopwords: Some("en"), stem: Some("en"), ..plain }, true),
            (Options { fraction: Some(0.5), ..plain }, true),
            (Options { hash: "murmur3", ..plain }, true),
            (Options { hash: "murmur3", shingle: "byte:4", ..plain }, true),
            (Options { normalize: "nfkc,t2s,pinyin,remove-symbols", ..plain }, true),
            (Options { normalize: "nfkc,remove-space", shingle: "byte:3", ..plain }, true),
            (Options { normalize: "nfkc,remove-space", ..plain }, false),
            (Options { shingle: "chunk:256", ..plain }, false),
            (Options { tokenizer: Some("mine"), ..plain }, false),
            (keyed, false),
        ] {
            let spec = TextSpec::new(options).unwrap();
            let mut shingler = Shingler::new(&spec);
            let document = shingler.run(&text);
            let (digest, tokens) = (spec.digest(document.normalized), document.tokens);
            let mut expected = document.shingles.to_vec();
            expected.sort_unstable();
            let whole = (Walked { digest, tokens, words: shingler.words() }, expected);
            let found = walked(&text, &spec, 2);
            assert_eq!(found, has_pieces.then_some(whole), "{}", spec.identity());
        }
    }

    #[test]
    fn what_cannot_be_cut_is_left_to_the_plain_way() {
        let spec = TextSpec::parse("nfkc,casefold,collapse-space", "word:3", "xxh3").unwrap();
        assert!(walked(&"字".repeat(LENGTH), &spec, 2).is_none());
        assert!(walked("two words", &spec, 2).is_none());
        let few = format!("{} a", "x".repeat(2 * LENGTH));
        assert!(walked(&few, &spec, 2).is_none());
        let masked = TextSpec::parse("mask-digits", "word:3", "xxh3").unwrap();
        assert!(walked(&"a b ".repeat(LENGTH), &masked, 2).is_none());
    }
}
