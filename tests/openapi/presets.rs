//! Presets of webhooks.

use std::time::Duration;

use portreeve::gateway::{Limits, UnboundedWebhooks, WebhookPresets};
use portreeve::groupware::EventClasses;
use serde_json::{Value, json};

use crate::failures::meta;
use crate::shown::Shown;
use crate::support::gateway::{PASSWORD, TestGateway, Unstarted};
use crate::support::nextcloud::{Break, Nextcloud, Slip};
use crate::webhooks::with_malformed_body;

const PRESETS: &str = "/api/v1/webhook-presets";
const TAGS: &str = "/api/v1/webhook-presets/tags";
const AT: &str = "/api/v1/webhook-presets/tags?uri=https%3A%2F%2Fhooks.example.org%2F";

pub(crate) async fn show(shown: &Shown) {
    let nextcloud = Nextcloud::start().await;
    nextcloud.accounts(["admin", "alice"].map(|user| (user, user, PASSWORD)));
    nextcloud.keep_webhooks();
    let own = r#"{"all": {"webhooks": [{"event": "OCP\\SystemTag\\TagAssignedEvent"}]}}"#;
    let presets = WebhookPresets::with(own, &EventClasses::default()).unwrap();
    // Calls that are retried are answered after nine tenths of this time.
    let limits = Limits::default().request_timeout(Duration::from_secs(4));
    let gateway = TestGateway::with(nextcloud.url(), |it| it.presets(presets).limits(limits)).await;
    let ask = |user, method, path: &'static str, body| {
        let gateway = &gateway;
        async move { shown.call(gateway, user, method, path, &body).await.status }
    };
    let address = || json!({"uri": "https://hooks.example.org/"});

    assert_eq!(ask("carol", "GET", PRESETS, Value::Null).await, 200);
    // Disabled, partly enabled, enabled.
    let partly = [
        ("PUT", TAGS),
        ("GET", TAGS),
        ("GET", AT),
        ("DELETE", AT),
        ("GET", AT),
    ];
    for (method, path) in partly {
        let body = || {
            if method == "PUT" {
                address()
            } else {
                Value::Null
            }
        };
        assert_eq!(
            ask("admin", method, path, body()).await,
            200,
            "{method} {path}"
        );
        assert_eq!(ask("carol", method, path, body()).await, 428);
        assert_eq!(ask("alice", method, path, body()).await, 500);
    }
    assert_eq!(ask("admin", "PUT", TAGS, address()).await, 200);
    let first = nextcloud.webhooks()[0]["id"].as_i64().unwrap();
    let webhook = format!("/api/v1/webhooks/{first}");
    let deleted = shown.call(&gateway, "admin", "DELETE", &webhook, &Value::Null);
    assert_eq!(deleted.await.status, 200);
    assert_eq!(ask("admin", "GET", TAGS, Value::Null).await, 200);

    // The first call fails, or the second one.
    nextcloud.slip([Some(Slip::Before(Break::Internal))], None);
    assert_eq!(ask("admin", "GET", TAGS, Value::Null).await, 500);
    for (method, path, body) in [("PUT", TAGS, address()), ("DELETE", AT, Value::Null)] {
        nextcloud.slip([None], Some(Slip::Before(Break::Internal)));
        assert_eq!(ask("admin", method, path, body).await, 500);
        nextcloud.slip([], None);
        // Waits until the work in the background has ended.
        assert_eq!(ask("admin", "PUT", TAGS, address()).await, 200);
    }

    // A webhook of an earlier version, and an operator's own preset, which has no bounding filter.
    let mut record = nextcloud.webhooks()[0].clone();
    record["eventFilter"] = json!({"event.objectType": "files"});
    nextcloud.add_webhook(record.clone());
    assert_eq!(ask("admin", "GET", TAGS, Value::Null).await, 200);
    // It cannot be deleted at first.
    nextcloud.slip([None], Some(Slip::Before(Break::Internal)));
    assert_eq!(ask("admin", "PUT", TAGS, address()).await, 200);
    nextcloud.slip([], None);
    nextcloud.add_webhook(record);
    for path in [TAGS, "/api/v1/webhook-presets/all"] {
        assert_eq!(ask("admin", "PUT", path, address()).await, 200);
    }
    let refusing = |it: Unstarted| {
        it.presets(WebhookPresets::with(own, &EventClasses::default()).unwrap())
            .unbounded_webhooks(UnboundedWebhooks::Refuse)
    };
    let refusing = TestGateway::with(nextcloud.url(), refusing).await;
    let path = "/api/v1/webhook-presets/all";
    let wanted = address();
    let refused = shown.call(&refusing, "admin", "PUT", path, &wanted);
    assert_eq!(refused.await.status, 400);

    let too_large = json!({"uri": "u".repeat(70_000)});
    for (method, path, body, status) in [
        ("PUT", TAGS, json!({}), 400),
        ("PUT", TAGS, too_large, 413),
        ("GET", "/api/v1/webhook-presets/tags?uri=", Value::Null, 400),
        (
            "DELETE",
            "/api/v1/webhook-presets/tags?uri=",
            Value::Null,
            400,
        ),
        ("DELETE", TAGS, Value::Null, 400),
        ("GET", "/api/v1/webhook-presets/none", Value::Null, 404),
        ("PUT", "/api/v1/webhook-presets/none", address(), 404),
        (
            "DELETE",
            "/api/v1/webhook-presets/none?uri=u",
            Value::Null,
            404,
        ),
    ] {
        assert_eq!(
            ask("admin", method, path, body).await,
            status,
            "{method} {path}"
        );
    }
    assert_eq!(
        with_malformed_body(shown, &gateway, "PUT", TAGS)
            .await
            .status,
        400
    );

    let off = Nextcloud::start().await;
    off.answer_with("webhooks-list-admin", 404, meta(998, ""));
    let gateway = TestGateway::before(off.url()).await;
    let answer = shown
        .call(&gateway, "admin", "GET", TAGS, &Value::Null)
        .await;
    assert_eq!(answer.status, 500, "{answer:?}");
}
