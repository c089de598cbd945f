//! The CSV reader beside the `csv` crate, plain lines beside a split; and the same for any cut.

use neardup_core::csv as ours;
use neardup_core::jsonl::{Block, Status};

use super::strings;

/// Reads the data as records and as lines.
pub fn run(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let delimiter = b",\t;|"[choice as usize % 4];
    // The other reader passes over a mark; here that is the caller's business.
    let records = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
    let (texts, carried) = ([1, 0], [0, 2]);
    let (read, used) = ours::scan(records, delimiter, &texts, &carried, 1, true);
    assert_eq!(used, records.len());
    compare(records, delimiter, &read);
    // Cut anywhere, the records are the same.
    let cut = choice as usize % (records.len() + 1);
    let (first, used) = ours::scan(&records[..cut], delimiter, &texts, &carried, 1, false);
    assert!(used <= cut);
    let line = first.lines.next_line;
    let (rest, _) = ours::scan(&records[used..], delimiter, &texts, &carried, line, true);
    assert_eq!([&first.status[..], &rest.status].concat(), read.status);
    assert_eq!([&first.text.data[..], &rest.text.data].concat(), read.text.data);
    assert_eq!([&first.lines.numbers[..], &rest.lines.numbers].concat(), read.lines.numbers);
    lines(data);
}

/// Holds each record to what the other reader says of it.
fn compare(data: &[u8], delimiter: u8, read: &Block) {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .terminator(csv::Terminator::Any(b'\n'))
        .from_reader(data);
    let mut record = csv::ByteRecord::new();
    let texts = strings::strings(&read.text);
    let ids: Vec<Vec<&str>> = read.values.iter().map(|v| strings::strings(&v.strings)).collect();
    let (mut row, mut start) = (0, 0);
    while reader.read_byte_record(&mut record).expect("flexible, and no I/O") {
        let stop = reader.position().byte() as usize;
        while data.get(start) == Some(&b'\n') {
            start += 1; // it passes over empty lines
        }
        let whole = &data[std::mem::replace(&mut start, stop)..stop];
        if whole == b"\r\n" {
            continue; // an empty line too
        }
        let mut fields: Vec<Vec<u8>> = record.iter().map(<[u8]>::to_vec).collect();
        // A carriage return before the line feed belongs to the line ending.
        if let (true, Some(last)) = (whole.ends_with(b"\r\n"), fields.last_mut()) {
            last.pop();
        }
        let status = read.status[row];
        let raw = &data[read.lines.starts[row] as usize..read.lines.ends[row] as usize];
        if status == Status::Malformed as u8 {
            assert_eq!((row + 1, stop), (read.status.len(), data.len()), "a quote is open");
        } else if std::str::from_utf8(raw).is_err() {
            assert_eq!(status, Status::InvalidUtf8 as u8);
        } else if let (Some(second), Some(first)) = (fields.get(1), fields.first()) {
            let said = [&second[..], b"\n", first].concat();
            assert_eq!((status, texts[row].as_bytes()), (Status::Ok as u8, &said[..]));
            let third = fields.get(2).map_or(&b""[..], |field| field);
            assert_eq!([ids[0][row].as_bytes(), ids[1][row].as_bytes()], [first, third]);
        } else {
            assert_eq!((status, texts[row]), (Status::Missing as u8, ""));
        }
        row += 1;
    }
    assert_eq!(row, read.status.len());
    if data.first().is_some_and(|byte| !b"\r\n".contains(byte)) {
        let (fields, stop) = ours::first_record(data, delimiter);
        assert_eq!(Some(&(stop as u64)), read.lines.stops.first());
        assert!(!fields.is_empty());
    }
}

/// Every line is a text.
fn lines(data: &[u8]) {
    let read = ours::plain_lines(data, 1);
    let body = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
    let mut expected: Vec<&[u8]> = body.split(|&byte| byte == b'\n').collect();
    let last = expected.len() - 1;
    for line in &mut expected[..last] {
        *line = line.strip_suffix(b"\r").unwrap_or(line);
    }
    if expected[last].is_empty() {
        expected.pop();
    }
    let texts = strings::strings(&read.text);
    assert_eq!(texts.len(), expected.len());
    for (row, line) in expected.into_iter().enumerate() {
        let utf8 = std::str::from_utf8(line);
        assert_eq!(read.status[row], if utf8.is_ok() { 0 } else { Status::InvalidUtf8 as u8 });
        assert_eq!(texts[row], utf8.unwrap_or(""));
    }
}
