//! A store that cannot be written for a while, as during the change of a primary (docs/API.md, section 5.5).

use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering::SeqCst};
use std::time::Duration;

use portreeve::gateway::Settings;
use portreeve::vault::{
    AppPassword, Change, Committed, CredentialCounts, Keyring, MemoryStore, PermitLease, Row,
    Sealed, Store, StoreError, StoreFuture, Table, Vault,
};
use serde_json::json;

use crate::support::gateway::{TestGateway, set};
use crate::support::nextcloud::{Nextcloud, bearer};

const FLOW: &str = "/api/v1/background-sync/login-flow";
const GRANT: &str = "login-flow-v2-poll-after-grant";
/// The app password in that recording.
const GRANTED: &str = "FAKEAppPasswordFromLoginFlow00000000000000000000000000000000000000000000";

/// Takes this many more writes.
#[derive(Clone, Debug)]
struct WritesLeft(Arc<AtomicIsize>);

#[derive(Debug)]
struct Limited {
    inner: MemoryStore,
    left: WritesLeft,
}

impl Sealed for Limited {}

impl Store for Limited {
    fn get<'a>(&'a self, table: Table, key: &'a str) -> StoreFuture<'a, Option<Arc<Row>>> {
        self.inner.get(table, key)
    }

    fn page<'a>(
        &'a self,
        table: Table,
        owner: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Arc<Row>>> {
        self.inner.page(table, owner, after, limit)
    }

    fn commit(&self, action: &'static str, changes: Vec<Change>) -> StoreFuture<'_, Committed> {
        if self.left.0.fetch_sub(1, SeqCst) <= 0 {
            return Box::pin(async move {
                let mut error = StoreError::new(action, "its disk is full");
                error.is_read_only = true;
                Err(error)
            });
        }
        self.inner.commit(action, changes)
    }

    fn count(&self) -> StoreFuture<'_, CredentialCounts> {
        self.inner.count()
    }

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        self.inner.lease_permits()
    }

    fn ready(&self) -> StoreFuture<'_, ()> {
        self.inner.ready()
    }
}

/// A gateway of `alice`, who has started a flow; returns its path, too.
async fn with_flow() -> (Nextcloud, TestGateway, WritesLeft, String) {
    let nextcloud = Nextcloud::start().await;
    for name in [
        "login-flow-v2-init",
        "login-flow-v2-poll-after-pickup",
        "user-alice",
        "apppassword-delete",
    ] {
        nextcloud.answer(name);
    }
    nextcloud.accounts([("alice", "alice", GRANTED)]);
    let mut gateway = TestGateway::before(nextcloud.url()).await;
    let left = WritesLeft(Arc::new(AtomicIsize::new(isize::MAX)));
    let store = Limited { inner: MemoryStore::new(), left: left.clone() };
    gateway.vault = Vault::new(Keyring::generate().unwrap(), store);
    let gateway = gateway.beside(nextcloud.url(), |gateway| gateway).await;
    let started = gateway.call("alice", "POST", FLOW, "").await;
    assert_eq!(started.status, 200, "{started:?}");
    let flow = format!("{FLOW}/{}", started.json()["flow_id"].as_str().unwrap());
    nextcloud.answer_once(GRANT);
    (nextcloud, gateway, left, flow)
}

fn polls(nextcloud: &Nextcloud) -> usize {
    let seen = nextcloud.seen().into_iter();
    seen.filter(|seen| seen.target.ends_with("/poll")).count()
}

async fn until_polled(nextcloud: &Nextcloud) {
    while polls(nextcloud) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn api_5_5_a_grant_waits_for_a_store_that_can_be_written() {
    let (nextcloud, gateway, left, flow) = with_flow().await;
    left.0.store(0, SeqCst);
    for _ in 0..2 {
        let answer = gateway.call("alice", "GET", &flow, "").await;
        let message = answer.assert_error(500, "Internal error");
        assert_eq!(message, "The stored credentials cannot be changed at the moment");
    }
    assert_eq!(polls(&nextcloud), 0, "the password stays at the server");
    left.0.store(isize::MAX, SeqCst);
    let answer = gateway.call("alice", "GET", &flow, "").await;
    assert_eq!(answer.json(), json!({"status": "granted"}));
}

#[tokio::test]
async fn api_5_5_a_password_is_kept_while_the_store_cannot_be_written_for_a_moment() {
    let (nextcloud, gateway, left, flow) = with_flow().await;
    left.0.store(1, SeqCst);
    let (answer, ()) = tokio::join!(gateway.call("alice", "GET", &flow, ""), async {
        until_polled(&nextcloud).await;
        // The store has refused the password once.
        while left.0.load(SeqCst) >= 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        left.0.store(isize::MAX, SeqCst);
    });
    assert_eq!(answer.json(), json!({"status": "granted"}));
    let stored = gateway.vault.credential("alice").await.unwrap().unwrap();
    assert_eq!(stored.password.expose(), GRANTED);
}

#[tokio::test]
async fn api_5_5_a_flow_whose_password_cannot_be_stored_ends() {
    let (nextcloud, gateway, left, flow) = with_flow().await;
    left.0.store(1, SeqCst);
    let (_, ()) = tokio::join!(gateway.call("alice", "GET", &flow, ""), async {
        until_polled(&nextcloud).await;
        while left.0.load(SeqCst) >= 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::pause();
        // The connection of the caller may time out meanwhile.
        for _ in 0..16 {
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        tokio::time::resume();
        while !nextcloud.seen().iter().any(|seen| seen.method == "DELETE") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        left.0.store(isize::MAX, SeqCst);
    });
    let destroyed = nextcloud.seen().pop().unwrap();
    assert_eq!(destroyed.headers["authorization"], bearer(GRANTED));
    let later = gateway.call("alice", "GET", &flow, "").await;
    later.assert_error(404, "Not found");
    assert!(gateway.vault.credential("alice").await.unwrap().is_none());
}

/// A gateway of `alice`, whose password is stored and works.
async fn with_password(change: impl FnOnce(&mut Settings)) -> (Nextcloud, TestGateway, WritesLeft) {
    let nextcloud = Nextcloud::start().await;
    for name in ["capabilities-user-app-password", "user-alice", "apppassword-delete"] {
        nextcloud.answer(name);
    }
    nextcloud.accounts([("alice", "alice", GRANTED)]);
    let mut gateway = TestGateway::before(nextcloud.url()).await;
    let left = WritesLeft(Arc::new(AtomicIsize::new(isize::MAX)));
    let store = Limited { inner: MemoryStore::new(), left: left.clone() };
    gateway.vault = Vault::new(Keyring::generate().unwrap(), store);
    let password = AppPassword::new(GRANTED).unwrap();
    gateway.vault.put("alice", "alice", &password).await.unwrap();
    let gateway = gateway.beside(nextcloud.url(), set(change)).await;
    (nextcloud, gateway, left)
}

#[tokio::test]
async fn api_5_6_a_call_that_was_made_is_answered_although_the_store_cannot_be_written() {
    let at_once = |settings: &mut Settings| settings.logins.refused_retry = Duration::ZERO;
    let (nextcloud, gateway, left) = with_password(at_once).await;
    let stored = gateway.vault.credential("alice").await.unwrap().unwrap();
    let suspended = gateway.vault.suspend("alice", stored.revision).await;
    assert!(suspended.unwrap());
    left.0.store(0, SeqCst);
    let answer = gateway.call("alice", "GET", "/api/v1/apps", "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(nextcloud.seen().len(), 1);
}

#[tokio::test]
async fn api_5_6_a_wrong_login_name_costs_one_permit_although_the_store_cannot_be_written() {
    let (nextcloud, gateway, left) = with_password(|_| {}).await;
    nextcloud.accounts([("alice", "alice@example.org", GRANTED)]);
    left.0.store(0, SeqCst);
    for _ in 0..3 {
        let answer = gateway.call("alice", "GET", "/api/v1/apps", "").await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    assert_eq!(nextcloud.failed_logins(), 1);
    let is_marked = async || {
        let stored = gateway.vault.credential("alice").await.unwrap().unwrap();
        stored.is_refused_by_basic
    };
    assert!(!is_marked().await);
    left.0.store(isize::MAX, SeqCst);
    let answer = gateway.call("alice", "GET", "/api/v1/apps", "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(is_marked().await, "the store knows it as soon as it can");
    assert_eq!(nextcloud.failed_logins(), 1);
}

#[tokio::test]
async fn api_5_3_a_destroyed_password_whose_record_stays_is_said_to_be_destroyed() {
    let (nextcloud, gateway, left) = with_password(|_| {}).await;
    // It is suspended, and then destroyed.
    left.0.store(1, SeqCst);
    let path = "/api/v1/background-sync/credentials?revoke=true";
    let answer = gateway.call("alice", "DELETE", path, "").await;
    let message = answer.assert_error(500, "Internal error");
    assert!(message.contains("does not work any more"), "{message}");
    let calls = nextcloud.seen().len();
    let answer = gateway.call("alice", "GET", "/api/v1/apps", "").await;
    answer.assert_error(428, "Provisioning required");
    assert_eq!(nextcloud.seen().len(), calls, "no call is made with it");
    left.0.store(isize::MAX, SeqCst);
    let answer = gateway.call("alice", "DELETE", path, "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(gateway.vault.credential("alice").await.unwrap().is_none());
}
