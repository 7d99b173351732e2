//! Passwords that the groupware server handed out in a login flow: each is stored, or destroyed at
//! the server (docs/API.md, section 5.5).

use std::io::Write as _;
use std::time::{Duration, SystemTime};

use portreeve::gateway::{Settings, Shared};
use portreeve::vault::{
    AppPassword, FlowState, Keyring, Login, LoginFlow, SqliteStore, Table, Vault,
};
use serde_json::json;
use tokio_util::task::TaskTracker;

use crate::support::binary::{Served, get, http, portreeve, serve_in, success};
use crate::support::gateway::TestGateway;
use crate::support::nextcloud::{Nextcloud, Recording, bearer};

const FLOW: &str = "/api/v1/background-sync/login-flow";
const GRANT: &str = "login-flow-v2-poll-after-grant";
const SECOND_GRANT: &str = "login-flow-v2-poll-after-grant-email-login";

/// Lets the server start flows and answer polls, and destroy passwords.
fn prepare(nextcloud: &Nextcloud) {
    nextcloud.answer("login-flow-v2-init");
    nextcloud.answer("login-flow-v2-poll-after-pickup");
    nextcloud.answer("user-alice");
    nextcloud.answer("apppassword-delete");
}

/// Login name and password that a recorded grant hands out.
fn granted(name: &str) -> (String, String) {
    let body = Recording::load(name).response.body.unwrap();
    let body: serde_json::Value = serde_json::from_str(&body).unwrap();
    let text = |member: &str| body[member].as_str().unwrap().to_owned();
    (text("loginName"), text("appPassword"))
}

async fn server() -> Nextcloud {
    let nextcloud = Nextcloud::start().await;
    prepare(&nextcloud);
    for name in [GRANT, SECOND_GRANT] {
        let (login_name, password) = granted(name);
        nextcloud.allow("alice", &login_name, &password);
    }
    nextcloud
}

/// Starts a flow of `alice` and returns its path.
async fn start(gateway: &TestGateway) -> String {
    let started = gateway.call("alice", "POST", FLOW, "").await;
    assert_eq!(started.status, 200, "{started:?}");
    format!("{FLOW}/{}", started.json()["flow_id"].as_str().unwrap())
}

/// The passwords that were destroyed, by the value of their `Authorization` field.
fn destroyed(nextcloud: &Nextcloud) -> Vec<String> {
    let seen = nextcloud.seen().into_iter();
    let deletes = seen.filter(|seen| seen.method == "DELETE");
    deletes.map(|seen| seen.headers["authorization"].to_str().unwrap().to_owned()).collect()
}

async fn until(what: &str, done: impl AsyncFn() -> bool) {
    for _ in 0..3000 {
        if done().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{what}");
}

async fn is_stored(vault: &Vault, flow: &LoginFlow) -> bool {
    let row = vault.store().get(Table::LoginFlow, flow.flow_id()).await;
    row.unwrap().is_some()
}

/// Waits until the password in `flow` is destroyed, or found to be the stored one.
async fn until_gone(vault: &Vault, flow: &LoginFlow) {
    until("the flow is gone", async || !is_stored(vault, flow).await).await;
}

#[tokio::test]
async fn api_5_5_a_password_in_an_expired_flow_is_destroyed() {
    let nextcloud = server().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let (login_name, password) = granted(GRANT);
    let collected = FlowState::Collected(Login {
        name: login_name.as_str().into(),
        password: AppPassword::new(&password).unwrap(),
    });
    let past = SystemTime::now() - Duration::from_secs(1);
    let vault = &gateway.vault;
    let mut seen = 0;
    // By a gateway that starts, and by one that starts another flow.
    for turn in 0..2 {
        nextcloud.allow("alice", &login_name, &password);
        let flow = vault.put_flow("alice", past, collected.clone()).await.unwrap();
        let restarted;
        if turn == 0 {
            restarted = gateway.beside(nextcloud.url(), |gateway| gateway).await;
            assert_eq!(restarted.call("carol", "GET", "/healthz", "").await.status, 200);
        } else {
            start(&gateway).await;
        }
        until_gone(vault, &flow).await;
        // Two gateways that start at the same time may each destroy it.
        let destroyed = destroyed(&nextcloud);
        assert!(destroyed.len() > seen, "{destroyed:?}");
        for login in &destroyed {
            assert_eq!(*login, bearer(&password));
        }
        seen = destroyed.len();
    }

    // A password that has been stored in the meantime is not destroyed.
    let stored = AppPassword::new(&password).unwrap();
    vault.put("alice", &login_name, &stored).await.unwrap();
    let flow = vault.put_flow("alice", past, collected).await.unwrap();
    start(&gateway).await;
    until_gone(vault, &flow).await;
    assert_eq!(destroyed(&nextcloud).len(), seen);
}

#[tokio::test]
async fn api_5_5_a_password_that_cannot_be_destroyed_is_kept_until_it_can() {
    let nextcloud = server().await;
    let gateway = TestGateway::before(nextcloud.url()).await;
    let (login_name, password) = granted(GRANT);
    let collected = FlowState::Collected(Login {
        name: login_name.as_str().into(),
        password: AppPassword::new(&password).unwrap(),
    });
    let past = SystemTime::now() - Duration::from_secs(1);
    let flow = gateway.vault.put_flow("alice", past, collected).await.unwrap();
    nextcloud.answer_with("apppassword-delete", 503, "nonsense");
    start(&gateway).await;
    until("it is tried", async || !destroyed(&nextcloud).is_empty()).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(is_stored(&gateway.vault, &flow).await);
    nextcloud.answer("apppassword-delete");
    start(&gateway).await;
    until_gone(&gateway.vault, &flow).await;
    assert_eq!(nextcloud.failed_logins(), 0);
}

/// A reload makes a second service, which shares the state of logins with the first.
#[tokio::test]
async fn api_5_5_after_a_reload_only_the_server_of_the_new_settings_is_asked() {
    let (old, new) = (server().await, server().await);
    let without = TestGateway::start(Default::default(), |gateway| gateway).await;
    let vault = &without.vault;
    let shared = Shared::new(vault.clone(), &Settings::default(), TaskTracker::new());
    let before = without.beside(old.url(), |gateway| gateway.shared(shared.clone()));
    let _before = before.await;
    let after = without.beside(new.url(), |gateway| gateway.shared(shared.clone()));
    let _after = after.await;
    let (login_name, password) = granted(GRANT);
    let collected = FlowState::Collected(Login {
        name: login_name.as_str().into(),
        password: AppPassword::new(&password).unwrap(),
    });
    let past = SystemTime::now() - Duration::from_secs(1);
    let flow = vault.put_flow("alice", past, collected).await.unwrap();
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(61)).await;
    tokio::time::resume();
    until_gone(vault, &flow).await;
    assert_eq!(destroyed(&old), [""; 0]);
    assert_eq!(destroyed(&new), [bearer(&password)]);
}

/// The password has been handed out, and is not yet checked, when the gateway is killed.
#[tokio::test(flavor = "multi_thread")]
async fn api_5_5_a_kill_between_pickup_and_storing_loses_nothing() {
    let nextcloud = server().await;
    let (login_name, password) = granted(GRANT);
    let dir = tempfile::tempdir().unwrap();
    let mut new_token = portreeve();
    new_token.args(["token", "new", "--user", "alice", "--tokens-file"]);
    let token = success(new_token.arg(dir.path().join("tokens")), "");
    let token = token.trim_end();
    let gateway = || {
        let mut command = serve_in(dir.path());
        command.args(["--groupware-url", nextcloud.url()]);
        Served::start(&mut command)
    };
    for poll_again in [true, false] {
        let first = gateway();
        let head = format!("Host: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n");
        let started = http(first.address, &format!("POST {FLOW} HTTP/1.1\r\n{head}"));
        let flow = format!("{FLOW}/{}", started.json()["flow_id"].as_str().unwrap());
        nextcloud.allow("alice", &login_name, &password);
        nextcloud.answer_once(GRANT);
        nextcloud.delay(Duration::from_millis(200));
        let before = nextcloud.seen().len();
        let mut caller = std::net::TcpStream::connect(first.address).unwrap();
        caller.write_all(format!("GET {flow} HTTP/1.1\r\n{head}").as_bytes()).unwrap();
        until("it is being checked", async || {
            let seen = nextcloud.seen();
            seen[before..].iter().any(|seen| seen.target.contains("/cloud/user"))
        })
        .await;
        first.kill();
        nextcloud.delay(Duration::ZERO);

        if poll_again {
            let second = gateway();
            let answer = get(second.address, &flow, token);
            assert_eq!(answer.json(), json!({"status": "granted"}));
            second.kill();
            assert!(destroyed(&nextcloud).is_empty());
            let mut remove = portreeve();
            remove.args(["credentials", "remove", "--user", "alice", "--data-dir"]);
            success(remove.arg(dir.path()), "");
        } else {
            // Nobody polls again, and the flow expires.
            expire(dir.path(), flow.rsplit('/').next().unwrap()).await;
            let second = gateway();
            until("it is destroyed", async || !destroyed(&nextcloud).is_empty()).await;
            assert_eq!(destroyed(&nextcloud), [bearer(&password)]);
            second.kill();
        }
    }
}

/// Replaces a flow by an expired copy.
async fn expire(dir: &std::path::Path, flow_id: &str) {
    let keyring = Keyring::read(dir.join("vault.key")).unwrap();
    let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
    let vault = Vault::new(keyring, store);
    let flow = vault.flow("alice", flow_id).await.unwrap().unwrap();
    assert!(matches!(flow.state, FlowState::Collected(_)), "{flow:?}");
    let past = SystemTime::now() - Duration::from_secs(1);
    let state = flow.state.clone();
    vault.put_flow("alice", past, state).await.unwrap();
    assert!(vault.remove_flow(&flow).await.unwrap());
}
