//! The body of a request to try a filter (docs/API.md, section 4.8).

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::members::{filter, members};
use crate::groupware::{
    EventClasses, EventFilter, EventMatch, EventSample, JobLimit, KnownEvent, SampleError,
};

/// A filter and the event to try it on.
#[derive(Debug)]
pub struct MatchEvent {
    /// Or the result, if nothing is to be evaluated.
    trial: Result<Trial, EventMatch>,
}

#[derive(Debug)]
struct Trial {
    filter: Option<EventFilter>,
    sample: EventSample,
    /// The limit of the server that the caller asks about.
    limit: Option<JobLimit>,
}

/// Why the body of such a request is refused. A refused filter is not an error here, but a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchEventError {
    /// Not a JSON object, or one with a duplicate member.
    #[error(
        "The body must be a JSON object with the fields event, eventFilter and optionally sample"
    )]
    NotAnObject,
    /// No `event`, or one that is not a string, or empty.
    #[error("Missing required field: event")]
    MissingEvent,
    /// The class is unknown, and there is no sample.
    #[error(
        "Nothing is known of the class in event: give a sample, the body of one of its deliveries"
    )]
    UnknownEvent,
    /// The same, but the class with this full name was probably meant.
    #[error("Nothing is known of the class in event: is it {0}? Else give a sample")]
    Misnamed(&'static str),
    /// An invalid `server_version`.
    #[error(
        "Invalid server_version: must be the major version of the groupware server, such as 34"
    )]
    ServerVersion,
    /// An invalid sample.
    #[error("Invalid sample: it {0}")]
    Sample(#[source] SampleError),
}

// === impl MatchEvent ===

impl MatchEvent {
    /// Parses the body. The filter is checked against the known shape of the event's class, as when a
    /// webhook is created.
    ///
    /// # Errors
    /// Any [`MatchEventError`].
    pub fn parse(body: &[u8], classes: &EventClasses) -> Result<Self, MatchEventError> {
        #[derive(Deserialize)]
        struct Members<'a> {
            #[serde(borrow)]
            event: Option<&'a RawValue>,
            #[serde(borrow, rename = "eventFilter")]
            filter: Option<&'a RawValue>,
            #[serde(borrow, rename = "event_filter")]
            filter_alias: Option<&'a RawValue>,
            #[serde(borrow)]
            sample: Option<&'a RawValue>,
            #[serde(borrow)]
            server_version: Option<&'a RawValue>,
        }

        let members: Members<'_> = members(body).ok_or(MatchEventError::NotAnObject)?;
        let event = members.event.map(RawValue::get);
        let event = event.and_then(|event| serde_json::from_str::<String>(event).ok());
        let event = event.filter(|event| !event.is_empty());
        let event = event.ok_or(MatchEventError::MissingEvent)?;
        let shape = classes.shape(&event);
        let sample = match (members.sample, KnownEvent::find(&event)) {
            (Some(sample), _) => Cow::Borrowed(sample.get()),
            (None, Some(known)) => Cow::Owned(known.example()),
            (None, None) => {
                return Err(match KnownEvent::meant_by(&event) {
                    Some(known) => MatchEventError::Misnamed(known.class),
                    None => MatchEventError::UnknownEvent,
                });
            }
        };
        let version = members
            .server_version
            .map(|version| serde_json::from_str(version.get()));
        let limit = match version {
            None => None,
            Some(Ok(major)) => Some(JobLimit::of_version(major)),
            Some(Err(_)) => return Err(MatchEventError::ServerVersion),
        };
        let texts = [members.filter, members.filter_alias].map(|filter| filter.map(RawValue::get));
        if let Some(unknown) = EventMatch::too_much(&texts, &sample) {
            return Ok(Self {
                trial: Err(unknown),
            });
        }
        let sample = EventSample::parse(&sample, &event, shape).map_err(MatchEventError::Sample)?;
        let filter = filter([members.filter, members.filter_alias], shape);
        let trial = filter.map(|filter| Trial {
            filter,
            sample,
            limit,
        });
        Ok(Self {
            trial: trial.map_err(|fault| EventMatch::refused(&fault)),
        })
    }

    /// Whether the result can depend on the server's version, which the caller did not name.
    pub fn depends_on_version(&self) -> bool {
        let trial = self.trial.as_ref().ok();
        trial.is_some_and(|trial| {
            trial.limit.is_none() && trial.sample.job_size() > JobLimit::default().characters()
        })
    }

    /// Evaluates the filter on the event; `limit` is that of the server, unless the caller named its
    /// version. The result is [`MatchResult::Unknown`](crate::groupware::MatchResult::Unknown) if that is
    /// more work than one caller may cause.
    pub fn judge(&self, limit: JobLimit) -> EventMatch {
        match &self.trial {
            Ok(trial) => {
                let limit = trial.limit.unwrap_or(limit);
                trial.sample.judge_briefly(trial.filter.as_ref(), limit)
            }
            Err(result) => result.clone(),
        }
    }
}
