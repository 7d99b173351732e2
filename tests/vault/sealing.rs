//! Sealed records that were altered, moved or sealed with a foreign key.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use portreeve::vault::{
    AppPassword, Change, FlowState, MemoryStore, Row, Table, Vault, VaultError,
};

use crate::suite::{NEW_KEY, OLD_KEY, held, keys, login, password};

async fn sealed(vault: &Vault) -> Row {
    let stored = vault.put("alice", "alice@example.org", &password(1)).await;
    assert!(stored.is_ok());
    let record = vault.store().get(Table::Credential, "alice").await;
    Row::clone(&record.unwrap().unwrap())
}

/// Stores a row, whatever was there before.
async fn store(vault: &Vault, table: Table, row: Row) {
    let stored = vault.store().commit("forge a row", vec![Change::put(table, row)]);
    assert!(stored.await.unwrap().is_done());
}

async fn assert_does_not_open(vault: &Vault, record: Row, why: &str) {
    let user_id = Arc::clone(&record.key);
    store(vault, Table::Credential, record).await;
    match vault.credential(&user_id).await {
        Err(VaultError::Unopened { record, .. }) => assert!(record.contains(&*user_id)),
        other => panic!("{why}: {other:?}"),
    }
    assert!(vault.metadata(&user_id).await.is_err(), "{why}");
}

/// A record opens only as it was sealed, and in its own row.
#[tokio::test]
async fn no_altered_or_moved_record_opens() {
    let vault = Vault::new(keys(&[OLD_KEY, NEW_KEY]), MemoryStore::new());
    let good = sealed(&vault).await;
    vault.put("bob", "bob", &password(2)).await.unwrap();
    let with = |sealed: &[u8]| Row { sealed: sealed.into(), ..good.clone() };
    for position in 0..good.sealed.len() {
        for bits in [0x01, 0x80, 0xff] {
            let mut record = good.clone();
            record.sealed[position] ^= bits;
            assert_does_not_open(&vault, record, &format!("byte {position} ^ {bits:#x}")).await;
        }
        let cut = with(&good.sealed[..position]);
        assert_does_not_open(&vault, cut, &format!("cut to {position}")).await;
    }
    let grown = with(&[&good.sealed[..], &[0]].concat());
    assert_does_not_open(&vault, grown, "grown").await;
    let number = good.number + 1;
    let revised = Row { number, ..good.clone() };
    assert_does_not_open(&vault, revised, "another revision").await;
    assert_eq!(held(&vault, "bob").await, Some(2), "an error for that user alone");
    store(&vault, Table::Credential, good.clone()).await;
    assert_eq!(held(&vault, "alice").await, Some(1), "the record itself is good");
    for user_id in ["bob", "Alice", "alice ", "alic"] {
        let key = user_id.into();
        let moved = Row { key, ..good.clone() };
        assert_does_not_open(&vault, moved, user_id).await;
    }
}

/// The same key seals both tables; a record of one does not open as a record of the other.
#[tokio::test]
async fn a_flow_and_a_credential_cannot_replace_each_other() {
    let vault = Vault::new(keys(&[OLD_KEY]), MemoryStore::new());
    let good = sealed(&vault).await;
    let soon = SystemTime::now() + Duration::from_secs(60);
    let collected = FlowState::Collected(login("alice", 3));
    let flow = vault.put_flow("alice", soon, collected).await.unwrap();
    let stored = vault.store().get(Table::LoginFlow, flow.flow_id()).await;
    let stored = Row::clone(&stored.unwrap().unwrap());

    let record = Row { sealed: stored.sealed.clone(), ..good.clone() };
    assert_does_not_open(&vault, record, "a flow's bytes").await;
    let moved = Row { sealed: good.sealed.clone(), ..stored.clone() };
    let longer = Row { number: stored.number + 3_600_000, ..stored.clone() };
    let owned = Row { owner: "bob".into(), ..stored.clone() };
    for (user_id, record) in [("alice", moved), ("alice", longer), ("bob", owned)] {
        store(&vault, Table::LoginFlow, record).await;
        let opened = vault.flow(user_id, flow.flow_id()).await;
        assert!(matches!(opened, Err(VaultError::Unopened { .. })), "{opened:?}");
    }
    for position in 0..stored.sealed.len() {
        let mut record = stored.clone();
        record.sealed[position] ^= 1;
        store(&vault, Table::LoginFlow, record).await;
        assert!(vault.flow("alice", flow.flow_id()).await.is_err(), "byte {position}");
    }
}

#[tokio::test]
async fn sealing_uses_a_fresh_nonce_each_time() {
    let vault = Vault::new(keys(&[OLD_KEY]), MemoryStore::new());
    let (one, two) = (sealed(&vault).await, sealed(&vault).await);
    assert_ne!(one.sealed[9..33], two.sealed[9..33], "a fresh nonce");
    assert_ne!(one.number, two.number);
}

#[tokio::test]
async fn no_debug_output_shows_a_password() {
    let vault = Vault::new(keys(&[OLD_KEY]), MemoryStore::new());
    vault.put("alice", "alice", &password(1)).await.unwrap();
    let credential = vault.credential("alice").await.unwrap().unwrap();
    let collected = FlowState::Collected(login("alice", 1));
    let flow = vault.put_flow("alice", SystemTime::now(), collected).await;
    let shown = format!("{vault:?} {credential:?} {flow:?} {:?}", credential.password);
    assert!(!shown.contains(password(1).expose()), "{shown}");
    assert!(!shown.contains(OLD_KEY), "{shown}");
}

#[test]
fn app_passwords_of_the_wrong_form_are_refused() {
    for good in ["x".repeat(20), "aB3-".repeat(64), "aaaaa-bbbbb-ccccc-ddddd-eeeee".into()] {
        assert_eq!(AppPassword::new(&good).unwrap().expose(), good);
    }
    let wrong = [
        "x".repeat(19),
        "x".repeat(257),
        String::new(),
        format!("{}\n", "x".repeat(30)),
        format!("{}é", "x".repeat(30)),
        format!("{}_", "x".repeat(30)),
        format!("{}\0", "x".repeat(30)),
    ];
    for text in wrong {
        let error = AppPassword::new(&text).unwrap_err();
        assert!(text.is_empty() || !error.to_string().contains(&text));
    }
}
