//! Bounds the work of one evaluation.

use std::cell::Cell;

/// Maximum number of steps of an evaluation in the gateway. A step takes ten to twenty instructions, so
/// that all of them are done within a millisecond or two.
const STEPS: usize = 200_000;

/// The remaining steps of an evaluation.
pub(super) struct Work {
    remaining: Cell<usize>,
}

/// Why an outcome cannot be decided here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Undecidable(pub(super) &'static str);

// === impl Work ===

impl Work {
    /// Without a bound.
    pub(super) fn unbounded() -> Self {
        Self::of(usize::MAX)
    }

    /// As much as one caller of the gateway may cause.
    pub(super) fn bounded() -> Self {
        Self::of(STEPS)
    }

    fn of(steps: usize) -> Self {
        Self {
            remaining: Cell::new(steps),
        }
    }

    /// Spends `steps`, if that many remain.
    pub(super) fn spend(&self, steps: usize) -> Result<(), Undecidable> {
        let remaining = self.remaining.get().checked_sub(steps);
        self.remaining.set(remaining.unwrap_or(0));
        match remaining {
            Some(_) => Ok(()),
            None => Err(Undecidable("filter and sample take too much work")),
        }
    }
}
