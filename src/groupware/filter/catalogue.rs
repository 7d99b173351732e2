//! The catalogue of known events (docs/API.md, section 4.7), from the data that filters are checked
//! against.

use std::fmt::Write as _;

use serde::Serialize;
use serde::ser::{SerializeStruct as _, Serializer};
use serde_json::value::RawValue;

use super::classes::{EventShape, bare};
use super::known::{self, EventClass};
use super::shape::{Member, Shape};
use super::{EventFilter, JobLimit};

/// A known class of events for which a webhook can be created.
///
/// ```
/// use portreeve::groupware::KnownEvent;
///
/// let created = KnownEvent::find(r"OCP\Files\Events\Node\NodeCreatedEvent").unwrap();
/// assert_eq!(created.part_of(), "server");
/// let fields = created.fields();
/// let path = fields.iter().find(|field| field.path == "event.node.path").unwrap();
/// assert_eq!(path.kind, "string");
/// // The last part of the name is enough where it is unique.
/// assert_eq!(KnownEvent::named("NodeCreatedEvent").unwrap().class(), created.class());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KnownEvent(&'static EventClass);

/// A value in the events of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    /// What filters cannot test about it, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_in_filters: Option<&'static str>,
}

/// A filter that passes no delivery that is too large for a server ([docs/API.md](crate::docs::api), section
/// 4.9).
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BoundingFilter {
    /// The size limit of the server's job queue, in characters.
    pub characters: usize,
    /// The filter.
    pub event_filter: EventFilter,
}

// === impl KnownEvent ===

impl KnownEvent {
    /// All of them: files, calendars, tags, cards, other apps.
    pub fn all() -> impl Iterator<Item = Self> {
        known::classes().map(Self)
    }

    /// The class with this full name, with or without a leading backslash.
    pub fn find(class: &str) -> Option<Self> {
        known::class(bare(class)).map(Self)
    }

    /// Like [`find`](Self::find), but the last part of the name is enough, in any letter case.
    pub fn named(name: &str) -> Option<Self> {
        let has_name = |class: &Self| class.name().eq_ignore_ascii_case(name);
        let mut named = Self::all().filter(has_name);
        let only = || named.next().filter(|_| named.next().is_none());
        Self::find(name).or_else(only)
    }

    /// The full name, without a leading backslash.
    pub fn class(self) -> &'static str {
        self.0.name
    }

    /// The last part of the full name.
    pub fn name(self) -> &'static str {
        let parts = self.0.name.rsplit_once('\\');
        parts.map_or(self.0.name, |(_, name)| name)
    }

    /// `server`, or the app that raises it.
    pub fn part_of(self) -> &'static str {
        self.0.part_of
    }

    /// When it fires: a sentence.
    pub fn fires(self) -> &'static str {
        self.0.fires
    }

    /// Whether its description is based on recorded deliveries; otherwise on the source code of the
    /// server or the app.
    pub fn is_recorded(self) -> bool {
        self.0.recorded
    }

    /// Known problems with it: sentences.
    pub fn known_problems(self) -> &'static [&'static str] {
        self.0.problems
    }

    /// The fields of its events, from the outside in.
    pub fn fields(self) -> Vec<EventField> {
        let mut fields = Vec::new();
        add_fields(&mut fields, "", self.0.shape);
        fields
    }

    /// Filters that pass no delivery that is too large for a server, one for each limit.
    pub fn bounding_filters(self) -> Vec<BoundingFilter> {
        let shape = EventShape {
            shape: self.0.shape,
            known: Some(self.0),
        };
        let filter = |limit: JobLimit| {
            let event_filter = shape.bounding_filter(limit)?;
            Some(BoundingFilter {
                characters: limit.characters(),
                event_filter,
            })
        };
        JobLimit::ALL.into_iter().filter_map(filter).collect()
    }

    /// An example of the data that a filter sees and a delivery contains: a JSON object.
    pub fn example(self) -> String {
        let mut example = String::new();
        self.write_example(&mut example, self.0.shape);
        example
    }

    fn write_example(self, out: &mut String, shape: &Shape) {
        let Shape::Map { members, .. } = shape else {
            return;
        };
        out.push('{');
        for (place, member) in members.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let name = Quoted(member.name);
            let _ = write!(out, "{comma}{name}:");
            match member.example {
                "" if member.name == "class" => {
                    let _ = write!(out, "{}", Quoted(self.0.name));
                }
                "" => self.write_example(out, &member.shape),
                example => out.push_str(example),
            }
        }
        out.push('}');
    }
}

impl Serialize for KnownEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let example = RawValue::from_string(self.example()).map_err(serde::ser::Error::custom)?;
        let bounding = self.bounding_filters();
        let mut event = serializer.serialize_struct("KnownEvent", 8)?;
        event.serialize_field("event", self.class())?;
        event.serialize_field("part_of", self.part_of())?;
        event.serialize_field("fires", self.fires())?;
        event.serialize_field("recorded", &self.is_recorded())?;
        event.serialize_field("known_problems", self.known_problems())?;
        event.serialize_field("fields", &self.fields())?;
        event.serialize_field("example", &example)?;
        event.serialize_field("bounding_filters", &bounding)?;
        event.end()
    }
}

fn add_fields(fields: &mut Vec<EventField>, outer: &str, shape: &Shape) {
    let Shape::Map { members, .. } = shape else {
        return;
    };
    for member in *members {
        let dot = if outer.is_empty() { "" } else { "." };
        let path = format!("{outer}{dot}{}", member.name);
        fields.push(EventField {
            path: path.clone(),
            kind: kind(&member.shape),
            always: member.always,
            about: member.about,
            not_in_filters: not_in_filters(member),
        });
        add_fields(fields, &path, &member.shape);
    }
}

fn kind(shape: &Shape) -> &'static str {
    match shape {
        Shape::Text | Shape::PartOf(_) => "string",
        Shape::AtMost(_, shape) => kind(shape),
        Shape::Number => "integer",
        Shape::Bool => "boolean",
        Shape::Scalar => "string or integer",
        Shape::Object | Shape::Map { .. } | Shape::TextObject => "object",
        Shape::Either(_) => "string or object",
        Shape::List(item) => match item {
            Shape::Text | Shape::Scalar | Shape::AtMost(..) => "list of strings or integers",
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
        Shape::Either(_) => {
            Some("a pattern, or a path below it: it can be an object at the server")
        }
        Shape::TextObject => Some("a path below it: it is an object at the server"),
        Shape::List(Shape::Map { .. }) => None,
        Shape::List(Shape::Text | Shape::Scalar | Shape::AtMost(..)) => {
            Some("a path below it, a position included: it is a list of plain values")
        }
        Shape::List(_) => Some("a path below it: it is a list of objects at the server"),
        Shape::Unknown => {
            Some("a pattern, a path below it, $in, $nin, $all and $mod: it is not known what it is")
        }
        shape if shape.can_hold_object() => {
            Some("$in, $nin and $all: it holds objects at the server")
        }
        _ => None,
    }
}

/// A text as JSON.
struct Quoted<'t>(&'t str);

// === impl Quoted ===

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = serde_json::to_string(self.0).map_err(|_| std::fmt::Error)?;
        f.write_str(&text)
    }
}
