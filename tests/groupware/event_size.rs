//! The size of an event in the server's job queue, measured as PHP writes it, and what the bounding patterns match
//! there (docs/API.md, section 4.9). That no event that passes a bounding filter is too large: `bounding`.

use std::collections::BTreeSet;

use portreeve::groupware::{
    EventClasses, EventFilter, EventSample, JobLimit, KnownEvent, MatchResult,
};
use serde_json::{Value, json};

use crate::filter_shapes::shape;
use crate::support::nextcloud::{RecordedDelivery, Release};

/// The JSON of PHP's `json_encode`, as the server calls it.
pub(crate) fn php_json(value: &Value) -> String {
    let mut json = String::new();
    for unit in value.to_string().replace('/', r"\/").encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => json.push(byte.into()),
            _ => json += &format!("\\u{unit:04x}"),
        }
    }
    json
}

/// The argument of the job that the server queues.
fn job(event: &Value) -> String {
    php_json(&json!([event, u64::MAX, "0123456789"]))
}

/// The patterns in a filter.
fn patterns(filter: &Value, found: &mut BTreeSet<String>) {
    match filter {
        Value::String(text) if text.starts_with('/') => drop(found.insert(text.clone())),
        Value::Array(items) => items.iter().for_each(|item| patterns(item, found)),
        Value::Object(members) => members.values().for_each(|member| patterns(member, found)),
        _ => {}
    }
}

/// The matches of the bounding patterns in a real PHP (`data/php/README.md`).
#[test]
fn api_4_9_the_bounding_patterns_match_as_in_php() {
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/php/patterns.json");
    let recorded = std::fs::read_to_string(recorded).unwrap();
    type Outcomes = Vec<(String, usize, u8)>;

    let recorded: Vec<(String, Outcomes)> = serde_json::from_str(&recorded).unwrap();
    let mut used = BTreeSet::new();
    for class in KnownEvent::all() {
        for filter in &class.bounding_filters {
            patterns(&json!(filter.event_filter), &mut used);
        }
    }
    let known: BTreeSet<_> = recorded.iter().map(|row| row.0.clone()).collect();
    let unknown: Vec<_> = used.difference(&known).collect();
    assert!(
        unknown.is_empty(),
        "record these:\n{}",
        unknown.into_iter().fold(String::new(), |all, it| all + it + "\n")
    );
    let any = EventClasses::trusting(["any"]).shape("any");
    for (pattern, texts) in recorded {
        let filter = json!({"event.v": pattern}).to_string();
        let filter = EventFilter::parse(&filter, any).unwrap();
        for (letter, length, expected) in texts {
            let mut text = letter.repeat(length / letter.len());
            text += &"a".repeat(length - text.len());
            let event = json!({"event": {"v": text}, "user": null, "time": 1}).to_string();
            let found = EventSample::parse(&event, "any", any).unwrap();
            let found = found.judge(filter.as_ref(), JobLimit::From34);
            let matches = match found.result {
                MatchResult::DoesNotMatch => 0,
                MatchResult::Matches => 1,
                MatchResult::Refused if found.reason.starts_with("the delivery takes") => 1,
                _ => panic!("{pattern} {length} {letter:?}: {found:?}"),
            };
            assert_eq!(matches, expected, "{pattern} {length} {letter:?}");
        }
    }
}

#[test]
fn api_4_9_computed_sizes_are_those_of_recorded_deliveries() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/nextcloud");
    let mut seen = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".json").filter(|name| name.starts_with("delivery-"))
        else {
            continue;
        };
        let body = RecordedDelivery::of(Release::V32, name).request.body;
        let event: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(php_json(&event).len(), body.len(), "{name}");
        let class = event["event"]["class"].as_str().unwrap();
        let sample = EventSample::parse(&body, class, shape(class)).unwrap();
        assert_eq!(sample.job_size(), job(&event).len(), "{name}");
        seen += 1;
    }
    assert!(seen >= 20, "{seen}");
}

#[test]
fn api_4_9_nothing_but_its_bounding_filter_bounds_an_event() {
    for class in KnownEvent::all() {
        let shape = shape(class.class);
        for &limit in JobLimit::ALL {
            assert!(shape.unbounded(None, limit).is_some(), "{}", class.class);
            if let Some(filter) = shape.bounding_filter(limit) {
                let unbounded = shape.unbounded(Some(&filter), limit);
                assert!(unbounded.is_none(), "{}", class.class);
            }
        }
    }
}
