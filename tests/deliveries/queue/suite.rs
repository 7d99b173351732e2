//! What every store does with receipts, targets and deliveries.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use portreeve::deliveries::queue::{AT_ONCE, DISABLE_AFTER, LEASE, MAX_PAGE, MAX_TARGETS, Places};
use portreeve::deliveries::{
    Completed, Deliveries, DeliveryId, DeliveryState, Incoming, Limits, Maker, NewReceipt, Outcome,
    Queue, QueueError, Retried, Scope, Shares, TargetSettings, TargetState,
};
use portreeve::vault::{Change, CopyError, Keyring, MemoryStore, PersonId, Row, Table, Vault};
use tokio::sync::Barrier;

use super::{Halves as _, MAX, Place, ended, for_each_store, receipt, target};

const SECOND: Duration = Duration::from_secs(1);

for_each_store! {
    positions_are_in_the_order_of_commits,
    a_receipt_is_matched_once,
    a_new_receipt_comes_before_those_whose_lease_has_run_out,
    large_receipts_are_matched_in_portions,
    a_receipt_that_is_given_back_comes_again_at_once,
    the_receipts_of_accounts_are_matched_in_turn,
    an_account_with_one_target_does_not_wait_for_all_targets_of_others,
    very_many_accounts_that_have_no_turn_hide_no_others,
    very_many_deliveries_are_made_in_portions,
    a_target_gets_nothing_that_arrived_before_it_was_made,
    a_target_gets_what_arrives_after_the_clock_was_set_back,
    a_stale_end_in_one_batch_with_another_counts_for_nothing,
    a_lease_that_ran_out_is_claimed_again_and_its_first_holder_changes_nothing,
    no_target_has_more_attempts_at_once_than_it_may,
    a_target_that_hangs_holds_up_no_other,
    targets_take_turns_however_long_something_waits_for_them,
    a_target_keeps_its_turn_while_more_arrives_for_it,
    three_gateways_share_what_is_due,
    what_is_kept_has_no_more_bytes_than_it_may,
    what_is_older_than_it_is_kept_is_removed_and_leaves_a_gap,
    a_receipt_from_a_time_to_come_does_not_keep_others,
    a_target_that_is_gone_or_fails_for_days_is_disabled,
    a_paused_target_gets_afterwards_what_arrived_meanwhile,
    a_delivery_is_retried_and_failed_ones_are_replayed,
    an_account_has_a_limited_number_of_targets,
    a_change_of_a_target_replaces_no_other_change,
    a_change_of_a_target_does_not_undo_that_it_is_disabled,
    a_suspended_target_keeps_what_waits_until_it_is_not,
    a_position_of_another_database_is_a_gap,
    whose_receipts_have_arrived_is_known_for_all_accounts,
    the_account_that_holds_most_gives_up_its_oldest,
    what_was_delivered_is_given_up_before_what_failed_and_what_waits,
    a_target_of_all_accounts_gives_up_what_waits_for_it,
    a_receipt_that_the_database_cannot_store_fails_alone,
    each_receipt_has_its_own_limit,
    accounts_take_turns,
    an_account_has_no_more_than_its_share_of_the_places,
    targets_that_fail_have_a_part_of_the_places,
    everything_is_copied_to_another_database,
    a_copy_that_was_interrupted_is_completed,
    targets_are_sealed_anew_when_the_key_is_rotated,
    what_a_pruned_key_sealed_is_refused,
    a_target_that_is_changed_during_the_rotation_is_sealed_anew,
}

async fn positions_are_in_the_order_of_commits(place: Place) {
    let inserting = (0..200).map(|number| {
        let queue = place.gateways[number % 3].clone();
        tokio::spawn(async move { queue.insert(receipt("alice"), MAX).await.unwrap() })
    });
    let inserting: Vec<_> = inserting.collect();
    // Whoever sees a position sees all lower ones: nothing appears behind the reader.
    let (mut seen, mut after) = (Vec::new(), 0);
    while seen.len() < 200 {
        let events = place.queue().events(Scope::All, after, 7).await.unwrap();
        assert!(!events.is_gap);
        seen.extend(events.receipts.iter().map(|it| it.position));
        after = seen.last().copied().unwrap_or(0);
    }
    assert!(seen.is_sorted());
    let mut answered = Vec::new();
    for inserted in inserting {
        answered.push(inserted.await.unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, seen);
    let counts = place.queue().counts().await.unwrap();
    assert_eq!((counts.receipts, counts.pending), (200, 200));
}

async fn a_receipt_is_matched_once(place: Place) {
    let queue = place.queue();
    let one = place.target("alice").await;
    let (id, position) = place.receive("alice").await;
    let first = queue.unmatched(10, &[]).await.unwrap();
    assert_eq!(first.len(), 1);
    assert_eq!((first[0].id, first[0].position), (id, position));
    assert_eq!(&*first[0].sealed, [7; 100]);
    assert_eq!(queue.unmatched(10, &[]).await.unwrap(), []);
    place.pass(LEASE + SECOND);
    assert_eq!(place.gateways[1].unmatched(10, &[]).await.unwrap().len(), 1);
    let wanted = vec![(position, vec![one])];
    // Both gateways do it.
    queue.fan_out(wanted.clone()).await.unwrap();
    place.gateways[1].fan_out(wanted).await.unwrap();
    let claimed = queue.claim(64, None).await.unwrap();
    assert_eq!(claimed.len(), 1);
    let delivery = DeliveryId { receipt: id, target: one };
    assert_eq!((claimed[0].id, claimed[0].tries), (delivery, 1));
    assert_eq!(claimed[0].target.waiting, 1);
    place.pass(LEASE + SECOND);
    assert_eq!(queue.unmatched(10, &[]).await.unwrap(), []);
}

/// Whatever is not matched, and however often: what is new does not wait for it.
async fn a_new_receipt_comes_before_those_whose_lease_has_run_out(place: Place) {
    let queue = place.queue();
    let (_, first) = place.receive("alice").await;
    let (_, second) = place.receive("alice").await;
    assert_eq!(queue.unmatched(1, &[]).await.unwrap()[0].position, first);
    place.pass(SECOND);
    assert_eq!(queue.unmatched(1, &[]).await.unwrap()[0].position, second);
    place.pass(LEASE + SECOND);
    let (_, new) = place.receive("alice").await;
    let mut order = Vec::new();
    for _ in 0..3 {
        order.push(queue.unmatched(1, &[]).await.unwrap()[0].position);
    }
    assert_eq!(order, [new, first, second]);
    // Also if there is no room for all of them.
    place.pass(LEASE + SECOND);
    let large = |account: &str| NewReceipt { sealed: vec![7; 3 << 20].into(), ..receipt(account) };
    let old = queue.insert(large("alice"), MAX).await.unwrap();
    assert_eq!(queue.unmatched(1, &[]).await.unwrap()[0].position, old);
    place.pass(LEASE + SECOND);
    let new = queue.insert(large("alice"), MAX).await.unwrap();
    let newest = queue.insert(large("alice"), MAX).await.unwrap();
    let found = queue.unmatched(64, &[]).await.unwrap();
    let found = found.iter().map(|it| it.position);
    assert_eq!(found.collect::<Vec<_>>(), [new, newest]);
}

async fn a_target_gets_nothing_that_arrived_before_it_was_made(place: Place) {
    let (_, before) = place.receive("alice").await;
    place.pass(SECOND);
    let target = place.target("alice").await;
    let (_, after) = place.receive("alice").await;
    let wanted = [before, after].map(|position| (position, vec![target]));
    place.queue().fan_out(wanted.into()).await.unwrap();
    let claimed = place.queue().claim(64, None).await.unwrap();
    assert_eq!((claimed.len(), claimed[0].position), (1, after));
    place.pass(LEASE + SECOND);
    assert_eq!(place.queue().unmatched(10, &[]).await.unwrap(), []);
}

async fn a_target_gets_what_arrives_after_the_clock_was_set_back(place: Place) {
    place.pass(600 * SECOND);
    let target = place.target("alice").await;
    place.step_back(600 * SECOND);
    let position = place.due(&[target]).await;
    let claimed = place.queue().claim(64, None).await.unwrap();
    assert_eq!((claimed.len(), claimed[0].position), (1, position));
}

async fn a_receipt_that_is_given_back_comes_again_at_once(place: Place) {
    let queue = place.queue();
    let (_, first) = place.receive("alice").await;
    assert_eq!(queue.unmatched(64, &[]).await.unwrap().len(), 1);
    queue.release(vec![first]).await.unwrap();
    let (_, second) = place.receive("alice").await;
    for expected in [first, second] {
        let found = place.gateways[1].unmatched(1, &[]).await.unwrap();
        assert_eq!(found[0].position, expected);
    }
    assert_eq!(queue.unmatched(64, &[]).await.unwrap(), []);
}

/// However many receipts of one account wait, and whether that account is passed over.
/// More than one transaction looks at.
async fn very_many_accounts_that_have_no_turn_hide_no_others(place: Place) {
    let names: Vec<_> = (0..600).map(|number| format!("a{number:03}")).collect();
    for name in &names {
        place.receive(name).await;
    }
    let (zoes, _) = place.receive("zoe").await;
    let apart: Vec<_> = names.iter().map(|name| Some(name.as_str().into())).collect();
    for _ in 0..2 {
        let found = place.queue().unmatched(10, &apart).await.unwrap();
        let found: Vec<_> = found.iter().map(|it| it.id).collect();
        assert_eq!(found, [zoes]);
        // Its lease counts: now nobody has anything, and the search ends.
        assert!(place.queue().unmatched(10, &apart).await.unwrap().is_empty());
        let all = place.queue().events(Scope::Account("zoe"), 0, 1).await.unwrap();
        let positions = all.receipts.iter().map(|it| it.position).collect();
        place.queue().release(positions).await.unwrap();
    }
}

async fn the_receipts_of_accounts_are_matched_in_turn(place: Place) {
    let queue = place.queue();
    // So many that each has one in its turn.
    for _ in 0..3 {
        place.target("").await;
    }
    for _ in 0..200 {
        place.receive("mallory").await;
    }
    for account in ["alice", "zoe", ""] {
        place.receive(account).await;
        place.receive(account).await;
    }
    let accounts = |found: Vec<portreeve::deliveries::Receipt>| {
        let accounts = found.into_iter().map(|it| it.account.unwrap_or_default());
        let mut accounts: Vec<_> = accounts.collect();
        accounts.sort();
        accounts.join(" ")
    };
    let found = queue.unmatched(4, &[]).await.unwrap();
    assert_eq!(accounts(found), " alice mallory zoe");
    // Fewer than there are accounts: the next batch goes on with the others.
    let mut four = String::new();
    for _ in 0..2 {
        four += &accounts(queue.unmatched(2, &[]).await.unwrap());
        four.push(' ');
    }
    assert_eq!(four, " alice mallory zoe ");
    place.receive("bob").await;
    let found = queue.unmatched(64, &[Some("mallory".into())]).await.unwrap();
    assert_eq!(accounts(found), "bob");
    let mallory = [Some("mallory".into()), Some("nobody".into())];
    assert_eq!(queue.unmatched_of(8, &mallory).await.unwrap().len(), 8);
    let found = queue.unmatched(64, &mallory).await.unwrap();
    assert_eq!(found, []);
    // None is forgotten.
    let mut rest = 0;
    loop {
        match queue.unmatched(64, &[]).await.unwrap().len() {
            0 => break,
            some => rest += some,
        }
    }
    assert_eq!(rest, 190);
}

/// Each of their receipts is as much work as many of hers.
async fn an_account_with_one_target_does_not_wait_for_all_targets_of_others(place: Place) {
    let queue = place.queue();
    place.target("alice").await;
    for number in 0..40 {
        let account = format!("mallory{number}");
        for _ in 0..30 {
            place.target(&account).await;
        }
        for _ in 0..20 {
            place.receive(&account).await;
        }
    }
    for _ in 0..20 {
        place.receive("alice").await;
    }
    let (mut of_alice, mut batches, mut others) = (0, 0, 0);
    while of_alice < 20 {
        let found = queue.unmatched(32, &[]).await.unwrap();
        let hers = found.iter().filter(|it| it.account.as_deref() == Some("alice"));
        let hers = hers.count();
        of_alice += hers;
        others += found.len() - hers;
        batches += 1;
    }
    // One by one they would be 26.
    assert!(batches <= 5, "{batches}");
    // Nor do they wait for her.
    assert!(others >= 40, "{others}");
}

async fn very_many_deliveries_are_made_in_portions(place: Place) {
    let queue = place.queue();
    let mut targets = Vec::new();
    for _ in 0..MAX_TARGETS {
        targets.push(place.target("alice").await);
    }
    let mut wanted = Vec::new();
    for _ in 0..20 {
        wanted.push((place.receive("alice").await.1, targets.clone()));
    }
    queue.fan_out(wanted).await.unwrap();
    assert_eq!(queue.counts().await.unwrap().pending, 2000);
}

/// Each has more than a mebibyte: nothing is left out, and no portion has many.
async fn large_receipts_are_matched_in_portions(place: Place) {
    let mut expected = Vec::new();
    for _ in 0..10 {
        let large = NewReceipt { sealed: vec![7; 1_050_000].into(), ..receipt("alice") };
        expected.push(place.queue().insert(large, MAX).await.unwrap());
    }
    let mut portions = Vec::new();
    loop {
        let portion = place.queue().unmatched(64, &[]).await.unwrap();
        if portion.is_empty() {
            break;
        }
        assert!(portion.iter().all(|it| it.sealed.len() == 1_050_000));
        portions.push(portion.iter().map(|it| it.position).collect::<Vec<_>>());
    }
    assert_eq!(portions.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 2]);
    assert_eq!(portions.concat(), expected);
}

/// One gateway was suspended for longer than its lease, and tells of both attempts at once.
async fn a_stale_end_in_one_batch_with_another_counts_for_nothing(place: Place) {
    let target = place.target("alice").await;
    place.due(&[target]).await;
    let queue = place.queue();
    let stale = queue.claim(64, None).await.unwrap().remove(0);
    place.pass(LEASE + SECOND);
    let fresh = queue.claim(64, None).await.unwrap().remove(0);
    let both = vec![ended(&stale, Outcome::Gone, None), ended(&fresh, Outcome::Delivered, None)];
    let completed = queue.complete(both).await.unwrap();
    assert_eq!(completed, [Completed::Stale, Completed::Done]);
    let found = queue.target(Scope::All, target).await.unwrap().unwrap();
    assert_eq!((found.waiting, found.state), (0, TargetState::Active));
    assert_eq!(found.failing_since, None);
    let found = queue.delivery(Scope::All, fresh.id).await.unwrap().unwrap();
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
    assert_eq!((second.id, second.tries), (first.id, 1));
    let late = one.complete(vec![ended(&first, Outcome::Delivered, None)]);
    assert_eq!(late.await.unwrap(), [Completed::Stale]);
    let found = one.delivery(Scope::All, first.id).await.unwrap().unwrap();
    assert_eq!(found.state, DeliveryState::Waiting);
    let done = other.complete(vec![ended(&second, Outcome::Delivered, None)]);
    assert_eq!(done.await.unwrap(), [Completed::Done]);
    let found = one.delivery(Scope::All, first.id).await.unwrap().unwrap();
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
    assert_eq!(claimed.len() as i64, AT_ONCE);
    // While its attempts fail it has one at once.
    let fail = |it| ended(it, Outcome::TimedOut, Some(600 * SECOND));
    let failed = claimed.iter().map(fail).collect();
    place.queue().complete(failed).await.unwrap();
    let alone = place.queue().claim(64, None).await.unwrap();
    assert_eq!(alone.len(), 1);
    assert!(alone[0].target.failing_since.is_some());
    assert!(place.gateways[2].claim(64, None).await.unwrap().is_empty());
    let done = ended(&alone[0], Outcome::Delivered, None);
    place.queue().complete(vec![done]).await.unwrap();
    assert_eq!(place.queue().claim(64, None).await.unwrap().len() as i64, AT_ONCE);
}

async fn a_target_that_hangs_holds_up_no_other(place: Place) {
    let hanging = place.target("alice").await;
    for _ in 0..300 {
        place.due(&[hanging]).await;
    }
    place.pass(SECOND);
    let mut taken = 0;
    for _ in 0..50 {
        taken += place.queue().claim(64, None).await.unwrap().len();
    }
    assert_eq!(taken as i64, AT_ONCE);
    let other = place.target("alice").await;
    place.due(&[other]).await;
    let claimed = place.queue().claim(1, None).await.unwrap();
    assert_eq!(claimed[0].id.target, other);
}

/// As after an outage, or when they are active again after a pause.
async fn targets_take_turns_however_long_something_waits_for_them(place: Place) {
    let queue = place.queue();
    let mut busy = Vec::new();
    for _ in 0..20 {
        busy.push(place.target("alice").await);
    }
    for _ in 0..6 {
        place.due(&busy).await;
    }
    place.pass(3600 * SECOND);
    let mut claimed = queue.claim(64, None).await.unwrap();
    claimed.extend(queue.claim(64, None).await.unwrap());
    assert_eq!(claimed.len(), 80);
    let idle = place.target("alice").await;
    place.due(&[idle]).await;
    place.pass(SECOND);
    let done = claimed.iter().map(|it| ended(it, Outcome::Delivered, None));
    queue.complete(done.collect()).await.unwrap();
    let next = queue.claim(1, None).await.unwrap();
    assert_eq!(next[0].id.target, idle);
    // The others have what is left, the oldest first.
    let rest = queue.claim(64, None).await.unwrap();
    assert_eq!(rest.len(), 40);
    let oldest = claimed.iter().map(|it| it.position).max();
    assert!(rest.iter().all(|it| Some(it.position) > oldest));
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
        turns.push(claimed[0].id.target);
    }
    assert_eq!(turns, [first, first, first, first, second]);
}

async fn three_gateways_share_what_is_due(place: Place) {
    let mut targets = Vec::new();
    for _ in 0..60 {
        targets.push(place.target("alice").await);
    }
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
                let done = claimed.iter().map(|it| ended(it, Outcome::Delivered, None));
                let done = queue.complete(done.collect()).await.unwrap();
                assert!(done.iter().all(|it| *it == Completed::Done));
                sent.extend(claimed.into_iter().map(|it| it.id));
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
        let failed = ended(&claimed[0], Outcome::Rejected, Some(SECOND));
        queue.complete(vec![failed]).await.unwrap();
        place.pass(2 * SECOND);
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
    assert_eq!(queue.unmatched(10, &[]).await.unwrap(), []);
    assert_eq!(queue.counts().await.unwrap().pending, 1);
    let events = queue.events(Scope::Account("alice"), old - 1, 10).await.unwrap();
    assert!(events.is_gap);
    assert_eq!((events.receipts.len(), events.through.position), (1, new));
    let events = queue.events(Scope::Account("alice"), new, 10).await.unwrap();
    assert!(!events.is_gap && events.receipts.is_empty());
    assert_eq!(events.through.position, new);
    let claimed = queue.claim(64, None).await.unwrap();
    assert_eq!(claimed.iter().map(|it| it.position).collect::<Vec<_>>(), [new]);
    // Removed while an attempt is under way.
    place.pass(60 * SECOND);
    assert_eq!(queue.clean(30 * SECOND).await.unwrap(), 1);
    let late = queue.complete(vec![ended(&claimed[0], Outcome::Delivered, None)]);
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
    let left = place.queue().events(Scope::All, 0, 300).await.unwrap();
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

async fn a_target_that_is_gone_or_fails_for_days_is_disabled(place: Place) {
    let queue = place.queue();
    let (gone, failing) = (place.target("alice").await, place.target("alice").await);
    place.due(&[gone, failing]).await;
    let claimed = queue.claim(64, None).await.unwrap();
    let done = claimed.iter().map(|it| match it.id.target == gone {
        true => ended(it, Outcome::Gone, None),
        false => ended(it, Outcome::Unreachable, Some(SECOND)),
    });
    let done = queue.complete(done.collect()).await.unwrap();
    assert_eq!(done.iter().filter(|it| **it == Completed::Disabled).count(), 1);
    let state = async |id| queue.target(Scope::All, id).await.unwrap().unwrap().state;
    assert_eq!(state(gone).await, TargetState::Disabled);
    assert_eq!(state(failing).await, TargetState::Active);
    let done = async || {
        let claimed = queue.claim(64, None).await.unwrap();
        let failed = ended(&claimed[0], Outcome::Unreachable, Some(SECOND));
        queue.complete(vec![failed]).await.unwrap()
    };
    place.pass(DISABLE_AFTER - 48 * 3600 * SECOND);
    for _ in 0..2 {
        assert_eq!(done().await, [Completed::Done]);
        place.pass(24 * 3600 * SECOND);
    }
    assert_eq!(done().await, [Completed::Disabled]);
    place.pass(60 * SECOND);
    assert!(queue.claim(64, None).await.unwrap().is_empty());
    // Nothing more for it.
    place.due(&[failing]).await;
    assert_eq!(queue.target(Scope::All, failing).await.unwrap().unwrap().waiting, 1);
    // What waited goes on when it is active again.
    let sealed = Box::from([9; 50]);
    let scope = Scope::Account("alice");
    let changed = queue.change_target(scope, failing, (2, TargetState::Active), sealed, None);
    assert!(changed.await.unwrap());
    let claimed = queue.claim(64, None).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(&*claimed[0].target.sealed, [9; 50]);
    assert_eq!(claimed[0].target.failing_since, None);
}

async fn a_paused_target_gets_afterwards_what_arrived_meanwhile(place: Place) {
    let (queue, scope) = (place.queue(), Scope::Account("alice"));
    let id = place.target("alice").await;
    let sealed = || Box::from([9; 50]);
    let paused = queue.change_target(scope, id, (1, TargetState::Paused), sealed(), None);
    assert!(paused.await.unwrap());
    place.due(&[id]).await;
    assert!(queue.claim(64, None).await.unwrap().is_empty());
    let active = queue.change_target(scope, id, (2, TargetState::Active), sealed(), None);
    assert!(active.await.unwrap());
    assert_eq!(queue.claim(64, None).await.unwrap().len(), 1);
    assert!(queue.remove_target(scope, id).await.unwrap());
    assert!(!queue.remove_target(scope, id).await.unwrap());
    assert_eq!(queue.target(scope, id).await.unwrap(), None);
    // Its deliveries go in portions, then the target.
    while queue.clean(60 * SECOND).await.unwrap() > 0 {}
    assert_eq!(queue.counts().await.unwrap().pending, 0);
}

async fn a_delivery_is_retried_and_failed_ones_are_replayed(place: Place) {
    let (queue, scope) = (place.queue(), Scope::Account("alice"));
    let id = place.target("alice").await;
    for number in 0..9 {
        place.due(&[id]).await;
        let claimed = queue.claim(64, None).await.unwrap();
        let outcome = match number % 3 {
            0 => Outcome::Delivered,
            _ => Outcome::Rejected,
        };
        queue.complete(vec![ended(&claimed[0], outcome, None)]).await.unwrap();
    }
    let of_state = async |state| {
        let found = queue.deliveries(scope, id, state, None, 300).await.unwrap();
        found.unwrap()
    };
    assert_eq!(of_state(Some(DeliveryState::Failed)).await.len(), 6);
    assert_eq!(of_state(Some(DeliveryState::Waiting)).await.len(), 0);
    let all = of_state(None).await;
    assert_eq!(all.len(), 9);
    assert!(all.is_sorted_by(|one, next| one.position > next.position));
    // By pages.
    let page = queue.deliveries(scope, id, None, Some(all[3].position), 2).await;
    assert_eq!(page.unwrap().unwrap(), all[4..6]);
    let delivered = of_state(Some(DeliveryState::Delivered)).await;
    let retried = async |id| queue.retry(scope, id).await.unwrap().unwrap();
    assert_eq!(retried(delivered[0].id).await, Retried::Delivered);
    assert!(queue.claim(64, None).await.unwrap().is_empty());
    let failed = of_state(Some(DeliveryState::Failed)).await[0].id;
    assert_eq!(retried(failed).await, Retried::Due);
    let again = queue.claim(64, None).await.unwrap();
    assert_eq!((again[0].id, again[0].tries), (failed, 1));
    // Under way: it stays claimed.
    assert_eq!(retried(failed).await, Retried::UnderWay);
    assert!(queue.claim(64, None).await.unwrap().is_empty());
    let found = queue.delivery(scope, failed).await.unwrap().unwrap();
    assert_eq!((found.state, found.due_at), (DeliveryState::Waiting, None));
    // Its gateway was killed: when the lease has run out, nothing is under way.
    place.pass(LEASE + SECOND);
    assert_eq!(retried(failed).await, Retried::Due);
    let second = queue.claim(64, None).await.unwrap();
    assert_eq!((second[0].id, second[0].tries), (failed, 1));
    let late = queue.complete(vec![ended(&again[0], Outcome::Delivered, None)]);
    assert_eq!(late.await.unwrap(), [Completed::Stale]);
    let again = second;
    queue.complete(vec![ended(&again[0], Outcome::Rejected, None)]).await.unwrap();
    let target = queue.target(scope, id).await.unwrap().unwrap();
    let later = SystemTime::now() + 3600 * SECOND;
    let began = SystemTime::UNIX_EPOCH;
    let replayable = async |since, until, all, after, limit| {
        let looking = queue.replayable(&target, since, until, all, after, limit);
        let (found, next) = looking.await.unwrap();
        let found: Vec<_> = found.into_iter().map(|it| it.0).collect();
        (found, next)
    };
    assert_eq!(replayable(later, None, true, 0, 500).await, (vec![], None));
    assert_eq!(replayable(began, Some(began), true, 0, 500).await, (vec![], None));
    let (failed, next) = replayable(began, Some(later), false, 0, 4).await;
    assert_eq!((failed.len(), next), (4, Some(failed[3])));
    let (rest, next) = replayable(began, Some(later), false, failed[3], 4).await;
    assert_eq!((rest.len(), next), (2, None));
    let failed = [failed, rest].concat();
    assert_eq!(queue.replay(scope, id, failed, false).await.unwrap(), Some(6));
    // Those that have arrived, and one that came before the target was made.
    let (new, position) = (place.target("alice").await, delivered[0].position);
    let (all, _) = replayable(began, None, true, 0, 500).await;
    assert_eq!(queue.replay(scope, id, all.clone(), false).await.unwrap(), Some(0));
    assert_eq!(queue.replay(scope, id, all, true).await.unwrap(), Some(3));
    for due in [1, 0] {
        let replayed = queue.replay(scope, new, vec![position], true).await;
        assert_eq!(replayed.unwrap(), Some(due));
    }
    assert_eq!(queue.counts().await.unwrap().pending, 10);
    assert_eq!(of_state(Some(DeliveryState::Waiting)).await.len(), 9);
}

async fn an_account_has_a_limited_number_of_targets(place: Place) {
    for _ in 0..MAX_TARGETS {
        place.target("alice").await;
    }
    let one_more = place.queue().add_target(target("alice")).await;
    assert!(matches!(one_more, Err(QueueError::TooManyTargets)));
    place.target("bob").await;
    let all = place.queue().targets(Scope::All, None, 1000).await.unwrap();
    assert_eq!(all.len(), 101);
    let page = place.queue().targets(Scope::All, Some(all[9].id), 5).await;
    assert_eq!(page.unwrap(), all[10..15]);
}

async fn a_change_of_a_target_replaces_no_other_change(place: Place) {
    let (queue, scope) = (place.queue(), Scope::Account("alice"));
    let id = place.target("alice").await;
    let change = |revision| {
        queue.change_target(scope, id, (revision, TargetState::Active), Box::from([1; 40]), None)
    };
    assert!(change(1).await.unwrap());
    assert!(!change(1).await.unwrap());
    assert_eq!(queue.target(scope, id).await.unwrap().unwrap().revision, 2);
}

async fn a_change_of_a_target_does_not_undo_that_it_is_disabled(place: Place) {
    let (queue, scope) = (place.queue(), Scope::Account("alice"));
    let id = place.target("alice").await;
    place.due(&[id]).await;
    let read = queue.target(scope, id).await.unwrap().unwrap();
    let claimed = queue.claim(64, None).await.unwrap();
    let gone = ended(&claimed[0], Outcome::Gone, None);
    let done = queue.complete(vec![gone]).await.unwrap();
    assert_eq!(done, [Completed::Disabled]);
    let changed = queue.change_target(scope, id, (read.revision, read.state), read.sealed, None);
    assert!(!changed.await.unwrap());
    let kept = queue.target(scope, id).await.unwrap().unwrap();
    assert_eq!(kept.state, TargetState::Disabled);
    assert!(kept.failing_since.is_some());
}

async fn a_suspended_target_keeps_what_waits_until_it_is_not(place: Place) {
    let queue = place.queue();
    let of_alice = |account: &str| {
        let mut target = target(account);
        target.maker.as_administrator = account != "alice";
        target
    };
    let targets = ["alice", "bob", ""].map(of_alice);
    let [own, bobs, all] = [targets[0].id, targets[1].id, targets[2].id];
    for target in targets {
        queue.add_target(target).await.unwrap();
    }
    place.due(&[own, bobs, all]).await;
    let suspended = queue.maker_left("alice").await.unwrap();
    let mut ids: Vec<_> = suspended.iter().map(|it| it.id).collect();
    ids.sort_unstable();
    let mut others = vec![bobs, all];
    others.sort_unstable();
    assert_eq!(ids, others);
    // Whatever is changed, claimed or comes besides.
    let changed =
        queue.change_target(Scope::All, bobs, (1, TargetState::Active), Box::from([0; 9]), None);
    assert!(changed.await.unwrap());
    place.due(&[own, bobs, all]).await;
    let claimed = queue.claim(64, None).await.unwrap();
    assert_eq!(claimed.iter().map(|it| it.id.target).collect::<Vec<_>>(), [own, own]);
    let counts = queue.counts().await.unwrap();
    assert_eq!((counts.pending, counts.suspended, counts.targets), (2, 2, [1, 0, 0]));
    // A reason that ends while another one holds does not end that.
    for is_unbound in [true, false] {
        assert!(!queue.set_unbound(all, 1, is_unbound).await.unwrap());
    }
    let to_ask = async || queue.makers_to_ask(Duration::from_secs(60)).await.unwrap();
    assert!(to_ask().await.0.is_empty());
    place.pass(Duration::from_secs(61));
    let (makers, asked) = to_ask().await;
    assert_eq!(makers, ["alice".into()]);
    assert!(to_ask().await.0.is_empty());
    // She leaves before the server answers that she is one.
    assert!(queue.maker_left("alice").await.unwrap().is_empty());
    let confirmed = queue.confirm_maker("alice", true, asked).await.unwrap();
    assert!(confirmed.is_empty());
    place.pass(Duration::from_secs(61));
    let (_, asked) = to_ask().await;
    let confirmed = queue.confirm_maker("alice", true, asked).await.unwrap();
    assert_eq!(confirmed.len(), 2);
    assert_eq!(queue.administrators().await.unwrap(), [("alice".into(), "".into())]);
    let claimed = queue.claim(64, None).await.unwrap();
    let of_others = claimed.iter().filter(|it| it.id.target != own);
    assert_eq!(of_others.count(), 4);
    // One that was adopted meanwhile is not what was looked at.
    let person = Maker { is_bound: true, ..Maker::of("bob") };
    let sealed = Box::from([0; 9]);
    let adopted =
        queue.change_target(Scope::All, bobs, (2, TargetState::Active), sealed, Some(&person));
    assert!(adopted.await.unwrap());
    assert!(!queue.set_unbound(bobs, 2, true).await.unwrap());
    let bound = queue.bound_targets(None).await.unwrap();
    assert_eq!((bound.len(), &*bound[0].maker.account), (1, "bob"));
    assert!(queue.set_unbound(bobs, 3, true).await.unwrap());
    assert!(queue.set_unbound(bobs, 3, false).await.unwrap());
    place.pass(Duration::from_secs(60));
    let within = |seconds| queue.suspend_unconfirmed(Duration::from_secs(seconds));
    assert!(within(61).await.unwrap().is_empty());
    assert_eq!(within(60).await.unwrap().len(), 1);
    let somebody =
        Maker { account: "alice".into(), person: Some(PersonId::new("i", "s")), ..person };
    assert!(queue.maker_seen(&somebody, false).await.unwrap().is_empty());
    assert_eq!(queue.maker_seen(&Maker::of("alice"), false).await.unwrap().len(), 1);
}

async fn a_position_of_another_database_is_a_gap(place: Place) {
    let (_, first) = place.receive("alice").await;
    for scope in [Scope::All, Scope::Account("alice"), Scope::Account("bob")] {
        let events = place.queue().events(scope, first + 1000, 10).await.unwrap();
        assert!(events.is_gap);
        assert_eq!(events.through.position, first);
        assert_eq!(events.receipts.is_empty(), scope == Scope::Account("bob"));
    }
}

async fn whose_receipts_have_arrived_is_known_for_all_accounts(place: Place) {
    let arrivals = async |after| place.queue().arrivals(after).await.unwrap();
    let nothing = arrivals(i64::MAX).await;
    assert_eq!((nothing.receipts, nothing.through), (vec![], 0));
    let (_, first) = place.receive("alice").await;
    let (_, second) = place.receive("bob").await;
    let since_first = arrivals(first).await;
    assert_eq!(since_first.receipts, [(second, Some("bob".into()))]);
    for after in [first, second, second + 1000, i64::MAX] {
        assert_eq!(arrivals(after).await.through, second);
    }
    assert_eq!(arrivals(second).await.receipts, []);
    for _ in 0..MAX_PAGE {
        place.receive("carol").await;
    }
    let page = arrivals(first).await;
    assert_eq!(page.receipts.len(), MAX_PAGE);
    assert_eq!(page.through, page.receipts[MAX_PAGE - 1].0);
    assert_eq!(arrivals(page.through).await.receipts.len(), 1);
    // The newest that there has been counts, although it is gone.
    let newest = arrivals(i64::MAX).await.through;
    place.pass(60 * SECOND);
    while place.queue().clean(30 * SECOND).await.unwrap() > 0 {}
    let gone = arrivals(first).await;
    assert_eq!((gone.receipts, gone.through), (vec![], newest));
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
        let events = queue.events(Scope::Account(account), 0, 300).await;
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
    assert!(claimed.iter().any(|it| it.position == waits));
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
    claimed.sort_by_key(|it| it.position);
    // The fourth is under way.
    let outcomes = [Outcome::Rejected, Outcome::Delivered, Outcome::Rejected];
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
    let done = vec![ended(&claimed[3], Outcome::Delivered, None)];
    assert_eq!(queue.complete(done).await.unwrap(), [Completed::Done]);
}

/// Its rows are no account's receipts.
async fn a_target_of_all_accounts_gives_up_what_waits_for_it(place: Place) {
    let queue = place.queue();
    let mut all = Vec::new();
    for _ in 0..20 {
        all.push(place.target("").await);
    }
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
        let events = queue.events(Scope::Account(&account), 0, 300).await.unwrap();
        assert!(!events.is_gap && events.receipts.len() == 1);
    }
}

async fn a_receipt_that_the_database_cannot_store_fails_alone(place: Place) {
    let inserting = (0..20).map(|number| {
        let queue = place.queue().clone();
        let receipt = NewReceipt {
            // PostgreSQL keeps no NUL in a text.
            class: if number == 7 { "a\0b" } else { "a" }.into(),
            ..receipt("alice")
        };
        async move { queue.insert(receipt, MAX).await.is_ok() }
    });
    let inserted = futures_util::future::join_all(inserting).await;
    let stored = inserted.iter().filter(|is_stored| **is_stored).count();
    assert!(stored >= 19, "{inserted:?}");
    assert_eq!(place.queue().counts().await.unwrap().receipts, stored as u64);
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

fn places(all: usize, failing: usize) -> Places {
    Places { all: Shares::new(all), failing: Shares::new(failing) }
}

/// However many targets an account has, and however long something has been due for them.
async fn accounts_take_turns(place: Place) {
    let queue = place.queue();
    let mut busy = Vec::new();
    for account in ["mallory", "mallet"] {
        for _ in 0..MAX_TARGETS {
            busy.push(place.target(account).await);
        }
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
        let is_one = claimed.iter().filter(|it| it.id.target == one);
        assert_eq!(is_one.count(), 1);
    }
}

async fn an_account_has_no_more_than_its_share_of_the_places(place: Place) {
    let queue = place.queue();
    let (mut of_mallory, mut places) = (Vec::new(), places(20, 20));
    for _ in 0..10 {
        of_mallory.push(place.target("mallory").await);
    }
    for _ in 0..4 {
        place.due(&of_mallory).await;
    }
    // It may have half of those that are for everybody, also if it makes its targets anew.
    let claimed = queue.claim(64, Some(places.clone())).await.unwrap();
    assert_eq!(claimed.len(), 5);
    claimed.iter().for_each(|it| places.take(&it.target));
    for target in of_mallory {
        let scope = Scope::Account("mallory");
        assert!(queue.remove_target(scope, target).await.unwrap());
    }
    let again = place.target("mallory").await;
    place.due(&[again]).await;
    assert!(queue.claim(64, Some(places.clone())).await.unwrap().is_empty());
    let mut of_alice = Vec::new();
    for _ in 0..10 {
        of_alice.push(place.target("alice").await);
    }
    place.due(&of_alice).await;
    let alone = queue.claim(64, Some(places.clone())).await.unwrap();
    assert!(alone.iter().all(|it| of_alice.contains(&it.id.target)));
    assert_eq!(alone.len(), 3);
    alone.iter().for_each(|it| places.take(&it.target));
    claimed.iter().for_each(|it| places.give_back(&it.target));
    let claimed = queue.claim(64, Some(places.clone())).await.unwrap();
    assert!(claimed.iter().any(|it| it.id.target == again));
    assert_eq!(claimed.len(), 3);
}

/// More accounts than are looked at in one transaction have nothing else.
async fn targets_that_fail_have_a_part_of_the_places(place: Place) {
    let queue = place.queue();
    let mut failing = Vec::new();
    for number in 0..70 {
        failing.push(place.target(&format!("user{number}")).await);
    }
    place.due(&failing).await;
    place.due(&failing).await;
    for _ in 0..2 {
        let claimed = queue.claim(64, None).await.unwrap();
        let failed = claimed.iter().filter(|it| it.tries == 1);
        let failed = failed.map(|it| ended(it, Outcome::TimedOut, Some(2 * SECOND)));
        queue.complete(failed.collect()).await.unwrap();
    }
    place.pass(3 * SECOND);
    let other = place.target("alice").await;
    place.due(&[other]).await;
    let claimed = queue.claim(1, Some(places(100, 0))).await.unwrap();
    assert_eq!((claimed.len(), claimed[0].id.target), (1, other));
    let mut places = places(100, 3);
    let claimed = queue.claim(64, Some(places.clone())).await.unwrap();
    assert_eq!(claimed.len(), 3);
    claimed.iter().for_each(|it| places.take(&it.target));
    assert!(queue.claim(64, Some(places)).await.unwrap().is_empty());
}

async fn everything_is_copied_to_another_database(place: Place) {
    let (one, paused) = (place.target("alice").await, place.target("bob").await);
    for _ in 0..5 {
        place.due(&[one, paused]).await;
    }
    let claimed = place.queue().claim(64, None).await.unwrap();
    let outcomes = [Outcome::Delivered, Outcome::Rejected].into_iter().cycle();
    let done = claimed.iter().zip(outcomes);
    let done = done.map(|(it, outcome)| ended(it, outcome, None));
    place.queue().complete(done.collect()).await.unwrap();
    let (unmatched, _) = place.receive("alice").await;
    let other = Place::sqlite().await.unwrap();
    assert_eq!(place.copy_to(&other).await.unwrap(), 6);
    let all = async |place: &Place| {
        let queue = place.queue();
        let mut deliveries = Vec::new();
        for target in [one, paused] {
            let of_target = queue.deliveries(Scope::All, target, None, None, 300).await;
            deliveries.push(of_target.unwrap().unwrap());
        }
        (
            queue.counts().await.unwrap(),
            queue.targets(Scope::All, None, 300).await.unwrap(),
            queue.events(Scope::All, 0, 300).await.unwrap(),
            deliveries,
        )
    };
    assert_eq!(all(&other).await, all(&place).await);
    let failed = claimed.last().unwrap().id;
    let retried = other.queue().retry(Scope::All, failed).await.unwrap();
    assert_eq!(retried, Some(Retried::Due));
    assert!(!other.queue().claim(64, None).await.unwrap().is_empty());
    assert_eq!(other.queue().unmatched(10, &[]).await.unwrap()[0].id, unmatched);
    // What comes now comes after it.
    let last = place.receive("alice").await.1;
    assert_eq!(other.receive("alice").await.1, last);
    let again = place.copy_to(&other).await;
    assert!(matches!(again, Err(CopyError::NotEmpty(..))), "{again:?}");
}

/// What an interrupted copy has left is completed, whatever it is.
async fn a_copy_that_was_interrupted_is_completed(place: Place) {
    let target = place.target("alice").await;
    for _ in 0..5 {
        place.due(&[target]).await;
    }
    let other = Place::sqlite().await.unwrap();
    place.copy_to(&other).await.unwrap();
    let file = other._kept.as_ref().unwrap().path().join("deliveries.db");
    let lost =
        "DELETE FROM receipt_total; DELETE FROM delivery; DELETE FROM receipt WHERE position > 2";
    let database = rusqlite::Connection::open(file).unwrap();
    for lost in [lost, ""] {
        database.execute_batch(lost).unwrap();
        assert_eq!(place.copy_to(&other).await.unwrap(), 5);
        let events = async |place: &Place| place.queue().events(Scope::All, 0, 300).await.unwrap();
        assert_eq!(events(&other).await, events(&place).await);
        assert_eq!(other.queue().counts().await.unwrap(), place.queue().counts().await.unwrap());
    }
    other.receive("alice").await;
    let copied = place.copy_to(&other).await;
    assert!(matches!(copied, Err(CopyError::NotEmpty(..))), "{copied:?}");
}

async fn targets_are_sealed_anew_when_the_key_is_rotated(place: Place) {
    let (with, settings) = (|keys: &[&str]| sealing(place.queue(), keys), settings());
    let target = with(&[OLD]).add_target(Some("alice"), &settings, Maker::of("alice")).await;
    let target = target.unwrap();
    let id = target.id;
    let report = with(&[NEW, OLD]).rotate_keys().await.unwrap();
    assert_eq!((report.resealed, report.up_to_date, report.unopened), (1, 0, 0));
    let report = with(&[NEW, OLD]).rotate_keys().await.unwrap();
    assert_eq!((report.resealed, report.up_to_date), (0, 1));
    let stored = place.queue().target(Scope::All, id).await.unwrap().unwrap();
    assert_eq!((stored.revision, stored.created_at), (2, target.created_at));
    let target = with(&[NEW]).open_target(&stored).await.unwrap();
    assert_eq!(target.uri, settings.uri);
    // Moved to another account it does not open.
    let moved = portreeve::deliveries::Target { account: Some("bob".into()), ..stored };
    assert!(with(&[NEW]).open_target(&moved).await.is_err());
    assert_eq!(with(&[OLD]).rotate_keys().await.unwrap().unopened, 1);
}

/// Those sealed with a key that was taken away before they are stored: nothing is kept of them, and nothing else with them.
async fn what_a_pruned_key_sealed_is_refused(place: Place) {
    let vault = |keys: &[&str]| {
        let keyring = Keyring::from_base64_keys(keys.iter().copied()).unwrap();
        Vault::on(keyring, place.store.clone())
    };
    let deliveries =
        |keys: &[&str]| Deliveries::new(vault(keys), place.queue().clone(), Limits::default());
    let event = |body: &str| Incoming {
        account: Some("alice".into()),
        class: "C".into(),
        body: body.as_bytes().to_vec(),
    };
    deliveries(&[OLD]).receive(event("{}")).await.unwrap();
    let (elsewhere, settings) = (sealing(place.queue(), &[OLD]), settings());
    let target = elsewhere.add_target(Some("alice"), &settings, Maker::of("alice")).await.unwrap();
    let both = vault(&[NEW, OLD]);
    both.rotate_keys().await.unwrap();
    let id = Keyring::from_base64_keys([OLD]).unwrap().first_key();
    let row = place.store.get(Table::SealingKey, &id.to_string()).await.unwrap().unwrap();
    let aged = Row { since: row.since.map(|since| since - 600_000), ..Row::clone(&row) };
    let change = Change::replace(Table::SealingKey, row, aged);
    place.store.commit("age it", vec![change]).await.unwrap();
    let taking = deliveries(&[NEW, OLD]);
    assert_eq!(taking.take_keys_away().await.unwrap(), [id]);

    let refused = elsewhere.receive(event("{}")).await.unwrap_err();
    assert!(refused.to_string().contains("has been pruned"), "{refused}");
    elsewhere.add_target(Some("alice"), &settings, Maker::of("alice")).await.unwrap_err();
    let changed = elsewhere.change_target(Scope::All, &target, &settings, None).await;
    changed.unwrap_err();
    let events = place.queue().events(Scope::Account("alice"), 0, 10).await;
    assert_eq!(events.unwrap().receipts.len(), 1);
    deliveries(&[NEW, OLD]).receive(event("{}")).await.unwrap();
    deliveries(&[NEW]).add_target(Some("alice"), &settings, Maker::of("alice")).await.unwrap();

    // Once all that it sealed has gone, its total alone is left, and is copied.
    let removed = place.queue().remove_target(Scope::All, target.id).await;
    assert!(removed.unwrap());
    while place.queue().clean(Duration::ZERO).await.unwrap() > 0 {}
    let other = Place::sqlite().await.unwrap();
    assert_eq!(place.copy_to(&other).await.unwrap(), 0);
}

/// Another gateway, which does not have the new key yet, changes the last one while the others are sealed anew.
async fn a_target_that_is_changed_during_the_rotation_is_sealed_anew(place: Place) {
    let (old, queue) = (sealing(place.queue(), &[OLD]), place.queue());
    let mut targets = Vec::new();
    // So many that the change comes before the last one has its turn, however busy the machine is.
    for number in 0..1000 {
        let account = format!("user{}", number % 10);
        let added = old.add_target(Some(&account), &settings(), Maker::of(&account)).await;
        targets.push(added.unwrap());
    }
    targets.sort_by_key(|it| it.id);
    let (first, last) = (&targets[0], &targets[999]);
    let rotating = sealing(&place.gateways[1], &[NEW, OLD]);
    let rotating = tokio::spawn(async move { rotating.rotate_keys().await.unwrap() });
    while queue.target(Scope::All, first.id).await.unwrap().unwrap().revision == 1 {
        tokio::task::yield_now().await;
    }
    let changed = TargetSettings { uri: "https://example.org/other".into(), ..settings() };
    assert!(old.change_target(Scope::All, last, &changed, None).await.unwrap());
    let report = rotating.await.unwrap();
    assert_eq!((report.resealed, report.up_to_date), (1000, 0));
    let stored = queue.target(Scope::All, last.id).await.unwrap().unwrap();
    let opened = sealing(queue, &[NEW]).open_target(&stored).await.unwrap();
    assert_eq!(opened.uri, changed.uri);
}

const OLD: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
const NEW: &str = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";

fn sealing(queue: &Queue, keys: &[&str]) -> Deliveries {
    let keyring = Keyring::from_base64_keys(keys.iter().copied()).unwrap();
    let vault = Vault::new(keyring, MemoryStore::new());
    Deliveries::new(vault, queue.clone(), Limits::default())
}

fn settings() -> TargetSettings {
    TargetSettings {
        uri: "https://example.org/hook".into(),
        events: Vec::new(),
        filter: None,
        secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned().into(),
        previous: Vec::new(),
        person: None,
        headers: Vec::new(),
    }
}
