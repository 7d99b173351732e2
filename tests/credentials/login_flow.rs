//! Login Flow v2, against the recorded exchanges (docs/API.md, section 5.5).

use std::time::Duration;

use futures_util::future::join_all;
use portreeve::outbound::HttpUrl;
use portreeve::vault::FlowState;
use serde_json::json;

use crate::support::binary::{Served, get, http, portreeve, serve_in, success};
use crate::support::gateway::{TestGateway, set};
use crate::support::nextcloud::{Nextcloud, Recording};

const FLOW: &str = "/api/v1/background-sync/login-flow";
const STATUS: &str = "/api/v1/background-sync/status";
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

/// Starts a flow of `alice` and returns its path.
async fn start(gateway: &TestGateway) -> String {
    let started = gateway.call("alice", "POST", FLOW, "").await;
    assert_eq!(started.status, 200, "{started:?}");
    format!("{FLOW}/{}", started.json()["flow_id"].as_str().unwrap())
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
    let soon = std::time::SystemTime::now() + Duration::from_millis(50);
    let expired = gateway.vault.put_flow("alice", soon, FlowState::Granted);
    let flow = format!("{FLOW}/{}", expired.await.unwrap().flow_id());
    tokio::time::sleep(Duration::from_millis(60)).await;
    let answer = gateway.call("alice", "GET", &flow, "").await;
    answer.assert_error(404, "Not found");
    assert_eq!(nextcloud.seen().len(), 0, "the server was not asked");
}

#[tokio::test]
async fn api_5_5_a_caller_that_disconnects_loses_nothing() {
    let nextcloud = server().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    gateway.vault.remove("alice").await.unwrap();
    let flow = start(&gateway).await;
    nextcloud.answer_once("login-flow-v2-poll-after-grant");
    nextcloud.delay(Duration::from_millis(100));
    let impatient = gateway.call("alice", "GET", &flow, "");
    assert!(
        tokio::time::timeout(Duration::from_millis(50), impatient)
            .await
            .is_err()
    );
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert!(gateway.vault.credential("alice").await.unwrap().is_some());
    let answer = gateway.call("alice", "GET", &flow, "").await;
    assert_eq!(answer.json(), json!({"status": "granted"}));
}

#[tokio::test]
async fn api_5_5_concurrent_polls_agree() {
    let nextcloud = server().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let flow = start(&gateway).await;
    nextcloud.answer_once("login-flow-v2-poll-after-grant");
    let polls = (0..8).map(|_| gateway.call("alice", "GET", &flow, ""));
    for answer in join_all(polls).await {
        assert_eq!(answer.json(), json!({"status": "granted"}));
    }
    // A removal afterwards is not undone by a late poll.
    let removed = gateway
        .call("alice", "DELETE", "/api/v1/background-sync/credentials", "")
        .await;
    assert_eq!(removed.status, 200);
    let answer = gateway.call("alice", "GET", &flow, "").await;
    assert_eq!(answer.json(), json!({"status": "granted"}));
    assert!(gateway.vault.credential("alice").await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_5_a_restart_between_grant_and_pickup_loses_nothing() {
    let nextcloud = server().await;
    let url = nextcloud.url().to_owned();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_owned();
    let gateway = move || {
        let mut command = serve_in(&path);
        command.args(["--groupware-url", &url]);
        Served::start(&mut command)
    };
    let mut new_token = portreeve();
    new_token.args(["token", "new", "--user", "alice", "--tokens-file"]);
    let token = success(new_token.arg(dir.path().join("tokens")), "");
    let token = token.trim_end().to_owned();

    let blocking = tokio::task::spawn_blocking(move || {
        let first = gateway();
        let started = http(
            first.address,
            &format!(
                "POST {FLOW} HTTP/1.1\r\nHost: g\r\nConnection: close\r\nContent-Length: 0\r\nAuthorization: Bearer {token}\r\n\r\n"
            ),
        );
        let flow = format!("{FLOW}/{}", started.json()["flow_id"].as_str().unwrap());
        assert_eq!(
            get(first.address, &flow, &token).json(),
            json!({"status": "pending"})
        );
        first.kill();
        nextcloud.answer_once("login-flow-v2-poll-after-grant");
        let second = gateway();
        assert_eq!(
            get(second.address, &flow, &token).json(),
            json!({"status": "granted"})
        );
        second.kill();
        let third = gateway();
        assert_eq!(
            get(third.address, &flow, &token).json(),
            json!({"status": "granted"})
        );
        assert_eq!(
            get(third.address, STATUS, &token).json()["has_background_access"],
            true
        );
    });
    blocking.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn api_5_5_a_shutdown_waits_for_a_pickup_whose_caller_has_disconnected() {
    use std::io::Write as _;

    let nextcloud = server().await;
    let dir = tempfile::tempdir().unwrap();
    let mut new_token = portreeve();
    new_token.args(["token", "new", "--user", "alice", "--tokens-file"]);
    let token = success(new_token.arg(dir.path().join("tokens")), "");
    let token = token.trim_end();
    let mut command = serve_in(dir.path());
    command.args(["--groupware-url", nextcloud.url()]);
    let mut served = Served::start(&mut command);
    let head = format!("Host: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n");
    let started = http(served.address, &format!("POST {FLOW} HTTP/1.1\r\n{head}"));
    let flow = format!("{FLOW}/{}", started.json()["flow_id"].as_str().unwrap());

    nextcloud.answer_once("login-flow-v2-poll-after-grant");
    nextcloud.delay(Duration::from_millis(300));
    let before = nextcloud.seen().len();
    let mut caller = std::net::TcpStream::connect(served.address).unwrap();
    caller
        .write_all(format!("GET {flow} HTTP/1.1\r\n{head}").as_bytes())
        .unwrap();
    while nextcloud.seen().len() == before {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(caller);
    tokio::time::sleep(Duration::from_millis(50)).await;
    served.terminate();
    assert_eq!(served.wait().code(), Some(0));

    let mut list = portreeve();
    list.args(["credentials", "list", "--data-dir"])
        .arg(dir.path());
    assert!(
        success(&mut list, "").contains("\nalice\t"),
        "the password was picked up"
    );
}
