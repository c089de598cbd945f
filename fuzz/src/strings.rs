//! The flat strings of a block as slices, after a check that they are what they claim to be.

use neardup_core::jsonl::Strings;

/// Each string; offsets begin with 0, never decrease, end with the data, and every string is UTF-8.
pub fn strings(strings: &Strings) -> Vec<&str> {
    assert_eq!(strings.offsets.first(), Some(&0));
    assert_eq!(strings.offsets.last(), Some(&(strings.data.len() as i64)));
    let slice = |w: &[i64]| std::str::from_utf8(&strings.data[w[0] as usize..w[1] as usize]);
    strings.offsets.windows(2).map(|w| slice(w).expect("UTF-8")).collect()
}
