//! The body of a create request (docs/API.md, section 4.2).

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::members::filter;
use crate::groupware::{EventClasses, EventFilter, EventShape, FilterFault};

/// A request to create a webhook.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CreateWebhook {
    /// The full name of the event class; never empty.
    pub event: String,
    /// The address for deliveries; never empty.
    pub uri: String,
    /// Which events are delivered; all of them without a filter.
    pub filter: Option<EventFilter>,
    pub(in crate::gateway) shape: EventShape,
}

/// Why the body of a create request is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateWebhookError {
    /// Not JSON: the 500 case (docs/API.md, section 4.2).
    #[error("the body is not JSON: {0}")]
    InvalidJson(#[source] serde_json::Error),
    /// JSON, but not an object.
    #[error("the body is not a JSON object")]
    NotAnObject,
    /// `event` or `uri` is missing, empty or not a string.
    #[error("event or uri is missing")]
    MissingFields,
    /// An event filter that would harm the users of the groupware server.
    #[error("event filter refused: {0}")]
    Filter(#[source] FilterFault),
}

// === impl CreateWebhook ===

impl CreateWebhook {
    /// Parses the body of a create request. A filter is checked against the known shape of the event's
    /// class.
    ///
    /// # Errors
    /// Any [`CreateWebhookError`].
    pub fn parse(body: &[u8], classes: &EventClasses) -> Result<Self, CreateWebhookError> {
        let utf8 = std::str::from_utf8(body).ok();
        let Some(members) = utf8.and_then(Members::parse) else {
            let json = serde_json::from_slice::<&RawValue>(body);
            return Err(json.map_or_else(CreateWebhookError::InvalidJson, |_| {
                CreateWebhookError::NotAnObject
            }));
        };
        let event = members
            .event
            .and_then(text)
            .ok_or(CreateWebhookError::MissingFields)?;
        let uri = members
            .uri
            .and_then(text)
            .ok_or(CreateWebhookError::MissingFields)?;
        let shape = classes.shape(&event);
        let filter = filter([members.event_filter, members.event_filter_alias], shape)
            .map_err(CreateWebhookError::Filter)?;
        Ok(Self {
            event,
            uri,
            filter,
            shape,
        })
    }
}

/// The relevant members of the body, as raw JSON. If a member is duplicated, the last one counts, as in
/// the front ends' JSON parsers.
#[derive(Default)]
struct Members<'a> {
    event: Option<&'a RawValue>,
    uri: Option<&'a RawValue>,
    event_filter: Option<&'a RawValue>,
    event_filter_alias: Option<&'a RawValue>,
}

// === impl Members ===

impl<'a> Members<'a> {
    /// `None` if `body` is not a JSON object.
    fn parse(body: &'a str) -> Option<Self> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Members::default();
                while let Some(name) = map.next_key::<Cow<'de, str>>()? {
                    let member = match &*name {
                        "event" => &mut members.event,
                        "uri" => &mut members.uri,
                        "eventFilter" => &mut members.event_filter,
                        "event_filter" => &mut members.event_filter_alias,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *member = Some(map.next_value()?);
                }
                Ok(members)
            }
        }

        let mut deserializer = serde_json::Deserializer::from_str(body);
        let members = deserializer.deserialize_map(Object).ok()?;
        deserializer.end().ok()?;
        Some(members)
    }
}

/// A string that is not empty.
fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get())
        .ok()
        .filter(|text: &String| !text.is_empty())
}
