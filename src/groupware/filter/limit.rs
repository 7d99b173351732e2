//! Deliveries that can be too large for the server, and filters that prevent them (docs/API.md, section 4.9).

use std::fmt;

use serde::Serialize;

use super::classes::EventShape;
use super::{EventFilter, EventSample, KnownEvent, MatchResult};

/// The account in the examples of events.
const OF_EXAMPLES: &str = "alice";

/// The maximum size of a job's argument at a server, as JSON (docs/API.md, section 4.9).
///
/// Source: `JobList::add` of Nextcloud 32.0.1 and 34.0.1 (lib/private/BackgroundJob/JobList.php).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum JobLimit {
    /// 4,000 characters: servers before Nextcloud 34, and those whose version is unknown.
    #[default]
    Before34,
    /// 32,000 characters: Nextcloud 34 and later.
    From34,
}

// === impl JobLimit ===

impl JobLimit {
    /// Both limits, the smaller one first.
    pub const ALL: &[Self] = &[Self::Before34, Self::From34];

    /// The limit of servers with this major version.
    pub fn of_version(major: u64) -> Self {
        if major < 34 { Self::Before34 } else { Self::From34 }
    }

    /// The maximum number of characters.
    pub fn characters(self) -> usize {
        match self {
            Self::Before34 => 4_000,
            Self::From34 => 32_000,
        }
    }
}

/// A filter that passes no delivery that is too large for a server (docs/API.md, section 4.9).
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BoundingFilter {
    /// The size limit of the server's job queue, in characters.
    pub characters: usize,
    /// The filter.
    pub event_filter: EventFilter,
}

/// A warning that deliveries can exceed the limit of the server's job queue. `Display` explains, in
/// sentences, what can be lost and which filter prevents it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct UnboundedEvent {
    class: &'static KnownEvent,
    limit: JobLimit,
}

// === impl EventShape ===

impl EventShape {
    /// A warning if deliveries that `filter` passes may exceed `limit`: unless it is, or requires, a bounding filter of
    /// the catalogue for that limit or a smaller one. Without a filter, all deliveries pass.
    ///
    /// ```
    /// use portreeve::groupware::{EventClasses, EventFilter, JobLimit};
    ///
    /// let shape = EventClasses::default().shape(r"OCP\SystemTag\TagAssignedEvent");
    /// let files = EventFilter::parse(r#"{"event.objectType": "files"}"#, shape).unwrap();
    /// let unbounded = shape.unbounded(files.as_ref(), JobLimit::Before34).unwrap();
    /// assert!(unbounded.to_string().contains("tags can be lost"));
    ///
    /// let remedy = shape.bounding_filter(JobLimit::Before34).unwrap();
    /// assert!(shape.unbounded(Some(&remedy), JobLimit::Before34).is_none());
    /// ```
    pub fn unbounded(
        self,
        filter: Option<&EventFilter>,
        limit: JobLimit,
    ) -> Option<UnboundedEvent> {
        // There can be other reasons why it passes no larger ones, which are not examined.
        let requires = |filter: &EventFilter| {
            let all = self.0.bounding_filters.iter();
            let mut fitting = all.filter(|it| it.characters <= limit.characters());
            fitting.any(|bounding| filter.query.requires(&bounding.event_filter.query))
        };
        let is_bounded = filter.is_some_and(requires);
        (!is_bounded).then_some(UnboundedEvent { class: self.0, limit })
    }

    /// Whether the bounding filter for `limit` passes no event of `account`, for its id alone.
    pub(crate) fn leaves_out(self, account: &str, limit: JobLimit) -> bool {
        let Some(filter) = self.0.bounding_filter(limit) else {
            return false;
        };
        let passes = |account: &str| {
            let id = serde_json::Value::from(account).to_string();
            let example = self.0.example().replace(OF_EXAMPLES, &id[1..id.len() - 1]);
            let sample = EventSample::parse(&example, self.0.class, self).ok();
            sample.is_none_or(|it| it.passes(filter).0 != MatchResult::DoesNotMatch)
        };
        !passes(account) && passes(OF_EXAMPLES)
    }

    /// A filter that passes as many events of the class as possible within the limit; `None` if there is no useful one.
    pub fn bounding_filter(self, limit: JobLimit) -> Option<EventFilter> {
        self.0.bounding_filter(limit).cloned()
    }
}

// === impl UnboundedEvent ===

impl UnboundedEvent {
    /// The text in JSON, which is written once: that takes as long as several calls.
    pub(crate) fn json(self) -> &'static str {
        let kept = &self.class.warnings[self.limit as usize];
        kept.get_or_init(|| serde_json::Value::from(self.to_string()).to_string())
    }
}

impl fmt::Display for UnboundedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "A delivery of this event can take more than the {} characters that the job queue of this server takes. \
             Then {}.",
            self.limit.characters(),
            self.class.loses
        )?;
        match self.class.bounding_filter(self.limit) {
            Some(filter) => write!(
                f,
                " To prevent it, use this filter, beside your own as {{\"$and\": [yours, this]}}: {}",
                filter.as_str()
            ),
            None => f.write_str(" No filter is known that prevents it."),
        }
    }
}
