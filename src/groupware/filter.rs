//! Event filters, and which of them would harm.
//!
//! The server takes almost any filter and looks at it only when the event occurs. Where its matcher
//! then finds a scalar in place of a list or object, the operation that raised the event, an upload
//! for example, is answered 500, for every user. Such filters are refused here.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A filter on the properties of an event, as received, and known to harm nobody.
///
/// ```
/// use portreeve::groupware::EventFilter;
///
/// let filter = EventFilter::parse(r#"{"event.node.path": "/^\\/alice\\//"}"#).unwrap();
/// assert!(filter.is_some());
/// assert!(EventFilter::parse("[]").unwrap().is_none());
/// let fault = EventFilter::parse(r#"{"$and": 5}"#).unwrap_err();
/// assert_eq!(fault.to_string(), "$and: must be a list of objects that is not empty");
/// ```
#[derive(Clone, Debug)]
pub struct EventFilter(Box<RawValue>);

impl EventFilter {
    /// Reads a filter from its JSON text; `None` where it stands for no filter: `null`, `false`, a
    /// zero, `""`, `{}` or `[]`.
    ///
    /// # Errors
    /// A filter that is not an object, or would harm.
    pub fn parse(json: &str) -> Result<Option<Self>, FilterFault> {
        let unreadable = |_| {
            FilterFault::at(
                "",
                "is not valid JSON, or too deeply nested, or holds a number out of range",
            )
        };
        let node: Node = serde_json::from_str(json).map_err(unreadable)?;
        if node.is_falsy() {
            return Ok(None);
        }
        let Node::Object(members) = node else {
            return Err(FilterFault::at("", "must be an object"));
        };
        query(&members, &Place::Top)?;
        let raw = RawValue::from_string(json.trim_ascii().to_owned()).map_err(unreadable)?;
        Ok(Some(Self(raw)))
    }

    /// The JSON text, as received.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl Serialize for EventFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Where a filter is at fault, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}{}{reason}", if place.is_empty() { "" } else { ": " })]
pub struct FilterFault {
    place: String,
    reason: &'static str,
}

impl FilterFault {
    /// The keys and positions that lead to the fault, from the outside in, as `$or[1].user.uid`;
    /// empty for the filter as a whole.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// What is wrong there, as the end of a sentence that begins with the place.
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    fn at(place: impl fmt::Display, reason: &'static str) -> Self {
        // A key may be long, and hold what would garble a terminal.
        let place = place.to_string();
        let shown = place.chars().take(200);
        let shown = shown.map(|c| if c.is_control() { '\u{fffd}' } else { c });
        Self {
            place: shown.collect(),
            reason,
        }
    }
}

/// How deep queries may be nested within each other.
const MAX_DEPTH: usize = 32;

/// Members that must all match: logical operators and fields.
fn query(members: &[(String, Node)], place: &Place<'_>) -> Result<(), FilterFault> {
    if place.depth() > MAX_DEPTH {
        return Err(FilterFault::at(place, "is nested too deeply"));
    }
    for (key, value) in members {
        let place = &Place::Key(place, key);
        match &**key {
            "$and" | "$or" | "$nor" => {
                let queries = match value {
                    Node::List(queries) if !queries.is_empty() => queries,
                    _ => return Err(FilterFault::at(place, NOT_QUERIES)),
                };
                for (position, value) in queries.iter().enumerate() {
                    let place = &Place::Position(place, position);
                    match value {
                        Node::Object(members) => query(members, place)?,
                        _ => return Err(FilterFault::at(place, "must be an object")),
                    }
                }
            }
            "$not" | "$e" | "$ne" | "$lt" | "$lte" | "$gt" | "$gte" | "$in" | "$nin" | "$all"
            | "$exists" | "$mod" => {
                return Err(FilterFault::at(
                    place,
                    "must stand below a property, not beside one",
                ));
            }
            operator if operator.starts_with('$') => {
                return Err(FilterFault::at(place, "is not an operator"));
            }
            field => {
                path(field, place)?;
                match value {
                    Node::Object(conditions) => self::conditions(conditions, place)?,
                    Node::List(items) if !items.is_empty() => {
                        return Err(FilterFault::at(
                            place,
                            "must not be a list: use {\"$in\": […]} to allow several values",
                        ));
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

const NOT_QUERIES: &str = "must be a list of objects that is not empty";

/// The conditions on one field: operators and their operands.
fn conditions(members: &[(String, Node)], place: &Place<'_>) -> Result<(), FilterFault> {
    if place.depth() > MAX_DEPTH {
        return Err(FilterFault::at(place, "is nested too deeply"));
    }
    for (operator, operand) in members {
        let place = &Place::Key(place, operator);
        match (&**operator, operand) {
            ("$e" | "$ne" | "$lt" | "$lte" | "$gt" | "$gte" | "$exists", _)
            | ("$in" | "$nin" | "$all", Node::List(_)) => {}
            ("$in" | "$nin" | "$all", _) => {
                return Err(FilterFault::at(place, "must be a list"));
            }
            ("$not", Node::Object(members)) => conditions(members, place)?,
            ("$not", _) => {
                return Err(FilterFault::at(place, "must be an object of operators"));
            }
            ("$mod", _) => {
                return Err(FilterFault::at(place, "is refused, as it fails on text"));
            }
            _ => return Err(FilterFault::at(place, "is not an operator")),
        }
    }
    Ok(())
}

/// A dotted path. The server takes a number for a position in a list, and fails below a list of
/// texts.
fn path(field: &str, place: &Place<'_>) -> Result<(), FilterFault> {
    let number = |segment: &str| {
        let digits = segment.strip_prefix('-').unwrap_or(segment);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    if field.split('.').any(number) {
        return Err(FilterFault::at(
            place,
            "must not hold a number as a key or path segment",
        ));
    }
    let below_list = |list: &str| {
        field
            .strip_prefix(list)
            .is_some_and(|rest| rest.starts_with('.'))
    };
    if below_list("event.tagIds") || below_list("event.objectIds") {
        return Err(FilterFault::at(
            place,
            "must not lead below a list of texts",
        ));
    }
    Ok(())
}

/// How a query or condition was reached.
enum Place<'a> {
    Top,
    Key(&'a Place<'a>, &'a str),
    Position(&'a Place<'a>, usize),
}

impl Place<'_> {
    fn depth(&self) -> usize {
        match self {
            Self::Top => 0,
            Self::Key(outer, _) | Self::Position(outer, _) => 1 + outer.depth(),
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => Ok(()),
            Self::Key(Place::Top, key) => f.write_str(key),
            Self::Key(outer, key) => write!(f, "{outer}.{key}"),
            Self::Position(outer, position) => write!(f, "{outer}[{position}]"),
        }
    }
}

/// JSON with each occurrence of a key kept: the server lets the last one win, a check must not.
enum Node {
    Falsy,
    Scalar,
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    fn is_falsy(&self) -> bool {
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
