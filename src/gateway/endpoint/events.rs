//! The events of webhooks (docs/API.md, sections 4.7 and 4.8).

use std::sync::LazyLock;

use bytes::Bytes;

use super::answer::{self, Answer, json, object, serialize};
use crate::gateway::input::EventInput;
use crate::groupware::{Groupware, JobLimit, KnownEvent};

static CATALOGUE: LazyLock<Bytes> = LazyLock::new(|| {
    let events: Vec<_> = KnownEvent::all().collect();
    object("events", &serialize(&events))
});

/// Answers a request about events. The version of `groupware` is asked for if the answer depends on it.
pub(super) async fn answer(input: EventInput, groupware: Option<&Groupware>) -> Answer {
    let wanted = match input {
        EventInput::List => return json(CATALOGUE.clone()),
        EventInput::Match(wanted) => wanted,
    };
    let limit = match groupware {
        Some(groupware) if wanted.depends_on_version() => groupware.job_limit().await,
        _ => JobLimit::default(),
    };
    answer::to_json(&wanted.judge(limit))
}
