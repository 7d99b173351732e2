//! Requests about targets and deliveries (docs/API.md, section 12).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use super::members::known_members;
use super::{InputError, TargetInput, refused};
use crate::deliveries::{DeliveryState, Destination, Replay};
use crate::gateway::authority::Presented;
use crate::groupware::KnownEvent;

/// A request about targets and deliveries. A text without a name is the id of what it is about.
#[derive(Debug)]
pub enum DeliveryInput {
    /// The targets of `user`; the caller's own if it is `None`.
    Targets {
        user: Option<Box<str>>,
        cursor: Option<Box<str>>,
    },
    Create(Destination, Box<TargetInput>),
    Show(Box<str>),
    Change(Box<str>, Box<TargetInput>),
    Remove(Box<str>),
    /// The replaced secrets go on signing for a while, if they are kept.
    ReplaceSecret {
        target: Box<str>,
        keep: bool,
    },
    /// Send a sample, an event of this class.
    Test(Box<str>, &'static KnownEvent),
    Deliveries {
        target: Box<str>,
        state: Option<DeliveryState>,
        cursor: Option<Box<str>>,
    },
    /// Send one delivery again.
    Retry(Box<str>),
    /// Send several again.
    Replay {
        target: Box<str>,
        replay: Replay,
        cursor: Option<Box<str>>,
    },
    Events(EventsInput),
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

// === impl DeliveryInput ===

impl DeliveryInput {
    /// Parses the body of a request to replace a secret. The replaced ones are kept unless it says otherwise.
    pub(crate) fn replace_secret(target: Box<str>, body: &[u8]) -> Result<Self, InputError> {
        #[derive(Default, Deserialize)]
        struct Members {
            keep: Option<bool>,
        }

        let expected = || {
            refused("The body must be empty, or a JSON object with keep, which is true or false")
        };
        let members: Members = match body {
            [] => Members::default(),
            body => known_members(body, &["keep"], expected())?,
        };
        Ok(Self::ReplaceSecret { target, keep: members.keep.unwrap_or(true) })
    }

    /// Parses the body of a request to send a sample.
    pub(crate) fn test(target: Box<str>, body: &[u8]) -> Result<Self, InputError> {
        #[derive(Deserialize)]
        struct Members<'a> {
            event: Cow<'a, str>,
        }

        let expected =
            refused("The body must be a JSON object with event, the name of an event class");
        let members: Members<'_> = known_members(body, &["event"], expected)?;
        let known = KnownEvent::find(&members.event).ok_or(refused(
            "There is no sample of this event class: GET /api/v1/events lists all that have one",
        ))?;
        Ok(Self::Test(target, known))
    }

    /// Parses the body of a request to send several deliveries again.
    pub(crate) fn replay(target: Box<str>, body: &[u8]) -> Result<Self, InputError> {
        #[derive(Deserialize)]
        struct Members<'a> {
            since: Cow<'a, str>,
            until: Option<Cow<'a, str>>,
            #[serde(default)]
            all: bool,
            cursor: Option<Box<str>>,
        }

        let expected = refused(
            "The body must be a JSON object with since and optionally until, all (true or false) and cursor",
        );
        let names = ["since", "until", "all", "cursor"];
        let members: Members<'_> = known_members(body, &names, expected)?;
        let time = |text: Cow<'_, str>, fault: &'static str| {
            humantime::parse_rfc3339(&text).map_err(|_| refused(fault))
        };
        const SINCE: &str = "Invalid since: must be a time in UTC such as 2026-01-31T09:00:00Z";
        const UNTIL: &str = "Invalid until: must be a time in UTC such as 2026-01-31T09:00:00Z";
        let until = members.until.map(|until| time(until, UNTIL)).transpose();
        let replay = Replay { since: time(members.since, SINCE)?, until: until?, all: members.all };
        Ok(Self::Replay { target, replay, cursor: members.cursor })
    }
}

/// Of a body, of a query or of a header field.
pub(crate) fn invalid_cursor() -> InputError {
    refused("Invalid cursor: must be one that an answer to the same request had")
}
