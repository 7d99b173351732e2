//! Requests about targets and deliveries (docs/API.md, section 12).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::headers::headers;
use super::members::members;
use crate::deliveries::{
    DeliveryState, Destination, DestinationError, Replay, TargetHeader, TargetSettings,
};
use crate::gateway::authority::Presented;
use crate::groupware::{
    EventClasses, EventFilter, EventMatch, EventShape, KnownEvent, is_class_name,
};
use crate::names::check_user_id;

/// Stands for all accounts.
pub(crate) const ANYBODY: &str = "*";
/// Maximum number of event classes of a target.
const MAX_EVENTS: usize = 64;
/// The members of a target; the first one cannot be changed, and the last two only be changed.
const MEMBERS: [&str; 8] =
    ["user", "uri", "events", "event_filter", "eventFilter", "headers", "paused", "adopt"];
/// Maximum number of characters that are shown of an unknown member.
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
    Create(Box<NewTarget>),
    /// Show the target with this id.
    Show(Box<str>),
    /// Change the target with this id.
    Change(Box<str>, Box<TargetChange>),
    /// Remove the target with this id.
    Remove(Box<str>),
    /// Replace the secret of the target with this id; the replaced ones go on signing for a while, if they are kept.
    ReplaceSecret(Box<str>, KeepSecrets),
    /// Send a sample to the target with this id.
    Test(Box<str>, TestInput),
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
    Replay(Box<str>, ReplayInput),
    /// The caller's events.
    Events(EventsInput),
}

/// A target to create.
#[derive(Debug)]
pub struct NewTarget {
    pub(crate) uri: Destination,
    pub(crate) settings: SettingsChange,
    pub(crate) user: Option<Box<str>>,
}

/// What to change in a target.
#[derive(Debug)]
pub struct TargetChange {
    pub(crate) uri: Option<Destination>,
    pub(crate) settings: SettingsChange,
    pub(crate) paused: Option<bool>,
    /// The target becomes the caller's.
    pub(crate) adopt: bool,
}

/// What whoever makes or changes a target says of its settings; `None` keeps what is there.
#[derive(Debug)]
pub(crate) struct SettingsChange {
    pub(crate) events: Option<Vec<String>>,
    pub(crate) filter: Option<Option<String>>,
    pub(crate) headers: Option<Vec<TargetHeader>>,
}

/// Whether replaced secrets go on signing.
#[derive(Clone, Copy, Debug)]
pub struct KeepSecrets(pub(crate) bool);

/// Of which class of events a sample is sent.
#[derive(Clone, Copy, Debug)]
pub struct TestInput(pub(crate) &'static KnownEvent);

/// Which events to send again.
#[derive(Clone, Debug)]
pub struct ReplayInput {
    pub(crate) replay: Replay,
    pub(crate) cursor: Option<Box<str>>,
}

/// A request for events.
#[derive(Debug)]
pub struct EventsInput {
    pub(crate) cursor: Option<Box<str>>,
    pub(crate) timeout: Duration,
    /// Whether the answer is a stream of server-sent events.
    pub(crate) is_stream: bool,
    /// What the request was authenticated by.
    pub(crate) presented: Option<Arc<Presented>>,
}

/// Why a request about targets and deliveries is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeliveryInputError {
    #[error("The body is not valid JSON: a backslash in a string is doubled")]
    NotJson,
    #[error("Unknown member {0}. {1}")]
    Unknown(Box<str>, Box<Self>),
    #[error("Unknown member {0}: is it {1}?")]
    Misnamed(Box<str>, &'static str),
    #[error("state cannot be set: set paused to true or false")]
    SetState,
    #[error(
        "The body must be a JSON object with uri and optionally events, eventFilter, headers and user"
    )]
    NoTarget,
    #[error(
        "The body must be a JSON object with uri, events, eventFilter, headers, paused or adopt"
    )]
    NoChange,
    #[error("Invalid uri: {0}")]
    Uri(DestinationError),
    #[error("Invalid events: must be a list of 1 to 64 names of event classes")]
    Events,
    #[error("Invalid eventFilter: {0}")]
    Filter(String),
    #[error("Invalid headers: must be an object of up to 8 names and strings of visible ASCII")]
    Headers,
    #[error("Invalid headers: {0} {1}")]
    Header(Box<str>, &'static str),
    #[error("The body must be a JSON object with event, the name of an event class")]
    NoTest,
    #[error("There is no sample of this event class: GET /api/v1/events lists all that have one")]
    NoSample,
    #[error("Invalid user: must be an account id, or *")]
    User,
    #[error("The body must be empty, or a JSON object with keep, which is true or false")]
    Keep,
    #[error("Invalid paused: must be true or false")]
    Paused,
    #[error("Invalid adopt: must be true")]
    Adopt,
    #[error("Invalid state in the query: must be pending, delivered, failed or expired")]
    State,
    #[error("Invalid cursor: must be one that an answer to the same request had")]
    Cursor,
    #[error(
        "The delivery has arrived: to send it again, replay its target with \"all\": true from its received_at"
    )]
    Arrived,
    #[error(
        "The target is suspended: its cause has to end, or somebody to adopt it with \"adopt\": true"
    )]
    Suspended,
    #[error(
        "The body must be a JSON object with since and optionally until, all (true or false) and cursor"
    )]
    Replay,
    #[error("Invalid since: must be a time in UTC such as 2026-01-31T09:00:00Z")]
    Since,
    #[error("Invalid until: must be a time in UTC such as 2026-01-31T09:00:00Z")]
    Until,
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
    #[serde(borrow, default, deserialize_with = "given")]
    headers: Option<&'a RawValue>,
    #[serde(borrow)]
    user: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "given")]
    paused: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "given")]
    adopt: Option<&'a RawValue>,
}

/// Also if it is `null`.
fn given<'de, D: Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(value).map(Some)
}

// === impl NewTarget ===

impl NewTarget {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, DeliveryInputError> {
        let names = &MEMBERS[..6];
        let members: Members<'_> = known_members(body, names, DeliveryInputError::NoTarget)?;
        let user = members.user.map(|user| {
            let user = text(user).filter(|user| check_user_id(user).is_ok());
            user.ok_or(DeliveryInputError::User)
        });
        Ok(Self {
            uri: uri(members.uri.ok_or(DeliveryInputError::NoTarget)?)?,
            settings: SettingsChange::parse(&members)?,
            user: user.transpose()?,
        })
    }
}

// === impl TargetChange ===

impl TargetChange {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, DeliveryInputError> {
        let names = &MEMBERS[1..];
        let members: Members<'_> = known_members(body, names, DeliveryInputError::NoChange)?;
        let paused = members.paused.map(|paused| match paused.get() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(DeliveryInputError::Paused),
        });
        if members.adopt.is_some_and(|adopt| adopt.get() != "true") {
            return Err(DeliveryInputError::Adopt);
        }
        Ok(Self {
            uri: members.uri.map(uri).transpose()?,
            settings: SettingsChange::parse(&members)?,
            paused: paused.transpose()?,
            adopt: members.adopt.is_some(),
        })
    }
}

// === impl SettingsChange ===

impl SettingsChange {
    fn parse(members: &Members<'_>) -> Result<Self, DeliveryInputError> {
        let filter = members.filter.map(|filter| filter_text(Some(filter.get())));
        Ok(Self {
            events: members.events.map(events).transpose()?,
            filter: filter.transpose()?,
            headers: members.headers.map(headers).transpose()?,
        })
    }

    pub(crate) fn apply(&self, settings: &mut TargetSettings) {
        if let Some(events) = &self.events {
            settings.events.clone_from(events);
        }
        if let Some(filter) = &self.filter {
            settings.filter.clone_from(filter);
        }
        if let Some(headers) = &self.headers {
            settings.headers.clone_from(headers);
        }
    }
}

// === impl KeepSecrets ===

impl KeepSecrets {
    /// They are kept unless the body says otherwise.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, DeliveryInputError> {
        #[derive(Deserialize)]
        struct Members {
            keep: Option<bool>,
        }

        if body.is_empty() {
            return Ok(Self(true));
        }
        let members: Members = known_members(body, &["keep"], DeliveryInputError::Keep)?;
        Ok(Self(members.keep.unwrap_or(true)))
    }
}

// === impl TestInput ===

impl TestInput {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, DeliveryInputError> {
        #[derive(Deserialize)]
        struct Members<'a> {
            event: Cow<'a, str>,
        }

        let members: Members<'_> = known_members(body, &["event"], DeliveryInputError::NoTest)?;
        let known = KnownEvent::find(&members.event);
        known.map(Self).ok_or(DeliveryInputError::NoSample)
    }
}

// === impl ReplayInput ===

impl ReplayInput {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, DeliveryInputError> {
        #[derive(Deserialize)]
        struct Members<'a> {
            since: Cow<'a, str>,
            until: Option<Cow<'a, str>>,
            #[serde(default)]
            all: bool,
            cursor: Option<Box<str>>,
        }

        let names = ["since", "until", "all", "cursor"];
        let members: Members<'_> = known_members(body, &names, DeliveryInputError::Replay)?;
        let time =
            |text: Cow<'_, str>, refused| humantime::parse_rfc3339(&text).map_err(|_| refused);
        let until = members.until;
        let until = until.map(|until| time(until, DeliveryInputError::Until));
        let replay = Replay {
            since: time(members.since, DeliveryInputError::Since)?,
            until: until.transpose()?,
            all: members.all,
        };
        Ok(Self { replay, cursor: members.cursor })
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
        let is_object = body.trim_ascii_start().starts_with(b"{");
        return Err(if is_object { DeliveryInputError::NotJson } else { refused });
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
    Err(match alike.max_by(|a, b| likeness(a).total_cmp(&likeness(b))) {
        Some(meant) => DeliveryInputError::Misnamed(shown, meant),
        None => DeliveryInputError::Unknown(shown, Box::new(refused)),
    })
}

fn text(value: &RawValue) -> Option<Box<str>> {
    serde_json::from_str(value.get()).ok()
}

fn uri(value: &RawValue) -> Result<Destination, DeliveryInputError> {
    let uri = text(value).unwrap_or_default();
    uri.parse().map_err(DeliveryInputError::Uri)
}

/// Empty for `null`.
fn events(value: &RawValue) -> Result<Vec<String>, DeliveryInputError> {
    let names = serde_json::from_str::<Option<Vec<String>>>(value.get());
    let Some(mut names) = names.map_err(|_| DeliveryInputError::Events)? else {
        return Ok(Vec::new());
    };
    for name in &mut names {
        // As in the name of a registration, which the server drops.
        if let Some(bare) = name.strip_prefix('\\') {
            *name = bare.into();
        }
    }
    let is_name = |name: &String| name.len() <= 255 && is_class_name(name);
    let fits = (1..=MAX_EVENTS).contains(&names.len()) && names.iter().all(is_name);
    fits.then_some(names).ok_or(DeliveryInputError::Events)
}

/// What the owner of a target with this filter, for the classes with these names, should know. The error is that the filter
/// cannot be evaluated on their events.
pub(crate) fn filter_warnings(
    filter: Option<&str>,
    names: &[String],
    classes: &EventClasses,
) -> Result<Vec<String>, DeliveryInputError> {
    let unknown = names.iter().filter_map(|name| classes.warning(name));
    let mut warnings: Vec<_> = unknown.collect();
    if let Some(filter) = parse_filter(filter)? {
        let checked = filter.check(names, classes);
        warnings.extend(checked.map_err(DeliveryInputError::Filter)?);
    }
    Ok(warnings)
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
