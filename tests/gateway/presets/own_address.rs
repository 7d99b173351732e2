//! Presets at the gateway's own address: whose credential a registration has, and that each event arrives once.

use std::time::Duration;

use portreeve::deliveries::{Deliveries, Limits, Networks, Queue, Worker};
use portreeve::gateway::Settings;
use portreeve::groupware::DeliveryAuth;
use portreeve::vault::{Keyring, SqliteStore, Vault};
use serde_json::{Value, json};

use super::{Bench, PRESETS};
use crate::support::gateway::{TestGateway, Unstarted};
use crate::support::nextcloud::{Break, Release, Slip};

const ADDRESS: &str = "https://gate.example.org";

/// A bench whose gateway has `secret`, and receives deliveries at `address`, not at the one for callers; and a folder
/// that must stay.
fn receiving(
    address: &'static str,
    secret: &'static str,
) -> (impl FnOnce(Unstarted) -> Unstarted, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("db");
    let change = move |gateway: Unstarted| {
        let store = tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(SqliteStore::open(path))
        });
        let store = store.unwrap();
        let queue = Queue::in_sqlite(&store);
        let vault = Vault::new(Keyring::generate().unwrap(), store);
        let deliveries = Deliveries::new(vault, queue, Limits::default());
        let worker = Worker::new(deliveries, Networks::default());
        let mut settings = Settings::default();
        settings.delivery = Some(DeliveryAuth::derived(secret.into()).unwrap());
        settings.receives_at = Some(address.parse().unwrap());
        settings.public_url = Some("https://public.example.org".parse().unwrap());
        gateway.settings(settings).deliveries(worker)
    };
    (change, dir)
}

struct Own {
    bench: Bench,
    others: Vec<TestGateway>,
    _dirs: Vec<tempfile::TempDir>,
}

impl Own {
    async fn start(version: Release) -> Self {
        let (change, dir) = receiving(ADDRESS, "a secret");
        Self {
            bench: Bench::of(version, Duration::from_secs(20), change).await,
            others: Vec::new(),
            _dirs: vec![dir],
        }
    }

    /// The gateway after a restart with other settings.
    async fn restart(&mut self, address: &'static str, secret: &'static str) {
        let (change, dir) = receiving(address, secret);
        let gateway = self.bench.gateway.beside(self.bench.nextcloud.url(), change);
        self.others.push(gateway.await);
        self._dirs.push(dir);
    }

    async fn call(&self, method: &str, preset: &str) -> Value {
        let (path, body) = match method {
            "PUT" => (format!("{PRESETS}/{preset}"), r#"{"uri": "self"}"#),
            _ => (format!("{PRESETS}/{preset}?uri=self"), ""),
        };
        let gateway = self.others.last().unwrap_or(&self.bench.gateway);
        let answer = gateway.call("admin", method, &path, body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// The state of a preset, and the one that covers it.
    async fn state(&self, preset: &str) -> (String, Value) {
        let shown = self.call("GET", preset).await;
        let state = shown["state"].as_str().unwrap().to_owned();
        (state, shown["addresses"][0]["covered_by"].clone())
    }

    /// Ids, addresses and filters of what is registered.
    fn registered(&self) -> Vec<(i64, String, String)> {
        let all = self.bench.nextcloud.webhooks();
        let text = |it: &Value| it.as_str().unwrap().to_owned();
        let registered = all.iter().map(|it| {
            (it["id"].as_i64().unwrap(), text(&it["uri"]), it["eventFilter"].to_string())
        });
        registered.collect()
    }

    fn ids(&self) -> Vec<i64> {
        self.registered().into_iter().map(|(id, ..)| id).collect()
    }

    /// The credentials that were sent with registrations, in their order.
    fn sent(&self) -> Vec<String> {
        let seen = self.bench.nextcloud.seen();
        let sent = seen.iter().filter(|it| it.method == "POST");
        let sent = sent.map(|it| serde_json::from_slice::<Value>(&it.body).unwrap());
        sent.map(|it| it["authData"]["Authorization"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn api_4_6_after_a_new_secret_or_address_a_preset_at_self_is_outdated_and_changed_in_place() {
    let mut own = Own::start(Release::default()).await;
    own.call("PUT", "tags").await;
    let ids = own.ids();
    assert_eq!(ids.len(), 2);
    assert_eq!(own.state("tags").await.0, "enabled");
    for (address, secret) in
        [(ADDRESS, "a new secret"), ("https://other.example.org", "a new secret")]
    {
        own.restart(address, secret).await;
        let shown = own.call("GET", "tags").await;
        assert_eq!(shown["state"], "partly", "{shown}");
        assert_eq!(shown["addresses"][0]["outdated"], json!(ids));
        let put = own.call("PUT", "tags").await;
        assert_eq!((&put["created"], &put["deleted"]), (&json!([]), &json!([])));
        assert_eq!(own.ids(), ids);
        let uri = format!("{address}/webhooks/nextcloud");
        assert!(own.registered().iter().all(|(_, it, _)| *it == uri));
        let auth = DeliveryAuth::derived(secret.into()).unwrap();
        assert_eq!(own.sent().last().unwrap(), auth.authorization_for(&uri).expose());
        assert_eq!(own.state("tags").await.0, "enabled");
        // Nothing is left to do.
        let sent = own.sent().len();
        own.call("PUT", "tags").await;
        assert_eq!(own.sent().len(), sent);
    }
    own.call("DELETE", "tags").await;
    assert!(own.ids().is_empty());
}

/// As an earlier version left them, or somebody by hand: their credential is not known.
#[tokio::test(flavor = "multi_thread")]
async fn api_4_6_what_the_gateway_did_not_register_at_self_is_outdated_and_taken_over() {
    let own = Own::start(Release::default()).await;
    own.call("PUT", "tags").await;
    let made = own.bench.nextcloud.webhooks();
    own.call("DELETE", "tags").await;
    let ids: Vec<_> = made.into_iter().map(|it| own.bench.nextcloud.add_webhook(it)).collect();
    let elsewhere = json!("https://elsewhere.example.org/webhooks/nextcloud");
    let mut never_ours = own.bench.nextcloud.webhooks()[0].clone();
    never_ours["uri"] = elsewhere.clone();
    let never_ours = own.bench.nextcloud.add_webhook(never_ours);
    assert_eq!(own.state("tags").await.0, "partly");
    own.call("PUT", "tags").await;
    assert_eq!(own.ids(), [&ids[..], &[never_ours]].concat());
    assert_eq!(own.bench.nextcloud.webhooks()[2]["uri"], elsewhere);
    assert_eq!(own.state("tags").await.0, "enabled");
}

/// The server answers the update of a registration that has just gone as if it were there.
#[tokio::test(flavor = "multi_thread")]
async fn api_4_6_an_update_whose_answer_lies_is_noticed() {
    let mut own = Own::start(Release::default()).await;
    own.call("PUT", "tags").await;
    own.restart(ADDRESS, "a new secret").await;
    own.bench.nextcloud.slip([None, Some(Slip::Undone)], None);
    own.call("PUT", "tags").await;
    assert_eq!(own.state("tags").await.0, "enabled");
    assert_eq!(own.ids().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn api_4_6_each_event_arrives_once_at_self_whatever_presets_have_it() {
    for version in [Release::V32, Release::V34] {
        let own = Own::start(version).await;
        let enabled = |covered_by: Value| ("enabled".to_owned(), covered_by);
        own.call("PUT", "notes").await;
        let notes = own.registered();
        assert_eq!(notes.len(), 5);
        assert_eq!(own.state("files").await.0, "disabled");

        // The wider one takes its place.
        own.call("PUT", "files").await;
        let ids: Vec<_> = notes.iter().map(|(id, ..)| *id).collect();
        assert_eq!(own.ids(), ids);
        assert!(own.registered().iter().all(|(.., filter)| !filter.contains("Notes")));
        assert_eq!(own.state("notes").await, enabled(json!("files")));
        assert_eq!(own.state("files").await, enabled(Value::Null));
        let put = own.call("PUT", "notes").await;
        assert_eq!((&put["covered_by"], &put["created"]), (&json!("files"), &json!([])));
        assert_eq!(own.ids(), ids);

        // It is given back.
        let gone = own.call("DELETE", "files").await;
        assert_eq!(gone["state"], "disabled");
        assert_eq!(own.registered(), notes);
        assert_eq!(own.state("notes").await, enabled(Value::Null));

        // Whoever is covered can go, too.
        own.call("PUT", "files").await;
        own.call("DELETE", "notes").await;
        assert_eq!(own.state("notes").await.0, "disabled");
        assert_eq!(own.ids(), ids);
        own.call("DELETE", "files").await;
        assert!(own.ids().is_empty());
    }
}

/// Whoever may not manage webhooks changes nothing, and so nothing that comes of it later.
#[tokio::test(flavor = "multi_thread")]
async fn api_4_6_what_was_refused_is_not_given_back() {
    let own = Own::start(Release::default()).await;
    own.call("PUT", "files").await;
    let path = format!("{PRESETS}/notes");
    let refused = own.bench.call("alice", "PUT", &path, r#"{"uri": "self"}"#).await;
    refused.assert_error(500, "Internal error");
    assert_eq!(own.state("notes").await.0, "disabled");
    own.call("DELETE", "files").await;
    assert!(own.ids().is_empty(), "{:?}", own.registered());
}

/// Both were registered before presets covered one another.
#[tokio::test(flavor = "multi_thread")]
async fn api_4_6_two_presets_with_the_same_events_at_self_become_one() {
    let own = Own::start(Release::default()).await;
    own.call("PUT", "notes").await;
    let notes = own.bench.nextcloud.webhooks();
    own.call("PUT", "files").await;
    for it in notes {
        own.bench.nextcloud.add_webhook(it);
    }
    assert_eq!(own.ids().len(), 10);
    own.call("PUT", "files").await;
    assert_eq!(own.ids().len(), 5);
    assert_eq!(own.state("notes").await.1, "files");
}

/// Nor is what it covers registered once more meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn api_4_6_after_a_new_secret_a_covered_preset_renews_the_one_that_covers_it() {
    let mut own = Own::start(Release::default()).await;
    own.call("PUT", "files").await;
    own.call("PUT", "notes").await;
    let ids = own.ids();
    own.restart(ADDRESS, "a new secret").await;
    assert_eq!(own.state("notes").await, ("partly".to_owned(), json!("files")));
    let put = own.call("PUT", "notes").await;
    assert_eq!((&put["covered_by"], &put["created"]), (&json!("files"), &json!([])));
    assert_eq!(own.ids(), ids);
    assert_eq!(own.state("files").await.0, "enabled");
    assert_eq!(own.state("notes").await, ("enabled".to_owned(), json!("files")));
}

/// Whatever call fails: while events come twice, no answer says that all is well, and a repeat mends it.
#[tokio::test(flavor = "multi_thread")]
async fn api_4_6_what_another_preset_at_self_covers_is_not_enabled_beside_it() {
    for failing in 2..14 {
        let own = Own::start(Release::default()).await;
        own.call("PUT", "files").await;
        let files = own.bench.nextcloud.webhooks();
        own.call("DELETE", "files").await;
        for it in files {
            own.bench.nextcloud.add_webhook(it);
        }
        own.call("PUT", "notes").await;
        assert_eq!(own.ids().len(), 10);
        for (preset, failing) in [("files", failing), ("notes", failing % 4)] {
            let slips = vec![None; failing].into_iter();
            let slips = slips.chain([Some(Slip::Before(Break::Page(502)))]);
            own.bench.nextcloud.slip(slips, None);
            let path = format!("{PRESETS}/{preset}");
            let put = own.bench.call("admin", "PUT", &path, r#"{"uri": "self"}"#).await;
            own.bench.nextcloud.slip([], None);
            let is_twice = own.ids().len() > 5;
            assert!(!(is_twice && put.status == 200), "{preset} {failing} {put:?}");
            let state = if is_twice { "partly" } else { "enabled" };
            assert_eq!(own.state("files").await.0, state, "{preset} {failing}");
            assert_eq!(own.state("notes").await, (state.to_owned(), json!("files")));
        }
        own.call("PUT", ["files", "notes"][failing % 2]).await;
        assert_eq!(own.ids().len(), 5);
        assert_eq!(own.state("files").await, ("enabled".to_owned(), Value::Null));
        assert_eq!(own.state("notes").await, ("enabled".to_owned(), json!("files")));
    }
}

/// A call that fails in between is continued by a repeat, and nothing is registered twice.
#[tokio::test(flavor = "multi_thread")]
async fn api_4_6_taking_a_place_and_giving_it_back_can_be_interrupted() {
    for failing in 0..9 {
        for slip in [Slip::Before(Break::Page(502)), Slip::After(Break::Page(502))] {
            let own = Own::start(Release::default()).await;
            own.call("PUT", "notes").await;
            for (method, expected) in [("PUT", ["enabled", "files"]), ("DELETE", ["disabled", ""])]
            {
                let mut slips = vec![None; failing];
                slips.push(Some(slip));
                own.bench.nextcloud.slip(slips, None);
                let path = match method {
                    "PUT" => format!("{PRESETS}/files"),
                    _ => format!("{PRESETS}/files?uri=self"),
                };
                let body = [r#"{"uri": "self"}"#, ""][usize::from(method == "DELETE")];
                own.bench.call("admin", method, &path, body).await;
                own.bench.nextcloud.slip([], None);
                own.call(method, "files").await;
                assert_eq!(own.ids().len(), 5, "{method} {failing} {slip:?}");
                assert_eq!(own.state("files").await.0, expected[0]);
                let (state, covered_by) = own.state("notes").await;
                assert_eq!(state, "enabled", "{method} {failing} {slip:?}");
                assert_eq!(covered_by.as_str().unwrap_or_default(), expected[1]);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn api_4_6_two_gateways_that_enable_a_preset_at_self_at_once_both_succeed() {
    let mut own = Own::start(Release::default()).await;
    own.restart(ADDRESS, "a secret").await;
    let path = format!("{PRESETS}/files");
    for round in 0..10 {
        own.bench.nextcloud.delay(Duration::from_millis(round % 5));
        let put = async |gateway: &TestGateway| {
            let called = gateway.call("admin", "PUT", &path, r#"{"uri": "self"}"#);
            called.await.status
        };
        let both = tokio::join!(put(&own.bench.gateway), put(&own.others[0]));
        assert_eq!(both, (200, 200), "{round}");
        assert_eq!(own.ids().len(), 5, "{round}");
        assert_eq!(own.state("files").await.0, "enabled", "{round}");
        own.call("DELETE", "files").await;
    }
}
