//! A preset that is not as it was requested.

use std::fmt;

use serde_json::Value;

use super::Error;
use super::row::{Row, internal};

/// A preset whose registrations are not, or not known to be, those that were requested (docs/API.md, section 4.6).
///
/// It is answered like its [cause](Self::cause), and the answer also has what is registered now.
#[derive(Debug)]
pub struct PresetFailure {
    pub(crate) cause: Error,
    pub(crate) outcome: Value,
}

impl PresetFailure {
    /// It is answered like the cause; what is known of the call is part of the outcome.
    pub(super) fn row(&self) -> Row<'_> {
        let row = match &self.cause {
            Error::Write(fault) => {
                internal(fault.cause.public_message()).wait(fault.cause.retry_after())
            }
            cause => cause.row(),
        };
        row.outcome(&self.outcome)
    }

    /// The first failure.
    pub fn cause(&self) -> &Error {
        &self.cause
    }
}

impl fmt::Display for PresetFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let member = |name| self.outcome[name].as_str().unwrap_or("unknown");
        write!(f, "the preset {} is {}", member("preset"), member("state"))?;
        if let Some(failed) = self.outcome.get("failed") {
            write!(f, " after {failed} failed")?;
        }
        write!(f, ": {}", self.cause)
    }
}

impl std::error::Error for PresetFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}
