//! How an evaluation ends, and why.

use super::fault::shown;
use super::path::Path;

/// The findings that a person is shown.
const MAX_FINDINGS: usize = 4;

/// How an evaluation can end: on all events of a shape in both ways, on one event in both only if
/// it cannot be told. One that can fail is an error instead.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) pass: bool,
    pub(super) fail: bool,
    pub(super) why: Why,
}

/// What was found in the one event that was looked at, the first finding first.
#[derive(Clone, Debug, Default)]
pub(super) struct Why {
    findings: Vec<Finding>,
    more: usize,
}

/// What a condition found.
#[derive(Clone, Debug)]
struct Finding {
    at: String,
    says: String,
}

// === impl Outcome ===

impl Outcome {
    pub(super) const PASS: Self = Self::new(true, false);
    pub(super) const FAIL: Self = Self::new(false, true);
    pub(super) const ANY: Self = Self::new(true, true);
    pub(super) const NONE: Self = Self::new(false, false);

    const fn new(pass: bool, fail: bool) -> Self {
        Self {
            pass,
            fail,
            why: Why::NOTHING,
        }
    }

    pub(super) fn of(pass: bool) -> Self {
        Self::new(pass, !pass)
    }

    pub(super) fn because(self, why: Why) -> Self {
        Self { why, ..self }
    }

    pub(super) fn not(self) -> Self {
        Self {
            pass: self.fail,
            fail: self.pass,
            why: self.why,
        }
    }

    /// One of the two, of different events.
    pub(super) fn or(self, other: Self) -> Self {
        Self::new(self.pass || other.pass, self.fail || other.fail)
    }
}

// === impl Why ===

impl Why {
    const NOTHING: Self = Self {
        findings: Vec::new(),
        more: 0,
    };

    /// That the condition at `path` found what `says` says.
    pub(super) fn found(path: &Path<'_>, says: String) -> Self {
        Self {
            findings: vec![Finding {
                at: shown(path),
                says,
            }],
            more: 0,
        }
    }

    /// And what `other` says.
    pub(super) fn add(&mut self, other: Self) {
        self.more += other.more;
        for finding in other.findings {
            match self.findings.len() < MAX_FINDINGS {
                true => self.findings.push(finding),
                false => self.more += 1,
            }
        }
    }

    /// The path of the first finding, and all as one sentence. Empty if the filter has no condition.
    pub(super) fn into_parts(self) -> (String, String) {
        let mut findings = self.findings.into_iter();
        let Some(Finding { at, mut says }) = findings.next() else {
            return (String::new(), "the filter has no condition".to_owned());
        };
        for finding in findings {
            says.push_str("; ");
            says.push_str(&finding.says);
        }
        if self.more > 0 {
            says.push_str(&format!("; and {} more", self.more));
        }
        (at, says)
    }
}
