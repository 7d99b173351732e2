//! What a gateway had under way that is gone, while the clock shows an earlier time than before.

#[cfg(feature = "postgres")]
use std::sync::{Arc, atomic::AtomicI64};
use std::time::Duration;

use portreeve::deliveries::Queue;
use portreeve::deliveries::queue::Accounts;

use super::{Halves as _, Place};
use crate::target::until;

const BACK: Duration = Duration::from_secs(600);

/// A target, and receipts: one that is due at it, and one that is not matched yet.
async fn place_with_work(place: &Place) {
    let target = place.target("alice").await;
    place.due(&[target]).await;
    place.receive("alice").await;
}

/// Claims what there is, as a gateway does before it is killed.
async fn begin(queue: &Queue) {
    assert_eq!(queue.claim(64, None).await.unwrap().len(), 1);
    assert_eq!(queue.lease(64, Accounts::AllBut(&[])).await.unwrap().len(), 1);
}

/// How much there is to do.
async fn left(queue: &Queue) -> (usize, usize) {
    queue.take_over().await.unwrap();
    let claimed = queue.claim(64, None).await.unwrap().len();
    (claimed, queue.lease(64, Accounts::AllBut(&[])).await.unwrap().len())
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_takes_over_at_its_start_unless_another_one_works_on_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::sqlite_in(dir.path()).await;
    place_with_work(&place).await;
    let (one, other) = (&place.gateways[0], &place.gateways[1]);
    one.take_over().await.unwrap();
    begin(one).await;
    place.step_back(BACK);
    assert_eq!(left(other).await, (0, 0));
    drop(place);
    // Their tasks end a moment later.
    let working = dir.path().join("deliveries.db-gateways");
    let working = std::fs::File::open(working).unwrap();
    until("no gateway works on it", async || working.try_lock().is_ok()).await;
    working.unlock().unwrap();
    let place = Place::sqlite_in(dir.path()).await;
    // Here the clock is right, but not that of the claims.
    place.step_back(2 * BACK);
    assert_eq!(left(place.queue()).await, (1, 1));
    // What it has claimed itself stays.
    assert_eq!(left(place.queue()).await, (0, 0));
}

/// One whose file cannot be locked, or that has not come to it yet.
#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread")]
async fn what_a_gateway_has_that_nobody_can_see_is_not_taken_over() {
    let place = Place::sqlite().await.unwrap();
    place_with_work(&place).await;
    begin(&place.gateways[0]).await;
    assert_eq!(left(&place.gateways[1]).await, (0, 0));
    place.pass(portreeve::deliveries::queue::LEASE);
    assert_eq!(left(&place.gateways[1]).await, (1, 1));
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_takes_over_when_the_connection_of_another_one_has_ended() {
    use portreeve::vault::PostgresStore;

    let Some(server) = tokio::task::block_in_place(crate::support::postgres::shared) else {
        return;
    };
    let url = server.database();
    let place = Place::postgres_at(&url).await;
    place_with_work(&place).await;
    let gateway = async || {
        let store = PostgresStore::open(url.parse().unwrap()).await.unwrap();
        until("it listens", async || store.is_subscribed()).await;
        Queue::in_postgres(&store)
    };
    let (killed, alive) = (gateway().await, gateway().await);
    begin(&killed).await;
    // By a clock that was set back, its leases last for longer.
    let back = -i64::try_from(BACK.as_millis()).unwrap();
    let alive = alive.clock_ahead(Arc::new(AtomicI64::new(back)));
    for _ in 0..3 {
        assert_eq!(left(&alive).await, (0, 0));
    }
    drop(killed);
    let mut found = (0, 0);
    until("all is taken over", async || {
        let (claimed, matched) = left(&alive).await;
        found = (found.0 + claimed, found.1 + matched);
        found == (1, 1)
    })
    .await;
}
