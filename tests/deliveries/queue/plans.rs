//! Every statement that runs often finds its rows by an index, and leaves the vault's cache alone.

use portreeve::deliveries::Queue;
use portreeve::vault::{AppPassword, Keyring, SqliteStore, Store as _, Table, Vault};

use super::{MAX, receipt};

#[tokio::test]
async fn each_frequent_statement_uses_its_index() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("portreeve.db");
    SqliteStore::open(&path).await.unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let plan = |sql: &str| {
        let mut statement = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .unwrap();
        let lines = statement
            .query_map([], |row| row.get::<_, String>(3))
            .unwrap();
        lines.map(Result::unwrap).collect::<Vec<_>>().join("; ")
    };
    for (sql, index) in [
        (
            "SELECT id FROM delivery_target WHERE due_at <= 5 ORDER BY due_at LIMIT 6",
            "delivery_target_due (due_at<?)",
        ),
        (
            "SELECT count(*) FROM delivery WHERE target = 5 AND claim IS NOT NULL AND due_at > 6",
            "delivery_claimed (target=?)",
        ),
        (
            "SELECT position FROM delivery WHERE target = 5 AND state = 0 AND due_at <= 6 \
             ORDER BY due_at, position LIMIT 4",
            "delivery_due (target=? AND due_at<?)",
        ),
        (
            "SELECT min(due_at) FROM delivery WHERE target = 5 AND state = 0",
            "delivery_due (target=?)",
        ),
        (
            "UPDATE delivery SET claim = 1 FROM (SELECT CAST(value ->> 0 AS bigint) AS at, \
             CAST(value ->> 1 AS bigint) AS to_target FROM json_each('[]')) AS c \
             WHERE position = c.at AND target = c.to_target",
            "PRIMARY KEY (position=? AND target=?)",
        ),
        (
            "UPDATE delivery_target AS t SET waiting = t.waiting + c.added FROM (SELECT CAST(value ->> 0 AS bigint) AS id, \
             CAST(value ->> 1 AS bigint) AS added FROM json_each('[]')) AS c WHERE t.id = c.id",
            "SEARCH t USING INTEGER PRIMARY KEY",
        ),
        (
            "SELECT id FROM delivery_target WHERE account IN ('a', '') AND state < 2",
            "delivery_target_account (account=?)",
        ),
        (
            "SELECT position FROM unmatched_receipt WHERE leased_until <= 5 ORDER BY position LIMIT 6",
            "SCAN unmatched_receipt",
        ),
        (
            "SELECT * FROM delivery WHERE target = 5 AND state = 1 AND position < 6 ORDER BY position DESC LIMIT 7",
            "delivery_state (target=? AND state=? AND position<?)",
        ),
        (
            "SELECT position FROM receipt WHERE account = 'a' AND position > 5 ORDER BY position LIMIT 6",
            "receipt_account (account=? AND position>?)",
        ),
        (
            "SELECT position, account FROM receipt WHERE position > 5 ORDER BY position LIMIT 6",
            "PRIMARY KEY (rowid>?)",
        ),
        (
            "SELECT position FROM receipt WHERE id = 'a'",
            "sqlite_autoindex_receipt_1 (id=?)",
        ),
        (
            "DELETE FROM delivery WHERE position IN (SELECT CAST(value AS bigint) FROM json_each('[]'))",
            "PRIMARY KEY (position=?)",
        ),
        (
            "DELETE FROM receipt WHERE position IN (SELECT CAST(value AS bigint) FROM json_each('[]'))",
            "SEARCH receipt USING INTEGER PRIMARY KEY",
        ),
        (
            "SELECT EXISTS (SELECT 1 FROM delivery AS d WHERE d.position = r.position AND d.state <> 1) \
             FROM receipt AS r WHERE r.position > 5 ORDER BY r.position LIMIT 6",
            "SEARCH d USING PRIMARY KEY (position=?)",
        ),
        (
            "SELECT id FROM delivery_target WHERE state = 3 LIMIT 1",
            "delivery_target_removed",
        ),
        (
            "SELECT min(position) FROM delivery WHERE target = 5 AND state = 0",
            "delivery_state (target=? AND state=?)",
        ),
    ] {
        let plan = plan(sql);
        assert!(plan.contains(index), "{sql}: {plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{sql}: {plan}");
    }
}

/// Elsewhere the header of the log's index is not read.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_change_of_deliveries_leaves_what_the_vault_has_cached() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("portreeve.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let queue = Queue::in_sqlite(&store).unwrap();
    let cached = || store.cached(Table::Credential, "alice");
    store.get(Table::Credential, "alice").await.unwrap();
    for _ in 0..10 {
        assert!(matches!(cached(), Some(None)));
        queue.insert(receipt("alice"), MAX).await.unwrap();
    }
    // What another process stores is seen at once, before and after a change of deliveries.
    let other = SqliteStore::open(&path).await.unwrap();
    let vault = Vault::new(Keyring::generate().unwrap(), other);
    let password = AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee").unwrap();
    for _ in 0..3 {
        vault.put("alice", "alice", &password).await.unwrap();
        assert!(cached().is_none());
        store.get(Table::Credential, "alice").await.unwrap();
        assert!(matches!(cached(), Some(Some(_))));
        vault.remove("alice").await.unwrap();
        queue.insert(receipt("alice"), MAX).await.unwrap();
        assert!(cached().is_none());
        let found = store.get(Table::Credential, "alice").await.unwrap();
        assert!(found.is_none());
    }
}
