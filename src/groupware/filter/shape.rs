//! The shapes of values that the matcher can find in an event.

use serde::{Deserialize, Deserializer};

use super::node::Node;

/// The possible types of a value when the server applies a filter to it; in `events.json` by these names.
///
/// PHP has one type for lists and maps, the array, on which all conditions work. Objects break the matcher: they have
/// no elements, and most cannot be converted to text. In the JSON of a delivery the two look alike.
#[derive(Debug, Deserialize)]
pub(super) enum Shape {
    #[serde(rename = "string")]
    Text,
    #[serde(rename = "integer")]
    Number,
    #[serde(rename = "boolean")]
    Bool,
    /// A text, a number or a boolean.
    #[serde(rename = "string or integer")]
    Scalar,
    /// An object that cannot be converted to text, and is empty in the JSON.
    #[serde(rename = "opaque")]
    Object,
    /// An object that can be converted to text.
    #[serde(rename = "entity")]
    TextObject,
    /// A text, or an object that cannot be converted to text.
    #[serde(rename = "string or opaque")]
    TextOrObject,
    /// An array with the keys 0, 1, 2, …; it can be empty.
    #[serde(rename = "list")]
    List(Box<Shape>),
    /// An array with text keys.
    #[serde(rename = "object")]
    Map(Map),
    #[serde(rename = "anything")]
    Unknown,
    /// Anything, but the operator asserts that no filter meets an object.
    #[serde(skip)]
    Trusted,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Map {
    pub(super) members: Vec<Member>,
    /// The shape of other members, if there can be any.
    pub(super) others: Option<Box<Shape>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Member {
    pub(super) name: String,
    /// Whether it is always present and not `null`, which are the same to the matcher.
    #[serde(default)]
    pub(super) always: bool,
    #[serde(rename = "type")]
    pub(super) shape: Shape,
    /// An example of the value; not used for a map, whose members have examples.
    #[serde(default)]
    pub(super) example: Node,
    #[serde(deserialize_with = "kept_text")]
    pub(super) about: KeptText,
}

/// A text of the catalogue, which is kept as long as the program runs.
pub(super) type KeptText = &'static str;

pub(super) fn kept_text<'de, D: Deserializer<'de>>(text: D) -> Result<KeptText, D::Error> {
    String::deserialize(text).map(|text| &*text.leak())
}

// === impl Map ===

impl Map {
    /// The shape of the member `name`, if there can be one.
    pub(super) fn member(&self, name: &str) -> Option<&Shape> {
        let named = self.members.iter().find(|member| member.name == name);
        named.map(|member| &member.shape).or(self.others.as_deref())
    }
}

// === impl Shape ===

impl Shape {
    /// The shape of the element under `key`, or of each element of a list.
    pub(super) fn element(&self, key: Option<&str>) -> &Self {
        match self {
            Self::List(item) => item,
            Self::Map(map) => {
                key.map_or(map.others.as_deref(), |key| map.member(key)).unwrap_or(&Self::Trusted)
            }
            Self::Unknown | Self::TextOrObject | Self::Object | Self::TextObject => &Self::Unknown,
            Self::Trusted | Self::Text | Self::Number | Self::Bool | Self::Scalar => &Self::Trusted,
        }
    }

    /// Whether it can be an object that cannot be converted to text.
    pub(super) fn can_be_object(&self) -> bool {
        matches!(self, Self::Object | Self::TextOrObject | Self::Unknown)
    }

    /// Whether it can be an array that contains such an object.
    pub(super) fn can_hold_object(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::List(item) => item.can_be_object(),
            Self::Map(Map { members, others }) => {
                let members = members.iter().map(|member| &member.shape);
                let mut shapes = members.chain(others.as_deref());
                shapes.any(Self::can_be_object)
            }
            _ => false,
        }
    }
}
