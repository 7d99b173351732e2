//! Lists, which take long where much is kept.

use std::time::Duration;

use portreeve::deliveries::Scope;
use tokio::task::JoinSet;

use super::Place;

/// More lists at once than there are connections for them.
#[tokio::test(flavor = "multi_thread")]
async fn lists_that_hang_hold_up_no_change() {
    let Some(place) = Place::postgres().await else { return };
    let (scope, target) = (Scope::Account("alice"), place.target("alice").await);
    let psql = place.psql();
    let locking = psql.clone();
    let locking = tokio::task::spawn_blocking(move || {
        locking(
            "BEGIN; LOCK portreeve.delivery IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3); COMMIT",
        )
    });
    let is_locked = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted \
                     AND relation = 'portreeve.delivery'::regclass";
    while tokio::task::block_in_place(|| psql(is_locked)) == "0" {}
    let mut lists = JoinSet::new();
    for number in 0..20 {
        let queue = place.queue().clone();
        lists.spawn(async move {
            let scope = if number < 10 { Scope::All } else { Scope::Account("alice") };
            queue.deliveries(scope, target, None, None, 300).await.map(drop)
        });
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(place.queue().remove_target(scope, target).await.unwrap());
    assert!(!locking.is_finished() && lists.try_join_next().is_none(), "it has waited for them");
    locking.await.unwrap();
    lists.join_all().await.into_iter().for_each(Result::unwrap);
}
