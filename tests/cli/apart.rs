//! `deliveries.db` lies beside the vault: whatever is wrong with it, everything else goes on (docs/OPERATIONS.md, "What
//! survives what").

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use portreeve::deliveries::queue::SIGN_INTERVAL;
use portreeve::deliveries::{Deliveries, Incoming, Limits, Queue};
use portreeve::groupware::EventClasses;
use portreeve::vault::{Keyring, SqliteStore, Vault};
use rusqlite::Connection;

use super::receiving::{REFUSED, deliver, event, readyz, receiving};
use crate::support::binary::{
    Served, assert_contains, credentials, exchange, failure, has_access, in_dir, run, serve_in,
    success, text, token, wait,
};
use crate::support::gateway::PASSWORD;

const CREDENTIALS: &str = "/api/v1/background-sync/credentials";

/// A data directory with a vault, the file of deliveries there, and the token of alice.
fn place() -> (tempfile::TempDir, PathBuf, String) {
    let dir = tempfile::tempdir().unwrap();
    credentials(dir.path(), &["put", "--user", "bob"], PASSWORD);
    let (path, alice) = (dir.path().join("deliveries.db"), token(dir.path(), "alice"));
    (dir, path, alice)
}

/// A delivery is refused, which `/readyz` and a line say; and the vault is read, and changed by the gateway and commands.
fn assert_without_deliveries(dir: &Path, served: &Served, alice: &str) {
    let address = served.address;
    let refused = deliver(address, &event(1, 50_000)).unwrap();
    assert!(refused.status >= 500, "{refused:?}");
    let said = readyz(address);
    assert!(said.starts_with("ready, but the last delivery was refused at "), "{said}");
    let line = served.line_with(REFUSED);
    assert!(line.contains("deliveries.db"), "{line}");
    assert_vault(dir, address, alice);
}

fn assert_vault(dir: &Path, address: SocketAddr, alice: &str) {
    credentials(dir, &["put", "--user", "alice"], PASSWORD);
    assert_eq!(has_access(address, alice), Some(true));
    assert_eq!(exchange(address, "DELETE", CREDENTIALS, alice).unwrap().status, 200);
    assert_eq!(has_access(address, alice), Some(false));
    let bind = ["accounts", "bind", "--user", "alice", "--issuer", "https://id", "--subject"];
    success(in_dir(dir, &bind).arg("anna"), "");
    success(&mut in_dir(dir, &["accounts", "unbind", "--user", "alice"]), "");
}

fn assert_healed(address: SocketAddr) {
    assert_eq!(deliver(address, &event(2, 100)).unwrap().status, 200);
    assert_eq!(readyz(address), "ready\n");
}

#[test]
fn a_file_that_cannot_be_used_is_used_as_soon_as_it_can_be() {
    let spoil: [fn(&Path); 3] = [
        |path| fs::create_dir(path).unwrap(),
        |path| {
            fs::write(path, "no database, though it is long enough to be one\n".repeat(50))
                .unwrap();
        },
        |path| {
            Connection::open(path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
        },
    ];
    for spoil in spoil {
        let (dir, path, alice) = place();
        spoil(&path);
        let served = Served::start(receiving(&mut serve_in(dir.path())));
        let is_said =
            |line: &String| line.contains("WARN") && line.contains("everything else goes on");
        assert!(served.before_listening.iter().any(is_said), "{:?}", served.before_listening);
        assert_without_deliveries(dir.path(), &served, &alice);
        // No key is removed while it is not known which ones are needed there.
        let line = failure(&mut in_dir(dir.path(), &["keys", "prune"]), 1);
        assert!(line.contains("deliveries.db"), "{line}");
        fs::rename(&path, dir.path().join("away")).unwrap();
        assert_healed(served.address);
    }
}

/// SQLite only reads a file whose format has a version for writing that it does not know.
#[test]
fn a_file_that_is_read_only_takes_nothing_along() {
    let (dir, path, alice) = place();
    let served = Served::start(receiving(&mut serve_in(dir.path())));
    assert_healed(served.address);
    served.kill();
    Connection::open(&path).unwrap().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let set_version = |version: u8| {
        let mut file = fs::File::options().write(true).open(&path).unwrap();
        file.seek(SeekFrom::Start(18)).unwrap();
        file.write_all(&[version]).unwrap();
    };
    set_version(3);
    let served = Served::start(receiving(&mut serve_in(dir.path())));
    assert_without_deliveries(dir.path(), &served, &alice);
    served.kill();
    set_version(2);
    let served = Served::start(receiving(&mut serve_in(dir.path())));
    assert_healed(served.address);
}

#[test]
fn a_file_that_another_process_locks_takes_nothing_along() {
    let (dir, path, alice) = place();
    let served = Served::start(receiving(&mut serve_in(dir.path())));
    assert_healed(served.address);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_without_deliveries(dir.path(), &served, &alice);
    other.execute_batch("ROLLBACK").unwrap();
    assert_healed(served.address);
}

#[cfg(target_env = "gnu")]
#[test]
fn a_file_on_a_full_disk_takes_nothing_along() {
    use crate::support::slow_disk::SlowDisk;

    let (dir, path, alice) = place();
    let disk = SlowDisk::new();
    let mut serve = serve_in(dir.path());
    let served = Served::start(disk.under_only(receiving(&mut serve), &path));
    assert_healed(served.address);
    disk.fill();
    // There may be room in the file that there is.
    while deliver(served.address, &event(0, 50_000)).unwrap().status == 200 {}
    assert_without_deliveries(dir.path(), &served, &alice);
    let feed = |query: &str| {
        let path = format!("/api/v1/deliveries/events?cursor={query}");
        let answer = exchange(served.address, "GET", &path, &alice).unwrap();
        answer.json()
    };
    let cursor = feed("now")["cursor"].take();
    // One sign of life at least cannot be left, either.
    std::thread::sleep(SIGN_INTERVAL);
    disk.heal();
    assert_healed(served.address);
    let mut told = serde_json::Value::Null;
    wait("the gap is told", || {
        told = feed(cursor.as_str().unwrap());
        told["gap"] == true
    });
    let gap = &told["gaps"][0];
    assert_eq!(gap["reason"], "refused", "{told}");
    assert!(gap["from"].as_str() <= gap["until"].as_str(), "{gap}");
}

/// It is removed, or the vault's file alone is restored.
#[test]
fn a_file_that_is_missing_is_made_anew() {
    let (dir, path, alice) = place();
    let served = Served::start(receiving(&mut serve_in(dir.path())));
    assert_healed(served.address);
    let feed = |address, query: &str| {
        let path = format!("/api/v1/deliveries/events{query}");
        exchange(address, "GET", &path, &alice).unwrap().json()
    };
    let cursor = |page: &serde_json::Value| format!("?cursor={}", page["cursor"].as_str().unwrap());
    let before = cursor(&feed(served.address, "?cursor=now"));
    served.terminate();
    drop(served);
    fs::remove_file(&path).unwrap();
    let served = Served::start(receiving(&mut serve_in(dir.path())));
    assert_vault(dir.path(), served.address, &alice);
    assert_healed(served.address);
    // Whoever reads on is told, once; whoever begins has missed nothing.
    for (query, is_gap) in [(&*before, true), ("", false)] {
        let page = feed(served.address, query);
        assert_eq!(page["gap"], is_gap, "{page}");
        assert_eq!(page["events"].as_array().unwrap().len(), 1);
        assert_eq!(feed(served.address, &cursor(&page))["gap"], false);
    }
}

/// Nothing is acknowledged that nobody would find.
#[test]
fn a_file_that_is_removed_while_it_is_open_takes_nothing_any_more() {
    let (dir, path, alice) = place();
    let served = Served::start(receiving(&mut serve_in(dir.path())));
    assert_healed(served.address);
    for name in ["deliveries.db", "deliveries.db-wal", "deliveries.db-shm"] {
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    wait("it is noticed", || deliver(served.address, &event(1, 100)).unwrap().status == 503);
    // A command makes another one.
    success(&mut in_dir(dir.path(), &["deliveries", "targets"]), "");
    assert!(path.exists());
    assert_without_deliveries(dir.path(), &served, &alice);
    served.terminate();
    drop(served);
    let served = Served::start(receiving(&mut serve_in(dir.path())));
    assert_healed(served.address);
}

#[test]
fn the_vault_is_backed_up_although_deliveries_cannot_be() {
    let (dir, path, _) = place();
    let dir = dir.path();
    credentials(dir, &["put", "--user", "alice"], PASSWORD);
    fs::create_dir(&path).unwrap();
    let copy = dir.join("copy/portreeve.db");
    let back_up = || run(in_dir(dir, &["vault", "backup"]).arg(&copy), "");
    let output = back_up();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    assert_contains(said, &["wrote ", "no deliveries are copied: ", "deliveries.db"]);
    assert!(copy.exists() && !dir.join("copy/deliveries.db").exists());
    fs::remove_dir(&path).unwrap();
    fs::remove_file(&copy).unwrap();
    assert!(back_up().status.success());
}

/// What one file has keeps its key, whatever the other has.
#[test]
fn a_key_that_an_event_needs_is_not_pruned() {
    let (dir, _, _) = place();
    let dir = dir.path();
    let keys = || fs::read_to_string(dir.join("vault.key")).unwrap();
    credentials(dir, &["put", "--user", "alice"], PASSWORD);
    let receive = async || {
        let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
        let queue = Queue::in_sqlite(&store);
        let vault = Vault::new(Keyring::read(dir.join("vault.key")).unwrap(), store);
        let deliveries = Deliveries::new(vault, queue, Limits::default());
        let body = br#"{"event":{"class":"C"},"user":{"uid":"alice"}}"#;
        let incoming = Incoming::parse(body, &EventClasses::trusting(["C"])).unwrap();
        deliveries.receive(incoming).await.unwrap();
        deliveries
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let deliveries = runtime.block_on(receive());
    success(&mut in_dir(dir, &["keys", "new"]), "");
    let both = keys();
    success(&mut in_dir(dir, &["credentials", "rotate-keys"]), "");
    let vault = Connection::open(dir.join("portreeve.db")).unwrap();
    let age = "UPDATE sealing_key SET since = since - 600000 WHERE since IS NOT NULL";
    vault.execute_batch(age).unwrap();
    // What it has taken away before it fails, it gives back.
    let (path, away) = (dir.join("deliveries.db"), dir.join("away"));
    fs::rename(&path, &away).unwrap();
    fs::create_dir(&path).unwrap();
    failure(&mut in_dir(dir, &["keys", "prune"]), 1);
    fs::remove_dir(&path).unwrap();
    fs::rename(&away, &path).unwrap();
    let taken = "SELECT count(*) FROM sealing_key WHERE count > 0";
    assert_eq!(vault.query_row(taken, [], |row| row.get(0)), Ok(0));
    let prune = || run(&mut in_dir(dir, &["keys", "prune"]), "");
    let pruned = prune();
    assert!(pruned.status.success() && keys() == both, "{pruned:?}");
    assert_contains(text(&pruned.stderr), &["is still that of 1 record:"]);
    runtime.block_on(deliveries.remove_account("alice")).unwrap();
    let pruned = prune();
    assert_contains(text(&pruned.stderr), &["removed the key"]);
    assert_eq!(keys().lines().count(), 1);
    // Each file refuses by itself what is sealed with it.
    for name in ["portreeve.db", "deliveries.db"] {
        let file = Connection::open(dir.join(name)).unwrap();
        let gone = "SELECT count(*) FROM sealing_key WHERE count = 1";
        assert_eq!(file.query_row(gone, [], |row| row.get(0)), Ok(1), "{name}");
    }
}
