//! Reproducible randomness, for the programs under `tests/` and for the crate's own tests.

use std::env::{self, VarError};
use std::hash::{BuildHasher as _, RandomState};

/// Sets the seed of every test.
const VARIABLE: &str = "PORTREEVE_TEST_SEED";

/// A generator seeded from `PORTREEVE_TEST_SEED`, or else at random. The seed is printed, which the
/// test harness shows if the test fails.
///
/// Give each thread its own generator, by `fork`: the order in which threads draw is not reproducible.
pub fn rng() -> fastrand::Rng {
    let seed = match env::var(VARIABLE) {
        Ok(text) => text.parse().unwrap_or_else(|error| panic!("{VARIABLE} is {text:?}: {error}")),
        Err(VarError::NotPresent) => RandomState::new().hash_one(VARIABLE),
        Err(error) => panic!("{VARIABLE}: {error}"),
    };
    println!("{VARIABLE}={seed}");
    fastrand::Rng::with_seed(seed)
}
