//! Requests about presets of webhooks (docs/API.md, section 4.6).

use serde::Deserialize;

use super::members::members;
use crate::gateway::Error;

/// A request about presets. The preset's name has not been looked up yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PresetInput {
    List,
    Show {
        preset: Box<str>,
        /// If set, only registrations for this address are considered.
        uri: Option<String>,
    },
    Enable {
        preset: Box<str>,
        /// The address for deliveries; never empty.
        uri: String,
    },
    Disable {
        preset: Box<str>,
        /// The address of the deliveries; never empty.
        uri: String,
    },
}

impl PresetInput {
    /// Parses the body of a request to enable `preset`: an object with a `uri`.
    pub(crate) fn enable(preset: Box<str>, body: &[u8]) -> Result<Self, Error> {
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
