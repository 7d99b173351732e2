//! The catalogue of events, compared with recorded deliveries (docs/API.md, section 4.7).

use std::collections::{BTreeMap, BTreeSet};

use portreeve::groupware::{
    EventClasses, EventField, EventSample, JobLimit, KnownEvent, MatchResult,
};
use serde_json::Value;

/// The events of all recorded deliveries.
fn delivered() -> Vec<Value> {
    let mut events = Vec::new();
    for release in ["nextcloud", "nextcloud-34.0.1"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings");
        for file in std::fs::read_dir(format!("{folder}/{release}")).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if name.starts_with("delivery-") {
                let text = std::fs::read_to_string(&path).unwrap();
                let recorded: Value = serde_json::from_str(&text).unwrap();
                let body = recorded["request"]["body"].as_str().unwrap();
                events.push(serde_json::from_str(body).unwrap());
            }
        }
    }
    events
}

fn class(event: &Value) -> &'static KnownEvent {
    let class = event["event"]["class"].as_str().unwrap();
    KnownEvent::find(class).unwrap_or_else(|| panic!("{class} is not known"))
}

/// Calls `found` with the path and the value of each member of `value` that is not an element of a
/// list.
fn walk(outer: &str, value: &Value, found: &mut impl FnMut(&str, &Value)) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let path = match outer {
            "" => name.clone(),
            outer => format!("{outer}.{name}"),
        };
        // This is added to a delivery after the filter was applied.
        if path != "authentication" {
            found(&path, value);
            walk(&path, value, found);
        }
    }
}

fn is_of(field: &EventField, value: &Value) -> bool {
    let is_plain = |value: &Value| value.is_string() || value.is_i64();
    match field.kind {
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        "boolean" => value.is_boolean(),
        "string or integer" => is_plain(value),
        // An empty one looks like a list in PHP's JSON.
        "object" => value.is_object() || value == &Value::Array(Vec::new()),
        "string or object" => value.is_string() || value.is_object(),
        "list of strings or integers" => {
            let list = value.as_array();
            list.is_some_and(|list| list.iter().all(is_plain))
        }
        "anything" => true,
        "list of objects" => {
            let list = value.as_array();
            list.is_some_and(|list| list.iter().all(Value::is_object))
        }
        other => panic!("no type {other}"),
    }
}

#[test]
fn api_4_7_each_field_of_each_recorded_delivery_is_in_the_catalogue() {
    for event in delivered() {
        let class = class(&event);
        assert!(class.recorded, "{}", class.class);
        let fields = &class.fields;
        walk("", &event, &mut |path, value| {
            let field = fields.iter().find(|field| field.path == path);
            let field = field.unwrap_or_else(|| panic!("{}: {path}", class.class));
            match value.is_null() {
                true => assert!(!field.always, "{}: {path} is null", class.class),
                false => assert!(is_of(field, value), "{}: {path}: {value}", class.class),
            }
        });
        for field in fields.iter().filter(|field| field.always) {
            let mut is_there = false;
            walk("", &event, &mut |path, _| is_there |= path == field.path);
            assert!(is_there || event["user"].is_null(), "{}: {}", class.class, field.path);
        }
    }
}

#[test]
fn api_4_7_each_field_of_the_catalogue_was_recorded() {
    let mut recorded: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for event in delivered() {
        let paths = recorded.entry(class(&event).class).or_default();
        walk("", &event, &mut |path, _| {
            paths.insert(path.to_owned());
        });
    }
    let classes = KnownEvent::all().filter(|event| event.recorded);
    let mut without_newer = 0;
    for event in classes {
        let paths = &recorded[event.class];
        for field in &event.fields {
            // Recorded for only one class, at a newer server.
            if field.about.ends_with("Newer servers have it.") {
                without_newer += 1;
                continue;
            }
            assert!(paths.contains(&field.path), "{}: {}", event.class, field.path);
        }
    }
    assert_eq!(recorded.len(), KnownEvent::all().filter(|it| it.recorded).count());
    assert_eq!(without_newer, 2 * 7);
    let newer = &recorded[r"OCP\Calendar\Events\CalendarObjectCreatedEvent"];
    for name in ["part", "full"] {
        let path =
            format!("event.calendarData.{{http://nextcloud.com/ns}}default-alarm-{name}-day");
        assert!(newer.contains(&path), "{path}");
    }
}

#[test]
fn api_4_7_each_example_is_an_event_of_its_class() {
    let mut classes = BTreeSet::new();
    for event in KnownEvent::all() {
        let class = event.class;
        assert!(classes.insert(class), "{class} is there twice");
        let example: Value = serde_json::from_str(&event.example()).unwrap();
        assert_eq!(example["event"]["class"], class);
        let fields = &event.fields;
        let mut paths = BTreeSet::new();
        walk("", &example, &mut |path, value| {
            if let Some(field) = fields.iter().find(|field| field.path == path) {
                paths.insert(path.to_owned());
                assert!(value.is_null() || is_of(field, value), "{class}: {path}");
            }
        });
        assert_eq!(paths.len(), fields.len(), "{class}");
        let shape = EventClasses::default().shape(class);
        let sample = EventSample::parse(&event.example(), class, shape).unwrap();
        assert_eq!(sample.judge(None, JobLimit::Before34).result, MatchResult::Matches);
        // Descriptions are sentences.
        let about = fields.iter().map(|field| field.about);
        let said = about.chain([event.fires]).chain(event.known_problems.iter().copied());
        for sentence in said {
            let is_sentence = sentence.ends_with('.') && !sentence.contains("  ");
            assert!(is_sentence, "{class}: {sentence}");
        }
    }
}

#[test]
fn a_class_is_found_by_the_last_part_of_its_name() {
    let class = r"OCP\Files\Events\Node\NodeCreatedEvent";
    for name in
        [class, r"\OCP\Files\Events\Node\NodeCreatedEvent", "NodeCreatedEvent", "nodecreatedevent"]
    {
        assert_eq!(KnownEvent::named(name).unwrap().class, class, "{name}");
    }
    for name in ["", "Event", "NodeCreated", r"Node\NodeCreatedEvent"] {
        assert!(KnownEvent::named(name).is_none(), "{name}");
    }
    assert!(KnownEvent::find("NodeCreatedEvent").is_none());
}
