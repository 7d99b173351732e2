//! Keys that are missing or wrong while there are records that need them (docs/OPERATIONS.md, "A key
//! is lost").

use portreeve::vault::Keyring;

use crate::support::binary::{
    Served, assert_contains, failure, portreeve, run, success, text, token,
};

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
        command.arg("--key-file").arg(other.path().join("vault.key"));
        command.env("PORTREEVE_TOKENS_FILE", dir.join("tokens"));
        command
    };
    // Even while the database is empty, or each gateway would create a key of its own.
    let line = failure(&mut elsewhere(&["credentials", "list"]), 1);
    assert_contains(&line, &["vault.key is missing", "the same keys", "portreeve keys new"]);
    several::put(&url, dir, "alice", 1);
    assert!(failure(&mut elsewhere(&["credentials", "list"]), 1).contains("is missing"));
    // Another gateway's own key.
    Keyring::read_or_create(other.path().join("vault.key")).unwrap();
    let refused = run(&mut elsewhere(&["serve", "--listen", "127.0.0.1:0"]), "");
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let line = text(&refused.stderr).lines().last().unwrap();
    assert!(line.contains("decrypts anything in"), "{line}");
    let mut check = elsewhere(&["check-config", "--listen", "127.0.0.1:0"]);
    success(&mut check, "");
    let line = failure(check.arg("--online"), 1);
    assert!(line.contains("decrypts anything in"), "{line}");
    // The gateway that has the right key.
    let served = Served::start(&mut several::serve(&url, dir));
    drop(served);
}
