//! The S-curve P(candidate | J) = 1 - (1 - J^r)^b (Broder 1997; Leskovec, Rajaraman, Ullman, section
//! 3.4.2), and the choice of bands b and rows r from a threshold and a recall.
//!
//! More bands find more (looser), more rows ask more (stricter).

use crate::error::{Error, Result};

/// The largest number of slots of a signature.
pub const MAX_SIZE: usize = 65_536;

/// Intervals of the Simpson rule behind [`common_rule`]; exact to 1e-6 for k = 128.
const INTERVALS: usize = 400;

/// b bands of r rows: how a signature's first b * r slots are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banding {
    /// Number of bands b.
    pub bands: usize,
    /// Slots a band, r.
    pub rows: usize,
}

impl Banding {
    /// `bands` bands of `rows` rows over signatures of `size` slots; spare slots are not used.
    pub fn new(bands: usize, rows: usize, size: usize) -> Result<Self> {
        check_size(size)?;
        if bands == 0 || rows == 0 {
            return Err(Error::argument(format!(
                "bands and rows must be at least 1, got bands={bands}, rows={rows}"
            )));
        }
        match bands.checked_mul(rows) {
            Some(used) if used <= size => Ok(Self { bands, rows }),
            _ => Err(Error::argument(format!(
                "{bands} bands of {rows} rows need more than the {size} slots of a signature; \
                 take fewer bands or rows, or a larger size"
            ))),
        }
    }

    /// Slots used, b * r.
    pub fn slots(&self) -> usize {
        self.bands * self.rows
    }

    /// Probability that two documents of Jaccard similarity `jaccard` become a candidate pair: at the
    /// threshold, the recall there.
    pub fn candidate(&self, jaccard: f64) -> f64 {
        let band = jaccard.clamp(0.0, 1.0).powf(self.rows as f64);
        // 1 - (1 - p)^b without losing small p.
        -f64::exp_m1(self.bands as f64 * f64::ln_1p(-band))
    }

    /// The similarity near which the curve is steepest, (1/b)^(1/r).
    pub fn midpoint(&self) -> f64 {
        (1.0 / self.bands as f64).powf(1.0 / self.rows as f64)
    }

    /// Expected candidate pairs among `documents` unrelated ones, any two of which share `background`.
    pub fn false_candidates(&self, documents: u64, background: f64) -> f64 {
        let n = documents as f64;
        n * (n - 1.0).max(0.0) / 2.0 * self.candidate(background)
    }
}

/// The banding for a threshold and a recall: the largest r with which at least `recall` of the pairs at
/// J = `threshold` become candidates for some b with b * r <= `size`, then the smallest such b.
pub fn choose(threshold: f64, recall: f64, size: usize) -> Result<Banding> {
    check_size(size)?;
    check_threshold(threshold)?;
    if !(recall > 0.0 && recall <= 1.0) {
        return Err(Error::argument(format!(
            "recall must be above 0 and at most 1, got {recall}; 0.95 is a good start"
        )));
    }
    // No finite number of bands finds every pair below 1, though the last digit of a float may say so.
    let reaches = |banding: &Banding| {
        banding.candidate(threshold) >= recall && (recall < 1.0 || threshold == 1.0)
    };
    for rows in (1..=size).rev() {
        let most = size / rows;
        if !reaches(&Banding { bands: most, rows }) {
            continue;
        }
        // Recall grows with b: bisect for the smallest.
        let (mut low, mut high) = (0, most);
        while high - low > 1 {
            let bands = low + (high - low) / 2;
            if reaches(&Banding { bands, rows }) {
                high = bands;
            } else {
                low = bands;
            }
        }
        return Ok(Banding { bands: high, rows });
    }
    Err(out_of_reach(threshold, recall, size))
}

/// The common rule, for comparison: minimise the area of false positives below the threshold plus that of
/// false negatives above it, as if all similarities were equally frequent. It promises no recall.
pub fn common_rule(threshold: f64, size: usize) -> Result<Banding> {
    check_size(size)?;
    check_threshold(threshold)?;
    let mut best = (f64::INFINITY, Banding { bands: 1, rows: 1 });
    for bands in 1..=size {
        for rows in 1..=size / bands {
            let banding = Banding { bands, rows };
            let below = simpson(0.0, threshold, |s| banding.candidate(s));
            let above = simpson(threshold, 1.0, |s| 1.0 - banding.candidate(s));
            if below + above < best.0 {
                best = (below + above, banding);
            }
        }
    }
    Ok(best.1)
}

/// A threshold is above 0 (everything is similar to everything at 0) and at most 1.
pub fn check_threshold(threshold: f64) -> Result<()> {
    if threshold > 0.0 && threshold <= 1.0 {
        return Ok(());
    }
    Err(Error::argument(format!(
        "threshold must be above 0 and at most 1, got {threshold}; 0.8 is a good start"
    )))
}

fn check_size(size: usize) -> Result<()> {
    if (1..=MAX_SIZE).contains(&size) {
        return Ok(());
    }
    Err(Error::argument(format!("size must be from 1 to {MAX_SIZE} slots, got {size}")))
}

/// Says what would do. One row a band finds most: r = 1, b = size.
fn out_of_reach(threshold: f64, recall: f64, size: usize) -> Error {
    let most = Banding { bands: size, rows: 1 }.candidate(threshold);
    // Rounded down, so that the value offered is one that works.
    let offer = (most * 1e4).floor().min(9999.0) / 1e4;
    let enough = (f64::ln_1p(-recall) / f64::ln_1p(-threshold)).ceil();
    let larger = if recall < 1.0 && enough <= MAX_SIZE as f64 {
        format!("a size of at least {} or ", enough.max(size as f64 + 1.0))
    } else {
        String::new()
    };
    Error::argument(format!(
        "recall {recall} at threshold {threshold} is out of reach of {size} slots; \
         ask for {larger}a recall of at most {offer}"
    ))
}

fn simpson(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let h = (to - from) / INTERVALS as f64;
    let inner: f64 =
        (1..INTERVALS).map(|i| f(from + h * i as f64) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    h / 3.0 * (f(from) + inner + f(to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    fn pair(banding: Banding) -> (usize, usize) {
        (banding.bands, banding.rows)
    }

    #[test]
    fn recall_table() {
        for (size, threshold, recall, expected) in [
            (128, 0.7, 0.90, (19, 6)),
            (128, 0.7, 0.95, (17, 5)),
            (128, 0.8, 0.90, (13, 8)),
            (128, 0.8, 0.95, (13, 7)),
            (128, 0.8, 0.99, (16, 6)),
            (128, 0.9, 0.90, (9, 14)),
            (128, 0.9, 0.95, (10, 12)),
            (128, 0.9, 0.99, (11, 10)),
            (256, 0.8, 0.95, (21, 9)),
            (256, 0.9, 0.95, (15, 16)),
        ] {
            let got = pair(choose(threshold, recall, size).unwrap());
            assert_eq!(got, expected, "k={size} t={threshold} R={recall}");
        }
    }

    #[test]
    fn choice_is_what_its_definition_says() {
        for size in [1, 7, 64, 100, 128] {
            for threshold in [0.3, 0.5, 0.77, 0.9, 0.99, 1.0] {
                for recall in [0.1, 0.5, 0.9, 0.99] {
                    let reached = (1..=size).rev().find_map(|rows| {
                        (1..=size / rows)
                            .map(|bands| Banding { bands, rows })
                            .find(|b| b.candidate(threshold) >= recall)
                    });
                    assert_eq!(choose(threshold, recall, size).ok(), reached);
                }
            }
        }
    }

    #[test]
    fn common_rule_choices() {
        for (threshold, expected) in [(0.7, (14, 9)), (0.8, (9, 13)), (0.9, (5, 25))] {
            assert_eq!(pair(common_rule(threshold, 128).unwrap()), expected);
        }
        let found = Banding { bands: 9, rows: 13 }.candidate(0.8);
        assert!((found - 0.40).abs() < 0.005, "{found}");
    }

    #[test]
    fn curve_values() {
        let at = |bands, rows, j| Banding { bands, rows }.candidate(j);
        for (bands, rows, j, expected, digits) in [
            (16, 8, 0.4, 0.0104, 4),
            (16, 8, 0.7, 0.6133, 4),
            (16, 8, 0.9, 0.99988, 5),
            (15, 5, 0.7, 0.9367, 4),
            (15, 5, 0.3, 0.0358, 4),
            (20, 5, 0.7, 0.9748, 4),
            (20, 5, 0.3, 0.0475, 4),
            (13, 7, 0.8, 0.953, 3),
        ] {
            let p = at(bands, rows, j);
            assert!((p - expected).abs() <= 0.5 * 10f64.powi(-digits) + 1e-9, "{p} {expected}");
        }
        assert_eq!((at(16, 8, 0.0), at(16, 8, 1.0)), (0.0, 1.0));
        let banding = Banding { bands: 16, rows: 8 };
        assert!((banding.midpoint() - 0.5f64.sqrt()).abs() < 1e-12);
        // 6 million documents at background .1: about one false neighbour each.
        let each = banding.false_candidates(6_000_000, 0.1) * 2.0 / 6e6;
        assert!((0.9..1.1).contains(&each), "{each}");
        assert_eq!(banding.false_candidates(0, 0.5), 0.0);
    }

    #[test]
    fn high_thresholds_work() {
        assert_eq!(pair(choose(1.0, 1.0, 128).unwrap()), (1, 128));
        let near = choose(0.99, 0.95, 128).unwrap();
        assert!(near.candidate(0.99) >= 0.95 && near.slots() <= 128);
    }

    #[test]
    fn bad_arguments_say_what_would_do() {
        for threshold in [0.0, -0.1, 1.000001, f64::NAN, f64::INFINITY] {
            let error = choose(threshold, 0.95, 128).unwrap_err();
            assert_eq!(error.kind(), Kind::Argument);
            assert!(error.to_string().contains("threshold must be above 0"));
            assert!(common_rule(threshold, 128).is_err());
        }
        for recall in [0.0, -1.0, 1.1, f64::NAN] {
            assert!(choose(0.8, recall, 128).unwrap_err().to_string().contains("recall must be"));
        }
        assert!(choose(0.8, 0.95, 0).is_err() && choose(0.8, 0.95, MAX_SIZE + 1).is_err());
        let impossible = choose(0.3, 0.99, 4).unwrap_err().to_string();
        assert!(impossible.contains("at least 13 or a recall of at most 0.7599"), "{impossible}");
        assert!(choose(0.3, 0.99, 13).is_ok() && choose(0.3, 0.7599, 4).is_ok());
        let certain = choose(0.9, 1.0, 128).unwrap_err().to_string();
        assert!(certain.contains("recall of at most 0.9999"), "{certain}");
        assert!(Banding::new(16, 9, 128).is_err() && Banding::new(0, 8, 128).is_err());
        assert!(Banding::new(usize::MAX, 2, 128).is_err());
        assert_eq!(pair(Banding::new(300, 4, 4096).unwrap()), (300, 4));
    }
}
