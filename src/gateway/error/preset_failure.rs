//! A preset that is not as it was requested.

use serde_json::Value;

use super::Error;
use super::row::{Row, internal};

/// A preset whose registrations are not, or not known to be, those that were requested (docs/API.md, section 4.6).
///
/// It is answered like its [cause](Self::cause), and the answer also has what is registered now.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", known(outcome))]
pub struct PresetFailure {
    /// The first failure.
    #[source]
    pub cause: Error,
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
}

/// What is known of the preset.
fn known(outcome: &Value) -> String {
    let member = |name| outcome[name].as_str().unwrap_or("unknown");
    let failed = outcome.get("failed").map(|failed| format!(" after {failed} failed"));
    let (preset, state) = (member("preset"), member("state"));
    format!("the preset {preset} is {state}{}", failed.unwrap_or_default())
}
