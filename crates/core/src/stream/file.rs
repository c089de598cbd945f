//! A store as plain arrays, and back; what does not hold together is refused.

use super::links::MOST;
use super::reader::Item;
use super::store::{Content, Document, NOBODY, Rule, Store};
use crate::{Error, Result};

/// The documents of a store in order of their numbers, and its groups in order of their first documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrays {
    /// Number of each document, ascending.
    pub numbers: Vec<u64>,
    /// Time of each document.
    pub times: Vec<f64>,
    /// Group of each document.
    pub group: Vec<u32>,
    /// How many values each group has; 0 for a text without a token, which has the two words of a digest.
    pub length: Vec<u32>,
    /// The band keys of each group that is not blank.
    pub keys: Vec<u32>,
    /// The shingles, slots or digest words of the groups, one after the other.
    pub values: Vec<u64>,
}

impl Store {
    /// The store as arrays.
    pub fn arrays(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let mut named = vec![u32::MAX; self.groups.len()];
        for (&number, document) in &self.documents {
            let at = document.group as usize;
            arrays.numbers.push(number);
            arrays.times.push(document.time);
            if named[at] == u32::MAX {
                named[at] = arrays.length.len() as u32;
                let before = arrays.values.len();
                match self.groups[at].as_ref().map(|group| &group.content) {
                    Some(Content::Set(set)) => arrays.values.extend_from_slice(set),
                    Some(Content::Signature(slots)) => {
                        arrays.values.extend(slots.iter().map(|&slot| u64::from(slot)));
                    }
                    Some(Content::Blank(digest)) => {
                        arrays.values.extend([*digest as u64, (digest >> 64) as u64]);
                        arrays.length.push(0);
                    }
                    None => {}
                }
                if arrays.length.len() == named[at] as usize {
                    arrays.length.push((arrays.values.len() - before) as u32);
                    let bands = 0..self.rule.bands;
                    arrays.keys.extend(bands.map(|band| self.links.key(document.group, band)));
                }
            }
            arrays.group.push(named[at]);
        }
        arrays
    }

    /// The store that [`Store::arrays`] described; `size` is that of its signatures, if it holds them.
    pub fn of_arrays(rule: Rule, arrays: &Arrays, size: Option<usize>) -> Result<Self> {
        let Arrays { numbers, times, group, length, keys, values } = arrays;
        let n = numbers.len();
        if times.len() != n || group.len() != n || length.len() > n.min(MOST) {
            return Err(inconsistent("its documents do not add up"));
        }
        if numbers.windows(2).any(|pair| pair[0] >= pair[1]) || numbers.last() == Some(&NOBODY) {
            return Err(inconsistent("its documents are out of order"));
        }
        if times.iter().any(|time| time.is_nan()) {
            return Err(inconsistent("a document has no time"));
        }
        let mut store = Self::new(rule);
        let (mut keys, mut values) = (keys.as_slice(), values.as_slice());
        for &length in length {
            let blank = length == 0;
            let count = if blank { 2 } else { length as usize };
            let content = take(&mut values, count)?;
            let item = Item {
                keys: if blank { Vec::new() } else { take(&mut keys, rule.bands)?.to_vec() },
                content: match size {
                    _ if blank => {
                        Content::Blank(u128::from(content[0]) | u128::from(content[1]) << 64)
                    }
                    Some(size) => {
                        let slots = content.iter().filter_map(|&slot| u32::try_from(slot).ok());
                        let slots: Box<[u32]> = slots.collect();
                        if slots.len() != size || count != size {
                            return Err(inconsistent("a signature has not its slots"));
                        }
                        Content::Signature(slots)
                    }
                    None if content.windows(2).all(|pair| pair[0] < pair[1]) => {
                        Content::Set(content.into())
                    }
                    None => return Err(inconsistent("shingles are out of order")),
                },
            };
            store.found(item)?;
        }
        if !keys.is_empty() || !values.is_empty() {
            return Err(inconsistent("there is more in it than its documents"));
        }
        let mut seen = 0;
        for ((&number, &time), &group) in numbers.iter().zip(times).zip(group) {
            // Groups are numbered as they come, so none is without a document.
            if group > seen || group as usize >= length.len() {
                return Err(inconsistent("a document belongs to no text"));
            }
            seen += u32::from(group == seen);
            store.documents.insert(number, Document { group, time, next: NOBODY });
            store.join(group, number);
        }
        if seen as usize != length.len() {
            return Err(inconsistent("a text belongs to no document"));
        }
        Ok(store)
    }
}

fn take<'a, T>(rest: &mut &'a [T], count: usize) -> Result<&'a [T]> {
    let (taken, after) =
        rest.split_at_checked(count).ok_or_else(|| inconsistent("a text is cut short"))?;
    *rest = after;
    Ok(taken)
}

fn inconsistent(what: &str) -> Error {
    Error::data(format!("stream is inconsistent: {what}"))
}
