//! Bounds the work of one evaluation.

use std::cell::Cell;

/// Maximum number of steps of one evaluation: some milliseconds. Typical filters take some thousands; a
/// pattern that counts a thousand bytes takes half of the maximum.
const STEPS: usize = 4_000_000;

/// The remaining steps of an evaluation.
pub(super) struct Work {
    left: Cell<usize>,
}

/// Why an outcome cannot be decided here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Undecidable(pub(super) &'static str);

// === impl Work ===

impl Work {
    pub(super) fn new() -> Self {
        Self {
            left: Cell::new(STEPS),
        }
    }

    /// Spends `steps`, if that many remain.
    pub(super) fn spend(&self, steps: usize) -> Result<(), Undecidable> {
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or(0));
        match left {
            Some(_) => Ok(()),
            None => Err(Undecidable("filter and sample are too large")),
        }
    }
}
