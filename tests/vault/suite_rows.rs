//! The behavior that every store must have with rows: commits and their conditions.

use std::sync::Arc;

use futures_util::future::join_all;
use portreeve::vault::{Change, Committed, Expected, Row, Store, Table};

const FLOW: Table = Table::LoginFlow;

fn row(key: &str, owner: &str, number: i64) -> Row {
    Row {
        key: key.into(),
        owner: owner.into(),
        number,
        sealed: key.as_bytes().into(),
        count: 0,
        since: None,
    }
}

fn put(table: Table, row: &Row, expected: Expected) -> Change {
    Change::Put { table, row: Arc::new(row.clone()), expected }
}

fn remove(key: &str, expected: Option<&Row>) -> Change {
    Change::Remove {
        table: FLOW,
        key: key.into(),
        expected: expected.map(|row| Arc::new(row.clone())),
    }
}

async fn commit<S: Store>(store: &S, changes: Vec<Change>) -> Committed {
    store.commit("try something", changes).await.unwrap()
}

async fn keys<S: Store>(store: &S, table: Table) -> Vec<String> {
    let page = store.page(table, None, None, 1000).await.unwrap();
    page.iter().map(|row| row.key.to_string()).collect()
}

pub(crate) async fn commits_all_changes_or_none<S: Store>(store: S) {
    let done = Committed::Done;
    let (one, two, three) = (row("1", "u", 1), row("2", "u", 2), row("3", "u", 3));
    let both = vec![put(FLOW, &one, Expected::Nothing), put(FLOW, &two, Expected::Anything)];
    assert_eq!(commit(&store, both).await, done);
    assert_eq!(commit(&store, Vec::new()).await, done);

    let stale = Arc::new(row("1", "u", 7));
    let gone = Arc::new(three.clone());
    let failing = [
        put(FLOW, &one, Expected::Nothing),
        put(FLOW, &one, Expected::Row(stale.clone())),
        put(FLOW, &three, Expected::Row(gone)),
        remove("1", Some(&stale)),
        remove("3", None),
        remove("3", Some(&three)),
        remove("1\0", None),
    ];
    for change in failing {
        // Each on its own, and as the second of three.
        let alone = commit(&store, vec![change.clone()]).await;
        assert_eq!(alone, Committed::Conflict { at: 0 }, "{change:?}");
        let others = vec![
            put(FLOW, &row("4", "u", 4), Expected::Nothing),
            change.clone(),
            remove("2", None),
        ];
        let with_others = commit(&store, others).await;
        assert_eq!(with_others, Committed::Conflict { at: 1 }, "{change:?}");
        assert_eq!(keys(&store, FLOW).await, ["1", "2"], "{change:?}");
    }
    // Of two changes that fail, the first is reported.
    let two_fail = vec![
        put(FLOW, &three, Expected::Nothing),
        remove("5", None),
        put(FLOW, &two, Expected::Nothing),
    ];
    let conflict = Committed::Conflict { at: 1 };
    assert_eq!(commit(&store, two_fail).await, conflict);

    let stored = store.get(FLOW, "1").await.unwrap().unwrap();
    assert_eq!(*stored, one);
    let changed = Row { sealed: (*b"changed").into(), count: 1, ..one.clone() };
    let all = vec![
        put(FLOW, &changed, Expected::Row(stored)),
        remove("2", Some(&two)),
        put(FLOW, &three, Expected::Nothing),
        put(Table::BearerServer, &row("https://x", "https://x", 0), Expected::Nothing),
    ];
    assert_eq!(commit(&store, all).await, done);
    assert_eq!(keys(&store, FLOW).await, ["1", "3"]);
    let stored = store.get(FLOW, "1").await.unwrap().unwrap();
    assert_eq!(*stored, changed);
    let server = store.get(Table::BearerServer, "https://x").await.unwrap();
    assert!(server.is_some());
    assert!(store.get(FLOW, "1\0").await.unwrap().is_none());
}

pub(crate) async fn binds_an_owner_only_once<S: Store>(store: S) {
    let table = Table::Binding;
    let (one, two) = (row("person-1", "alice", 0), row("person-2", "alice", 0));
    let first = commit(&store, vec![put(table, &one, Expected::Nothing)]).await;
    assert!(first.is_done());
    let second = commit(&store, vec![put(table, &two, Expected::Nothing)]).await;
    assert_eq!(second, Committed::Conflict { at: 0 });
    assert_eq!(keys(&store, table).await, ["person-1"]);
    let page = async |owner| store.page(table, Some(owner), None, 10).await.unwrap();
    assert_eq!(page("alice").await, [Arc::new(one)]);
    assert!(page("bob").await.is_empty());
    assert!(page("alice\0").await.is_empty());
}

/// Of concurrent changes that expect the same row, one is made; no change is lost if the others are
/// tried again.
pub(crate) async fn loses_no_concurrent_change_of_a_row<S: Store + Clone>(store: S) {
    const TASKS: u32 = 8;
    const CHANGES: u32 = 5;
    let table = Table::Credential;
    let added = join_all((0..TASKS).map(|task| {
        let own = row("alice", "alice", task.into());
        let store = store.clone();
        tokio::spawn(async move {
            let change = put(table, &own, Expected::Nothing);
            commit(&store, vec![change]).await.is_done()
        })
    }));
    let added = added.await.into_iter().map(Result::unwrap);
    assert_eq!(added.filter(|added| *added).count(), 1);

    let counted = join_all((0..TASKS).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            for _ in 0..CHANGES {
                loop {
                    let found = store.get(table, "alice").await.unwrap().unwrap();
                    let mut next = Row::clone(&found);
                    next.count += 1;
                    next.since = Some(next.count.into());
                    let change = Change::replace(table, found, next);
                    if commit(&store, vec![change]).await.is_done() {
                        break;
                    }
                }
            }
        })
    }));
    assert!(counted.await.iter().all(Result::is_ok));
    let stored = store.get(table, "alice").await.unwrap().unwrap();
    assert_eq!(stored.count, TASKS * CHANGES);
    assert_eq!(stored.since, Some((TASKS * CHANGES).into()));
}
