//! Presets of webhooks through HTTP, on a server that keeps registrations (docs/API.md, section 4.6).

mod at_once;
mod built_in;
mod cut_off;
mod faults;
mod large;
mod late;
#[cfg(feature = "sqlite")]
mod own_address;
mod routes;

use std::collections::BTreeSet;
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use portreeve::groupware::{ClientSettings, Groupware, KnownEvent};
use portreeve::server::Bounds;
use portreeve::vault::AppPassword;
use serde_json::{Value, json};

use crate::support::gateway::{Answer, PASSWORD, TestGateway, Unstarted};
use crate::support::nextcloud::{Nextcloud, Release};

const PRESETS: &str = "/api/v1/webhook-presets";
const URI: &str = "https://hooks.example.org/in?a=b&c=ü+d";

/// A server that keeps registrations, and a gateway before it. `admin` and `carol` may manage webhooks,
/// `alice` may not, and `bob` has no password.
struct Bench {
    nextcloud: Nextcloud,
    gateway: TestGateway,
}

// === impl Bench ===

impl Bench {
    async fn start() -> Self {
        Self::of(Release::default(), Duration::from_secs(20), |it| it).await
    }

    /// With a time for each call of the server, and after `change` has changed the gateway.
    async fn of(
        version: Release,
        timeout: Duration,
        change: impl FnOnce(Unstarted) -> Unstarted,
    ) -> Self {
        let nextcloud = Nextcloud::of(version).await;
        // Each has a password of its own, so that it names one account as a bearer token, too.
        let passwords =
            ["admin", "alice", "carol"].map(|user| (user, format!("{PASSWORD}-{user}")));
        nextcloud.accounts(passwords.iter().map(|(user, it)| (*user, *user, &**it)));
        nextcloud.keep_webhooks();
        // The answer with its version.
        nextcloud.answer("capabilities-anonymous");
        let mut settings = ClientSettings::default();
        settings.timeout = timeout;
        let groupware = Groupware::new(nextcloud.url().parse().unwrap(), settings).unwrap();
        let change = |gateway: Unstarted| change(gateway.groupware(groupware));
        let gateway = TestGateway::start(Bounds::default(), change).await;
        for (user, password) in &passwords {
            let password = AppPassword::new(password).unwrap();
            gateway.vault.put(user, user, &password).await.unwrap();
        }
        gateway.vault.remove("bob").await.unwrap();
        Self { nextcloud, gateway }
    }

    async fn call(&self, user: &str, method: &str, path: &str, body: &str) -> Answer {
        self.gateway.call(user, method, path, body).await
    }

    async fn put(&self, user: &str, preset: &str, uri: &str) -> Answer {
        let body = json!({ "uri": uri }).to_string();
        self.call(user, "PUT", &format!("{PRESETS}/{preset}"), &body).await
    }

    async fn show(&self, preset: &str, uri: Option<&str>) -> Value {
        let path = match uri {
            Some(uri) => at(preset, uri),
            None => format!("{PRESETS}/{preset}"),
        };
        // Not `admin`, whose password some tests revoke.
        let answer = self.call("carol", "GET", &path, "").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    async fn delete(&self, user: &str, preset: &str, uri: &str) -> Answer {
        self.call(user, "DELETE", &at(preset, uri), "").await
    }

    /// The ids of the registrations at the server.
    fn ids(&self) -> BTreeSet<i64> {
        let webhooks = self.nextcloud.webhooks();
        webhooks.iter().map(|it| it["id"].as_i64().unwrap()).collect()
    }

    /// How often each webhook of `preset` is registered at `uri`.
    async fn counts(&self, preset: &str, uri: &str) -> Vec<usize> {
        let shown = self.show(preset, Some(uri)).await;
        let webhooks = shown["addresses"][0]["webhooks"].as_array().unwrap().iter();
        webhooks.map(|webhook| webhook["ids"].as_array().unwrap().len()).collect()
    }
}

/// The filter of the preset `tags` before Nextcloud 34.
fn tags_filter() -> Value {
    let class = KnownEvent::named("TagAssignedEvent").unwrap();
    let bounding = json!(class.bounding_filters[0].event_filter);
    json!({"$and": [{"event.objectType": "files"}, bounding]})
}

/// The path of a preset, with an address in the query.
fn at(preset: &str, uri: &str) -> String {
    let uri = utf8_percent_encode(uri, NON_ALPHANUMERIC);
    format!("{PRESETS}/{preset}?uri={uri}")
}

/// The ids in a list.
fn ids(list: &Value) -> BTreeSet<i64> {
    let list = list.as_array().unwrap_or_else(|| panic!("{list}"));
    list.iter().map(|id| id.as_i64().unwrap()).collect()
}
