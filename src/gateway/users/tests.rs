//! The table of users under concurrent use.

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn entries(users: &Users) -> usize {
    let shards = users.0.iter();
    shards.map(|shard| shard.lock().unwrap().len()).sum()
}

fn in_use(users: &Users) -> usize {
    let in_use = |shard: &Mutex<Shard>| {
        let shard = shard.lock().unwrap();
        shard.values().filter(|user| user.is_in_use()).count()
    };
    users.0.iter().map(in_use).sum()
}

#[test]
fn api_7_requests_are_counted_by_user() {
    let users = Users::new();
    let first = users.request("alice", 2).unwrap();
    let second = users.request("alice", 2).unwrap();
    assert!(users.request("alice", 2).is_none());
    let other = users.request("bob", 2).unwrap();
    drop(first);
    let third = users.request("alice", 2).unwrap();
    drop((second, third, other));
    assert!(users.request("alice", 0).is_none());
    assert_eq!(in_use(&users), 0);
}

#[tokio::test(start_paused = true)]
async fn api_5_1_two_refused_passwords_in_30_minutes() {
    let users = Users::new();
    let refuse = |user: &str| users.try_password(user).unwrap().show();
    let minute = Duration::from_secs(60);
    for _ in 0..MOST_REFUSED {
        refuse("alice");
        tokio::time::advance(minute).await;
    }
    let left = |users: &Users| users.try_password("alice").err();
    assert_eq!(left(&users), Some(WINDOW - 2 * minute));
    users.try_password("bob").unwrap().forgive();
    // It is kept although nothing is in flight.
    drop(users.request("alice", 1));
    assert!(left(&users).is_some());
    tokio::time::advance(WINDOW - 2 * minute).await;
    // Accepted ones count only while they are tried.
    for _ in 0..20 {
        let mut accepted = users.try_password("alice").unwrap();
        accepted.show();
        accepted.forgive();
    }
    // So do those that the server has never seen.
    drop(users.try_password("alice").unwrap());
    refuse("alice");
    assert_eq!(left(&users), Some(minute));
    tokio::time::advance(WINDOW).await;
    // Two are tried concurrently.
    let tried: Vec<_> = (0..20).map(|_| users.try_password("alice")).collect();
    assert_eq!(tried.iter().filter(|it| it.is_ok()).count(), MOST_REFUSED);
    tried.into_iter().flatten().for_each(PasswordTry::forgive);
}

#[tokio::test(start_paused = true)]
async fn strangers_who_name_everybody_fill_a_bounded_table() {
    let users = Users::new();
    let in_flight = users.request("alice", 1).unwrap();
    for user in 0..4 * SHARDS * MOST_IDLE {
        if let Ok(mut tried) = users.try_password(&format!("user{user}")) {
            tried.show();
        }
    }
    assert!(entries(&users) <= SHARDS * MOST_IDLE);
    for user in 0..4 * SHARDS * MOST_IDLE {
        drop(users.request(&format!("caller{user}"), 1));
    }
    assert!(entries(&users) <= SHARDS * MOST_IDLE);
    assert!(users.request("alice", 1).is_none());
    drop(in_flight);
    users.request("alice", 1).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_removal_waits_for_the_uses_before_it_and_no_others() {
    let users = Users::new();
    let waits = || tokio::time::timeout(SECOND, users.quiesce("alice"));
    let before = users.acquire("alice");
    let copy = before.clone();
    let removal = tokio::spawn({
        let users = users.clone();
        async move { users.quiesce("alice").await }
    });
    tokio::time::sleep(SECOND).await;
    let after = users.acquire("alice");
    drop(before);
    tokio::time::sleep(SECOND).await;
    assert!(!removal.is_finished());
    // A cancelled wait does not affect others.
    waits().await.unwrap_err();
    drop(copy);
    removal.await.unwrap();
    waits().await.unwrap_err();
    let later = users.acquire("alice");
    waits().await.unwrap_err();
    drop(after);
    waits().await.unwrap_err();
    drop(later);
    waits().await.unwrap();
    assert_eq!(in_use(&users), 0);
}

/// The removal is marked before the wait; no use may miss the mark afterwards.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_use_outlives_a_removal_unseen() {
    for _ in 0..200 {
        let users = Users::new();
        let removed = Arc::new(AtomicBool::new(false));
        let acknowledged = Arc::new(AtomicBool::new(false));
        let calls: Vec<_> = (0..3)
            .map(|_| {
                let (users, removed, acknowledged) =
                    (users.clone(), removed.clone(), acknowledged.clone());
                tokio::spawn(async move {
                    for _ in 0..50 {
                        let _use = users.acquire("alice");
                        if !removed.load(SeqCst) {
                            tokio::task::yield_now().await;
                            assert!(!acknowledged.load(SeqCst), "used after the removal");
                        }
                    }
                })
            })
            .collect();
        tokio::task::yield_now().await;
        removed.store(true, SeqCst);
        users.quiesce("alice").await;
        acknowledged.store(true, SeqCst);
        for call in calls {
            call.await.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_turn_at_a_time_and_all_who_wait_get_one() {
    let users = Users::new();
    let turn = users.acquire("alice").try_turn().unwrap();
    assert!(users.acquire("alice").try_turn().is_none());
    assert!(users.acquire("bob").try_turn().is_some());
    let waiting: Vec<_> = (0..3)
        .map(|_| {
            let users = users.clone();
            tokio::spawn(async move { drop(users.acquire("alice").turn().await) })
        })
        .collect();
    tokio::time::sleep(SECOND).await;
    assert!(waiting.iter().all(|it| !it.is_finished()));
    // One who no longer waits takes no turn from the others.
    waiting[0].abort();
    drop(turn);
    for task in waiting {
        _ = task.await;
    }
    assert!(users.acquire("alice").try_turn().is_some());
    assert_eq!(in_use(&users), 0);
}

#[test]
fn one_retry_at_a_time() {
    let users = Users::new();
    let (one, other) = (users.acquire("alice"), users.acquire("alice"));
    let retry = one.retry().unwrap();
    assert!(other.retry().is_none());
    drop(retry);
    assert!(other.retry().is_some());
}
