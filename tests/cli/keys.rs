//! Keys that are missing or wrong while there are records that need them (docs/OPERATIONS.md, "A key
//! is lost").

use std::fs;
use std::path::Path;

use portreeve::vault::Keyring;

use crate::support::binary::{
    Served, assert_contains, credentials, failure, get, in_dir, portreeve, run, serve_in, success,
    text, token,
};
use crate::support::gateway::PASSWORD;

/// A data directory with a credential of each user.
fn data_dir(users: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    for user in users {
        credentials(dir.path(), &["put", "--user", user], PASSWORD);
    }
    dir
}

/// The error of each command that would store something or serve; all of them fail.
fn refused(dir: &Path) -> Vec<String> {
    let before = fs::read(dir.join("portreeve.db")).unwrap();
    let keys = fs::read(dir.join("vault.key")).ok();
    let mut lines = vec![
        failure(&mut serve_in(dir), 1),
        failure(&mut in_dir(dir, &["check-config"]), 1),
        failure(
            &mut in_dir(
                dir,
                &[
                    "accounts",
                    "bind",
                    "--issuer",
                    "i",
                    "--subject",
                    "s",
                    "--user",
                    "u",
                ],
            ),
            1,
        ),
    ];
    let put = run(
        &mut in_dir(dir, &["credentials", "put", "--user", "bob"]),
        PASSWORD,
    );
    assert_eq!(put.status.code(), Some(1), "{put:?}");
    lines.push(text(&put.stderr).to_owned());
    // Once more, as the first failure must not make the second start work.
    lines.push(failure(&mut serve_in(dir), 1));
    assert_eq!(
        fs::read(dir.join("vault.key")).ok(),
        keys,
        "no key was created"
    );
    assert_eq!(fs::read(dir.join("portreeve.db")).unwrap(), before);
    lines
}

#[test]
fn a_missing_key_file_prevents_startup_while_records_need_it() {
    let dir = data_dir(&["alice", "bob"]);
    let (dir, key) = (dir.path(), dir.path().join("vault.key"));
    let kept = dir.join("elsewhere");
    fs::rename(&key, &kept).unwrap();
    for line in refused(dir) {
        for part in [
            key.to_str().unwrap(),
            "is missing",
            "portreeve.db has 2 records",
        ] {
            assert!(line.contains(part), "{part}: {line}");
        }
    }
    let line = failure(&mut in_dir(dir, &["credentials", "list"]), 1);
    assert!(line.contains("is missing"), "{line}");
    // The two remedies that the error names: put the key back, or start with an empty database.
    fs::rename(&kept, &key).unwrap();
    drop(Served::start(&mut serve_in(dir)));
    fs::rename(&key, &kept).unwrap();
    for suffix in ["", "-wal", "-shm"] {
        fs::rename(
            dir.join(format!("portreeve.db{suffix}")),
            dir.join(format!("lost{suffix}")),
        )
        .ok();
    }
    drop(Served::start(&mut serve_in(dir)));
    assert_eq!(credentials(dir, &["list"], "").lines().count(), 1);
}

/// The key was recreated, or belongs to another gateway.
#[test]
fn keys_that_decrypt_no_record_prevent_startup() {
    let dir = data_dir(&["alice"]);
    let (dir, key) = (dir.path(), dir.path().join("vault.key"));
    let right = Keyring::read(&key).unwrap().sealing_key().to_string();
    fs::rename(&key, dir.join("elsewhere")).unwrap();
    Keyring::read_or_create(&key).unwrap();
    for line in refused(dir) {
        assert_contains(
            &line,
            &[
                key.to_str().unwrap(),
                "decrypts any of the 1 records",
                &right,
            ],
        );
    }
    // The same goes for keys in the environment.
    let given = fs::read_to_string(&key).unwrap();
    let line = failure(
        serve_in(dir).env("PORTREEVE_ENCRYPTION_KEYS", given.trim()),
        1,
    );
    assert_contains(
        &line,
        &["none of the keys in PORTREEVE_ENCRYPTION_KEYS decrypts any"],
    );
    // The commands that list and remove records still work.
    let listed = run(&mut in_dir(dir, &["credentials", "list"]), "");
    assert_eq!(listed.status.code(), Some(1));
    assert!(text(&listed.stderr).contains("\"alice\""), "{listed:?}");
    success(
        &mut in_dir(dir, &["credentials", "remove", "--user", "alice"]),
        "",
    );
    drop(Served::start(&mut serve_in(dir)));
}

/// As during a rotation, or after one that missed a record.
#[test]
fn records_without_a_key_are_only_a_warning_if_others_can_be_decrypted() {
    let dir = data_dir(&["alice", "bob", "carol"]);
    let (dir, key) = (dir.path(), dir.path().join("vault.key"));
    let old = fs::read_to_string(&key).unwrap();
    let lost = Keyring::read(&key).unwrap().sealing_key().to_string();
    fs::remove_file(&key).unwrap();
    Keyring::read_or_create(&key).unwrap();
    let new = fs::read_to_string(&key).unwrap();
    // With both keys there is no warning, whichever key sealed a record.
    fs::write(&key, format!("{new}{old}")).unwrap();
    assert!(!success(&mut in_dir(dir, &["check-config"]), "").contains("warning"));
    credentials(dir, &["put", "--user", "bob"], PASSWORD);
    assert!(!success(&mut in_dir(dir, &["check-config"]), "").contains("warning"));
    // The old key is removed too early.
    fs::write(&key, &new).unwrap();
    let said = format!(
        "2 of the 3 records in {}",
        dir.join("portreeve.db").display()
    );
    for _ in 0..2 {
        let printed = success(&mut in_dir(dir, &["check-config"]), "");
        assert_contains(&printed, &[&said, &lost]);
        let served = Served::start(&mut serve_in(dir));
        let lines = served.before_listening.join("\n");
        assert_eq!(lines.matches(&said).count(), 1, "{lines}");
        assert!(lines.contains("WARN") && lines.contains(&lost), "{lines}");
    }
    fs::write(&key, format!("{new}{old}")).unwrap();
    credentials(dir, &["rotate-keys"], "");
    fs::write(&key, &new).unwrap();
    assert!(!success(&mut in_dir(dir, &["check-config"]), "").contains("warning"));
}

/// A crash during the first start leaves a key and no record, or an empty database and no key.
#[test]
fn an_interrupted_first_start_is_completed() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let token = token(dir, "alice");
    let key = dir.join("vault.key");
    Keyring::read_or_create(&key).unwrap();
    let made = fs::read_to_string(&key).unwrap();
    drop(Served::start(&mut serve_in(dir)));
    assert_eq!(fs::read_to_string(&key).unwrap(), made);
    fs::remove_file(&key).unwrap();
    // Tables and no records: the key never sealed anything.
    let served = Served::start(&mut serve_in(dir));
    assert_eq!(get(served.address, "/readyz", &token).status, 200);
    assert!(key.exists());
}

#[cfg(feature = "postgres")]
#[test]
fn no_key_is_created_for_a_database_that_several_gateways_share() {
    use super::several;

    let Some(server) = crate::support::postgres::shared() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let url = server.database();
    token(dir, "alice");
    let other = tempfile::tempdir().unwrap();
    let elsewhere = |arguments: &[&str]| {
        let mut command = portreeve();
        command.args(arguments).args(["--database-url", &url]);
        command
            .arg("--key-file")
            .arg(other.path().join("vault.key"));
        command.env("PORTREEVE_TOKENS_FILE", dir.join("tokens"));
        command
    };
    // Even while the database is empty, or each gateway would create a key of its own.
    let line = failure(&mut elsewhere(&["credentials", "list"]), 1);
    assert_contains(
        &line,
        &[
            "vault.key is missing",
            "the same keys",
            "portreeve keys new",
        ],
    );
    several::put(&url, dir, "alice", 1);
    assert!(failure(&mut elsewhere(&["credentials", "list"]), 1).contains("is missing"));
    // Another gateway's own key.
    Keyring::read_or_create(other.path().join("vault.key")).unwrap();
    let refused = run(&mut elsewhere(&["serve", "--listen", "127.0.0.1:0"]), "");
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let line = text(&refused.stderr).lines().last().unwrap();
    assert!(line.contains("decrypts any of the 1 records"), "{line}");
    let mut check = elsewhere(&["check-config", "--listen", "127.0.0.1:0"]);
    success(&mut check, "");
    let line = failure(check.arg("--online"), 1);
    assert!(line.contains("decrypts any of the 1 records"), "{line}");
    // The gateway that has the right key.
    let served = Served::start(&mut several::serve(&url, dir));
    drop(served);
}
