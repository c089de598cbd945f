//! `byte`: bytes of the normalised UTF-8; a unit is the byte plus one, in 9 bits, so that none is zero.

use super::super::tables::{SPACE, is};
use super::{Cut, Unit};

/// Bytes of the normalised UTF-8.
pub const UNIT: Unit = Unit {
    name: "byte",
    cut: Cut::Numbers { width: 9, units, bytes: byte, show },
    by_line: false,
    collapse: false,
};

/// Appends the units of `text`; a text of white space only has none.
fn units(text: &str, _: bool, out: &mut Vec<u64>) {
    if !text.chars().all(|c| is(c, SPACE)) {
        out.extend(text.bytes().map(|b| u64::from(b) + 1));
    }
}

fn show(unit: u64) -> String {
    format!("{:02x}", unit - 1)
}

/// Appends the byte of a unit.
fn byte(unit: u64, out: &mut Vec<u8>) {
    out.push((unit - 1) as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_but_not_of_blanks() {
        let mut out = Vec::new();
        units(" \u{3000}\n", false, &mut out);
        assert!(out.is_empty());
        units(" é", false, &mut out);
        assert_eq!(out, [0x21, 0xC4, 0xAA]);
    }
}
