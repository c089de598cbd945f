//! Rates of false positives against those asked for; batches, threads, merging.

use super::*;

const BANDING: Banding = Banding { bands: 5, rows: 3 };

fn matrix(rows: std::ops::Range<u64>) -> Vec<u32> {
    rows.flat_map(|row| (0..16).map(move |slot| hash::splitmix(row, slot) as u32)).collect()
}

#[test]
fn the_rate_asked_for_is_met_at_capacity() {
    const TRIALS: u64 = 40_000;
    for (capacity, rate) in [(3000, 0.3), (20_000, 0.05), (500, 0.01), (10_000, 0.001)] {
        let mut bloom = BloomBands::new(16, Design::new(BANDING, capacity, rate).unwrap()).unwrap();
        bloom.add(&matrix(0..capacity), 0).unwrap();
        assert_eq!(bloom.added(), capacity);
        assert!(bloom.check(&matrix(0..capacity), 0).unwrap().into_iter().all(|flag| flag));
        let strangers = matrix(capacity..capacity + TRIALS);
        let flagged = bloom.check(&strangers, 0).unwrap().into_iter().filter(|&f| f).count();
        let sigma = (TRIALS as f64 * rate * (1.0 - rate)).sqrt();
        let off = flagged as f64 - TRIALS as f64 * rate;
        assert!(off.abs() <= 4.0 * sigma, "n={capacity} p={rate}: {flagged}");
        assert!((bloom.rate_now() / rate - 1.0).abs() < 0.1, "{}", bloom.rate_now());
    }
}

#[test]
fn keep_first_in_any_batches_and_threads() {
    let mut slots = matrix(0..400);
    slots.extend(matrix(100..300)); // copies of earlier rows
    slots.extend([u32::MAX; 32]); // two empty sets
    let design = Design::new(BANDING, 1000, 1e-9).unwrap();
    let mut whole = BloomBands::new(16, design).unwrap();
    let flags = whole.check_and_add(&slots, 1).unwrap();
    let expected: Vec<bool> = (0..602).map(|row| (400..600).contains(&row)).collect();
    assert_eq!((flags, whole.added()), (expected.clone(), 400));
    let mut parts = BloomBands::new(16, design).unwrap();
    let found: Vec<bool> =
        slots.chunks(16 * 37).flat_map(|part| parts.check_and_add(part, 3).unwrap()).collect();
    assert_eq!((found, &parts), (expected, &whole));
    let again = BloomBands::of(16, design, &whole.words(), whole.added()).unwrap();
    assert_eq!(again, whole);
    assert!(BloomBands::of(16, design, &whole.words()[1..], 0).is_err());
}

#[test]
fn merged_filters_have_seen_what_both_have() {
    let design = Design::new(BANDING, 1000, 1e-6).unwrap();
    let new = |rows| {
        let mut bloom = BloomBands::new(16, design).unwrap();
        bloom.add(&matrix(rows), 1).unwrap();
        bloom
    };
    let mut one = new(0..200);
    one.merge(&new(200..500)).unwrap();
    assert_eq!(one, new(0..500));
    let other = BloomBands::new(16, Design::new(BANDING, 999, 1e-6).unwrap()).unwrap();
    assert!(one.merge(&other).is_err());
}

#[test]
fn what_cannot_be_is_refused() {
    for (capacity, rate) in [(0, 0.1), (10, 0.0), (10, 1.0), (10, f64::NAN), (10, -0.1)] {
        assert!(Design::new(BANDING, capacity, rate).is_err());
    }
    assert!(Design::new(BANDING, u64::MAX, 1e-300).is_err());
    let design = Design::new(BANDING, 10, 0.1).unwrap();
    assert!(BloomBands::new(14, design).is_err());
    assert!(BloomBands::new(15, design).unwrap().check(&[0; 16], 1).is_err());
}
