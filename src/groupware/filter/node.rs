//! The JSON of a filter.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// JSON as far as the rules look at it. Each occurrence of a key is kept, so that all are checked,
/// whichever of them the server uses.
pub(super) enum Node {
    Falsy,
    Scalar,
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    /// Whether PHP takes it for `false`.
    pub(super) fn is_falsy(&self) -> bool {
        match self {
            Self::Falsy => true,
            Self::Scalar => false,
            Self::List(items) => items.is_empty(),
            Self::Object(members) => members.is_empty(),
        }
    }

    fn scalar(falsy: bool) -> Self {
        if falsy { Self::Falsy } else { Self::Scalar }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Falsy)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::scalar(!value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::scalar(value == 0))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::scalar(value == 0))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::scalar(value == 0.0))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::scalar(value.is_empty()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some((key, value)) = map.next_entry()? {
            members.push((key, value));
        }
        Ok(Node::Object(members))
    }
}
