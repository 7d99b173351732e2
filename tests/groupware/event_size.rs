//! Events that pass a bounding filter fit into the server's job queue (docs/API.md, section 4.9): an
//! adversary makes events as large as a filter allows, and they are measured as PHP writes them.

use std::collections::BTreeSet;

use portreeve::groupware::{
    EventClasses, EventFilter, EventSample, EventShape, JobLimit, KnownEvent, MatchResult,
};
use serde_json::{Value, json};

use crate::filter_shapes::shape;
use crate::support::nextcloud::{RecordedDelivery, Release};

/// Characters that take 1, 2, 6, 6 and 12 in JSON, of 1, 1, 2, 1 and 4 bytes.
const LETTERS: [&str; 5] = ["a", "/", "я", "\u{1}", "\u{1f600}"];
/// The most of them that are tried.
const LONGEST: usize = 12_000;

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
        for filter in class.bounding_filters() {
            patterns(&json!(filter.event_filter), &mut used);
        }
    }
    let known: BTreeSet<_> = recorded.iter().map(|row| row.0.clone()).collect();
    let unknown: Vec<_> = used.difference(&known).collect();
    assert!(
        unknown.is_empty(),
        "record these:\n{}",
        unknown
            .into_iter()
            .fold(String::new(), |all, it| all + it + "\n")
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

/// A sequence of numbers that is the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Makes one event as large as a filter lets it be.
struct Adversary<'f> {
    class: &'static str,
    shape: EventShape,
    filter: &'f EventFilter,
    numbers: Numbers,
}

impl Adversary<'_> {
    fn passes(&self, event: &Value) -> bool {
        let sample = EventSample::parse(&event.to_string(), self.class, self.shape).unwrap();
        // The size is to be bounded by the filter alone.
        let matches = sample.judge(Some(self.filter), JobLimit::From34);
        match matches.result {
            MatchResult::Matches => true,
            MatchResult::DoesNotMatch => false,
            MatchResult::Refused if matches.reason.starts_with("the delivery takes") => true,
            _ => panic!("{}: {matches:?}", self.class),
        }
    }

    /// The largest number up to `most` with which `event` still passes.
    fn largest(&self, most: usize, event: impl Fn(usize) -> Value) -> usize {
        let (mut passes, mut fails) = (0, most + 1);
        while fails - passes > 1 {
            let middle = passes.midpoint(fails);
            match self.passes(&event(middle)) {
                true => passes = middle,
                false => fails = middle,
            }
        }
        passes
    }

    /// Replaces the text at `pointer` by one that is as large as possible: of several kinds of letters, each as many
    /// as pass, or fewer.
    fn fill(&mut self, event: &mut Value, pointer: &str) {
        let first = event.pointer(pointer).cloned().unwrap_or_default();
        let with = |event: &Value, text: &str| {
            let mut event = event.clone();
            *event.pointer_mut(pointer).unwrap() = text.into();
            event
        };
        let mut best = event.clone();
        for _ in 0..4 {
            // Some texts need their original prefix to pass, as a principal does.
            let mut text = match self.numbers.below(2) {
                0 => String::new(),
                _ => first.as_str().unwrap_or_default().to_owned(),
            };
            if !self.passes(&with(event, &text)) {
                text = first.as_str().unwrap_or_default().to_owned();
            }
            for _ in 0..LETTERS.len() {
                let letter = LETTERS[self.numbers.below(LETTERS.len())];
                let count = self.largest(LONGEST, |count| {
                    with(event, &(text.clone() + &letter.repeat(count)))
                });
                let count = match self.numbers.below(3) {
                    0 => count / 3,
                    _ => count,
                };
                text += &letter.repeat(count);
            }
            let filled = with(event, &text);
            if self.passes(&filled) && job(&filled).len() > job(&best).len() {
                best = filled;
            }
        }
        *event = best;
    }

    /// Repeats the one element of the list at `pointer` as often as possible.
    fn repeat(&mut self, event: &mut Value, pointer: &str, element: &Value) {
        let of = |count: usize| {
            let mut event = event.clone();
            *event.pointer_mut(pointer).unwrap() = vec![element.clone(); count].into();
            event
        };
        let count = self.largest(2_000, of);
        *event = of(count);
    }
}

/// The pointers to the texts and nulls in `value`, and those to its lists.
fn leaves(value: &Value, at: &str, texts: &mut Vec<String>, lists: &mut Vec<String>) {
    match value {
        Value::String(_) | Value::Null => texts.push(at.to_owned()),
        Value::Array(items) if items.is_empty() => lists.push(at.to_owned()),
        Value::Array(items) => {
            lists.push(at.to_owned());
            for (place, item) in items.iter().enumerate() {
                leaves(item, &format!("{at}/{place}"), texts, lists);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                leaves(member, &format!("{at}/{name}"), texts, lists);
            }
        }
        _ => {}
    }
}

/// The pointer to the value at a path of the catalogue, whose names may have dots.
fn pointer_of(value: &Value, path: &str) -> String {
    let Value::Object(members) = value else {
        return String::new();
    };
    for (name, member) in members {
        let escaped = name.replace('~', "~0").replace('/', "~1");
        match path.strip_prefix(name.as_str()) {
            Some("") => return format!("/{escaped}"),
            Some(rest) if rest.starts_with('.') => {
                return format!("/{escaped}{}", pointer_of(member, &rest[1..]));
            }
            _ => {}
        }
    }
    String::from("/none")
}

/// An element of a list of the server, with the name of the sharee.
fn element(pointer: &str, name: &str) -> Value {
    if pointer.ends_with("hares") {
        let principal = format!("principals/users/{name}");
        return json!({
            "href": format!("principal:{principal}"), "commonName": name, "status": 1, "readOnly": false,
            "{http://owncloud.org/ns}principal": principal, "{http://owncloud.org/ns}group-share": false,
        });
    }
    json!("9223372036854775807")
}

/// Values that the server generates or bounds, so that an adversary cannot choose them, and those that a filter
/// cannot reach.
fn is_set_by_the_server(pointer: &str) -> bool {
    let names = [
        "class",
        "etag",
        "component",
        "getctag",
        "calendar-color",
        "owner-displayname",
        "deleted-at",
        "default-alarm",
        "calendar-order",
        "sync-token",
        "scheduleTime",
        "deleteTime",
        "sendAt",
        "deleted_at",
        "component-set",
        "schedule-calendar-transp",
        "/shares/",
        "Shares/",
        "Ids/",
    ];
    names.iter().any(|name| pointer.contains(name))
}

fn largest_event(class: &KnownEvent, filter: &EventFilter, seed: u64) -> Value {
    let mut adversary = Adversary {
        class: class.class,
        shape: shape(class.class),
        filter,
        numbers: Numbers(seed),
    };
    let mut event: Value = serde_json::from_str(&class.example()).unwrap();
    assert!(adversary.passes(&event), "{}: {event}", class.class);
    let (mut texts, mut lists) = (Vec::new(), Vec::new());
    leaves(&event, "", &mut texts, &mut lists);
    lists.retain(|pointer| !is_set_by_the_server(pointer));
    texts.retain(|pointer| !is_set_by_the_server(pointer));
    while !texts.is_empty() {
        let at = adversary.numbers.below(texts.len());
        let pointer = texts.swap_remove(at);
        adversary.fill(&mut event, &pointer);
    }
    for pointer in lists {
        let longest = (0..200).rev().find(|length| {
            let mut with = event.clone();
            *with.pointer_mut(&pointer).unwrap() =
                vec![element(&pointer, &"x".repeat(*length))].into();
            adversary.passes(&with)
        });
        if let Some(length) = longest {
            adversary.repeat(
                &mut event,
                &pointer,
                &element(&pointer, &"x".repeat(length)),
            );
        }
    }
    for field in class.fields() {
        let number = match field.kind {
            "integer" => json!(i64::MIN),
            "string or integer" => json!("99999999999"),
            _ => continue,
        };
        if let Some(value) = event.pointer_mut(&pointer_of(&event.clone(), &field.path)) {
            *value = number;
        }
    }
    for (name, value) in [
        ("{http://nextcloud.com/ns}owner-displayname", "я".repeat(64)),
        ("{http://apple.com/ns/ical/}calendar-color", "x".repeat(64)),
    ] {
        for calendar in ["calendarData", "sourceCalendarData", "targetCalendarData"] {
            if let Some(calendar) = event["event"].get_mut(calendar) {
                calendar[name] = value.clone().into();
            }
        }
    }
    assert!(adversary.passes(&event), "{event}");
    event
}

#[test]
fn api_4_9_computed_sizes_are_those_of_recorded_deliveries() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/nextcloud");
    let mut seen = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().file_name().into_string().unwrap();
        let Some(name) = file
            .strip_suffix(".json")
            .filter(|name| name.starts_with("delivery-"))
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
fn api_4_9_no_event_that_passes_a_bounding_filter_is_too_large() {
    let mut filters = BTreeSet::new();
    for class in KnownEvent::all() {
        let shape = shape(class.class);
        for limit in JobLimit::ALL {
            assert!(
                shape.unbounded(None, limit).is_some(),
                "{}: nothing bounds it",
                class.class
            );
            let Some(filter) = shape.bounding_filter(limit) else {
                continue;
            };
            let unbounded = shape.unbounded(Some(&filter), limit);
            assert!(
                unbounded.is_none(),
                "{}: {}",
                class.class,
                unbounded.unwrap()
            );
            if !filters.insert((filter.as_str().to_owned(), limit.characters())) {
                continue;
            }
            let mut largest = 0;
            for seed in 0..3 {
                let event = largest_event(class, &filter, seed);
                let size = job(&event).len();
                assert!(
                    size <= limit.characters(),
                    "{}: {size}: {event:.2000}",
                    class.class
                );
                largest = largest.max(size);
            }
            // Shows whether the filter is stricter than necessary.
            println!("{} {limit:?}: {largest}", class.class);
        }
    }
    assert!(filters.len() > 10, "{}", filters.len());
}
