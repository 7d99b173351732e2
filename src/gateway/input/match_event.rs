//! The body of a request to try a filter (docs/API.md, section 4.8).

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::members::{filter, members, text};
use super::{InputError, refused};
use crate::groupware::{EventClasses, EventFilter, EventMatch, EventSample, JobLimit, KnownEvent};

const NOT_AN_OBJECT: &str =
    "The body must be a JSON object with event, eventFilter and optionally sample";
const UNKNOWN_EVENT: &str =
    "Nothing is known of the class in event: give a sample, the body of one of its deliveries";
const SERVER_VERSION: &str =
    "Invalid server_version: must be the major version of the groupware server, such as 34";

/// A filter and the event to try it on. A refused filter is no error, but a result.
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

impl MatchEvent {
    /// Parses the body. The filter is checked against the known shape of the event's class, as when a webhook is created.
    pub fn parse(body: &[u8], classes: &EventClasses) -> Result<Self, InputError> {
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

        let members: Members<'_> = members(body).ok_or(refused(NOT_AN_OBJECT))?;
        let event = text(members.event, "Missing required field: event")?;
        let shape = classes.shape(&event);
        let sample = match (members.sample, KnownEvent::find(&event)) {
            (Some(sample), _) => Cow::Borrowed(sample.get()),
            (None, Some(known)) => Cow::Owned(known.example()),
            (None, None) => {
                return Err(match KnownEvent::meant_by(&event) {
                    Some(known) => refused(format!(
                        "Nothing is known of the class in event: is it {}? Else give a sample",
                        known.class
                    )),
                    None => refused(UNKNOWN_EVENT),
                });
            }
        };
        let version = members.server_version.map(|version| serde_json::from_str(version.get()));
        let limit = match version {
            None => None,
            Some(Ok(major)) => Some(JobLimit::of_version(major)),
            Some(Err(_)) => return Err(refused(SERVER_VERSION)),
        };
        let texts = [members.filter, members.filter_alias].map(|filter| filter.map(RawValue::get));
        if let Some(unknown) = EventMatch::too_much(&texts, &sample) {
            return Ok(Self { trial: Err(unknown) });
        }
        let sample = EventSample::parse(&sample, &event, shape);
        let sample = sample.map_err(|fault| refused(format!("Invalid sample: it {fault}")))?;
        let filter = filter([members.filter, members.filter_alias], shape);
        let trial = filter.map(|filter| Trial { filter, sample, limit });
        Ok(Self { trial: trial.map_err(|fault| EventMatch::refused(&fault)) })
    }

    /// Whether the result can depend on the server's version, which the caller did not name.
    pub fn depends_on_version(&self) -> bool {
        let trial = self.trial.as_ref().ok();
        trial.is_some_and(|trial| {
            trial.limit.is_none() && trial.sample.job_size() > JobLimit::default().characters()
        })
    }

    /// Evaluates the filter on the event; `limit` is that of the server, unless the caller named its version. The result is
    /// [`MatchResult::Unknown`](crate::groupware::MatchResult::Unknown) if that is more work than one caller may cause.
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
