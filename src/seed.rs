//! Randomness of a test, which a failure can be repeated with. The crate's own tests use this module, and
//! the programs under `tests/` through their support package, which includes this file.

use std::env::{self, VarError};
use std::hash::{BuildHasher as _, RandomState};

/// Sets the seed of every test.
const VARIABLE: &str = "PORTREEVE_TEST_SEED";

/// A generator whose seed is that of `PORTREEVE_TEST_SEED`, or else a new one. The seed is printed, which the test
/// harness shows if the test fails.
///
/// Threads get generators of their own, by `fork`: which of them draws first is not repeatable.
pub fn rng() -> fastrand::Rng {
    let seed = match env::var(VARIABLE) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|error| panic!("{VARIABLE} is {text:?}: {error}")),
        Err(VarError::NotPresent) => RandomState::new().hash_one(VARIABLE),
        Err(error) => panic!("{VARIABLE}: {error}"),
    };
    println!("{VARIABLE}={seed}");
    fastrand::Rng::with_seed(seed)
}
