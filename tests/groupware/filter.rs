//! Event filters that would harm every user of the server, and those that would not (docs/API.md,
//! section 4.4).

use portreeve::groupware::EventFilter;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::support::nextcloud::Recording;

fn fault(json: &str) -> Option<String> {
    EventFilter::parse(json)
        .err()
        .map(|fault| fault.to_string())
}

#[test]
fn harmless_filters_are_kept_byte_for_byte() {
    for json in [
        r#"{"event.node.path":"\/^\\\/alice\\\/files\\\/Inbox\\\/\/i","user.uid":"alice"}"#,
        r#"{"$or": [{"user.uid": "alice"}, {"user.uid": {"$in": ["bob", "carol"]}}], "time": {"$gt": 0}}"#,
        r#"{"a":1,"b":1.50,"c":1e2,"d":true,"e":null,"f":false,"g":""}"#,
        r#"{"a":{"$e":{"0":[1]},"$ne":[],"$lt":1,"$lte":"x","$gte":null,"$exists":false}}"#,
        r#"{"a":{"$in":[],"$nin":[1,"x",null],"$all":["x"]}}"#,
        r#"{"a":{"$not":{"$not":{"$in":["x"]}}}}"#,
        r#"{"$and":[{"$nor":[{"a":1}]},{}]}"#,
        r#"{"event.tagIds":"12","event.objectIds":{"$in":["1"]},"a.b1.c":1,"event.tagIdsx.y":1}"#,
        r#"{"user.uid":"/(unclosed/"}"#,
        r#"{"a":{},"b":[]}"#,
    ] {
        let filter = EventFilter::parse(json).unwrap_or_else(|fault| panic!("{json}: {fault}"));
        assert_eq!(filter.unwrap().as_str(), json);
    }
}

#[test]
fn filters_that_stand_for_none() {
    for json in [
        "null", "false", "0", "-0", "0.0", "0e5", "\"\"", "{}", "[]", " { } ",
    ] {
        assert!(EventFilter::parse(json).unwrap().is_none(), "{json}");
    }
}

#[test]
fn a_filter_that_is_not_an_object() {
    for json in ["1", "true", "\"x\"", "\"0\"", "[1,2]", "[{}]", "[[]]"] {
        assert_eq!(fault(json).as_deref(), Some("must be an object"), "{json}");
    }
}

#[test]
fn api_4_4_filters_that_would_harm_are_refused_with_their_path() {
    let queries = "must be a list of objects that is not empty";
    let number = "must not hold a number as a key or path segment";
    let beside = "must stand below a property, not beside one";
    for (json, path, reason) in [
        // `$and`, `$or`, `$nor` without a list of objects.
        (r#"{"$and":5}"#, "$and", queries),
        (r#"{"$or":{"0":{"a":1}}}"#, "$or", queries),
        (r#"{"$nor":"x"}"#, "$nor", queries),
        (r#"{"$or":["x"]}"#, "$or[0]", "must be an object"),
        (
            r#"{"$and":[{"a":1},[{"b":1}]]}"#,
            "$and[1]",
            "must be an object",
        ),
        (
            r#"{"$and":[{"$or":[{"$nor":null}]}]}"#,
            "$and[0].$or[0].$nor",
            queries,
        ),
        // Empty lists below them.
        (r#"{"$and":[]}"#, "$and", queries),
        (r#"{"$or":[]}"#, "$or", queries),
        (r#"{"$nor":[]}"#, "$nor", queries),
        // `$not` without an object.
        (
            r#"{"user.uid":{"$not":"x"}}"#,
            "user.uid.$not",
            "must be an object of operators",
        ),
        (
            r#"{"a":{"$not":[]}}"#,
            "a.$not",
            "must be an object of operators",
        ),
        (
            r#"{"a":{"$not":{"$not":1}}}"#,
            "a.$not.$not",
            "must be an object of operators",
        ),
        // Unknown operators.
        (r#"{"$xor":[{"a":1}]}"#, "$xor", "is not an operator"),
        (r#"{"a":{"$regex":"x"}}"#, "a.$regex", "is not an operator"),
        (r#"{"a":{"b":"x"}}"#, "a.b", "is not an operator"),
        (
            r#"{"a":{"$and":[{"b":1}]}}"#,
            "a.$and",
            "is not an operator",
        ),
        (
            r#"{"a":{"$not":{"x":1}}}"#,
            "a.$not.x",
            "is not an operator",
        ),
        // `$in`, `$nin`, `$all` without a list.
        (r#"{"a":{"$in":"x"}}"#, "a.$in", "must be a list"),
        (r#"{"a":{"$nin":{"0":"x"}}}"#, "a.$nin", "must be a list"),
        (r#"{"a":{"$all":null}}"#, "a.$all", "must be a list"),
        (
            r#"{"a":{"$mod":[2,0]}}"#,
            "a.$mod",
            "is refused, as it fails on text",
        ),
        // Numbers.
        (r#"{"0":1}"#, "0", number),
        (r#"{"-1":1}"#, "-1", number),
        (r#"{"00":1}"#, "00", number),
        (r#"{"\u0030":1}"#, "0", number),
        (r#"{"event.tagIds.0":"x"}"#, "event.tagIds.0", number),
        (r#"{"7.a":"x"}"#, "7.a", number),
        (r#"{"a":{"0":"x"}}"#, "a.0", "is not an operator"),
        (
            r#"{"event.tagIds.x":1}"#,
            "event.tagIds.x",
            "must not lead below a list of texts",
        ),
        (
            r#"{"event.objectIds.":1}"#,
            "event.objectIds.",
            "must not lead below a list of texts",
        ),
        // Value operators at the top.
        (r#"{"$not":{"a":1}}"#, "$not", beside),
        (r#"{"$in":["a"]}"#, "$in", beside),
        (r#"{"$e":"a"}"#, "$e", beside),
        (r#"{"$and":[{"$exists":true}]}"#, "$and[0].$exists", beside),
    ] {
        assert_eq!(fault(json), Some(format!("{path}: {reason}")), "{json}");
    }
    assert!(
        fault(r#"{"a":["x"]}"#)
            .unwrap()
            .starts_with("a: must not be a list")
    );
}

#[test]
fn each_occurrence_of_a_key_is_looked_at() {
    let first = r#"{"$and":5,"$and":[{"a":1}]}"#;
    let last = r#"{"$and":[{"a":1}],"$and":5}"#;
    let escaped = r#"{"a":1,"\u0024and":5}"#;
    for json in [first, last, escaped] {
        assert!(fault(json).unwrap().starts_with("$and: "), "{json}");
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth| {
        let (open, close) = (r#"{"$and":["#.repeat(depth), "]}".repeat(depth));
        format!(r#"{open}{{"a":1}}{close}"#)
    };
    assert_eq!(fault(&nested(16)), None);
    assert!(
        fault(&nested(17))
            .unwrap()
            .ends_with("is nested too deeply")
    );
    assert!(
        fault(&nested(100_000))
            .unwrap()
            .contains("too deeply nested")
    );
    let nots = format!(
        r#"{{"a":{}{{}}{}}}"#,
        r#"{"$not":"#.repeat(60),
        "}".repeat(60)
    );
    assert!(fault(&nots).unwrap().ends_with("is nested too deeply"));
}

#[test]
fn a_fault_is_bounded_and_printable() {
    let long = format!(r#"{{"{}":{{"b":1}}}}"#, "x".repeat(5000));
    assert!(fault(&long).unwrap().len() < 300);
    assert!(
        !fault(r#"{"a\u001b[31m":{"b":1}}"#)
            .unwrap()
            .contains('\u{1b}')
    );
}

#[test]
fn text_that_is_not_json() {
    for json in [
        "",
        "{",
        "{\"a\":}",
        "{\"a\":1}}",
        "{\"\\ud800\":1}",
        "{\"a\":1e999}",
    ] {
        assert!(
            fault(json).unwrap().starts_with("is not valid JSON"),
            "{json}"
        );
    }
}

#[test]
fn api_4_4_filters_that_the_real_server_accepted() {
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
        (
            "webhooks-create-filter-malformed-list",
            Some("must be an object"),
        ),
        (
            "webhooks-create-filter-unknown-operator",
            Some("is not an operator"),
        ),
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
