//! What a caller wants with a preset of webhooks (docs/API.md, section 4.6).

use serde::Deserialize;

use crate::gateway::Error;

/// What a caller wants with a preset. Its name is not looked up yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PresetInput {
    /// To know which there are.
    List,
    /// To know where one is registered.
    Show {
        /// Its name.
        preset: Box<str>,
        /// The only address to look at.
        uri: Option<String>,
    },
    /// To have its webhooks registered.
    Enable {
        /// Its name.
        preset: Box<str>,
        /// Where deliveries are to go; never empty.
        uri: String,
    },
    /// To have its registrations deleted.
    Disable {
        /// Its name.
        preset: Box<str>,
        /// Where deliveries go; never empty.
        uri: String,
    },
}

// === impl PresetInput ===

impl PresetInput {
    /// Reads the body of a request to enable `preset`: an object with a `uri`.
    ///
    /// # Errors
    /// [`Error::InvalidPresetBody`].
    pub(in crate::gateway) fn enable(preset: Box<str>, body: &[u8]) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Members {
            uri: String,
        }

        // serde would read an array as the members in their order.
        if !body.trim_ascii_start().starts_with(b"{") {
            return Err(Error::InvalidPresetBody);
        }
        match serde_json::from_slice(body) {
            Ok(Members { uri }) if !uri.is_empty() => Ok(Self::Enable { preset, uri }),
            _ => Err(Error::InvalidPresetBody),
        }
    }
}
