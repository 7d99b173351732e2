//! The commands of docs/OPERATIONS.md, "Backup" and "Restore", exactly as printed there.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::support::binary::{
    Served, assert_contains, credentials, failure, in_dir, program, serve_in, token,
};
use crate::support::gateway::PASSWORD;

const PAGE: &str = include_str!("../../docs/OPERATIONS.md");

/// The commands after the comment that names them.
pub(super) fn commands(name: &str) -> String {
    let (_, rest) = PAGE.split_once(&format!("<!-- {name} -->\n")).expect(name);
    let (_, rest) = rest.split_once("```sh\n").expect("commands");
    let (block, _) = rest.split_once("```").expect("their end");
    // In a list they are indented.
    block
        .lines()
        .map(str::trim_start)
        .collect::<Vec<_>>()
        .join("\n")
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
    let variables: &[(&str, &Path)] = &[
        ("DATA_DIR", &data),
        ("BACKUP", &backup),
        ("ELSEWHERE", &elsewhere),
    ];
    credentials(&data, &["put", "--user", "alice"], PASSWORD);
    // While a gateway has it open, with everything in the write-ahead log.
    token(&data, "alice");
    let served = Served::start(&mut serve_in(&data));
    run("backup: sqlite", variables);
    assert!(data.join("portreeve.db-wal").exists());
    drop(served);
    credentials(&data, &["put", "--user", "bob"], PASSWORD);
    credentials(&data, &["remove", "--user", "alice"], "");
    fs::remove_file(data.join("vault.key")).unwrap();
    // A leftover write-ahead log, as after a crash.
    fs::write(data.join("portreeve.db-wal"), "of the former one").unwrap();
    run("restore: sqlite", variables);
    for file in [
        backup.join("portreeve.db"),
        elsewhere.join("vault.key"),
        elsewhere.join("tokens"),
        data.join("portreeve.db"),
        data.join("vault.key"),
    ] {
        assert!(is_private(&file), "{}", file.display());
    }
    let listed = credentials(&data, &["list"], "");
    assert!(
        listed.contains("\nalice\t") && !listed.contains("bob"),
        "{listed}"
    );
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
    for arguments in [
        &["there"][..],
        &["new", "--keys", "there"],
        &["new", "--tokens", "there"],
    ] {
        assert_contains(&back_up(arguments), &["there already exists"]);
    }
    assert!(!dir.join("new").exists() && fs::read(dir.join("there")).unwrap().is_empty());
    // It has no tokens file.
    assert_contains(&back_up(&["new", "--tokens", "copy"]), &["tokens"]);
    let postgres = ["x", "--database-url", "postgres://u@127.0.0.1:1/d"];
    let line = failure(in_dir(dir, &["vault", "backup"]).args(postgres), 2);
    assert_contains(&line, &["pg_dump"]);
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
    success(
        &mut on(url, here, &["credentials", "remove", "--user", "alice"]),
        "",
    );
    // Into the same database, and into an empty one.
    for url in [url, other] {
        fs::remove_file(&key_file).unwrap();
        run("restore: postgres", &variables(url));
        assert!(is_private(&key_file) && is_private(&backup.join("portreeve.dump")));
        let listed = success(&mut on(url, here, &["credentials", "list"]), "");
        assert!(
            listed.contains("\nalice\t") && !listed.contains("bob"),
            "{listed}"
        );
        // Writing works as before.
        put(url, here, "carol", 3);
    }
}
