//! One JSON array of objects: finds its elements, each of which is then read like a line.

use crate::error::{Error, Result};
use crate::json_stops::Stops;
use crate::json_walk::skip_space;
use crate::jsonl::{Block, Lines, Path, scan_rows};

/// Whether `data` begins as an array does, after a byte order mark and white space.
pub fn is_array(data: &[u8]) -> bool {
    let data = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
    data.get(skip_space(data, 0)) == Some(&b'[')
}

/// Finds the elements of the array that `data` is, without reading them; `numbers` are the physical
/// lines on which they begin.
pub fn elements(data: &[u8]) -> Result<Lines> {
    let mut lines = Lines { next_line: 1, ..Lines::default() };
    let mark = if data.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    lines.mark = mark as u64;
    let open = skip_space(data, mark);
    if data.get(open) != Some(&b'[') {
        return Err(Error::data("not a JSON array: it does not begin with ["));
    }
    let mut stops = Stops::new(data);
    let mut counted = 0;
    let mut at = skip_space(data, open + 1);
    if data.get(at) != Some(&b']') {
        loop {
            let end = value_end(&mut stops, at)?;
            lines.next_line += memchr::memchr_iter(b'\n', &data[counted..at]).count() as u64;
            counted = at;
            lines.starts.push(at as u64);
            lines.ends.push(end as u64);
            lines.stops.push(end as u64);
            lines.numbers.push(lines.next_line);
            at = skip_space(data, end);
            match data.get(at) {
                Some(b',') => at = skip_space(data, at + 1),
                Some(b']') => break,
                None => return Err(cut_short()),
                Some(_) => return Err(unexpected(data, at)),
            }
        }
    }
    let after = skip_space(data, at + 1);
    if after == data.len() { Ok(lines) } else { Err(unexpected(data, after)) }
}

/// Reads the elements numbered `from..to` of those [`elements`] found in `data`.
pub fn scan(
    data: &[u8],
    found: &Lines,
    from: usize,
    to: usize,
    texts: &[Path],
    carried: &[Path],
) -> Block {
    let to = to.min(found.starts.len());
    let from = from.min(to);
    let base = found.starts.get(from).copied().unwrap_or(0);
    let end = if from < to { found.ends[to - 1] } else { base };
    let shifted = |all: &[u64]| all[from..to].iter().map(|at| at - base).collect::<Vec<u64>>();
    let lines = Lines {
        starts: shifted(&found.starts),
        ends: shifted(&found.ends),
        stops: shifted(&found.stops),
        numbers: found.numbers[from..to].to_vec(),
        next_line: found.next_line,
        mark: found.mark,
    };
    scan_rows(&data[base as usize..end as usize], lines, texts, carried, None)
}

/// End of the value at `at`: brackets are counted, strings are skipped; what they hold and the rest is
/// checked later, so that one bad element is one bad row.
fn value_end(stops: &mut Stops<'_>, mut at: usize) -> Result<usize> {
    let data = stops.line();
    let start = at;
    let mut depth = 0usize;
    loop {
        match data.get(at) {
            None => return Err(cut_short()),
            Some(b'"') => {
                at = string_end(stops, at + 1).ok_or_else(cut_short)?;
            }
            Some(b'{' | b'[') => {
                depth += 1;
                at += 1;
            }
            Some(b'}' | b']') if depth > 0 => {
                depth -= 1;
                at += 1;
            }
            Some(b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n') if depth == 0 => {
                return if at > start { Ok(at) } else { Err(unexpected(data, at)) };
            }
            Some(_) => at += 1,
        }
        if depth == 0 && matches!(data.get(at - 1), Some(b'}' | b']' | b'"')) {
            return Ok(at);
        }
    }
}

/// Offset after the closing quote of the string whose contents begin at `at`.
fn string_end(stops: &mut Stops<'_>, mut at: usize) -> Option<usize> {
    loop {
        at = stops.next(at);
        match stops.line().get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1, // a control character
        }
    }
}

fn cut_short() -> Error {
    Error::data("the JSON array is cut short: its closing ] is missing. Fetch the file again")
}

fn unexpected(data: &[u8], at: usize) -> Error {
    let near = String::from_utf8_lossy(&data[at..data.len().min(at + 20)]);
    Error::data(format!("not a JSON array: {near:?} at byte {} was not expected", at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(data: &str) -> Result<Vec<&str>> {
        let found = elements(data.as_bytes())?;
        let spans = found.starts.iter().zip(&found.ends);
        Ok(spans.map(|(&start, &end)| &data[start as usize..end as usize]).collect())
    }

    #[test]
    fn elements_are_cut_whole() {
        assert_eq!(cut("[]"), Ok(vec![]));
        assert_eq!(
            cut("\u{feff} [ {\"a\":\"]\\\"\"} ,\n{\"b\":[1,{}]},7, \"x\" ,null]\n"),
            Ok(vec!["{\"a\":\"]\\\"\"}", "{\"b\":[1,{}]}", "7", "\"x\"", "null"])
        );
        assert_eq!(elements(b"[{},\n\n{}]").map(|found| found.numbers), Ok(vec![1, 3]));
    }

    #[test]
    fn what_is_no_whole_array_is_refused() {
        for data in
            ["", "{}", "[", "[{}", "[{},", "[{},]", "[,]", "[{}}", "[{}] x", "[\"a", "[1 2]"]
        {
            assert!(cut(data).is_err(), "{data}");
        }
    }

    #[test]
    fn elements_are_read_like_lines() {
        let data = b"[{\"text\":\"a\"},{\"text\":\"b\"},{\"text\":}]";
        let text = [vec![b"text".to_vec()]];
        let read = elements(data).map(|found| scan(data, &found, 1, 9, &text, &[]));
        let read = read.expect("an array");
        assert_eq!((read.text.data, read.status), (b"b".to_vec(), vec![0, 4]));
    }

    #[test]
    fn a_bad_string_spoils_its_own_element_only() {
        let data =
            b"[{\"text\":\"a\tb\"},{\"text\":\"\\q\\\"\"},{\"text\":\"\n\"},{\"text\":\"c\"}]";
        let text = [vec![b"text".to_vec()]];
        let read = elements(data)
            .map(|found| (found.numbers.clone(), scan(data, &found, 0, 9, &text, &[])));
        let (numbers, read) = read.expect("an array");
        assert_eq!((read.status, numbers), (vec![4, 4, 4, 0], vec![1, 1, 1, 2]));
        assert!(cut("[\"a\\").is_err() && cut("[\"a\\\"").is_err());
    }

    proptest::proptest! {
        #[test]
        fn damage_never_panics(place in 0..60usize, byte: u8) {
            let mut data = b"[{\"text\":\"a\\n\", \"x\":[1,{}]}, 7, null, \"s\", {\"t\":\"\xe4\xb8\xad\"}]".to_vec();
            let place = place % data.len();
            data[place] = byte;
            if let Ok(found) = elements(&data) {
                scan(&data, &found, 0, 9, &[vec![b"text".to_vec()]], &[]);
            }
        }
    }
}
