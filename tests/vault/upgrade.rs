//! A file of the version before opens, with everything that was in it.

use std::time::{Duration, SystemTime};

use portreeve::vault::{FlowState, SqliteStore, Table, Vault};
use rusqlite::{Connection, params};

use crate::suite::{OLD_KEY, keys, password};

/// The first schema.
const FIRST: &str = "
    CREATE TABLE credential (
        user_id TEXT PRIMARY KEY NOT NULL,
        revision INTEGER NOT NULL,
        sealed BLOB NOT NULL,
        suspended_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE login_flow (
        flow_id TEXT PRIMARY KEY NOT NULL,
        user_id TEXT NOT NULL,
        expires_at INTEGER NOT NULL,
        sealed BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX login_flow_user ON login_flow (user_id, expires_at);
    CREATE INDEX login_flow_expiry ON login_flow (expires_at);
    PRAGMA application_id = 0x706f7274;
    PRAGMA user_version = 1;
";

#[tokio::test]
async fn a_file_of_the_first_schema_opens() {
    let directory = tempfile::tempdir().unwrap();
    let new = directory.path().join("new.db");
    let old = directory.path().join("old.db");
    // What the first version sealed is what this one seals without the mark of a login flow.
    let vault = Vault::new(keys(&[OLD_KEY]), SqliteStore::open(&new).await.unwrap());
    vault.put("alice", "alice", &password(1)).await.unwrap();
    let record = vault
        .store()
        .get(Table::Credential, "alice")
        .await
        .unwrap()
        .unwrap();
    let past = SystemTime::now() - Duration::from_secs(1);
    let state = FlowState::Collected {
        login_name: "alice".into(),
        password: password(2),
    };
    let flow = vault.put_flow("alice", past, state).await.unwrap();
    let flow = vault
        .store()
        .get(Table::LoginFlow, flow.flow_id())
        .await
        .unwrap()
        .unwrap();

    let connection = Connection::open(&old).unwrap();
    connection.execute_batch(FIRST).unwrap();
    let suspended_at = 1_700_000_000_000_i64;
    connection
        .execute(
            "INSERT INTO credential VALUES (?1, ?2, ?3, ?4)",
            params!["alice", record.number, record.sealed, suspended_at],
        )
        .unwrap();
    connection
        .execute(
            "INSERT INTO login_flow VALUES (?1, ?2, ?3, ?4)",
            params![flow.key, flow.owner, flow.number, flow.sealed],
        )
        .unwrap();
    drop(connection);

    let vault = Vault::new(keys(&[OLD_KEY]), SqliteStore::open(&old).await.unwrap());
    let credential = vault.credential("alice").await.unwrap().unwrap();
    assert_eq!(credential.password().expose(), password(1).expose());
    assert_eq!(credential.metadata().refusals(), 1);
    assert!(!credential.metadata().is_from_flow());
    assert!(credential.suspended_at().is_some());
    let now = SystemTime::now();
    let flows = vault.expired_flows_with_password(now).await.unwrap();
    assert_eq!(flows.len(), 1);
    assert!(vault.refused_logins(past).await.unwrap().is_empty());
    vault.bind("issuer", "1", "alice").await.unwrap();
    assert!(vault.binding("issuer", "1").await.unwrap().is_some());
}

/// The version before kept more of each refused login, and when a password had worked.
#[tokio::test]
async fn a_file_of_the_version_before_opens() {
    let directory = tempfile::tempdir().unwrap();
    let (new, old) = (
        directory.path().join("new.db"),
        directory.path().join("old.db"),
    );
    let vault = Vault::new(keys(&[OLD_KEY]), SqliteStore::open(&new).await.unwrap());
    vault.put("alice", "alice", &password(1)).await.unwrap();
    vault.bind("issuer", "1", "alice").await.unwrap();
    let record = vault
        .store()
        .get(Table::Credential, "alice")
        .await
        .unwrap()
        .unwrap();
    let bindings = vault
        .store()
        .page(Table::Binding, None, None, 10)
        .await
        .unwrap();
    let soon = SystemTime::now() + Duration::from_secs(60);
    let flow = vault
        .put_flow("alice", soon, FlowState::Granted)
        .await
        .unwrap();
    let flow = vault
        .store()
        .get(Table::LoginFlow, flow.flow_id())
        .await
        .unwrap()
        .unwrap();

    let connection = Connection::open(&old).unwrap();
    connection
        .execute_batch(include_str!("../data/sqlite-3.sql"))
        .unwrap();
    let revision = record.number;
    connection
        .execute(
            "INSERT INTO credential VALUES (?1, ?2, ?3, NULL, 0, 1700000000000)",
            params!["alice", revision, record.sealed],
        )
        .unwrap();
    let binding = &bindings[0];
    connection
        .execute(
            "INSERT INTO binding VALUES (?1, ?2, ?3)",
            params![binding.key, binding.owner, binding.sealed],
        )
        .unwrap();
    connection
        .execute(
            "INSERT INTO login_flow VALUES (?1, ?2, ?3, ?4, 0)",
            params![flow.key, flow.owner, flow.number, flow.sealed],
        )
        .unwrap();
    connection
        .execute(
            "INSERT INTO refused_login VALUES (7, 'bob', 5000, 3, 1)",
            [],
        )
        .unwrap();
    drop(connection);

    let vault = Vault::new(keys(&[OLD_KEY]), SqliteStore::open(&old).await.unwrap());
    let credential = vault.credential("alice").await.unwrap().unwrap();
    assert_eq!(credential.password().expose(), password(1).expose());
    assert_eq!(credential.suspended_at(), None);
    assert!(vault.binding("issuer", "1").await.unwrap().is_some());
    assert!(vault.flow("alice", &flow.key).await.unwrap().is_some());
    let epoch = SystemTime::UNIX_EPOCH;
    let refused = vault.refused_logins(epoch).await.unwrap();
    assert_eq!(refused, [epoch + Duration::from_secs(5)]);
    vault
        .put_refused_login(epoch + Duration::from_secs(6), epoch)
        .await
        .unwrap();
    assert_eq!(vault.refused_logins(epoch).await.unwrap().len(), 2);
}
