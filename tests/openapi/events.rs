//! The catalogue of events, and what a filter would do.

use serde_json::{Value, json};

use crate::shown::Shown;
use crate::support::gateway::TestGateway;
use crate::support::nextcloud::Nextcloud;
use crate::webhooks::with_malformed_body;

const EVENTS: &str = "/api/v1/events";
const MATCH: &str = "/api/v1/events/match";
const EVENT: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";

pub(crate) async fn show(shown: &Shown) {
    let nextcloud = Nextcloud::start().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let ask = |method, path, body: Value| {
        let gateway = &gateway;
        async move { shown.call(gateway, "carol", method, path, &body).await }
    };

    assert_eq!(ask("GET", EVENTS, Value::Null).await.status, 200);
    for filter in [
        json!({"user.uid": "alice"}),
        json!({"user.uid": "bob"}),
        json!({"user.uid": {"$like": "x"}}),
        json!({"user.uid": "/(?=x)/"}),
        json!(null),
        json!(false),
        json!(0),
        json!(""),
        json!([]),
        json!({}),
    ] {
        for name in ["eventFilter", "event_filter"] {
            let body = json!({"event": EVENT, name: filter});
            assert_eq!(ask("POST", MATCH, body).await.status, 200, "{filter}");
        }
    }
    let sample = json!({"event": "any", "sample": {"event": {"title": "x"}}});
    assert_eq!(ask("POST", MATCH, sample).await.status, 200);
    let at_version = json!({"event": EVENT, "server_version": 34});
    assert_eq!(ask("POST", MATCH, at_version).await.status, 200);
    for (body, status) in [
        (json!([]), 400),
        (json!({}), 400),
        (json!({"event": "any"}), 400),
        (json!({"event": "NodeCreatedEvent"}), 400),
        (json!({"event": EVENT, "sample": 5}), 400),
        (json!({"event": EVENT, "server_version": "new"}), 400),
        (json!({"event": "u".repeat(70_000)}), 413),
    ] {
        assert_eq!(ask("POST", MATCH, body).await.status, status);
    }
    assert_eq!(
        with_malformed_body(shown, &gateway, "POST", MATCH)
            .await
            .status,
        400
    );
    assert_eq!(nextcloud.seen().len(), 0);
}
