//! The catalogue of known events (docs/API.md, section 4.7), from the data that filters are checked against.

use serde::Serialize;

use super::node::Node;
use super::shape::{Map, Member, Shape};

/// A value in the events of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EventField {
    /// Its path in filters, such as `event.node.path`.
    pub path: String,
    /// Its type: `string`, `integer`, `object`, `list of strings` and so on.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Whether every event of the class has it, with a value other than null.
    pub always: bool,
    /// Its description.
    pub about: &'static str,
    /// The tests that filters cannot make on it, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_in_filters: Option<&'static str>,
}

/// An example of an event of `class`, or of a value in it.
pub(super) fn example(class: &str, shape: &Shape) -> Node {
    let Shape::Map(Map { members, .. }) = shape else {
        return Node::Null;
    };
    let members = members.iter().map(|member| {
        let example = match member.shape {
            Shape::Map(_) => example(class, &member.shape),
            _ if member.name == "class" => Node::Text(class.to_owned()),
            _ => member.example.clone(),
        };
        (member.name.clone(), example)
    });
    Node::Object(members.collect())
}

/// The fields of `shape`, which is at the path `outer`, from the outside in.
pub(super) fn fields(outer: &str, shape: &Shape) -> Vec<EventField> {
    let Shape::Map(Map { members, .. }) = shape else {
        return Vec::new();
    };
    let field = |member: &Member| {
        let dot = if outer.is_empty() { "" } else { "." };
        let path = format!("{outer}{dot}{}", member.name);
        let below = fields(&path, &member.shape);
        let field = EventField {
            path,
            kind: kind(&member.shape),
            always: member.always,
            about: member.about,
            not_in_filters: not_in_filters(member),
        };
        [field].into_iter().chain(below)
    };
    members.iter().flat_map(field).collect()
}

fn kind(shape: &Shape) -> &'static str {
    match shape {
        Shape::Text => "string",
        Shape::Number => "integer",
        Shape::Bool => "boolean",
        Shape::Scalar => "string or integer",
        Shape::Object | Shape::Map(_) | Shape::TextObject => "object",
        Shape::TextOrObject => "string or object",
        Shape::List(item) => match **item {
            Shape::Text | Shape::Scalar => "list of strings or integers",
            _ => "list of objects",
        },
        Shape::Unknown | Shape::Trusted => "anything",
    }
}

fn not_in_filters(member: &Member) -> Option<&'static str> {
    if member.name.contains('.') {
        return Some("anything: no path reaches a name with a dot");
    }
    match &member.shape {
        Shape::Object => Some("a pattern, or a path below it: it is an object at the server"),
        Shape::TextOrObject => {
            Some("a pattern, or a path below it: it can be an object at the server")
        }
        Shape::TextObject => Some("a path below it: it is an object at the server"),
        Shape::List(item) => match **item {
            Shape::Map(_) => None,
            Shape::Text | Shape::Scalar => {
                Some("a path below it, a position included: it is a list of plain values")
            }
            _ => Some("a path below it: it is a list of objects at the server"),
        },
        Shape::Unknown => {
            Some("a pattern, a path below it, $in, $nin, $all and $mod: it is not known what it is")
        }
        shape if shape.can_hold_object() => {
            Some("$in, $nin and $all: it holds objects at the server")
        }
        _ => None,
    }
}
