//! What an error means for the audit log and for later calls.

use super::{Error, QueueError, VaultError};
use crate::audit::Attempt;
use crate::groupware::Effect;

impl Error {
    /// Ends `attempt` with `result`, which is returned.
    ///
    /// A request that was rejected by a limit is not an attempt: nothing was tried, and it is counted in
    /// the log ([`RejectionReason`](super::RejectionReason)).
    pub(crate) fn audit<T>(attempt: &Attempt, result: Result<T, Self>) -> Result<T, Self> {
        match &result {
            Ok(_) => attempt.done(),
            Err(error) if error.row().rejection.is_some() => attempt.leave_out(),
            Err(error) => error.end(attempt),
        }
        result
    }

    pub(crate) fn end(&self, attempt: &Attempt) {
        if self.row().status.is_client_error() {
            attempt.refused(self);
        } else if self.effect() == Effect::Unknown {
            attempt.unknown(self);
        } else {
            attempt.failed(self);
        }
    }

    /// What is known of the change that the request was to make at the groupware server, or in the store.
    pub(crate) fn effect(&self) -> Effect {
        match self {
            Self::Write(fault) | Self::NotRevoked(fault) => fault.effect(),
            Self::WriteTimeout => Effect::Unknown,
            Self::Vault(VaultError::Store(fault))
            | Self::NotRemoved(VaultError::Store(fault))
            | Self::Queue(QueueError::Store(fault))
                if fault.is_effect_unknown =>
            {
                Effect::Unknown
            }
            // Nothing that was to change something was sent.
            _ => Effect::NotDone,
        }
    }
}
