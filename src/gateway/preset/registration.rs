//! The registrations that the groupware server lists, and how a preset's webhooks are found among them.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::PresetWebhook;
use crate::groupware::EventFilter;

/// The relevant members of a registration.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Registration<'a> {
    pub(super) id: i64,
    #[serde(default)]
    app_id: Option<IgnoredAny>,
    #[serde(borrow)]
    http_method: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) uri: Cow<'a, str>,
    #[serde(borrow)]
    event: Cow<'a, str>,
    #[serde(borrow, default)]
    event_filter: Option<&'a RawValue>,
    #[serde(borrow, default)]
    user_id_filter: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    headers: Option<&'a RawValue>,
    #[serde(borrow, default)]
    auth_method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    token_needed: Option<&'a RawValue>,
}

// === impl Registration ===

impl Registration<'_> {
    /// Whether its deliveries carry a credential.
    pub(super) fn is_authenticated(&self) -> bool {
        self.auth_method.as_deref() == Some("header")
    }
}

// === impl PresetWebhook ===

impl PresetWebhook {
    /// Whether `registration` is one of this webhook, at any address and with any credential. One with
    /// further settings, made by hand or by an app, is not.
    pub(super) fn is(&self, registration: &Registration<'_>) -> bool {
        let is_nothing = |value: Option<&RawValue>| value.is_none_or(|it| is_nothing(it.get()));
        registration.event == *self.event
            && registration.http_method.eq_ignore_ascii_case("POST")
            && registration.app_id.is_none()
            && registration
                .user_id_filter
                .as_deref()
                .unwrap_or_default()
                .is_empty()
            && is_nothing(registration.headers)
            && is_nothing(registration.token_needed)
            && is_same_filter(
                self.event_filter
                    .as_ref()
                    .map_or("null", EventFilter::as_str),
                registration.event_filter.map_or("null", RawValue::get),
            )
    }
}

/// Whether two filters are the same to the server, which stores them as PHP represents them: numbers may
/// be written differently, an empty object becomes an empty list, one with the keys 0, 1, … a list, and
/// the order of members may change.
pub(super) fn is_same_filter(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    match (read(one), read(other)) {
        (Some(one), Some(other)) => is_same(&one, &other) || (is_empty(&one) && is_empty(&other)),
        _ => false,
    }
}

fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_in_other = |(key, value): (&String, &Value)| {
                other.get(key).is_some_and(|other| is_same(value, other))
            };
            one.len() == other.len() && one.iter().all(is_in_other)
        }
        (Value::Array(list), Value::Object(map)) | (Value::Object(map), Value::Array(list)) => {
            is_list(map, list)
        }
        _ => one == other,
    }
}

/// Whether `map` has the elements of `list` under the keys 0, 1, …
fn is_list(map: &Map<String, Value>, list: &[Value]) -> bool {
    let is_at = |(at, value): (usize, &Value)| {
        map.get(&at.to_string())
            .is_some_and(|other| is_same(value, other))
    };
    map.len() == list.len() && list.iter().enumerate().all(is_at)
}

/// Whether it means no filter.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

fn is_nothing(json: &str) -> bool {
    serde_json::from_str(json).is_ok_and(|value| is_empty(&value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::WebhookPresets;

    #[test]
    fn filters_are_the_same_as_far_as_php_keeps_them() {
        for (one, other) in [
            ("null", "[]"),
            ("{}", "null"),
            (r#"{"a":1,"b":"x"}"#, r#"{"b":"x","a":1.0}"#),
            (r#"{"a":{}}"#, r#"{"a":[]}"#),
            (r#"{"a":{"0":1,"1":2}}"#, r#"{"a":[1,2]}"#),
            (r#"{"a":"/\\/x\\//"}"#, r#"{"a":"\/\\\/x\\\/\/"}"#),
            (r#"{"a":"ü"}"#, "{\"a\":\"\\u00fc\"}"),
            (
                r#"{"a":18446744073709551616}"#,
                r#"{"a":1.8446744073709552e+19}"#,
            ),
        ] {
            assert!(
                is_same_filter(one, other) && is_same_filter(other, one),
                "{one} {other}"
            );
        }
        for (one, other) in [
            ("null", r#"{"a":1}"#),
            (r#"{"a":1}"#, r#"{"a":"1"}"#),
            (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
            (r#"{"a":1}"#, r#"{"b":1}"#),
            (r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#),
            (r#"{"a":{"1":1}}"#, r#"{"a":[1]}"#),
            (r#"{"a":null}"#, r#"{"a":false}"#),
        ] {
            assert!(
                !is_same_filter(one, other) && !is_same_filter(other, one),
                "{one} {other}"
            );
        }
    }

    #[test]
    fn a_registration_that_does_more_is_another_one() {
        let presets = WebhookPresets::built_in();
        let webhook = &presets.get("tags").unwrap().webhooks()[0];
        let with = |from: &str, to: &str| {
            let record = r#"{"id":7,"appId":null,"userId":"admin","httpMethod":"POST","uri":"u","event":"OCP\\SystemTag\\TagAssignedEvent","eventFilter":{"event.objectType":"files"},"userIdFilter":"","headers":null,"authMethod":"none","authData":null,"tokenNeeded":[]}"#;
            assert!(from.is_empty() || record.contains(from), "{from}");
            let record = record.replacen(from, to, 1);
            let registration: Registration<'_> = serde_json::from_str(&record).unwrap();
            webhook.is(&registration)
        };
        assert!(with("", ""));
        for (from, to) in [
            (r#""headers":null"#, r#""headers":[]"#),
            (r#""authMethod":"none""#, r#""authMethod":"header""#),
            (r#","tokenNeeded":[]"#, ""),
            ("POST", "post"),
        ] {
            assert!(with(from, to), "{to}");
        }
        for (from, to) in [
            (r#""headers":null"#, r#""headers":{"X-A":"1"}"#),
            (
                r#""tokenNeeded":[]"#,
                r#""tokenNeeded":{"user_ids":["bob"]}"#,
            ),
            (r#""userIdFilter":"""#, r#""userIdFilter":"alice""#),
            (r#""appId":null"#, r#""appId":"x""#),
            ("POST", "PUT"),
            ("TagAssigned", "TagUnassigned"),
            ("files", "other"),
        ] {
            assert!(!with(from, to), "{to}");
        }
    }
}
