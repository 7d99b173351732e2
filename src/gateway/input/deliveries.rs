//! Requests about targets and deliveries (docs/API.md, section 12).

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use indexmap::IndexMap;
use serde::de::IgnoredAny;
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
/// Maximum number of characters that are shown of a member that is none.
const MAX_SHOWN: usize = 40;
/// The minimum similarity of the one that is meant, from 0 to 1.
const ALIKE: f64 = 0.8;

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
    pub(in crate::gateway) until: Option<SystemTime>,
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
    /// Not JSON.
    #[error("The body is not valid JSON: a backslash in a string is doubled")]
    NotJson,
    /// A member that is none, and what the body is to be.
    #[error("Unknown member {0}. {1}")]
    Unknown(Box<str>, Box<Self>),
    /// A member that is none, and the one that is probably meant.
    #[error("Unknown member {0}: is it {1}?")]
    Misnamed(Box<str>, &'static str),
    /// The state of a target follows from `paused`.
    #[error("state cannot be set: set paused to true or false")]
    SetState,
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
    #[error(
        "The delivery has arrived: to send it again, replay its target with \"all\": true from its received_at"
    )]
    Arrived,
    /// No object, or one with a duplicate member.
    #[error(
        "The body must be a JSON object with since and optionally until and all, true or false"
    )]
    Replay,
    /// Not a time.
    #[error("Invalid since: must be a time in UTC such as 2026-01-31T09:00:00Z")]
    Since,
    /// Not a time.
    #[error("Invalid until: must be a time in UTC such as 2026-01-31T09:00:00Z")]
    Until,
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
        let names = ["uri", "events", "event_filter", "eventFilter", "user"];
        let members: Members<'_> = known_members(body, &names, DeliveryInputError::NoTarget)?;
        let user = members.user.map(|user| {
            let user = text(user).filter(|user| check_user_id(user).is_ok());
            user.ok_or(DeliveryInputError::User)
        });
        let events = members.events.map(events).transpose()?.flatten();
        let filter = members.filter.map(RawValue::get);
        Ok(Self {
            uri: uri(members.uri.ok_or(DeliveryInputError::NoTarget)?)?,
            filter: filter_text(filter)?,
            events,
            user: user.transpose()?,
        })
    }
}

// === impl TargetChange ===

impl TargetChange {
    pub(in crate::gateway) fn parse(body: &[u8]) -> Result<Self, DeliveryInputError> {
        let names = ["uri", "events", "event_filter", "eventFilter", "paused"];
        let members: Members<'_> = known_members(body, &names, DeliveryInputError::NoChange)?;
        let paused = members.paused.map(|paused| match paused.get() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(DeliveryInputError::Paused),
        });
        let events = members.events.map(events).transpose()?;
        let filter = members.filter.map(|filter| filter_text(Some(filter.get())));
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
            since: Cow<'a, str>,
            until: Option<Cow<'a, str>>,
            #[serde(default)]
            all: bool,
        }

        let names = ["since", "until", "all"];
        let members: Members<'_> = known_members(body, &names, DeliveryInputError::Replay)?;
        let time =
            |text: Cow<'_, str>, refused| humantime::parse_rfc3339(&text).map_err(|_| refused);
        let until = members.until;
        let until = until.map(|until| time(until, DeliveryInputError::Until));
        Ok(Self {
            since: time(members.since, DeliveryInputError::Since)?,
            until: until.transpose()?,
            all: members.all,
        })
    }
}

/// The members of `body`, of which there are only those with these `names`; `refused` if it is no object, or has one
/// twice.
fn known_members<'a, T: Deserialize<'a>>(
    body: &'a [u8],
    names: &[&'static str],
    refused: DeliveryInputError,
) -> Result<T, DeliveryInputError> {
    let Some(given) = members::<IndexMap<String, IgnoredAny>>(body) else {
        return Err(match body.trim_ascii_start().starts_with(b"{") {
            true => DeliveryInputError::NotJson,
            false => refused,
        });
    };
    let Some(other) = given.keys().find(|name| !names.contains(&&***name)) else {
        return members(body).ok_or(refused);
    };
    if other == "state" && names.contains(&"paused") {
        return Err(DeliveryInputError::SetState);
    }
    let shown = other.chars().filter(|c| !c.is_control());
    let shown = shown.take(MAX_SHOWN).collect();
    let small = other.to_lowercase();
    let likeness = |name: &&str| strsim::jaro_winkler(&small, &name.to_lowercase());
    let alike = names.iter().copied().filter(|it| likeness(it) >= ALIKE);
    Err(
        match alike.max_by(|a, b| likeness(a).total_cmp(&likeness(b))) {
            Some(meant) => DeliveryInputError::Misnamed(shown, meant),
            None => DeliveryInputError::Unknown(shown, Box::new(refused)),
        },
    )
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

/// What the owner of a target with this filter, for the classes with these names, should know. The error is that the filter
/// cannot be evaluated on their events.
pub(in crate::gateway) fn warnings(
    filter: Option<&str>,
    names: &[String],
    classes: &EventClasses,
) -> Result<Vec<String>, DeliveryInputError> {
    if let Some(filter) = parse_filter(filter)? {
        filter
            .check(names, classes)
            .map_err(DeliveryInputError::Filter)?;
    }
    let warnings = names.iter().filter_map(|name| classes.warning(name));
    Ok(warnings.collect())
}

/// The text of a filter. Whether it fits the classes is found out later.
fn filter_text(json: Option<&str>) -> Result<Option<String>, DeliveryInputError> {
    Ok(parse_filter(json)?.map(|filter| filter.as_str().into()))
}

fn parse_filter(json: Option<&str>) -> Result<Option<EventFilter>, DeliveryInputError> {
    let refused = DeliveryInputError::Filter;
    if let Some(unknown) = EventMatch::too_much(&[json], "") {
        return Err(refused(unknown.reason));
    }
    let filter = EventFilter::parse(json.unwrap_or("null"), EventShape::trusted());
    filter.map_err(|fault| refused(fault.to_string()))
}
