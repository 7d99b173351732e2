//! Requests about presets of webhooks (docs/API.md, section 4.6).

use serde::Deserialize;

use super::members::members;
use crate::gateway::Error;

/// A request about presets. The preset's name has not been looked up yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PresetInput {
    /// List the presets.
    List,
    /// Show where one is registered.
    Show {
        /// Its name.
        preset: Box<str>,
        /// If set, only registrations for this address are considered.
        uri: Option<String>,
    },
    /// Register its webhooks.
    Enable {
        /// Its name.
        preset: Box<str>,
        /// The address for deliveries; never empty.
        uri: String,
    },
    /// Delete its registrations.
    Disable {
        /// Its name.
        preset: Box<str>,
        /// The address of the deliveries; never empty.
        uri: String,
    },
}

// === impl PresetInput ===

impl PresetInput {
    /// Parses the body of a request to enable `preset`: an object with a `uri`.
    ///
    /// # Errors
    /// [`Error::InvalidPresetBody`].
    pub(in crate::gateway) fn enable(preset: Box<str>, body: &[u8]) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Members {
            uri: String,
        }

        match members(body) {
            Some(Members { uri }) if !uri.is_empty() => Ok(Self::Enable { preset, uri }),
            _ => Err(Error::InvalidPresetBody),
        }
    }
}
