//! Buckets of equal keys that grow and shrink one entry at a time: chained hash tables side by side, a column a band.
//!
//! A link is a 32-bit key and the next entry of its chain: 8 bytes an entry and column, and 4 to 8 for the heads.
//! The links of an entry lie together. Chains begin with the newest entry, and stay so when the tables double.

/// Ends a chain.
const END: u32 = u32::MAX;
/// An entry that is not in a column.
const OUT: u32 = u32::MAX - 1;
/// Entries there may be.
pub(super) const MOST: usize = OUT as usize;

#[derive(Clone, Copy, Debug)]
struct Link {
    key: u32,
    next: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Links {
    columns: usize,
    /// Each column has 2^bits heads.
    bits: u32,
    heads: Vec<u32>,
    links: Vec<Link>,
    live: usize,
}

impl Links {
    pub(super) fn new(columns: usize) -> Self {
        Self { columns, bits: 4, heads: vec![END; columns << 4], links: Vec::new(), live: 0 }
    }

    /// Enters `entry`, which is not there, under a key in each column that has one.
    pub(super) fn insert(&mut self, entry: u32, keys: impl Iterator<Item = Option<u32>>) {
        let first = entry as usize * self.columns;
        if self.links.len() < first + self.columns {
            self.links.resize(first + self.columns, Link { key: 0, next: OUT });
        }
        if self.live >> self.bits != 0 && self.bits < 31 {
            self.double();
        }
        self.live += 1;
        for (column, key) in keys.take(self.columns).enumerate() {
            self.links[first + column] = match key {
                Some(key) => {
                    let place = self.place(column, key);
                    Link { key, next: std::mem::replace(&mut self.heads[place], entry) }
                }
                None => Link { key: 0, next: OUT },
            };
        }
    }

    /// Takes `entry` out of every column.
    pub(super) fn remove(&mut self, entry: u32) {
        self.live -= 1;
        for column in 0..self.columns {
            let Link { key, next } = self.links[entry as usize * self.columns + column];
            if next == OUT {
                continue;
            }
            let place = self.place(column, key);
            if self.heads[place] == entry {
                self.heads[place] = next;
                continue;
            }
            let mut at = self.heads[place];
            while at != END {
                let link = &mut self.links[at as usize * self.columns + column];
                if link.next == entry {
                    link.next = next;
                    break;
                }
                at = link.next;
            }
        }
    }

    /// The entries under a key of a column, the newest first.
    pub(super) fn find(&self, column: usize, key: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.heads[self.place(column, key)];
        std::iter::from_fn(move || {
            while at != END {
                let (entry, link) = (at, self.links[at as usize * self.columns + column]);
                at = link.next;
                if link.key == key {
                    return Some(entry);
                }
            }
            None
        })
    }

    /// The key of an entry in a column.
    pub(super) fn key(&self, entry: u32, column: usize) -> u32 {
        self.links[entry as usize * self.columns + column].key
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        4 * self.heads.capacity() + 8 * self.links.capacity()
    }

    /// Twice the heads: each chain falls into two, in the order it had.
    fn double(&mut self) {
        let old = std::mem::take(&mut self.heads);
        self.bits += 1;
        self.heads = vec![END; self.columns << self.bits];
        for (chain, head) in old.into_iter().enumerate() {
            let column = chain >> (self.bits - 1);
            let mut last = [END; 2];
            let mut at = head;
            while at != END {
                let index = at as usize * self.columns + column;
                let Link { key, next } = self.links[index];
                let place = self.place(column, key);
                match &mut last[place & 1] {
                    tail if *tail == END => self.heads[place] = at,
                    tail => self.links[*tail as usize * self.columns + column].next = at,
                }
                last[place & 1] = at;
                self.links[index].next = END;
                at = next;
            }
        }
    }

    fn place(&self, column: usize, key: u32) -> usize {
        (column << self.bits) + (key >> (32 - self.bits)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;
    use std::collections::BTreeMap;

    #[test]
    fn equal_to_a_map_of_lists() {
        let mut links = Links::new(2);
        let mut model: BTreeMap<(usize, u32), Vec<u32>> = BTreeMap::new();
        let key = |entry: u32, column: usize| {
            let draw = splitmix(column as u64, u64::from(entry)) as u32;
            // Few keys of many entries, keys that share their top bits, and a column left out.
            (column == 0 || !entry.is_multiple_of(5)).then_some(draw % 50 * 0x0400_0001)
        };
        let keys = |entry| (0..2).map(move |column| key(entry, column));
        for step in 0..3000u32 {
            let gone = splitmix(9, step.into()) as u32 % (step + 1);
            if step % 3 == 2
                && model.get(&(0, key(gone, 0).unwrap())).is_some_and(|l| l.contains(&gone))
            {
                links.remove(gone);
                for column in 0..2 {
                    if let Some(key) = key(gone, column) {
                        model.get_mut(&(column, key)).unwrap().retain(|&entry| entry != gone);
                    }
                }
            }
            links.insert(step, keys(step));
            for column in 0..2 {
                if let Some(key) = key(step, column) {
                    model.entry((column, key)).or_default().insert(0, step);
                    assert_eq!(links.key(step, column), key);
                }
            }
        }
        for ((column, key), entries) in &model {
            assert_eq!(&links.find(*column, *key).collect::<Vec<_>>(), entries);
            assert_eq!(links.find(*column, key ^ 1 << 20).count(), 0);
        }
    }
}
