//! A file of an old version opens, with all its contents.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use portreeve::vault::{FlowState, MemoryStore, Row, SqliteStore, Table, Vault};
use rusqlite::{Connection, params};

use crate::suite::{OLD_KEY, held, keys, metadata, password, put};

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

/// Rows as an old version sealed them: this version seals them in the same way.
struct Sealed {
    credential: Arc<Row>,
    binding: Arc<Row>,
    flow: Arc<Row>,
}

async fn sealed(expires_at: SystemTime, state: FlowState) -> Sealed {
    let vault = Vault::new(keys(&[OLD_KEY]), MemoryStore::new());
    put(&vault, "alice", 1).await;
    vault.bind("issuer", "1", "alice").await.unwrap();
    vault.put_flow("alice", expires_at, state).await.unwrap();
    let row = async |table| {
        let rows = vault.store().page(table, None, None, 1).await;
        rows.unwrap().remove(0)
    };
    Sealed {
        credential: row(Table::Credential).await,
        binding: row(Table::Binding).await,
        flow: row(Table::LoginFlow).await,
    }
}

/// A vault on a file that has the tables of `schema` and what `fill` adds.
async fn upgraded(
    schema: &str,
    fill: impl FnOnce(&Connection) -> rusqlite::Result<usize>,
) -> (Vault, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("portreeve.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(schema).unwrap();
    fill(&connection).unwrap();
    drop(connection);
    let store = SqliteStore::open(&path).await.unwrap();
    (Vault::new(keys(&[OLD_KEY]), store), directory)
}

#[tokio::test]
async fn a_file_of_the_first_schema_opens() {
    let past = SystemTime::now() - Duration::from_secs(1);
    let state = FlowState::Collected {
        login_name: "alice".into(),
        password: password(2),
    };
    let Sealed {
        credential, flow, ..
    } = sealed(past, state).await;
    let (vault, directory) = upgraded(FIRST, |connection| {
        connection.execute(
            "INSERT INTO credential VALUES (?1, ?2, ?3, 1700000000000)",
            params!["alice", credential.number, credential.sealed],
        )?;
        connection.execute(
            "INSERT INTO login_flow VALUES (?1, ?2, ?3, ?4)",
            params![flow.key, flow.owner, flow.number, flow.sealed],
        )
    })
    .await;

    assert_eq!(held(&vault, "alice").await, Some(1));
    let credential = metadata(&vault, "alice").await;
    assert_eq!(credential.refusals(), 1);
    assert!(!credential.is_from_flow());
    assert!(credential.suspended_at().is_some());
    let now = SystemTime::now();
    let flows = vault.expired_flows_with_password(now).await.unwrap();
    assert_eq!(flows.len(), 1);
    assert!(vault.refused_logins(past).await.unwrap().is_empty());
    vault.bind("issuer", "1", "alice").await.unwrap();
    assert!(vault.binding("issuer", "1").await.unwrap().is_some());

    // An index that serves no statement makes each change of a flow slower.
    let file = Connection::open(directory.path().join("portreeve.db")).unwrap();
    let indexes = "SELECT group_concat(name) FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL \
                   AND tbl_name NOT LIKE '%deliver%' AND tbl_name NOT LIKE '%receipt%'";
    let indexes: String = file.query_row(indexes, [], |row| row.get(0)).unwrap();
    assert_eq!(indexes, "login_flow_user");
}

/// The previous version stored more about each refused login, and when a password had last worked.
#[tokio::test]
async fn a_file_of_the_previous_version_opens() {
    let soon = SystemTime::now() + Duration::from_secs(60);
    let Sealed {
        credential,
        binding,
        flow,
    } = sealed(soon, FlowState::Granted).await;
    let schema = include_str!("../data/sqlite-3.sql");
    let (vault, _directory) = upgraded(schema, |connection| {
        connection.execute(
            "INSERT INTO credential VALUES (?1, ?2, ?3, NULL, 0, 1700000000000)",
            params!["alice", credential.number, credential.sealed],
        )?;
        connection.execute(
            "INSERT INTO binding VALUES (?1, ?2, ?3)",
            params![binding.key, binding.owner, binding.sealed],
        )?;
        connection.execute(
            "INSERT INTO login_flow VALUES (?1, ?2, ?3, ?4, 0)",
            params![flow.key, flow.owner, flow.number, flow.sealed],
        )?;
        connection.execute(
            "INSERT INTO refused_login VALUES (7, 'bob', 5000, 3, 1)",
            [],
        )
    })
    .await;

    assert_eq!(held(&vault, "alice").await, Some(1));
    let credential = metadata(&vault, "alice").await;
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
