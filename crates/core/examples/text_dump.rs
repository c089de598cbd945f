//! Prints what a text spec makes of texts, for comparison with another implementation.
//!
//! `text_dump NORMALIZE SHINGLE HASH`: each line of standard input is the hexadecimal UTF-8 of one text;
//! each line of the answer is its normalised text in hexadecimal, its tokens likewise, comma between,
//! and its shingles as decimal numbers; tabs stand between the three.

use std::io::{self, BufRead, Write};

use neardup_core::text::{Shingler, TextSpec};
use neardup_core::{Error, Result};

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let options: Vec<String> = std::env::args().skip(1).collect();
    let [normalize, shingle, hash] = options.as_slice() else {
        return Err("usage: text_dump NORMALIZE SHINGLE HASH < hexadecimal lines".into());
    };
    let spec = TextSpec::parse(normalize, shingle, hash)?;
    let mut shingler = Shingler::new(&spec);
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let text = String::from_utf8(from_hex(&line?)?)?;
        let tokens: Vec<String> =
            shingler.tokens(&text).iter().map(|t| to_hex(t.as_bytes())).collect();
        let document = shingler.run(&text);
        let shingles: Vec<String> = document.shingles.iter().map(u64::to_string).collect();
        let normalized = to_hex(document.normalized);
        writeln!(out, "{normalized}\t{}\t{}", tokens.join(","), shingles.join(","))?;
        out.flush()?;
    }
    Ok(())
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn from_hex(line: &str) -> Result<Vec<u8>> {
    let pair = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(text, 16).ok()
    };
    let bytes: Option<Vec<u8>> = line.trim().as_bytes().chunks(2).map(pair).collect();
    bytes.ok_or_else(|| Error::data(format!("not hexadecimal: {line:?}; write two digits a byte")))
}
