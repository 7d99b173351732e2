//! Event filters: which of them are harmful, and what they do with an event.
//!
//! The server accepts almost any filter, and evaluates it only when the event occurs. If its matcher
//! then raises an error, the operation that raised the event, such as an upload, is answered 500, for
//! every user. Whether it does depends on the filter and on the content of the event. So a filter is parsed into a
//! [`query`], each of its conditions is checked against the [`shape`] of its events, and it is refused if one can raise an
//! error (docs/API.md, section 4.4).
//!
//! A [`trial`] of the same query on one event shows whether the filter matches it, and why (section 4.8). Both
//! use the data on [`known`] classes, as does the [`catalogue`] (section 4.7).

mod catalogue;
mod classes;
mod condition;
mod dialect;
mod expression;
mod fault;
mod finding;
mod known;
mod limit;
mod node;
mod owner;
mod pattern;
mod query;
mod sample;
mod shape;
mod trial;
mod value;
mod work;

use std::sync::Arc;

use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

pub use self::catalogue::EventField;
pub use self::classes::{EventClasses, EventShape, is_class_name};
pub use self::fault::FilterFault;
pub use self::known::KnownEvent;
pub use self::limit::{BoundingFilter, JobLimit, UnboundedEvent};
use self::node::Node;
pub(crate) use self::node::has_more_values;
use self::query::Query;
pub use self::sample::{EventMatch, EventSample, MatchResult, SampleError};
use self::shape::Shape;

/// Maximum number of values in a filter: more take longer to check than one caller may keep a thread busy.
const MAX_VALUES: usize = 3_000;

/// A filter on the properties of the events of a class, as received, and known to be harmless.
///
/// ```
/// use portreeve::groupware::{EventClasses, EventFilter};
///
/// let shape = EventClasses::default().shape(r"OCP\Files\Events\Node\NodeCreatedEvent");
/// let filter = EventFilter::parse(r#"{"event.node.path": "/^\\/alice\\//"}"#, shape).unwrap();
/// assert!(filter.is_some());
/// assert!(EventFilter::parse("[]", shape).unwrap().is_none());
/// let fault = EventFilter::parse(r#"{"$or": 5}"#, shape).unwrap_err();
/// assert_eq!(fault.to_string(), "$or: must be a list of objects that is not empty");
///
/// // Some values of a calendar event are objects, which the matcher fails on.
/// let shape = EventClasses::default().shape(r"OCP\Calendar\Events\CalendarObjectCreatedEvent");
/// assert!(EventFilter::parse(r#"{"event.calendarData.uri": "/^work/"}"#, shape).is_ok());
/// assert!(EventFilter::parse(r#"{"event.calendarData": {"$in": ["work"]}}"#, shape).is_err());
/// ```
///
/// An [`EventSample`] shows what it does with an event.
#[derive(Clone, Debug)]
pub struct EventFilter {
    /// As received.
    json: Box<RawValue>,
    query: Arc<Query>,
}

impl EventFilter {
    /// Parses a filter for events of `shape` from JSON; `None` for `null`, `false`, a zero, `""`, `{}` or `[]`.
    ///
    /// Takes linear time; patterns are not compiled.
    ///
    /// # Errors
    /// The filter is not an object, or is harmful.
    pub fn parse(json: &str, shape: EventShape) -> Result<Option<Self>, FilterFault> {
        Self::parse_raw(serde_json::from_str(json).map_err(unreadable)?, shape)
    }

    /// The same of JSON that was read already.
    pub(crate) fn parse_raw(
        json: &RawValue,
        shape: EventShape,
    ) -> Result<Option<Self>, FilterFault> {
        let mut parsed = Self::of_shape(json, &shape.0.shape);
        if let Err(fault) = &mut parsed
            && std::ptr::eq(shape.0, KnownEvent::unknown())
        {
            fault.unless_trusted = Self::parse_raw(json, EventShape::trusted()).is_ok();
        }
        parsed
    }

    fn of_shape(json: &RawValue, shape: &Shape) -> Result<Option<Self>, FilterFault> {
        if has_more_values(json.get(), MAX_VALUES) {
            return Err(FilterFault::at("", "has more than 3000 values"));
        }
        match serde_json::from_str(json.get()).map_err(unreadable)? {
            Node::Object(members) if !members.is_empty() => {
                let query = Query::parse(members)?;
                query.check(shape)?;
                Ok(Some(Self { json: json.to_owned(), query: Arc::new(query) }))
            }
            node if node.is_falsy() && node != Node::Text("0".to_owned()) => Ok(None),
            _ => Err(FilterFault::at("", "must be an object")),
        }
    }

    /// A filter that passes the events that both pass; `shape` is that of both.
    pub(crate) fn and(&self, other: &Self, shape: EventShape) -> Self {
        let json = format!(r#"{{"$and":[{},{}]}}"#, self.as_str(), other.as_str());
        Self::parse(&json, shape).expect("each of them was accepted").expect("it is not empty")
    }

    /// The JSON text, as received.
    pub fn as_str(&self) -> &str {
        self.json.get()
    }
}

fn unreadable(_: serde_json::Error) -> FilterFault {
    let reason = "is not valid JSON, or too deeply nested, or holds a number out of range";
    FilterFault::at("", reason)
}

impl Serialize for EventFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}
