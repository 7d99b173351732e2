//! The events of webhooks (docs/API.md, sections 4.7 and 4.8).

use std::sync::LazyLock;

use bytes::Bytes;
use serde::Serialize;

use super::answer::{Answer, json, of, serialize};
use crate::gateway::input::EventInput;
use crate::groupware::{Groupware, JobLimit, KnownEvent};

/// The catalogue as JSON.
static CATALOGUE: LazyLock<Bytes> = LazyLock::new(|| {
    #[derive(Serialize)]
    struct Catalogue {
        events: Vec<&'static KnownEvent>,
    }

    let events = KnownEvent::all().collect();
    serialize(&Catalogue { events })
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
    of(&wanted.judge(limit))
}
