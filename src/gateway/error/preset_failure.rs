//! A preset that was not completely enabled or disabled, and what is left of it at the server.

use std::fmt;

use super::Error;

/// A preset that was not enabled, or not completely disabled.
#[derive(Debug)]
pub struct PresetFailure {
    /// The event of the webhook that could not be registered; `None` if webhooks were to be deleted.
    pub(in crate::gateway) event: Option<Box<str>>,
    pub(in crate::gateway) cause: Box<Error>,
    /// How many had been registered before the one that failed.
    pub(in crate::gateway) made: usize,
    pub(in crate::gateway) left: Leftover,
}

/// Registrations that may be left at the server, but should not be.
#[derive(Debug, Default)]
pub(in crate::gateway) struct Leftover {
    /// In ascending order.
    pub(in crate::gateway) ids: Vec<i64>,
    /// Whether there may be another one whose id is not known.
    pub(in crate::gateway) unknown: bool,
    /// Whether the gateway goes on deleting them after the answer.
    pub(in crate::gateway) goes_on: bool,
}

/// The warning that outdated registrations may still be there.
pub(in crate::gateway) fn leftover_warning(ids: &[i64]) -> String {
    format!(
        "May still be registered, though they are outdated or there twice: {}.{GOES_ON}",
        Ids(ids)
    )
}

const GOES_ON: &str = " The gateway goes on trying to delete them for ten minutes.";

// === impl Leftover ===

impl Leftover {
    pub(in crate::gateway) fn is_nothing(&self) -> bool {
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
        let cause = match &*self.cause {
            // What is known of the registrations is said below.
            Error::Write(fault) => fault.cause().public_message().into(),
            cause => cause.row().text,
        };
        let cause = cause.trim_end_matches('.');
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

/// Numbers with commas between them.
pub(in crate::gateway) struct Ids<'a>(pub(in crate::gateway) &'a [i64]);

impl fmt::Display for Ids<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, id) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{id}")?;
        }
        Ok(())
    }
}
