//! The routes of presets, and their answers while the server works.

use portreeve::gateway::{UnboundedWebhooks, WebhookPresets};
use portreeve::groupware::{DeliveryAuth, EventClasses, KnownEvent};
use serde_json::{Value, json};

use super::{Bench, PRESETS, URI, at, tags_filter};
use crate::support::gateway::set;
use crate::support::nextcloud::Release;

#[tokio::test]
async fn api_4_6_a_preset_is_enabled_shown_and_disabled() {
    for version in Release::ALL {
        let bench = Bench::of(version, std::time::Duration::from_secs(20), |it| it).await;
        for preset in ["calendar", "files", "notes", "tags"] {
            let before = bench.ids();
            assert_eq!(
                bench.show(preset, None).await,
                json!({"preset": preset, "state": "disabled", "addresses": []})
            );
            let enabled = bench.put("admin", preset, URI).await;
            assert_eq!(enabled.status, 200, "{enabled:?}");
            let enabled = enabled.json();
            assert_eq!((&enabled["state"], &enabled["uri"]), (&json!("enabled"), &json!(URI)));
            let created: Vec<_> = bench.ids().difference(&before).copied().collect();
            assert_eq!(enabled["created"], json!(created));

            // The answer lists exactly what is registered.
            let webhooks = bench.nextcloud.webhooks();
            let registered: Vec<_> = webhooks
                .iter()
                .filter(|it| !before.contains(&it["id"].as_i64().unwrap()))
                .map(|it| {
                    assert_eq!(
                        (&it["uri"], &it["httpMethod"]),
                        (&json!(URI), &json!("POST"))
                    );
                    json!({"event": it["event"], "eventFilter": it["eventFilter"], "ids": [it["id"]]})
                })
                .collect();
            assert_eq!(json!(registered), enabled["webhooks"]);
            assert_eq!(enabled["deleted"], json!([]));

            // Enabling it again changes nothing, and costs one call.
            let seen = bench.nextcloud.seen().len();
            let again = bench.put("carol", preset, URI).await.json();
            assert_eq!((&again["created"], &again["state"]), (&json!([]), &json!("enabled")));
            assert_eq!(again["webhooks"], enabled["webhooks"]);
            assert_eq!(bench.nextcloud.seen().len(), seen + 1);
        }
        let all = bench.ids();
        for preset in ["files", "calendar", "tags", "notes"] {
            let shown = bench.show(preset, None).await;
            assert_eq!(shown["state"], "enabled");
            assert_eq!(shown["addresses"][0]["uri"], URI);
            let before = bench.ids();
            let answer = bench.delete("carol", preset, URI).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            let gone: Vec<_> = before.difference(&bench.ids()).copied().collect();
            let answer = answer.json();
            assert_eq!(
                (&answer["preset"], &answer["uri"], &answer["state"]),
                (&json!(preset), &json!(URI), &json!("disabled"))
            );
            assert_eq!((&answer["created"], &answer["deleted"]), (&json!([]), &json!(gone)));
            let again = bench.delete("admin", preset, URI).await.json();
            assert_eq!(again["deleted"], json!([]));
        }
        // The move of a calendar object is bounded only where there is room for two calendars.
        assert_eq!(all.len(), if version == Release::V34 { 18 } else { 17 });
        assert!(bench.ids().is_empty());
    }
}

#[tokio::test]
async fn api_4_6_what_is_missing_is_registered_and_what_is_superfluous_deleted() {
    let bench = Bench::start().await;
    let record = |event: &str, more: Value| {
        let mut record = json!({
            "id": 0, "appId": null, "userId": "admin", "httpMethod": "POST", "uri": URI,
            "event": format!(r"OCP\SystemTag\{event}"), "eventFilter": tags_filter(),
            "userIdFilter": "", "headers": null, "authMethod": "none", "authData": null,
        });
        for (key, value) in more.as_object().unwrap() {
            record[key] = value.clone();
        }
        bench.nextcloud.add_webhook(record)
    };
    let present =
        json!({"userId": "carol", "httpMethod": "post", "headers": [], "tokenNeeded": []});
    let present = record("TagAssignedEvent", present);
    let others = [
        record("TagAssignedEvent", json!({"uri": "https://hooks.example.org/other"})),
        record("TagUnassignedEvent", json!({"userIdFilter": "alice"})),
        record("TagUnassignedEvent", json!({"headers": {"X-A": "1"}})),
        record("TagUnassignedEvent", json!({"httpMethod": "PUT"})),
        record("TagUnassignedEvent", json!({"appId": "an_app"})),
        record("TagUnassignedEvent", json!({"eventFilter": []})),
        record("TagUnassignedEvent", json!({"authMethod": "header", "authData": "fa4e"})),
        record("TagUnassignedEvent", json!({"tokenNeeded": {"user_ids": ["bob"]}})),
        // The gateway registers no webhooks like these.
        bench.nextcloud.add_webhook(json!({"id": 0, "uri": URI})),
        bench.nextcloud.add_webhook(json!({"id": 0, "uri": URI, "event": 5})),
    ];

    let shown = bench.show("tags", None).await;
    assert_eq!(shown["state"], "partly");
    let addresses = shown["addresses"].as_array().unwrap();
    assert_eq!(addresses.len(), 2);
    assert_eq!(addresses[0]["uri"], URI);
    assert_eq!(addresses[0]["webhooks"][0]["ids"], json!([present]));
    assert_eq!(addresses[0]["webhooks"][1]["ids"], json!([]));
    // New ones have no credential.
    assert_eq!(addresses[0]["outdated"], json!([others[6]]));
    assert_eq!(addresses[1]["uri"], "https://hooks.example.org/other");
    let there = bench.show("tags", Some("https://hooks.example.org/none")).await;
    assert_eq!(there["state"], "disabled");
    assert_eq!(there["addresses"][0]["webhooks"][1]["ids"], json!([]));

    // Two gateways may have registered one twice: the oldest stays.
    let twice = record("TagAssignedEvent", json!({}));
    let enabled = bench.put("admin", "tags", URI).await.json();
    // What was outdated is changed in place.
    let new = others[6];
    assert_eq!(enabled["created"], json!([]));
    assert_eq!(enabled["deleted"], json!([twice]));
    assert_eq!(enabled["webhooks"][0]["ids"], json!([present]));
    assert_eq!(enabled["webhooks"][1]["ids"], json!([new]));

    let again = [
        record("TagAssignedEvent", json!({})),
        record("TagUnassignedEvent", json!({"authMethod": "header"})),
    ];
    let answer = bench.delete("admin", "tags", URI).await;
    let gone = json!([present, new, again[0], again[1]]);
    assert_eq!(answer.json()["deleted"], gone, "{answer:?}");
    let left: Vec<_> = bench.ids().into_iter().collect();
    assert_eq!(left, [&others[..6], &others[7..]].concat());
}

#[tokio::test]
async fn api_4_5_deliveries_of_a_preset_carry_the_credential_of_the_address() {
    let auth = || DeliveryAuth::derived("a secret of the tests".into()).unwrap();
    let with = set(|settings| settings.delivery = Some(auth()));
    let bench = Bench::of(Release::default(), std::time::Duration::from_secs(20), with).await;
    let enabled = bench.put("admin", "tags", URI).await;
    assert_eq!(enabled.json()["state"], "enabled", "{enabled:?}");
    let seen = bench.nextcloud.seen();
    let created: Vec<Value> = seen
        .iter()
        .filter(|it| it.method == "POST")
        .map(|it| serde_json::from_slice(&it.body).unwrap())
        .collect();
    assert_eq!(created.len(), 2);
    for sent in created {
        assert_eq!(sent["authMethod"], "header");
        let expected = auth().authorization_for(URI);
        assert_eq!(sent["authData"]["Authorization"], expected.expose());
    }
    // Without the secret these are outdated.
    let without = bench.gateway.beside(bench.nextcloud.url(), |it| it).await;
    let shown = without.call("admin", "GET", &at("tags", URI), "").await;
    let shown = &shown.json()["addresses"][0];
    assert_eq!((&shown["state"], &shown["outdated"]), (&json!("partly"), &json!([1, 2])));
    let deleted = without.call("admin", "DELETE", &at("tags", URI), "").await;
    assert_eq!(deleted.json()["deleted"], json!([1, 2]));
}

#[tokio::test]
async fn api_4_6_an_operators_presets_are_listed_and_registered() {
    let own = json!({
        "notes": {"webhooks": [{"event": r"\OCP\Files\Events\Node\NodeWrittenEvent"}]},
        "odd": {"description": "What PHP changes", "webhooks": [{
            "event": r"OCP\Files\Events\Node\NodeCreatedEvent",
            "event_filter": {
                "time": {"$gt": 5.0},
                "user.uid": {"$ne": {"0": "alice", "1": "ü/ß 😀"}},
                "event.node.id": {"$ne": {}},
            },
        }]},
    });
    let presets = WebhookPresets::with(&own.to_string(), &EventClasses::default()).unwrap();
    let with = set(|settings| settings.presets = presets);
    let bench = Bench::of(Release::default(), std::time::Duration::from_secs(20), with).await;
    let list = bench.call("alice", "GET", PRESETS, "").await.json();
    let named = |name: &str| {
        let presets = list["presets"].as_array().unwrap();
        presets.iter().find(|it| it["name"] == name).unwrap().clone()
    };
    assert_eq!(
        named("notes"),
        json!({"name": "notes", "description": "", "built_in": false,
            "webhooks": [{"event": r"OCP\Files\Events\Node\NodeWrittenEvent", "eventFilter": null}]})
    );
    for preset in ["notes", "odd"] {
        for created in [1, 0] {
            let answer = bench.put("admin", preset, URI).await;
            assert_eq!(answer.json()["state"], "enabled", "{answer:?}");
            assert_eq!(answer.json()["created"].as_array().unwrap().len(), created);
        }
        assert_eq!(bench.counts(preset, URI).await, [1]);
    }
    assert_eq!(bench.ids().len(), 2);
    // A webhook with another filter is another one.
    let webhook = &own["odd"]["webhooks"][0];
    for (key, value) in [
        ("time", json!({"$gt": "5"})),
        ("user.uid", json!({"$ne": ["ü/ß 😀", "alice"]})),
        ("user.uid", json!({"$ne": {"1": "alice", "2": "ü/ß 😀"}})),
        ("event.node.id", json!({"$ne": null})),
        ("event.node.path", json!("/a")),
    ] {
        let mut filter = webhook["event_filter"].clone();
        filter[key] = value;
        bench.nextcloud.add_webhook(json!({
            "id": 0, "httpMethod": "POST", "uri": URI, "event": webhook["event"], "eventFilter": filter,
        }));
    }
    let deleted = bench.delete("admin", "odd", URI).await.json();
    assert_eq!(deleted["deleted"], json!([2]));
    assert_eq!(bench.ids().len(), 6);
}

#[test]
fn at_most_64_presets_are_possible() {
    let own: serde_json::Map<_, _> = (0..=WebhookPresets::MAX)
        .map(|at| (format!("p{at}"), json!({"webhooks": [{"event": "A"}]})))
        .collect();
    let error = WebhookPresets::with(&json!(own).to_string(), &EventClasses::default());
    assert_eq!(error.unwrap_err().to_string(), "at most 64 presets are possible");
}

/// Filters for another version of the server let deliveries through that are too large, or too few. A registration is
/// changed in place: what waits for it at the server would be lost with it.
#[tokio::test]
async fn api_4_6_outdated_registrations_are_changed_in_place() {
    for (version, other) in [(Release::V32, 1), (Release::V34, 0)] {
        let bench = Bench::of(version, std::time::Duration::from_secs(20), |it| it).await;
        let record = |class: &str, filter: &Value, uri: &str| {
            bench.nextcloud.add_webhook(json!({
                "id": 0, "appId": null, "userId": "admin", "httpMethod": "POST", "uri": uri, "event": class,
                "eventFilter": filter, "userIdFilter": "", "headers": null, "authMethod": "none", "authData": null,
            }))
        };
        let created = KnownEvent::named("CalendarObjectCreatedEvent").unwrap();
        let for_other = json!(created.bounding_filters[other].event_filter);
        let outdated =
            [record(created.class, &for_other, URI), record(created.class, &for_other, URI)];
        // Not a webhook of a preset, or at another address.
        let kept = [
            record(created.class, &json!({"user.uid": "alice"}), URI),
            record(created.class, &for_other, "https://hooks.example.org/other"),
        ];
        let shown = bench.show("calendar", Some(URI)).await;
        assert_eq!(shown["state"], "partly");
        assert_eq!(shown["addresses"][0]["outdated"], json!(outdated));
        assert_eq!(bench.show("calendar", None).await["addresses"].as_array().unwrap().len(), 2);

        let enabled = bench.put("admin", "calendar", URI).await.json();
        assert_eq!(
            (&enabled["state"], &enabled["deleted"]),
            (&json!("enabled"), &json!([outdated[1]]))
        );
        let of_class = |it: &&Value| it["event"].as_str() == Some(created.class);
        let updated = enabled["webhooks"].as_array().unwrap().iter().find(of_class);
        assert_eq!(updated.unwrap()["ids"], json!([outdated[0]]));
        assert!(enabled.get("outdated").is_none() && enabled.get("warnings").is_none());
        let count = enabled["created"].as_array().unwrap().len();
        assert_eq!(bench.ids().len(), kept.len() + 1 + count);

        // Outdated webhooks are deleted with the preset, too.
        let again = record(created.class, &for_other, URI);
        let deleted = bench.delete("carol", "calendar", URI).await.json();
        assert!(deleted["deleted"].as_array().unwrap().contains(&json!(again)));
        assert_eq!(bench.ids(), kept.into_iter().collect());
    }
}

#[tokio::test]
async fn api_4_9_an_operators_unbounded_preset_is_warned_of_or_refused() {
    let own = r#"{"own": {"webhooks": [{"event": "OCP\\SystemTag\\TagAssignedEvent"}]}}"#;
    let presets = || WebhookPresets::with(own, &EventClasses::default()).unwrap();
    let with = set(|settings| settings.presets = presets());
    let bench = Bench::of(Release::V32, std::time::Duration::from_secs(20), with).await;
    let answer = bench.put("admin", "own", URI).await.json();
    let [warning] = answer["warnings"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    let warning = warning.as_str().unwrap();
    assert!(warning.contains("event.objectIds") && warning.contains("4000"), "{warning}");
    assert_eq!(bench.ids().len(), 1);
    let strict = set(|settings| {
        settings.presets = presets();
        settings.unbounded_webhooks = UnboundedWebhooks::Refuse;
    });
    let strict = bench.gateway.again(bench.nextcloud.url(), strict).await;
    let body = json!({"uri": "https://hooks.example.org/new"}).to_string();
    let answer = strict.call("admin", "PUT", &format!("{PRESETS}/own"), &body).await;
    let message = answer.assert_error(400, "Bad request");
    assert_eq!(message, format!("This gateway registers no such webhook: {warning}"));
    assert_eq!(bench.ids().len(), 1);
    // The built-in presets are bounded, and never refused.
    let answer = strict.call("admin", "PUT", &format!("{PRESETS}/tags"), &body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}
