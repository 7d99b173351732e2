//! Bounds the work of one evaluation.

use std::cell::Cell;

/// Maximum number of steps of an evaluation in the gateway. A step takes ten to twenty instructions, so
/// that all of them are done within a millisecond or two.
const STEPS: usize = 200_000;

/// The remaining steps of an evaluation, or of several.
pub(super) struct Work(Cell<usize>);

/// Why a condition has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The server's matcher raises an error.
    Fails(&'static str),
    Undecidable(&'static str),
}

impl Work {
    pub(super) const TOO_MUCH: Halt = Halt::Undecidable("filter and sample take too much work");

    pub(super) fn unbounded() -> Self {
        Self(Cell::new(usize::MAX))
    }

    /// As much as one caller of the gateway may cause.
    pub(super) fn bounded() -> Self {
        Self(Cell::new(STEPS))
    }

    pub(super) fn taken(&self) -> usize {
        STEPS.saturating_sub(self.0.get())
    }

    /// Spends `steps`, if that many remain.
    pub(super) fn spend(&self, steps: usize) -> Result<(), Halt> {
        let remaining = self.0.get().checked_sub(steps);
        self.0.set(remaining.unwrap_or(0));
        remaining.map(drop).ok_or(Self::TOO_MUCH)
    }
}
