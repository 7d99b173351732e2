//! JSON objects without duplicate members.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::refusal::{RefusalReason, TokenRefusal, refusal};

/// A JSON object. `serde_json` limits nesting to 128 levels.
#[derive(Debug, PartialEq)]
pub(super) struct JsonObject<'a> {
    members: BTreeMap<String, Json<'a>>,
    has_duplicates: bool,
}

/// A value, whose texts are not copied: anyone may send a token with thousands of them.
#[derive(Debug, PartialEq)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<Self>),
    Object(JsonObject<'a>),
}

// === impl JsonObject ===

impl<'a> JsonObject<'a> {
    /// The object that `json` is, if it has no duplicate members: two parsers of a token must not see different values (RFC
    /// 7515, section 4; RFC 7519, section 4).
    pub(super) fn parse(json: &'a [u8]) -> Option<Self> {
        match serde_json::from_str(str::from_utf8(json).ok()?).ok()? {
            Json::Object(object) if !object.has_duplicates => Some(object),
            _ => None,
        }
    }

    pub(super) fn member(&self, name: &str) -> Option<&Json<'a>> {
        self.members.get(name)
    }

    /// The member as text; an error if it is of another type.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, TokenRefusal> {
        match self.member(name) {
            None => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text)),
            Some(_) => {
                Err(refusal(RefusalReason::Malformed, format_args!("its `{name}` is not text")))
            }
        }
    }
}

// === impl Json ===

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyJson)
    }
}

struct AnyJson;

// === impl AnyJson ===

impl<'de> Visitor<'de> for AnyJson {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(text.to_owned().into()))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<Json<'de>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(access)).map(Json::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json<'de>, A::Error> {
        let (mut members, mut has_duplicates) = (BTreeMap::new(), false);
        while let Some((name, value)) = access.next_entry()? {
            has_duplicates |= members.insert(name, value).is_some();
        }
        Ok(Json::Object(JsonObject { members, has_duplicates }))
    }
}
