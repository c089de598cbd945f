//! Shingles in ascending order: hashes are spread evenly, so their upper bits already tell the place, nearly.
//!
//! One counting pass puts each into its bucket, some one to two of them in each; an insertion sort of the whole
//! does the rest. What is not spread (characters that are packed and not hashed) is sorted by comparison.

/// Fewer than this are sorted by comparison as fast.
const FEW: usize = 48;
/// So many in one bucket are not spread evenly: no such bucket in 10^20 sets of hashes.
const CROWD: u32 = 32;
/// The most buckets; more would not stay in the nearest cache.
const BUCKETS: usize = 1 << 12;

/// Sorts `values`; `spare` is scratch.
pub fn sort(values: &mut Vec<u64>, spare: &mut Vec<u64>) {
    let buckets = values.len().next_power_of_two();
    if values.len() < FEW || buckets > BUCKETS {
        return values.sort_unstable();
    }
    let shift = 64 - buckets.trailing_zeros();
    let mut counts = [0u32; BUCKETS];
    let counts = &mut counts[..buckets];
    for value in values.iter() {
        counts[(value >> shift) as usize] += 1;
    }
    if counts.iter().any(|&count| count > CROWD) {
        return values.sort_unstable();
    }
    let mut before = 0;
    for count in counts.iter_mut() {
        before += std::mem::replace(count, before);
    }
    spare.clear();
    spare.resize(values.len(), 0);
    for &value in values.iter() {
        let place = &mut counts[(value >> shift) as usize];
        spare[*place as usize] = value;
        *place += 1;
    }
    for i in 1..spare.len() {
        let value = spare[i];
        let mut at = i;
        while at > 0 && spare[at - 1] > value {
            spare[at] = spare[at - 1];
            at -= 1;
        }
        spare[at] = value;
    }
    std::mem::swap(values, spare);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn as_the_standard_library_sorts() {
        let mut spare = Vec::new();
        for n in [0u64, 1, 47, 48, 49, 200, 1000, 4096, 4097, 9000] {
            for shift in [0, 20, 60] {
                let values: Vec<u64> = (0..n).map(|i| mix(i % 1500) >> shift).collect();
                let mut sorted = values.clone();
                sort(&mut sorted, &mut spare);
                let mut expected = values;
                expected.sort_unstable();
                assert_eq!(sorted, expected);
            }
        }
    }
}
