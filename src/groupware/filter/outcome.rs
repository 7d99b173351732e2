//! The outcome of an evaluation, and its explanation.

use super::fault::escape_controls;
use super::path::Path;

/// Maximum number of reasons in an explanation.
const MAX_REASONS: usize = 4;

/// The possible outcomes of an evaluation. On all events of a shape both can be possible; on one event
/// both only if it is undecidable. An evaluation that can fail is an error instead.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) pass: bool,
    pub(super) fail: bool,
    pub(super) explanation: Explanation,
}

/// The reasons for an outcome on one event, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub(super) struct Explanation {
    reasons: Vec<Reason>,
    more: usize,
}

/// The finding of one condition.
#[derive(Clone, Debug)]
struct Reason {
    at: String,
    says: String,
}

// === impl Outcome ===

impl Outcome {
    pub(super) const PASS: Self = Self::new(true, false);
    pub(super) const FAIL: Self = Self::new(false, true);
    pub(super) const ANY: Self = Self::new(true, true);

    const fn new(pass: bool, fail: bool) -> Self {
        Self {
            pass,
            fail,
            explanation: Explanation::NOTHING,
        }
    }

    pub(super) fn of(pass: bool) -> Self {
        Self::new(pass, !pass)
    }

    pub(super) fn because(self, explanation: Explanation) -> Self {
        Self {
            explanation,
            ..self
        }
    }

    pub(super) fn not(self) -> Self {
        Self {
            pass: self.fail,
            fail: self.pass,
            explanation: self.explanation,
        }
    }

    /// Either of the two outcomes, as on different events.
    pub(super) fn or(self, other: Self) -> Self {
        Self::new(self.pass || other.pass, self.fail || other.fail)
    }
}

// === impl Explanation ===

impl Explanation {
    const NOTHING: Self = Self {
        reasons: Vec::new(),
        more: 0,
    };

    /// The reason `says`, found by the condition at `path`.
    pub(super) fn found(path: &Path<'_>, says: String) -> Self {
        Self {
            reasons: vec![Reason {
                at: escape_controls(path),
                says,
            }],
            more: 0,
        }
    }

    /// Appends the reasons of `other`.
    pub(super) fn add(&mut self, other: Self) {
        self.more += other.more;
        for reason in other.reasons {
            if self.reasons.len() < MAX_REASONS {
                self.reasons.push(reason);
            } else {
                self.more += 1;
            }
        }
    }

    /// The path of the first reason, and all reasons as one sentence. Empty if the filter has no
    /// conditions.
    pub(super) fn into_parts(self) -> (String, String) {
        let mut reasons = self.reasons.into_iter();
        let Some(Reason { at, mut says }) = reasons.next() else {
            return (String::new(), "the filter has no condition".to_owned());
        };
        for reason in reasons {
            says.push_str("; ");
            says.push_str(&reason.says);
        }
        if self.more > 0 {
            says.push_str(&format!("; and {} more", self.more));
        }
        (at, says)
    }
}
