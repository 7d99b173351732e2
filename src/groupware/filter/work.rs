//! A bound on the work of one evaluation.

use std::cell::Cell;

/// The steps of one evaluation: some milliseconds. What people write takes some thousands; a pattern that
/// counts a thousand bytes takes half of them.
const STEPS: usize = 4_000_000;

/// What is left of the steps of an evaluation.
pub(super) struct Work {
    left: Cell<usize>,
}

/// Why an outcome is not known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unsure(pub(super) &'static str);

// === impl Work ===

impl Work {
    pub(super) fn new() -> Self {
        Self {
            left: Cell::new(STEPS),
        }
    }

    /// Takes `steps`, if they are left.
    pub(super) fn spend(&self, steps: usize) -> Result<(), Unsure> {
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or(0));
        match left {
            Some(_) => Ok(()),
            None => Err(Unsure("filter and sample are too large")),
        }
    }
}
