//! The JSONL reader beside serde_json: rows, texts, carried values, reasons; and the same for any cut.

use neardup_core::jsonl::{self, Block, Path, Status, ValueKind};
use serde_json::Value;

use super::strings;

/// Brackets beyond which serde_json, which nests at most 128 deep, is not asked.
const NESTED: usize = 100;

/// Text fields and carried fields that are looked for; the first byte of the data chooses.
const FIELDS: [(&[&str], &[&str]); 4] = [
    (&["text"], &["id", "n"]),
    (&["a.b", "text"], &["a", ""]),
    (&["a.b.c"], &["a.b", "text"]),
    (&[], &["text", "text"]),
];

/// Reads the data as a block of lines and holds every row to what serde_json says of its line.
pub fn run(data: &[u8]) {
    let Some((&choice, block)) = data.split_first() else { return };
    let (texts, carried) = FIELDS[choice as usize % FIELDS.len()];
    let (texts, carried) = (paths(texts), paths(carried));
    let first_line = 1 + u64::from(choice >> 7);
    let read = jsonl::scan(block, &texts, &carried, first_line);
    let rows = split(block, first_line);
    let numbers: Vec<u64> = rows.iter().map(|row| row.1).collect();
    assert_eq!(read.lines.numbers, numbers);
    for (row, (line, _)) in rows.into_iter().enumerate() {
        let (start, end) = (read.lines.starts[row] as usize, read.lines.ends[row] as usize);
        assert_eq!(&block[start..end], line);
        check(&read, row, line, &texts, &carried);
        jsonl::field_names(line);
    }
    // Cut after any line, the parts give the whole.
    if let Some(cut) = memchr_at(block, choice as usize >> 2 & 15) {
        let first = jsonl::scan(&block[..cut], &texts, &carried, first_line);
        let rest = jsonl::scan(&block[cut..], &texts, &carried, first.lines.next_line);
        assert_eq!([first.status, rest.status].concat(), read.status);
        assert_eq!([first.column, rest.column].concat(), read.column);
        assert_eq!([first.text.data, rest.text.data].concat(), read.text.data);
        assert_eq!([first.lines.numbers, rest.lines.numbers].concat(), read.lines.numbers);
        assert_eq!(rest.lines.next_line, read.lines.next_line);
    }
    // Rows that are not wanted are empty, the others as before.
    let wanted: Vec<bool> =
        (0..read.status.len()).map(|row| choice >> (row % 8) & 1 == 1).collect();
    let some = jsonl::scan_wanted(block, &texts, &carried, first_line, &wanted);
    let (all, some) = (strings::strings(&read.text), strings::strings(&some.text));
    for (row, &wanted) in wanted.iter().enumerate() {
        assert_eq!(some[row], if wanted { all[row] } else { "" });
    }
}

/// Holds row `row` of `read` to what serde_json says of `line`.
pub fn check(read: &Block, row: usize, line: &[u8], texts: &[Path], carried: &[Path]) {
    let status = read.status[row];
    let text = strings::strings(&read.text)[row];
    assert!(status == Status::Ok as u8 || text.is_empty(), "a bad row has a text");
    let Ok(utf8) = std::str::from_utf8(line) else {
        assert_eq!(status, Status::InvalidUtf8 as u8);
        return;
    };
    if line.iter().filter(|byte| matches!(byte, b'[' | b'{')).count() > NESTED {
        return;
    }
    let Ok(value) = serde_json::from_str::<Value>(utf8) else {
        // What Python reads and serde_json does not: NaN, Infinity, half a surrogate pair.
        let python = utf8.contains("NaN") || utf8.contains("Infinity") || utf8.contains("\\u");
        assert!(python || status == Status::Malformed as u8, "status {status} of {utf8:?}");
        return;
    };
    if utf8.contains("$serde_json") {
        return; // its own way of writing a number
    }
    let (expected, field, said) = wanted(&value, texts);
    assert_eq!((status, text), (expected as u8, said.as_str()), "{utf8:?}");
    assert_eq!(read.field[row] as usize, field, "{utf8:?}");
    if let Value::Object(object) = &value {
        let mut names = jsonl::field_names(line);
        names.sort();
        assert!(names.iter().eq(object.keys().collect::<std::collections::BTreeSet<_>>()));
    }
    for (path, values) in carried.iter().zip(&read.values) {
        let found = strings::strings(&values.strings)[row];
        let expected = if status == Status::NotObject as u8 { None } else { at(&value, path) };
        let kind = match expected {
            None | Some(Value::Null) => ValueKind::None,
            Some(Value::String(string)) => {
                assert_eq!(found, string);
                ValueKind::String
            }
            Some(other) => {
                assert_eq!(serde_json::from_str::<Value>(found).ok().as_ref(), Some(other));
                if other.is_number() { ValueKind::Number } else { ValueKind::Other }
            }
        };
        assert_eq!(values.kinds[row], kind as u8, "{utf8:?}");
        assert!(kind != ValueKind::None || found.is_empty());
    }
}

/// The status, the field it speaks of and the text that the definition gives.
fn wanted(value: &Value, texts: &[Path]) -> (Status, usize, String) {
    if !value.is_object() {
        return (Status::NotObject, 0, String::new());
    }
    let mut said = Vec::new();
    for (field, path) in texts.iter().enumerate() {
        let status = match at(value, path) {
            Some(Value::String(text)) => {
                said.push(text.as_str());
                continue;
            }
            Some(Value::Null) => Status::Null,
            Some(_) => Status::NotString,
            None => Status::Missing,
        };
        return (status, field, String::new());
    }
    (Status::Ok, 0, said.join("\n"))
}

fn at<'a>(value: &'a Value, path: &Path) -> Option<&'a Value> {
    path.iter()
        .try_fold(value, |value, step| value.as_object()?.get(std::str::from_utf8(step).ok()?))
}

/// Lines that are rows, by the definition, each with its physical number.
fn split(block: &[u8], first_line: u64) -> Vec<(&[u8], u64)> {
    let mark = if first_line == 1 { b"\xEF\xBB\xBF".as_slice() } else { b"" };
    let block = block.strip_prefix(mark).unwrap_or(block);
    let mut lines: Vec<&[u8]> = block.split(|&byte| byte == b'\n').collect();
    let last = lines.len() - 1;
    for line in &mut lines[..last] {
        *line = line.strip_suffix(b"\r").unwrap_or(line);
    }
    let blank = |line: &[u8]| line.iter().all(|byte| b" \t\r".contains(byte));
    lines.into_iter().zip(first_line..).filter(|(line, _)| !blank(line)).collect()
}

/// Offset after the line feed number `skip`.
fn memchr_at(block: &[u8], skip: usize) -> Option<usize> {
    block.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(skip).map(|(at, _)| at + 1)
}

fn paths(dotted: &[&str]) -> Vec<Path> {
    let path = |path: &&str| path.split('.').map(|step| step.as_bytes().to_vec()).collect();
    dotted.iter().map(path).collect()
}
