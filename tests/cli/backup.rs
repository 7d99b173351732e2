//! The commands of docs/OPERATIONS.md, "Backup" and "Restore", exactly as printed there.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::support::binary::{
    Served, assert_contains, credentials, failure, in_dir, portreeve, program, serve_in, success,
    text, token,
};
use crate::support::gateway::PASSWORD;

const PAGE: &str = include_str!("../../docs/OPERATIONS.md");

/// The commands after the comment that names them.
pub(super) fn commands(name: &str) -> String {
    let (_, rest) = PAGE.split_once(&format!("<!-- {name} -->\n")).expect(name);
    let (_, rest) = rest.split_once("```sh\n").expect("commands");
    let (block, _) = rest.split_once("```").expect("their end");
    // In a list they are indented.
    block.lines().map(str::trim_start).collect::<Vec<_>>().join("\n")
}

/// Runs them as a script that stops at the first failure, with a umask that lets everybody read.
fn run(name: &str, variables: &[(&str, &Path)]) {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("umask 022; set -eu\n{}", commands(name))]);
    shell.env_clear();
    let bin = program().parent().unwrap().display().to_string();
    shell.env("PATH", format!("{bin}:{}", std::env::var("PATH").unwrap()));
    for (variable, value) in variables.iter().filter(|(name, _)| *name == "DATA_DIR") {
        shell.env(format!("PORTREEVE_{variable}"), value);
        shell.env("PORTREEVE_TOKENS_FILE", value.join("tokens"));
    }
    for (variable, value) in variables {
        shell.env(variable, value);
    }
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{name}: {output:?}");
}

fn is_private(path: &Path) -> bool {
    fs::metadata(path).unwrap().permissions().mode() & 0o077 == 0
}

#[test]
fn a_sqlite_database_is_backed_up_and_restored() {
    let here = tempfile::tempdir().unwrap();
    let [data, backup, elsewhere] = ["data", "backup", "elsewhere"].map(|name| {
        let path = here.path().join(name);
        fs::create_dir(&path).unwrap();
        path
    });
    let variables: &[(&str, &Path)] =
        &[("DATA_DIR", &data), ("BACKUP", &backup), ("ELSEWHERE", &elsewhere)];
    credentials(&data, &["put", "--user", "alice"], PASSWORD);
    // It makes the file of deliveries.
    success(&mut in_dir(&data, &["users", "show", "alice"]), "");
    // While a gateway has it open, with everything in the write-ahead log.
    token(&data, "alice");
    let served = Served::start(&mut serve_in(&data));
    run("backup: sqlite", variables);
    assert!(data.join("portreeve.db-wal").exists());
    drop(served);
    credentials(&data, &["put", "--user", "bob"], PASSWORD);
    credentials(&data, &["remove", "--user", "alice"], "");
    fs::remove_file(data.join("vault.key")).unwrap();
    fs::remove_file(data.join("tokens")).unwrap();
    // A leftover write-ahead log, as after a crash.
    fs::write(data.join("portreeve.db-wal"), "of the former one").unwrap();
    fs::write(data.join("deliveries.db"), "damaged").unwrap();
    run("restore: sqlite", variables);
    for file in [
        backup.join("portreeve.db"),
        backup.join("deliveries.db"),
        data.join("deliveries.db"),
        elsewhere.join("vault.key"),
        elsewhere.join("tokens"),
        data.join("tokens"),
        data.join("portreeve.db"),
        data.join("vault.key"),
    ] {
        assert!(is_private(&file), "{}", file.display());
    }
    let listed = credentials(&data, &["list"], "");
    assert!(listed.contains("\nalice\t") && !listed.contains("bob"), "{listed}");
}

#[test]
fn a_backup_replaces_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    credentials(dir, &["put", "--user", "alice"], PASSWORD);
    fs::write(dir.join("there"), "").unwrap();
    let back_up = |arguments: &[&str]| {
        let mut command = in_dir(dir, &["vault", "backup"]);
        failure(command.current_dir(dir).args(arguments), 1)
    };
    for arguments in [&["there"][..], &["new", "--keys", "there"], &["new", "--tokens", "there"]] {
        assert_contains(&back_up(arguments), &["there already exists"]);
    }
    assert!(!dir.join("new").exists() && fs::read(dir.join("there")).unwrap().is_empty());
    // Those of an older backup.
    fs::create_dir(dir.join("older")).unwrap();
    fs::write(dir.join("older/deliveries.db"), "").unwrap();
    fs::write(dir.join("deliveries.db"), "").unwrap();
    assert_contains(
        &back_up(&["older/new"]),
        &["older/deliveries.db already exists", "a directory without deliveries.db"],
    );
    fs::remove_file(dir.join("deliveries.db")).unwrap();
    let line =
        failure(in_dir(dir, &["vault", "backup", "new", "--keys", "new"]).current_dir(dir), 2);
    assert_contains(&line, &["each copy needs a file of its own"]);
    // What cannot be written last leaves nothing of what was written before.
    assert_contains(&back_up(&["new", "--keys", "there/copy"]), &["cannot write there/copy"]);
    assert!(!dir.join("new").exists());
    let postgres = ["x", "--database-url", "postgres://u@127.0.0.1:1/d"];
    let line = failure(in_dir(dir, &["vault", "backup"]).args(postgres), 2);
    assert_contains(&line, &["pg_dump"]);
}

/// With an identity provider there are no tokens, and before the first one no file of them.
#[test]
fn a_backup_is_made_of_what_there_is() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    credentials(dir, &["put", "--user", "alice"], PASSWORD);
    let back_up = |database: &str, more: &[&str]| {
        let mut command = in_dir(dir, &["vault", "backup", database, "--tokens", "copied"]);
        command.env_remove("PORTREEVE_TOKENS_FILE");
        let output = command.current_dir(dir).args(more).output().unwrap();
        assert!(output.status.success() && dir.join(database).exists());
        assert!(!dir.join("copied").exists());
        String::from_utf8(output.stderr).unwrap()
    };
    let said = back_up("one", &["--keys", "keys"]);
    assert_contains(&said, &["tokens_file is not set", "wrote one\n", "wrote keys\n"]);
    let said = back_up("two", &["--tokens-file", "tokens"]);
    assert_contains(&said, &["tokens has not been made yet", "wrote two\n"]);
}

#[cfg(feature = "postgres")]
#[test]
fn a_postgresql_database_is_backed_up_and_restored() {
    use super::several::{on, put};
    use crate::support::binary::success;

    let Some(server) = crate::support::postgres::shared() else {
        return;
    };
    let (url, other) = (server.database(), server.database());
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    let key_file = here.join("vault.key");
    let (backup, elsewhere) = (here.join("backup"), here.join("elsewhere"));
    fs::create_dir(&backup).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    let variables = |url: &'static str| -> Vec<(&str, &Path)> {
        vec![
            ("DATABASE_URL", Path::new(url)),
            ("KEY_FILE", &key_file),
            ("BACKUP", &backup),
            ("ELSEWHERE", &elsewhere),
        ]
    };
    let url: &'static str = url.leak();
    let other: &'static str = other.leak();
    put(url, here, "alice", 1);
    run("backup: postgres", &variables(url));
    put(url, here, "bob", 2);
    success(&mut on(url, here, &["credentials", "remove", "--user", "alice"]), "");
    // Into the same database, and into an empty one.
    for url in [url, other] {
        fs::remove_file(&key_file).unwrap();
        run("restore: postgres", &variables(url));
        assert!(is_private(&key_file) && is_private(&backup.join("portreeve.dump")));
        let listed = success(&mut on(url, here, &["credentials", "list"]), "");
        assert!(listed.contains("\nalice\t") && !listed.contains("bob"), "{listed}");
        // Writing works as before.
        put(url, here, "carol", 3);
    }
}

/// It was killed in the middle. Nobody serves what there is of it, until it is complete.
#[test]
fn an_interrupted_copy_is_refused_until_it_has_been_completed() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    credentials(dir, &["put", "--user", "alice"], &format!("{PASSWORD}\n"));
    let moved = tempfile::tempdir().unwrap();
    std::fs::copy(dir.join("vault.key"), moved.path().join("vault.key")).unwrap();
    let url = |dir: &std::path::Path| format!("sqlite:{}", dir.join("portreeve.db").display());
    let copy = || {
        let mut copy = portreeve();
        copy.args(["vault", "copy", "--from", &url(dir), "--to", &url(moved.path())]);
        success(&mut copy, "")
    };
    copy();
    let database = rusqlite::Connection::open(moved.path().join("portreeve.db")).unwrap();
    let begun = "INSERT INTO sealing_key VALUES ('unfinished copy', 'unfinished copy', 0, x'', 0, NULL); \
                 DELETE FROM credential";
    database.execute_batch(begun).unwrap();
    drop(database);
    let refused = failure(&mut in_dir(moved.path(), &["credentials", "list"]), 1);
    assert!(refused.contains("is a copy that was interrupted"), "{refused}");
    let refused = crate::support::binary::run(&mut in_dir(moved.path(), &["serve"]), "");
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert_contains(text(&refused.stderr), &["is a copy that was interrupted"]);
    let mut from_it = portreeve();
    from_it.args([
        "vault",
        "copy",
        "--from",
        &url(moved.path()),
        "--to",
        "sqlite:other/portreeve.db",
    ]);
    let refused = failure(from_it.current_dir(moved.path()), 1);
    assert!(refused.contains("is a copy that was interrupted"), "{refused}");
    copy();
    let listed = success(&mut in_dir(moved.path(), &["credentials", "list"]), "");
    assert!(listed.contains("alice"), "{listed}");
}
