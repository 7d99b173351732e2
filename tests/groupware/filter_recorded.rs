//! Filters that were tried on real servers, compared with their evaluation here (docs/API.md, section 4.4).
//!
//! Each line of `tests/recordings/nextcloud*/filters*.jsonl` is a filter that was registered for an
//! event class, and the outcome of the next write that raised the event. Harmful filters are
//! refused. Harmless ones are accepted, except for those in `filters-refused.json`, each with the
//! reason. A filter matches an event like the one that was written exactly if it was delivered;
//! exceptions are in `filters-judged.json`.

use std::collections::{BTreeMap, BTreeSet};

use portreeve::groupware::{EventClasses, EventFilter, EventSample, JobLimit, MatchResult};
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
    /// Whether a delivery was queued; `None` if the filter was not registered.
    delivered: Option<bool>,
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
    let files = ["nextcloud/filters.jsonl", "nextcloud-34.0.1/filters-deck.jsonl"].map(read);
    let lines = files.iter().flat_map(|file| file.lines());
    lines.map(parsed).collect()
}

fn fault(event: &str, filter: &str) -> Option<String> {
    let shape = EventClasses::default().shape(event);
    let fault = EventFilter::parse(filter, shape).err();
    fault.map(|fault| fault.to_string())
}

/// The filters of a list, each with its event class.
fn listed(list: Refused) -> BTreeSet<(String, String)> {
    let events = list.into_values().flatten();
    let filters = events.flat_map(|(event, filters)| {
        let filters = filters.into_iter();
        filters.map(move |filter| (event.clone(), filter))
    });
    filters.collect()
}

/// An event like the one that was raised when the filters of its class were tried.
fn written(event: &str) -> String {
    let body = |name: &str| {
        let recorded: serde_json::Value = parsed(&read(name));
        recorded["request"]["body"].as_str().unwrap().to_owned()
    };
    // The filters that did not match show that the user had another name than in the deliveries.
    let body = |name: &str| body(name).replace("Alice Example", "Alice");
    match event.rsplit('\\').next().unwrap() {
        // The filters that matched show that it was a file with notes.
        "NodeCreatedEvent" => body("nextcloud/delivery-node-created-auth-none.json")
            .replace("hello.txt", "Notes\\/hello.md"),
        "CalendarObjectCreatedEvent" => {
            body("nextcloud-34.0.1/delivery-calendar-object-created.json")
        }
        "TagAssignedEvent" => body("nextcloud/delivery-tag-assigned.json"),
        // No delivery of it was recorded: a card of its owner, with a label, assigned to nobody.
        "CardUpdatedEvent" => r#"{
            "event": {"card": {
                "id": 1, "title": "test", "description": "", "stackId": 1, "type": "plain",
                "labels": [{"id": 1, "title": "Finished"}], "assignedUsers": [],
                "owner": {"primaryKey": "alice", "uid": "alice", "displayname": "Alice Example"},
                "order": 0, "archived": false, "notified": true, "deletedAt": 0
            }},
            "user": {"uid": "alice", "displayName": "Alice Example"}, "time": 1795295164
        }"#
        .to_owned(),
        other => panic!("no event of the class {other}"),
    }
}

#[test]
fn recorded_filters_have_the_outcome_that_they_had_on_the_server() {
    let lists: BTreeMap<String, Refused> = parsed(&read("nextcloud/filters-judged.json"));
    let mut excepted: BTreeMap<_, _> =
        lists.into_iter().map(|(column, list)| (column, listed(list))).collect();
    let mut right = BTreeMap::from([("harms", 0), ("delivered", 0)]);
    let mut wrong = Vec::new();
    for Tried { event, filter, harms, delivered, .. } in tried() {
        let sample =
            EventSample::parse(&written(&event), &event, EventClasses::default().shape(&event));
        // Without the refusals that protect other events of the class.
        let lenient = EventClasses::trusting(["any"]).shape("any");
        let found = EventFilter::parse(&filter, lenient)
            .map(|filter| sample.unwrap().judge(filter.as_ref(), JobLimit::Before34));
        let result = match &found {
            Ok(found) => found.result,
            Err(_) => MatchResult::Refused,
        };
        for (column, recorded, is_right) in [
            ("harms", harms, (result == MatchResult::Refused) == (harms != Some(false))),
            (
                "delivered",
                delivered,
                match delivered {
                    Some(true) => result == MatchResult::Matches,
                    // A failed write was not delivered either.
                    _ => matches!(result, MatchResult::DoesNotMatch | MatchResult::Refused),
                },
            ),
        ] {
            let listed = excepted.get_mut(column).unwrap();
            let is_listed = listed.remove(&(event.clone(), filter.clone()));
            *right.get_mut(column).unwrap() += usize::from(is_right);
            if is_right == is_listed {
                wrong.push(format!("{column} {recorded:?} {event} {filter}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (column, listed) in excepted {
        assert!(listed.is_empty(), "{column}: not recorded: {listed:?}");
    }
    let all = tried().len();
    println!("of {all} recorded outcomes: {right:?}");
    assert_eq!((all, right["harms"], right["delivered"]), (395, 385, 391));
}

#[test]
fn harmful_recorded_filters_are_refused_and_the_others_accepted() {
    let mut exceptions = listed(parsed(&read("nextcloud/filters-refused.json")));

    let mut wrong = Vec::new();
    for Tried { event, filter, registered, harms, .. } in tried() {
        let fault = fault(&event, &filter);
        // Only filters that are not objects are refused by the server itself.
        assert_eq!(registered == 500, harms.is_none(), "{filter}");
        let harmless = harms == Some(false);
        let excepted = harmless && exceptions.remove(&(event.clone(), filter.clone()));
        if fault.is_none() != (harmless && !excepted) {
            wrong.push(format!("{harms:?} {event} {filter}: {fault:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(exceptions.is_empty(), "not recorded as harmless: {exceptions:?}");
}
