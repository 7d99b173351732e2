//! A mutex for each key.

use std::time::Duration;

use super::*;

#[tokio::test(start_paused = true)]
async fn one_at_a_time_and_nothing_is_left() {
    let mutex = KeyedMutex::default();
    let first = mutex.lock("alice").await;
    let other = mutex.lock("bob").await;
    let second = tokio::spawn({
        let mutex = mutex.clone();
        async move { mutex.lock("alice").await }
    });
    let cancelled = tokio::time::timeout(Duration::from_secs(1), mutex.lock("alice")).await;
    assert!(cancelled.is_err() && !second.is_finished());
    drop(first);
    drop(second.await.unwrap());
    drop(other);
    assert!(mutex.0.lock().is_empty());
}
