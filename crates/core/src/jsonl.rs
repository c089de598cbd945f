//! JSON Lines: finds the text of each raw line, checks the line, and leaves it alone.
//!
//! A block holds whole lines. A line ends with `\n`, to which one `\r` before it belongs; a line of
//! JSON white space only is no row. Everything comes back in flat vectors with offsets, the Arrow
//! LargeUtf8 layout, so that it crosses to another language without an object a row.

use crate::json_string::unescape;
use crate::json_walk::{Fault, Found, Walker};

/// What became of a row; the numbers are fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// The text was found.
    Ok = 0,
    /// A text field is not there.
    Missing = 1,
    /// A text field is `null`.
    Null = 2,
    /// A text field is something else than a string.
    NotString = 3,
    /// The line is not JSON.
    Malformed = 4,
    /// The line is not UTF-8.
    InvalidUtf8 = 5,
    /// A wanted field holds half a surrogate pair.
    LoneSurrogate = 6,
    /// The line is JSON but not an object.
    NotObject = 7,
    /// The line nests deeper than [`crate::json_walk::MAX_DEPTH`].
    TooDeep = 8,
}

/// What a carried value was in the line; the numbers are fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ValueKind {
    /// Not there, `null`, or in a row that cannot be read.
    None = 0,
    /// A string; its contents unescaped.
    String = 1,
    /// A number as written, `NaN` and the like included.
    Number = 2,
    /// `true`, `false`, an object or an array, as written.
    Other = 3,
}

/// Where the rows of a block stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Offset of each row's first byte.
    pub starts: Vec<u64>,
    /// Offset after its last byte, without the line ending.
    pub ends: Vec<u64>,
    /// Offset after its line ending: `ends` where the block stops without one.
    pub stops: Vec<u64>,
    /// Its physical line.
    pub numbers: Vec<u64>,
    /// Physical line after the block.
    pub next_line: u64,
    /// Bytes of the byte order mark before the first line, 0 or 3.
    pub mark: u64,
}

/// Strings of all rows in one buffer: row `i` is `data[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    /// UTF-8.
    pub data: Vec<u8>,
    /// One more than rows.
    pub offsets: Vec<i64>,
}

/// A value carried along with each row: an id, a field to keep by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// The values, empty where there is none.
    pub strings: Strings,
    /// [`ValueKind`] of each row.
    pub kinds: Vec<u8>,
}

/// The rows of a block, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where they stand.
    pub lines: Lines,
    /// [`Status`] of each row.
    pub status: Vec<u8>,
    /// Byte of the row, from 1, at which the status arose; 0 where it has no place.
    pub column: Vec<u64>,
    /// Number of the text field of which the status speaks, from 0.
    pub field: Vec<u32>,
    /// The texts; several fields are joined by a newline; empty for rows that are not ok.
    pub text: Strings,
    /// One for each carried path.
    pub values: Vec<Values>,
}

/// A path of keys from the outermost object to a field.
pub type Path = Vec<Vec<u8>>;

/// Finds the rows of `block` without reading them; `first_line` 1 is the start of the file, where a
/// byte order mark is skipped.
pub fn lines(block: &[u8], first_line: u64) -> Lines {
    let mut lines = Lines { next_line: first_line, ..Lines::default() };
    let mut start = 0;
    if first_line == 1 && block.starts_with(b"\xEF\xBB\xBF") {
        start = 3;
        lines.mark = 3;
    }
    let mut push = |start: usize, stop: usize, number: u64| {
        let line = &block[start..stop];
        let body = line.strip_suffix(b"\n").map(|l| l.strip_suffix(b"\r").unwrap_or(l));
        let body = body.unwrap_or(line);
        if body.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            return;
        }
        lines.starts.push(start as u64);
        lines.ends.push((start + body.len()) as u64);
        lines.stops.push(stop as u64);
        lines.numbers.push(number);
    };
    let mut number = first_line;
    for newline in memchr::memchr_iter(b'\n', block) {
        push(start, newline + 1, number);
        start = newline + 1;
        number += 1;
    }
    if start < block.len() {
        push(start, block.len(), number);
        number += 1;
    }
    lines.next_line = number;
    lines
}

/// Reads each row of `block`: checks it whole, takes the text at `texts` and the values at `carried`.
pub fn scan(block: &[u8], texts: &[Path], carried: &[Path], first_line: u64) -> Block {
    scan_rows(block, lines(block, first_line), texts, carried, None)
}

/// The same for the `wanted` rows only; the others are not looked at, their strings are empty. A row beyond
/// the mask is not wanted.
pub fn scan_wanted(
    block: &[u8],
    texts: &[Path],
    carried: &[Path],
    first_line: u64,
    wanted: &[bool],
) -> Block {
    scan_rows(block, lines(block, first_line), texts, carried, Some(wanted))
}

/// The same for rows that have been found already, of whatever shape; `lines` must lie in `block`.
pub(crate) fn scan_rows(
    block: &[u8],
    lines: Lines,
    texts: &[Path],
    carried: &[Path],
    wanted: Option<&[bool]>,
) -> Block {
    let rows = lines.starts.len();
    let mut reader = Reader {
        walker: Walker::new(texts.iter().chain(carried).cloned()),
        texts: texts.len(),
        // Asked once for the block: rows are asked one by one only where it has a fault, or where few are read.
        utf8: wanted.is_none() && simdutf8::basic::from_utf8(block).is_ok(),
    };
    let mut out = Block {
        status: Vec::with_capacity(rows),
        column: Vec::with_capacity(rows),
        field: Vec::with_capacity(rows),
        text: Strings::with_capacity(rows, if texts.is_empty() { 0 } else { block.len() }),
        values: carried.iter().map(|_| Values::with_capacity(rows)).collect(),
        lines,
    };
    for (row, (&start, &end)) in out.lines.starts.iter().zip(&out.lines.ends).enumerate() {
        if wanted.is_some_and(|wanted| wanted.get(row) != Some(&true)) {
            out.text.close();
            out.values.iter_mut().for_each(Values::close);
            out.status.push(Status::Ok as u8);
            out.column.push(0);
            out.field.push(0);
            continue;
        }
        let line = &block[start as usize..end as usize];
        let bad = reader.row(line, &mut out.text, &mut out.values).err();
        let bad = bad.unwrap_or(Bad { status: Status::Ok, at: None, field: 0 });
        out.status.push(bad.status as u8);
        out.column.push(bad.at.map_or(0, |at| at as u64 + 1));
        out.field.push(bad.field as u32);
    }
    out
}

/// Names of the fields of a line's outermost object, for messages.
pub fn field_names(line: &[u8]) -> Vec<String> {
    Walker::names(line)
}

struct Bad {
    status: Status,
    at: Option<usize>,
    field: usize,
}

impl From<Fault> for Bad {
    fn from(fault: Fault) -> Self {
        let (status, at) = match fault {
            Fault::Malformed(at) => (Status::Malformed, at),
            Fault::TooDeep(at) => (Status::TooDeep, at),
            Fault::NotObject(at) => (Status::NotObject, at),
        };
        Self { status, at: Some(at), field: 0 }
    }
}

struct Reader {
    walker: Walker,
    texts: usize,
    utf8: bool,
}

impl Reader {
    /// Reads one row and closes its strings; a bad row's are empty.
    fn row(&mut self, line: &[u8], text: &mut Strings, values: &mut [Values]) -> Result<(), Bad> {
        let before = text.data.len();
        let checked = self.check(line).and_then(|()| self.text(line, &mut text.data));
        if checked.is_err() {
            text.data.truncate(before);
        }
        text.close();
        // A row whose text is bad still has an id, which helps whoever has to mend it.
        let readable = !matches!(&checked, Err(bad) if bad.status as u8 >= Status::Malformed as u8);
        let mut outcome = checked;
        for (index, value) in values.iter_mut().enumerate() {
            let found =
                if readable { self.walker.found(self.texts + index) } else { Found::Missing };
            if let Err(bad) = value.push(line, found) {
                outcome = outcome.and(Err(bad));
            }
        }
        if outcome.is_err() {
            text.reopen(before);
        }
        outcome
    }

    fn check(&mut self, line: &[u8]) -> Result<(), Bad> {
        // The second check is slower, and says where.
        if !self.utf8
            && simdutf8::basic::from_utf8(line).is_err()
            && let Err(error) = simdutf8::compat::from_utf8(line)
        {
            let at = Some(error.valid_up_to());
            return Err(Bad { status: Status::InvalidUtf8, at, field: 0 });
        }
        Ok(self.walker.walk(line)?)
    }

    fn text(&self, line: &[u8], out: &mut Vec<u8>) -> Result<(), Bad> {
        for field in 0..self.texts {
            if field > 0 {
                out.push(b'\n');
            }
            let (status, at) = match self.walker.found(field) {
                Found::Text(span) if !span.escaped => {
                    out.extend_from_slice(&line[span.start..span.end]);
                    continue;
                }
                Found::Text(span) => match unescape(&line[span.start..span.end], out) {
                    Ok(()) => continue,
                    Err(half) => (Status::LoneSurrogate, Some(span.start + half.at)),
                },
                Found::Missing => (Status::Missing, None),
                Found::Null(at) => (Status::Null, Some(at)),
                Found::Number(at, _) | Found::Other(at, _) => (Status::NotString, Some(at)),
            };
            return Err(Bad { status, at, field });
        }
        Ok(())
    }
}

impl Strings {
    pub(crate) fn with_capacity(rows: usize, bytes: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Self { data: Vec::with_capacity(bytes), offsets }
    }

    /// Ends the current string.
    pub(crate) fn close(&mut self) {
        self.offsets.push(self.data.len() as i64);
    }

    /// Empties the string closed last, which began at `start`.
    fn reopen(&mut self, start: usize) {
        self.data.truncate(start);
        self.offsets.pop();
        self.close();
    }
}

impl Values {
    pub(crate) fn with_capacity(rows: usize) -> Self {
        Self { strings: Strings::with_capacity(rows, 0), kinds: Vec::with_capacity(rows) }
    }

    /// A row that is not looked at.
    fn close(&mut self) {
        self.strings.close();
        self.kinds.push(ValueKind::None as u8);
    }

    fn push(&mut self, line: &[u8], found: Found) -> Result<(), Bad> {
        let before = self.strings.data.len();
        let mut outcome = Ok(());
        let kind = match found {
            Found::Missing | Found::Null(_) => ValueKind::None,
            Found::Number(start, end) => {
                self.strings.data.extend_from_slice(&line[start..end]);
                ValueKind::Number
            }
            Found::Other(start, end) => {
                self.strings.data.extend_from_slice(&line[start..end]);
                ValueKind::Other
            }
            Found::Text(span) => {
                match unescape(&line[span.start..span.end], &mut self.strings.data) {
                    Ok(()) => ValueKind::String,
                    Err(half) => {
                        self.strings.data.truncate(before);
                        let at = Some(span.start + half.at);
                        outcome = Err(Bad { status: Status::LoneSurrogate, at, field: 0 });
                        ValueKind::None
                    }
                }
            }
        };
        self.kinds.push(kind as u8);
        self.strings.close();
        outcome
    }
}

#[cfg(test)]
mod tests;
