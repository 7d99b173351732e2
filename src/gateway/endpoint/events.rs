//! The events of webhooks (docs/API.md, sections 4.7 and 4.8), answered locally.

use std::sync::LazyLock;

use bytes::Bytes;
use serde::Serialize;

use super::answer::{Answer, json};
use crate::gateway::input::EventInput;
use crate::groupware::KnownEvent;

/// The catalogue as JSON.
static CATALOGUE: LazyLock<Bytes> = LazyLock::new(|| {
    #[derive(Serialize)]
    struct Catalogue {
        events: Vec<&'static KnownEvent>,
    }

    let events = KnownEvent::all().collect();
    to_json(&Catalogue { events })
});

/// Answers a request about events.
pub(in crate::gateway) fn answer(input: &EventInput) -> Answer {
    match input {
        EventInput::List => json(CATALOGUE.clone()),
        EventInput::Match(wanted) => json(to_json(&wanted.judge())),
    }
}

fn to_json(value: &impl Serialize) -> Bytes {
    let text = serde_json::to_vec(value);
    text.expect("strings always serialize").into()
}
