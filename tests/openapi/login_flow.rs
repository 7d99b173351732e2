//! App passwords that are granted on the server's own page.

use serde_json::Value;

use crate::shown::Shown;
use crate::support::gateway::TestGateway;
use crate::support::nextcloud::Nextcloud;

pub(crate) const FLOW: &str = "/api/v1/background-sync/login-flow";
const UNKNOWN: &str = "/api/v1/background-sync/login-flow/another";
/// The password in `login-flow-v2-poll-after-grant`.
const GRANTED: &str = "FAKEAppPasswordFromLoginFlow00000000000000000000000000000000000000000000";

pub(crate) async fn show(shown: &Shown) {
    // Granted by the caller, by somebody else, and with a password that is refused.
    for (account, status) in [("alice", 200), ("bob", 403), ("", 422)] {
        let nextcloud = granted_to(account).await;
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

/// A server whose grant page hands out a password of `account`, or an invalid one if that is empty.
pub(crate) async fn granted_to(account: &'static str) -> Nextcloud {
    let nextcloud = Nextcloud::start().await;
    for name in [
        "login-flow-v2-init",
        "login-flow-v2-poll-before-grant",
        "user-alice",
        "apppassword-delete",
    ] {
        nextcloud.answer(name);
    }
    let accounts = [(account, "alice", GRANTED)];
    nextcloud.accounts(accounts.into_iter().filter(|it| !it.0.is_empty()));
    nextcloud
}
