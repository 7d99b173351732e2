//! Login Flow v2, against the recorded exchanges (docs/API.md, section 5.5).

use std::time::{Duration, SystemTime};

use portreeve::outbound::HttpUrl;
use portreeve::vault::FlowState;
use serde_json::json;

use crate::support::gateway::{TestGateway, set};
use crate::support::nextcloud::{Nextcloud, Recording};

const FLOW: &str = "/api/v1/background-sync/login-flow";
/// The app password in the recording `login-flow-v2-poll-after-grant`.
const GRANTED: &str = "FAKEAppPasswordFromLoginFlow00000000000000000000000000000000000000000000";

async fn server() -> Nextcloud {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("login-flow-v2-init");
    nextcloud.answer("login-flow-v2-poll-after-pickup");
    nextcloud.answer("user-alice");
    nextcloud.answer("apppassword-delete");
    nextcloud.accounts([("alice", "alice", GRANTED)]);
    nextcloud
}

/// `groupware_url` need not have the prefix that the server announces: proxies strip prefixes, and add them.
#[tokio::test]
async fn api_5_5_the_poll_goes_below_groupware_url_whatever_the_server_announces() {
    let body = Recording::load("login-flow-v2-init").response.body.unwrap();
    for (announced, prefix, polled) in [
        ("/cloud/login/v2", "", "/login/v2/poll"),
        ("/cloud/index.php/login/v2", "", "/index.php/login/v2/poll"),
        ("/login/v2", "/inner", "/inner/login/v2/poll"),
        ("/cloud/login/v2", "/inner", "/inner/login/v2/poll"),
        ("/inner/login/v2", "/inner", "/inner/login/v2/poll"),
    ] {
        let nextcloud = server().await;
        let body = body.replace(r"\/login\/v2", &announced.replace('/', r"\/"));
        nextcloud.answer_with("login-flow-v2-init", 200, body);
        let url = format!("{}{prefix}", nextcloud.url());
        let public_url: HttpUrl = "https://cloud.example.org/public".parse().unwrap();
        let change = set(|settings| settings.groupware_public_url = Some(public_url));
        let gateway = TestGateway::with(&url, change).await;
        let started = gateway.call("alice", "POST", FLOW, "").await.json();
        let page = announced.strip_prefix("/cloud").unwrap_or(announced);
        let page = page.strip_prefix("/inner").unwrap_or(page);
        let login_url = started["login_url"].as_str().unwrap();
        let expected = format!("https://cloud.example.org/public{page}/flow/");
        assert!(login_url.starts_with(&expected), "{login_url}");
        nextcloud.answer_once("login-flow-v2-poll-after-grant");
        let flow = format!("{FLOW}/{}", started["flow_id"].as_str().unwrap());
        let answer = gateway.call("alice", "GET", &flow, "").await;
        let seen = nextcloud.seen().into_iter();
        let targets: Vec<_> = seen.map(|seen| seen.target).collect();
        assert_eq!(targets[1], polled, "{targets:?}");
        assert_eq!(answer.json(), json!({"status": "granted"}), "{announced}");
    }
}

#[tokio::test]
async fn api_5_5_an_expired_flow_is_404() {
    let nextcloud = server().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let past = SystemTime::now() - Duration::from_secs(1);
    let expired = gateway.vault.put_flow("alice", past, FlowState::Granted);
    let flow = format!("{FLOW}/{}", expired.await.unwrap().flow_id());
    let answer = gateway.call("alice", "GET", &flow, "").await;
    answer.assert_error(404, "Not found");
    assert_eq!(nextcloud.seen().len(), 0, "the server was not asked");
}
