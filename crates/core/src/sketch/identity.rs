//! What a signature must share with another before the two may meet.

/// Name, format version and parameters of the sketch that made a signature.
///
/// A change of a sketch's output bumps its `version`, so that old signatures are refused by name and
/// never silently compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Registry name.
    pub name: &'static str,
    /// Version of the definition.
    pub version: u32,
    /// Number of slots; of SimHash the number of bits.
    pub size: usize,
    /// Seed.
    pub seed: u64,
    /// Rounds of random slots (0 where the sketch has none).
    pub rounds: u32,
}

impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Identity { name, version, size, seed, rounds } = self;
        write!(f, "{name}/{version} size={size} seed={seed} rounds={rounds}")
    }
}
