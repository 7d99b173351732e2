//! What filters did at real servers, and what becomes of them here (docs/API.md, section 4.4).
//!
//! Each line of `tests/recordings/nextcloud*/filters*.jsonl` is a filter that was registered for an
//! event class, and what became of the next write that raised the event. Those that harmed are
//! refused. Those that did not are accepted, except for those in `filters-refused.json`, each with
//! the reason.

use std::collections::{BTreeMap, BTreeSet};

use portreeve::groupware::{EventClasses, EventFilter};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// One filter at one event.
#[derive(Deserialize)]
struct Tried {
    event: String,
    filter: String,
    /// The status of the registration.
    registered: u16,
    /// Whether the write failed or was lost; `None` if the filter was not registered.
    harms: Option<bool>,
}

/// Filters that are refused although the recorded write went well: by reason, then by event class.
type Refused = BTreeMap<String, BTreeMap<String, Vec<String>>>;

fn read(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings");
    std::fs::read_to_string(format!("{folder}/{name}")).unwrap()
}

fn parsed<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap()
}

fn tried() -> Vec<Tried> {
    let files = [
        "nextcloud/filters.jsonl",
        "nextcloud-34.0.1/filters-deck.jsonl",
    ]
    .map(read);
    let lines = files.iter().flat_map(|file| file.lines());
    lines.map(parsed).collect()
}

fn fault(event: &str, filter: &str) -> Option<String> {
    let shape = EventClasses::default().shape(event);
    let fault = EventFilter::parse(filter, shape).err();
    fault.map(|fault| fault.to_string())
}

#[test]
fn filters_that_harmed_are_refused_and_the_others_accepted() {
    let refused: Refused = parsed(&read("nextcloud/filters-refused.json"));
    let mut exceptions = BTreeSet::new();
    for events in refused.values() {
        for (event, filters) in events {
            exceptions.extend(filters.iter().map(|filter| (event.clone(), filter.clone())));
        }
    }

    let mut wrong = Vec::new();
    for Tried {
        event,
        filter,
        registered,
        harms,
    } in tried()
    {
        let fault = fault(&event, &filter);
        // What the server itself does not register is not an object.
        assert_eq!(registered == 500, harms.is_none(), "{filter}");
        let harmless = harms == Some(false);
        let excepted = harmless && exceptions.remove(&(event.clone(), filter.clone()));
        if fault.is_none() != (harmless && !excepted) {
            wrong.push(format!("{harms:?} {event} {filter}: {fault:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        exceptions.is_empty(),
        "not recorded as harmless: {exceptions:?}"
    );
}
