//! Replays the seeds and past findings of every fuzz target through the target's own function.

use std::fs;
use std::path::Path;

#[path = "../../../fuzz/src/lib.rs"]
mod fuzz;

#[test]
fn every_seed_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    for (name, target) in fuzz::TARGETS {
        let files = fs::read_dir(folder.join(name)).expect("a folder of seeds");
        let mut seeds: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        assert!(seeds.len() > 3, "{name} has {} seeds", seeds.len());
        seeds.sort();
        for seed in seeds {
            let data = fs::read(&seed).expect("a seed");
            eprintln!("{name}: {}", seed.display()); // shown only if the next line panics
            target(&data);
            // Cut short and altered, it is another case, and holds as well.
            for place in (0..data.len()).step_by(1 + data.len() / 40) {
                target(&data[..place]);
                let mut altered = data.clone();
                altered[place] ^= 1 << (place % 8);
                target(&altered);
            }
        }
    }
}
