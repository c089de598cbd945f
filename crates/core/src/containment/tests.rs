//! Containments against every text compared.

use super::*;
use crate::verify;
use proptest::prelude::*;

fn spec() -> TextSpec {
    TextSpec::parse("casefold", "char:2", "xxh3").unwrap()
}

fn sets(texts: &[String]) -> Vec<Vec<u64>> {
    let spec = spec();
    let mut shingler = Shingler::new(&spec);
    texts.iter().map(|text| shingler.set(text).to_vec()).collect()
}

fn column<T>(texts: &[String], work: impl FnOnce(&Column<'_>) -> T) -> T {
    let mut offsets = vec![0];
    offsets.extend(texts.iter().scan(0, |end, text| {
        *end += text.len() as i64;
        Some(*end)
    }));
    work(&Column::Large { data: texts.concat().as_bytes(), offsets: &offsets })
}

fn index(batches: &[&[String]]) -> Containment {
    let mut index = Containment::default();
    for batch in batches {
        column(batch, |column| index.insert(column, None, &spec(), 2)).unwrap();
    }
    index
}

proptest! {
    #[test]
    fn every_containment_and_no_other(
        documents in prop::collection::vec("[a-c]{0,12}", 0..25),
        passages in prop::collection::vec("[a-c]{0,6}", 0..10),
        threshold in 0.05f64..=1.0, cut in 0usize..25, limit in 1usize..9,
    ) {
        let cut = cut.min(documents.len());
        let held = index(&[&documents[..cut], &documents[cut..]]);
        let (left, right) = (sets(&passages), sets(&documents));
        let found = column(&passages, |c| held.query(c, None, &spec(), threshold, limit, 2)).unwrap();
        for (row, set) in left.iter().enumerate() {
            let mut all: Vec<(f64, u32)> = right
                .iter()
                .zip(0..)
                .map(|(other, id)| (verify::containment(set, other), id))
                .filter(|&(share, _)| share >= threshold)
                .collect();
            all.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
            all.truncate(limit);
            let at = found.offsets[row]..found.offsets[row + 1];
            let got = found.shares[at.clone()].iter().copied().zip(found.ids[at].iter().copied());
            prop_assert_eq!(got.collect::<Vec<_>>(), all);
        }
        let again = Containment::of(&held.entries(), documents.len() as u32).unwrap();
        let after = column(&passages, |c| again.query(c, None, &spec(), threshold, limit, 1)).unwrap();
        prop_assert_eq!(&after, &found);
        let mut merged = index(&[&documents[..cut]]);
        merged.merge(&index(&[&documents[cut..]])).unwrap();
        let after = column(&passages, |c| merged.query(c, None, &spec(), threshold, limit, 1)).unwrap();
        prop_assert_eq!(after, found);
    }

    #[test]
    fn cut_off_is_the_float_quotient(size in 0usize..3000, hundredths in 1u32..=100) {
        let t = f64::from(hundredths) / 100.0;
        prop_assert_eq!(cut_off(size, t), (1..=size).find(|&s| s as f64 / size as f64 >= t));
    }
}

#[test]
fn what_does_not_hold_together_is_refused() {
    let texts = ["abc".to_owned(), "bcd".to_owned()];
    let held = index(&[&texts]);
    let mut entries = held.entries();
    assert!(Containment::of(&entries, 1).is_err() && Containment::of(&entries[1..], 2).is_err());
    entries.rotate_left(1);
    assert!(Containment::of(&entries, 2).is_err());
    let masked = column(&texts, |c| held.query(c, Some(&[true]), &spec(), 0.5, 9, 1));
    assert!(masked.is_err());
    let skipped = column(&texts, |c| held.query(c, Some(&[false, true]), &spec(), 1.0, 9, 1));
    assert_eq!(skipped.unwrap().offsets, [0, 0, 1]);
}
