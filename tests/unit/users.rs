//! The table of users under concurrent use.

use std::sync::atomic::AtomicBool;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn entries(users: &Users) -> usize {
    let shards = users.0.iter();
    shards.map(|shard| shard.lock().len()).sum()
}

fn in_use(users: &Users) -> usize {
    let in_use = |shard: &Mutex<Shard>| {
        let shard = shard.lock();
        shard.values().filter(|user| is_in_use(user)).count()
    };
    users.0.iter().map(in_use).sum()
}

#[tokio::test(start_paused = true)]
async fn strangers_who_name_everybody_fill_a_bounded_table() {
    let users = Users::new();
    let in_flight = users.request("alice", 1).unwrap();
    for user in 0..4 * SHARDS * MAX_IDLE {
        if let Ok(mut tried) = users.try_password(&format!("user{user}")) {
            tried.show();
        }
    }
    assert!(entries(&users) <= SHARDS * MAX_IDLE);
    for user in 0..4 * SHARDS * MAX_IDLE {
        drop(users.request(&format!("caller{user}"), 1));
    }
    assert!(entries(&users) <= SHARDS * MAX_IDLE);
    assert!(users.request("alice", 1).is_none());
    drop(in_flight);
    users.request("alice", 1).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_third_password_may_come_again_once_two_have_been_tried() {
    let users = Users::new();
    let [mut first, mut second] = [(); 2].map(|()| users.try_password("alice").unwrap());
    first.show();
    second.show();
    assert_eq!(users.try_password("alice").err(), Some(SECOND));
    first.forgive();
    drop(users.try_password("alice").unwrap());
    // This one was wrong, and so is the next.
    drop(second);
    let mut next = users.try_password("alice").unwrap();
    next.show();
    assert_eq!(users.try_password("alice").err(), Some(SECOND));
    drop(next);
    assert_eq!(users.try_password("alice").err(), Some(WINDOW));
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
            tokio::spawn(async move {
                let in_use = users.acquire("alice");
                while in_use.try_turn().is_none() {
                    in_use.turn_ended().await;
                }
            })
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
    let further = users.acquire("alice").further_turn();
    assert!(users.acquire("alice").try_turn().is_none());
    drop(further);
    assert!(users.acquire("alice").try_turn().is_some());
    assert_eq!(in_use(&users), 0);
}

#[tokio::test(start_paused = true)]
async fn a_password_is_proven_for_ten_seconds_and_until_a_refusal() {
    let users = Users::new();
    let alice = users.acquire("alice");
    alice.set_proof(Some((3, Instant::now())));
    assert!(alice.is_proven(3) && !alice.is_proven(4) && !users.acquire("bob").is_proven(3));
    tokio::time::advance(10 * SECOND).await;
    assert!(!alice.is_proven(3));
    alice.set_proof(Some((3, Instant::now())));
    alice.set_proof(None);
    assert!(!alice.is_proven(3));
}

#[tokio::test(start_paused = true)]
async fn a_retry_that_takes_long_keeps_nobody_from_one() {
    let users = Users::new();
    let in_use = users.acquire("alice");
    let first = in_use.retry().unwrap();
    assert!(in_use.retry().is_none());
    tokio::time::advance(RETRIED_FOR).await;
    let second = in_use.retry().unwrap();
    // It ends in its own name alone.
    drop(first);
    assert!(in_use.retry().is_none());
    drop(second);
    in_use.retry().unwrap();
}
