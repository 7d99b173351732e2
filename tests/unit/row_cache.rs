//! What the cache of rows knows after a change.

use super::*;

const TABLE: Table = Table::Credential;

fn row(number: i64) -> Option<Arc<Row>> {
    Some(Arc::new(Row::new("alice".into(), "alice".into(), number)))
}

fn lookup(cache: &RowCache, epoch: u64) -> Result<Option<Arc<Row>>, Option<Ticket>> {
    cache.lookup(TABLE, "alice", || Some(epoch))
}

#[cfg(feature = "postgres")]
#[test]
fn a_row_read_before_it_was_forgotten_is_not_remembered() {
    let cache = RowCache::new();
    let before = lookup(&cache, 1).unwrap_err();
    cache.forget(TABLE, "alice");
    cache.remember(before, TABLE, "alice", row(1));
    let after = lookup(&cache, 1).unwrap_err();
    cache.remember(after, TABLE, "alice", row(2));
    assert_eq!(lookup(&cache, 1).ok(), Some(row(2)));
    cache.forget(TABLE, "alice");
    assert!(lookup(&cache, 1).is_err());
}

#[test]
fn a_row_is_answered_in_its_own_epoch_alone() {
    let cache = RowCache::new();
    let ticket = lookup(&cache, 1).unwrap_err();
    cache.remember(ticket, TABLE, "alice", None);
    assert_eq!(lookup(&cache, 1).ok(), Some(None));
    assert!(lookup(&cache, 2).is_err());
    // A read that began in the first epoch and ended in the second one.
    let ticket = lookup(&cache, 2).unwrap_err();
    cache.remember(ticket, TABLE, "alice", row(1));
    assert!(lookup(&cache, 3).is_err());
    let unknown = cache.lookup(TABLE, "alice", || None);
    assert!(matches!(unknown, Err(None)));
}
