//! What a list of normalisation steps makes of one code point, remembered page by page.
//!
//! A page of 256 answers is filled by the exact route when first needed.

use std::sync::OnceLock;

use icu_normalizer::DecomposingNormalizer;

use super::normalize::{Step, apply_all};
use super::tables::{JOINS, SPACE, is};

/// What the list makes of one code point: up to six bytes, their number, and flags; one word in all, so that it
/// is read and written at once.
#[derive(Clone, Copy, Default)]
pub struct Entry(pub [u8; 8]);

impl Entry {
    /// Bytes of the answer.
    #[inline]
    pub fn len(self) -> u8 {
        self.0[6]
    }

    /// The flags below.
    #[inline]
    pub fn flags(self) -> u8 {
        self.0[7]
    }

    /// What nothing can join, whatever it is.
    pub const END: Entry = Entry([0, 0, 0, 0, 0, 0, 0, START]);
}

/// Nothing that stands before can join it.
pub const START: u8 = 1;
/// The answer is one white-space character.
pub const BLANK: u8 = 1 << 1;
/// The answer is not in `bytes`: too long, or with white space among other characters.
pub const LONG: u8 = 1 << 2;
/// The answer depends on far neighbours: the whole text needs the exact route.
pub const EXACT: u8 = 1 << 3;

/// The answer is the character itself, not ASCII and not white space, and it is a start.
pub const PLAIN: u8 = 1 << 4;

/// The answers for 256 code points.
struct Page {
    /// Bit i: the flag PLAIN of entry i, where it takes less of the cache.
    plain: [u64; 4],
    entries: [Entry; 256],
}

/// Scratch strings of the exact route.
#[derive(Default)]
pub struct Scratch {
    /// Where the answer is.
    pub out: String,
    /// Where the step before last was.
    pub spare: String,
}

/// The remembered answers of one list of steps; shared by threads.
pub struct Pages {
    steps: Vec<Step>,
    pages: Box<[OnceLock<Box<Page>>]>,
}

impl Pages {
    /// No page yet.
    pub fn new(steps: &[Step]) -> Self {
        let pages = (0..0x11_0000 / 256).map(|_| OnceLock::new()).collect();
        Self { steps: steps.to_vec(), pages }
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    #[inline]
    fn page(&self, c: char) -> &Page {
        let page = c as usize >> 8;
        self.pages[page].get_or_init(|| self.fill(page as u32))
    }

    /// The answer for one character.
    #[inline]
    pub fn entry(&self, c: char) -> Entry {
        self.page(c).entries[c as usize & 0xFF]
    }

    /// Whether the answer has the flag PLAIN.
    #[inline]
    pub fn is_plain(&self, c: char) -> bool {
        let low = c as usize & 0xFF;
        self.page(c).plain[low >> 6] >> (low & 63) & 1 == 1
    }

    #[cold]
    fn fill(&self, page: u32) -> Box<Page> {
        let mut scratch = Scratch::default();
        let mut filled = Box::new(Page { plain: [0; 4], entries: [Entry::default(); 256] });
        for low in 0..256 {
            // Surrogates are no characters and are never asked for.
            if let Some(c) = char::from_u32(page << 8 | low) {
                let entry = self.ask(c, &mut scratch);
                let low = low as usize;
                filled.plain[low >> 6] |= u64::from(entry.flags() & PLAIN != 0) << (low & 63);
                filled.entries[low] = entry;
            }
        }
        filled
    }

    /// The exact route on one character.
    fn ask(&self, c: char, scratch: &mut Scratch) -> Entry {
        let composes = self.steps.iter().any(|s| s.composes());
        let mut text = String::from(c);
        let mut flags = START;
        for &step in &self.steps {
            if composes && !is_start(&text) {
                flags &= !START;
            }
            if step == Step::Lower && text.contains('Σ') {
                flags |= EXACT;
            }
            apply_all(&[step], &text, false, &mut scratch.out, &mut scratch.spare);
            text.clone_from(&scratch.out);
        }
        if composes && !is_start(&text) {
            flags &= !START;
        }
        let blanks = text.chars().filter(|&c| is(c, SPACE)).count();
        match (blanks, text.chars().count()) {
            (0, _) => {}
            (1, 1) => flags |= BLANK,
            _ => flags |= LONG,
        }
        if flags == START && !c.is_ascii() && text.chars().eq([c]) {
            flags |= PLAIN;
        }
        let mut entry = [0; 8];
        match entry[..6].get_mut(..text.len()) {
            Some(bytes) => bytes.copy_from_slice(text.as_bytes()),
            None => flags |= LONG,
        }
        entry[6..].copy_from_slice(&[text.len() as u8, flags]);
        Entry(entry)
    }
}

/// Whether nothing before this text can join it, under canonical and compatibility forms.
fn is_start(text: &str) -> bool {
    let first_stays = |form: DecomposingNormalizer| {
        form.as_borrowed().normalize(text).chars().next().is_some_and(|c| !is(c, JOINS))
    };
    let nfd = DecomposingNormalizer::new_nfd().static_to_owned();
    let nfkd = DecomposingNormalizer::new_nfkd().static_to_owned();
    first_stays(nfd) && first_stays(nfkd)
}
