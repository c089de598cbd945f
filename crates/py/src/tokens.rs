//! Python tokens to 64-bit hashes: str and bytes by their bytes, integers by value, nothing else.

use neardup_core::hash;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyList, PyString};

use crate::call::{type_error, value_error};

/// Tokens fetched before the first is hashed: far apart in memory, they are waited for together.
const BLOCK: usize = 64;

/// Appends the hashes of the tokens of one row; `row` is its number, for messages.
pub fn extend(
    row: &Bound<'_, PyAny>,
    number: Option<usize>,
    prehashed: bool,
    out: &mut Vec<u64>,
) -> PyResult<()> {
    let py = row.py();
    if let Ok(list) = row.cast_exact::<PyList>() {
        return listed(list, number, prehashed, out);
    }
    if row.is_instance_of::<PyString>() || row.is_instance_of::<PyBytes>() {
        return Err(type_error(
            py,
            format!(
                "{}a bare {} is not a row of tokens; pass its tokens, for example text.split(), or \
                 use neardup.sketch([text]) which cuts texts into shingles",
                place(number),
                row.get_type().name()?
            ),
        ));
    }
    if numeric_array(row, prehashed, out)? {
        return Ok(());
    }
    let length = row.len().ok();
    let before = out.len();
    let mut items = row.try_iter().map_err(|_| {
        let kind = row.get_type().name().map_or_else(|_| "object".into(), |n| n.to_string());
        type_error(py, format!("{}a row must be an iterable of tokens, got {kind}", place(number)))
    })?;
    let mut block = Vec::with_capacity(BLOCK);
    loop {
        while block.len() < BLOCK
            && let Some(item) = items.next()
        {
            block.push(item?);
        }
        if block.is_empty() {
            break;
        }
        for item in block.drain(..) {
            out.push(any_token(&item, number, prehashed)?);
        }
    }
    match length {
        Some(length) if row.len()? != length || out.len() - before != length => {
            Err(changed(py, number))
        }
        _ => Ok(()),
    }
}

/// The usual row, a list, mostly of str: without an iterator, and with as few calls a token as there can be.
fn listed(
    row: &Bound<'_, PyList>,
    number: Option<usize>,
    prehashed: bool,
    out: &mut Vec<u64>,
) -> PyResult<()> {
    let length = row.len();
    out.reserve(length);
    for i in 0..length {
        let item = row.get_item(i).map_err(|_| changed(row.py(), number))?;
        let text = if prehashed { None } else { item.cast_exact::<PyString>().ok() };
        out.push(match text.and_then(|text| text.to_str().ok()) {
            Some(text) => hash::token(text.as_bytes()),
            None => any_token(&item, number, prehashed)?,
        });
    }
    if row.len() == length { Ok(()) } else { Err(changed(row.py(), number)) }
}

fn any_token(item: &Bound<'_, PyAny>, row: Option<usize>, prehashed: bool) -> PyResult<u64> {
    if prehashed { prehashed_token(item, row) } else { token(item, row) }
}

fn changed(py: Python<'_>, row: Option<usize>) -> PyErr {
    value_error(py, format!("{}the row changed while it was read; pass a copy", place(row)))
}

/// One token; equal str and UTF-8 bytes are the same token, an integer never is one of them.
fn token(item: &Bound<'_, PyAny>, row: Option<usize>) -> PyResult<u64> {
    if let Ok(text) = item.cast::<PyString>() {
        return match text.to_str() {
            Ok(text) => Ok(hash::token(text.as_bytes())),
            Err(_) => Err(value_error(
                item.py(),
                format!(
                    "{}the token {} holds a lone surrogate and has no UTF-8 form; encode it first, \
                     for example with errors='surrogatepass'",
                    place(row),
                    item.repr()?
                ),
            )),
        };
    }
    if let Ok(bytes) = item.cast::<PyBytes>() {
        return Ok(hash::token(bytes.as_bytes()));
    }
    let Some(integer) = integer(item)? else {
        if let Ok(bytes) = item.cast::<PyByteArray>() {
            return Ok(hash::token(&bytes.to_vec()));
        }
        return Err(refused(item, row, "a token is a str, bytes or an integer"));
    };
    if let Ok(value) = integer.extract::<u64>() {
        return Ok(hash::unsigned(value));
    }
    match integer.extract::<i64>() {
        Ok(value) => Ok(hash::negative(value)),
        Err(_) => Err(out_of_range(item, row, "from -2^63 to 2^64-1")?),
    }
}

fn prehashed_token(item: &Bound<'_, PyAny>, row: Option<usize>) -> PyResult<u64> {
    let Some(integer) = integer(item)? else {
        return Err(refused(item, row, "with prehashed=True a token is an integer"));
    };
    match integer.extract::<u64>() {
        Ok(value) => Ok(value),
        Err(error) if error.is_instance_of::<PyOverflowError>(item.py()) => {
            Err(out_of_range(item, row, "from 0 to 2^64-1")?)
        }
        Err(error) => Err(error),
    }
}

/// The item as a Python int, if it is an integer (numpy's included) and not a bool.
fn integer<'py>(item: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if item.is_instance_of::<PyBool>() {
        return Ok(None);
    }
    if item.is_instance_of::<PyInt>() {
        return Ok(Some(item.clone()));
    }
    if !item.hasattr("__index__")? || item.get_type().name()?.to_string().starts_with("bool") {
        return Ok(None);
    }
    match item.call_method0("__index__") {
        Ok(value) => Ok(Some(value)),
        Err(_) => Ok(None),
    }
}

/// A one-dimensional numpy array of integers is read without making objects; false if it is none.
fn numeric_array(row: &Bound<'_, PyAny>, prehashed: bool, out: &mut Vec<u64>) -> PyResult<bool> {
    if let Ok(array) = row.cast::<PyArrayDyn<u64>>()
        && array.ndim() == 1
        && array.is_aligned()
    {
        let array = array.readonly();
        let values = array.as_array();
        out.extend(values.iter().map(|&v| if prehashed { v } else { hash::unsigned(v) }));
        return Ok(true);
    }
    if let Ok(array) = row.cast::<PyArrayDyn<i64>>()
        && array.ndim() == 1
        && array.is_aligned()
        && !prehashed
    {
        let array = array.readonly();
        out.extend(array.as_array().iter().map(|&v| signed(v)));
        return Ok(true);
    }
    Ok(false)
}

/// Hash of an integer token that fits a signed word.
pub fn signed(value: i64) -> u64 {
    if value < 0 { hash::negative(value) } else { hash::unsigned(value as u64) }
}

fn refused(item: &Bound<'_, PyAny>, row: Option<usize>, rule: &str) -> PyErr {
    let kind = item.get_type().name().map_or_else(|_| "object".into(), |n| n.to_string());
    let shown = shorten(item);
    type_error(item.py(), format!("{}{rule}, got {kind} {shown}", place(row)))
}

fn out_of_range(item: &Bound<'_, PyAny>, row: Option<usize>, range: &str) -> PyResult<PyErr> {
    let shown = shorten(item);
    let text = format!("{}an integer token lies {range}, got {shown}", place(row));
    Ok(value_error(item.py(), text))
}

fn shorten(item: &Bound<'_, PyAny>) -> String {
    let shown = item.repr().map_or_else(|_| "?".into(), |r| r.to_string());
    if shown.chars().count() <= 40 {
        return shown;
    }
    shown.chars().take(40).chain("...".chars()).collect()
}

fn place(row: Option<usize>) -> String {
    row.map_or_else(String::new, |row| format!("row {row}: "))
}
