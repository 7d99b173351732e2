//! The login permits, which one of several gateways holds (docs/OPERATIONS.md, "Several gateways on one
//! database").

use std::time::Duration;

use portreeve::vault::Store as _;

use super::{name, open, server, until};
use crate::suite_logins::lease;

#[tokio::test(flavor = "multi_thread")]
async fn another_gateway_gets_the_permits_when_their_holder_is_gone() {
    let Some(server) = server() else { return };
    let url = server.database();
    let (one, other) = (open(&url).await, open(&url).await);
    let held = lease(&one).await;
    for _ in 0..20 {
        assert!(other.lease_permits().is_none());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(held.holds());
    // Its connections end, as they do when its process ends.
    drop(one);
    drop(held);
    assert!(lease(&other).await.holds());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_ends_with_the_connection_of_its_holder() {
    let Some(server) = server() else { return };
    let url = server.database();
    let (one, other) = (open(&url).await, open(&url).await);
    let held = lease(&one).await;
    let database = name(&url);
    let end = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' \
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    server.psql(database, end);
    // Either gateway may get the permits now, but not through this lease.
    until(async || !held.holds()).await;
    drop(held);
    assert!(lease(&other).await.holds());
}
