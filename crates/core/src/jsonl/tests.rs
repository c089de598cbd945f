//! Blocks of lines: rows, endings, reasons, and a storm of damaged bytes.

use super::*;
use proptest::prelude::*;

fn path(dotted: &str) -> Path {
    dotted.split('.').map(|step| step.as_bytes().to_vec()).collect()
}

fn strings(strings: &Strings) -> Vec<&str> {
    let slice = |w: &[i64]| &strings.data[w[0] as usize..w[1] as usize];
    strings.offsets.windows(2).map(|w| std::str::from_utf8(slice(w)).expect("UTF-8")).collect()
}

#[test]
fn rows_are_the_lines_that_are_not_blank() {
    let block = b"\xEF\xBB\xBF{}\r\n\n \t\r\n{ }\n\r\r\nlast\r";
    let found = lines(block, 1);
    assert_eq!(found.starts, [3, 12, 19]);
    assert_eq!(found.ends, [5, 15, 24]);
    assert_eq!(found.stops, [7, 16, 24]);
    assert_eq!(found.numbers, [1, 4, 6]);
    assert_eq!((found.next_line, found.mark), (7, 3));
    let later = lines(block, 2);
    assert_eq!((later.starts[0], later.mark), (0, 0));
    assert_eq!(lines(b"", 9), Lines { next_line: 9, ..Lines::default() });
}

#[test]
fn each_fault_has_its_reason_and_place() {
    use Status::*;
    let cases: [(&[u8], Status, u64, u32); 12] = [
        (br#"{"id":1,"text":"a","t":"b"}"#, Ok, 0, 0),
        (br#"{"id":1,"t":"b"}"#, Missing, 0, 0),
        (br#"{"id":1,"text":"a"}"#, Missing, 0, 1),
        (br#"{"id":1,"text":null}"#, Null, 16, 0),
        (br#"{"id":1,"text":5}"#, NotString, 16, 0),
        (br#"{"id":1,"text":"a","t":[]}"#, NotString, 24, 1),
        (br#"{"id":1,"text":"a","t":"x\ud800"}"#, LoneSurrogate, 26, 1),
        (br#"{"id":"\udc00","text":"a","t":"b"}"#, LoneSurrogate, 8, 0),
        (br#"{"id":1,"text":"a""#, Malformed, 19, 0),
        (b"{\"id\":1,\"text\":\"\xFF\"}", InvalidUtf8, 17, 0),
        (b"[1]", NotObject, 1, 0),
        (b"nothing", Malformed, 1, 0),
    ];
    let block: Vec<u8> = cases.iter().flat_map(|case| [case.0, b"\n"].concat()).collect();
    let read = scan(&block, &[path("text"), path("t")], &[path("id")], 1);
    for (row, (line, status, column, field)) in cases.iter().enumerate() {
        let seen = (read.status[row], read.column[row], read.field[row]);
        assert_eq!(seen, (*status as u8, *column, *field), "{}", String::from_utf8_lossy(line));
    }
    assert_eq!(strings(&read.text)[0], "a\nb");
    assert!(strings(&read.text)[1..].iter().all(|text| text.is_empty()));
    let ids = strings(&read.values[0].strings);
    assert_eq!(ids, ["1", "1", "1", "1", "1", "1", "", "", "", "", "", ""]);
}

#[test]
fn ids_come_as_written() {
    let block = br#"{"id":1e400}
{"id":12345678901234567890}
{"id":"a\u0062"}
{"id":null}
{}
{"id":true}
{"id":{"$oid": "x"}}
{"id":-0.0}
{"id":NaN}"#;
    let read = scan(block, &[], &[path("id")], 1);
    let expected =
        ["1e400", "12345678901234567890", "ab", "", "", "true", r#"{"$oid": "x"}"#, "-0.0", "NaN"];
    assert_eq!(strings(&read.values[0].strings), expected);
    assert_eq!(read.values[0].kinds, [2, 2, 1, 0, 0, 3, 3, 2, 2]);
    assert!(read.status.iter().all(|&status| status == 0));
}

proptest! {
    #[test]
    fn texts_come_back(texts in prop::collection::vec(".{0,60}|[\\x00-\\x7f]{0,60}", 0..8), crlf: bool) {
        let ending = if crlf { "\r\n" } else { "\n" };
        let lines: Vec<String> = texts
            .iter()
            .map(|text| serde_json::json!({"x": [text], "text": text}).to_string() + ending)
            .collect();
        let read = scan(lines.concat().as_bytes(), &[path("text")], &[path("x")], 1);
        prop_assert_eq!(strings(&read.text), texts);
    }

    /// Whatever the bytes, nothing panics, offsets are in order and a bad row has no text.
    #[test]
    fn damage_never_panics(damage in prop::collection::vec((0..4096usize, any::<u8>()), 1..40), first in 1..3u64) {
        let line = "{\"id\": 7, \"meta\": {\"body\": \"one \\u00e9 \\ud83d\\ude00 two\"}, \"x\": [1.5e3, null]}\r\n";
        let mut block = line.repeat(50).into_bytes();
        for (place, byte) in damage {
            let place = place % block.len();
            block[place] = byte;
        }
        let read = scan(&block, &[path("meta.body")], &[path("id"), path("x")], first);
        let rows = read.lines.starts.len();
        prop_assert_eq!(read.status.len(), rows);
        prop_assert_eq!(read.text.offsets.len(), rows + 1);
        for row in 0..rows {
            let text = read.text.offsets[row]..read.text.offsets[row + 1];
            prop_assert!(read.status[row] == 0 || text.is_empty());
            prop_assert!(read.lines.starts[row] < read.lines.ends[row]);
            prop_assert!(read.lines.ends[row] <= read.lines.stops[row]);
            field_names(&block[read.lines.starts[row] as usize..read.lines.ends[row] as usize]);
        }
        strings(&read.text);
        strings(&read.values[0].strings);
    }
}
