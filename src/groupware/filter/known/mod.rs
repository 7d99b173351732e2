//! The known events: data recorded from servers of versions 32 and 34, or taken from their source code
//! and that of apps (Tables 2.2, Forms 5.3, Mail 5.12, Announcement center 8) if nothing was recorded.
//!
//! The data is in `events.json`. An event has no members beside those of its shape.

mod file;

use std::sync::LazyLock;

use super::EventFilter;
use super::job_limit::JobLimit;
use super::shape::Shape;

/// The known events: files, calendars, tags, cards, other apps.
static EVENTS: LazyLock<Vec<KnownEvent>> = LazyLock::new(file::events);

/// An event of a class that is not known.
static UNKNOWN: LazyLock<KnownEvent> = LazyLock::new(|| file::any_event(Shape::Unknown));

/// The same, of a class that the operator trusts.
static TRUSTED: LazyLock<KnownEvent> = LazyLock::new(|| file::any_event(Shape::Trusted));

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
    pub known_problems: Vec<&'static str>,
    /// The consequence of a delivery that is too large: the end of a sentence.
    pub(super) loses: &'static str,
    /// The filters that pass no such delivery, one for each limit that has a useful one.
    pub(super) bounding: Vec<(JobLimit, EventFilter)>,
    pub(super) shape: Shape,
}

// === impl KnownEvent ===

impl KnownEvent {
    /// All of them: files, calendars, tags, cards, other apps.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        EVENTS.iter()
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

    /// The class that a misspelt `name` probably means: letter case does not count, nor what separates its parts, of
    /// which the last is enough.
    pub fn meant_by(name: &str) -> Option<&'static Self> {
        let letters = |text: &str| {
            let letters = text.chars().filter(char::is_ascii_alphanumeric);
            letters.collect::<String>().to_ascii_lowercase()
        };
        let name = letters(name);
        let meant = Self::all().filter(|known| name.ends_with(&letters(known.name())));
        meant.max_by_key(|known| (known.name().len(), letters(known.class) == name))
    }

    /// The last part of the full name.
    pub fn name(&self) -> &'static str {
        let parts = self.class.rsplit_once('\\');
        parts.map_or(self.class, |(_, name)| name)
    }

    /// An event of a class that is not known: only class, user and time are.
    pub(super) fn unknown() -> &'static Self {
        &UNKNOWN
    }

    /// The same, of a class that the operator trusts.
    pub(super) fn trusted() -> &'static Self {
        &TRUSTED
    }
}

/// The name without leading backslashes, which the server drops too.
pub(super) fn bare(class: &str) -> &str {
    class.trim_start_matches('\\')
}
