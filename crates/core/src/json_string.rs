//! Strings of JSON (RFC 8259 section 7) as they stand in raw bytes: where one ends, and what it says.

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

/// A byte at which a run of plain string contents stops.
fn stops(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

/// First offset from `at` on that holds a quote, a backslash or a control character.
///
/// Thirty-two bytes are asked at once without a branch between them, which the compiler turns into
/// vector compares on every target.
fn plain_until(line: &[u8], mut at: usize) -> usize {
    let (blocks, _) = line[at..].as_chunks::<32>();
    for block in blocks {
        if block.iter().fold(false, |hit, &byte| hit | stops(byte)) {
            break;
        }
        at += 32;
    }
    // Eight at a time from here: most keys and short values end within the first block.
    let (words, _) = line[at..].as_chunks::<8>();
    for word in words {
        let hits = stops_in(u64::from_le_bytes(*word));
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + line[at..].iter().position(|&byte| stops(byte)).unwrap_or(line.len() - at)
}

/// High bit of each byte that [`stops`]; exact for the lowest such byte, which is the one asked for.
fn stops_in(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let zero_bytes = |x: u64| x.wrapping_sub(ONES) & !x & HIGH;
    let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
    zero_bytes(word ^ (ONES * b'"' as u64)) | zero_bytes(word ^ (ONES * b'\\' as u64)) | control
}

/// The string whose opening quote stands just before `start`.
///
/// Escapes are checked for form, control characters are refused as RFC 8259 and Python do.
pub(crate) fn span(line: &[u8], start: usize) -> Result<Span, BadString> {
    let mut at = start;
    let mut escaped = false;
    loop {
        at = plain_until(line, at);
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
/// On a lone surrogate `out` keeps what came before it; the caller truncates.
pub(crate) fn unescape(contents: &[u8], out: &mut Vec<u8>) -> Result<(), LoneSurrogate> {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &contents[at..]) {
        let backslash = at + found;
        out.extend_from_slice(&contents[at..backslash]);
        let kind = contents.get(backslash + 1).copied().unwrap_or(b'\\');
        at = (backslash + 2).min(contents.len());
        match kind {
            b'b' => out.push(0x08),
            b'f' => out.push(0x0c),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let (character, length) =
                    code_point(contents, backslash).ok_or(LoneSurrogate { at: backslash })?;
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                at = backslash + length;
            }
            other => out.push(other),
        }
    }
    out.extend_from_slice(&contents[at..]);
    Ok(())
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
        let span = span(text.as_bytes(), 0).ok()?;
        let mut out = Vec::new();
        unescape(&text.as_bytes()[span.start..span.end], &mut out).ok()?;
        String::from_utf8(out).ok()
    }

    #[test]
    fn every_byte_value_stops_or_passes_at_every_place() {
        for byte in 0..=255u8 {
            for place in 0..80 {
                let mut line = vec![0xF0; 80];
                line[place] = byte;
                let expected = if stops(byte) { place } else { 80 };
                assert_eq!(plain_until(&line, 0), expected, "byte {byte} at {place}");
            }
        }
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
            assert_eq!(span(text.as_bytes(), 0), Err(BadString { at }), "{text}");
        }
    }
}
