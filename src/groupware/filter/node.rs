//! The JSON of a filter or event, as PHP represents it.

use std::fmt;

use indexmap::IndexMap;
use serde::Serialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A value of a filter or of an event.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Node {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    /// A number with a fraction or an exponent, or one beyond 64 bits.
    Float(f64),
    Text(String),
    List(Vec<Node>),
    /// If a key is repeated, its last value counts, at the place of the first one.
    Object(IndexMap<String, Node>),
}

// === impl Node ===

impl Node {
    /// Whether PHP treats it as `false`.
    pub(super) fn is_falsy(&self) -> bool {
        match self {
            Self::Null | Self::Bool(false) => true,
            Self::Int(number) => *number == 0,
            Self::Float(number) => *number == 0.0,
            Self::Text(text) => text.is_empty() || text == "0",
            _ => self.is_array() && self.len() == 0,
        }
    }

    /// Whether it is a list or an object: for PHP both are arrays, and `{"0": x}` is the same as `[x]`.
    pub(super) fn is_array(&self) -> bool {
        matches!(self, Self::List(_) | Self::Object(_))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::List(items) => items.len(),
            Self::Object(members) => members.len(),
            _ => 0,
        }
    }

    pub(super) fn len_of_text(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            _ => 0,
        }
    }

    /// The elements of an array, with the names of an object's members.
    pub(super) fn elements(&self) -> impl Iterator<Item = (Option<&str>, &Self)> {
        let (items, members) = match self {
            Self::List(items) => (Some(items), None),
            Self::Object(members) => (None, Some(members)),
            _ => (None, None),
        };
        let items = items.into_iter().flatten().map(|item| (None, item));
        let members = members.into_iter().flatten();
        items.chain(members.map(|(name, member)| (Some(name.as_str()), member)))
    }

    /// The element of an array under `key`. PHP converts the key `"5"` to a number, but not `"05"`.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::List(items) => {
                let position: usize = key.parse().ok()?;
                let item = items.get(position)?;
                (position.to_string() == key).then_some(item)
            }
            Self::Object(members) => members.get(key),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

// === impl NodeVisitor ===

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(i64::try_from(value).map_or(Node::Float(value as f64), Node::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Node, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Node::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Node, A::Error> {
        IndexMap::deserialize(MapAccessDeserializer::new(map)).map(Node::Object)
    }
}

/// Whether `json` has more values than `limit`, where the name of a member counts as two, and an object or a list as
/// four: parsing takes some hundreds of instructions for each value, and thousands for a condition.
pub(crate) fn has_more_values(json: &str, limit: usize) -> bool {
    // A byte counts as four at most.
    if json.len() <= limit / 4 {
        return false;
    }
    // The brackets, commas and colons outside of texts.
    let (mut count, mut in_text) = (0, false);
    let mut bytes = json.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_text = !in_text,
            b'\\' if in_text => drop(bytes.next()),
            b'[' | b'{' if !in_text => count += 4,
            b':' if !in_text => count += 2,
            b',' if !in_text => count += 1,
            _ => {}
        }
    }
    count > limit
}
