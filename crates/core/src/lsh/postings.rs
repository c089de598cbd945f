//! Postings: 64-bit keys and the ids entered under each; sorted runs, merged as they grow (O'Neil et al. 1996, LSM-tree).
//!
//! Keys must be uniform. Ids come in ascending order, so what is found under a key is ascending too. 12.1 bytes an entry.

use super::bands::NO_KEY;
use super::run::Run;
use crate::error::{Error, Result};

/// Keys, and the id of each, as a file holds them.
pub type Entries = (Vec<u64>, Vec<u32>);

/// A growing multimap from keys to ids.
#[derive(Clone, Debug, Default)]
pub struct Postings {
    /// Oldest and longest first.
    runs: Vec<Run>,
}

impl Postings {
    /// Whether there is room for `more` entries.
    pub fn check_room(&self, more: usize) -> Result<()> {
        if self.len().saturating_add(more) > u32::MAX as usize {
            return Err(Error::argument(format!(
                "{more} more entries would exceed the {} of one list; split the index",
                u32::MAX
            )));
        }
        Ok(())
    }

    /// Enters ids that are all above those entered before, an entry given twice once. The caller has asked for room.
    pub fn insert(&mut self, mut entries: Vec<(u64, u32)>) {
        entries.sort_unstable();
        entries.dedup();
        let ids = entries.iter().map(|entry| entry.1).collect();
        self.push(Run::new(entries.iter().map(|entry| entry.0).collect(), ids));
    }

    /// Enters all of another's, each id raised by `shift`, which is above every id entered before.
    pub fn append(&mut self, other: &Self, shift: u32) {
        let (keys, ids) = other.entries();
        self.push(Run::new(keys, ids.iter().map(|id| id + shift).collect()));
    }

    /// The ids under a key, ascending, in pieces.
    pub fn get(&self, key: u64) -> impl Iterator<Item = &[u32]> {
        self.runs.iter().map(move |run| run.get(key))
    }

    /// Entries.
    pub fn len(&self) -> usize {
        self.runs.iter().map(Run::len).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.runs.iter().map(Run::bytes).sum()
    }

    /// All entries in order of (key, id).
    pub fn entries(&self) -> Entries {
        let newest = Run::default();
        let all =
            self.runs.iter().rev().fold(newest, |newer, run| Run::merge(run, &newer, |_| false));
        (all.keys().to_vec(), all.ids().to_vec())
    }

    /// The postings of these entries; whatever is not what [`Postings::entries`] gave for ids below `next` is refused.
    pub fn of(keys: &[u64], ids: &[u32], next: u32) -> Result<Self> {
        let order = |i: usize| (keys[i], ids[i]);
        let sound = keys.len() == ids.len()
            && keys.len() <= u32::MAX as usize
            && !keys.contains(&NO_KEY)
            && ids.iter().all(|&id| id < next)
            && (1..keys.len()).all(|i| order(i - 1) < order(i));
        if !sound {
            return Err(Error::data("the entries of an index are out of order, or name no row"));
        }
        let mut all = Self::default();
        all.push(Run::new(keys.to_vec(), ids.to_vec()));
        Ok(all)
    }

    fn push(&mut self, run: Run) {
        if run.len() > 0 {
            self.runs.push(run);
        }
        while let [.., older, newer] = &self.runs[..]
            && older.len() <= 2 * newer.len()
        {
            let merged = Run::merge(older, newer, |_| false);
            self.runs.truncate(self.runs.len() - 2);
            self.runs.push(merged);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;

    fn found(postings: &Postings, key: u64) -> Vec<u32> {
        postings.get(key).flatten().copied().collect()
    }

    #[test]
    fn what_was_entered_in_any_batches_is_found() {
        let key = |i: u32| splitmix(3, u64::from(i) % 40).max(1);
        for batch in [1, 7, 300] {
            let mut postings = Postings::default();
            for first in (0..300).step_by(batch) {
                let rows = first..(first + batch as u32).min(300);
                postings.insert(rows.map(|i| (key(i), i)).collect());
            }
            for i in 0..40 {
                let expected: Vec<u32> = (i..300).step_by(40).collect();
                assert_eq!(found(&postings, key(i)), expected);
            }
            assert_eq!((postings.len(), found(&postings, 5)), (300, vec![]));
            let (keys, ids) = postings.entries();
            let again = Postings::of(&keys, &ids, 300).unwrap();
            assert_eq!(again.entries(), (keys, ids));
            let mut twice = again.clone();
            twice.append(&again, 300);
            assert_eq!(found(&twice, key(3)).len(), 2 * found(&again, key(3)).len());
        }
    }

    #[test]
    fn an_entry_given_twice_is_there_once() {
        let mut postings = Postings::default();
        postings.insert(vec![(7, 1), (7, 0), (7, 1)]);
        assert_eq!((postings.len(), found(&postings, 7)), (2, vec![0, 1]));
    }

    #[test]
    fn entries_that_do_not_hold_together_are_refused() {
        for (keys, ids) in [
            (&[1, 2][..], &[0][..]),
            (&[2, 1], &[0, 0]),
            (&[1, 1], &[0, 0]),
            (&[1], &[3]),
            (&[NO_KEY], &[0]),
        ] {
            assert!(Postings::of(keys, ids, 3).is_err());
        }
        assert!(Postings::of(&[], &[], 0).unwrap().is_empty());
        assert!(Postings::default().check_room(1 << 33).is_err());
    }
}
