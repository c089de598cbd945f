//! A [`Table`] as bytes, and back: little-endian, versioned, checked to the last bit before it is believed.
//!
//! ```text
//! magic "ndtable\0"   version u32   size u32   bands u32   rows u32   next id u32   zero u32
//! removed             one bit for each id given out, in words of u64
//! entries u64         then for each band: keys u64[entries] in order of (key, id), ids u32[entries]
//! checksum u64        XXH3-64 of everything before it
//! ```
//!
//! Removed entries are left out and the runs of a band are merged, so equal histories give equal bytes.

use super::bands::NO_KEY;
use super::curve::Banding;
use super::run::Run;
use super::table::{Table, bit};
use crate::error::{Error, Result};
use crate::hash;

const MAGIC: &[u8; 8] = b"ndtable\0";
const VERSION: u32 = 1;

impl Table {
    /// The index as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let Banding { bands, rows } = self.banding;
        for value in [VERSION, self.size as u32, bands as u32, rows as u32, self.next, 0] {
            out.extend(value.to_le_bytes());
        }
        out.extend(self.removed.iter().flat_map(|word| word.to_le_bytes()));
        for (band, runs) in self.runs.iter().enumerate() {
            let gone = |id| bit(&self.removed, id);
            // From the short end, as inserts merge; the last step drops what was removed from every run.
            let newer = runs
                .iter()
                .rev()
                .fold(Run::default(), |newer, older| Run::merge(older, &newer, gone));
            if band == 0 {
                out.reserve(newer.len() * 12 * bands);
                out.extend((newer.len() as u64).to_le_bytes());
            }
            out.extend(newer.keys().iter().flat_map(|key| key.to_le_bytes()));
            out.extend(newer.ids().iter().flat_map(|id| id.to_le_bytes()));
        }
        let checksum = hash::token(&out);
        out.extend(checksum.to_le_bytes());
        out
    }

    /// The index that [`Table::to_bytes`] wrote. Whatever is not exactly that is refused with the reason.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        if bytes.get(..8) != Some(MAGIC) {
            return Err(Error::data(format!(
                "not an LSH table: {} bytes that do not begin with {:?}",
                bytes.len(),
                MAGIC.escape_ascii().to_string()
            )));
        }
        let mut reader = Reader { bytes, at: 8 };
        let version = reader.u32()?;
        if version != VERSION {
            return Err(Error::data(format!(
                "LSH table of version {version}; this program reads version {VERSION}"
            )));
        }
        let Some((body, checksum)) = bytes.split_last_chunk::<8>().filter(|(b, _)| b.len() >= 32)
        else {
            return Err(truncated(bytes.len()));
        };
        if hash::token(body) != u64::from_le_bytes(*checksum) {
            return Err(Error::data(
                "LSH table is damaged: its checksum does not match its bytes (truncated or altered)",
            ));
        }
        reader.bytes = body;
        let (size, bands, rows) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let (next, zero) = (reader.u32()?, reader.u32()?);
        let banding = Banding { bands: bands as usize, rows: rows as usize };
        let mut table = Table::new(size as usize, banding)
            .map_err(|error| Error::data(format!("LSH table is inconsistent: {error}")))?;
        table.removed = reader.numbers((next as usize).div_ceil(64), u64::from_le_bytes)?;
        let stray = next % 64 != 0 && table.removed.last().is_some_and(|w| w >> (next % 64) != 0);
        if stray || zero != 0 {
            return Err(inconsistent("bits that mean nothing are set"));
        }
        table.next = next;
        let gone: u32 = table.removed.iter().map(|word| word.count_ones()).sum();
        table.live = (next - gone) as usize;
        let entries = usize::try_from(reader.u64()?).unwrap_or(usize::MAX);
        if entries > table.live {
            return Err(inconsistent("there are more entries than rows"));
        }
        for runs in &mut table.runs {
            let keys = reader.numbers(entries, u64::from_le_bytes)?;
            let ids = reader.numbers(entries, u32::from_le_bytes)?;
            check(&keys, &ids, next, &table.removed)?;
            runs.extend((entries > 0).then(|| Run::new(keys, ids)));
        }
        match reader.bytes.len() - reader.at {
            0 => Ok(table),
            rest => Err(inconsistent(&format!("{rest} bytes too many"))),
        }
    }
}

/// What holds for the entries of every band.
fn check(keys: &[u64], ids: &[u32], next: u32, removed: &[u64]) -> Result<()> {
    if keys.contains(&NO_KEY) || ids.iter().any(|&id| id >= next || bit(removed, id)) {
        return Err(inconsistent("an entry names no row"));
    }
    let order = |i: usize| (keys[i], ids[i]);
    if (1..keys.len()).any(|i| order(i - 1) >= order(i)) {
        return Err(inconsistent("entries are out of order"));
    }
    Ok(())
}

fn inconsistent(what: &str) -> Error {
    Error::data(format!("LSH table is inconsistent: {what}"))
}

fn truncated(length: usize) -> Error {
    Error::data(format!("LSH table is truncated: it ends after {length} bytes"))
}

/// Takes numbers off a byte slice, never more than there are.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn numbers<T, const N: usize>(&mut self, n: usize, read: fn([u8; N]) -> T) -> Result<Vec<T>> {
        let end = n.checked_mul(N).and_then(|length| self.at.checked_add(length));
        let bytes = end.and_then(|end| self.bytes.get(self.at..end));
        let bytes = bytes.ok_or_else(|| truncated(self.bytes.len()))?;
        self.at += bytes.len();
        Ok(bytes.as_chunks::<N>().0.iter().map(|chunk| read(*chunk)).collect())
    }

    fn one<T, const N: usize>(&mut self, read: fn([u8; N]) -> T) -> Result<T> {
        let length = self.bytes.len();
        self.numbers(1, read)?.pop().ok_or_else(|| truncated(length))
    }

    fn u32(&mut self) -> Result<u32> {
        self.one(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64> {
        self.one(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;
    use crate::hash::splitmix;

    fn table() -> Table {
        let mut table = Table::new(5, Banding { bands: 2, rows: 2 }).unwrap();
        for batch in 0..5 {
            let slots: Vec<u32> = (0..5 * 9).map(|i| splitmix(batch, i) as u32 % 4).collect();
            table.insert(&slots, 1).unwrap();
        }
        table.insert(&[u32::MAX; 5], 1).unwrap();
        assert!(table.remove(3) && table.remove(40) && !table.remove(40));
        table
    }

    fn reseal(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.truncate(bytes.len() - 8);
        let checksum = hash::token(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    #[test]
    fn back_and_forth() {
        let table = table();
        let bytes = table.to_bytes();
        let mut loaded = Table::from_bytes(&bytes).unwrap();
        assert_eq!(loaded.to_bytes(), bytes);
        assert_eq!((loaded.len(), loaded.size(), loaded.banding()), (44, 5, table.banding()));
        for query in 0..4 {
            let expected = table.query(&[query; 5]).unwrap();
            assert_eq!(loaded.query(&[query; 5]).unwrap(), expected);
            assert!(!expected.contains(&3) && !expected.contains(&40));
        }
        // Ids go on where they were: removed ones never come back.
        assert_eq!(loaded.insert(&[1; 5], 1).unwrap(), 46);
        let empty = Table::new(1, Banding { bands: 1, rows: 1 }).unwrap();
        assert!(Table::from_bytes(&empty.to_bytes()).unwrap().is_empty());
    }

    #[test]
    fn truncated_flipped_and_foreign_are_refused() {
        let bytes = table().to_bytes();
        let kind = |bytes: &[u8]| Table::from_bytes(bytes).unwrap_err().kind();
        for length in 0..bytes.len() {
            assert_eq!(kind(&bytes[..length]), Kind::Data);
            // Even if the checksum is right.
            if length >= 8 {
                assert_eq!(kind(&reseal(bytes[..length].to_vec())), Kind::Data);
            }
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(kind(&flipped), Kind::Data);
            // A lie under a valid checksum: refused or harmless, never a crash.
            if let Ok(table) = Table::from_bytes(&reseal(flipped)) {
                table.query_batch(&vec![1; table.size() * 3], 1).unwrap();
            }
        }
        let error = Table::from_bytes(b"PK\x03\x04 something else entirely").unwrap_err();
        assert!(error.to_string().contains("not an LSH table"), "{error}");
        let mut later = bytes.clone();
        later[8] = 9;
        let error = Table::from_bytes(&later).unwrap_err().to_string();
        assert!(error.contains("version 9"), "{error}");
        let mut longer = bytes;
        longer.splice(40..40, [0; 12]);
        assert_eq!(kind(&reseal(longer)), Kind::Data);
    }
}
