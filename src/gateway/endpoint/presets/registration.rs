//! The registrations that the groupware server lists.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::gateway::PresetWebhook;
use crate::gateway::preset::as_stored;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Registration {
    pub(super) id: i64,
    pub(super) uri: String,
    pub(super) event: String,
    /// Whether it is one of the gateway's own address with another credential, or of its former address.
    #[serde(skip)]
    pub(super) is_outdated: bool,
    http_method: String,
    #[serde(default)]
    event_filter: Value,
    auth_method: Option<String>,
    #[serde(default)]
    app_id: Value,
    #[serde(default)]
    user_id_filter: Value,
    #[serde(default)]
    headers: Value,
    #[serde(default)]
    token_needed: Value,
}

impl Registration {
    /// `None` if it has a different form than ours, or further settings, made by hand or by an app.
    pub(super) fn parse(json: &RawValue) -> Option<Self> {
        // serde would read a list as the members in their order.
        let json = json.get();
        let is_object = json.starts_with('{');
        let mut parsed: Self = is_object.then(|| serde_json::from_str(json).ok())??;
        parsed.event_filter = as_stored(match parsed.event_filter {
            Value::Null => json!({}),
            filter => filter,
        });
        let filters = [&parsed.app_id, &parsed.user_id_filter];
        let settings = [&parsed.headers, &parsed.token_needed];
        let is_plain = filters.into_iter().chain(settings).all(is_empty);
        (is_plain && parsed.http_method.eq_ignore_ascii_case("POST")).then_some(parsed)
    }

    /// Whether it is one of `webhook`, at any address and with any credential.
    pub(super) fn is_of(&self, webhook: &PresetWebhook) -> bool {
        *self.event == *webhook.event && self.event_filter == *webhook.stored_filter()
    }

    pub(super) fn is_authenticated(&self) -> bool {
        self.auth_method.as_deref() == Some("header")
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}
