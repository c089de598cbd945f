//! The JSON array reader beside serde_json: the same elements, or a refusal where there is no array.

use neardup_core::json_array;
use neardup_core::jsonl::Status;
use serde_json::Value;

use super::{jsonl, strings};

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads the data as one array.
pub fn run(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let texts = [vec![b"text".to_vec()]];
    let carried = [vec![b"id".to_vec()]];
    let body = data.strip_prefix(MARK).unwrap_or(data);
    let deep = body.iter().filter(|byte| matches!(byte, b'[' | b'{')).count() > 100;
    let expected = serde_json::from_slice::<Vec<Value>>(body).ok().filter(|_| !deep);
    let found = match json_array::elements(data) {
        Ok(found) => found,
        Err(_) => return assert!(expected.is_none(), "an array was refused"),
    };
    assert!(json_array::is_array(data));
    let rows = found.starts.len();
    let read = json_array::scan(data, &found, 0, rows, &texts, &carried);
    let spans = found.starts.iter().zip(&found.ends);
    let elements: Vec<&[u8]> = spans.map(|(&a, &b)| &data[a as usize..b as usize]).collect();
    for (row, element) in elements.iter().enumerate() {
        jsonl::check(&read, row, element, &texts, &carried);
    }
    if let Some(expected) = &expected {
        let same = |(element, value): (&&[u8], &Value)| {
            serde_json::from_slice::<Value>(element).is_ok_and(|element| element == *value)
        };
        assert!(elements.len() == expected.len() && elements.iter().zip(expected).all(same));
    } else if !deep && serde_json::from_slice::<Value>(body).is_err() {
        // An element is at fault, or says what Python reads and serde_json does not.
        let python = |e: &[u8]| [&b"NaN"[..], b"Infinity", b"\\u"].iter().any(|odd| has(e, odd));
        let fault = |(row, element): (usize, &&[u8])| {
            read.status[row] >= Status::Malformed as u8 || python(element)
        };
        assert!(elements.iter().enumerate().any(fault), "no array, yet every row is read");
    }
    // Read in parts, the rows are the same.
    let cut = choice as usize % (rows + 2);
    let first = json_array::scan(data, &found, 0, cut, &texts, &carried);
    let rest = json_array::scan(data, &found, cut, rows + 1, &texts, &carried);
    assert_eq!([first.status, rest.status].concat(), read.status);
    let parts = [strings::strings(&first.text), strings::strings(&rest.text)].concat();
    assert_eq!(parts, strings::strings(&read.text));
}

fn has(data: &[u8], part: &[u8]) -> bool {
    data.windows(part.len()).any(|window| window == part)
}
