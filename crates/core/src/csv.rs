//! Comma- or tab-separated records (RFC 4180, read as Python's csv module reads them) and plain
//! lines: where the records stand, and the fields that are wanted of them.

use crate::jsonl::{Block, Lines, Status, Strings, ValueKind, Values};

/// A field of a record: `block[start..end]`, with the quotes where it has them.
#[derive(Clone, Copy)]
struct Field {
    start: usize,
    end: usize,
    quoted: bool,
}

/// A record and where it ends.
struct Record {
    /// After the contents, and after the line ending.
    end: usize,
    stop: usize,
    /// Line feeds in it.
    feeds: u64,
    /// Whether an end was found; the last record of a file needs none, unless a quote is open.
    ended: bool,
    open_quote: bool,
}

/// Reads one record at `at` into `fields`.
fn record(block: &[u8], at: usize, delimiter: u8, fields: &mut Vec<Field>) -> Record {
    fields.clear();
    let mut start = at;
    let mut feeds = 0;
    let ended = |end: usize, feeds: u64, fields: &mut Vec<Field>| {
        let body = if end > at && block[end - 1] == b'\r' { end - 1 } else { end };
        if let Some(last) = fields.last_mut() {
            last.end = last.end.min(body);
        }
        Record { end: body, stop: end + 1, feeds: feeds + 1, ended: true, open_quote: false }
    };
    loop {
        let mut from = start;
        // A quote opens a field only where it begins; elsewhere it is a character.
        let quoted = block.get(start) == Some(&b'"');
        if quoted {
            from = start + 1;
            loop {
                let Some(found) = memchr::memchr(b'"', &block[from..]) else {
                    let end = block.len();
                    fields.push(Field { start, end, quoted });
                    feeds += memchr::memchr_iter(b'\n', &block[start..]).count() as u64;
                    return Record { end, stop: end, feeds, ended: false, open_quote: true };
                };
                from += found + 1;
                if block.get(from) != Some(&b'"') {
                    break;
                }
                from += 1;
            }
            feeds += memchr::memchr_iter(b'\n', &block[start..from]).count() as u64;
        }
        let Some(found) = memchr::memchr2(delimiter, b'\n', &block[from..]) else {
            let end = block.len();
            fields.push(Field { start, end, quoted });
            return Record { end, stop: end, feeds, ended: false, open_quote: false };
        };
        let end = from + found;
        fields.push(Field { start, end, quoted });
        if block[end] == b'\n' {
            return ended(end, feeds, fields);
        }
        start = end + 1;
    }
}

/// What a field says: without its quotes, doubled quotes single.
fn unquote(block: &[u8], field: Field, out: &mut Vec<u8>) {
    let raw = &block[field.start..field.end];
    if !field.quoted {
        out.extend_from_slice(raw);
        return;
    }
    let mut rest = raw.get(1..).unwrap_or_default();
    while let Some(found) = memchr::memchr(b'"', rest) {
        out.extend_from_slice(&rest[..found]);
        rest = &rest[found + 1..];
        if rest.first() == Some(&b'"') {
            out.push(b'"');
            rest = &rest[1..];
        } else {
            // The closing quote; what follows it belongs to the field as it stands.
            break;
        }
    }
    out.extend_from_slice(rest);
}

/// The fields of the record at the start of `block`, and the offset after it.
pub fn first_record(block: &[u8], delimiter: u8) -> (Vec<Vec<u8>>, usize) {
    let mut fields = Vec::new();
    let found = record(block, 0, delimiter, &mut fields);
    let said = |&field: &Field| {
        let mut out = Vec::new();
        unquote(block, field, &mut out);
        out
    };
    (fields.iter().map(said).collect(), found.stop)
}

/// Reads the records of `block` from its start: the text is the fields numbered `texts`, joined by a
/// newline, and `carried` fields come along. Empty lines are no records.
///
/// Unless `last`, a record that does not end in the block is left for the next one; the second value
/// is how much of the block has been read. A field number beyond the record is a missing field.
pub fn scan(
    block: &[u8],
    delimiter: u8,
    texts: &[usize],
    carried: &[usize],
    first_line: u64,
    last: bool,
) -> (Block, usize) {
    let mut out = empty_block(carried.len(), first_line);
    let utf8 = simdutf8::basic::from_utf8(block).is_ok();
    let mut fields = Vec::new();
    let mut at = 0;
    while at < block.len() {
        let found = record(block, at, delimiter, &mut fields);
        if !found.ended && !last {
            break;
        }
        let (start, number) = (at, out.lines.next_line);
        at = found.stop;
        out.lines.next_line += found.feeds + u64::from(!found.ended);
        if found.end == start {
            continue;
        }
        push_line(&mut out.lines, start, found.end, found.stop, number);
        let before = out.text.data.len();
        let raw = &block[start..found.end];
        let (mut status, mut column, mut missing) = (Status::Ok, 0, 0);
        if found.open_quote {
            let opened = fields.last().map_or(start, |field| field.start);
            (status, column) = (Status::Malformed, (opened - start) as u64 + 1);
        } else if let Some(bad) = invalid_at(raw, utf8) {
            (status, column) = (Status::InvalidUtf8, bad as u64 + 1);
        } else {
            for (index, &text) in texts.iter().enumerate() {
                if index > 0 {
                    out.text.data.push(b'\n');
                }
                match fields.get(text) {
                    Some(&field) => unquote(block, field, &mut out.text.data),
                    None => {
                        (status, missing) = (Status::Missing, index as u32);
                        break;
                    }
                }
            }
        }
        if status != Status::Ok {
            out.text.data.truncate(before);
        }
        out.text.close();
        let readable = matches!(status, Status::Ok | Status::Missing);
        for (&index, values) in carried.iter().zip(&mut out.values) {
            let begin = values.strings.data.len();
            if let Some(&field) = fields.get(index)
                && readable
            {
                unquote(block, field, &mut values.strings.data);
            }
            let none = values.strings.data.len() == begin;
            values.kinds.push(if none { ValueKind::None } else { ValueKind::String } as u8);
            values.strings.close();
        }
        out.status.push(status as u8);
        out.column.push(column);
        out.field.push(missing);
    }
    (out, at)
}

/// Every line of `block` as a text, blank ones too.
pub fn plain_lines(block: &[u8], first_line: u64) -> Block {
    let mut out = empty_block(0, first_line);
    let utf8 = simdutf8::basic::from_utf8(block).is_ok();
    let mark = if first_line == 1 && block.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    out.lines.mark = mark as u64;
    let mut start = mark;
    while start < block.len() {
        let feed = memchr::memchr(b'\n', &block[start..]).map(|found| start + found);
        let (mut end, stop) = feed.map_or((block.len(), block.len()), |feed| (feed, feed + 1));
        if feed.is_some() && end > start && block[end - 1] == b'\r' {
            end -= 1;
        }
        let number = out.lines.next_line;
        push_line(&mut out.lines, start, end, stop, number);
        out.lines.next_line += 1;
        let bad = invalid_at(&block[start..end], utf8);
        if bad.is_none() {
            out.text.data.extend_from_slice(&block[start..end]);
        }
        out.text.close();
        out.status.push(bad.map_or(Status::Ok, |_| Status::InvalidUtf8) as u8);
        out.column.push(bad.map_or(0, |at| at as u64 + 1));
        out.field.push(0);
        start = stop;
    }
    out
}

fn invalid_at(raw: &[u8], utf8: bool) -> Option<usize> {
    if utf8 { None } else { std::str::from_utf8(raw).err().map(|error| error.valid_up_to()) }
}

fn push_line(lines: &mut Lines, start: usize, end: usize, stop: usize, number: u64) {
    lines.starts.push(start as u64);
    lines.ends.push(end as u64);
    lines.stops.push(stop as u64);
    lines.numbers.push(number);
}

fn empty_block(carried: usize, first_line: u64) -> Block {
    Block {
        lines: Lines { next_line: first_line, ..Lines::default() },
        status: Vec::new(),
        column: Vec::new(),
        field: Vec::new(),
        text: Strings::with_capacity(0, 0),
        values: (0..carried).map(|_| Values::with_capacity(0)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(block: &Block) -> Vec<String> {
        let of = |w: &[i64]| block.text.data[w[0] as usize..w[1] as usize].to_vec();
        let text = |w: &[i64]| String::from_utf8(of(w)).expect("UTF-8");
        block.text.offsets.windows(2).map(text).collect()
    }

    #[test]
    fn records_end_where_python_ends_them() {
        let block = b"1,\"a,\n\"\"b\"\"\"x,z\r\n\n2,5\" pipe\n3\n4,\"open\n";
        let (read, used) = scan(block, b',', &[1], &[0], 10, false);
        assert_eq!(texts(&read), ["a,\n\"b\"x", "5\" pipe", ""]);
        assert_eq!(read.status, [0, 0, Status::Missing as u8]);
        assert_eq!(read.lines.numbers, [10, 13, 14]);
        assert_eq!((read.lines.ends[0], read.lines.stops[0]), (15, 17));
        assert_eq!((&block[used..], read.lines.next_line), (&b"4,\"open\n"[..], 15));
        let (read, _) = scan(&block[used..], b',', &[1], &[], 15, true);
        assert_eq!((read.status, read.column), (vec![Status::Malformed as u8], vec![3]));
    }

    #[test]
    fn plain_lines_are_all_rows() {
        let read = plain_lines(b"\xEF\xBB\xBFa\r\n\n\xFF\nb", 1);
        assert_eq!(texts(&read), ["a", "", "", "b"]);
        assert_eq!(read.status, [0, 0, Status::InvalidUtf8 as u8, 0]);
        assert_eq!(read.lines.stops, [6, 7, 9, 10]);
    }

    proptest! {
        #[test]
        fn quoted_fields_come_back(rows in prop::collection::vec(("[^\\r\\n,\"]{1,9}", "[a,\"\\r\\n中]{0,9}"), 0..9)) {
            let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
            let data: String = rows.iter().map(|(id, text)| format!("{id},{}\r\n", quoted(text))).collect();
            let (read, used) = scan(data.as_bytes(), b',', &[1], &[0], 1, false);
            prop_assert_eq!(used, data.len());
            prop_assert_eq!(texts(&read), rows.iter().map(|row| row.1.clone()).collect::<Vec<_>>());
        }

        /// Cut anywhere, the records are the same.
        #[test]
        fn a_cut_changes_nothing(data in "[a,\"\\r\\n]{0,40}", cut: prop::sample::Index) {
            let data = data.as_bytes();
            let (whole, _) = scan(data, b',', &[0], &[], 1, true);
            let cut = cut.index(data.len() + 1);
            let (first, used) = scan(&data[..cut], b',', &[0], &[], 1, false);
            let (rest, _) = scan(&data[used..], b',', &[0], &[], first.lines.next_line, true);
            prop_assert_eq!([texts(&first), texts(&rest)].concat(), texts(&whole));
            prop_assert_eq!([first.lines.numbers, rest.lines.numbers].concat(), whole.lines.numbers);
        }
    }
}
