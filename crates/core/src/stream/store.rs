//! The documents of a stream that are there: the best match of another one, additions, removals, age and number.
//!
//! Documents bear numbers that the caller gives, in order of arrival. Those of equal content form a group with one
//! entry in the bands; a group is a list through its documents, from the earliest on.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::links::{Links, MOST};
use super::reader::Item;
use crate::{Error, Result, hash, sketch, verify};

/// The number that no document has.
pub const NOBODY: u64 = u64::MAX;

/// What is compared of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Its shingles, ascending and distinct.
    Set(Box<[u64]>),
    /// Its signature.
    Signature(Box<[u32]>),
    /// Of a text without a token, the digest of its bytes.
    Blank(u128),
}

impl Content {
    /// The similarity, if it reaches `threshold`.
    fn passes(&self, other: &Content, threshold: f64) -> Option<f64> {
        match (self, other) {
            (Content::Set(a), Content::Set(b)) => {
                verify::passes(a, b, threshold).map(|(_, similarity)| similarity)
            }
            (Content::Signature(a), Content::Signature(b)) => {
                sketch::estimate(a, b).ok().filter(|&estimate| estimate >= threshold)
            }
            _ => None,
        }
    }

    /// Equal contents have equal digests.
    fn digest(&self) -> u32 {
        let odd = |i: usize| 0x9E37_79B9_7F4A_7C15_u64.wrapping_add(2 * i as u64);
        let sum = match self {
            Content::Set(set) => set.iter().fold(0, |sum: u64, &x| sum.wrapping_add(x)),
            Content::Signature(slots) => {
                let words =
                    slots.iter().enumerate().map(|(i, &s)| u64::from(s).wrapping_mul(odd(i)));
                words.fold(1, u64::wrapping_add)
            }
            Content::Blank(digest) => *digest as u64,
        };
        (hash::splitmix(0, sum) >> 32) as u32
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        match self {
            Content::Set(set) => 8 * set.len(),
            Content::Signature(slots) => 4 * slots.len(),
            Content::Blank(_) => 0,
        }
    }
}

/// What makes a match.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Bands a document has keys of.
    pub bands: usize,
    /// The least similarity of a match.
    pub threshold: f64,
    /// Of more documents under a band key, only so many are compared, the newest.
    pub cap: usize,
}

/// Which documents stay.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// At most so many, the latest.
    pub documents: usize,
    /// Those of this time or later.
    pub since: f64,
}

/// A match: the number of the document and the similarity.
pub type Found = Option<(u64, f64)>;

#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) content: Content,
    pub(super) first: u64,
    pub(super) last: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Document {
    pub(super) group: u32,
    pub(super) time: f64,
    /// The next one of the group.
    pub(super) next: u64,
}

/// Documents and their bands.
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) rule: Rule,
    /// A column a band, and one for digests of contents.
    pub(super) links: Links,
    pub(super) groups: Vec<Option<Group>>,
    free: Vec<u32>,
    pub(super) documents: BTreeMap<u64, Document>,
    contents: usize,
}

impl Store {
    /// Without a document.
    pub fn new(rule: Rule) -> Self {
        Self {
            rule,
            links: Links::new(rule.bands + 1),
            groups: Vec::new(),
            free: Vec::new(),
            documents: BTreeMap::new(),
            contents: 0,
        }
    }

    /// The most similar document of time `since` or later but `except`; of several the earliest.
    pub fn find(&self, item: &Item, since: f64, except: u64) -> Found {
        let same = self.same(&item.content).and_then(|group| self.earliest(group, since, except));
        if let Some(number) = same {
            return Some((number, 1.0));
        }
        let mut candidates = Vec::new();
        for (band, &key) in item.keys.iter().enumerate() {
            candidates.extend(self.links.find(band, key).take(self.rule.cap));
        }
        candidates.sort_unstable();
        candidates.dedup();
        let (mut best, mut least): (Found, f64) = (None, self.rule.threshold);
        for group in candidates {
            let Some(Some(Group { content, .. })) = self.groups.get(group as usize) else {
                continue;
            };
            let Some(similarity) = item.content.passes(content, least) else { continue };
            let Some(number) = self.earliest(group, since, except) else { continue };
            let better = best.is_none_or(|(seen, known)| {
                similarity.total_cmp(&known).then(seen.cmp(&number)) == Ordering::Greater
            });
            if better {
                (best, least) = (Some((number, similarity)), similarity);
            }
        }
        best
    }

    /// Adds a document under a number that none has.
    pub fn add(&mut self, number: u64, time: f64, item: Item) -> Result<()> {
        if number == NOBODY || time.is_nan() {
            return Err(Error::argument(format!("document {number} cannot be of time {time}")));
        }
        if self.documents.contains_key(&number) {
            return Err(Error::argument(format!("there is a document {number} already")));
        }
        let group = match self.same(&item.content) {
            Some(group) => group,
            None => self.found(item)?,
        };
        self.documents.insert(number, Document { group, time, next: NOBODY });
        self.join(group, number);
        Ok(())
    }

    /// Removes a document; false if it is not there.
    pub fn remove(&mut self, number: u64) -> bool {
        let Some(Document { group, next, .. }) = self.documents.remove(&number) else {
            return false;
        };
        let Some(Some(held)) = self.groups.get_mut(group as usize) else { return true };
        if (held.first, next) == (number, NOBODY) {
            self.contents -= held.content.bytes();
            self.groups[group as usize] = None;
            self.links.remove(group);
            self.free.push(group);
        } else if held.first == number {
            held.first = next;
        } else {
            let mut before = held.first;
            while let Some(document) = self.documents.get_mut(&before) {
                if document.next == number {
                    document.next = next;
                    break;
                }
                before = document.next;
            }
            if held.last == number {
                held.last = before;
            }
        }
        true
    }

    /// Removes documents, the oldest first, until the limits hold; their numbers.
    pub fn limit(&mut self, limits: Limits) -> Vec<u64> {
        let mut gone = Vec::new();
        while let Some((&number, oldest)) = self.documents.first_key_value() {
            if self.documents.len() <= limits.documents && oldest.time >= limits.since {
                break;
            }
            self.remove(number);
            gone.push(number);
        }
        gone
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> usize {
        // A map's node of eleven is half full where numbers only grow.
        let document = 2 * (size_of::<u64>() + size_of::<Document>());
        self.links.bytes()
            + self.groups.capacity() * size_of::<Option<Group>>()
            + self.documents.len() * document
            + self.contents
    }

    /// A group of that content.
    fn same(&self, content: &Content) -> Option<u32> {
        let mut groups = self.links.find(self.rule.bands, content.digest());
        groups.find(|&group| {
            self.groups
                .get(group as usize)
                .is_some_and(|held| held.as_ref().is_some_and(|held| held.content == *content))
        })
    }

    /// A new group, without a document yet.
    pub(super) fn found(&mut self, item: Item) -> Result<u32> {
        let Item { keys, content } = item;
        if !keys.is_empty() && keys.len() != self.rule.bands {
            return Err(Error::internal(format!(
                "a document has {} keys of {} bands",
                keys.len(),
                self.rule.bands
            )));
        }
        if self.free.is_empty() && self.groups.len() >= MOST {
            return Err(Error::argument(format!("a stream holds at most {MOST} texts")));
        }
        let digest = content.digest();
        self.contents += content.bytes();
        let held = Some(Group { content, first: NOBODY, last: NOBODY });
        let group = match self.free.pop() {
            Some(group) => {
                self.groups[group as usize] = held;
                group
            }
            None => {
                self.groups.push(held);
                (self.groups.len() - 1) as u32
            }
        };
        let bands = (0..self.rule.bands).map(|band| keys.get(band).copied());
        self.links.insert(group, bands.chain([Some(digest)]));
        Ok(group)
    }

    /// Puts a document where it belongs in the list of its group: at the end, unless it comes late.
    pub(super) fn join(&mut self, group: u32, number: u64) {
        let Some(Some(held)) = self.groups.get_mut(group as usize) else { return };
        if held.first == NOBODY {
            (held.first, held.last) = (number, number);
            return;
        }
        let mut before = held.last;
        if number < held.first {
            if let Some(document) = self.documents.get_mut(&number) {
                document.next = std::mem::replace(&mut held.first, number);
            }
            return;
        }
        if number > held.last {
            held.last = number;
        } else {
            before = held.first;
            while let Some(next) =
                self.documents.get(&before).map(|d| d.next).filter(|&n| n < number)
            {
                before = next;
            }
        }
        if let Some(document) = self.documents.get_mut(&before) {
            let next = std::mem::replace(&mut document.next, number);
            if let Some(document) = self.documents.get_mut(&number) {
                document.next = next;
            }
        }
    }

    /// The earliest document of a group that is not too old, nor `except`.
    fn earliest(&self, group: u32, since: f64, except: u64) -> Option<u64> {
        let mut number = self.groups.get(group as usize)?.as_ref()?.first;
        loop {
            let document = self.documents.get(&number)?;
            if number != except && document.time >= since {
                return Some(number);
            }
            number = document.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;
    use proptest::prelude::*;

    const ALWAYS: f64 = f64::NEG_INFINITY;

    fn rule() -> Rule {
        Rule { bands: 2, threshold: 0.5, cap: 2000 }
    }

    /// A small set whose members are its keys, so that any two that share one are candidates, now and then blank.
    fn item(seed: u64) -> Item {
        let draw = |i| splitmix(seed, i) % 3;
        if draw(9) == 0 && draw(8) == 0 {
            return Item { keys: Vec::new(), content: Content::Blank(draw(7).into()) };
        }
        let set: std::collections::BTreeSet<u64> = (0..4).map(|i| 3 * i + draw(i)).collect();
        let keys = vec![draw(0) as u32, draw(1) as u32];
        Item { keys, content: Content::Set(set.into_iter().collect()) }
    }

    fn similarity(a: &Item, b: &Item) -> Option<f64> {
        match (&a.content, &b.content) {
            (Content::Set(x), Content::Set(y)) => {
                let shared = a.keys.iter().zip(&b.keys).any(|(k, l)| k == l);
                Some(verify::jaccard(x, y)).filter(|&s| s >= 0.5 && shared)
            }
            (x, y) => (x == y).then_some(1.0),
        }
    }

    proptest! {
        #[test]
        fn equal_to_looking_at_every_document(steps in prop::collection::vec((0u8..8, any::<u64>()), 1..120)) {
            let mut store = Store::new(rule());
            let mut model: BTreeMap<u64, (f64, Item)> = BTreeMap::new();
            for (step, &(kind, seed)) in steps.iter().enumerate() {
                let (item, now) = (item(seed), step as f64);
                let (since, except) = (now - (seed % 50) as f64, seed % 7);
                let mut best: Found = None;
                for (&number, (time, other)) in &model {
                    if let Some(s) = similarity(&item, other)
                        && number != except && *time >= since && best.is_none_or(|(_, known)| s > known)
                    {
                        best = Some((number, s));
                    }
                }
                prop_assert_eq!(store.find(&item, since, except), best);
                // Numbers may come late.
                let number = 10 * step as u64 + 100 - seed % 40;
                match kind {
                    0..6 if !model.contains_key(&number) => {
                        store.add(number, now, item.clone()).unwrap();
                        model.insert(number, (now, item));
                    }
                    6 => {
                        let number = model.keys().nth(seed as usize % 9).copied().unwrap_or(3);
                        prop_assert_eq!(store.remove(number), model.remove(&number).is_some());
                    }
                    _ => {
                        let limits = Limits { documents: 40, since: now - 60.0 };
                        let gone = store.limit(limits);
                        for number in gone {
                            prop_assert_eq!(model.pop_first().map(|(first, _)| first), Some(number));
                        }
                        let oldest = model.first_key_value();
                        prop_assert!(model.len() <= 40 && oldest.is_none_or(|(_, d)| d.0 >= limits.since));
                    }
                }
                prop_assert_eq!(store.len(), model.len());
            }
            let (arrays, count) = (store.arrays(), store.len());
            let loaded = Store::of_arrays(rule(), &arrays, None).unwrap();
            prop_assert_eq!(loaded.len(), count);
            prop_assert_eq!(loaded.arrays(), arrays);
            for seed in 0..30 {
                let item = item(seed);
                prop_assert_eq!(loaded.find(&item, ALWAYS, NOBODY), store.find(&item, ALWAYS, NOBODY));
            }
        }
    }

    #[test]
    fn a_text_that_comes_often_is_compared_once() {
        let mut store = Store::new(rule());
        let item = Item { keys: vec![1, 2], content: Content::Set(Box::new([1, 2, 3])) };
        for number in 0..50_000 {
            store.add(number, 0.0, item.clone()).unwrap();
            assert_eq!(store.find(&item, ALWAYS, NOBODY), Some((0, 1.0)));
        }
        assert_eq!(store.groups.len(), 1);
        assert!(store.add(7, 0.0, item.clone()).is_err());
        assert_eq!(store.limit(Limits { documents: 1, since: ALWAYS }).len(), 49_999);
        assert_eq!(store.find(&item, ALWAYS, NOBODY), Some((49_999, 1.0)));
        assert_eq!(store.find(&item, ALWAYS, 49_999), None);
    }

    #[test]
    fn only_so_many_of_a_bucket_are_compared() {
        let mut store = Store::new(Rule { cap: 1, ..rule() });
        for number in 0..2 {
            let content = Content::Set(Box::new([1, 2, 3, 10 + number]));
            store.add(number, 0.0, Item { keys: vec![5, 6], content }).unwrap();
        }
        let item = Item { keys: vec![5, 6], content: Content::Set(Box::new([1, 2, 3])) };
        assert_eq!(store.find(&item, ALWAYS, NOBODY), Some((1, 0.75)));
    }
}
