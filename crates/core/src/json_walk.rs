//! Walks one JSON value (RFC 8259, and Python's NaN and Infinity), checks all of it, and notes where
//! the wanted fields stand. No recursion, no tree: a line of any depth costs one byte a level.

use crate::json_stops::Stops;
use crate::json_string::{Span, span, unescape};

/// Containers inside one another beyond this are refused; Python's own reader stops near here too.
pub const MAX_DEPTH: usize = 1024;

/// Where a wanted field's value stands in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The field is not there.
    Missing,
    /// The literal `null`, at this offset.
    Null(usize),
    /// A string.
    Text(Span),
    /// A number, `NaN` and the like included: `line[.0...1]`.
    Number(usize, usize),
    /// `true`, `false`, an object or an array: `line[.0...1]`.
    Other(usize, usize),
}

/// Why a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Not JSON, from this offset on.
    Malformed(usize),
    /// Deeper than [`MAX_DEPTH`] at this offset.
    TooDeep(usize),
    /// JSON, but not an object.
    NotObject(usize),
}

/// One wanted field: the keys that lead to it from the outermost object.
struct Target {
    path: Vec<Vec<u8>>,
    /// How many of them the open objects match.
    matched: usize,
    /// Whether the key just read leads to it or towards it.
    pending: bool,
    /// Depth of the container that is its value and is still open, else 0.
    open: usize,
    found: Found,
}

/// A reader of lines that looks for the same fields in each.
pub(crate) struct Walker {
    targets: Vec<Target>,
    deepest: usize,
    /// Opening bytes of the containers that are open.
    stack: Vec<u8>,
    key: Vec<u8>,
}

impl Walker {
    /// A reader that looks for these paths of keys; an empty path is never found.
    pub fn new(paths: impl IntoIterator<Item = Vec<Vec<u8>>>) -> Self {
        let targets: Vec<Target> = paths
            .into_iter()
            .map(|path| Target { path, matched: 0, pending: false, open: 0, found: Found::Missing })
            .collect();
        let deepest = targets.iter().map(|target| target.path.len()).max().unwrap_or(0);
        Self { targets, deepest, stack: Vec::new(), key: Vec::new() }
    }

    /// What the last line walked held for path number `index`.
    pub fn found(&self, index: usize) -> Found {
        self.targets.get(index).map_or(Found::Missing, |target| target.found)
    }

    /// Checks `line` whole and notes the wanted fields; of equal keys the last one counts, as in Python.
    pub fn walk(&mut self, line: &[u8]) -> Result<(), Fault> {
        self.walk_keys(line, |_| ())
    }

    /// The names of the outermost object's fields, in order, as far as the line can be read.
    pub fn names(line: &[u8]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let note = |key: &[u8]| {
            let mut name = Vec::new();
            // A name that is no Unicode text is shown as it is written.
            if unescape(key, &mut name).is_err() {
                name = key.to_vec();
            }
            let name = String::from_utf8_lossy(&name).into_owned();
            if !names.contains(&name) {
                names.push(name);
            }
        };
        // A fault further on does not unmake the names before it.
        let _ = Self::new([]).walk_keys(line, note);
        names
    }

    fn walk_keys(&mut self, line: &[u8], mut note: impl FnMut(&[u8])) -> Result<(), Fault> {
        self.stack.clear();
        for target in &mut self.targets {
            (target.matched, target.pending, target.open) = (0, false, 0);
            target.found = Found::Missing;
        }
        let mut stops = Stops::new(line);
        let root = skip_space(line, 0);
        let mut at = root;
        'value: loop {
            let start = at;
            match line.get(at) {
                Some(&open @ (b'{' | b'[')) => {
                    if self.stack.len() == MAX_DEPTH {
                        return Err(Fault::TooDeep(at));
                    }
                    self.stack.push(open);
                    self.opened(open, start);
                    at = skip_space(line, at + 1);
                    if line.get(at) != Some(&(open + 2)) {
                        if open == b'{' {
                            at = self.key(&mut stops, at, &mut note)?;
                        }
                        continue 'value;
                    }
                    // Empty: the loop below sees its closing byte.
                }
                Some(b'"') => {
                    let string = string_at(&mut stops, at)?;
                    at = string.end + 1;
                    self.set(Found::Text(string));
                }
                Some(_) => at = self.scalar(line, at)?,
                None => return Err(Fault::Malformed(at)),
            }
            // A value has ended at `at`, or an empty container is about to.
            while let Some(&open) = self.stack.last() {
                at = skip_space(line, at);
                match line.get(at) {
                    Some(b',') => {
                        at = skip_space(line, at + 1);
                        if open == b'{' {
                            at = self.key(&mut stops, at, &mut note)?;
                        }
                        continue 'value;
                    }
                    // In ASCII both closing brackets stand two after their opening ones.
                    Some(&close) if close == open + 2 => {
                        at += 1;
                        self.closed(at);
                    }
                    _ => return Err(Fault::Malformed(at)),
                }
            }
            break;
        }
        at = skip_space(line, at);
        if at != line.len() {
            return Err(Fault::Malformed(at));
        }
        if line.get(root) == Some(&b'{') { Ok(()) } else { Err(Fault::NotObject(root)) }
    }

    /// Reads `"key" :` at `at`, marks the fields it leads to, and gives the offset of its value.
    fn key(
        &mut self,
        stops: &mut Stops<'_>,
        at: usize,
        note: &mut impl FnMut(&[u8]),
    ) -> Result<usize, Fault> {
        let line = stops.line();
        if line.get(at) != Some(&b'"') {
            return Err(Fault::Malformed(at));
        }
        let key = string_at(stops, at)?;
        let raw = &line[key.start..key.end];
        let depth = self.stack.len();
        if depth == 1 {
            note(raw);
        }
        if depth <= self.deepest {
            let mut name = raw;
            if key.escaped {
                self.key.clear();
                // A key with half a surrogate pair equals no name a user can type.
                let whole = unescape(raw, &mut self.key).is_ok();
                name = if whole { &self.key } else { b"\\" };
            }
            for target in &mut self.targets {
                let step = target.path.get(depth - 1);
                if target.matched + 1 == depth && step.is_some_and(|step| step == name) {
                    target.pending = true;
                    target.found = Found::Missing;
                }
            }
        }
        let colon = skip_space(line, key.end + 1);
        match line.get(colon) {
            Some(b':') => Ok(skip_space(line, colon + 1)),
            _ => Err(Fault::Malformed(colon)),
        }
    }

    /// Gives a scalar to the fields whose key was just read.
    fn set(&mut self, found: Found) {
        let depth = self.stack.len();
        if depth > self.deepest {
            return;
        }
        for target in &mut self.targets {
            if std::mem::take(&mut target.pending) && target.path.len() == depth {
                target.found = found;
            }
        }
    }

    /// A container has been opened: it is the value of a field, or the way to one.
    fn opened(&mut self, open: u8, start: usize) {
        // The key stood one level further out.
        let depth = self.stack.len() - 1;
        if depth > self.deepest {
            return;
        }
        for target in &mut self.targets {
            if std::mem::take(&mut target.pending) {
                if target.path.len() == depth {
                    target.found = Found::Other(start, start);
                    target.open = depth + 1;
                } else if open == b'{' {
                    target.matched = depth;
                }
            }
        }
    }

    /// The innermost container has been closed just before `end`.
    fn closed(&mut self, end: usize) {
        let depth = self.stack.len();
        self.stack.pop();
        if depth > self.deepest + 1 {
            return;
        }
        for target in &mut self.targets {
            if depth >= 2 {
                target.matched = target.matched.min(depth - 2);
            }
            if target.open == depth {
                target.open = 0;
                if let Found::Other(_, last) = &mut target.found {
                    *last = end;
                }
            }
        }
    }

    /// Reads a number or a literal at `at` and gives the offset after it.
    fn scalar(&mut self, line: &[u8], at: usize) -> Result<usize, Fault> {
        let rest = &line[at..];
        for (literal, number) in [
            ("true", false),
            ("false", false),
            ("NaN", true),
            ("Infinity", true),
            ("-Infinity", true),
        ] {
            if rest.starts_with(literal.as_bytes()) {
                let end = at + literal.len();
                self.set(if number { Found::Number(at, end) } else { Found::Other(at, end) });
                return Ok(end);
            }
        }
        if rest.starts_with(b"null") {
            self.set(Found::Null(at));
            return Ok(at + 4);
        }
        let end = number_end(line, at)?;
        self.set(Found::Number(at, end));
        Ok(end)
    }
}

fn string_at(stops: &mut Stops<'_>, quote: usize) -> Result<Span, Fault> {
    span(stops, quote + 1).map_err(|bad| Fault::Malformed(bad.at))
}

/// First offset from `at` on that holds no JSON white space.
pub(crate) fn skip_space(line: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\r' | b'\n') = line.get(at) {
        at += 1;
    }
    at
}

/// End of the number at `at`: `-? (0 | [1-9] digits) (. digits)? ([eE] [+-]? digits)?`.
fn number_end(line: &[u8], at: usize) -> Result<usize, Fault> {
    let digits = |from: usize| {
        let rest = line.get(from..).unwrap_or_default();
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 { Err(Fault::Malformed(from)) } else { Ok(from + count) }
    };
    let mut end = at + usize::from(line.get(at) == Some(&b'-'));
    end = if line.get(end) == Some(&b'0') { end + 1 } else { digits(end)? };
    if line.get(end) == Some(&b'.') {
        end = digits(end + 1)?;
    }
    if let Some(b'e' | b'E') = line.get(end) {
        end = digits(end + 1 + usize::from(matches!(line.get(end + 1), Some(b'+' | b'-'))))?;
    }
    Ok(end)
}

#[cfg(test)]
mod tests;
