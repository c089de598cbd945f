//! A sorted run: the (key, id) entries of one band, 12 bytes each, found through a directory of the top bits.
//!
//! Keys are uniform, so a directory of one offset for every [`SPAN`] entries leads to a few neighbouring
//! cache lines; the search within is binary, so even a run of equal keys is searched in logarithmic time.

/// Entries a directory place stands for: the directory costs 1/8 byte an entry.
const SPAN: usize = 32;

#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    keys: Vec<u64>,
    ids: Vec<u32>,
    directory: Vec<u32>,
    bits: u32,
}

impl Run {
    /// A run of entries in order of (key, id), as many keys as ids, fewer than 2^32.
    pub(super) fn new(keys: Vec<u64>, ids: Vec<u32>) -> Self {
        let bits = (keys.len() / SPAN).max(1).ilog2();
        let mut directory = Vec::with_capacity((1 << bits) + 1);
        for (i, &key) in keys.iter().enumerate() {
            while directory.len() <= place(key, bits) {
                directory.push(i as u32);
            }
        }
        directory.resize((1 << bits) + 1, keys.len() as u32);
        Self { keys, ids, directory, bits }
    }

    /// The ids entered under `key`, ascending.
    pub(super) fn get(&self, key: u64) -> &[u32] {
        let at = place(key, self.bits);
        let (start, end) = match self.directory.get(at..at + 2) {
            Some(&[start, end]) => (start as usize, end as usize),
            _ => return &[],
        };
        let window = &self.keys[start..end];
        let first = window.partition_point(|&k| k < key);
        let count = match window.get(first) {
            Some(&k) if k == key => window[first..].partition_point(|&k| k == key),
            _ => 0,
        };
        &self.ids[start + first..start + first + count]
    }

    /// The union of two runs without the ids that `gone` names; every id of `newer` is above those of `older`.
    pub(super) fn merge(older: &Run, newer: &Run, gone: impl Fn(u32) -> bool) -> Run {
        let total = older.len() + newer.len();
        let (mut keys, mut ids) = (Vec::with_capacity(total), Vec::with_capacity(total));
        let (mut i, mut j) = (0, 0);
        while i < older.len() || j < newer.len() {
            let from_older = match (older.keys.get(i), newer.keys.get(j)) {
                (Some(a), Some(b)) => a <= b,
                (a, _) => a.is_some(),
            };
            let (run, at) = if from_older { (older, &mut i) } else { (newer, &mut j) };
            let id = run.ids[*at];
            if !gone(id) {
                keys.push(run.keys[*at]);
                ids.push(id);
            }
            *at += 1;
        }
        keys.shrink_to_fit();
        ids.shrink_to_fit();
        Run::new(keys, ids)
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        8 * self.keys.capacity() + 4 * (self.ids.capacity() + self.directory.capacity())
    }
}

fn place(key: u64, bits: u32) -> usize {
    (key >> 1 >> (63 - bits)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;

    fn run(entries: &[(u64, u32)]) -> Run {
        Run::new(entries.iter().map(|e| e.0).collect(), entries.iter().map(|e| e.1).collect())
    }

    #[test]
    fn finds_what_was_entered_and_nothing_else() {
        for n in [0u32, 1, 5, 31, 64, 1000, 50_000] {
            let key = |i: u32| splitmix(3, u64::from(i) / 3);
            let mut entries: Vec<(u64, u32)> = (0..n).map(|i| (key(i), i)).collect();
            entries.push((u64::MAX, n));
            entries.push((1, n + 1));
            entries.sort_unstable();
            let run = run(&entries);
            assert_eq!(
                (run.get(u64::MAX), run.get(1), run.get(2)),
                (&[n][..], &[n + 1][..], &[][..])
            );
            for i in 0..n {
                let group: Vec<u32> = (i / 3 * 3..n.min(i / 3 * 3 + 3)).collect();
                assert_eq!(run.get(key(i)), group);
                assert!(run.get(key(i) ^ 1).is_empty());
            }
        }
        assert!(Run::default().get(9).is_empty());
        let equal = run(&(0..100_000).map(|i| (7 << 60, i)).collect::<Vec<_>>());
        assert_eq!(equal.get(7 << 60).len(), 100_000);
    }

    #[test]
    fn merges_in_order_without_the_gone() {
        let merged =
            Run::merge(&run(&[(1, 0), (5, 1), (5, 2)]), &run(&[(0, 4), (5, 3), (9, 5)]), |id| {
                id == 1
            });
        assert_eq!(merged.keys(), [0, 1, 5, 5, 9]);
        assert_eq!(merged.ids(), [4, 0, 2, 3, 5]);
    }
}
