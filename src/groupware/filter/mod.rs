//! Event filters, and which of them would harm.
//!
//! The server accepts almost any filter and evaluates it only when the event occurs. If its matcher
//! then finds a scalar instead of a list or object, the operation that raised the event, an upload
//! for example, is answered 500, for every user. Such filters are refused here (docs/API.md,
//! section 4.4).

mod fault;
mod node;
mod path;
mod rules;

use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

pub use self::fault::FilterFault;
use self::node::Node;
use self::path::Path;

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
    /// Reads a filter from its JSON text; `None` if it stands for no filter: `null`, `false`, a
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
        rules::check_query(&members, &Path::Top)?;
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
