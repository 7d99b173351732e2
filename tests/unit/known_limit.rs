//! How often the version of the server is asked for.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;

use super::*;

#[tokio::test(start_paused = true)]
async fn api_4_9_a_version_that_cannot_be_read_is_asked_for_once_a_minute() {
    let known = KnownLimit::default();
    let count = AtomicUsize::new(0);
    let get = async |found: Option<JobLimit>| {
        let asks = (0..20).map(|_| {
            known.get_or(|| async {
                count.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_secs(5)).await;
                found
            })
        });
        let limits = join_all(asks).await;
        assert!(limits.iter().all(|limit| *limit == limits[0]));
        (limits[0], count.swap(0, Ordering::Relaxed))
    };
    let (small, large) = (JobLimit::Before34, JobLimit::From34);
    assert_eq!(get(None).await, (small, 1));
    tokio::time::advance(PAUSE - Duration::from_secs(1)).await;
    assert_eq!(get(Some(large)).await, (small, 0));
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(get(Some(large)).await, (large, 1));
    tokio::time::advance(KEPT).await;
    assert_eq!(get(None).await, (large, 1));
    tokio::time::advance(PAUSE).await;
    assert_eq!(get(Some(small)).await, (small, 1));
}
