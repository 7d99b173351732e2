//! Requests about targets and deliveries (docs/API.md, section 12).

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::members::members;
use crate::deliveries::{DeliveryState, Destination, DestinationError};
use crate::groupware::{EventClasses, EventFilter, EventMatch, EventShape, is_class_name};
use crate::names::check_user_id;

/// Stands for all accounts.
pub(in crate::gateway) const ANYBODY: &str = "*";
/// Maximum number of event classes of a target.
const MAX_EVENTS: usize = 64;

/// A request about targets and deliveries.
#[derive(Debug)]
#[non_exhaustive]
pub enum DeliveryInput {
    /// List targets.
    Targets {
        /// Whose; the caller's own if it is `None`.
        user: Option<Box<str>>,
        /// The page.
        cursor: Option<Box<str>>,
    },
    /// Create a target.
    Create(NewTarget),
    /// Show the target with this id.
    Show(Box<str>),
    /// Change the target with this id.
    Change(Box<str>, TargetChange),
    /// Remove the target with this id.
    Remove(Box<str>),
    /// Replace the secret of the target with this id.
    ReplaceSecret(Box<str>),
    /// List deliveries.
    Deliveries {
        /// Of this target.
        target: Box<str>,
        /// Only those in this state.
        state: Option<DeliveryState>,
        /// The page.
        cursor: Option<Box<str>>,
    },
    /// Send the delivery with this id again.
    Retry(Box<str>),
    /// Send several again.
    Replay(Box<str>, Replay),
    /// The caller's events.
    Events(EventsInput),
}

/// A target to create.
#[derive(Debug)]
pub struct NewTarget {
    pub(in crate::gateway) uri: Destination,
    pub(in crate::gateway) events: Option<Vec<String>>,
    pub(in crate::gateway) filter: Option<String>,
    pub(in crate::gateway) user: Option<Box<str>>,
}

/// What to change in a target; `None` keeps what is there.
#[derive(Debug)]
pub struct TargetChange {
    pub(in crate::gateway) uri: Option<Destination>,
    pub(in crate::gateway) events: Option<Option<Vec<String>>>,
    pub(in crate::gateway) filter: Option<Option<String>>,
    pub(in crate::gateway) paused: Option<bool>,
}

/// Which deliveries to send again.
#[derive(Clone, Copy, Debug)]
pub struct Replay {
    pub(in crate::gateway) since: SystemTime,
    pub(in crate::gateway) all: bool,
}

/// A request for events.
#[derive(Debug)]
pub struct EventsInput {
    pub(in crate::gateway) cursor: Option<Box<str>>,
    pub(in crate::gateway) timeout: Duration,
    /// Whether the answer is a stream of server-sent events.
    pub(in crate::gateway) is_stream: bool,
}

/// Why a request about targets and deliveries is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeliveryInputError {
    /// No object with a `uri`, or one with a duplicate member.
    #[error("The body must be a JSON object with uri and optionally events, eventFilter and user")]
    NoTarget,
    /// No object, or one with a duplicate member.
    #[error("The body must be a JSON object with uri, events, eventFilter or paused")]
    NoChange,
    /// An address to which nothing may be sent.
    #[error("Invalid uri: {0}")]
    Uri(DestinationError),
    /// Not a list of class names.
    #[error("Invalid events: must be a list of 1 to 64 names of event classes")]
    Events,
    /// A filter that is refused, or that cannot be evaluated here.
    #[error("Invalid eventFilter: {0}")]
    Filter(String),
    /// Not an account id.
    #[error("Invalid user: must be an account id, or *")]
    User,
    /// Not a boolean.
    #[error("Invalid paused: must be true or false")]
    Paused,
    /// Not a state of deliveries.
    #[error("Invalid state in the query: must be pending, delivered or failed")]
    State,
    /// A cursor of something else, or of somebody else.
    #[error("Invalid cursor: must be one that an answer to the same request had")]
    Cursor,
    /// The delivery need not be sent again.
    #[error("The delivery has arrived: to send it again, replay it with all")]
    Arrived,
    /// No object with a time.
    #[error(
        "The body must be a JSON object with since, a time such as 2026-01-31T09:00:00Z, and optionally all, true or false"
    )]
    Replay,
    /// Not a number of seconds.
    #[error("Invalid timeout in the query: must be a whole number of seconds from 0 to 60")]
    Timeout,
}

/// The members of a target, as raw JSON; `null` differs from none.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "given")]
    events: Option<&'a RawValue>,
    #[serde(
        borrow,
        default,
        deserialize_with = "given",
        rename = "eventFilter",
        alias = "event_filter"
    )]
    filter: Option<&'a RawValue>,
    #[serde(borrow)]
    user: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "given")]
    paused: Option<&'a RawValue>,
}

/// Also if it is `null`.
fn given<'de, D: Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(value).map(Some)
}

// === impl NewTarget ===

impl NewTarget {
    pub(in crate::gateway) fn parse(body: &[u8]) -> Result<Self, DeliveryInputError> {
        let members: Members<'_> = members(body).ok_or(DeliveryInputError::NoTarget)?;
        let user = members.user.map(|user| {
            let user = text(user).filter(|user| check_user_id(user).is_ok());
            user.ok_or(DeliveryInputError::User)
        });
        let events = members.events.map(events).transpose()?.flatten();
        // Whether it fits the classes is found out later, also below.
        let filter = members.filter.map(RawValue::get);
        Ok(Self {
            uri: uri(members.uri.ok_or(DeliveryInputError::NoTarget)?)?,
            filter: check_filter(filter, &[], &EventClasses::default())?,
            events,
            user: user.transpose()?,
        })
    }
}

// === impl TargetChange ===

impl TargetChange {
    pub(in crate::gateway) fn parse(body: &[u8]) -> Result<Self, DeliveryInputError> {
        let members: Members<'_> = members(body).ok_or(DeliveryInputError::NoChange)?;
        let paused = members.paused.map(|paused| match paused.get() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(DeliveryInputError::Paused),
        });
        let events = members.events.map(events).transpose()?;
        let filter = members.filter.map(RawValue::get);
        let filter = filter.map(|json| check_filter(Some(json), &[], &EventClasses::default()));
        Ok(Self {
            uri: members.uri.map(uri).transpose()?,
            filter: filter.transpose()?,
            paused: paused.transpose()?,
            events,
        })
    }
}

// === impl Replay ===

impl Replay {
    pub(in crate::gateway) fn parse(body: &[u8]) -> Result<Self, DeliveryInputError> {
        #[derive(Deserialize)]
        struct Members<'a> {
            since: std::borrow::Cow<'a, str>,
            #[serde(default)]
            all: bool,
        }

        let members: Option<Members<'_>> = members(body);
        let Members { since, all } = members.ok_or(DeliveryInputError::Replay)?;
        let since = humantime::parse_rfc3339(&since).map_err(|_| DeliveryInputError::Replay)?;
        Ok(Self { since, all })
    }
}

fn text(value: &RawValue) -> Option<Box<str>> {
    serde_json::from_str(value.get()).ok()
}

fn uri(value: &RawValue) -> Result<Destination, DeliveryInputError> {
    let uri = text(value).unwrap_or_default();
    uri.parse().map_err(DeliveryInputError::Uri)
}

/// `None` for `null`.
fn events(value: &RawValue) -> Result<Option<Vec<String>>, DeliveryInputError> {
    let names: Option<Option<Vec<String>>> = serde_json::from_str(value.get()).ok();
    let mut names = names.ok_or(DeliveryInputError::Events)?;
    for name in names.iter_mut().flatten() {
        // As in the name of a registration, which the server drops.
        if let Some(bare) = name.strip_prefix('\\') {
            *name = bare.into();
        }
    }
    let is_name = |name: &String| name.len() <= 255 && is_class_name(name);
    let fits =
        |names: &Vec<String>| (1..=MAX_EVENTS).contains(&names.len()) && names.iter().all(is_name);
    match names.as_ref().is_none_or(fits) {
        true => Ok(names),
        false => Err(DeliveryInputError::Events),
    }
}

/// The filter, if it is one that can be evaluated on the events of the classes with these names.
pub(in crate::gateway) fn check_filter(
    json: Option<&str>,
    names: &[String],
    classes: &EventClasses,
) -> Result<Option<String>, DeliveryInputError> {
    let refused = DeliveryInputError::Filter;
    if let Some(unknown) = EventMatch::too_much(&[json], "") {
        return Err(refused(unknown.reason));
    }
    let filter = EventFilter::parse(json.unwrap_or("null"), EventShape::trusted());
    let filter = filter.map_err(|fault| refused(fault.to_string()))?;
    if let Some(filter) = &filter {
        filter.check(names, classes).map_err(refused)?;
    }
    Ok(filter.map(|filter| filter.as_str().into()))
}
