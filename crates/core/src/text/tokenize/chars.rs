//! `char`: code points; a unit is the code point plus one, in 21 bits, so that no unit is zero.

use super::super::tables::{SPACE, is};
use super::{Cut, Unit};

/// Code points.
pub const UNIT: Unit = Unit {
    name: "char",
    cut: Cut::Numbers { width: 21, units, bytes, show },
    by_line: false,
    collapse: true,
};

/// Appends the units of `text`; with `collapse`, of its text after `collapse-space`.
///
/// A text of white space only has none.
fn units(text: &str, collapse: bool, out: &mut Vec<u64>) {
    if !collapse {
        if text.is_ascii() {
            out.extend(text.bytes().map(|b| u64::from(b) + 1));
        } else {
            out.extend(text.chars().map(|c| u64::from(c) + 1));
        }
        if text.chars().all(|c| is(c, SPACE)) {
            out.clear();
        }
        return;
    }
    let mut gap = false;
    for c in text.chars() {
        if is(c, SPACE) {
            gap = !out.is_empty();
        } else {
            if gap {
                out.push(u64::from(' ') + 1);
            }
            out.push(u64::from(c) + 1);
            gap = false;
        }
    }
}

fn show(unit: u64) -> String {
    u32::try_from(unit - 1).ok().and_then(char::from_u32).map(String::from).unwrap_or_default()
}

/// Appends the bytes of a unit.
pub fn bytes(unit: u64, out: &mut Vec<u8>) {
    let c = u32::try_from(unit - 1).ok().and_then(char::from_u32);
    out.extend_from_slice(c.unwrap_or_default().encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collapses_or_takes_what_is_there() {
        for (text, collapse, expected) in [
            (" a \u{3000}字\n", true, "a 字"),
            (" a", false, " a"),
            ("é", false, "é"),
            (" \n", true, ""),
            (" \u{85}", false, ""),
        ] {
            let mut out = Vec::new();
            units(text, collapse, &mut out);
            let expected: Vec<u64> = expected.chars().map(|c| c as u64 + 1).collect();
            assert_eq!(out, expected, "{text:?}");
        }
    }
}
