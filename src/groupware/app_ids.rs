//! The apps of a server.

use std::borrow::Cow;

use bytes::Bytes;

use super::GroupwareError;

/// The identifiers of the apps of a server, sorted by code point, each once.
///
/// Cheap to clone: clones share the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppIds(Bytes);

// === impl AppIds ===

impl AppIds {
    pub(super) fn new(mut names: Vec<Cow<'_, str>>) -> Result<Self, GroupwareError> {
        names.sort_unstable();
        names.dedup();
        let json = serde_json::to_vec(&names).map_err(|error| GroupwareError::Unreadable {
            reason: "its keys cannot be written",
            source: Some(error.into()),
        })?;
        Ok(Self(json.into()))
    }

    /// The identifiers as a JSON array of strings.
    pub fn as_json(&self) -> &[u8] {
        &self.0
    }

    /// The identifiers, in order.
    pub fn to_vec(&self) -> Vec<String> {
        serde_json::from_slice(&self.0).expect("it was written as a list of strings")
    }
}
