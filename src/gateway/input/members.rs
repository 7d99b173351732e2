//! The members of a request's body.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use serde::de::value::MapDeserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer as _};
use serde_json::value::RawValue;

use super::{InputError, refused};
use crate::groupware::{EventFilter, EventShape, FilterFault};

/// Maximum number of characters that are shown of an unknown member.
const MAX_SHOWN: usize = 40;
/// The minimum similarity of the one that is meant, from 0 to 1.
const ALIKE: f64 = 0.8;

/// The name of a member. Escapes may make it something that is not Unicode.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, [u8]>);

/// Reads the members of an object, also those of the same name.
struct Pairs<N, V>(PhantomData<(N, V)>);

/// The members of a JSON object, or `None` if `body` is not one: serde alone would accept an array of the
/// members in their order. There is no error, since serde_json's may quote the text, and so a password.
pub(super) fn members<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Option<T> {
    let is_object = body.trim_ascii_start().starts_with(b"{");
    is_object.then(|| serde_json::from_slice(body).ok().or_else(|| unusual_members(body)))?
}

/// The same with names that are not Unicode, which are replaced by such as no known member has.
fn unusual_members<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Option<T> {
    // Of the escapes only halves of surrogate pairs are no Unicode. Nothing else is worth a second look.
    body.windows(3).find(|escape| escape.eq_ignore_ascii_case(br"\ud"))?;
    let text = std::str::from_utf8(body).ok()?;
    let members = pairs::<Name<'_>, &RawValue>(text).ok()?;
    let members = members.iter().map(|(name, value)| (String::from_utf8_lossy(&name.0), *value));
    T::deserialize(MapDeserializer::new(members)).ok()
}

/// The members of an object.
pub(super) fn pairs<'a, N: Deserialize<'a>, V: Deserialize<'a>>(
    json: &'a str,
) -> serde_json::Result<Vec<(N, V)>> {
    let mut json = serde_json::Deserializer::from_str(json);
    let pairs = json.deserialize_map(Pairs(PhantomData))?;
    json.end().map(|()| pairs)
}

/// The text of a required member, which is not empty; `missing` if it is no text.
pub(super) fn text(value: Option<&RawValue>, missing: &'static str) -> Result<String, InputError> {
    const NOT_UNICODE: &str =
        "A string is not valid Unicode: one of its escapes is half of a surrogate pair";
    let json = value.map_or("null", RawValue::get);
    match serde_json::from_str(json) {
        Ok(Some(text)) if !String::is_empty(&text) => Ok(text),
        Err(_) if json.starts_with('"') => Err(refused(NOT_UNICODE)),
        _ => Err(refused(missing)),
    }
}

pub(super) fn filter(
    members: [Option<&RawValue>; 2],
    shape: EventShape,
) -> Result<Option<EventFilter>, FilterFault> {
    for member in members.into_iter().flatten() {
        if let Some(filter) = EventFilter::parse_raw(member, shape)? {
            return Ok(Some(filter));
        }
    }
    Ok(None)
}

/// The members of `body`, which may have only these `names`; `expected` if it is no object, or has one twice.
pub(super) fn known_members<'a, T: Deserialize<'a>>(
    body: &'a [u8],
    names: &[&'static str],
    expected: InputError,
) -> Result<T, InputError> {
    let Some(given) = members::<IndexMap<String, IgnoredAny>>(body) else {
        let is_object = body.trim_ascii_start().starts_with(b"{");
        const NOT_JSON: &str =
            "The body is not valid JSON, or not Unicode: a backslash in a string is doubled";
        return Err(if is_object { refused(NOT_JSON) } else { expected });
    };
    let Some(other) = given.keys().find(|name| !names.contains(&&***name)) else {
        return serde_json::from_slice(body).map_err(|_| expected);
    };
    if other == "state" && names.contains(&"paused") {
        return Err(refused("state cannot be set: set paused to true or false"));
    }
    let shown = other.chars().filter(|c| !c.is_control());
    let shown: String = shown.take(MAX_SHOWN).collect();
    let small = other.to_lowercase();
    let likeness = |name: &&str| strsim::jaro_winkler(&small, &name.to_lowercase());
    let alike = names.iter().copied().filter(|it| likeness(it) >= ALIKE);
    Err(refused(match alike.max_by(|a, b| likeness(a).total_cmp(&likeness(b))) {
        Some(meant) => format!("Unknown member {shown}: is it {meant}?"),
        None => format!("Unknown member {shown}. {expected}"),
    }))
}

impl<'de, N: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Pairs<N, V> {
    type Value = Vec<(N, V)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        std::iter::from_fn(|| object.next_entry().transpose()).collect()
    }
}
