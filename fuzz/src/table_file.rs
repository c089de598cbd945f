//! The LSH table's bytes: what is accepted is exactly what the writer writes, and works.

use neardup_core::hash;
use neardup_core::lsh::Table;

/// Reads the data as a table file; half of the time under a checksum made right.
pub fn run(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let mut bytes = data.to_vec();
    if choice & 1 == 1 {
        bytes.truncate(bytes.len().saturating_sub(8));
        let checksum = hash::token(&bytes);
        bytes.extend(checksum.to_le_bytes());
    }
    let Ok(mut table) = Table::from_bytes(&bytes) else { return };
    assert_eq!(table.to_bytes(), bytes, "not as it was written");
    assert!(table.len() <= table.given());
    let size = table.size();
    let query: Vec<u32> = (0..3 * size).map(|i| u32::from(choice) + i as u32 % 3).collect();
    let answers = table.query_batch(&query, 2).expect("a matrix of its size");
    assert!(answers.ids.iter().all(|&id| table.contains(id)));
    let live: Vec<u32> =
        (0..table.given().min(70) as u32).filter(|&id| table.contains(id)).collect();
    if let Ok(first) = table.insert(&query, 1) {
        let found = table.query(&query[..size]).expect("a signature of its size");
        assert!(found.contains(&first) && found.is_sorted());
    }
    for id in live {
        assert!(table.remove(id) && !table.remove(id) && !table.contains(id));
    }
    let saved = table.to_bytes();
    assert_eq!(Table::from_bytes(&saved).expect("its own bytes").to_bytes(), saved);
}
