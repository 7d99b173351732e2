//! What is known of a write that failed.

use std::borrow::Cow;

use super::GroupwareError;
use crate::labels::labels;

/// Advises the caller of a write whose effect is not known.
pub(crate) const NOT_KNOWN: &str =
    "It is not known whether the request was carried out: look before you repeat it.";

/// Advises the caller of a login flow whose granted password may be lost.
pub(crate) const LOST_GRANT: &str = "It is not known whether the groupware server has handed out the app password: if you \
    have granted access and the status stays pending, remove the newest app password whose name begins with portreeve \
    in the groupware server's settings, Security, and start another login flow.";

const REMARK: &str = "it is not known whether the request was carried out: ";

labels! {
    /// What is known of a write.
    pub enum Effect {
        Done = "done",
        /// It was not done: nothing was sent, or the server itself refused it.
        NotDone = "not_done",
        /// It may have been done, or may be yet: look before you repeat it.
        Unknown = "unknown",
    }
}

/// Why a write failed: a call that was to change something at the server.
///
/// It also says what is known of the change. A write without an error is done.
#[derive(Debug, thiserror::Error)]
#[error("{}{cause}", if self.effect() == Effect::Unknown { REMARK } else { "" })]
pub struct WriteError {
    /// Why the call failed.
    #[source]
    pub cause: GroupwareError,
    advice: &'static str,
}

impl WriteError {
    /// With this advice for the caller, if the effect is not known.
    pub(crate) fn new(cause: GroupwareError, advice: &'static str) -> Self {
        Self { cause, advice }
    }

    /// What is known of the change: [`NotDone`](Effect::NotDone) or [`Unknown`](Effect::Unknown).
    pub fn effect(&self) -> Effect {
        self.cause.effect()
    }

    /// A fixed sentence for the cause, and one more if it is not known whether the change was made.
    pub fn public_message(&self) -> Cow<'static, str> {
        let cause = self.cause.public_message();
        match self.effect() {
            Effect::Unknown => format!("{cause} {}", self.advice).into(),
            _ => cause.into(),
        }
    }
}

impl From<GroupwareError> for WriteError {
    fn from(cause: GroupwareError) -> Self {
        Self::new(cause, NOT_KNOWN)
    }
}
