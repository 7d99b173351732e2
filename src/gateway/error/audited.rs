//! What an error means for an attempt that is audited.

use super::{Error, TurnedAway};
use crate::audit::Attempt;

impl Error {
    /// Ends `attempt` with `result`, unless it has ended before.
    ///
    /// What was turned away by a limit was no attempt: nothing was tried, and it is counted with its
    /// like in the log ([`TurnedAway`]).
    pub(in crate::gateway) fn audit<T>(attempt: &Attempt, result: &Result<T, Self>) {
        match result {
            Ok(_) => attempt.done(),
            Err(error) if TurnedAway::of(error).is_some() => attempt.leave_out(),
            Err(error) if error.status().is_client_error() => attempt.refused(error),
            Err(error) => attempt.failed(error),
        }
    }
}
