//! Event filters that would harm every user of the server, and harmless ones (docs/API.md, section 4.4):
//! the syntax of filters. The shapes of events are in `filter_shapes`, results of real servers in
//! `filter_recorded`.

use portreeve::groupware::{EventClasses, EventFilter};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::filter_shapes::{CALENDAR, CARD, FILE, TAG, UNKNOWN, fault_at, shape};
use crate::support::nextcloud::Recording;

/// The fault at a file event.
fn fault(json: &str) -> Option<String> {
    fault_at(FILE, json)
}

#[test]
fn harmless_filters_are_kept_byte_for_byte() {
    for json in [
        r#"{"event.node.path":"\/^\\\/alice\\\/files\\\/Inbox\\\/\/i","user.uid":"alice"}"#,
        r#"{"$or": [{"user.uid": "alice"}, {"user.uid": {"$in": ["bob", "carol"]}}], "time": {"$gt": 0}}"#,
        r#"{"a":1,"b":1.50,"c":1e2,"d":true,"e":null,"f":false,"g":""}"#,
        r#"{"a":{"$e":{"0":[1]},"$ne":[],"$lt":1,"$lte":"x","$gte":null,"$exists":false}}"#,
        r#"{"a":{"$in":[],"$nin":[1,"x",null],"$all":["x"]}}"#,
        r#"{"user.uid":{"$in":["alice"],"$not":[]}}"#,
        r#"{"a":{"$not":{"$not":{"$in":["x"]}}}}"#,
        r#"{"$and":[{"$nor":[{"a":1}]},{}]}"#,
        r#"{"$not":{"user.uid":"bob"}}"#,
        r#"{"$not":{"$or":[[{"user.uid":"bob"}]]},"$and":{}}"#,
        r#"{"$and":{"user.uid":"alice"}}"#,
        r#"{"time":{"$mod":[2,0]},"event.node.id":{"$mod":[-3.5,"x"]}}"#,
        r#"{"-5":"x","05":"y","1":"z","a":"b","event.0.path":"x"}"#,
        r#"{"event.tagIds":"12","event.objectIds":{"$in":["1"]},"a.b1.c":1,"event.tagIdsx.y":1}"#,
        r#"{"user.uid":"/(unclosed/"}"#,
        r#"{"a":{},"b":[]}"#,
    ] {
        let filter =
            EventFilter::parse(json, shape(FILE)).unwrap_or_else(|fault| panic!("{json}: {fault}"));
        assert_eq!(filter.unwrap().as_str(), json);
    }
}

#[test]
fn falsy_values_mean_no_filter() {
    for json in ["null", "false", "0", "-0", "0.0", "0e5", "\"\"", "{}", "[]", " { } "] {
        assert!(EventFilter::parse(json, shape(FILE)).unwrap().is_none(), "{json}");
    }
}

#[test]
fn a_filter_that_is_not_an_object_is_refused() {
    for json in ["1", "true", "\"x\"", "\"0\"", "[1,2]", "[{}]", "[[]]"] {
        assert_eq!(fault(json).as_deref(), Some("must be an object"), "{json}");
    }
}

#[test]
fn api_4_4_filters_that_fail_on_any_event_are_refused_with_their_path() {
    let queries = "must be a list of objects that is not empty";
    let query = "must be an object or a list of objects";
    let object = "must be an object";
    let list = "must not have the keys 0, 1, … of a list";
    let unknown = "is not an operator";
    let beside = "must stand below a property, not beside one";
    let modulus = "must be a list of two numbers, the first one not 0";
    for (json, path, reason) in [
        // Logical operators without objects.
        (r#"{"$and":5}"#, "$and", query),
        (r#"{"$or":{"a":{"b":1}}}"#, "$or", queries),
        (r#"{"$or":{"0":null}}"#, "$or", queries),
        (r#"{"$nor":"x"}"#, "$nor", queries),
        (r#"{"$or":["x"]}"#, "$or[0]", object),
        (r#"{"$and":[{"a":1},["b"]]}"#, "$and[1][0]", object),
        (r#"{"$and":[{"$or":[{"$nor":null}]}]}"#, "$and[0].$or[0].$nor", queries),
        (r#"{"$or":[]}"#, "$or", queries),
        (r#"{"$nor":{}}"#, "$nor", queries),
        (r#"{"$not":5}"#, "$not", object),
        // A list of queries to PHP.
        (r#"{"$and":{"0":1}}"#, "$and", list),
        (r#"{"$not":{"0":{},"1":"x"}}"#, "$not", list),
        (r#"{"$or":[{"\u0030":{"a":1}}]}"#, "$or[0]", list),
        (r#"{"$or":{"0":{"user.uid":"alice"}}}"#, "$or", queries),
        // `$not` without an object of operators.
        (r#"{"user.uid":{"$not":"x"}}"#, "user.uid.$not", "must be an object of operators"),
        (r#"{"a":{"$not":{"$not":1}}}"#, "a.$not.$not", "must be an object of operators"),
        (r#"{"a":{"$not":["x"]}}"#, "a.$not", "must be an object of operators"),
        // Unknown operators.
        (r#"{"$xor":[{"a":1}]}"#, "$xor", unknown),
        (r#"{"a":{"$regex":"x"}}"#, "a.$regex", unknown),
        (r#"{"a":{"b":"x"}}"#, "a.b", unknown),
        (r#"{"a":{"0":"x"}}"#, "a.0", unknown),
        (r#"{"a":{"$and":[{"b":1}]}}"#, "a.$and", unknown),
        (r#"{"a":{"$not":{"x":1}}}"#, "a.$not.x", unknown),
        // Operands.
        (r#"{"a":{"$in":"x"}}"#, "a.$in", "must be a list"),
        (r#"{"a":{"$nin":5}}"#, "a.$nin", "must be a list"),
        (r#"{"a":{"$all":null}}"#, "a.$all", "must be a list"),
        (r#"{"a":{"$in":{"0":"x"}}}"#, "a.$in", "must be a list"),
        (r#"{"time":{"$mod":5}}"#, "time.$mod", modulus),
        (r#"{"time":{"$mod":[2]}}"#, "time.$mod", modulus),
        (r#"{"time":{"$mod":[0,0]}}"#, "time.$mod", modulus),
        (r#"{"time":{"$mod":[0.5,0]}}"#, "time.$mod", modulus),
        (r#"{"time":{"$mod":["x",0]}}"#, "time.$mod", modulus),
        (r#"{"time":{"$mod":[1e300,0]}}"#, "time.$mod", modulus),
        // Value operators at the top.
        (r#"{"$in":["a"]}"#, "$in", beside),
        (r#"{"$e":"a"}"#, "$e", beside),
        (r#"{"$and":[{"$exists":true}]}"#, "$and[0].$exists", beside),
        // An element that the server does not reach.
        (r#"{"a":1,"b":{"$like":1}}"#, "b.$like", unknown),
    ] {
        let expected = Some(format!("{path}: {reason}"));
        let trusting = EventClasses::trusting([UNKNOWN]).shape(UNKNOWN);
        let trusted = EventFilter::parse(json, trusting).err();
        assert_eq!(trusted.map(|fault| fault.to_string()), expected, "{json}");
        for event in [FILE, CALENDAR, TAG, CARD, UNKNOWN] {
            assert_eq!(fault_at(event, json), expected, "{json}");
        }
    }
    for (json, expected) in [(r#"{"a":["x"]}"#, "a: must not be a list"), (r#"{"0":1}"#, list)] {
        assert!(fault(json).unwrap().starts_with(expected), "{json}");
    }
}

#[test]
fn api_4_4_of_a_repeated_key_the_last_value_counts() {
    for (json, is_refused) in [
        (r#"{"$and":5,"$and":[{"a":1}]}"#, false),
        (r#"{"$and":[{"a":1}],"$and":5}"#, true),
        (r#"{"a":1,"$and":[],"\u0024and":5}"#, true),
    ] {
        let fault = fault(json);
        assert_eq!(fault.is_some(), is_refused, "{json}: {fault:?}");
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth| {
        let (open, close) = (r#"{"$and":["#.repeat(depth), "]}".repeat(depth));
        format!(r#"{open}{{"a":1}}{close}"#)
    };
    assert_eq!(fault(&nested(16)), None);
    assert!(fault(&nested(17)).unwrap().ends_with("is nested too deeply"));
    assert!(fault(&nested(250)).unwrap().contains("too deeply nested"));
    let nots = format!(r#"{{"a":{}{{}}{}}}"#, r#"{"$not":"#.repeat(60), "}".repeat(60));
    assert!(fault(&nots).unwrap().ends_with("is nested too deeply"));
}

#[test]
fn a_fault_is_bounded_and_printable() {
    let long = format!(r#"{{"{}":{{"b":1}}}}"#, "x".repeat(5000));
    assert!(fault(&long).unwrap().len() < 300);
    assert!(!fault(r#"{"a\u001b[31m":{"b":1}}"#).unwrap().contains('\u{1b}'));
}

#[test]
fn a_filter_that_is_not_json_is_refused() {
    for json in ["", "{", "{\"a\":}", "{\"a\":1}}", "{\"\\ud800\":1}", "{\"a\":1e999}"] {
        assert!(fault(json).unwrap().starts_with("is not valid JSON"), "{json}");
    }
}

#[test]
fn api_4_4_recorded_filters_are_refused_if_they_are_invalid() {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        event_filter: Box<RawValue>,
    }
    for (name, expected) in [
        ("webhooks-create-event-filter", None),
        ("webhooks-create-event-filter-operators", None),
        ("webhooks-create-empty-collections", None),
        ("webhooks-create-everything", None),
        ("webhooks-create-filter-malformed-list", Some("must be an object")),
        ("webhooks-create-filter-unknown-operator", Some("is not an operator")),
    ] {
        let body = Recording::load(name).request.body.unwrap();
        let body: Body = serde_json::from_str(&body).unwrap();
        let fault = fault(body.event_filter.get());
        match expected {
            None => assert_eq!(fault, None, "{name}"),
            Some(reason) => assert!(fault.unwrap().ends_with(reason), "{name}"),
        }
    }
}
