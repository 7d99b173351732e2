//! Event filters are checked against the shape of the events (docs/API.md, section 4.4).

use portreeve::groupware::{EventClasses, EventFilter, EventShape};
use proptest::prelude::*;

pub(crate) const FILE: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";
pub(crate) const CALENDAR: &str = r"OCP\Calendar\Events\CalendarObjectUpdatedEvent";
pub(crate) const MOVED: &str = r"OCP\Calendar\Events\CalendarObjectMovedEvent";
pub(crate) const TAG: &str = r"OCP\SystemTag\TagAssignedEvent";
pub(crate) const CARD: &str = r"OCA\Deck\Event\CardUpdatedEvent";
pub(crate) const UNKNOWN: &str = r"OCA\Approval\Events\ApprovedEvent";

const HOLDS: &str = "is refused, as the value can hold objects at the server";

pub(crate) fn shape(event: &str) -> EventShape {
    EventClasses::default().shape(event)
}

pub(crate) fn fault_at(event: &str, json: &str) -> Option<String> {
    let fault = EventFilter::parse(json, shape(event)).err();
    fault.map(|fault| fault.to_string())
}

const SET: &str = "{urn:ietf:params:xml:ns:caldav}supported-calendar-component-set";

/// By class: a property, a condition on it, and why that is refused.
const CHECKED: &str = r#"FILE
    event.node.path | "/^\\/alice/"
    event.node.path | {"$mod":[2,0]} | is refused, as it fails on what is not a number
    event.node | {"$in":["x"]}
    event.calendarData | {"$in":["x"]}
    event.tagIds.0 | "x"
    user.uid | {"$mod":[2,0]} | is refused, as it fails on what is not a number
    user | {"$mod":[2,0]} | is refused, as it fails on what is not a number
CALENDAR
    event.calendarData.uri | "/^work/"
    event.calendarData.{DAV:}displayname | "/Work/"
    event.calendarData.of-an-app | "/x/"
    event.objectData.component | "/vevent/i"
    event.calendarData | "/x/"
    event.calendarData | {"$in":[]}
    event.calendarData | {"$in":["x"]} | is refused, as the value can hold objects at the server
    event.calendarData | {"$nin":["x"]} | is refused, as the value can hold objects at the server
    event.calendarData | {"$all":["x"]} | is refused, as the value can hold objects at the server
    event.shares | {"$in":["x"]}
    event.shares.href | "/x/"
    event.calendarData.<set> | "/x/" | must not be a pattern, as the value can be an object at the server
    event.calendarData.<set> | "/x/\n" | must not be a pattern, as the value can be an object at the server
    event.calendarData.<set> | {"$ne":"/x/"} | must not be a pattern, as the value can be an object at the server
    event.calendarData.<set> | "/x/1"
    event.calendarData.<set> | {"$in":["/x/"]}
    event.calendarData.<set> | {"$gt":5}
    event.calendarData.<set>.value | 5 | must not lead below an object
    event.calendarData.<set>. | {"$exists":true} | must not lead below an object
MOVED
    event.sourceCalendarData | {"$in":["x"]} | is refused, as the value can hold objects at the server
    event.targetCalendarData | {"$in":["x"]} | is refused, as the value can hold objects at the server
    event.calendarData | {"$in":["x"]}
TAG
    event.tagIds | {"$in":["1"]}
    event.tagIds.0 | 1 | must not lead below a list of texts
    event.objectIds. | 1 | must not lead below a list of texts
CARD
    event.card.title | "/x/"
    event.card.owner | "alice"
    event.card.owner | "/x/" | must not be a pattern, as the value can be an object at the server
    event.card.owner.uid | "alice" | must not lead below an object
    event.card.labels | {"$in":["x"]}
    event.card.labels.title | 1 | must not lead below a list of objects
    event.card | {"$in":["x"]} | is refused, as the value can hold objects at the server
    event.card.later | "x"
    event.card.later | "/x/" | must not be a pattern: what the event holds here is not known"#;

#[test]
fn api_4_4_filters_are_checked_against_the_contents_of_the_event() {
    let mut event = "";
    for row in CHECKED.lines() {
        let Some(row) = row.strip_prefix("    ") else {
            event = match row {
                "FILE" => FILE,
                "CALENDAR" => CALENDAR,
                "MOVED" => MOVED,
                "TAG" => TAG,
                _ => CARD,
            };
            continue;
        };
        let row = row.replace("<set>", SET);
        let mut columns = row.split(" | ");
        let (property, condition) = (columns.next().unwrap(), columns.next().unwrap());
        let reason = columns.next();
        for (before, after) in [
            ("", ""),
            (r#""$or":["#, "]"),
            (r#""$nor":[{"user.uid":"bob"},"#, "]"),
            (r#""$and":{"user.uid":"bob","$not":"#, "}"),
        ] {
            let inner = format!(r#""{property}":{condition}"#);
            let json = match before {
                "" => format!("{{{inner}}}"),
                _ => format!("{{{before}{{{inner}}}{after}}}"),
            };
            // A leading backslash is not part of the name.
            for event in [event.to_owned(), format!(r"\{event}")] {
                let fault = fault_at(&event, &json);
                assert_eq!(fault.is_some(), reason.is_some(), "{event} {json}: {fault:?}");
                if let (Some(fault), Some(reason)) = (fault, reason) {
                    assert!(fault.contains(property), "{json}: {fault}");
                    assert!(fault.ends_with(reason), "{json}: {fault}");
                }
            }
        }
    }
}

#[test]
fn api_4_4_for_an_unknown_event_only_filters_that_harm_none_are_accepted() {
    let trusting = EventClasses::trusting([FILE, &format!(r"\{UNKNOWN}"), CALENDAR]);
    for (condition, is_accepted) in [
        (r#""user.uid":"/^a/""#, true),
        (r#""time":{"$mod":[2,0]}"#, true),
        (r#""event.class":"/Form/""#, true),
        (r#""event.form":"x""#, true),
        (r#""event.form":{"$ne":null,"$gt":1,"$exists":true,"$in":[]}"#, true),
        (r#""else":"/x/""#, true),
        (r#""event":"/x/""#, true),
        (r#""event.form":"/x/""#, false),
        (r#""event.form":{"$ne":"/x/"}"#, false),
        (r#""event.form":{"$in":["x"]}"#, false),
        (r#""event.form":{"$mod":[2,0]}"#, false),
        (r#""event.form.title":"x""#, false),
        (r#""event.form.title":{"$exists":false}"#, false),
        (r#""event.node.path":"/x/""#, false),
        (r#""event":{"$in":["x"]}"#, false),
    ] {
        let json = format!("{{{condition}}}");
        // Class names are compared case-sensitively, as the server does.
        for event in [UNKNOWN, "e", "", &FILE.to_lowercase()] {
            let fault = fault_at(event, &json);
            assert_eq!(fault.is_none(), is_accepted, "{event} {json}: {fault:?}");
            if let Some(fault) = fault {
                let (fault, advice) = fault.split_once(". ").unwrap();
                assert!(advice.contains("trusted_event_classes (docs/API.md"), "{advice}");
                let unknown = fault.ends_with("what the event holds here is not known");
                assert!(unknown || fault.ends_with(HOLDS), "{json}: {fault}");
            }
        }
        let trusted = EventFilter::parse(&json, trusting.shape(UNKNOWN));
        assert!(trusted.is_ok(), "{json}: {trusted:?}");
    }
    // This makes no difference for a known class.
    let known =
        EventFilter::parse(r#"{"event.calendarData":{"$in":["x"]}}"#, trusting.shape(CALENDAR));
    assert!(known.is_err());
}

#[test]
fn api_4_4_a_condition_is_checked_wherever_it_stands() {
    let harmful = r#""event.calendarData":{"$in":["x"]}"#;
    for before in [
        // Before the first of these, the event has no node, so that the server does not evaluate the rest.
        r#""event.node.path":"/x/","#,
        r#""$or":[{"event.node.path":"/x/"},{"$nor":[{}]}],"#,
        r#""user.uid":"alice","#,
        "",
    ] {
        let json = format!("{{{before}{harmful}}}");
        assert!(fault_at(CALENDAR, &json).is_some(), "{json}");
    }
    // Of a repeated key the last value counts.
    for (first, last, is_refused) in
        [("1", r#"{"$in":["x"]}"#, true), (r#"{"$in":["x"]}"#, "1", false)]
    {
        let json = format!(r#"{{"event.calendarData":{first},"event.calendarData":{last}}}"#);
        assert_eq!(fault_at(CALENDAR, &json).is_some(), is_refused, "{json}");
    }
}

proptest! {
    /// A filter that is harmless on unknown events is harmless on those of each class, and on trusted ones.
    #[test]
    fn knowing_less_about_a_class_accepts_fewer_filters(json in filter()) {
        let refused = |shape| EventFilter::parse(&json, shape).is_err();
        let trusted = EventClasses::trusting([UNKNOWN]).shape(UNKNOWN);
        for event in [FILE, CALENDAR, MOVED, TAG, CARD] {
            prop_assert!(!refused(shape(event)) || refused(shape(UNKNOWN)), "{event}");
            prop_assert!(!refused(trusted) || refused(shape(event)), "{event}");
        }
    }
}

/// Filters with every operator of the matcher.
pub(crate) fn filter() -> impl Strategy<Value = String> {
    let property = prop::sample::select(vec![
        "a",
        "user",
        "user.uid",
        "time",
        "event",
        "event.class",
        "event.node",
        "event.node.id",
        "event.calendarData",
        "event.calendarData.uri",
        "event.tagIds",
        "event.tagIds.0",
        "event.card.owner",
        "event.card.labels.title",
        "event.card.x",
        "event.calendarData.{urn:ietf:params:xml:ns:caldav}schedule-calendar-transp",
    ]);
    let operand = prop::sample::select(vec![
        "null",
        "1",
        r#""x""#,
        r#""/x/""#,
        "[]",
        r#"["x"]"#,
        "[2,0]",
        r#"{"0":1}"#,
    ]);
    let operator =
        prop::sample::select(vec!["$e", "$ne", "$gt", "$in", "$nin", "$all", "$exists", "$mod"]);
    let condition =
        (operator, operand.clone()).prop_map(|(name, to)| format!(r#"{{"{name}":{to}}}"#));
    let condition = prop_oneof![operand.prop_map(str::to_owned), condition];
    let condition =
        prop_oneof![condition.clone(), condition.prop_map(|it| format!(r#"{{"$not":{it}}}"#))];
    let leaf = (property, condition).prop_map(|(name, value)| format!(r#"{{"{name}":{value}}}"#));
    leaf.prop_recursive(4, 16, 4, |inner| {
        let name = prop::sample::select(vec!["$and", "$or", "$nor"]);
        let many = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            (name, many).prop_map(|(name, all)| format!(r#"{{"{name}":[{}]}}"#, all.join(","))),
            inner.prop_map(|one| format!(r#"{{"$not":{one}}}"#)),
        ]
    })
}
