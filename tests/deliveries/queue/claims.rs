//! Attempts: who may make which, how many at once, and whose turn it is.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use portreeve::deliveries::queue::{LEASE, MAX_CONCURRENT_PER_TARGET, MAX_TARGETS};
use portreeve::deliveries::{AttemptOutcome, Completed, DeliveryState, Scope, TargetState};
use tokio::sync::Barrier;

use super::{Halves as _, Place, SECOND, ended, first_of_runs, for_each_store, places, runs};

for_each_store! {
    a_stale_end_in_one_batch_with_another_counts_for_nothing,
    a_lease_that_ran_out_is_claimed_again_and_its_first_holder_changes_nothing,
    no_target_has_more_attempts_at_once_than_it_may,
    a_run_that_has_ended_makes_room_for_another,
    a_target_that_hangs_holds_up_no_other,
    targets_take_turns_however_long_something_waits_for_them,
    a_target_keeps_its_turn_while_more_arrives_for_it,
    three_gateways_share_what_is_due,
    accounts_take_turns,
    an_account_has_no_more_than_its_share_of_the_places,
    targets_that_fail_have_a_part_of_the_places,
}

/// One gateway was suspended for longer than its lease, and tells of both attempts at once.
async fn a_stale_end_in_one_batch_with_another_counts_for_nothing(place: Place) {
    let target = place.target("alice").await;
    place.due(&[target]).await;
    let queue = place.queue();
    let stale = queue.claim(64, None).await.unwrap().remove(0);
    place.pass(LEASE + SECOND);
    let fresh = queue.claim(64, None).await.unwrap().remove(0);
    let both = vec![
        ended(&stale, AttemptOutcome::Gone, None),
        ended(&fresh, AttemptOutcome::Delivered, None),
    ];
    let completed = queue.complete(both).await.unwrap();
    assert_eq!(completed, [Completed::Stale, Completed::Done]);
    let found = queue.target(Scope::All, target).await.unwrap().unwrap();
    assert_eq!((found.waiting, found.state), (0, TargetState::Active));
    assert_eq!(found.failing_since, None);
    let found = queue.delivery(Scope::All, fresh.id()).await.unwrap().unwrap();
    assert_eq!((found.state, found.attempts.len()), (DeliveryState::Delivered, 1));
}

async fn a_lease_that_ran_out_is_claimed_again_and_its_first_holder_changes_nothing(place: Place) {
    let target = place.target("alice").await;
    place.due(&[target]).await;
    let (one, other) = (&place.gateways[0], &place.gateways[1]);
    let first = one.claim(64, None).await.unwrap().remove(0);
    // Some of it passes by itself.
    place.pass(LEASE - 15 * SECOND);
    assert!(other.claim(64, None).await.unwrap().is_empty());
    place.pass(16 * SECOND);
    let second = other.claim(64, None).await.unwrap().remove(0);
    // What was not noted costs no try.
    assert_eq!((second.id(), second.tries), (first.id(), 1));
    let late = one.complete(vec![ended(&first, AttemptOutcome::Delivered, None)]);
    assert_eq!(late.await.unwrap(), [Completed::Stale]);
    let found = one.delivery(Scope::All, first.id()).await.unwrap().unwrap();
    assert_eq!(found.state, DeliveryState::Waiting);
    let done = other.complete(vec![ended(&second, AttemptOutcome::Delivered, None)]);
    assert_eq!(done.await.unwrap(), [Completed::Done]);
    let found = one.delivery(Scope::All, first.id()).await.unwrap().unwrap();
    assert_eq!((found.state, found.due_at), (DeliveryState::Delivered, None));
    assert_eq!(found.attempts.len(), 1);
    assert_eq!(one.counts().await.unwrap().pending, 0);
}

async fn no_target_has_more_attempts_at_once_than_it_may(place: Place) {
    let target = place.target("alice").await;
    for _ in 0..20 {
        place.due(&[target]).await;
    }
    let claiming = (0..12).map(|number| {
        let queue = place.gateways[number % 3].clone();
        tokio::spawn(async move { queue.claim(3, None).await.unwrap() })
    });
    let mut claimed = Vec::new();
    for claiming in claiming.collect::<Vec<_>>() {
        claimed.extend(claiming.await.unwrap());
    }
    // A gateway passes over a target that another one is just claiming from.
    claimed.extend(place.queue().claim(64, None).await.unwrap());
    assert_eq!(runs(&claimed), MAX_CONCURRENT_PER_TARGET);
    // While its attempts fail it has one at once.
    let fail = |it| ended(it, AttemptOutcome::TimedOut, Some(600 * SECOND));
    let failed = claimed.iter().map(fail).collect();
    place.queue().complete(failed).await.unwrap();
    let alone = place.queue().claim(64, None).await.unwrap();
    assert_eq!(alone.len(), 1);
    assert!(alone[0].target.failing_since.is_some());
    assert!(place.gateways[2].claim(64, None).await.unwrap().is_empty());
    let done = ended(&alone[0], AttemptOutcome::Delivered, None);
    place.queue().complete(vec![done]).await.unwrap();
    let claimed = place.queue().claim(64, None).await.unwrap();
    assert_eq!(runs(&claimed), MAX_CONCURRENT_PER_TARGET);
    assert!(place.gateways[1].claim(64, None).await.unwrap().is_empty());
}

async fn a_run_that_has_ended_makes_room_for_another(place: Place) {
    let target = place.target("alice").await;
    for _ in 0..40 {
        place.due(&[target]).await;
    }
    let mut claimed = place.queue().claim(64, None).await.unwrap();
    for _ in 0..3 {
        assert_eq!(runs(&claimed), MAX_CONCURRENT_PER_TARGET);
        assert!(place.gateways[1].claim(64, None).await.unwrap().is_empty());
        let first = claimed[0].claim;
        let (run, others) = claimed.into_iter().partition(|it| it.claim == first);
        claimed = others;
        for (left, of_run) in (0..run.len()).rev().zip(&run) {
            let done = ended(of_run, AttemptOutcome::Delivered, None);
            place.queue().complete(vec![done]).await.unwrap();
            let more = place.gateways[1].claim(64, None).await.unwrap();
            assert_eq!(runs(&more), i64::from(left == 0));
            claimed.extend(more);
        }
    }
}

async fn a_target_that_hangs_holds_up_no_other(place: Place) {
    let hanging = place.target("alice").await;
    for _ in 0..300 {
        place.due(&[hanging]).await;
    }
    place.pass(SECOND);
    let mut taken = Vec::new();
    for _ in 0..50 {
        taken.extend(place.queue().claim(64, None).await.unwrap());
    }
    assert_eq!(runs(&taken), MAX_CONCURRENT_PER_TARGET);
    assert!(taken.len() <= 16);
    let other = place.target("alice").await;
    place.due(&[other]).await;
    let claimed = place.queue().claim(1, None).await.unwrap();
    assert_eq!(claimed[0].target.id, other);
}

/// As after an outage, or when they are active again after a pause.
async fn targets_take_turns_however_long_something_waits_for_them(place: Place) {
    let queue = place.queue();
    let busy = place.targets("alice", 16).await;
    for _ in 0..6 {
        place.due(&busy).await;
    }
    place.pass(3600 * SECOND);
    let claimed = queue.claim(64, None).await.unwrap();
    assert_eq!(runs(&claimed), 64);
    assert!(queue.claim(64, None).await.unwrap().is_empty());
    let idle = place.target("alice").await;
    place.due(&[idle]).await;
    place.pass(SECOND);
    let done = claimed.iter().map(|it| ended(it, AttemptOutcome::Delivered, None));
    queue.complete(done.collect()).await.unwrap();
    let next = queue.claim(1, None).await.unwrap();
    assert_eq!(next[0].target.id, idle);
    // The others have what is left, the oldest first.
    let rest = queue.claim(64, None).await.unwrap();
    assert_eq!(rest.len(), 32);
    let oldest = claimed.iter().map(|it| it.receipt.position).max();
    assert!(rest.iter().all(|it| Some(it.receipt.position) > oldest));
}

async fn a_target_keeps_its_turn_while_more_arrives_for_it(place: Place) {
    let (first, second) = (place.target("alice").await, place.target("alice").await);
    place.due(&[first]).await;
    place.pass(SECOND);
    place.due(&[second]).await;
    place.pass(SECOND);
    for _ in 0..4 {
        place.due(&[first]).await;
    }
    let mut turns = Vec::new();
    for _ in 0..5 {
        let claimed = place.queue().claim(1, None).await.unwrap();
        turns.push(claimed[0].target.id);
    }
    assert_eq!(turns, [first, first, first, first, second]);
}

async fn three_gateways_share_what_is_due(place: Place) {
    let targets = place.targets("alice", 60).await;
    for _ in 0..20 {
        place.due(&targets).await;
    }
    let connected = Arc::new(Barrier::new(place.gateways.len()));
    let working = place.gateways.iter().map(|queue| {
        let (queue, connected) = (queue.clone(), connected.clone());
        tokio::spawn(async move {
            queue.counts().await.unwrap();
            connected.wait().await;
            let mut sent = Vec::new();
            loop {
                let claimed = queue.claim(16, None).await.unwrap();
                if claimed.is_empty() && queue.counts().await.unwrap().pending == 0 {
                    return sent;
                }
                // As long as an attempt takes.
                tokio::time::sleep(Duration::from_millis(20)).await;
                let done = claimed.iter().map(|it| ended(it, AttemptOutcome::Delivered, None));
                let done = queue.complete(done.collect()).await.unwrap();
                assert!(done.iter().all(|it| *it == Completed::Done));
                sent.extend(claimed.into_iter().map(|it| it.id()));
            }
        })
    });
    let (mut times, mut shares) = (BTreeMap::new(), Vec::new());
    for working in working.collect::<Vec<_>>() {
        let sent = working.await.unwrap();
        shares.push(sent.len());
        for id in sent {
            *times.entry(id).or_insert(0) += 1;
        }
    }
    assert_eq!(times.len(), 1200);
    assert!(times.values().all(|times| *times == 1), "no delivery twice");
    assert!(shares.iter().all(|share| *share >= 60), "{shares:?}");
}

/// However many targets an account has, and however long something has been due for them.
async fn accounts_take_turns(place: Place) {
    let queue = place.queue();
    let mut busy = Vec::new();
    for account in ["mallory", "mallet"] {
        busy.extend(place.targets(account, MAX_TARGETS as usize).await);
    }
    for _ in 0..5 {
        place.due(&busy).await;
    }
    place.pass(3600 * SECOND);
    let one = place.target("alice").await;
    for _ in 0..2 {
        place.due(&[one]).await;
    }
    let accounts = async || {
        let claimed = queue.claim(3, None).await.unwrap();
        let accounts = claimed.iter().map(|it| it.target.account.clone());
        let mut accounts: Vec<_> = accounts.map(Option::unwrap).collect();
        accounts.sort();
        accounts
    };
    for _ in 0..2 {
        assert_eq!(accounts().await, ["alice", "mallet", "mallory"].map(Into::into));
    }
    queue.claim(60, None).await.unwrap();
    for _ in 0..2 {
        place.due(&[one]).await;
        let claimed = queue.claim(3, None).await.unwrap();
        let is_one = claimed.iter().filter(|it| it.target.id == one);
        assert_eq!(is_one.count(), 1);
    }
}

async fn an_account_has_no_more_than_its_share_of_the_places(place: Place) {
    let queue = place.queue();
    let of_mallory = place.targets("mallory", 10).await;
    let mut places = places(20, 20);
    for _ in 0..4 {
        place.due(&of_mallory).await;
    }
    // It may have half of those that are for everybody, also if it makes its targets anew.
    let claimed = queue.claim(64, Some(places.clone())).await.unwrap();
    assert_eq!(runs(&claimed), 5);
    first_of_runs(&claimed).iter().for_each(|it| places.take(&it.target));
    for target in of_mallory {
        let scope = Scope::Account("mallory");
        assert!(queue.remove_target(scope, target).await.unwrap());
    }
    let again = place.target("mallory").await;
    place.due(&[again]).await;
    assert!(queue.claim(64, Some(places.clone())).await.unwrap().is_empty());
    let of_alice = place.targets("alice", 10).await;
    place.due(&of_alice).await;
    let alone = queue.claim(64, Some(places.clone())).await.unwrap();
    assert!(alone.iter().all(|it| of_alice.contains(&it.target.id)));
    assert_eq!(alone.len(), 3);
    alone.iter().for_each(|it| places.take(&it.target));
    claimed.iter().for_each(|it| places.give_back(&it.target));
    let claimed = queue.claim(64, Some(places.clone())).await.unwrap();
    assert!(claimed.iter().any(|it| it.target.id == again));
    assert_eq!(claimed.len(), 3);
}

/// More accounts than are looked at in one transaction have nothing else.
async fn targets_that_fail_have_a_part_of_the_places(place: Place) {
    let queue = place.queue();
    let mut failing = Vec::new();
    for number in 0..260 {
        failing.push(place.target(&format!("user{number}")).await);
    }
    place.due(&failing).await;
    place.due(&failing).await;
    for _ in 0..2 {
        let claimed = queue.claim(256, None).await.unwrap();
        let failed = claimed.iter().filter(|it| it.tries == 1);
        let failed = failed.map(|it| ended(it, AttemptOutcome::TimedOut, Some(2 * SECOND)));
        queue.complete(failed.collect()).await.unwrap();
    }
    place.pass(3 * SECOND);
    let other = place.target("alice").await;
    place.due(&[other]).await;
    let claimed = queue.claim(1, Some(places(100, 0))).await.unwrap();
    assert_eq!((claimed.len(), claimed[0].target.id), (1, other));
    let mut places = places(100, 3);
    let claimed = queue.claim(64, Some(places.clone())).await.unwrap();
    assert_eq!(claimed.len(), 3);
    claimed.iter().for_each(|it| places.take(&it.target));
    assert!(queue.claim(64, Some(places)).await.unwrap().is_empty());
}
