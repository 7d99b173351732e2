//! Keys from a list and from a file.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use portreeve::vault::{Change, Keyring, KeyringError, MemoryStore, Row, Table, Vault, VaultError};

use crate::suite::{NEW_KEY, OLD_KEY, held, keys, put};

#[test]
fn the_first_key_seals_and_a_repeated_one_counts_once() {
    let ring = keys(&["", OLD_KEY, " ", NEW_KEY, OLD_KEY]);
    assert_eq!(ring.key_ids().len(), 2);
    assert_eq!(ring.first_key(), keys(&[OLD_KEY]).first_key());
    assert_ne!(ring.first_key(), keys(&[NEW_KEY]).first_key());
}

#[test]
fn invalid_keys_are_reported_by_number_and_never_shown() {
    assert!(matches!(Keyring::from_base64_keys([]), Err(KeyringError::Empty { .. })));
    for wrong in ["c2hvcnQ=", "not base64 at all", &NEW_KEY[..43], &format!("{NEW_KEY}AA==")] {
        let error = Keyring::from_base64_keys([OLD_KEY, wrong]).unwrap_err();
        assert!(matches!(error, KeyringError::NotAKey { number: 2, .. }), "{error}");
        assert!(!error.to_string().contains(wrong), "{error}");
    }
}

#[test]
fn a_key_file_is_created_once_for_its_owner_only() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new/data/vault.key");
    let rings: Vec<Keyring> = std::thread::scope(|scope| {
        let open = || Keyring::read_or_create(&path).unwrap();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for ring in &rings {
        assert_eq!(ring.first_key(), rings[0].first_key(), "all have the one that stayed");
    }
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no draft is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(path.as_path()), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }
    let again = Keyring::read_or_create(&path).unwrap();
    assert_eq!(again.key_ids(), [rings[0].first_key()]);
}

#[test]
fn an_invalid_key_file_is_an_error_and_is_not_changed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vault.key");
    let missing = Keyring::read(&path).unwrap_err().to_string();
    assert!(missing.contains("vault.key") && missing.contains("read"), "{missing}");
    for text in ["", "# only a comment\n", "garbage\n", &format!("{OLD_KEY}\nsecret-word\n")] {
        fs::write(&path, text).unwrap();
        let error = Keyring::read_or_create(&path).unwrap_err().to_string();
        assert!(error.contains("vault.key"), "{error}");
        assert!(!error.contains("secret-word"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "a key may still be in it");
    }
    fs::write(&path, [0xff; 40]).unwrap();
    assert!(Keyring::read(&path).is_err());
    fs::write(&path, "x".repeat(1 << 20)).unwrap();
    assert!(Keyring::read(&path).is_err());
}

/// Keys change under a running gateway, without a restart.
#[tokio::test]
async fn a_changed_key_file_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vault.key");
    fs::write(&path, format!("# made in spring\n{OLD_KEY}\n")).unwrap();
    let store = MemoryStore::new();
    let gateway = Vault::new(Keyring::read(&path).unwrap(), store.clone());
    put(&gateway, "alice", 1).await;

    replace(&path, &[NEW_KEY, OLD_KEY]);
    let command = Vault::new(Keyring::read(&path).unwrap(), store.clone());
    let report = command.rotate_keys().await.unwrap();
    assert_eq!(report.resealed, 1);
    assert_eq!(held(&gateway, "alice").await, Some(1));
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;

    replace(&path, &[NEW_KEY]);
    put(&gateway, "bob", 2).await;
    let new = Vault::new(keys(&[NEW_KEY]), store);
    assert!(new.credential("bob").await.unwrap().is_some(), "sealed with the new key");
}

/// Replaces the file at once, as `keys new` does.
fn replace(path: &Path, keys: &[&str]) {
    let draft = path.with_extension("draft");
    fs::write(&draft, keys.join("\n")).unwrap();
    fs::rename(&draft, path).unwrap();
}

#[tokio::test(start_paused = true)]
async fn while_one_reads_the_file_for_a_new_key_the_others_wait() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vault.key");
    fs::write(&path, OLD_KEY).unwrap();
    let gateway = Vault::new(Keyring::read(&path).unwrap(), MemoryStore::new());
    put(&gateway, "alice", 1).await;

    replace(&path, &[NEW_KEY, OLD_KEY]);
    let command =
        Vault::with_shared_store(Keyring::read(&path).unwrap(), Arc::clone(gateway.store()));
    command.rotate_keys().await.unwrap();
    let users: Vec<_> = (0..12).map(|user| format!("user{user}")).collect();
    join_all(users.iter().map(|user| put(&gateway, user, 2))).await;
}

#[tokio::test(start_paused = true)]
async fn a_lost_key_opens_the_file_once_a_second_and_a_new_one_at_once() {
    const LOST_KEY: &str = "AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vault.key");
    fs::write(&path, OLD_KEY).unwrap();
    let gateway = Vault::new(Keyring::read(&path).unwrap(), MemoryStore::new());
    for (user, key) in [("lost", LOST_KEY), ("new", NEW_KEY)] {
        let other = Vault::new(keys(&[key]), MemoryStore::new());
        put(&other, user, 1).await;
        let row = other.store().get(Table::Credential, user).await.unwrap().unwrap();
        let change = Change::put(Table::Credential, Row::clone(&row));
        assert!(gateway.store().commit("copy it", vec![change]).await.unwrap().is_done());
    }

    assert!(gateway.credential("lost").await.is_err());
    replace(&path, &[NEW_KEY, OLD_KEY]);
    assert_eq!(held(&gateway, "new").await, Some(1));
    replace(&path, &[NEW_KEY, OLD_KEY, LOST_KEY]);
    assert!(gateway.credential("lost").await.is_err());
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(held(&gateway, "lost").await, Some(1));
}

/// Whatever becomes of the file: a Kubernetes volume is swapped, an editor writes, a disk is away.
#[tokio::test]
async fn while_the_key_file_cannot_be_used_the_keys_in_force_stay_in_force() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vault.key");
    fs::write(&path, OLD_KEY).unwrap();
    let gateway = Vault::new(Keyring::read(&path).unwrap(), MemoryStore::new());
    let old = keys(&[OLD_KEY]);

    fs::remove_file(&path).unwrap();
    put(&gateway, "missing", 1).await;
    for unusable in ["", "half a k", "# being written\n", &"x".repeat(1 << 20)] {
        fs::write(&path, unusable).unwrap();
        put(&gateway, "unusable", 2).await;
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    put(&gateway, "unreadable", 3).await;
    let report = gateway.rotate_keys().await.unwrap();
    assert_eq!((report.up_to_date, report.unopened), (3, 0));
    assert_eq!(gateway.keyring().key_ids(), old.key_ids());
    // Nor is a record that needs another key the fault of the file.
    let other = Vault::with_shared_store(keys(&[NEW_KEY]), Arc::clone(gateway.store()));
    other.rotate_keys().await.unwrap();
    put(&other, "other", 4).await;
    let error = gateway.credential("other").await.unwrap_err();
    assert!(matches!(error, VaultError::Unopened { .. }), "{error}");

    fs::remove_dir(&path).unwrap();
    fs::write(&path, format!("{NEW_KEY}\n{OLD_KEY}\n")).unwrap();
    gateway.ready().await.unwrap();
    assert_eq!(held(&gateway, "other").await, Some(4));
    assert_eq!(gateway.keyring().key_ids().len(), 2);
}
