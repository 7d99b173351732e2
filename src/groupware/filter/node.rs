//! The JSON of a filter or event, as PHP represents it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// Maximum number of bytes of a text that is quoted: more than of any quotation.
const MAX_QUOTED: usize = 200;

/// A value of a filter or of an event.
#[derive(Debug, PartialEq)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Int(i64),
    /// A number with a fraction or an exponent, or one beyond 64 bits.
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Object(Object),
}

/// A JSON object. If a key is repeated, its last value counts.
#[derive(Debug, Default)]
pub(super) struct Object {
    members: Vec<(String, Node)>,
    /// The members overridden by later ones, which the server does not see.
    superseded: Vec<(String, Node)>,
}

/// A list or an object: for PHP both are arrays, and `{"0": x}` is the same as `[x]`.
#[derive(Clone, Copy)]
pub(super) struct Array<'n> {
    items: &'n [Node],
    members: &'n [(String, Node)],
    superseded: &'n [(String, Node)],
}

/// The key of an element of an [`Array`].
#[derive(Clone, Copy)]
pub(super) enum Key<'n> {
    Position(usize),
    Name(&'n str),
}

// === impl Node ===

impl Node {
    /// `None` for a scalar.
    pub(super) fn array(&self) -> Option<Array<'_>> {
        match self {
            Self::List(items) => Some(Array {
                items,
                members: &[],
                superseded: &[],
            }),
            Self::Object(object) => Some(object.array()),
            _ => None,
        }
    }

    /// Whether it is this object.
    pub(super) fn is(&self, object: &Object) -> bool {
        matches!(self, Self::Object(own) if own == object)
    }

    /// Whether PHP treats it as `false`.
    pub(super) fn is_falsy(&self) -> bool {
        match self {
            Self::Null | Self::Bool(false) => true,
            Self::Int(number) => *number == 0,
            Self::Float(number) => *number == 0.0,
            Self::Text(text) => text.is_empty() || text == "0",
            _ => self.array().is_some_and(Array::is_empty),
        }
    }
}

// === impl Object ===

impl Object {
    /// From all members in their order.
    fn new(entries: Vec<(String, Node)>) -> Self {
        if entries.len() < 2 {
            return Self {
                members: entries,
                superseded: Vec::new(),
            };
        }
        // The place of the first entry with the same key.
        let mut first: Vec<usize> = (0..entries.len()).collect();
        let mut sorted = first.clone();
        sorted.sort_by(|one, other| entries[*one].0.cmp(&entries[*other].0));
        for pair in sorted.windows(2) {
            if entries[pair[0]].0 == entries[pair[1]].0 {
                first[pair[1]] = first[pair[0]];
            }
        }
        let mut object = Self::default();
        // Where the key of each entry is among the members.
        let mut places = Vec::with_capacity(entries.len());
        for (at, (key, value)) in entries.into_iter().enumerate() {
            if first[at] == at {
                places.push(object.members.len());
                object.members.push((key, value));
            } else {
                let place: usize = places[first[at]];
                places.push(place);
                let before = std::mem::replace(&mut object.members[place].1, value);
                object.superseded.push((key, before));
            }
        }
        object
    }

    pub(super) fn array(&self) -> Array<'_> {
        Array {
            items: &[],
            members: &self.members,
            superseded: &self.superseded,
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        let mut members = self.members.iter();
        members.find_map(|(key, value)| (key == name).then_some(value))
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        let mut members = self.members.iter_mut();
        members.find_map(|(key, value)| (key == name).then_some(value))
    }

    /// Sets a member, appending it if it is new.
    pub(super) fn set(&mut self, name: &str, value: Node) {
        match self.get_mut(name) {
            Some(member) => *member = value,
            None => self.members.push((name.to_owned(), value)),
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.members.retain(|(key, _)| key != name);
    }
}

/// In any order, with the last value of a repeated key.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        let mut members = self.members.iter();
        self.members.len() == other.members.len()
            && members.all(|(name, value)| other.get(name) == Some(value))
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

/// To be quoted, as the server sees it: with the last value of a repeated key.
impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            // Of a longer text, no more is quoted.
            Self::Text(value) => {
                serializer.serialize_str(&value[..value.floor_char_boundary(MAX_QUOTED)])
            }
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(object) => {
                let members = object.members.iter();
                serializer.collect_map(members.map(|(name, value)| (name, value)))
            }
        }
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

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Object(Object::new(entries)))
    }
}

// === impl Array ===

impl<'n> Array<'n> {
    /// The elements in their order.
    pub(super) fn iter(self) -> impl Iterator<Item = (Key<'n>, &'n Node)> {
        let items = self.items.iter().enumerate();
        let items = items.map(|(position, item)| (Key::Position(position), item));
        items.chain(named(self.members))
    }

    /// The elements that the server does not see, since their keys are repeated later.
    pub(super) fn superseded(self) -> impl Iterator<Item = (Key<'n>, &'n Node)> {
        named(self.superseded)
    }

    /// The element under `key`.
    pub(super) fn get(self, key: &str) -> Option<&'n Node> {
        if !self.items.is_empty() {
            let position = position(key)?;
            return self.items.get(position);
        }
        let mut members = self.members.iter();
        members.find_map(|(name, value)| (name == key).then_some(value))
    }

    /// The element whose key is `position`.
    pub(super) fn at(self, position: usize) -> Option<&'n Node> {
        let mut elements = self.iter();
        elements.find_map(|(key, value)| key.is(position).then_some(value))
    }

    pub(super) fn len(self) -> usize {
        self.items.len() + self.members.len()
    }

    pub(super) fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether the keys are 0, 1, 2, … in this order.
    pub(super) fn is_list(self) -> bool {
        let mut elements = self.iter().enumerate();
        elements.all(|(position, (key, _))| key.is(position))
    }

    /// Whether it is written as a list.
    pub(super) fn is_written_as_list(self) -> bool {
        !self.items.is_empty()
    }
}

/// As a list, unless it is written as an object.
impl Serialize for Array<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.members {
            [] => serializer.collect_seq(self.items),
            members => serializer.collect_map(members.iter().map(|(name, value)| (name, value))),
        }
    }
}

fn named(members: &[(String, Node)]) -> impl Iterator<Item = (Key<'_>, &Node)> {
    let named = members.iter();
    named.map(|(name, value)| (Key::Name(name.as_str()), value))
}

// === impl Key ===

impl Key<'_> {
    /// Whether it is this number: PHP converts the key `"5"` to a number, but not `"05"`.
    fn is(self, number: usize) -> bool {
        match self {
            Self::Position(position) => position == number,
            Self::Name(name) => position(name) == Some(number),
        }
    }
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position(position) => position.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// The number to which PHP converts a key, if any.
fn position(key: &str) -> Option<usize> {
    let is_canonical = key == "0" || key.starts_with(|first: char| matches!(first, '1'..='9'));
    is_canonical.then(|| key.parse().ok()).flatten()
}
