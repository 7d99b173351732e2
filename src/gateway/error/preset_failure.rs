//! Why a preset is not as it was asked to be, and what is left of it at the server.

use std::fmt;

use super::removal::Removal;
use crate::gateway::Error;
use crate::groupware::GroupwareError;

/// A preset that was not enabled, or not disabled whole.
#[derive(Debug)]
pub struct PresetFailure {
    /// The event of the webhook that could not be registered; `None` if webhooks were to be deleted.
    pub(super) event: Option<Box<str>>,
    pub(super) cause: Box<Error>,
    /// How many had been registered before the one that failed.
    pub(super) made: usize,
    pub(super) left: Left,
}

/// What may be registered that should not be.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// In ascending order.
    pub(super) ids: Vec<i64>,
    /// Whether there may be one whose id nobody knows.
    pub(super) unknown: bool,
    /// Whether the gateway goes on after the answer.
    pub(super) goes_on: bool,
}

/// What `removal` has left, which is put into `rest` if it is worth going on.
pub(super) fn left(removal: Removal, rest: &mut Option<Removal>) -> Left {
    let mut left = removal.left();
    left.goes_on = removal.goes_on();
    if left.goes_on {
        *rest = Some(removal);
    }
    left
}

/// That outdated registrations may still be there.
pub(super) fn still_there(ids: &[i64]) -> String {
    format!(
        "May still be registered, though they are outdated or there twice: {}.{GOES_ON}",
        Ids(ids)
    )
}

const GOES_ON: &str = " The gateway goes on trying to delete them for ten minutes.";

// === impl Left ===

impl Left {
    pub(super) fn is_nothing(&self) -> bool {
        self.ids.is_empty() && !self.unknown
    }
}

// === impl PresetFailure ===

impl PresetFailure {
    /// The ids of the registrations that may still be there and should not be.
    pub fn left(&self) -> &[i64] {
        &self.left.ids
    }

    /// What the caller reads: no host, path, code or text of the server.
    pub(in crate::gateway) fn public_message(&self) -> String {
        let cause = self.cause.row();
        let cause = cause.text.trim_end_matches('.');
        let mut message = match &self.event {
            Some(event) => {
                format!("The preset was not enabled: {event} could not be registered. {cause}.")
            }
            None => format!("The preset was not disabled. {cause}."),
        };
        if self.event.is_some() && self.made > 0 && self.left.ids.is_empty() {
            message += " What was registered before was deleted again.";
        }
        if !self.left.ids.is_empty() {
            message += &format!(" May still be registered: {}.", Ids(&self.left.ids));
        }
        if self.left.unknown {
            message += " It is not known whether the server still registers the one that failed.";
        }
        if self.left.goes_on {
            message += GOES_ON;
        }
        message
    }
}

impl fmt::Display for PresetFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.event {
            Some(event) => write!(
                f,
                "a webhook for {event} was not registered: {}",
                self.cause
            )?,
            None => write!(f, "a webhook was not deleted: {}", self.cause)?,
        }
        if !self.left.ids.is_empty() {
            write!(f, "; may still be registered: {}", Ids(&self.left.ids))?;
        }
        if self.left.unknown {
            f.write_str("; it is not known whether the one that failed is registered")?;
        }
        Ok(())
    }
}

impl std::error::Error for PresetFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.cause)
    }
}

/// Whether a later call would fail as well: the login is not to be tried again.
pub(super) fn ends_calls(error: &Error) -> bool {
    matches!(
        error,
        Error::NotProvisioned
            | Error::Suspended
            | Error::TooManyRefused(_)
            | Error::NotConfigured
            | Error::Groupware(
                GroupwareError::Refused
                    | GroupwareError::Anonymous
                    | GroupwareError::OneTimePassword
            )
    )
}

/// Numbers with commas between them.
pub(super) struct Ids<'a>(pub(super) &'a [i64]);

impl fmt::Display for Ids<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, id) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{id}")?;
        }
        Ok(())
    }
}
