//! A SQLite database on a disk that is slow, stuck or full, and one that another process has locked
//! (docs/OPERATIONS.md, "What is promised" and "What survives what").

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::support::binary::{
    Served, credentials, exchange, failure, get, has_access, is_ready, portreeve, run, serve_in,
    success, text, token, wait,
};
use crate::support::gateway::{Answer, PASSWORD};
use crate::support::slow_disk::SlowDisk;

pub(crate) const CREDENTIALS: &str = "/api/v1/background-sync/credentials";

/// Removes what is stored. `exchange` limits how long the answer may take.
pub(crate) fn removal(address: std::net::SocketAddr, token: &str) -> Answer {
    let answer = exchange(address, "DELETE", CREDENTIALS, token);
    answer.expect("a removal is answered in time")
}

fn vault_command(dir: &Path, arguments: &[&str]) -> std::process::Command {
    let mut command = portreeve();
    command.arg("credentials").args(arguments);
    command.arg("--data-dir").arg(dir);
    command
}

/// A tokens file on a mount whose server is gone: calls go on with the previous tokens, one line says so, a reload
/// ends with an error, and so does the process at SIGTERM.
#[test]
fn a_tokens_file_that_does_not_answer_stops_neither_calls_nor_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let disk = SlowDisk::new();
    let (alice, tokens) = (token(dir, "alice"), dir.join("tokens"));
    let mut command = serve_in(dir);
    disk.under_with(&mut command, &tokens);
    let mut served = Served::start(&mut command);
    let address = served.address;
    assert_eq!(has_access(address, &alice), Some(false));

    disk.stick();
    // The next check of the file begins and does not end.
    wait("a line says so", || {
        assert_eq!(has_access(address, &alice), Some(false));
        let lines = served.lines();
        lines.iter().any(|line| line.contains("does not answer; the previous tokens"))
    });
    for _ in 0..20 {
        assert_eq!(has_access(address, &alice), Some(false));
    }
    served.signal("HUP");
    let line = served.line_with("the settings were not reloaded");
    assert!(line.contains("the file system did not answer within 2 seconds"), "{line}");

    let bob = {
        disk.heal();
        token(dir, "bob")
    };
    wait("it is read again", || has_access(address, &bob) == Some(false));
    disk.stick();
    wait("a line says so again", || {
        has_access(address, &bob);
        let lines = served.lines();
        lines.iter().any(|line| line.contains("does not answer; the previous tokens"))
    });
    served.terminate();
    assert!(served.wait().success());
}

/// Any other file that a reload looks at.
#[test]
fn a_file_that_does_not_answer_does_not_keep_a_reload_from_ending() {
    // The directory is asked whether a missing key file could be created in it. The configuration is searched for in the
    // working directory, under that name.
    let limit = "the file system did not answer within 2 seconds";
    for (name, said) in [
        ("keys/key", limit),
        ("keys", limit),
        ("portreeve.toml", "the files were not read within 20 seconds"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let disk = SlowDisk::new();
        token(dir, "alice");
        std::fs::write(dir.join("portreeve.toml"), "log_level = \"info\"\n").unwrap();
        let mut command = serve_in(dir);
        command.current_dir(dir);
        command.arg("--key-file").arg(dir.join("keys/key"));
        let path = match name {
            "portreeve.toml" => name.into(),
            _ => dir.join(name),
        };
        disk.under_with(&mut command, &path);
        let served = Served::start(&mut command);
        if name == "keys" {
            std::fs::remove_file(dir.join("keys/key")).unwrap();
        }
        disk.stick();
        served.signal("HUP");
        let line = served.line_with("the settings were not reloaded");
        assert!(line.contains(said), "{name}: {line}");
        disk.heal();
        wait("it can be reloaded again", || {
            served.signal("HUP");
            let line = served.line_with("reloaded");
            line.contains("reloaded the settings")
        });
    }
}

/// The gateway's disk is slow, then stuck: credentials can still be read, a removal ends with the
/// request timeout, and acknowledged changes survive.
#[test]
fn a_stuck_disk_under_the_database_file_ends_in_timeouts() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let disk = SlowDisk::new();
    let users = ["alice", "bob", "carol", "dave"];
    let [alice, bob, carol, dave] = users.map(|user| {
        credentials(dir, &["put", "--user", user], &format!("{PASSWORD}\n"));
        token(dir, user)
    });
    let mut command = serve_in(dir);
    disk.under(command.args(["--request-timeout", "3s"]));
    let served = Served::start(&mut command);
    let address = served.address;

    disk.slow(300);
    assert_eq!(removal(address, &alice).status, 200);
    assert_eq!(has_access(address, &alice), Some(false));

    disk.stick();
    std::thread::scope(|scope| {
        let removing = [&bob, &carol].map(|token| scope.spawn(|| removal(address, token)));
        while !removing.iter().all(|it| it.is_finished()) {
            assert_eq!(has_access(address, &dave), Some(true));
            assert!(is_ready(address), "it can be read");
            std::thread::sleep(Duration::from_millis(50));
        }
        for answer in removing {
            answer.join().unwrap().assert_error(504, "Timeout");
        }
    });
    // Another process waits for the stuck one, but not for ever.
    let mut put = vault_command(dir, &["put", "--user", "erin"]);
    let output = run(&mut put, &format!("{PASSWORD}\n"));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.lines().count() == 1 && said.contains("portreeve.db"), "{said}");

    disk.heal();
    for token in [&bob, &carol] {
        wait("it works again", || removal(address, token).status == 200);
        assert_eq!(has_access(address, token), Some(false));
    }
    disk.stick();
    served.kill();
    let served = Served::start(&mut serve_in(dir));
    for (token, stored) in [(&alice, false), (&bob, false), (&carol, false), (&dave, true)] {
        assert_eq!(has_access(served.address, token), Some(stored));
    }
}

/// Room is missing for the index of SQLite's log, which is made at each start.
#[test]
fn a_gateway_that_starts_on_a_full_disk_reads_and_logs_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let disk = SlowDisk::new();
    credentials(dir, &["put", "--user", "alice"], &format!("{PASSWORD}\n"));
    let alice = token(dir, "alice");
    disk.fill();
    let listed = success(disk.under(&mut vault_command(dir, &["list"])), "");
    assert!(listed.contains("alice"), "{listed}");
    let mut put = vault_command(dir, &["put", "--user", "bob"]);
    let output = run(disk.under(&mut put), &format!("{PASSWORD}\n"));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    let parts = ["portreeve.db", "its disk is full: make room"];
    assert!(parts.iter().all(|part| said.contains(part)), "{said}");

    let served = Served::start(disk.under(&mut serve_in(dir)));
    let address = served.address;
    let is_full = |line: &&String| line.contains("the disk of the database is full");
    let warning = served.before_listening.iter().find(is_full).unwrap();
    assert!(warning.contains("WARN") && warning.contains("portreeve.db"), "{warning}");
    assert_eq!(has_access(address, &alice), Some(true));
    assert!(is_ready(address));
    let message = removal(address, &alice).assert_error(500, "Internal error");
    assert_eq!(message, "The stored credentials cannot be changed at the moment");
    let line = served.line_with("cannot remove a credential");
    assert!(line.contains("its disk is full: make room"), "{line}");
    assert_eq!(has_access(address, &alice), Some(true));
    // Nobody else changes what this process has read.
    let line = failure(&mut vault_command(dir, &["remove", "--user", "alice"]), 1);
    assert!(line.contains("another process holds it"), "{line}");

    disk.heal();
    assert_eq!(removal(address, &alice).status, 200);
    assert_eq!(has_access(address, &alice), Some(false));
    served.kill();
    let served = Served::start(&mut serve_in(dir));
    assert!(!served.before_listening.iter().any(|line| is_full(&line)));
    credentials(dir, &["put", "--user", "alice"], &format!("{PASSWORD}\n"));
    assert_eq!(has_access(served.address, &alice), Some(true));
}

/// Another process holds the lock for longer than a change waits.
#[test]
fn a_database_file_that_another_process_locks_ends_in_errors() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    credentials(dir, &["put", "--user", "alice"], &format!("{PASSWORD}\n"));
    let alice = token(dir, "alice");
    let served = Served::start(&mut serve_in(dir));
    let address = served.address;
    let other = Connection::open(dir.join("portreeve.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let message = removal(address, &alice).assert_error(500, "Internal error");
    assert_eq!(message, "The stored credentials cannot be reached at the moment");
    served.line_with("cannot remove a credential");
    assert_eq!(has_access(address, &alice), Some(true));
    assert!(is_ready(address), "it can be read");
    let mut remove = vault_command(dir, &["remove", "--user", "alice"]);
    let line = failure(&mut remove, 1);
    assert!(line.contains("portreeve.db"), "{line}");
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(removal(address, &alice).status, 200);
    assert_eq!(has_access(address, &alice), Some(false));
}

/// Front ends ask for the session again and again, and its answer is 200 even if the vault cannot be read.
#[test]
fn sessions_without_the_vault_are_counted_in_a_line_a_second() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    credentials(dir, &["put", "--user", "alice"], &format!("{PASSWORD}\n"));
    let alice = token(dir, "alice");
    let served = Served::start(&mut serve_in(dir));
    let database = Connection::open(dir.join("portreeve.db")).unwrap();
    database.execute_batch("DROP TABLE credential").unwrap();
    let began = std::time::Instant::now();
    for _ in 0..200 {
        let session = get(served.address, "/api/v1/users/alice/session", &alice);
        assert_eq!(session.status, 200, "{session:?}");
        assert_eq!(session.json()["background_access_granted"], false);
    }
    served.terminate();
    let lines = served.rest();
    let said: Vec<_> = lines
        .iter()
        .filter(|line| line.contains("the session is shown without the stored credential"))
        .collect();
    assert!(said.len() as u64 <= 2 + began.elapsed().as_secs(), "{said:?}");
    let count = |line: &&String| -> u32 {
        let (_, count) = line.split_once("count=").unwrap();
        count.split(' ').next().unwrap().parse().unwrap()
    };
    assert_eq!(said.iter().map(count).sum::<u32>(), 200, "{said:?}");
    assert!(said[0].contains("ERROR") && said[0].contains("no such table"), "{said:?}");
}
