//! Tries a filter on a sample event.

use serde::Serialize;

use super::classes::EventShape;
use super::condition::{Condition, Operator};
use super::fault::escape_controls;
use super::finding::Finding;
use super::known::bare;
use super::node::{Node, has_more_values};
use super::pattern::Pattern;
use super::trial::Trial;
use super::work::Work;
use super::{EventClasses, EventFilter, FilterFault, JobLimit, KnownEvent, MAX_VALUES};

/// Maximum number of bytes of a filter that the gateway evaluates.
const MAX_FILTER: usize = 4096;

/// The size of the rest of a job's argument: a list around the delivery, the registration's number, ten digits.
const AROUND: usize = "[,,\"0123456789\"]".len() + 20;

/// One event, as in the body of its delivery: its class, its properties, the user and the time.
///
/// ```
/// use portreeve::groupware::{
///     EventClasses, EventFilter, EventSample, JobLimit, KnownEvent, MatchResult,
/// };
///
/// let created = KnownEvent::named("NodeCreatedEvent").unwrap();
/// let shape = EventClasses::default().shape(created.class);
/// let sample = EventSample::parse(&created.example(), created.class, shape).unwrap();
/// let filter = EventFilter::parse(r#"{"user.uid": "bob"}"#, shape).unwrap();
/// let found = sample.judge(filter.as_ref(), JobLimit::Before34);
/// assert_eq!(found.result, MatchResult::DoesNotMatch);
/// assert_eq!(found.reason, r#"user.uid is "alice", not "bob""#);
/// ```
#[derive(Debug)]
pub struct EventSample {
    whole: Node,
    shape: EventShape,
}

/// The result of a filter on an event, with the reason (docs/API.md, section 4.8).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EventMatch {
    /// The result.
    pub result: MatchResult,
    /// The properties that decide it, with their values and those of the filter: one sentence.
    pub reason: String,
    /// The path in the filter of the first reason, such as `$or[1].user.uid`; empty for the filter as a whole.
    pub at: String,
}

/// The result of a filter on an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchResult {
    /// The event is delivered.
    Matches,
    /// The event is not delivered.
    DoesNotMatch,
    /// The filter is refused when a webhook is created, or the delivery is too large for the server: the
    /// operation that raises such an event can fail.
    Refused,
    /// Undecidable: a pattern that only the server can interpret, or details of the event that are not known.
    Unknown,
}

/// Why a text is not a valid sample of an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// Not JSON.
    #[error("is not valid JSON, or too deeply nested, or holds a number out of range")]
    NotJson,
    /// Not an object that contains an object `event`.
    #[error("must be an object with the object event, as the body of a delivery is")]
    NoEvent,
    /// `event.class` names another class.
    #[error("is an event of the class {0}, not of the one that is asked about")]
    OtherClass(String),
}

// === impl EventSample ===

impl EventSample {
    /// Parses the body of a delivery; `event.class` may be missing. `authentication`, which comes later, is ignored.
    ///
    /// # Errors
    /// Any [`SampleError`].
    pub fn parse(json: &str, class: &str, shape: EventShape) -> Result<Self, SampleError> {
        let mut whole: Node = serde_json::from_str(json).map_err(|_| SampleError::NotJson)?;
        let class = bare(class);
        let Node::Object(members) = &mut whole else {
            return Err(SampleError::NoEvent);
        };
        members.shift_remove("authentication");
        let Some(Node::Object(event)) = members.get_mut("event") else {
            return Err(SampleError::NoEvent);
        };
        match event.get("class") {
            Some(Node::Text(of)) if of == class => {}
            Some(Node::Text(other)) => return Err(SampleError::OtherClass(escape_controls(other))),
            _ => drop(event.insert("class".to_owned(), Node::Text(class.to_owned()))),
        }
        Ok(Self { whole, shape })
    }

    /// The result of `filter` on this event, at a server whose job queue is limited to `limit`; `None` means no filter.
    pub fn judge(&self, filter: Option<&EventFilter>, limit: JobLimit) -> EventMatch {
        self.judge_by(filter, limit, &Work::unbounded())
    }

    /// The same, but [`MatchResult::Unknown`] if that takes more than about a millisecond.
    pub(crate) fn judge_briefly(
        &self,
        filter: Option<&EventFilter>,
        limit: JobLimit,
    ) -> EventMatch {
        self.judge_by(filter, limit, &Work::bounded())
    }

    /// Whether `filter` passes this event, wherever it is evaluated, and the steps that it took to find out:
    /// [`MatchResult::Unknown`] if these would take more than about a millisecond.
    pub(crate) fn passes(&self, filter: &EventFilter) -> (MatchResult, usize) {
        let work = Work::bounded();
        let found = filter.evaluate(&self.whole, self.shape.0, &work);
        (found.result, work.taken())
    }

    fn judge_by(&self, filter: Option<&EventFilter>, limit: JobLimit, work: &Work) -> EventMatch {
        let found = match filter {
            Some(filter) => filter.evaluate(&self.whole, self.shape.0, work),
            None => EventMatch::without_place(MatchResult::Matches, "there is no filter"),
        };
        if found.result == MatchResult::Matches {
            let size = self.job_size();
            if size > limit.characters() {
                return EventMatch::too_large(size, limit);
            }
        }
        found
    }

    /// The most characters of the job's argument that the server creates for this event (docs/API.md, section 4.9).
    ///
    /// The server writes the whole delivery there by PHP's `json_encode` without options: the result is ASCII, since other
    /// characters are written as `\uXXXX` (a Cyrillic letter takes six characters, an emoji twelve), and slashes as `\/`.
    pub fn job_size(&self) -> usize {
        let json = serde_json::to_string(&self.whole).expect("JSON can always be written");
        let characters = json.bytes().map(|byte| match byte {
            b'/' => 2,
            ..0x80 => 1,
            // The rest of a character.
            0x80..0xc0 => 0,
            0xc0..0xf0 => 6,
            0xf0.. => 12,
        });
        characters.sum::<usize>() + AROUND
    }
}

// === impl EventFilter ===

impl EventFilter {
    /// Warnings if it never matches an event of the `classes` of these names. The error is why it is refused for them, or
    /// cannot be evaluated on an example of each. All of that within two milliseconds.
    pub(crate) fn check(
        &self,
        names: &[String],
        classes: &EventClasses,
    ) -> Result<Vec<String>, String> {
        let known = |name: &String| classes.shape(name).0;
        let mut classes: Vec<_> = names.iter().map(known).collect();
        // Those that are not known are one.
        classes.sort_unstable_by_key(|known| known.class);
        classes.dedup_by_key(|known| known.class);
        let work = Work::bounded();
        for known in &classes {
            self.query.check(&known.shape).map_err(|fault| fault.to_string())?;
            let found = self.evaluate(&known.example, known, &work);
            if found.result == MatchResult::Unknown {
                return Err(format!("{}: {}", found.at, found.reason));
            }
        }
        Ok(self.never(&classes))
    }

    /// Why it never matches an event, or one of these classes: what decides that alone, as far as that is known.
    fn never(&self, classes: &[&KnownEvent]) -> Vec<String> {
        let work = Work::bounded();
        let mut required = Vec::new();
        self.query.required(&mut required);
        let equal = |condition: &&&Condition| condition.operator == Operator::Equal;
        for condition in required.iter().filter(equal) {
            if let Some(pattern) = Pattern::parse(&condition.operand)
                && condition.compile(pattern, &work).is_ok()
                && let Some(reason) = condition.never()
            {
                let property = escape_controls(&*condition.property);
                return vec![format!(
                    "The filter never matches, as the pattern for {property} never does: {reason}"
                )];
            }
        }
        let warning = |known: &&KnownEvent| {
            let trial = Trial::new(&known.example, &known.shape, &work);
            let never = required.iter().find_map(|condition| {
                let finding = trial.test(condition).ok()?.findings.into_iter().next()?;
                finding.is_final(&known.shape).then_some(finding)
            });
            let class = known.class;
            never.map(|it| format!("The filter never matches an event of the class {class}: {it}"))
        };
        classes.iter().filter_map(warning).collect()
    }

    /// Its result on an event of the class `known`; `whole` is everything that it sees.
    fn evaluate(&self, whole: &Node, known: &KnownEvent, work: &Work) -> EventMatch {
        let trial = Trial::new(whole, &known.shape, work);
        let verdict = match self.query.evaluate(&mut |condition| trial.test(condition)) {
            Ok(verdict) => verdict,
            Err(fault) => return EventMatch::refused(&fault),
        };
        let result = match verdict.holds {
            Some(true) => MatchResult::Matches,
            Some(false) => MatchResult::DoesNotMatch,
            None => MatchResult::Unknown,
        };
        let Some(first) = verdict.findings.first() else {
            return EventMatch::without_place(result, "the filter has no condition");
        };
        let findings = verdict.findings.iter().map(Finding::to_string);
        EventMatch {
            at: first.condition.path(),
            ..EventMatch::without_place(result, findings.collect::<Vec<_>>().join("; "))
        }
    }
}

// === impl EventMatch ===

impl EventMatch {
    fn without_place(result: MatchResult, reason: impl Into<String>) -> Self {
        Self { result, reason: reason.into(), at: String::new() }
    }

    /// The result of a filter that is refused.
    pub fn refused(fault: &FilterFault) -> Self {
        Self { at: fault.path.clone(), ..Self::without_place(MatchResult::Refused, fault.reason) }
    }

    /// The result of filters and a sample of these JSON texts, if evaluating them is more work than one
    /// caller may cause: it is [`MatchResult::Unknown`], and they need not be parsed.
    pub(crate) fn too_much(filters: &[Option<&str>], sample: &str) -> Option<Self> {
        let is_long = |filter: &Option<&str>| filter.is_some_and(|text| text.len() > MAX_FILTER);
        let reason = if filters.iter().any(is_long) {
            "the filter has more than 4096 bytes"
        } else if has_more_values(sample, MAX_VALUES) {
            "the sample has more than 3000 values"
        } else {
            return None;
        };
        Some(Self::without_place(MatchResult::Unknown, reason))
    }

    fn too_large(size: usize, limit: JobLimit) -> Self {
        let later = match limit {
            JobLimit::Before34 => " (from Nextcloud 34 on it takes 32000)",
            JobLimit::From34 => "",
        };
        let reason = format!(
            "the delivery takes {size} characters in the job queue of the server, which takes {} at most{later}: \
             the request of the user who causes such an event fails, or there is no delivery",
            limit.characters()
        );
        Self::without_place(MatchResult::Refused, reason)
    }
}
