//! The apps of a server.

use std::borrow::Cow;

use bytes::Bytes;

use super::GroupwareError;

/// The identifiers of the apps of a server, sorted by code point, each once.
///
/// Cheap to clone: clones share the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppIds {
    json: Bytes,
    /// Whether the same answer said that refused logins of the address that asked are not counted.
    pub(super) is_allow_listed: bool,
}

impl AppIds {
    pub(super) fn new(
        mut names: Vec<Cow<'_, str>>,
        is_allow_listed: bool,
    ) -> Result<Self, GroupwareError> {
        names.sort_unstable();
        names.dedup();
        let json = serde_json::to_vec(&names)
            .map_err(|error| GroupwareError::unreadable_by("its keys cannot be written", error))?;
        Ok(Self {
            json: json.into(),
            is_allow_listed,
        })
    }

    /// The identifiers as a JSON array of strings.
    pub fn as_json(&self) -> &[u8] {
        &self.json
    }

    /// The identifiers, in order.
    pub fn to_vec(&self) -> Vec<String> {
        serde_json::from_slice(&self.json).expect("it was written as a list of strings")
    }
}
