//! Whether a target wants an event.

use std::cell::{Cell, OnceCell};

use quick_cache::sync::Cache;

use crate::groupware::{EventClasses, EventFilter, EventSample, MatchResult, has_more_values};
use crate::opaque::opaque_debug;

/// The most values of an event that filters are evaluated on, an object or a list counted as four: parsed, these take a few
/// megabytes. Events have some dozens.
const MAX_VALUES: usize = 50_000;

/// What the parsing of a byte of a filter takes, its patterns compiled, and that of a byte of an event; what it takes to look
/// at a target: in steps, as an evaluation counts them.
const OF_FILTER: usize = 50;
const OF_EVENT: usize = 6;
const OF_TARGET: usize = 100;

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
    steps: Cell<usize>,
}

// === impl Filters ===

impl Filters {
    /// Of which so many are kept.
    pub(super) fn new(classes: EventClasses, kept: usize) -> Self {
        Self { classes, parsed: Cache::new(kept) }
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
        event.take(OF_TARGET);
        let is_class = |class: &str| class.trim_start_matches('\\') == event.class;
        if !classes.is_empty() && !classes.iter().any(|class| is_class(class.as_ref())) {
            return false;
        }
        let Some(text) = filter else { return true };
        let shape = self.classes.shape(event.class);
        let key = (event.class.into(), text.into());
        let filter = self.parsed.get(&key).unwrap_or_else(|| {
            event.take(OF_FILTER * text.len());
            let parsed = EventFilter::parse(text, shape).ok().flatten();
            self.parsed.insert(key, parsed.clone());
            parsed
        });
        let sample = event.sample.get_or_init(|| {
            event.take(OF_EVENT * event.body.len());
            let text = std::str::from_utf8(event.body).ok()?;
            if has_more_values(text, MAX_VALUES) {
                return None;
            }
            EventSample::parse(text, event.class, shape).ok()
        });
        let (Some(filter), Some(sample)) = (filter, sample) else {
            return true;
        };
        let (result, steps) = sample.passes(&filter);
        event.take(steps);
        result != MatchResult::DoesNotMatch
    }
}

opaque_debug!(Filters);

// === impl Event ===

impl<'e> Event<'e> {
    pub(super) fn new(class: &'e str, body: &'e [u8]) -> Self {
        Self { class, body, sample: OnceCell::new(), steps: Cell::new(0) }
    }

    /// The steps that filters have taken on it so far. Some 200,000 take a millisecond or two.
    pub(super) fn steps(&self) -> usize {
        self.steps.get()
    }

    fn take(&self, steps: usize) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }
}
