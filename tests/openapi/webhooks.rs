//! Apps and webhooks.

use portreeve::gateway::UnboundedWebhooks;
use serde_json::{Value, json};

use crate::shown::Shown;
use crate::support::gateway::{Answer, TestGateway, Unstarted};
use crate::support::nextcloud::Nextcloud;

const APPS: &str = "/api/v1/apps";
const WEBHOOKS: &str = "/api/v1/webhooks";
const EVENT: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";

pub(crate) async fn show(shown: &Shown) {
    let nextcloud = Nextcloud::start().await;
    for name in [
        "capabilities-admin-app-password",
        "webhooks-list-admin",
        "webhooks-create-event-filter",
        "webhooks-delete-admin",
        "webhooks-delete-missing-admin",
    ] {
        nextcloud.answer(name);
    }
    let gateway = TestGateway::before(nextcloud.url()).await;
    let ask = |user, method, path, body| {
        let gateway = &gateway;
        async move { shown.call(gateway, user, method, path, &body).await }
    };
    let wanted = json!({"event": EVENT, "uri": "https://hooks.example.org/"});

    for (method, path, body) in [
        ("GET", APPS, Value::Null),
        ("GET", WEBHOOKS, Value::Null),
        ("POST", WEBHOOKS, wanted.clone()),
        ("DELETE", "/api/v1/webhooks/7", Value::Null),
    ] {
        let provisioned = ask("admin", method, path, body.clone()).await;
        // The recorded deletions are of other ids.
        assert!(matches!(provisioned.status, 200 | 404), "{provisioned:?}");
        assert_eq!(ask("carol", method, path, body).await.status, 428);
    }
    for (name, status) in [
        ("webhooks-delete-admin", 200),
        ("webhooks-delete-missing-admin", 404),
    ] {
        nextcloud.answer(name);
        let path = crate::support::nextcloud::Recording::load(name)
            .request
            .path;
        let id = path.rsplit('/').next().unwrap();
        let path = format!("{WEBHOOKS}/{id}");
        let answer = shown
            .call(&gateway, "admin", "DELETE", &path, &Value::Null)
            .await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
    for filter in [
        json!({"event.node.path": "/x/"}),
        json!(null),
        json!(false),
        json!(0),
        json!(""),
        json!([]),
        json!({}),
    ] {
        for name in ["eventFilter", "event_filter"] {
            let mut body = wanted.clone();
            body[name] = filter.clone();
            assert_eq!(
                ask("admin", "POST", WEBHOOKS, body).await.status,
                200,
                "{filter}"
            );
        }
    }

    let refusing = |it: Unstarted| it.unbounded_webhooks(UnboundedWebhooks::Refuse);
    let refusing = TestGateway::with(nextcloud.url(), refusing).await;
    let refused = shown.call(&refusing, "admin", "POST", WEBHOOKS, &wanted);
    assert_eq!(refused.await.status, 400);

    let too_large = json!({"event": EVENT, "uri": "u".repeat(70_000)});
    for (body, status) in [
        (json!({}), 400),
        (json!([]), 400),
        (json!({"event": EVENT, "uri": "u", "eventFilter": 5}), 400),
        (too_large, 413),
        (Value::Null, 500),
    ] {
        assert_eq!(ask("admin", "POST", WEBHOOKS, body).await.status, status);
    }
    assert_eq!(
        with_malformed_body(shown, &gateway, "POST", WEBHOOKS)
            .await
            .status,
        400
    );
    assert_eq!(
        ask("admin", "DELETE", "/api/v1/webhooks/x", Value::Null)
            .await
            .status,
        400
    );
}

/// A request whose chunked body is malformed.
pub(crate) async fn with_malformed_body(
    shown: &Shown,
    gateway: &TestGateway,
    method: &str,
    path: &str,
) -> Answer {
    let fields = format!(
        "Authorization: Bearer {}\r\nTransfer-Encoding: chunked\r\n",
        gateway.token("admin")
    );
    shown
        .send(gateway.address, method, path, &fields, "no chunk\r\n")
        .await
}
