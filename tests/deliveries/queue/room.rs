//! How much is kept, for how long, and what is given up first.

use portreeve::deliveries::queue::Accounts;
use portreeve::deliveries::{AttemptOutcome, Completed, DeliveryState, NewReceipt, Scope};

use super::{Halves as _, Place, SECOND, at, ended, for_each_store, receipt};

for_each_store! {
    what_is_kept_has_no_more_bytes_than_it_may,
    each_receipt_has_its_own_limit,
    what_is_older_than_it_is_kept_is_removed_and_leaves_a_gap,
    a_receipt_from_a_time_to_come_does_not_keep_others,
    the_account_that_holds_most_gives_up_its_oldest,
    if_nothing_of_it_can_go_the_next_one_gives_up_its_oldest,
    what_was_delivered_is_given_up_before_what_failed_and_what_waits,
    a_target_of_all_accounts_gives_up_what_waits_for_it,
    what_was_given_up_is_not_sent_again_whoever_found_it_before,
}

async fn what_is_kept_has_no_more_bytes_than_it_may(place: Place) {
    let queue = place.queue();
    let target = place.target("alice").await;
    let bytes = async || queue.counts().await.unwrap().bytes;
    let (_, first) = place.receive("alice").await;
    assert_eq!(bytes().await, 612);
    queue.fan_out(vec![(first, vec![target])]).await.unwrap();
    assert_eq!(bytes().await, 612 + 256);
    for number in 1..60 {
        let claimed = queue.claim(1, None).await.unwrap();
        let failed = ended(&claimed[0], AttemptOutcome::Rejected, Some(SECOND));
        queue.complete(vec![failed]).await.unwrap();
        place.pass(6 * SECOND);
        let attempts = "1764100000000 rejected 0;".len() * number;
        assert_eq!(bytes().await, 612 + 256 + attempts.min(1000) as u64);
    }
    let scope = Scope::Account("alice");
    assert!(queue.remove_target(scope, target).await.unwrap());
    while queue.clean(600 * SECOND).await.unwrap() > 0 {}
    assert_eq!(bytes().await, 612);
    for _ in 0..30 {
        queue.insert(receipt("alice"), 10 * 612).await.unwrap();
        assert!(bytes().await <= 10 * 612);
    }
    assert_eq!(bytes().await, 10 * 612);
    place.pass(10 * SECOND);
    while queue.clean(5 * SECOND).await.unwrap() > 0 {}
    assert_eq!(bytes().await, 0);
}

async fn each_receipt_has_its_own_limit(place: Place) {
    let inserting = [0, 1 << 20, 100, 612, 1 << 20].map(|max| {
        let queue = place.queue().clone();
        async move { queue.insert(receipt("alice"), max).await.is_ok() }
    });
    // They wait together.
    let inserted = futures_util::future::join_all(inserting).await;
    assert_eq!(inserted, [false, true, false, true, true]);
}

async fn what_is_older_than_it_is_kept_is_removed_and_leaves_a_gap(place: Place) {
    let queue = place.queue();
    let target = place.target("alice").await;
    let old = place.due(&[target]).await;
    place.receive("alice").await;
    place.pass(60 * SECOND);
    let new = place.due(&[target]).await;
    assert_eq!(queue.clean(30 * SECOND).await.unwrap(), 2);
    assert_eq!(queue.clean(30 * SECOND).await.unwrap(), 0);
    assert_eq!(queue.receipt(old).await.unwrap(), None);
    assert_eq!(queue.lease(10, Accounts::AllBut(&[])).await.unwrap(), []);
    assert_eq!(queue.counts().await.unwrap().pending, 1);
    let events = queue.events(Scope::Account("alice"), at(old - 1), 10).await.unwrap();
    assert!(events.is_gap);
    assert_eq!((events.receipts.len(), events.through.position), (1, new));
    let events = queue.events(Scope::Account("alice"), at(new), 10).await.unwrap();
    assert!(!events.is_gap && events.receipts.is_empty());
    assert_eq!(events.through.position, new);
    let claimed = queue.claim(64, None).await.unwrap();
    assert_eq!(claimed.iter().map(|it| it.receipt.position).collect::<Vec<_>>(), [new]);
    // Removed while an attempt is under way.
    place.pass(60 * SECOND);
    assert_eq!(queue.clean(30 * SECOND).await.unwrap(), 1);
    let late = queue.complete(vec![ended(&claimed[0], AttemptOutcome::Delivered, None)]);
    assert_eq!(late.await.unwrap(), [Completed::Stale]);
    // The newest was removed: its position is not used again.
    assert!(place.receive("alice").await.1 > new);
}

async fn a_receipt_from_a_time_to_come_does_not_keep_others(place: Place) {
    place.pass(600 * SECOND);
    let mut ahead = Vec::new();
    for _ in 0..300 {
        ahead.push(place.receive("alice").await.1);
    }
    place.step_back(600 * SECOND);
    place.receive("alice").await;
    place.pass(60 * SECOND);
    assert_eq!(place.queue().clean(30 * SECOND).await.unwrap(), 1);
    let left = place.queue().events(Scope::All, at(0), 300).await.unwrap();
    let left = left.receipts.iter().map(|it| it.position);
    assert_eq!(left.collect::<Vec<_>>(), ahead);
    place.pass(600 * SECOND);
    let mut removed = 0;
    loop {
        match place.queue().clean(30 * SECOND).await.unwrap() {
            0 => break,
            number => removed += number,
        }
    }
    assert_eq!(removed, 300);
}

/// A replay looks for receipts first, and what it has found may be given up before it makes them due. Then there is nothing
/// to send, and nobody's receipts are refused for it.
async fn what_was_given_up_is_not_sent_again_whoever_found_it_before(place: Place) {
    let queue = place.queue();
    let [arrives, fails] = [place.target("mallory").await, place.target("mallory").await];
    let (scope, max) = (Scope::Account("mallory"), 20 * 612);
    let mut found = Vec::new();
    for _ in 0..200 {
        let position = queue.insert(receipt("mallory"), max).await.unwrap();
        found.push(position);
        queue.fan_out(vec![(position, vec![arrives, fails])]).await.unwrap();
        let claimed = queue.claim(64, None).await.unwrap();
        let attempts = claimed.iter().map(|it| match it.target.id == arrives {
            true => ended(it, AttemptOutcome::Delivered, None),
            false => ended(it, AttemptOutcome::Rejected, None),
        });
        queue.complete(attempts.collect()).await.unwrap();
        let replayed = queue.replay(scope, arrives, found.clone(), true).await.unwrap().unwrap();
        let claimed = queue.claim(64, None).await.unwrap();
        // Each that is due again has its event.
        assert!(claimed.iter().all(|it| !it.receipt.sealed.is_empty()), "{claimed:?}");
        let again = claimed.iter().filter(|it| it.target.id == arrives);
        assert!(again.count() as u64 <= replayed);
        let arrived = claimed.iter().map(|it| ended(it, AttemptOutcome::Delivered, None));
        queue.complete(arrived.collect()).await.unwrap();
        queue.insert(receipt("alice"), max).await.unwrap();
    }
    place.pass(10 * SECOND);
    while queue.clean(SECOND).await.unwrap() > 0 {}
    assert_eq!(queue.counts().await.unwrap().bytes, 0);
}

/// Whoever's receipts fill it, with a target that is paused or none at all, others keep theirs and can add to them.
async fn the_account_that_holds_most_gives_up_its_oldest(place: Place) {
    let queue = place.queue();
    let (target, of_alice) = (place.target("mallory").await, place.target("alice").await);
    let waits = place.due(&[of_alice]).await;
    let max = 40 * 1024;
    for _ in 0..200 {
        let position = queue.insert(receipt("mallory"), max).await.unwrap();
        queue.fan_out(vec![(position, vec![target])]).await.unwrap();
        queue.insert(receipt("hoarder"), max).await.unwrap();
    }
    let kept = async |account| {
        let events = queue.events(Scope::Account(account), at(0), 300).await;
        events.unwrap()
    };
    let alice = kept("alice").await;
    assert!(!alice.is_gap && alice.receipts.len() == 1);
    assert!(kept("mallory").await.is_gap && kept("hoarder").await.is_gap);
    let counts = queue.counts().await.unwrap();
    assert!(counts.bytes <= max, "{counts:?}");
    // Each of the two has its half.
    assert!((20..40).contains(&kept("hoarder").await.receipts.len()));
    let claimed = queue.claim(64, None).await.unwrap();
    assert!(claimed.iter().any(|it| it.receipt.position == waits));
    // What is given up is counted, and cannot be sent any more.
    assert!(queue.expired() > 300, "{}", queue.expired());
    let of_state = async |state| {
        let found = queue.deliveries(Scope::All, target, state, None, 300).await;
        found.unwrap().unwrap()
    };
    let expired = of_state(Some(DeliveryState::Expired)).await;
    let shown = queue.target(Scope::All, target).await.unwrap().unwrap();
    let waiting = of_state(Some(DeliveryState::Waiting)).await;
    assert_eq!(shown.waiting, waiting.len() as u64);
    assert!(expired.iter().all(|it| it.position < waiting[waiting.len() - 1].position));
    assert_eq!(of_state(None).await.len(), expired.len() + waiting.len());
    for it in &expired {
        assert_eq!(queue.retry(Scope::All, it.id).await.unwrap(), None);
    }
}

async fn if_nothing_of_it_can_go_the_next_one_gives_up_its_oldest(place: Place) {
    let queue = place.queue();
    let target = place.target("alice").await;
    for _ in 0..5 {
        place.receive("bob").await;
    }
    let large = NewReceipt { sealed: vec![7; 10_000].into(), ..receipt("alice") };
    let position = queue.insert(large, 1 << 20).await.unwrap();
    queue.fan_out(vec![(position, vec![target])]).await.unwrap();
    // It is under way.
    let claimed = queue.claim(1, None).await.unwrap();
    let max = queue.counts().await.unwrap().bytes;
    for _ in 0..20 {
        queue.insert(receipt("carol"), max).await.unwrap();
    }
    let kept = async |account| {
        let events = queue.events(Scope::Account(account), at(0), 300).await.unwrap();
        (events.receipts.len(), events.is_gap)
    };
    assert_eq!(kept("alice").await, (1, false));
    // Each of the others has its half.
    let [(of_bob, gap_of_bob), (of_carol, gap_of_carol)] = [kept("bob").await, kept("carol").await];
    assert!(of_bob >= 2 && of_bob + of_carol == 5, "{of_bob} {of_carol}");
    assert!(gap_of_bob && gap_of_carol);
    let done = vec![ended(&claimed[0], AttemptOutcome::Delivered, None)];
    assert_eq!(queue.complete(done).await.unwrap(), [Completed::Done]);
}

/// Delivered ones first, then failed ones, and those last that wait: the events of these are gone, they are shown.
async fn what_was_delivered_is_given_up_before_what_failed_and_what_waits(place: Place) {
    let queue = place.queue();
    let target = place.target("alice").await;
    let mut positions = Vec::new();
    for _ in 0..6 {
        positions.push(place.due(&[target]).await);
    }
    let mut claimed = Vec::new();
    for _ in 0..2 {
        claimed.extend(queue.claim(2, None).await.unwrap());
    }
    claimed.sort_by_key(|it| it.receipt.position);
    // The fourth is under way.
    let outcomes = [AttemptOutcome::Rejected, AttemptOutcome::Delivered, AttemptOutcome::Rejected];
    let done = claimed.iter().zip(outcomes);
    let done = done.map(|(it, outcome)| ended(it, outcome, None));
    queue.complete(done.collect()).await.unwrap();
    let max = queue.counts().await.unwrap().bytes;
    let mut left = Vec::new();
    for _ in 0..4 {
        queue.insert(receipt("bob"), max).await.unwrap();
        let all = queue.deliveries(Scope::All, target, None, None, 300).await;
        let all = all.unwrap().unwrap();
        let states = all.iter().rev().map(|it| (it.position, it.state));
        left.push(states.collect::<Vec<_>>());
    }
    let with = |number: usize, state| (positions[number], state);
    let (failed, waits, gone) =
        (DeliveryState::Failed, DeliveryState::Waiting, DeliveryState::Expired);
    let rest = [with(3, waits), with(4, waits), with(5, waits)];
    assert_eq!(left[0], [&[with(0, failed), with(2, failed)], &rest[..]].concat());
    assert!(left.iter().all(|it| it.contains(&with(3, waits))));
    let first_expired = left.iter().map(|it| it.iter().filter(|it| it.1 == gone).count());
    assert!(first_expired.max() >= Some(1), "{left:?}");
    let done = vec![ended(&claimed[3], AttemptOutcome::Delivered, None)];
    assert_eq!(queue.complete(done).await.unwrap(), [Completed::Done]);
}

/// Its rows are no account's receipts.
async fn a_target_of_all_accounts_gives_up_what_waits_for_it(place: Place) {
    let queue = place.queue();
    let all = place.targets("", 20).await;
    let max = 64 * 1024;
    for number in 0..40 {
        let account = format!("user{number}");
        let position = queue.insert(receipt(&account), max).await.unwrap();
        queue.fan_out(vec![(position, all.clone())]).await.unwrap();
    }
    queue.insert(receipt("alice"), max).await.unwrap();
    assert!(queue.counts().await.unwrap().bytes <= max);
    for number in [0, 39] {
        let account = format!("user{number}");
        let events = queue.events(Scope::Account(&account), at(0), 300).await.unwrap();
        assert!(!events.is_gap && events.receipts.len() == 1);
    }
}
