//! The SQLite file itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use portreeve::vault::{FlowState, SqliteOpenError, SqliteStore, Table, Vault};
use rusqlite::Connection;

use crate::suite::{NEW_KEY, OLD_KEY, held, keys, password, put};

async fn open(path: &Path) -> Vault {
    Vault::new(keys(&[OLD_KEY]), SqliteStore::open(path).await.unwrap())
}

/// A file in a directory of its own, in which alice has a password.
async fn with_alice() -> (tempfile::TempDir, PathBuf, Vault) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("portreeve.db");
    let vault = open(&path).await;
    put(&vault, "alice", 1).await;
    (directory, path, vault)
}

#[tokio::test]
async fn files_are_readable_only_by_their_owner() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new/data/portreeve.db");
    let vault = open(&path).await;
    put(&vault, "alice", 1).await;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        let files = fs::read_dir(path.parent().unwrap()).unwrap();
        let files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
        assert!(files.len() >= 2, "{files:?}");
        for file in files {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    }
}

/// Passwords are stored encrypted (docs/API.md, section 5.1), in each file of the store.
#[tokio::test]
async fn no_file_contains_a_secret_or_login_name_in_plain_text() {
    let directory = tempfile::tempdir().unwrap();
    let vault = open(&directory.path().join("portreeve.db")).await;
    let login_name = "the-login-name@example.org";
    for number in 0..200 {
        let user_id = format!("user-{number}");
        let stored = vault.put(&user_id, login_name, &password(number)).await;
        assert!(stored.is_ok());
    }
    let state = FlowState::Pending {
        login_url: "https://cloud.example.org/the-page".into(),
        poll_path: "/the-poll-path".into(),
        poll_token: zeroize::Zeroizing::new("the-poll-token".into()),
        is_in_doubt: false,
    };
    let soon = SystemTime::now() + Duration::from_secs(60);
    vault.put_flow("user-1", soon, state).await.unwrap();
    for number in 0..50 {
        vault.remove(&format!("user-{number}")).await.unwrap();
    }
    vault.rotate_keys().await.unwrap();
    vault.put("user-1", login_name, &password(1)).await.unwrap();

    let mut searched = 0;
    let mut found_user = false;
    for entry in fs::read_dir(directory.path()).unwrap() {
        let entry = entry.unwrap();
        let bytes = fs::read(entry.path()).unwrap();
        searched += bytes.len();
        let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        found_user |= holds("user-199");
        for secret in ["app-password", login_name, "the-poll", "the-page", OLD_KEY] {
            assert!(!holds(secret), "{secret} lies in {:?}", entry.file_name());
        }
    }
    assert!(searched > 10_000 && found_user, "the search itself finds what is there");
}

#[tokio::test]
async fn a_restart_keeps_credentials_and_suspensions() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("portreeve.db");
    let vault = open(&path).await;
    let revision = put(&vault, "alice", 1).await.revision;
    assert!(vault.suspend("alice", revision).await.unwrap());
    let before = vault.metadata("alice").await.unwrap();
    drop(vault);
    assert_eq!(open(&path).await.metadata("alice").await.unwrap(), before);
    assert!(before.unwrap().suspended_at.is_some());
}

/// Whatever happens to the write-ahead log, a cached record is not older than the last commit.
#[tokio::test]
async fn commits_are_visible_at_once_despite_every_kind_of_checkpoint() {
    let (_directory, path, vault) = with_alice().await;
    let mut raw = Some(suspending(&path));
    for round in 0..2_000_i64 {
        let connection = raw.get_or_insert_with(|| suspending(&path));
        connection.suspend(round);
        match round % 8 {
            1 => connection.checkpoint("PASSIVE"),
            2 => connection.checkpoint("FULL"),
            3 => connection.checkpoint("RESTART"),
            4 => connection.checkpoint("TRUNCATE"),
            5 => connection.0.execute_batch("VACUUM").unwrap(),
            6 => raw = None,
            _ => {}
        }
        // The first lookup reads the file, the second one the cache.
        for _ in 0..2 {
            assert_eq!(suspended_at(&vault).await, round);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commits_of_a_busy_writer_are_visible_at_once() {
    let (_directory, path, vault) = with_alice().await;
    let raw = suspending(&path);
    raw.suspend(0);
    let committed = Arc::new(AtomicI64::new(0));
    let writer = {
        let committed = committed.clone();
        std::thread::spawn(move || {
            for round in 1..=5_000 {
                raw.suspend(round);
                committed.store(round, Ordering::SeqCst);
            }
        })
    };
    while !writer.is_finished() {
        let before = committed.load(Ordering::SeqCst);
        let seen = suspended_at(&vault).await;
        assert!(seen >= before, "{seen} where {before} was committed");
    }
    writer.join().unwrap();
    assert_eq!(suspended_at(&vault).await, 5_000);
}

/// The cache relies on the write-ahead log, which cannot be switched off while a store is open.
#[tokio::test]
async fn the_write_ahead_log_cannot_be_switched_off_while_a_store_is_open() {
    let (_directory, path, _vault) = with_alice().await;
    let raw = Connection::open(&path).unwrap();
    raw.busy_timeout(Duration::ZERO).unwrap();
    assert!(raw.execute_batch("PRAGMA journal_mode = DELETE").is_err());
}

/// POSIX locks of a file are lost when its process closes any descriptor of it. Without its lock
/// on the `-shm` file, the next process that opens it would truncate that file under this one.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn closing_one_store_leaves_the_locks_of_another() {
    use std::os::unix::fs::MetadataExt as _;

    let (directory, path, _vault) = with_alice().await;
    let inode = fs::metadata(directory.path().join("portreeve.db-shm")).unwrap().ino();
    // The kernel may leave a lock out of one reading of the list while others come and go.
    let is_locked = || {
        (0..100).any(|_| {
            let locks = fs::read_to_string("/proc/locks").unwrap();
            locks.contains(&format!(":{inode} 128 128"))
        })
    };
    assert!(is_locked());
    for _ in 0..10 {
        let other = open(&path).await;
        assert!(other.credential("alice").await.unwrap().is_some());
    }
    assert!(is_locked());
}

/// On some file systems, reading the `-shm` file does not show what SQLite writes through its mapping.
/// A removal by another process is visible at once nevertheless.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn removals_are_visible_although_reading_the_index_shows_none() {
    use std::process::Command;

    const REMOVE: &str = "PORTREEVE_TEST_REMOVES_FROM";
    const TEST: &str = "sqlite::removals_are_visible_although_reading_the_index_shows_none";

    // The other process.
    if let Some(path) = std::env::var_os(REMOVE) {
        assert!(open(Path::new(&path)).await.remove("alice").await.unwrap());
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = |name| directory.path().join(name);
    let (path, index) = (file("portreeve.db"), file("portreeve.db-shm"));
    // SQLite in this process keeps using the index that it has mapped, whatever its name.
    let first = open(&path).await;
    put(&first, "alice", 1).await;
    // A copy, in which nothing ever changes, has its name while the store opens the index. Another
    // process makes the copy: closing the file in this one would drop SQLite's locks.
    let copied = Command::new("cp").arg(&index).arg(file("copy")).status();
    assert!(copied.unwrap().success());
    fs::rename(&index, file("mapped")).unwrap();
    fs::rename(file("copy"), &index).unwrap();
    let vault = open(&path).await;
    fs::rename(file("mapped"), &index).unwrap();
    // The first look-up reads the file, the second one the cache.
    for _ in 0..2 {
        assert!(vault.credential("alice").await.unwrap().is_some());
    }
    let removed = Command::new(std::env::current_exe().unwrap())
        .args([TEST, "--exact"])
        .env(REMOVE, &path)
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&removed.stdout);
    assert!(removed.status.success() && output.contains("1 passed"), "{output}");
    assert!(vault.credential("alice").await.unwrap().is_none());
}

/// A connection that commits as other programs do, quickly: it does not wait for the disk.
struct Suspending(Connection);

fn suspending(path: &Path) -> Suspending {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(Duration::from_secs(10)).unwrap();
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 50").unwrap();
    Suspending(connection)
}

impl Suspending {
    fn suspend(&self, at_millis: i64) {
        let sql = "UPDATE credential SET since = ?1 WHERE key = 'alice'";
        let mut update = self.0.prepare_cached(sql).unwrap();
        assert_eq!(update.execute([at_millis]).unwrap(), 1);
    }

    fn checkpoint(&self, mode: &str) {
        let sql = format!("PRAGMA wal_checkpoint({mode})");
        self.0.query_row(&sql, [], |_| Ok(())).unwrap();
    }
}

/// The time of alice's suspension in milliseconds, as the store returns it.
async fn suspended_at(vault: &Vault) -> i64 {
    let record = vault.store().get(Table::Credential, "alice").await;
    record.unwrap().unwrap().since.unwrap()
}

/// A row that was altered without the gateway is not served from the cache either.
#[tokio::test]
async fn a_row_altered_in_the_file_is_an_error_for_its_user() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("portreeve.db");
    let vault = open(&path).await;
    for user_id in ["alice", "bob"] {
        vault.put(user_id, user_id, &password(1)).await.unwrap();
        vault.credential(user_id).await.unwrap().unwrap();
    }
    let raw = Connection::open(&path).unwrap();
    let moved = "UPDATE credential SET (sealed, number) = \
                 (SELECT sealed, number FROM credential WHERE key = 'bob') \
                 WHERE key = 'alice'";
    assert_eq!(raw.execute(moved, []).unwrap(), 1);
    assert!(vault.credential("alice").await.is_err());
    assert!(vault.credential("bob").await.unwrap().is_some());
    // Once the user stores a password again, the credential opens.
    put(&vault, "alice", 2).await;
    assert!(vault.credential("alice").await.unwrap().is_some());
}

#[tokio::test]
async fn a_backup_made_with_sqlite_opens() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("portreeve.db");
    let vault = open(&path).await;
    for number in 0..500 {
        let user_id = format!("user-{number:03}");
        put(&vault, &user_id, number).await;
    }
    let source = Connection::open(&path).unwrap();
    let by_api = directory.path().join("by-api.db");
    let mut target = Connection::open(&by_api).unwrap();
    let backup = rusqlite::backup::Backup::new(&source, &mut target).unwrap();
    backup.run_to_completion(64, Duration::ZERO, None).unwrap();
    drop(backup);
    drop(target);
    let by_vacuum = directory.path().join("by-vacuum.db");
    source.execute("VACUUM INTO ?1", [by_vacuum.to_str().unwrap()]).unwrap();

    vault.remove("user-499").await.unwrap();
    for copy in [by_api, by_vacuum] {
        let restored = open(&copy).await;
        assert_eq!(crate::suite::listed(&restored).await.len(), 500);
        assert_eq!(held(&restored, "user-499").await, Some(499));
    }
}

#[tokio::test]
async fn foreign_newer_and_invalid_files_are_refused_and_not_changed() {
    let directory = tempfile::tempdir().unwrap();
    let foreign = directory.path().join("foreign.db");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let before = fs::read(&foreign).unwrap();
    let error = SqliteStore::open(&foreign).await.unwrap_err();
    assert!(matches!(error, SqliteOpenError::Foreign { .. }), "{error}");
    assert_eq!(fs::read(&foreign).unwrap(), before);

    for version in [6, 11, 99] {
        let other = directory.path().join(format!("{version}.db"));
        put(&open(&other).await, "alice", 1).await;
        Connection::open(&other).unwrap().pragma_update(None, "user_version", version).unwrap();
        let error = SqliteStore::open(&other).await.unwrap_err();
        assert!(matches!(error, SqliteOpenError::Version(_, found) if found == version), "{error}");
        assert!(error.to_string().contains("move it away"), "{error}");
    }

    let text = directory.path().join("text.db");
    fs::write(&text, "this is not a database, though it is long enough to be one\n".repeat(50))
        .unwrap();
    let error = SqliteStore::open(&text).await.unwrap_err().to_string();
    assert!(error.contains("text.db") && error.contains("backup"), "{error}");

    fs::write(directory.path().join("file"), "").unwrap();
    let below = directory.path().join("file/portreeve.db");
    let error = SqliteStore::open(below).await.unwrap_err();
    assert!(matches!(error, SqliteOpenError::Create { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_stores_can_open_a_new_file_at_once() {
    for _ in 0..5 {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("portreeve.db");
        let openings: Vec<_> = (0..6)
            .map(|number| {
                let path = path.clone();
                tokio::spawn(async move {
                    let vault = open(&path).await;
                    let user_id = format!("user-{number}");
                    put(&vault, &user_id, number).await;
                })
            })
            .collect();
        for opening in openings {
            opening.await.unwrap();
        }
        assert_eq!(crate::suite::listed(&open(&path).await).await.len(), 6);
    }
}

/// After a rotation no file contains a record sealed with the old key.
#[tokio::test]
async fn a_rotation_leaves_no_record_of_the_old_key() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("portreeve.db");
    let old = open(&path).await;
    put(&old, "alice", 1).await;
    let stored = old.store().get(Table::Credential, "alice").await;
    let sealed = stored.unwrap().unwrap().sealed.clone();
    let holds = || {
        fs::read_dir(directory.path()).unwrap().any(|entry| {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            bytes.windows(sealed.len()).any(|window| window == &*sealed)
        })
    };
    assert!(holds());
    let both = Vault::with_shared_store(keys(&[NEW_KEY, OLD_KEY]), old.store().clone());
    assert_eq!(both.rotate_keys().await.unwrap().resealed, 1);
    assert!(!holds());
}
