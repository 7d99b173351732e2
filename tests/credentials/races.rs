//! Concurrent store, revoke and use (docs/API.md, section 5.3): every outcome is that of some order
//! of them, and no password is used after its removal was acknowledged.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::support::gateway::TestGateway;
use crate::support::nextcloud::{Nextcloud, basic, bearer};

const CREDENTIALS: &str = "/api/v1/background-sync/credentials";
const APPS: &str = "/api/v1/apps";

fn password(round: usize) -> String {
    format!("round-{round:05}-aaaaa-bbbbb")
}

async fn started() -> (Arc<Nextcloud>, Arc<TestGateway>) {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("capabilities-admin-app-password");
    nextcloud.answer("user-alice");
    nextcloud.answer("apppassword-delete");
    nextcloud.accounts([]);
    let gateway = TestGateway::before(nextcloud.url()).await;
    gateway.vault.remove("alice").await.unwrap();
    (Arc::new(nextcloud), Arc::new(gateway))
}

/// Spawns users that make calls until `stop` is set, and return the statuses.
fn spawn_users(
    gateway: &Arc<TestGateway>,
    count: usize,
    stop: &Arc<AtomicBool>,
) -> Vec<tokio::task::JoinHandle<Vec<u16>>> {
    let user = |_| {
        let (gateway, stop) = (gateway.clone(), stop.clone());
        tokio::spawn(async move {
            let mut statuses = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                statuses.push(gateway.call("alice", "GET", APPS, "").await.status);
            }
            statuses
        })
    };
    (0..count).map(user).collect()
}

async fn store(gateway: &TestGateway, password: &str) -> u16 {
    let body = json!({ "appPassword": password }).to_string();
    gateway.call("alice", "POST", CREDENTIALS, &body).await.status
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn api_5_3_no_password_is_used_after_an_acknowledged_removal() {
    let (nextcloud, gateway) = started().await;
    let stop = Arc::new(AtomicBool::new(false));
    let users = spawn_users(&gateway, 6, &stop);
    // For each password, how many requests the server had received when it was gone.
    let mut gone = HashMap::new();
    for round in 0..120 {
        let password = password(round);
        nextcloud.allow("alice", "alice", &password);
        assert_eq!(store(&gateway, &password).await, 200);
        // With and without a use in between, which proves the password valid.
        tokio::time::sleep(Duration::from_millis(round as u64 % 4)).await;
        let path = match round % 3 {
            0 => format!("{CREDENTIALS}?revoke=true"),
            _ => CREDENTIALS.to_owned(),
        };
        let removed = gateway.call("alice", "DELETE", &path, "").await;
        assert_eq!(removed.status, 200, "{removed:?}");
        gone.insert(basic("alice", &password), nextcloud.seen().len());
        gone.insert(bearer(&password), nextcloud.seen().len());
    }
    stop.store(true, Ordering::Relaxed);
    let mut served = 0;
    for user in users {
        for status in user.await.unwrap() {
            assert!(matches!(status, 200 | 428), "{status}");
            served += usize::from(status == 200);
        }
    }
    assert!(served > 100, "there were uses in between: {served}");
    for (at, seen) in nextcloud.seen().iter().enumerate() {
        let field = seen.headers["authorization"].to_str().unwrap();
        assert!(at < gone[field], "request {at} came after {}", gone[field]);
    }
    assert_eq!(nextcloud.failed_logins(), 0, "not even at the moment of a revocation");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn api_5_3_concurrent_store_revoke_and_use_are_serializable() {
    let (nextcloud, gateway) = started().await;
    for round in 0..60 {
        let [old, new] = [password(2 * round), password(2 * round + 1)];
        nextcloud.allow("alice", "alice", &old);
        nextcloud.allow("alice", "alice", &new);
        assert_eq!(store(&gateway, &old).await, 200);
        let stop = Arc::new(AtomicBool::new(false));
        let users = spawn_users(&gateway, 3, &stop);
        let revoke = format!("{CREDENTIALS}?revoke=true");
        let (stored, revoked) =
            tokio::join!(store(&gateway, &new), gateway.call("alice", "DELETE", &revoke, ""),);
        stop.store(true, Ordering::Relaxed);
        for user in users {
            for status in user.await.unwrap() {
                assert!(matches!(status, 200 | 428), "{status}");
            }
        }
        assert_eq!((stored, revoked.status), (200, 200));
        let left = gateway.vault.credential("alice").await.unwrap();
        let left = left.map(|it| (it.password.expose().to_owned(), it.suspended_at));
        let destroyed: Vec<_> = nextcloud
            .seen()
            .into_iter()
            .filter(|seen| seen.method == "DELETE")
            .map(|seen| seen.headers["authorization"].clone())
            .collect();
        let destroyed = destroyed.last().unwrap();
        if destroyed == &bearer(&old) {
            // Revoke, then store.
            assert_eq!(left, Some((new, None)), "round {round}");
        } else {
            // Store, then revoke.
            assert_eq!(destroyed, &bearer(&new));
            assert_eq!(left, None, "round {round}");
        }
        gateway.call("alice", "DELETE", CREDENTIALS, "").await;
    }
    assert_eq!(nextcloud.failed_logins(), 0);
}

/// Who calls by HTTP Basic in somebody's name may be anybody.
#[tokio::test(flavor = "multi_thread")]
async fn api_10_4_strangers_that_wait_hold_up_nobody_whom_they_name() {
    const AT_ONCE: usize = 16;

    let (nextcloud, gateway) = started().await;
    nextcloud.allow("alice", "alice", &password(1));
    nextcloud.holds();
    let mut strangers = tokio::task::JoinSet::new();
    let mut ask = |user: &str| {
        let gateway = gateway.clone();
        let login = basic(user, "wrong-wrong-wrong-wrong-wrong");
        let head = format!(
            "POST /api/v1/users/{user}/app-password HTTP/1.1\r\nAuthorization: {login}\r\n"
        );
        strangers.spawn(async move { gateway.send(&head, "").await.status });
    };
    (0..AT_ONCE).for_each(|number| ask(&format!("stranger{number}")));
    nextcloud.until_seen(AT_ONCE).await;
    ask("alice");
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (storing, password) = (gateway.clone(), password(1));
    let storing = tokio::spawn(async move { store(&storing, &password).await });
    // Long before any of what is held times out.
    let seen = tokio::time::timeout(Duration::from_secs(10), nextcloud.until_seen(AT_ONCE + 1));
    seen.await.expect("she waits for those that wait");
    nextcloud.goes_on();
    assert_eq!(storing.await.unwrap(), 200);
    strangers.join_all().await;
}
