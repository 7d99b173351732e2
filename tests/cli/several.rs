//! Several gateway processes on one PostgreSQL database; the commands that use it, and copies to it
//! and back (docs/OPERATIONS.md, "Several gateways on one database").

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use portreeve::vault::{Keyring, PostgresStore, Vault};

use crate::support::binary::{
    STATUS, Served, assert_contains, exchange, failure, get, has_access, is_ready, portreeve, run,
    success, text, token, wait,
};
use crate::support::postgres::{Postgres, shared};
use crate::support::seed;

/// The binary with its database at `url`, and its other files in `dir`.
pub(crate) fn on(url: &str, dir: &Path, arguments: &[&str]) -> Command {
    let mut command = portreeve();
    command.args(arguments).args(["--database-url", url]);
    let key_file = dir.join("vault.key");
    // No command creates a key for a database that several gateways share.
    Keyring::read_or_create(&key_file).unwrap();
    command.arg("--key-file").arg(key_file);
    command
}

pub(crate) fn serve(url: &str, dir: &Path) -> Command {
    let mut command = on(url, dir, &["serve", "--listen", "127.0.0.1:0"]);
    command.arg("--tokens-file").arg(dir.join("tokens"));
    command
}

pub(crate) fn put(url: &str, dir: &Path, user: &str, number: usize) {
    let password = format!("{number:020}-app-password\n");
    success(&mut on(url, dir, &["credentials", "put", "--user", user]), &password);
}

fn list(url: &str, dir: &Path) -> String {
    success(&mut on(url, dir, &["credentials", "list"]), "")
}

/// Whether a removal was acknowledged.
pub(crate) fn remove(address: SocketAddr, token: &str) -> bool {
    let path = "/api/v1/background-sync/credentials";
    exchange(address, "DELETE", path, token).is_some_and(|answer| answer.status == 200)
}

#[test]
fn every_command_works_on_postgresql() {
    let Some(server) = shared() else { return };
    let (url, dir) = (server.database(), tempfile::tempdir().unwrap());
    let dir = dir.path();
    put(&url, dir, "alice", 1);
    put(&url, dir, "bob", 2);
    let listed = list(&url, dir);
    assert!(listed.contains("\nalice\talice\t") && listed.lines().count() == 3, "{listed}");
    success(&mut on(&url, dir, &["credentials", "remove", "--user", "bob"]), "");
    assert_eq!(list(&url, dir).lines().count(), 2);
    let person = ["--issuer", "https://id.example.org", "--subject", "anna"];
    let mut bind = on(&url, dir, &["accounts", "bind", "--user", "alice"]);
    success(bind.args(person), "");
    let mut bindings = on(&url, dir, &["accounts", "list"]);
    assert!(success(&mut bindings, "").contains("anna"));
    success(&mut on(&url, dir, &["accounts", "unbind", "--user", "alice"]), "");
    assert_eq!(success(&mut bindings, "").lines().count(), 1);
    let rotated = success(&mut on(&url, dir, &["credentials", "rotate-keys"]), "");
    assert!(rotated.contains("1 had it already"), "{rotated}");
    token(dir, "alice");
    let mut check = on(&url, dir, &["check-config", "--listen", "127.0.0.1:0"]);
    let shown = success(check.arg("--tokens-file").arg(dir.join("tokens")), "");
    assert!(shown.contains(&url), "{shown}");
    let shown = success(check.arg("--online"), "");
    assert_contains(&shown, &["is writable and has schema version 12"]);
}

#[test]
fn a_password_in_the_url_is_refused_and_never_shown() {
    let dir = tempfile::tempdir().unwrap();
    for url in [
        "postgres://port:hunter22@127.0.0.1/gate",
        "postgres://port@127.0.0.1/gate?password=hunter22",
        "postgres://port:hunter22@127.0.0.1:nonsense/gate?x=y",
    ] {
        for command in [&["credentials", "list"][..], &["check-config"]] {
            let mut command = on(url, dir.path(), command);
            let output = run(&mut command, "");
            assert!(!output.status.success());
            let said = [text(&output.stdout), text(&output.stderr)].concat();
            assert!(!said.contains("hunter22"), "{said}");
        }
    }
    let line = failure(
        &mut on("postgres://port:hunter22@127.0.0.1/gate", dir.path(), &["credentials", "list"]),
        2,
    );
    assert!(line.contains("PORTREEVE_DATABASE_PASSWORD"), "{line}");
    // A password that is given the right way is not shown, either.
    let mut command = on("postgres://port@127.0.0.1:1/gate", dir.path(), &["credentials", "list"]);
    let line = failure(command.env("PORTREEVE_DATABASE_PASSWORD", "hunter22"), 1);
    assert!(line.contains("127.0.0.1:1") && !line.contains("hunter22"), "{line}");
}

#[test]
fn only_keys_that_records_on_postgresql_need_are_kept() {
    let Some(server) = shared() else { return };
    let (url, dir) = (server.database(), tempfile::tempdir().unwrap());
    let dir = dir.path();
    put(&url, dir, "alice", 1);
    let keys = || fs::read_to_string(dir.join("vault.key")).unwrap();
    let old = keys();
    success(&mut on(&url, dir, &["keys", "new"]), "");
    let both = keys();
    assert!(both.ends_with(&old) && both.lines().count() == 2, "{both}");
    // The old one still seals, and the new one is to.
    let prune = || run(&mut on(&url, dir, &["keys", "prune"]), "");
    let pruned = prune();
    assert!(pruned.status.success() && keys() == both, "{pruned:?}");
    assert_contains(text(&pruned.stderr), &["every key is needed"]);
    success(&mut on(&url, dir, &["credentials", "rotate-keys"]), "");
    // A gateway may have sealed something with it that is not stored yet.
    let pruned = prune();
    assert!(pruned.status.success() && keys() == both, "{pruned:?}");
    assert_contains(text(&pruned.stderr), &["ten minutes ago"]);
    let database = url.rsplit('/').next().unwrap();
    server.psql(
        database,
        "UPDATE portreeve.sealing_key SET since = since - 600000 WHERE since IS NOT NULL",
    );
    let pruned = prune();
    assert!(pruned.status.success(), "{pruned:?}");
    assert_contains(text(&pruned.stderr), &["removed the key"]);
    assert_eq!(keys(), both.trim_end_matches(&old));
    assert!(list(&url, dir).contains("\nalice\t"));
}

/// The error says which of them it is, and what to do.
#[test]
fn missing_passwords_exposed_password_files_and_closed_ports_have_distinct_errors() {
    use std::os::unix::fs::PermissionsExt as _;

    let Some(server) = Postgres::start() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let url = server.database();
    server.psql(
        "postgres",
        "SET password_encryption = 'scram-sha-256'; ALTER ROLE port PASSWORD 'hunter22'",
    );
    let hba = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
    fs::write(server.data().join("pg_hba.conf"), hba).unwrap();
    server.signal("HUP");
    let list = |url: &str| on(url, dir, &["credentials", "list"]);
    // The server rereads the file a moment later.
    wait("it asks for a password", || !run(&mut list(&url), "").status.success());
    let line = failure(&mut list(&url), 1);
    assert_contains(&line, &["asks for a password", "PORTREEVE_DATABASE_PASSWORD", "PGPASSFILE"]);
    let file = dir.join("pgpass");
    fs::write(&file, "127.0.0.1:*:*:port:hunter22\n").unwrap();
    let with_file = |mode| {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let mut command = list(&url);
        command.env("PGPASSFILE", &file);
        command
    };
    let line = failure(&mut with_file(0o644), 1);
    let cure = format!("mode 0644); `chmod 600 {}`", file.display());
    assert!(line.contains(&cure) && !line.contains("hunter22"), "{line}");
    token(dir, "alice");
    let mut check = on(&url, dir, &["check-config", "--listen", "127.0.0.1:0"]);
    check.env("PGPASSFILE", &file).arg("--tokens-file").arg(dir.join("tokens"));
    let printed = success(&mut check, "");
    assert_contains(&printed, &["warning: database_url: ", &cure]);
    success(&mut with_file(0o600), "");
    fs::write(&file, "elsewhere:*:*:port:hunter22\n").unwrap();
    let line = failure(&mut with_file(0o600), 1);
    assert!(line.contains("has no line for 127.0.0.1:"), "{line}");
    let mut wrong = list(&url);
    let line = failure(wrong.env("PORTREEVE_DATABASE_PASSWORD", "wrong"), 1);
    assert_contains(&line, &["password authentication failed for user \"port\""]);

    let line = failure(&mut list("postgres://port@127.0.0.1:1/gate"), 1);
    assert_contains(&line, &["Connection refused", "nobody listens there", "127.0.0.1:1"]);
    // The exit code is that of a failing database, not of a wrong command line.
    let sqlite = format!("sqlite:{}", dir.join("portreeve.db").display());
    let mut copy = portreeve();
    copy.args(["vault", "copy", "--from", &url, "--to", &sqlite]);
    let line = failure(&mut copy, 1);
    assert_contains(&line, &["--from: ", "asks for a password"]);
    let mut copy = portreeve();
    copy.args(["vault", "copy", "--from", "mysql://x", "--to", &sqlite]);
    assert!(failure(&mut copy, 2).contains("--from: "));
}

#[test]
fn records_are_copied_to_postgresql_and_back() {
    let Some(server) = shared() else { return };
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let (url, other) = (server.database(), server.database());
    let sqlite = format!("sqlite:{}", dir.join("portreeve.db").display());
    for number in 0..20 {
        put(&sqlite, dir, &format!("user{number:02}"), number);
    }
    let mut bind = on(&sqlite, dir, &["accounts", "bind", "--user", "user03"]);
    success(bind.args(["--issuer", "https://id", "--subject", "anna"]), "");
    let before = list(&sqlite, dir);
    let copy = |from: &str, to: &str| {
        let mut command = portreeve();
        command.args(["vault", "copy", "--from", from, "--to", to]);
        command
    };
    let said = success(&mut copy(&sqlite, &url), "");
    assert_contains(&said, &["20 credentials, 1 binding, ", "; 0 of"]);
    assert_eq!(list(&url, dir), before);
    // An interrupted copy is resumed.
    let database = url.rsplit('/').next().unwrap();
    server.psql(database, "DELETE FROM portreeve.credential WHERE key > 'user12'");
    let said = success(&mut copy(&sqlite, &url), "");
    assert!(said.contains("; 15 of all rows"), "{said}");
    // From one server to another, and back into a file.
    success(&mut copy(&url, &other), "");
    let back = format!("sqlite:{}", dir.join("back/portreeve.db").display());
    success(&mut copy(&other, &back), "");
    assert_eq!(list(&back, dir), before);
    // Nothing is copied if the target has other records.
    put(&url, dir, "user05", 99);
    let line = failure(&mut copy(&sqlite, &url), 1);
    assert_contains(&line, &["user05", "nothing was copied"]);
    put(&other, dir, "zoe", 99);
    let line = failure(&mut copy(&sqlite, &other), 1);
    assert!(line.contains("zoe"), "{line}");
    assert_eq!(list(&sqlite, dir), before);
    failure(&mut copy(&sqlite, &sqlite), 2);
    failure(&mut copy("sqlite:/no/such.db", &other), 1);
}

fn key(byte: u8) -> String {
    BASE64_STANDARD.encode([byte; 32])
}

pub(crate) fn write_keys(dir: &Path, bytes: &[u8]) {
    use std::os::unix::fs::PermissionsExt as _;
    let lines: String = bytes.iter().map(|byte| key(*byte) + "\n").collect();
    let new = dir.join("new.key");
    fs::write(&new, lines).unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(0o600)).unwrap();
    fs::rename(new, dir.join("vault.key")).unwrap();
}

/// Each gateway has a directory of its own, as on three machines.
#[test]
fn keys_rotate_while_three_gateways_serve() {
    let Some(server) = shared() else { return };
    let url = server.database();
    let dirs: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let tokens: Vec<_> = dirs
        .iter()
        .map(|dir| {
            write_keys(dir.path(), &[1]);
            token(dir.path(), "user07")
        })
        .collect();
    for number in 0..20 {
        put(&url, dirs[0].path(), &format!("user{number:02}"), number);
    }
    let served: Vec<_> =
        dirs.iter().map(|dir| Served::start(&mut serve(&url, dir.path()))).collect();
    let all_have_access = || {
        for (served, token) in served.iter().zip(&tokens) {
            assert_eq!(has_access(served.address, token), Some(true));
        }
    };
    all_have_access();
    for dir in &dirs {
        write_keys(dir.path(), &[2, 1]);
    }
    let mut rotating = on(&url, dirs[1].path(), &["credentials", "rotate-keys"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while rotating.try_wait().unwrap().is_none() {
        all_have_access();
    }
    assert!(rotating.wait().unwrap().success());
    for dir in &dirs {
        write_keys(dir.path(), &[2]);
    }
    all_have_access();
    let said = success(&mut on(&url, dirs[2].path(), &["credentials", "rotate-keys"]), "");
    assert!(said.contains("20 had it already"), "{said}");
    // A gateway that still has another key fails to start if it can decrypt no record.
    write_keys(dirs[2].path(), &[3]);
    let refused = run(&mut serve(&url, dirs[2].path()), "");
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let line = text(&refused.stderr);
    assert!(line.contains("has 20 records of the key"), "{line}");
    // If it can decrypt some, it serves, and logs whose record it cannot decrypt.
    let rotated = run(&mut on(&url, dirs[2].path(), &["credentials", "rotate-keys"]), "");
    assert_contains(text(&rotated.stderr), &["has 20 records of the key"]);
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let store = PostgresStore::open(url.parse().unwrap()).await.unwrap();
        let keyring = Keyring::read(dirs[2].path().join("vault.key")).unwrap();
        // An application may do so.
        assert_eq!(Vault::new(keyring, store).rotate_keys().await.unwrap().unopened, 20);
    });
    write_keys(dirs[2].path(), &[3, 2]);
    put(&url, dirs[2].path(), "user19", 1);
    write_keys(dirs[2].path(), &[3]);
    let forgotten = Served::start(&mut serve(&url, dirs[2].path()));
    assert_eq!(get(forgotten.address, STATUS, &tokens[2]).status, 500);
    forgotten.line_with("user07");
}

#[test]
fn the_readiness_probe_reports_that_the_database_is_down() {
    let Some(mut server) = Postgres::start() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let url = server.database();
    put(&url, dir.path(), "alice", 1);
    let token = token(dir.path(), "alice");
    let served = Served::start(&mut serve(&url, dir.path()));
    assert!(is_ready(served.address));
    assert_eq!(has_access(served.address, &token), Some(true));
    server.stop();
    wait("the probe reports it", || !is_ready(served.address));
    wait("the stored credentials are not used", || has_access(served.address, &token).is_none());
    let answer = get(served.address, STATUS, &token);
    let message = answer.assert_error(500, "Internal error");
    assert_eq!(message, "The stored credentials cannot be reached at the moment");
    server.start_again();
    wait("it recovers", || is_ready(served.address));
    wait("it serves", || has_access(served.address, &token) == Some(true));
}

/// The users of the crash test.
const USERS: usize = 8;

/// The expected state of one user.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Whether something is stored, according to the answers; `None` if that is unknown.
    stored: Option<bool>,
    /// When a removal was acknowledged, if no change was started after it.
    removed_at: Option<Instant>,
}

/// Three gateways and their database are killed at random moments while credentials are removed and stored
/// again: no acknowledged change is lost, and no gateway uses a removed credential more than a second later.
#[test]
fn nothing_is_lost_or_used_too_long_whatever_is_killed() {
    let rounds = std::env::var("PORTREEVE_CRASH_ROUNDS")
        .map_or(6, |text| text.parse().expect("PORTREEVE_CRASH_ROUNDS is a number"));
    let Some(mut server) = Postgres::start() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    // The test must not fail on a machine that is busy with other tests.
    let url = format!("{}?connect_timeout=10", server.database());
    let tokens: Arc<Vec<_>> =
        (0..USERS).map(|user| token(dir, &format!("user{user}"))).collect::<Vec<_>>().into();
    write_keys(dir, &[1]);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let vault = runtime.block_on(async {
        use portreeve::vault::PostgresOptions;
        let mut options: PostgresOptions = url.parse().unwrap();
        options.listen = false;
        options.timeout = Duration::from_secs(20);
        let store = PostgresStore::open(options).await.unwrap();
        Vault::new(Keyring::read(dir.join("vault.key")).unwrap(), store)
    });
    let store = |user: usize| {
        let password = portreeve::vault::AppPassword::new(&"p".repeat(30)).unwrap();
        let user = format!("user{user}");
        runtime.block_on(vault.put(&user, &user, &password)).is_ok()
    };
    let mut served: Vec<_> = (0..3).map(|_| Served::start(&mut serve(&url, dir))).collect();
    let known = Arc::new(Mutex::new([Known::default(); USERS]));
    let (mut removals, mut uses) = (0, 0);
    let mut random = seed::rng();
    for round in 0..rounds {
        for user in 0..USERS {
            wait("the database answers", || store(user));
            known.lock().unwrap()[user] = Known { stored: Some(true), removed_at: None };
        }
        let addresses: Vec<_> = served.iter().map(|it| it.address).collect();
        let stop = Arc::new(AtomicBool::new(false));
        let readers: Vec<_> = addresses
            .iter()
            .map(|address| {
                let (address, known, stop, tokens) =
                    (*address, known.clone(), stop.clone(), tokens.clone());
                std::thread::spawn(move || {
                    let mut uses = 0;
                    while !stop.load(Ordering::SeqCst) {
                        for (user, token) in tokens.iter().enumerate() {
                            let removed_at = known.lock().unwrap()[user].removed_at;
                            let is_old =
                                removed_at.is_some_and(|at| at.elapsed() > Duration::from_secs(1));
                            let found = has_access(address, token);
                            uses += usize::from(found == Some(true));
                            assert!(!(is_old && found == Some(true)), "used too long");
                        }
                    }
                    uses
                })
            })
            .collect();
        let killed = random.usize(..5);
        let until_kill = Duration::from_millis(random.u64(..150));
        let removing = std::thread::spawn({
            let (known, tokens) = (known.clone(), tokens.clone());
            move || {
                let mut done = 0;
                for (user, token) in tokens.iter().enumerate() {
                    let address = addresses[user % 3];
                    known.lock().unwrap()[user].stored = None;
                    if remove(address, token) {
                        let now = Known { stored: Some(false), removed_at: Some(Instant::now()) };
                        known.lock().unwrap()[user] = now;
                        done += 1;
                    }
                }
                done
            }
        });
        std::thread::sleep(until_kill);
        match killed {
            0..=2 => {
                let gateway = &mut served[killed];
                std::mem::replace(gateway, Served::start(&mut serve(&url, dir))).kill();
            }
            3 => {
                server.kill();
                server.start_again();
            }
            _ => {
                let gateway = served.remove(0);
                server.kill();
                gateway.kill();
                server.start_again();
                served.push(Served::start(&mut serve(&url, dir)));
            }
        }
        removals += removing.join().unwrap();
        std::thread::sleep(Duration::from_millis(1200));
        stop.store(true, Ordering::SeqCst);
        for reader in readers {
            uses += reader.join().unwrap();
        }
        for gateway in &served {
            let begun = Instant::now();
            while !is_ready(gateway.address) {
                assert!(
                    begun.elapsed() < Duration::from_secs(60),
                    "round {round}, killed {killed}: a gateway does not recover: {:?}\n{:#?}",
                    exchange(gateway.address, "GET", "/readyz", "none"),
                    gateway.lines()
                );
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        for (user, token) in tokens.iter().enumerate() {
            let known = known.lock().unwrap()[user];
            let what = format!("round {round}, killed {killed}: the gateways agree on user{user}");
            // A change that nobody was told of may take effect now, and each gateway sees it a moment later.
            wait(&what, || {
                let now = served.iter().map(|it| has_access(it.address, token));
                let found = now.collect::<Vec<_>>();
                for is_stored in found.iter().flatten() {
                    let is_known = known.stored.is_none_or(|stored| *is_stored == stored);
                    assert!(is_known, "{known:?}: {found:?}");
                }
                found[0].is_some() && found.iter().all(|it| *it == found[0])
            });
        }
        if round % 50 == 49 {
            println!("{} rounds", round + 1);
        }
    }
    assert!(removals > 0 && uses > 0, "{removals} removals, {uses} uses");
    println!("{rounds} rounds: {removals} removals were answered, {uses} uses");
}
