//! The walker against hand-made lines and against serde_json.

use super::*;

fn path(dotted: &str) -> Vec<Vec<u8>> {
    dotted.split('.').map(|step| step.as_bytes().to_vec()).collect()
}

/// The wanted field as written in the line.
fn raw(line: &str, dotted: &str) -> Result<Option<String>, Fault> {
    let mut walker = Walker::new([path(dotted)]);
    walker.walk(line.as_bytes())?;
    Ok(match walker.found(0) {
        Found::Missing => None,
        Found::Null(at) => Some(line[at..at + 4].to_string()),
        Found::Text(span) => Some(format!("\"{}\"", &line[span.start..span.end])),
        Found::Number(start, end) | Found::Other(start, end) => Some(line[start..end].to_string()),
    })
}

#[test]
fn fields_are_found_as_python_finds_them() {
    for (line, field, expected) in [
        (r#"{"text":"a"}"#, "text", Some(r#""a""#)),
        (r#" { "x" : [ 1 , {"text":"no"} ] , "text" : "a" } "#, "text", Some(r#""a""#)),
        (r#"{"text":"a","text":"b"}"#, "text", Some(r#""b""#)),
        (r#"{"text":"a","text":null}"#, "text", Some("null")),
        (r#"{"te\u0078t":"a"}"#, "text", Some(r#""a""#)),
        (r#"{"text\ud800":"a"}"#, "text", None),
        (r#"{"meta":{"body":"a"}}"#, "meta.body", Some(r#""a""#)),
        (r#"{"meta":{"body":"a"},"meta":{}}"#, "meta.body", None),
        (r#"{"meta":{"body":"a"},"meta":7}"#, "meta.body", None),
        (r#"{"meta":{"body":"a"},"body":"b"}"#, "body", Some(r#""b""#)),
        (r#"{"meta":[{"body":"a"}]}"#, "meta.body", None),
        (r#"{"x":{"meta":{"body":"a"}}}"#, "meta.body", None),
        (r#"{"meta":{"x":{"body":"no"},"body":"a","y":{}}}"#, "meta.body", Some(r#""a""#)),
        (r#"{"a":{"b":{"c":{"d":1}}}}"#, "a.b", Some(r#"{"c":{"d":1}}"#)),
        (r#"{"a":[[],[{}]], "b":2}"#, "a", Some("[[],[{}]]")),
        (r#"{"id":1e400,"n":12345678901234567890}"#, "id", Some("1e400")),
        (r#"{"id":NaN,"i":Infinity,"j":-Infinity}"#, "j", Some("-Infinity")),
        (r#"{"":"e"}"#, "", Some(r#""e""#)),
        ("{}", "text", None),
    ] {
        assert_eq!(raw(line, field), Ok(expected.map(String::from)), "{line}");
    }
}

#[test]
fn what_is_not_json_is_refused_where_it_breaks() {
    for (line, at) in [
        ("", 0),
        ("{", 1),
        ("{\"a\"", 4),
        ("{\"a\":", 5),
        ("{\"a\":1", 6),
        ("{\"a\":1,}", 7),
        ("{\"a\":[1,]}", 8),
        ("{\"a\":1]", 6),
        ("{\"a\":01}", 6),
        ("{\"a\":1.}", 7),
        ("{\"a\":.5}", 5),
        ("{\"a\":1e}", 7),
        ("{\"a\":+1}", 5),
        ("{\"a\":-}", 6),
        ("{\"a\":tru}", 5),
        ("{\"a\":nulls}", 9),
        ("{a:1}", 1),
        ("{'a':1}", 1),
        ("{\"a\":1}x", 7),
        ("{\"a\":1}{\"a\":1}", 7),
        ("{\"a\":\"x\u{1}\"}", 7),
        ("{\"a\" 1}", 5),
    ] {
        assert_eq!(raw(line, "a"), Err(Fault::Malformed(at)), "{line}");
    }
    assert_eq!(raw(" [1]", "a"), Err(Fault::NotObject(1)));
    assert_eq!(raw("\"x\"", "a"), Err(Fault::NotObject(0)));
}

#[test]
fn depth_is_bounded_and_never_overflows() {
    let deep = |n: usize| format!("{{\"a\":{}{}}}", "[".repeat(n), "]".repeat(n));
    assert!(raw(&deep(MAX_DEPTH - 1), "a").is_ok());
    assert_eq!(raw(&deep(MAX_DEPTH), "a"), Err(Fault::TooDeep(5 + MAX_DEPTH - 1)));
    assert!(matches!(raw(&"[".repeat(5_000_000), "a"), Err(Fault::TooDeep(_))));
}

#[test]
fn names_come_in_order_and_once() {
    assert_eq!(Walker::names(br#"{"id":1,"b\u0061":{"x":1},"id":2,"#), ["id", "ba"]);
    assert!(Walker::names(b"[1]").is_empty());
}

mod against_serde {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                object(inner),
            ]
        })
    }

    fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
        prop::collection::vec(("[ab]|.{0,3}", inner), 0..5)
            .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>()))
    }

    fn agree(line: &[u8]) -> Result<(), TestCaseError> {
        let Ok(text) = std::str::from_utf8(line) else { return Ok(()) };
        let mine = raw(text, "a.b");
        match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(fields)) => {
                let written = mine.expect("serde_json reads it");
                let mine = written.map(|raw| serde_json::from_str(&raw).expect("a value"));
                let theirs = fields.get("a").and_then(|a| a.as_object()).and_then(|a| a.get("b"));
                prop_assert_eq!(mine.as_ref(), theirs);
            }
            Ok(_) => prop_assert!(matches!(mine, Err(Fault::NotObject(_)))),
            // serde_json refuses four more: half surrogates, huge numbers, depth over 128, NaN.
            Err(error) => {
                let error = error.to_string();
                let ours = text.contains("NaN") || text.contains("Infinity");
                let theirs = ["surrogate", "hex escape", "out of range", "recursion"];
                if !ours && !theirs.iter().any(|reason| error.contains(reason)) {
                    prop_assert!(mine.is_err(), "{} in {}", error, text);
                }
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn written_values_are_read_alike(value in object(value()), pretty: bool) {
            let line = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            agree(line.expect("written").as_bytes())?;
        }

        #[test]
        fn damaged_lines_are_refused_alike(
            value in object(value()),
            damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..4),
        ) {
            let mut line = serde_json::to_vec(&value).expect("written");
            for (place, byte, how) in damage {
                if line.is_empty() { break }
                let place = place.index(line.len());
                match how {
                    0 => line[place] = byte,
                    1 => { line.remove(place); }
                    _ => line.truncate(place),
                }
            }
            agree(&line)?;
        }
    }
}
