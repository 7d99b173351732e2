//! The known events: data recorded from servers of versions 32 and 34, or taken from their source code
//! where nothing was recorded.
//!
//! An event has no members beside those of its shape.

use serde_json::Value;

use super::job_limit::JobLimit;
use super::shape::{Member, Shape};

use Shape::{Number, Text, Trusted, Unknown};

/// The shape of everything that a filter sees, given the members that the class adds to the event, or
/// the shape of all of its members.
macro_rules! event {
    (..$others:expr) => {
        event!(@ [CLASS], Some($others))
    };
    ($($member:expr),* $(,)?) => {
        event!(@ [$($member,)* CLASS], None)
    };
    (@ $members:expr, $others:expr) => {
        Shape::map(&[
            always(
                "event",
                Shape::Map { members: &$members, others: $others },
                "",
                "What happened.",
            ),
            USER,
            TIME,
        ])
    };
}

mod apps;
mod bounding;
mod calendars;
mod cards;
mod files;
mod tags;

/// A class of events.
#[derive(Debug)]
pub(super) struct EventClass {
    /// The full name, without a leading backslash.
    pub(super) name: &'static str,
    /// `server`, or the app that raises it.
    pub(super) part_of: &'static str,
    /// When it fires.
    pub(super) fires: &'static str,
    /// Whether deliveries of it were recorded; otherwise it is based on source code.
    pub(super) recorded: bool,
    /// Known problems.
    pub(super) problems: &'static [&'static str],
    /// The consequence of a delivery that is too large: the end of a sentence.
    pub(super) loses: &'static str,
    /// A filter that passes no such delivery, if there is a useful one.
    pub(super) bounding: fn(JobLimit) -> Option<Value>,
    pub(super) shape: &'static Shape,
}

/// All known classes.
pub(super) fn classes() -> impl Iterator<Item = &'static EventClass> {
    let parts = [
        files::CLASSES,
        calendars::CLASSES,
        tags::CLASSES,
        cards::CLASSES,
        apps::CLASSES,
    ];
    parts.into_iter().flatten()
}

/// The class with this name, without a leading backslash; `None` if it is unknown.
pub(super) fn class(name: &str) -> Option<&'static EventClass> {
    classes().find(|class| class.name == name)
}

/// The shape of unknown events: only class, user and time are known. No event was seen whose payload is
/// a list instead of a map.
pub(super) static UNKNOWN: Shape = event![..&Unknown];

/// The same, for a class that the operator trusts.
pub(super) static TRUSTED: Shape = event![..&Trusted];

const CLASS: Member = always("class", Text, "", "The class of the event.");

const USER: Member = maybe(
    "user",
    Shape::map(&[
        always("uid", Text, r#""alice""#, "The user id."),
        always(
            "displayName",
            Text,
            r#""Alice Example""#,
            "The name that others see.",
        ),
    ]),
    "",
    "Who caused it. Missing if nobody did in a request of their own, as on the command line.",
);

const TIME: Member = always(
    "time",
    Number,
    "1767348000",
    "When it happened, in seconds since 1970.",
);

const ABSTRACT: &str = "The class is abstract: a webhook for it can be made, and never fires.";

const TOO_LARGE: &str = "A delivery that is too large for the server's job queue fails the request of the user who \
     caused it, and what they wrote is lost: docs/API.md, section 4.9.";

/// The consequence if the job cannot be written.
const LOSES_WRITE: &str =
    "the request of the user who caused the event fails, and what they wrote is lost";

const fn always(
    name: &'static str,
    shape: Shape,
    example: &'static str,
    about: &'static str,
) -> Member {
    Member {
        name,
        always: true,
        shape,
        example,
        about,
    }
}

/// A member that can be missing or `null`.
const fn maybe(
    name: &'static str,
    shape: Shape,
    example: &'static str,
    about: &'static str,
) -> Member {
    Member {
        name,
        always: false,
        shape,
        example,
        about,
    }
}
