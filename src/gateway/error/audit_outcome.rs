//! What an error means for the audit log and for later calls.

use super::Error;
use crate::audit::Attempt;
use crate::groupware::Effect;

impl Error {
    /// Ends `attempt` with `result`, unless it has ended before.
    ///
    /// A request that was turned away by a limit is not an attempt: nothing was tried, and it is counted in
    /// the log ([`ShedReason`](super::ShedReason)).
    pub(in crate::gateway) fn audit<T>(attempt: &Attempt, result: &Result<T, Self>) {
        let Err(error) = result else {
            return attempt.done();
        };
        match error.row() {
            row if row.shed.is_some() => attempt.leave_out(),
            row if row.status.is_client_error() => attempt.refused(error),
            _ if error.effect() == Effect::Unknown => attempt.unknown(error),
            _ => attempt.failed(error),
        }
    }

    /// What is known of the change that the request was to make at the groupware server.
    pub(in crate::gateway) fn effect(&self) -> Effect {
        match self {
            Self::Write(fault) | Self::NotRevoked(fault) => fault.effect(),
            Self::Timeout | Self::WriteTimeout => Effect::Unknown,
            // Without a call that was to change something.
            _ => Effect::NotDone,
        }
    }
}
