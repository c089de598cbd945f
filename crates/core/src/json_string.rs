//! Strings of JSON (RFC 8259 section 7) as they stand in raw bytes: where one ends, and what it says.

use crate::json_stops::Stops;

/// Why the bytes after an opening quote are no JSON string; `at` is the offset of the offender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadString {
    pub at: usize,
}

/// A lone half of a surrogate pair: JSON can write it, no Unicode text can hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoneSurrogate {
    /// Offset of its backslash in the string's contents.
    pub at: usize,
}

/// A string found in a line: `line[start..end]` are its contents, without the quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: usize,
    pub end: usize,
    /// Whether the contents hold a backslash; without one they are the string.
    pub escaped: bool,
}

/// The string whose opening quote stands just before `start`.
///
/// Escapes are checked for form, control characters are refused as RFC 8259 and Python do.
pub(crate) fn span(stops: &mut Stops<'_>, start: usize) -> Result<Span, BadString> {
    let line = stops.line();
    let mut at = start;
    let mut escaped = false;
    loop {
        at = stops.next(at);
        match line.get(at) {
            Some(b'"') => return Ok(Span { start, end: at, escaped }),
            Some(b'\\') => {
                escaped = true;
                at = match line.get(at + 1) {
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at + 2,
                    Some(b'u') if hex4(line, at + 2).is_some() => at + 6,
                    _ => return Err(BadString { at }),
                };
            }
            _ => return Err(BadString { at }),
        }
    }
}

/// The four hexadecimal digits at `at`.
fn hex4(line: &[u8], at: usize) -> Option<u16> {
    let digits = line.get(at..at.checked_add(4)?)?;
    digits
        .iter()
        .try_fold(0u16, |value, &byte| Some(value << 4 | (byte as char).to_digit(16)? as u16))
}

/// Appends what `contents` (of a string [`span`] accepted) says to `out`.
///
/// On a lone surrogate `out` holds what came before it; the caller truncates.
pub(crate) fn unescape(contents: &[u8], out: &mut Vec<u8>) -> Result<(), LoneSurrogate> {
    let begin = out.len();
    // No escape is shorter than what it says.
    out.resize(begin + contents.len(), 0);
    let (said, outcome) = unescape_into(contents, &mut out[begin..]);
    out.truncate(begin + said);
    outcome
}

/// Writes what `contents` says into `out`, of the same length, and tells how much that is.
fn unescape_into(contents: &[u8], out: &mut [u8]) -> (usize, Result<(), LoneSurrogate>) {
    let mut stops = Stops::new(contents);
    let (mut from, mut to) = (0, 0);
    loop {
        let backslash = stops.next(from);
        copy_run(&contents[from..], &mut out[to..], backslash - from);
        to += backslash - from;
        let Some(&kind) = contents.get(backslash + 1) else { return (to, Ok(())) };
        from = backslash + 2;
        out[to] = match kind {
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let Some((character, length)) = code_point(contents, backslash) else {
                    return (to, Err(LoneSurrogate { at: backslash }));
                };
                to += character.encode_utf8(&mut out[to..]).len();
                from = backslash + length;
                continue;
            }
            other => other,
        };
        to += 1;
    }
}

/// Copies the first `count` bytes, in whole sixteens where there is room: runs between escapes are
/// short, and a call of memcpy costs more than they do.
#[inline]
fn copy_run(from: &[u8], to: &mut [u8], count: usize) {
    let rounded = count.next_multiple_of(16);
    if rounded <= 64 && rounded <= from.len() && rounded <= to.len() {
        let (from, _) = from[..rounded].as_chunks::<16>();
        let (to, _) = to[..rounded].as_chunks_mut::<16>();
        for (to, from) in to.iter_mut().zip(from) {
            *to = *from;
        }
    } else {
        to[..count].copy_from_slice(&from[..count]);
    }
}

/// The character that the `\uXXXX` at `at` writes, alone or with the one after it, and its length.
fn code_point(contents: &[u8], at: usize) -> Option<(char, usize)> {
    let first = hex4(contents, at + 2)?;
    if let Some(character) = char::from_u32(first.into()) {
        return Some((character, 6));
    }
    let rest = contents.get(at + 6..)?;
    let second = if rest.starts_with(b"\\u") { hex4(rest, 2)? } else { return None };
    let pair = char::decode_utf16([first, second]).next()?.ok()?;
    Some((pair, 12))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        let span = span(&mut Stops::new(text.as_bytes()), 0).ok()?;
        let mut out = Vec::new();
        unescape(&text.as_bytes()[span.start..span.end], &mut out).ok()?;
        String::from_utf8(out).ok()
    }

    #[test]
    fn escapes_say_what_rfc_8259_says() {
        assert_eq!(read(r#"a\"b\\c\/\b\f\n\r\t" "#).as_deref(), Some("a\"b\\c/\u{8}\u{c}\n\r\t"));
        assert_eq!(read(r#"\u00e9\u4E2D\ud83d\uDE00""#).as_deref(), Some("é中😀"));
        assert_eq!(read(r#"\u0000""#).as_deref(), Some("\0"));
        assert_eq!(read("\"").as_deref(), Some(""));
    }

    #[test]
    fn half_a_pair_is_named_with_its_place() {
        for text in [r"ab\ud800", r"ab\udc00\ud800", r"ab\ud800\n", r"ab\ud800\u0041", r"ab\ud800x"]
        {
            let mut out = Vec::new();
            assert_eq!(unescape(text.as_bytes(), &mut out), Err(LoneSurrogate { at: 2 }), "{text}");
        }
    }

    #[test]
    fn bad_forms_are_refused_where_they_stand() {
        for (text, at) in [
            ("abc", 3),
            (r#"a\x""#, 1),
            (r#"a\u12g4""#, 1),
            (r"a\u12", 1),
            ("a\tb\"", 1),
            ("a\\", 1),
        ] {
            assert_eq!(span(&mut Stops::new(text.as_bytes()), 0), Err(BadString { at }), "{text}");
        }
    }
}
