//! Exact duplicates: documents of equal digest, led by the first of them in keep order.

use crate::{Error, Result};

/// For each document the leader of its group: the one of equal `digest` with the lowest `rank`.
/// A document that does not take part leads itself.
pub fn leaders(digest: &[u128], rank: &[u32], takes_part: &[bool]) -> Result<Vec<u32>> {
    if digest.len() != rank.len()
        || digest.len() != takes_part.len()
        || u32::try_from(digest.len()).is_err()
    {
        return Err(Error::argument(format!(
            "{} digests and {} ranks: one each is needed, for fewer than 2^32 documents",
            digest.len(),
            rank.len()
        )));
    }
    let mut order: Vec<u32> = (0..digest.len() as u32).collect();
    let mut leader = order.clone();
    order.retain(|&d| takes_part[d as usize]);
    order.sort_unstable_by_key(|&d| (digest[d as usize], rank[d as usize]));
    for group in order.chunk_by(|&a, &b| digest[a as usize] == digest[b as usize]) {
        group.iter().for_each(|&d| leader[d as usize] = group[0]);
    }
    Ok(leader)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_in_keep_order_leads() {
        let digest = [7, 9, 7, 9, 7, 1];
        let all = [true; 6];
        let down = [5, 4, 3, 2, 1, 0];
        assert_eq!(leaders(&digest, &[0, 1, 2, 3, 4, 5], &all).unwrap(), [0, 1, 0, 1, 0, 5]);
        assert_eq!(leaders(&digest, &down, &all).unwrap(), [4, 3, 4, 3, 4, 5]);
        let but_4 = [true, true, true, true, false, true];
        assert_eq!(leaders(&digest, &down, &but_4).unwrap(), [2, 3, 2, 3, 4, 5]);
        assert_eq!(leaders(&[], &[], &[]).unwrap(), [0u32; 0]);
        assert!(leaders(&digest, &[0], &all).is_err());
    }
}
