//! The apps of a server.

use std::borrow::Cow;
use std::sync::Arc;

use serde::ser::{Serialize, Serializer};

use super::GroupwareError;

/// The identifiers of the apps of a server, sorted by code point, each once.
///
/// It serializes as an array of strings. Cheap to clone: clones share the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppIds(Arc<List>);

#[derive(Debug, PartialEq, Eq)]
struct List {
    /// All of them, concatenated.
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
    /// Serialized as JSON.
    json: Vec<u8>,
}

// === impl AppIds ===

impl AppIds {
    pub(super) fn new(mut names: Vec<Cow<'_, str>>) -> Result<Self, GroupwareError> {
        names.sort_unstable();
        names.dedup();
        let json = serde_json::to_vec(&names).map_err(|error| GroupwareError::Unreadable {
            reason: "its keys cannot be written",
            source: Some(error.into()),
        })?;
        let mut text = String::with_capacity(names.iter().map(|name| name.len()).sum());
        let ends = names.iter().map(|name| {
            text.push_str(name);
            text.len()
        });
        let ends = ends.collect();
        Ok(Self(Arc::new(List { text, ends, json })))
    }

    /// The identifiers, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        let mut start = 0;
        self.0.ends.iter().map(move |&end| {
            let name = &self.0.text[start..end];
            start = end;
            name
        })
    }

    /// The identifiers as a JSON array of strings.
    pub fn as_json(&self) -> &[u8] {
        &self.0.json
    }
}

impl Serialize for AppIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
