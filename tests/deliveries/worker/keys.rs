//! Events and targets that another gateway sealed with a key that this one lacks.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use portreeve::deliveries::{AttemptOutcome, Queue, TargetId};
use portreeve::vault::{Keyring, SqliteStore, StoreObserver, Vault};

use super::{CREATED, Gateway, settings};
use crate::support::changed;
use crate::target::{Target, until};

/// Counts how often a gateway asks which key seals.
#[derive(Debug, Default)]
struct Asked(AtomicUsize);

impl StoreObserver for Asked {
    fn store_operation(&self, operation: &'static str, _: bool) {
        let is_one = operation == "read which key seals";
        self.0.fetch_add(usize::from(is_one), Ordering::SeqCst);
    }
}

/// Another gateway on the database, with the keys of a file to which a new one was added, which seals.
async fn with_new_key(dir: &Path, file: &Path) -> Gateway {
    Keyring::add_key(file).unwrap();
    let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    let vault = Vault::new(Keyring::read(file).unwrap(), store);
    vault.rotate_keys().await.unwrap();
    Gateway::on(vault, queue, Arc::default())
}

/// A target of alice that wants only what `owner` has.
async fn filtered(gateway: &Gateway, target: &Target, owner: &str) -> TargetId {
    let filter = Some(format!(r#"{{"event.node.path": "/^\\/{owner}\\//"}}"#));
    let filtered = changed(settings(target.uri()), |it| it.filter = filter);
    gateway.target(Some("alice"), &filtered).await
}

/// It waits for the key, or for another gateway.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_not_sent_to_a_target_that_excludes_it_for_want_of_a_key() {
    for seals_targets in [false, true] {
        let asked = Arc::<Asked>::default();
        let mut gateway = Gateway::observed(Some(asked.clone() as _)).await;
        let dir = gateway.dir.as_ref().unwrap().path().to_owned();
        let (wanting, excluding) = (Target::ok().await, Target::ok().await);
        let ids = [
            filtered(&gateway, &wanting, "alice").await,
            filtered(&gateway, &excluding, "nobody").await,
        ];
        let (own, new) = (dir.join("vault.key"), dir.join("new.key"));
        fs::copy(&own, &new).unwrap();
        let other = with_new_key(&dir, &new).await;
        if seals_targets {
            assert_eq!(other.deliveries.rotate_keys().await.unwrap().resealed, 2);
        }
        other.receive("alice", CREATED).await;
        let before = asked.0.load(Ordering::SeqCst);
        gateway.start();
        until("it has tried", async || asked.0.load(Ordering::SeqCst) > before + 1).await;
        for id in ids {
            assert!(gateway.all(id).await.is_empty());
        }

        fs::rename(&new, &own).unwrap();
        until("it arrives", async || wanting.received() == 1).await;
        gateway.stop().await;
        assert!(gateway.all(ids[1]).await.is_empty());
    }
}

/// Nobody knows whether it wants it. Its list shows that there was something.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_whose_key_is_lost_waits_for_each_target() {
    let mut gateway = Gateway::new().await;
    let dir = gateway.dir.as_ref().unwrap().path().to_owned();
    let target = Target::ok().await;
    let id = filtered(&gateway, &target, "nobody").await;
    let (own, lost) = (dir.join("vault.key"), dir.join("lost.key"));
    fs::copy(&own, &lost).unwrap();
    with_new_key(&dir, &lost).await.receive("alice", CREATED).await;
    with_new_key(&dir, &own).await;
    gateway.start();
    until("it was tried", async || {
        let all = gateway.all(id).await;
        let outcome = all.first().and_then(|it| it.attempts.first().map(|it| it.outcome));
        outcome == Some(AttemptOutcome::Unopened)
    })
    .await;
    gateway.stop().await;
    assert_eq!(target.received(), 0);
}
