//! Whether a target wants an event.

use std::cell::OnceCell;
use std::fmt;

use quick_cache::sync::Cache;

use crate::groupware::{EventClasses, EventFilter, EventSample, MatchResult, has_more_values};

/// Filters that are kept. With its patterns one takes a few kilobytes, some hundreds at most.
const KEPT: usize = 128;

/// The most values of an event that filters are evaluated on, an object or a list counted as four: parsed, these take a few
/// megabytes. Events have some dozens.
const MAX_VALUES: usize = 50_000;

/// The filters of targets, each parsed, and its patterns compiled, once for each class that it is applied to.
pub(super) struct Filters {
    classes: EventClasses,
    /// By class and text. `None` for one that decides nothing: the events of this class make it fail, or it is empty.
    parsed: Cache<(Box<str>, Box<str>), Option<EventFilter>>,
}

/// One event.
pub(super) struct Event<'e> {
    pub(super) class: &'e str,
    pub(super) body: &'e [u8],
    /// Parsed when the first filter needs it.
    sample: OnceCell<Option<EventSample>>,
}

// === impl Filters ===

impl Filters {
    pub(super) fn new(classes: EventClasses) -> Self {
        Self {
            classes,
            parsed: Cache::new(KEPT),
        }
    }

    /// Whether a target for events of `classes`, or of any class if there is none, with `filter` wants `event`. It does
    /// if the filter cannot be decided: too much is better than too little. That takes milliseconds at most, and
    /// does not belong on a thread of the runtime.
    pub(super) fn wants(
        &self,
        classes: &[impl AsRef<str>],
        filter: Option<&str>,
        event: &Event<'_>,
    ) -> bool {
        let is_class = |class: &str| class.trim_start_matches('\\') == event.class;
        if !classes.is_empty() && !classes.iter().any(|class| is_class(class.as_ref())) {
            return false;
        }
        let Some(text) = filter else { return true };
        let shape = self.classes.shape(event.class);
        let key = (event.class.into(), text.into());
        let filter = self.parsed.get(&key).unwrap_or_else(|| {
            let parsed = EventFilter::parse(text, shape).ok().flatten();
            self.parsed.insert(key, parsed.clone());
            parsed
        });
        let sample = event.sample.get_or_init(|| {
            let text = std::str::from_utf8(event.body).ok()?;
            if has_more_values(text, MAX_VALUES) {
                return None;
            }
            EventSample::parse(text, event.class, shape).ok()
        });
        let (Some(filter), Some(sample)) = (filter, sample) else {
            return true;
        };
        sample.passes(&filter) != MatchResult::DoesNotMatch
    }
}

impl fmt::Debug for Filters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filters").finish_non_exhaustive()
    }
}

// === impl Event ===

impl<'e> Event<'e> {
    pub(super) fn new(class: &'e str, body: &'e [u8]) -> Self {
        Self {
            class,
            body,
            sample: OnceCell::new(),
        }
    }
}
