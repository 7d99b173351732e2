//! A filter that is accepted for a class of events fails on none of them (docs/API.md, section 4.4): the
//! check of filters is compared with their evaluation, on events generated from the catalogue.

use portreeve::groupware::{EventFilter, EventSample, JobLimit, KnownEvent, MatchResult};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::filter_shapes::{CALENDAR, CARD, FILE, TAG, filter, shape};

/// Values of a field of the catalogue.
fn value(kind: &'static str) -> BoxedStrategy<Value> {
    let plain = || {
        prop_oneof![
            prop::sample::select(vec!["", "0", "1", "x", "/x/", "alice", "5a", "x\n", "ü"])
                .prop_map(Value::from),
            (-1_i64..3).prop_map(Value::from),
        ]
    };
    let text = || plain().prop_filter("a text", Value::is_string);
    let row = || prop::collection::btree_map("[a-c]", plain(), 0..3).prop_map(|row| json!(row));
    match kind {
        "string" => text().boxed(),
        "integer" => (-1_i64..3).prop_map(Value::from).boxed(),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "string or integer" => plain().boxed(),
        "anything" => prop_oneof![plain(), row()].boxed(),
        "object" => Just(json!([])).boxed(),
        "string or object" => prop_oneof![text(), Just(json!({"uid": "alice"}))].boxed(),
        "list of strings or integers" => {
            prop::collection::vec(plain(), 0..3).prop_map(Value::from).boxed()
        }
        "list of objects" => prop::collection::vec(row(), 0..3).prop_map(Value::from).boxed(),
        other => panic!("no type {other}"),
    }
}

/// Events of a class, generated from its fields.
fn events(class: &str) -> BoxedStrategy<Value> {
    let fields = &KnownEvent::find(class).unwrap().fields;
    let has_members = |path: &str| {
        let prefix = format!("{path}.");
        fields.iter().any(|field| field.path.starts_with(&prefix))
    };
    let leaves: Vec<_> = fields
        .iter()
        .filter(|field| !has_members(&field.path))
        .map(|field| {
            let value = value(field.kind);
            let value = match field.always {
                true => value.prop_map(Some).boxed(),
                false => prop::option::of(prop_oneof![3 => value, 1 => Just(Value::Null)]).boxed(),
            };
            (field.path.clone(), value)
        })
        .collect();
    let (paths, values): (Vec<_>, Vec<_>) = leaves.into_iter().unzip();
    let class = class.to_owned();
    values
        .prop_map(move |values| {
            let mut whole = json!({});
            for (path, value) in paths.iter().zip(values) {
                let Some(value) = value else { continue };
                // A name of the calendar is in braces and can have dots.
                let (outer, name) = match path.find('{') {
                    Some(at) => (&path[..at - 1], &path[at..]),
                    None => path.rsplit_once('.').unwrap_or(("", path)),
                };
                let mut place = &mut whole;
                for part in outer.split('.').filter(|part| !part.is_empty()) {
                    place = &mut place[part];
                }
                place[name] = value;
            }
            whole["event"]["class"] = json!(class);
            whole
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// A filter that is accepted for a class fails on no event of it.
    #[test]
    fn api_4_4_an_accepted_filter_fails_on_no_event_of_its_class(
        json in filter(),
        file in events(FILE),
        calendar in events(CALENDAR),
        tag in events(TAG),
        card in events(CARD),
    ) {
        for (class, sample) in [(FILE, &file), (CALENDAR, &calendar), (TAG, &tag), (CARD, &card)] {
            if let Ok(accepted) = EventFilter::parse(&json, shape(class)) {
                let parsed = EventSample::parse(&sample.to_string(), class, shape(class)).unwrap();
                let found = parsed.judge(accepted.as_ref(), JobLimit::Before34);
                prop_assert!(found.result != MatchResult::Refused, "{class} {json} {sample}: {found:?}");
            }
        }
    }
}
