//! Event filters: what is accepted is passed on as it was written, the more is known of an event, the
//! more is accepted, and what is accepted for a class fails on no event of it.
//!
//! The input is a filter, and behind a NUL bytes by which events are made up; without them, the
//! bytes of the filter are taken.
//!
//! The module is compiled into this target as it stands, which leaves the rest of the gateway, its
//! TLS above all, out of the sanitizer's build.

use serde_json::{Value, json};

use self::filter::{
    EventClasses, EventFilter, EventMatch, EventSample, EventShape, JobLimit, KnownEvent,
    MatchResult,
};

#[allow(dead_code, unused_imports)]
#[path = "../../src/groupware/filter/mod.rs"]
mod filter;

const UNKNOWN: &str = r"OCA\Approval\Events\ApprovedEvent";

const KNOWN: &[&str] = &[
    r"OCP\Files\Events\Node\NodeCreatedEvent",
    r"OCP\Files\Events\Node\NodeRenamedEvent",
    r"OCP\Calendar\Events\CalendarObjectCreatedEvent",
    r"OCP\Calendar\Events\CalendarObjectMovedEvent",
    r"OCP\SystemTag\TagAssignedEvent",
    r"OCP\SystemTag\MapperEvent",
    r"OCA\Deck\Event\CardUpdatedEvent",
];

const TEXTS: &[&str] = &["", "0", "1", "x", "/x/", "alice", "5a", "x\n", "\u{fc}", "1e3"];

pub(crate) fn run(data: &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == 0);
    let Some(Ok(json)) = parts.next().map(std::str::from_utf8) else {
        return;
    };
    let choices = parts.next().unwrap_or(json.as_bytes());
    let classes = EventClasses::default();
    let trusting = EventClasses::trusting([UNKNOWN]);
    let unknown = accepted(json, classes.shape(UNKNOWN)).is_some();
    let trusted = accepted(json, trusting.shape(UNKNOWN));
    for class in KNOWN {
        let shape = classes.shape(class);
        let known = accepted(json, shape);
        assert!(known.is_some() || !unknown, "{class}");
        assert!(trusted.is_some() || known.is_none(), "{class}");
        if let Some(filter) = known {
            let event = KnownEvent::find(class).unwrap();
            let sample = made_up(event, &mut choices.iter().copied().cycle()).to_string();
            let found = judged(&sample, class, shape, filter.as_ref());
            assert_ne!(found.result, MatchResult::Refused, "{class} {sample}: {found:?}");
        }
    }
    // Anything can be in the event of a class that is not known.
    if let (Some(filter), Ok(value)) = (trusted, serde_json::from_str::<Value>(json)) {
        let sample = json!({"event": {"v": value, "w": [value]}, "time": 1}).to_string();
        judged(&sample, UNKNOWN, trusting.shape(UNKNOWN), filter.as_ref());
    }
}

/// The filter, `None` in it if it stands for none; `None` if it is refused.
fn accepted(json: &str, shape: EventShape) -> Option<Option<EventFilter>> {
    match EventFilter::parse(json, shape) {
        Ok(None) => Some(None),
        Ok(Some(filter)) => {
            assert_eq!(filter.as_str(), json.trim_ascii());
            assert_eq!(serde_json::to_string(&filter).unwrap(), filter.as_str());
            let again = EventFilter::parse(filter.as_str(), shape).unwrap();
            assert_eq!(again.unwrap().as_str(), filter.as_str());
            Some(Some(filter))
        }
        Err(fault) => {
            assert!(fault.path.chars().count() <= 200);
            assert!(!fault.to_string().chars().any(char::is_control));
            None
        }
    }
}

fn judged(
    sample: &str,
    class: &str,
    shape: EventShape,
    filter: Option<&EventFilter>,
) -> EventMatch {
    let sample = EventSample::parse(sample, class, shape).unwrap();
    let found = sample.judge(filter, JobLimit::default());
    assert!(found.reason.chars().count() < 4_000, "{}", found.reason);
    assert!(found.at.chars().count() <= 200);
    assert!(!found.reason.chars().any(char::is_control), "{:?}", found.reason);
    found
}

/// An event as the fields of its class say.
fn made_up(event: &KnownEvent, choices: &mut impl Iterator<Item = u8>) -> Value {
    let mut whole = json!({"event": {}});
    let fields = &event.fields;
    for field in fields {
        let prefix = format!("{}.", field.path);
        if fields.iter().any(|other| other.path.starts_with(&prefix)) {
            continue;
        }
        let mut choice = || usize::from(choices.next().unwrap_or_default());
        match choice() % 8 {
            0 if !field.always => continue,
            1 if !field.always => {
                put(&mut whole, &field.path, Value::Null);
                continue;
            }
            _ => {}
        }
        let mut plain = || match choice() % 16 {
            at @ 0..10 => json!(TEXTS[at]),
            number => json!(number as i64 - 12),
        };
        let value = match field.kind {
            "string" => plain().as_str().map_or(json!("x"), Value::from),
            "integer" => plain().as_i64().map_or(json!(7), Value::from),
            "boolean" => json!(plain().is_string()),
            "string or integer" => plain(),
            "object" => json!([]),
            "string or object" if plain().is_string() => json!("alice"),
            "string or object" => json!({"uid": "alice"}),
            "list of strings or integers" => json!([plain(), plain()]),
            "list of objects" => json!([{"a": plain()}]),
            other => panic!("no type {other}"),
        };
        put(&mut whole, &field.path, value);
    }
    whole["event"]["class"] = json!(event.class);
    whole
}

fn put(whole: &mut Value, path: &str, value: Value) {
    // A name of the calendar is in braces and can have dots.
    let (outer, name) = match path.find('{') {
        Some(at) => (&path[..at - 1], &path[at..]),
        None => path.rsplit_once('.').unwrap_or(("", path)),
    };
    let mut place = whole;
    for part in outer.split('.').filter(|part| !part.is_empty()) {
        place = &mut place[part];
    }
    place[name] = value;
}
