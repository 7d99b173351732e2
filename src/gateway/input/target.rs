//! The bodies that make and change a target (docs/API.md, section 12.2).

use std::fmt::Display;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::headers::headers;
use super::members::known_members;
use super::{InputError, refused};
use crate::deliveries::{Destination, DestinationError, TargetHeader, TargetSettings};
use crate::groupware::{EventClasses, EventFilter, EventMatch, EventShape, is_class_name};
use crate::names::check_user_id;

/// Stands for all accounts.
pub(crate) const ANYBODY: &str = "*";
/// Maximum number of event classes of a target.
const MAX_EVENTS: usize = 64;

/// The body that makes a target, and the one that changes it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    New,
    Change,
}

const BOTH: &[Body] = &[Body::New, Body::Change];
const NEW: &[Body] = &[Body::New];
const CHANGE: &[Body] = &[Body::Change];

struct Member {
    name: &'static str,
    aliases: &'static [&'static str],
    bodies: &'static [Body],
}

/// Declares the members: for each its name and perhaps another one, the bodies that may have it, the field of what is
/// read, its type and its reader (`None` is as if it were not there), and the field of [`TargetSettings`].
macro_rules! members {
    ($(
        $name:literal $(or $alias:literal)? in $bodies:ident =>
        $field:ident: $type:ty = $read:ident $(, kept as $kept:ident)?;
    )*) => {
        /// What whoever makes or changes a target says of it; `None` keeps what is there.
        #[derive(Debug)]
        pub struct TargetInput {
            $(pub(crate) $field: Option<$type>,)*
        }

        /// The members as raw JSON; `null` differs from none.
        #[derive(Deserialize)]
        struct Members<'a> {
            $(
                #[serde(borrow, default, deserialize_with = "given", rename = $name $(, alias = $alias)?)]
                $field: Option<&'a RawValue>,
            )*
        }

        const MEMBERS: &[Member] =
            &[$(Member { name: $name, aliases: &[$($alias)?], bodies: $bodies }),*];

        impl TryFrom<Members<'_>> for TargetInput {
            type Error = InputError;

            fn try_from(members: Members<'_>) -> Result<Self, InputError> {
                Ok(Self { $($field: members.$field.map($read).transpose()?.flatten(),)* })
            }
        }

        impl TargetInput {
            /// Replaces what is kept as it is read.
            pub(crate) fn apply(&self, settings: &mut TargetSettings) {
                $($(
                    if let Some(value) = &self.$field {
                        settings.$kept.clone_from(value);
                    }
                )?)*
            }
        }
    };
}

// In the order in which the message lists them of a body that has none of them.
members! {
    "uri" in BOTH => uri: Destination = uri;
    "events" in BOTH => events: Vec<String> = events, kept as events;
    "eventFilter" or "event_filter" in BOTH => filter: Option<String> = filter, kept as filter;
    "headers" in BOTH => headers: Vec<TargetHeader> = headers, kept as headers;
    "user" in NEW => user: String = user;
    "paused" in CHANGE => paused: bool = paused;
    "adopt" in CHANGE => adopt: bool = adopt;
}

// === impl TargetInput ===

impl TargetInput {
    /// Where the new target is to be, and the rest.
    pub(crate) fn of_new(body: &[u8]) -> Result<(Destination, Self), InputError> {
        let mut input = Self::parse(body, Body::New)?;
        let uri = input.uri.take().ok_or_else(|| Body::New.expected())?;
        Ok((uri, input))
    }

    pub(crate) fn of_change(body: &[u8]) -> Result<Self, InputError> {
        Self::parse(body, Body::Change)
    }

    fn parse(json: &[u8], body: Body) -> Result<Self, InputError> {
        let names: Vec<_> =
            body.members().flat_map(|it| it.aliases.iter().chain([&it.name]).copied()).collect();
        known_members::<Members<'_>>(json, &names, body.expected())?.try_into()
    }
}

// === impl Body ===

impl Body {
    fn members(self) -> impl Iterator<Item = &'static Member> {
        MEMBERS.iter().filter(move |member| member.bodies.contains(&self))
    }

    /// The error that it is something else.
    fn expected(self) -> InputError {
        let mut names: Vec<_> = self.members().map(|member| member.name).collect();
        let last = names.pop().unwrap_or_default();
        let others = names.join(", ");
        let names = match self {
            Self::New => format!("{} and {last}", others.replacen(", ", " and optionally ", 1)),
            Self::Change => format!("{others} or {last}"),
        };
        refused(format!("The body must be a JSON object with {names}"))
    }
}

/// Also if it is `null`.
fn given<'de, D: Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(value).map(Some)
}

/// An empty text, which is neither address nor account, for anything else.
fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).unwrap_or_else(|_| Some(String::new()))
}

fn uri(value: &RawValue) -> Result<Option<Destination>, InputError> {
    text(value).map(|uri| uri.parse()).transpose().map_err(invalid_uri)
}

pub(crate) fn invalid_uri(fault: DestinationError) -> InputError {
    refused(format!("Invalid uri: {fault}"))
}

/// Empty for `null`.
fn events(value: &RawValue) -> Result<Option<Vec<String>>, InputError> {
    const REFUSED: &str = "Invalid events: must be a list of 1 to 64 names of event classes";
    let names = serde_json::from_str::<Option<Vec<String>>>(value.get());
    let Some(mut names) = names.map_err(|_| refused(REFUSED))? else {
        return Ok(Some(Vec::new()));
    };
    for name in &mut names {
        // As in the name of a registration, which the server drops.
        if let Some(bare) = name.strip_prefix('\\') {
            *name = bare.into();
        }
    }
    let is_name = |name: &String| name.len() <= 255 && is_class_name(name);
    let fits = (1..=MAX_EVENTS).contains(&names.len()) && names.iter().all(is_name);
    if fits { Ok(Some(names)) } else { Err(refused(REFUSED)) }
}

/// The text of a filter. Whether it fits the classes is found out later.
fn filter(value: &RawValue) -> Result<Option<Option<String>>, InputError> {
    Ok(Some(parse_filter(value.get())?.map(|filter| filter.as_str().into())))
}

fn user(value: &RawValue) -> Result<Option<String>, InputError> {
    match text(value) {
        Some(user) if check_user_id(&user).is_err() => Err(invalid_user()),
        user => Ok(user),
    }
}

pub(crate) fn invalid_user() -> InputError {
    refused("Invalid user: must be an account id, or *")
}

fn paused(value: &RawValue) -> Result<Option<bool>, InputError> {
    let paused = serde_json::from_str(value.get());
    paused.map(Some).map_err(|_| refused("Invalid paused: must be true or false"))
}

fn adopt(value: &RawValue) -> Result<Option<bool>, InputError> {
    let adopts = value.get() == "true";
    adopts.then_some(Some(true)).ok_or(refused("Invalid adopt: must be true"))
}

/// What the owner should know of a target's filter and classes; an error if it cannot be evaluated on their events.
pub(crate) fn filter_warnings(
    settings: &TargetSettings,
    classes: &EventClasses,
) -> Result<Vec<String>, InputError> {
    let names = &settings.events;
    let mut warnings: Vec<_> = names.iter().filter_map(|name| classes.warning(name)).collect();
    if let Some(filter) = settings.filter.as_deref().map_or(Ok(None), parse_filter)? {
        warnings.extend(filter.check(names, classes).map_err(invalid_filter)?);
    }
    Ok(warnings)
}

fn parse_filter(json: &str) -> Result<Option<EventFilter>, InputError> {
    if let Some(unknown) = EventMatch::too_much(&[Some(json)], "") {
        return Err(invalid_filter(unknown.reason));
    }
    EventFilter::parse(json, EventShape::trusted()).map_err(invalid_filter)
}

fn invalid_filter(fault: impl Display) -> InputError {
    refused(format!("Invalid eventFilter: {fault}"))
}
