//! The events that webhooks are for (docs/API.md, sections 4.7 and 4.8). Nobody is asked for them.

use std::sync::LazyLock;

use bytes::Bytes;
use serde::Serialize;

use super::answer::{Answer, json};
use crate::gateway::input::EventInput;
use crate::groupware::KnownEvent;

/// The catalogue as it is answered.
static CATALOGUE: LazyLock<Bytes> = LazyLock::new(|| {
    #[derive(Serialize)]
    struct Catalogue {
        events: Vec<KnownEvent>,
    }

    let events = KnownEvent::all().collect();
    written(&Catalogue { events })
});

/// What is asked about events.
pub(in crate::gateway) fn answer(input: &EventInput) -> Answer {
    match input {
        EventInput::List => json(CATALOGUE.clone()),
        EventInput::Match(wanted) => json(written(&wanted.judge())),
    }
}

fn written(value: &impl Serialize) -> Bytes {
    let text = serde_json::to_vec(value);
    text.expect("strings always serialize").into()
}
