//! How many elements a signature is of, from slots that are minima: an estimate and its standard error, derived here.
//!
//! A slot of value v has survived, with n elements, P(S > v) = exp(-n H(v)) for a known H: a slot won in round i of R
//! random rounds over k slots, f of the way through the round's values, has
//!
//! ```text
//! H = i L - ln(1 - f/k)   i < R,   L = -ln(1 - 1/k)       H = R L - ln(1 - f)   in the fill
//! ```
//! So h = H(S) is an exponential variable of rate n, and with X = h_1 + ... + h_k the estimate is (k - V) / X, where
//! V = Var X / (k / n^2) is 1 if slots are independent. They are not in a random round, where an element in one slot is
//! in no other: P(h_1 > a, h_2 > b) is exp(-na) + exp(-nb) - 1 to the n within a round, (1 - 2/k)^n for each round that
//! passes both, and independent in the fill. Integrated over a and b, with A and B below,
//!
//! ```text
//! E h_1 h_2 = (1 - q^R) / (1 - q) (B + 2 A / n) + q^R / n^2,   q = (1 - 2/k)^n
//! A = int_0^L (exp(-a) - 1/k)^n da,   B = int_0^L int_0^L (exp(-a) + exp(-b) - 1)^n da db
//! V = 1 + (k - 1) (n^2 E h_1 h_2 - 1)
//! ```
//! X is taken for a gamma variable of that mean and variance (it is one if slots are independent), of which
//! E 1/X = n / (k - V) and Var (k - V) / X = n^2 V / (k - 2V). V is below 1: a set of some hundred elements is counted
//! more closely than 1 / sqrt(k).

use super::EMPTY;

/// Nodes of the quadrature; exp(-x) over 40 units is integrated to 10 digits.
const NODES: usize = 24;
/// Beyond so many units of 1/n an integrand has vanished.
const REACH: f64 = 40.0;

/// The estimate and its standard error from the hazards of all slots (H above), with R random rounds; 0 and 0 for the
/// empty set. The standard error is infinite for one or two slots.
pub fn estimate(hazards: impl ExactSizeIterator<Item = f64>, rounds: u32) -> (f64, f64) {
    let k = hazards.len();
    let sum: f64 = hazards.sum();
    if sum.is_infinite() {
        return (0.0, 0.0);
    }
    let size = k as f64;
    let first = size / sum;
    let n = (size - variance(k, first, rounds)).max(0.5) / sum;
    let v = variance(k, n, rounds);
    let spread = if size > 2.0 * v { v / (size - 2.0 * v) } else { f64::INFINITY };
    (n, n * spread.sqrt())
}

/// The same from slots that are independent minima of n uniform numbers of 32 bits: H = -ln(1 - S / 2^32).
pub fn of_uniform(slots: &[u32]) -> (f64, f64) {
    let hazard = |&slot: &u32| match slot {
        EMPTY => f64::INFINITY,
        _ => -(-(f64::from(slot) + 0.5) / 2f64.powi(32)).ln_1p(),
    };
    estimate(slots.iter().map(hazard), 0)
}

/// V above: the variance of the sum of hazards as a multiple of that of independent slots.
pub fn variance(k: usize, n: f64, rounds: u32) -> f64 {
    if k < 2 || rounds == 0 {
        return 1.0;
    }
    let size = k as f64;
    let (share, nodes) = (1.0 / size, legendre());
    let length = (-(-share).ln_1p()).min(REACH / n);
    // exp(-a) at the nodes of 0 .. length, and their weights
    let decay = nodes.map(|(x, w)| ((-(x + 1.0) / 2.0 * length).exp(), w / 2.0 * length));
    let power = |x: f64| if x > 0.0 { (n * x.ln()).exp() } else { 0.0 };
    let one: f64 = decay.iter().map(|&(e, w)| w * power(e - share)).sum();
    let both: f64 =
        decay.iter().flat_map(|&(e, w)| decay.map(|(f, v)| w * v * power(e + f - 1.0))).sum();
    let pass = power(1.0 - 2.0 * share);
    let later = pass.powi(rounds as i32);
    let product = (1.0 - later) / (1.0 - pass) * (both + 2.0 * one / n) + later / (n * n);
    (1.0 + (size - 1.0) * (n * n * product - 1.0)).clamp(0.0, 1.0)
}

/// Nodes and weights of Gauss-Legendre quadrature on -1 .. 1, by Newton's method.
fn legendre() -> [(f64, f64); NODES] {
    std::array::from_fn(|i| {
        let n = NODES as f64;
        let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..8 {
            let (mut before, mut at) = (1.0, x);
            for j in 2..=NODES {
                let j = j as f64;
                (before, at) = (at, ((2.0 * j - 1.0) * x * at - (j - 1.0) * before) / j);
            }
            slope = n * (x * at - before) / (x * x - 1.0);
            x -= at / slope;
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadrature_is_exact() {
        let nodes = legendre();
        let integral = |f: fn(f64) -> f64| nodes.iter().map(|&(x, w)| w * f(x)).sum::<f64>();
        assert!((integral(|_| 1.0) - 2.0).abs() < 1e-13);
        assert!((integral(|x| x.powi(46)) - 2.0 / 47.0).abs() < 1e-13);
        assert!((integral(|x| (-20.0 * (1.0 + x)).exp()) * 20.0 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn limits_of_the_variance() {
        for n in [1.0, 10.0, 1e3, 1e6] {
            assert_eq!(variance(128, n, 0), 1.0);
            assert!(variance(128, n, 4) <= 1.0);
        }
        // one round over many more elements than slots: slots are independent but for 1/n
        assert!((variance(128, 1e6, 4) - 1.0).abs() < 1e-3);
        // many rounds, few elements: every element has its share of slots
        assert!(variance(128, 10.0, 16) < variance(128, 10.0, 1));
        assert_eq!(estimate([f64::INFINITY; 4].into_iter(), 4), (0.0, 0.0));
    }
}
