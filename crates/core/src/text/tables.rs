//! Unicode classes of a code point by a two-stage table, made at build time (Unicode Standard, 5.1).

include!(concat!(env!("OUT_DIR"), "/classes.rs"));

/// The Unicode version of the tables here and of the ICU4X crates: part of a text spec's identity.
pub const UNICODE_VERSION: &str = "18.0";

/// Categories L, M, N and the low line.
pub const WORD: u16 = 1;
/// A word character of a script written without spaces: a token of its own.
pub const ALONE: u16 = 1 << 1;
/// Categories M.
pub const MARK: u16 = 1 << 2;
/// What Python's `str.isspace` accepts.
pub const SPACE: u16 = 1 << 3;
/// Categories P.
pub const PUNCT: u16 = 1 << 4;
/// Category Nd.
pub const DIGIT: u16 = 1 << 5;
/// Category Mn.
pub const NONSPACING: u16 = 1 << 6;
/// Category Cf, and the variation selectors.
pub const INVISIBLE: u16 = 1 << 7;
/// May be reordered before, or compose with, a character that stands before it.
pub const JOINS: u16 = 1 << 8;
/// A letter with case, for the rule of the final sigma.
pub const CASED: u16 = 1 << 9;
/// Skipped by the rule of the final sigma.
pub const IGNORABLE: u16 = 1 << 10;
/// Categories S.
pub const SYMBOL: u16 = 1 << 11;

/// The class bits of a character.
#[inline]
pub fn class(c: char) -> u16 {
    let c = c as usize;
    // A char is below 0x110000, so both look-ups are inside the tables.
    BLOCKS[usize::from(INDEX[c >> 8])][c & 0xFF]
}

/// Whether the character has one of the class bits.
#[inline]
pub fn is(c: char, bits: u16) -> bool {
    class(c) & bits != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_each_class() {
        for c in "aé_9²ⅷ字ー\u{301}ก".chars() {
            assert!(is(c, WORD), "{c:?}");
        }
        for c in " -。\u{200D}$\u{0}".chars() {
            assert!(!is(c, WORD), "{c:?}");
        }
        for c in "字々〇ひカกລកမ\u{E31}".chars() {
            assert!(is(c, ALONE), "{c:?}");
        }
        // The prolonged sound mark is of script Common; Khmer and Thai signs are no word characters.
        for c in "ー한a٣។฿".chars() {
            assert!(!is(c, ALONE), "{c:?}");
        }
        for c in "\u{301}\u{1161}\u{11A8}\u{9BE}".chars() {
            assert!(is(c, JOINS), "{c:?}");
        }
        assert!(is('\u{FE0F}', INVISIBLE) && is('\u{AD}', INVISIBLE) && is('\u{180F}', INVISIBLE));
        assert!(is('\u{1C}', SPACE) && is('\u{85}', SPACE) && !is('\u{200B}', SPACE));
        assert!(is('٣', DIGIT) && !is('²', DIGIT) && is('、', PUNCT) && is('_', PUNCT));
        assert!(is('\u{1171E}', NONSPACING));
    }

    /// A crate update that brings another Unicode version must change `UNICODE_VERSION` too.
    #[test]
    fn version_is_the_one_named() {
        let words = (0..0x11_0000).filter_map(char::from_u32).filter(|&c| is(c, WORD)).count();
        assert_eq!((UNICODE_VERSION, words), ("18.0", 163_000));
    }
}
