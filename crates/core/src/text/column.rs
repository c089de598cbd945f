//! Texts in the three string layouts of Arrow (Columnar Format 1.5), read without trusting a number.
//!
//! Which rows are null is the caller's business: rows to be read are asked for one by one.

use super::given::{Row, Tokens};
use crate::{Error, Result};

/// A column of strings, borrowed from Arrow buffers.
#[derive(Clone)]
pub enum Column<'a> {
    /// `Utf8`: row i is `data[offsets[i]..offsets[i + 1]]`.
    Utf8 {
        /// The bytes of all rows.
        data: &'a [u8],
        /// One more than there are rows.
        offsets: &'a [i32],
    },
    /// `LargeUtf8`: as `Utf8` with wide offsets.
    Large {
        /// The bytes of all rows.
        data: &'a [u8],
        /// One more than there are rows.
        offsets: &'a [i64],
    },
    /// `Utf8View`: 16 bytes a row: the length, then the bytes if at most 12, else four bytes of prefix,
    /// the number of a buffer and the offset in it, little-endian.
    View {
        /// 16 bytes a row.
        views: &'a [u8],
        /// The buffers the views point into.
        buffers: Vec<&'a [u8]>,
    },
    /// `LargeUtf8`, and the tokens of each row.
    Tokenized {
        /// The bytes of all rows.
        data: &'a [u8],
        /// One more than there are rows.
        offsets: &'a [i64],
        /// As many rows of tokens.
        tokens: &'a Tokens,
    },
}

/// A text to be read, with its tokens where somebody else has cut it.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The text.
    pub text: &'a str,
    /// Its tokens.
    pub tokens: Option<Row<'a>>,
}

impl<'a, T: AsRef<str> + ?Sized> From<&'a T> for Input<'a> {
    fn from(text: &'a T) -> Self {
        Input { text: text.as_ref(), tokens: None }
    }
}

impl<'a> Column<'a> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Utf8 { offsets, .. } => offsets.len().saturating_sub(1),
            Column::Large { offsets, .. } => offsets.len().saturating_sub(1),
            Column::Tokenized { offsets, .. } => offsets.len().saturating_sub(1),
            Column::View { views, .. } => views.len() / 16,
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of row `i`; an error if the layout does not hold together.
    pub fn get(&self, i: usize) -> Result<&'a [u8]> {
        if i >= self.len() {
            return Err(Error::argument(format!(
                "row {i} is beyond the column of {} rows; ask for a smaller one",
                self.len()
            )));
        }
        match self {
            Column::Utf8 { data, offsets } => {
                slice(data, i, offsets[i].into(), offsets[i + 1].into())
            }
            Column::Large { data, offsets } | Column::Tokenized { data, offsets, .. } => {
                slice(data, i, offsets[i], offsets[i + 1])
            }
            Column::View { views, buffers } => view(&views[16 * i..16 * i + 16], i, buffers),
        }
    }

    /// The text of row `i` with its tokens, if they are here.
    pub fn input(&self, i: usize) -> Result<Input<'a>> {
        let tokens = match self {
            Column::Tokenized { tokens, .. } => Some(tokens.row(i)),
            _ => None,
        };
        Ok(Input { text: self.text(i)?, tokens })
    }

    /// The text of row `i`; an error that names the row if it is not UTF-8.
    pub fn text(&self, i: usize) -> Result<&'a str> {
        let bytes = self.get(i)?;
        simdutf8::basic::from_utf8(bytes).map_err(|_| {
            // The faster check does not say where.
            let valid = simdutf8::compat::from_utf8(bytes).map_or_else(|e| e.valid_up_to(), str::len);
            Error::data(format!(
                "row {i}: the text is not UTF-8 from its byte {valid} on; decode it first, or leave the row out"
            ))
        })
    }
}

fn slice(data: &[u8], row: usize, begin: i64, end: i64) -> Result<&[u8]> {
    let range = usize::try_from(begin).ok().zip(usize::try_from(end).ok());
    range.and_then(|(begin, end)| data.get(begin..end)).ok_or_else(|| {
        Error::data(format!(
            "row {row}: offsets {begin} to {end} do not fit a buffer of {} bytes; the Arrow array is damaged",
            data.len()
        ))
    })
}

fn view<'a>(view: &'a [u8], row: usize, buffers: &[&'a [u8]]) -> Result<&'a [u8]> {
    let int = |at: usize| {
        let bytes = view.get(at..).and_then(|v| v.first_chunk::<4>());
        bytes.map_or(-1, |&b| i64::from(i32::from_le_bytes(b)))
    };
    let (len, buffer, offset) = (int(0), int(8), int(12));
    if let 0..=12 = len {
        return slice(view, row, 4, 4 + len);
    }
    match usize::try_from(buffer).ok().and_then(|b| buffers.get(b)) {
        Some(data) => slice(data, row, offset, offset + len),
        None => Err(Error::data(format!(
            "row {row}: its view names buffer {buffer}, there are {}; the Arrow array is damaged",
            buffers.len()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn long_view(len: i32, buffer: i32, offset: i32) -> Vec<u8> {
        [len.to_le_bytes(), *b"xxxx", buffer.to_le_bytes(), offset.to_le_bytes()].concat()
    }

    #[test]
    fn three_layouts() {
        let data = "abcé and a longer text".as_bytes();
        let small = Column::Utf8 { data, offsets: &[0, 3, 3, 5] };
        let large = Column::Large { data, offsets: &[0, 3, 3, 5] };
        let mut views = [3i32.to_le_bytes(), *b"abc\0", [0; 4], [0; 4]].concat();
        views.extend([0; 16]);
        views.extend([2i32.to_le_bytes(), [0xC3, 0xA9, 0, 0], [0; 4], [0; 4]].concat());
        views.extend(long_view(17, 0, 6));
        let view = Column::View { views: &views, buffers: vec![data] };
        for column in [&small, &large, &view] {
            let texts: Vec<&str> = (0..3).map(|i| column.text(i).unwrap()).collect();
            assert_eq!(texts, ["abc", "", "é"]);
            assert!(column.get(9).is_err() && !column.is_empty());
        }
        assert_eq!(view.text(3).unwrap(), "and a longer text");
        assert_eq!(Column::Utf8 { data, offsets: &[] }.len(), 0);
        let cut = Column::Utf8 { data, offsets: &[0, 4] };
        assert!(cut.text(0).unwrap_err().to_string().starts_with("row 0: the text is not UTF-8"));
    }

    #[test]
    fn damage_is_an_error_that_names_the_row() {
        let data = b"abc".as_slice();
        for offsets in [[0, 4], [-1, 2], [2, 1], [i32::MIN, i32::MAX]] {
            let error = Column::Utf8 { data, offsets: &offsets }.get(0).unwrap_err();
            assert!(error.to_string().starts_with("row 0: offsets"), "{error}");
        }
        for (len, buffer, offset) in [(13, 1, 0), (13, -1, 0), (13, 0, 0), (-5, 0, 0), (20, 0, -3)]
        {
            let views = long_view(len, buffer, offset);
            let column = Column::View { views: &views, buffers: vec![data] };
            assert!(column.get(0).is_err(), "{len} {buffer} {offset}");
        }
    }

    proptest! {
        #[test]
        fn no_number_makes_it_panic(views: Vec<u8>, narrow: Vec<i32>, wide: Vec<i64>, data: Vec<u8>) {
            let columns = [
                Column::Utf8 { data: &data, offsets: &narrow },
                Column::Large { data: &data, offsets: &wide },
                Column::View { views: &views, buffers: vec![&data] },
            ];
            for column in columns {
                for i in 0..column.len() + 1 {
                    let _ = column.text(i);
                }
            }
        }
    }
}
