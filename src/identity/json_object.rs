//! JSON objects without duplicate members.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::refusal::{RefusalReason, TokenRefusal, refusal};

/// A JSON object without duplicate members: two parsers of a token must not see different values (RFC
/// 7515, section 4; RFC 7519, section 4). `serde_json` limits nesting to 128 levels.
#[derive(Debug)]
pub(super) struct JsonObject(Map<String, Value>);

// === impl JsonObject ===

impl JsonObject {
    pub(super) fn parse(json: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(json)
    }

    pub(super) fn member(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The member as text; an error if it is of another type.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, TokenRefusal> {
        match self.member(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(refusal(
                RefusalReason::Malformed,
                format_args!("its `{name}` is not text"),
            )),
        }
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

// === impl Members ===

impl<'de> Visitor<'de> for Members {
    type Value = JsonObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<JsonObject, A::Error> {
        let mut members = Map::new();
        while let Some((name, value)) = access.next_entry::<String, Value>()? {
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("a member is given twice"));
            }
        }
        Ok(JsonObject(members))
    }
}
