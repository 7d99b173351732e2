//! The known events: data recorded from servers of versions 32 and 34, or taken from their source code
//! where nothing was recorded.
//!
//! An event has no members beside those of its shape.

use serde_json::Value;

use super::job_limit::JobLimit;
use super::shape::{Member, Shape};

use Shape::{Number, Text, Trusted, Unknown};

/// A member of a map: its name, with a question mark if it can be missing or `null`; its shape, an
/// example and its description.
macro_rules! member {
    ($name:literal?: $shape:expr, $example:expr, $about:expr) => {
        Member {
            name: $name,
            always: false,
            shape: $shape,
            example: $example,
            about: $about,
        }
    };
    ($name:literal: $shape:expr, $example:expr, $about:expr) => {
        Member {
            name: $name,
            always: true,
            shape: $shape,
            example: $example,
            about: $about,
        }
    };
}

/// The members of a map, one in each row: as for [`member!`], or a [`Member`].
macro_rules! members {
    (@ [$($done:tt)*]) => {
        &[$($done)*]
    };
    (@ [$($done:tt)*] $name:literal?: $shape:expr, $example:expr, $about:expr; $($rest:tt)*) => {
        members!(@ [$($done)* member!($name?: $shape, $example, $about),] $($rest)*)
    };
    (@ [$($done:tt)*] $name:literal: $shape:expr, $example:expr, $about:expr; $($rest:tt)*) => {
        members!(@ [$($done)* member!($name: $shape, $example, $about),] $($rest)*)
    };
    (@ [$($done:tt)*] $member:expr; $($rest:tt)*) => {
        members!(@ [$($done)* $member,] $($rest)*)
    };
    ($($rows:tt)*) => {
        members!(@ [] $($rows)*)
    };
}

/// The shape of everything that a filter sees, given the members that the class adds to the event, or
/// the shape of all of its members.
macro_rules! event {
    (..$others:expr) => {
        event!(@ members! { CLASS; }, Some($others))
    };
    (@ $members:expr, $others:expr) => {
        Shape::map(members! {
            "event": Shape::Map { members: $members, others: $others }, "", "What happened.";
            USER;
            TIME;
        })
    };
    ($($rows:tt)*) => {
        event!(@ members! { $($rows)* CLASS; }, None)
    };
}

mod apps;
mod bounding;
mod calendars;
mod cards;
mod files;
mod tags;

/// A known class of events for which a webhook can be created.
///
/// ```
/// use portreeve::groupware::KnownEvent;
///
/// let created = KnownEvent::find(r"OCP\Files\Events\Node\NodeCreatedEvent").unwrap();
/// assert_eq!(created.part_of, "server");
/// let fields = created.fields();
/// let path = fields.iter().find(|field| field.path == "event.node.path").unwrap();
/// assert_eq!(path.kind, "string");
/// // The last part of the name is enough where it is unique.
/// assert_eq!(KnownEvent::named("NodeCreatedEvent").unwrap().class, created.class);
/// ```
#[derive(Debug)]
pub struct KnownEvent {
    /// The full name, without a leading backslash.
    pub class: &'static str,
    /// `server`, or the app that raises it.
    pub part_of: &'static str,
    /// When it fires: a sentence.
    pub fires: &'static str,
    /// Whether its description is based on recorded deliveries; otherwise on the source code of the
    /// server or the app.
    pub recorded: bool,
    /// Known problems with it: sentences.
    pub known_problems: &'static [&'static str],
    /// The consequence of a delivery that is too large: the end of a sentence.
    pub(super) loses: &'static str,
    /// A filter that passes no such delivery, if there is a useful one.
    pub(super) bounding: fn(JobLimit) -> Option<Value>,
    pub(super) shape: &'static Shape,
}

// === impl KnownEvent ===

impl KnownEvent {
    /// All of them: files, calendars, tags, cards, other apps.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        let parts = [
            files::CLASSES,
            calendars::CLASSES,
            tags::CLASSES,
            cards::CLASSES,
            apps::CLASSES,
        ];
        parts.into_iter().flatten()
    }

    /// The class with this full name, with or without a leading backslash.
    pub fn find(class: &str) -> Option<&'static Self> {
        let class = bare(class);
        Self::all().find(|known| known.class == class)
    }

    /// Like [`find`](Self::find), but the last part of the name is enough, in any letter case.
    pub fn named(name: &str) -> Option<&'static Self> {
        let has_name = |known: &&Self| known.name().eq_ignore_ascii_case(name);
        let mut named = Self::all().filter(has_name);
        let only = || named.next().filter(|_| named.next().is_none());
        Self::find(name).or_else(only)
    }

    /// The last part of the full name.
    pub fn name(&self) -> &'static str {
        let parts = self.class.rsplit_once('\\');
        parts.map_or(self.class, |(_, name)| name)
    }
}

/// The name without leading backslashes, which the server drops too.
pub(super) fn bare(class: &str) -> &str {
    class.trim_start_matches('\\')
}

/// An unknown event: only class, user and time are known. No event was seen whose payload is a list
/// instead of a map.
pub(super) const UNKNOWN: KnownEvent = KnownEvent {
    class: "",
    part_of: "server",
    fires: "",
    recorded: false,
    known_problems: &[TOO_LARGE],
    loses: "the request of the user who caused the event can fail",
    bounding: |_| None,
    shape: &event![..&Unknown],
};

/// The same, of a class that the operator trusts.
pub(super) const TRUSTED: KnownEvent = KnownEvent {
    shape: &event![..&Trusted],
    ..UNKNOWN
};

const CLASS: Member = member!("class": Text, "", "The class of the event.");

const USER: Member = member!(
    "user"?: Shape::map(NAMES), "",
    "Who caused it. Missing if nobody did in a request of their own, as on the command line."
);

/// The names of a user.
const NAMES: &[Member] = members! {
    "uid": Text, r#""alice""#, "The user id.";
    "displayName": Text, r#""Alice Example""#, "The name that others see.";
};

const TIME: Member = member!(
    "time": Number, "1767348000", "When it happened, in seconds since 1970."
);

const ABSTRACT: &str = "The class is abstract: a webhook for it can be made, and never fires.";

const TOO_LARGE: &str = "A delivery that is too large for the server's job queue fails the request of the user who \
     caused it, and what they wrote is lost: docs/API.md, section 4.9.";

/// The consequence if the job cannot be written.
const LOSES_WRITE: &str =
    "the request of the user who caused the event fails, and what they wrote is lost";
