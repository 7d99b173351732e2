//! The registrations that the groupware server lists.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::gateway::PresetWebhook;
use crate::gateway::preset::as_stored;

/// A registration without settings that those of presets never have.
#[derive(Debug)]
pub(super) struct Registration {
    pub(super) id: i64,
    pub(super) uri: String,
    event: String,
    /// As the server stores it.
    filter: Value,
    /// Whether its deliveries carry a credential.
    pub(super) is_authenticated: bool,
}

// === impl Registration ===

impl Registration {
    /// `None` if it has a different form than ours, or further settings, made by hand or by an app.
    pub(super) fn parse(json: &RawValue) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members {
            id: i64,
            uri: String,
            event: String,
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

        // serde would read a list as the members in their order.
        let json = json.get();
        let members: Members = json
            .starts_with('{')
            .then(|| serde_json::from_str(json).ok())??;
        let settings = [
            members.app_id,
            members.user_id_filter,
            members.headers,
            members.token_needed,
        ];
        let is_plain =
            members.http_method.eq_ignore_ascii_case("POST") && settings.iter().all(is_empty);
        is_plain.then(|| Self {
            id: members.id,
            uri: members.uri,
            event: members.event,
            filter: as_stored(members.event_filter),
            is_authenticated: members.auth_method.as_deref() == Some("header"),
        })
    }

    /// Whether it is one of `webhook`, at any address and with any credential.
    pub(super) fn is_of(&self, webhook: &PresetWebhook) -> bool {
        self.event == webhook.event() && self.filter == *webhook.stored_filter()
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
