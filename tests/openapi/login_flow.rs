//! App passwords that are granted on the server's own page.

use serde_json::Value;

use crate::shown::Shown;
use crate::support::gateway::TestGateway;
use crate::support::nextcloud::Nextcloud;

const FLOW: &str = "/api/v1/background-sync/login-flow";
const UNKNOWN: &str = "/api/v1/background-sync/login-flow/another";
/// Of `login-flow-v2-poll-after-grant`.
const GRANTED: &str = "FAKEAppPasswordFromLoginFlow00000000000000000000000000000000000000000000";

pub(crate) async fn show(shown: &Shown) {
    // Granted by the caller, by somebody else, and with a password that is refused.
    for (accounts, status) in [
        (vec![("alice", "alice", GRANTED)], 200),
        (vec![("bob", "alice", GRANTED)], 403),
        (vec![], 422),
    ] {
        let nextcloud = Nextcloud::start().await;
        for name in [
            "login-flow-v2-init",
            "login-flow-v2-poll-before-grant",
            "user-alice",
            "apppassword-delete",
        ] {
            nextcloud.answer(name);
        }
        nextcloud.accounts(accounts);
        let gateway = TestGateway::before(nextcloud.url()).await;
        let ask = |method, path| {
            let gateway = &gateway;
            async move {
                shown
                    .call(gateway, "alice", method, path, &Value::Null)
                    .await
            }
        };
        let started = ask("POST", FLOW).await;
        assert_eq!(started.status, 200, "{started:?}");
        let flow = format!("{FLOW}/{}", started.json()["flow_id"].as_str().unwrap());
        assert_eq!(ask("GET", &flow).await.json()["status"], "pending");
        nextcloud.answer_once("login-flow-v2-poll-after-grant");
        assert_eq!(ask("GET", &flow).await.status, status);
        assert_eq!(ask("GET", UNKNOWN).await.status, 404);
    }
}
