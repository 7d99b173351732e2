//! More registrations at the server than the gateway reads in one answer.

use serde_json::json;

use super::{Bench, PRESETS, URI};

#[tokio::test]
async fn api_4_6_presets_work_however_many_registrations_there_are() {
    let bench = Bench::start().await;
    let other = bench.nextcloud.add_webhook(json!({
        "id": 0, "uri": "https://hooks.example.org/other", "httpMethod": "POST",
        "event": r"OCP\Files\Events\Node\NodeCreatedEvent",
        "eventFilter": {"user.uid": "a".repeat(9 * 1024 * 1024)},
    }));
    let whole = format!("{PRESETS}/notes");
    for path in ["/api/v1/webhooks", &whole] {
        let answer = bench.call("admin", "GET", path, "").await;
        let message = answer.assert_error(500, "Internal error");
        assert_eq!(
            message,
            "The groupware server sent more than the gateway accepts in one answer."
        );
    }
    let enabled = bench.put("admin", "notes", URI).await;
    assert_eq!(enabled.json()["state"], "enabled", "{enabled:?}");
    assert_eq!(bench.show("notes", Some(URI)).await["state"], "enabled");
    let disabled = bench.delete("admin", "notes", URI).await;
    assert_eq!(disabled.json()["state"], "disabled", "{disabled:?}");
    assert_eq!(bench.ids(), [other].into());
}
