//! `portreeve credentials rotate-keys` while a gateway serves (docs/ARCHITECTURE.md,
//! "The vault").

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use portreeve::vault::{AppPassword, Keyring, SqliteStore, Vault};

use crate::support::binary::{
    Served, assert_contains, failure, get, in_dir, run, serve_in, success, text, token,
};
use crate::support::gateway::PASSWORD;

const STATUS: &str = "/api/v1/background-sync/status";

fn key(byte: u8) -> String {
    BASE64_STANDARD.encode([byte; 32])
}

/// Writes the key file, with the keys in this order.
fn write_keys(dir: &Path, bytes: &[u8]) {
    let lines: String = bytes.iter().map(|byte| key(*byte) + "\n").collect();
    fs::write(dir.join("new.key"), lines).unwrap();
    // Replaced atomically, as a careful operator does.
    let mut permissions = fs::metadata(dir.join("new.key")).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o600);
    fs::set_permissions(dir.join("new.key"), permissions).unwrap();
    fs::rename(dir.join("new.key"), dir.join("vault.key")).unwrap();
}

/// Stores passwords of `user<number>`, sealed with the first key.
fn fill(dir: &Path, numbers: std::ops::Range<usize>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let keyring = Keyring::read(dir.join("vault.key")).unwrap();
        let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
        let vault = Vault::new(keyring, store);
        let password = AppPassword::new(PASSWORD).unwrap();
        for number in numbers {
            let user = format!("user{number:05}");
            vault.put(&user, &user, &password).await.unwrap();
        }
    });
}

fn rotate(dir: &Path) -> Command {
    in_dir(dir, &["credentials", "rotate-keys"])
}

#[test]
fn keys_rotate_while_a_gateway_serves() {
    let dir = tempfile::tempdir().unwrap();
    write_keys(dir.path(), &[1]);
    fill(dir.path(), 0..300);
    let token = token(dir.path(), "user00007");
    let served = Served::start(&mut serve_in(dir.path()));
    let has_access = || get(served.address, STATUS, &token).json()["has_background_access"] == true;
    assert!(has_access());

    write_keys(dir.path(), &[2, 1]);
    let new = Keyring::read(dir.path().join("vault.key")).unwrap().first_key();
    let mut rotating =
        rotate(dir.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while rotating.try_wait().unwrap().is_none() {
        assert!(has_access());
    }
    let output = rotating.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        text(&output.stdout),
        format!(
            "re-encrypted 300 records with the key {new}; 0 had it already; 0 could not be decrypted\n"
        )
    );
    assert_eq!(text(&output.stderr), "", "progress is for terminals");
    assert_eq!(
        success(&mut rotate(dir.path()), ""),
        format!(
            "re-encrypted 0 records with the key {new}; 300 had it already; 0 could not be decrypted\n"
        )
    );

    // The old key is no longer needed, neither by a running gateway nor by one that starts.
    write_keys(dir.path(), &[2]);
    assert!(has_access());
    drop(served);
    let served = Served::start(&mut serve_in(dir.path()));
    assert_eq!(get(served.address, STATUS, &token).json()["has_background_access"], true);
}

#[test]
fn a_rotation_can_be_interrupted_and_run_again() {
    let dir = tempfile::tempdir().unwrap();
    write_keys(dir.path(), &[1]);
    fill(dir.path(), 0..600);
    write_keys(dir.path(), &[2, 1]);
    for pause in [5, 10, 15, 20] {
        let mut rotating = rotate(dir.path()).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        rotating.kill().unwrap();
        rotating.wait().unwrap();
    }
    let printed = success(&mut rotate(dir.path()), "");
    let numbers: Vec<u64> =
        printed.split([' ', ';']).filter_map(|word| word.parse().ok()).collect();
    let [moved, already, unopened] = numbers[..] else { panic!("{printed}") };
    assert_eq!((moved + already, unopened), (600, 0), "{printed}");
    write_keys(dir.path(), &[2]);
    let mut list = in_dir(dir.path(), &["credentials", "list"]);
    assert_eq!(success(&mut list, "").lines().count(), 601);
}

/// The operator rotates before the new key file has been copied to the second gateway.
#[test]
fn a_gateway_without_the_key_that_seals_is_not_ready_until_it_has_it() {
    let dir = tempfile::tempdir().unwrap();
    write_keys(dir.path(), &[2, 1]);
    fs::rename(dir.path().join("vault.key"), dir.path().join("both.key")).unwrap();
    write_keys(dir.path(), &[1]);
    fill(dir.path(), 0..3);
    let served = Served::start(&mut serve_in(dir.path()));
    assert_eq!(get(served.address, "/readyz", "").status, 200);

    let both = dir.path().join("both.key");
    let new = Keyring::read(&both).unwrap().first_key().to_string();
    success(rotate(dir.path()).arg("--key-file").arg(&both), "");
    while get(served.address, "/readyz", "").status == 200 {}
    let line = served.line_with("not ready");
    assert!(line.contains(&new), "{line}");

    fs::rename(&both, dir.path().join("vault.key")).unwrap();
    while get(served.address, "/readyz", "").status != 200 {}
}

/// As after a restore of the wrong file: nothing is done with it that the right one cannot undo.
#[test]
fn a_key_file_that_opens_nothing_is_not_made_the_one_that_seals() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_keys(dir, &[1]);
    fill(dir, 0..1);
    write_keys(dir, &[2]);
    for command in [&["credentials", "rotate-keys"][..], &["keys", "new"]] {
        let refused = failure(&mut in_dir(dir, command), 1);
        assert_contains(&refused, &["none of the keys in", "decrypts anything", "add that key"]);
    }
    assert_eq!(fs::read_to_string(dir.join("vault.key")).unwrap(), key(2) + "\n");
    write_keys(dir, &[1]);
    fill(dir, 1..2);
    success(&mut rotate(dir), "");
}

/// As during a rotation, or after one that missed a record.
#[test]
fn records_without_a_key_are_only_a_warning_if_others_can_be_decrypted() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    token(dir, "alice");
    write_keys(dir, &[1]);
    fill(dir, 0..2);
    write_keys(dir, &[2]);
    // An application may let a key seal that opens none of them.
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let keyring = Keyring::read(dir.join("vault.key")).unwrap();
        let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
        assert_eq!(Vault::new(keyring, store).rotate_keys().await.unwrap().unopened, 2);
    });
    fill(dir, 2..3);
    let some = "2 of the 3 records in";
    let check = || success(&mut in_dir(dir, &["check-config"]), "");
    assert_contains(&check(), &[some]);
    let served = Served::start(&mut serve_in(dir));
    let warnings = served.before_listening.iter().filter(|line| line.contains(some));
    assert_eq!(warnings.count(), 1, "{:?}", served.before_listening);
    let rotated = run(&mut rotate(dir), "");
    assert_eq!(rotated.status.code(), Some(1));
    let counts = "; 1 had it already; 2 could not be decrypted";
    assert_contains(text(&rotated.stdout), &["re-encrypted 0 records with the key", counts]);
    assert_contains(text(&rotated.stderr), &["2 records cannot be decrypted"]);
    // With the lost key back, these are rotated, too.
    write_keys(dir, &[2, 1]);
    let counts = "; 1 had it already; 0 could not be decrypted";
    let rotated = success(&mut rotate(dir), "");
    assert_contains(&rotated, &["re-encrypted 2 records with the key", counts]);
    write_keys(dir, &[2]);
    assert!(!check().contains("of the 3 records"));
}
