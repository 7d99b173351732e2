//! What is known of a write that failed.

use std::borrow::Cow;

use super::{Effect, GroupwareError};

/// Advises the caller of a write whose effect is not known.
pub(crate) const NOT_KNOWN: &str =
    "It is not known whether the request was carried out: look before you repeat it.";

/// Why a write failed: a call that was to change something at the server.
///
/// It also says what is known of the change. A write without an error is done.
#[derive(Debug, thiserror::Error)]
#[error("{}{cause}", remark(self.effect()))]
pub struct WriteError {
    #[from]
    cause: GroupwareError,
}

// === impl WriteError ===

impl WriteError {
    /// Why the call failed.
    pub fn cause(&self) -> &GroupwareError {
        &self.cause
    }

    /// The same, without what is known of the change.
    pub fn into_cause(self) -> GroupwareError {
        self.cause
    }

    /// What is known of the change: [`NotDone`](Effect::NotDone) or [`Unknown`](Effect::Unknown).
    pub fn effect(&self) -> Effect {
        self.cause.effect()
    }

    /// A fixed sentence for the cause, and one more if it is not known whether the change was made.
    pub fn public_message(&self) -> Cow<'static, str> {
        let cause = self.cause.public_message();
        match self.effect() {
            Effect::Unknown => format!("{cause} {NOT_KNOWN}").into(),
            _ => cause.into(),
        }
    }
}

/// The beginning of an error's text.
fn remark(effect: Effect) -> &'static str {
    match effect {
        Effect::Unknown => "it is not known whether the request was carried out: ",
        Effect::Done | Effect::NotDone => "",
    }
}
