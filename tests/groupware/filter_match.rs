//! The result of a filter on an event, and the reason (docs/API.md, section 4.8). Results of real servers
//! are in `filter_recorded`, patterns in `filter_patterns`; `filter_soundness` compares the check with the
//! evaluation.

use portreeve::groupware::{
    EventClasses, EventFilter, EventMatch, EventSample, JobLimit, KnownEvent, MatchResult,
    SampleError,
};
use serde_json::{Value, json};

use crate::filter_shapes::{CALENDAR, FILE, TAG, UNKNOWN, shape};

use MatchResult::{DoesNotMatch, Matches, Refused, Unknown};

pub(crate) fn judged_as(filter: &str, class: &str, sample: &Value) -> EventMatch {
    let sample = EventSample::parse(&sample.to_string(), class, shape(class)).unwrap();
    match EventFilter::parse(filter, shape(class)) {
        Ok(filter) => sample.judge(filter.as_ref(), JobLimit::Before34),
        Err(fault) => EventMatch::refused(&fault),
    }
}

/// The result of a filter on an event of a class that the operator trusts.
pub(crate) fn judged_on_trust(filter: &Value, event: &Value) -> EventMatch {
    let shape = EventClasses::trusting(["any"]).shape("any");
    let sample = json!({"event": event, "user": null, "time": 1}).to_string();
    let sample = EventSample::parse(&sample, "any", shape).unwrap();
    let filter = EventFilter::parse(&filter.to_string(), shape).unwrap();
    sample.judge(filter.as_ref(), JobLimit::Before34)
}

/// The result of a filter on the example of a class.
fn judged(filter: &str, class: &str) -> EventMatch {
    let example = KnownEvent::find(class).unwrap().example();
    judged_as(filter, class, &serde_json::from_str(&example).unwrap())
}

/// Filters on the example of a class, each with its result. One that does not depend on an undecidable condition is given.
const REASONS: &str = r#"null
    Matches: there is no filter
{"user.uid":"bob"}
    DoesNotMatch at user.uid: user.uid is "alice", not "bob"
{"user.uid":"alice"}
    Matches at user.uid: user.uid is "alice"
{"user.uid":{"$ne":"bob"}}
    Matches at user.uid.$ne: user.uid is "alice", not "bob"
{"event.node.id":"114"}
    DoesNotMatch at event.node.id: event.node.id is 114, not "114": a number does not equal a text
{"event.node.size":5}
    DoesNotMatch at event.node.size: event.node.size is missing or null
{"event.node.path":"/\\.md$/"}
    Matches at event.node.path: event.node.path is "/alice/files/Notes/today.md", which the pattern "/\\.md$/" matches
{"event.node.path":"/alice/files/Notes/"}
    DoesNotMatch at event.node.path: event.node.path is "/alice/files/Notes/today.md", which the pattern "/alice/files/Notes/" does not match, as it never does: a slash in it must be written \/
{"event.node.path":"/x/e"}
    DoesNotMatch at event.node.path: event.node.path is "/alice/files/Notes/today.md", which the pattern "/x/e" does not match, as it never does: it has a flag that does not exist
{"time":{"$gt":5,"$lte":6}}
    DoesNotMatch at time.$lte: time is 1767348000, which does not satisfy $lte: 6
{"user.uid":{"$nin":["bob","carol"]}}
    Matches at user.uid.$nin: user.uid is "alice", which satisfies $nin: ["bob","carol"]
{"time":{"$mod":[7,0]}}
    DoesNotMatch at time.$mod: time is 1767348000, which does not satisfy $mod: [7,0]
{"$or":[{"user.uid":"bob"},{"event.node.id":{"$lt":5}}]}
    DoesNotMatch at $or[0].user.uid: user.uid is "alice", not "bob"; event.node.id is 114, which does not satisfy $lt: 5
{"$nor":[{"user.uid":"bob"},{"event.node.id":114}]}
    DoesNotMatch at $nor[1].event.node.id: event.node.id is 114
{"$or":[{}]}
    Matches: the filter has no condition
{"event.node.path":{"$mod":[2,0]}}
    Refused at event.node.path.$mod: is refused, as it fails on what is not a number
{"event.node.path":"/^(?!\\/bob\\/)/"}
    Unknown at event.node.path: event.node.path cannot be judged here, as the pattern has what only the server understands: look-around, a back reference, a possessive part or the like
{"event.node.path":"/^(?!\\/bob\\/)/","user.uid":"bob"}
    DoesNotMatch at user.uid: user.uid is "alice", not "bob""#;

#[test]
fn api_4_8_the_reason_names_the_path_and_the_two_values() {
    let rows: Vec<_> = REASONS.lines().collect();
    for row in rows.chunks(2) {
        let found = judged(row[0], FILE);
        let at = if found.at.is_empty() { "" } else { " at " };
        let shown = format!("{:?}{at}{}: {}", found.result, found.at, found.reason);
        assert_eq!(shown, row[1].trim_start(), "{}", row[0]);
    }
    let tag = judged(r#"{"event.tagIds":"/1/"}"#, TAG);
    assert_eq!(
        tag.reason,
        r#"event.tagIds is ["1"], which does not contain "/1/": a pattern is not tried on the elements of a list"#
    );
}

#[test]
fn values_are_compared_as_php_compares_them() {
    let on = |value: &Value, condition: &Value| {
        judged_on_trust(&json!({"event.v": condition}), &json!({"v": value})).result
    };
    for (value, condition, holds) in [
        // `===`
        (json!(5), json!(5), true),
        (json!(5), json!(5.0), false),
        (json!(5.5), json!(5.5), true),
        (json!("5"), json!(5), false),
        (json!(true), json!(1), false),
        (json!(""), json!(""), true),
        (json!("A"), json!("a"), false),
        (json!(null), json!(null), false),
        (json!(null), json!({"$ne": null}), false),
        (json!(null), json!({"$ne": 1}), true),
        (json!(0), json!({"$exists": true}), true),
        (json!(null), json!({"$exists": false}), true),
        // `==` for elements.
        (json!(["1"]), json!(1), true),
        (json!([1]), json!("1"), true),
        (json!([1]), json!("01"), true),
        (json!(["1"]), json!("01"), true),
        (json!(["1a"]), json!(1), false),
        (json!(["abc"]), json!(0), false),
        (json!([0]), json!("abc"), false),
        (json!(["abc"]), json!(true), true),
        (json!([""]), json!(false), true),
        (json!(["1e3"]), json!(1000), true),
        (json!({"a": 1, "b": 2}), json!({"$e": {"b": "2", "a": "1"}}), true),
        (json!({"a": 1}), json!({"$e": {"b": 1}}), false),
        (json!([1, 2]), json!({"$e": {"0": 1, "1": 2}}), true),
        (json!(["x"]), json!("/x/"), false),
        // And for scalars in lists.
        (json!("1"), json!({"$in": [1]}), true),
        (json!(1), json!({"$in": ["1.0"]}), true),
        (json!("a"), json!({"$in": [0]}), false),
        (json!("a"), json!({"$in": [true]}), true),
        (json!("a"), json!({"$nin": ["b"]}), true),
        // Arrays share elements as texts.
        (json!([1, 2]), json!({"$in": ["2"]}), true),
        (json!([1, 2]), json!({"$in": ["2.0"]}), false),
        (json!([1, 2]), json!({"$all": ["2", "1"]}), true),
        (json!([1, 2]), json!({"$all": ["2", "3"]}), false),
        (json!([[1]]), json!({"$in": ["Array"]}), true),
        (json!([true]), json!({"$in": ["1"]}), true),
        (json!("x"), json!({"$all": ["x"]}), true),
        (json!("1"), json!({"$all": [1]}), false),
        (json!("x"), json!({"$all": ["x", "x"]}), false),
        // Order.
        (json!("abc"), json!({"$gt": "abb"}), true),
        (json!("10"), json!({"$gt": "9"}), true),
        (json!("10a"), json!({"$gt": "9"}), false),
        (json!(10), json!({"$gte": "10"}), true),
        (json!(10), json!({"$lt": "x"}), true),
        (json!([1]), json!({"$gt": 100}), true),
        (json!([1, 2]), json!({"$gt": [3]}), true),
        (json!([1, 2]), json!({"$lt": [1, 3]}), true),
        (json!({"a": 1}), json!({"$lt": {"b": 1}}), false),
        (json!({"a": 1}), json!({"$gte": {"b": 1}}), false),
        (json!(null), json!({"$lte": 5}), false),
        // Remainders.
        (json!(7), json!({"$mod": [4, 3]}), true),
        (json!(-7), json!({"$mod": [4, -3]}), true),
        (json!(7), json!({"$mod": [4, 3.0]}), false),
        (json!(7), json!({"$mod": [4.9, 3]}), true),
        (json!("7"), json!({"$mod": [4, 3]}), true),
        (json!(7.9), json!({"$mod": [4, "3"]}), false),
        (json!(i64::MIN), json!({"$mod": [-1, 0]}), true),
        // `$not` negates the conjunction of its operators.
        (json!(7), json!({"$not": {"$gt": 5, "$lt": 6}}), true),
    ] {
        let expected = if holds { Matches } else { DoesNotMatch };
        assert_eq!(on(&value, &condition), expected, "{value} {condition}");
    }
    assert_eq!(on(&json!("x"), &json!({"$mod": [2, 0]})), Refused);
    assert_eq!(on(&json!([1]), &json!({"$mod": [2, 0]})), Refused);
}

#[test]
fn paths_lead_into_lists_and_below_missing_values() {
    let event = json!({
        "rows": [{"a": 1}, {"a": 2, "b": {"c": "x"}}], "map": {"1": "439"}, "text": "abc",
        "zero": 0, "empty": [], "null": null, "texts": ["x"],
    });
    for (filter, result) in [
        (r#"{"event.rows.a":2}"#, Matches),
        (r#"{"event.rows.a":3}"#, DoesNotMatch),
        (r#"{"event.rows.b.c":"x"}"#, Matches),
        // One element without it is enough.
        (r#"{"event.rows.b":{"$exists":false}}"#, Matches),
        (r#"{"event.rows.0.a":1}"#, DoesNotMatch),
        (r#"{"event.map.1":"439"}"#, Matches),
        (r#"{"event.map.01":"439"}"#, DoesNotMatch),
        (r#"{"event.text.x":{"$exists":false}}"#, DoesNotMatch),
        (r#"{"event.zero.x":{"$exists":false}}"#, Matches),
        (r#"{"event.empty.x":{"$exists":false}}"#, Matches),
        (r#"{"event.null.x":{"$ne":1}}"#, Matches),
        (r#"{"event.empty":{"$exists":true}}"#, Matches),
        (r#"{"event.null":{"$exists":true}}"#, DoesNotMatch),
        (r#"{"event.texts.0":"x"}"#, Refused),
        (r#"{"event.class":"any","user.uid":{"$exists":false}}"#, Matches),
    ] {
        let found = judged_on_trust(&serde_json::from_str(filter).unwrap(), &event);
        assert_eq!(found.result, result, "{filter}: {found:?}");
    }
}

#[test]
fn api_4_8_a_sample_is_the_body_of_a_delivery() {
    let parse = |json: &str| EventSample::parse(json, FILE, shape(FILE)).map(drop);
    for json in [
        r#"{"event":{}}"#,
        r#"{"event":{"class":null},"user":null}"#,
        &format!(r#"{{"event":{{"class":{}}},"authentication":[]}}"#, json!(FILE)),
    ] {
        assert_eq!(parse(json), Ok(()), "{json}");
    }
    for json in ["", "{", "{}x", r#"{"event":{"a":1e999}}"#, &"[".repeat(100_000)] {
        assert_eq!(parse(json), Err(SampleError::NotJson));
    }
    for json in ["null", "[]", "{}", r#"{"event":[]}"#, r#"{"event":"x"}"#, r#"[{"event":{}}]"#] {
        assert_eq!(parse(json), Err(SampleError::NoEvent), "{json}");
    }
    let other = parse(r#"{"event":{"class":"a\u001bb"}}"#).unwrap_err();
    assert_eq!(other, SampleError::OtherClass("a\u{fffd}b".to_owned()));
    // A filter does not see what is added to a delivery after it was applied.
    let sample = json!({"event": {}, "authentication": {"x": 1}});
    let found = judged_as(r#"{"authentication":{"$exists":true}}"#, FILE, &sample);
    assert_eq!(found.result, DoesNotMatch);
    // A filter sees the class, whether the sample has it or not.
    let found = judged_as(&json!({"event.class": FILE}).to_string(), FILE, &json!({"event": {}}));
    assert_eq!(found.result, Matches);
}

#[test]
fn api_4_8_filters_refused_at_creation_are_refused_here() {
    let found = judged(r#"{"event.calendarData":{"$in":["x"]}}"#, CALENDAR);
    assert_eq!(found.result, Refused);
    assert_eq!(found.at, "event.calendarData.$in");
    let json = r#"{"event.form.title":"x"}"#;
    let found = judged_as(json, UNKNOWN, &json!({"event": {"form": {"title": "x"}}}));
    assert_eq!(found.result, Refused);
    // A value that is not plain can be an object at the server, which makes this undecidable.
    let sample = json!({"event": {"form": {"title": "x"}}});
    assert_eq!(judged_as(r#"{"event.form":{"$gt":1}}"#, UNKNOWN, &sample).result, Unknown);
    assert_eq!(judged_as(r#"{"event.form":{"$exists":true}}"#, UNKNOWN, &sample).result, Matches);
}
