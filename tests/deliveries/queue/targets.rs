//! Targets: their changes and states, and what they get.

use std::time::{Duration, SystemTime};

use portreeve::deliveries::queue::{Accounts, DISABLE_AFTER, LEASE, MAX_TARGETS};
use portreeve::deliveries::{
    AttemptOutcome, Claimed, Completed, DeliveryState, Maker, QueueError, Replay, Retried, Scope,
    Suspension, TargetState,
};
use portreeve::vault::PersonId;

use super::{Halves as _, Place, SECOND, ended, for_each_store, target};

for_each_store! {
    a_target_gets_nothing_that_arrived_before_it_was_made,
    a_target_gets_what_arrives_after_the_clock_was_set_back,
    a_target_that_is_gone_or_fails_for_days_is_disabled,
    a_paused_target_gets_afterwards_what_arrived_meanwhile,
    a_delivery_is_retried_and_failed_ones_are_replayed,
    an_account_has_a_limited_number_of_targets,
    a_change_of_a_target_replaces_no_other_change,
    a_change_of_a_target_does_not_undo_that_it_is_disabled,
    a_suspended_target_keeps_what_waits_until_it_is_not,
    what_somebody_made_who_has_left_is_ended_by_adoption_alone,
    a_receiver_that_is_gone_disables_no_target_that_was_changed_since,
}

async fn a_target_gets_nothing_that_arrived_before_it_was_made(place: Place) {
    let (_, before) = place.receive("alice").await;
    place.pass(SECOND);
    let target = place.target("alice").await;
    let (_, after) = place.receive("alice").await;
    let wanted = [before, after].map(|position| (position, vec![target]));
    place.queue().fan_out(wanted.into()).await.unwrap();
    let claimed = place.queue().claim(64, None).await.unwrap();
    assert_eq!((claimed.len(), claimed[0].receipt.position), (1, after));
    place.pass(LEASE + SECOND);
    assert_eq!(place.queue().lease(10, Accounts::AllBut(&[])).await.unwrap(), []);
}

async fn a_target_gets_what_arrives_after_the_clock_was_set_back(place: Place) {
    place.pass(600 * SECOND);
    let target = place.target("alice").await;
    place.step_back(600 * SECOND);
    let position = place.due(&[target]).await;
    let claimed = place.queue().claim(64, None).await.unwrap();
    assert_eq!((claimed.len(), claimed[0].receipt.position), (1, position));
}

async fn a_target_that_is_gone_or_fails_for_days_is_disabled(place: Place) {
    let queue = place.queue();
    let (gone, failing) = (place.target("alice").await, place.target("alice").await);
    place.due(&[gone, failing]).await;
    let claimed = queue.claim(64, None).await.unwrap();
    let done = claimed.iter().map(|it| match it.target.id == gone {
        true => ended(it, AttemptOutcome::Gone, None),
        false => ended(it, AttemptOutcome::Unreachable, Some(SECOND)),
    });
    let done = queue.complete(done.collect()).await.unwrap();
    assert_eq!(done.iter().filter(|it| **it == Completed::Disabled).count(), 1);
    let state = async |id| queue.target(Scope::All, id).await.unwrap().unwrap().state;
    assert_eq!(state(gone).await, TargetState::Disabled);
    assert_eq!(state(failing).await, TargetState::Active);
    let done = async || {
        let claimed = queue.claim(64, None).await.unwrap();
        let failed = ended(&claimed[0], AttemptOutcome::Unreachable, Some(SECOND));
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
            0 => AttemptOutcome::Delivered,
            _ => AttemptOutcome::Rejected,
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
    assert_eq!((again[0].id(), again[0].tries), (failed, 1));
    // Under way: it stays claimed.
    assert_eq!(retried(failed).await, Retried::UnderWay);
    assert!(queue.claim(64, None).await.unwrap().is_empty());
    let found = queue.delivery(scope, failed).await.unwrap().unwrap();
    assert_eq!((found.state, found.due_at), (DeliveryState::Waiting, None));
    // Its gateway was killed: when the lease has run out, nothing is under way.
    place.pass(LEASE + SECOND);
    assert_eq!(retried(failed).await, Retried::Due);
    let second = queue.claim(64, None).await.unwrap();
    assert_eq!((second[0].id(), second[0].tries), (failed, 1));
    let late = queue.complete(vec![ended(&again[0], AttemptOutcome::Delivered, None)]);
    assert_eq!(late.await.unwrap(), [Completed::Stale]);
    let again = second;
    queue.complete(vec![ended(&again[0], AttemptOutcome::Rejected, None)]).await.unwrap();
    let target = queue.target(scope, id).await.unwrap().unwrap();
    let later = SystemTime::now() + 3600 * SECOND;
    let began = SystemTime::UNIX_EPOCH;
    let replayable = async |since, until, all, after, limit| {
        let looking = queue.replayable(&target, Replay { since, until, all }, after, limit);
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
    place.targets("alice", MAX_TARGETS as usize).await;
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
    let gone = ended(&claimed[0], AttemptOutcome::Gone, None);
    let done = queue.complete(vec![gone]).await.unwrap();
    assert_eq!(done, [Completed::Disabled]);
    let changed = queue.change_target(scope, id, (read.revision, read.state), read.sealed, None);
    assert!(!changed.await.unwrap());
    let kept = queue.target(scope, id).await.unwrap().unwrap();
    assert_eq!(kept.state, TargetState::Disabled);
    assert!(kept.failing_since.is_some());
}

/// Whoever has their account next, what they answer for, and when the server's answer comes.
async fn what_somebody_made_who_has_left_is_ended_by_adoption_alone(place: Place) {
    let queue = place.queue();
    let mut made = target("");
    (made.maker.account, made.maker.as_administrator) = ("boss".into(), true);
    let id = made.id;
    queue.add_target(made.clone()).await.unwrap();
    let to_ask = async || queue.makers_to_ask(Duration::from_secs(60)).await.unwrap();
    place.pass(Duration::from_secs(61));
    let (_, asked) = to_ask().await;
    assert_eq!(queue.maker_left("boss").await.unwrap().len(), 1);
    assert!(queue.maker_left("boss").await.unwrap().is_empty());
    assert_eq!(queue.of_account("boss").await.unwrap().for_others, [id]);
    assert!(queue.confirm_maker("boss", true, asked).await.unwrap().is_empty());
    // The next one to have the account makes a target, too.
    let mut of_next = target("");
    of_next.maker = made.maker.clone();
    queue.add_target(of_next).await.unwrap();
    for _ in 0..3 {
        place.pass(Duration::from_secs(61));
        let (makers, asked) = to_ask().await;
        assert_eq!(makers, ["boss".into()]);
        assert!(queue.confirm_maker("boss", true, asked).await.unwrap().is_empty());
        queue.maker_seen(&made.maker, true).await.unwrap();
        let found = queue.target(Scope::All, id).await.unwrap().unwrap();
        assert_eq!(found.suspended, Some(Suspension::NotAdministrator));
    }
    let active = (1, TargetState::Active);
    let adopting =
        queue.change_target(Scope::All, id, active, Box::from([0; 9]), Some(&made.maker));
    assert!(adopting.await.unwrap());
    place.pass(Duration::from_secs(61));
    let (_, asked) = to_ask().await;
    assert_eq!(queue.confirm_maker("boss", false, asked).await.unwrap().len(), 2);
}

/// Its owner has moved it meanwhile, as one does with a receiver that is gone.
async fn a_receiver_that_is_gone_disables_no_target_that_was_changed_since(place: Place) {
    let (queue, scope) = (place.queue(), Scope::Account("alice"));
    let id = place.target("alice").await;
    place.due(&[id]).await;
    let claimed = queue.claim(64, None).await.unwrap();
    let moving = queue.change_target(scope, id, (1, TargetState::Active), Box::from([1; 40]), None);
    assert!(moving.await.unwrap());
    let gone = |it: &Claimed| vec![ended(it, AttemptOutcome::Gone, None)];
    let done = queue.complete(gone(&claimed[0])).await.unwrap();
    assert_eq!(done, [Completed::Done]);
    let found = queue.target(scope, id).await.unwrap().unwrap();
    assert_eq!((found.state, found.waiting), (TargetState::Active, 1));
    let claimed = queue.claim(64, None).await.unwrap();
    assert_eq!(claimed.len(), 1);
    let done = queue.complete(gone(&claimed[0])).await.unwrap();
    assert_eq!(done, [Completed::Disabled]);
    assert_eq!(queue.counts().await.unwrap().pending, 0);
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
    let to_ask = async || queue.makers_to_ask(Duration::from_secs(60)).await.unwrap();
    place.pass(Duration::from_secs(61));
    let (_, asked) = to_ask().await;
    let suspended = queue.confirm_maker("alice", false, asked).await.unwrap();
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
    assert_eq!(claimed.iter().map(|it| it.target.id).collect::<Vec<_>>(), [own, own]);
    let counts = queue.counts().await.unwrap();
    assert_eq!((counts.pending, counts.suspended, counts.targets), (2, 2, [1, 0, 0]));
    // A reason that ends while another one holds does not end that.
    for is_unbound in [true, false] {
        assert!(!queue.set_unbound(all, 1, is_unbound).await.unwrap());
    }
    assert!(to_ask().await.0.is_empty());
    place.pass(Duration::from_secs(61));
    let (makers, asked) = to_ask().await;
    assert_eq!(makers, ["alice".into()]);
    assert!(to_ask().await.0.is_empty());
    // There is no answer.
    queue.ask_earlier("alice", asked, Duration::from_secs(50)).await.unwrap();
    assert!(queue.confirm_maker("alice", true, asked).await.unwrap().is_empty());
    place.pass(Duration::from_secs(9));
    assert!(to_ask().await.0.is_empty());
    place.pass(Duration::from_secs(1));
    let (_, asked) = to_ask().await;
    let confirmed = queue.confirm_maker("alice", true, asked).await.unwrap();
    assert_eq!(confirmed.len(), 2);
    assert_eq!(queue.administrators().await.unwrap(), [("alice".into(), "".into())]);
    let claimed = queue.claim(64, None).await.unwrap();
    let of_others = claimed.iter().filter(|it| it.target.id != own);
    assert_eq!(of_others.count(), 4);
    // One that was adopted meanwhile is not what was looked at.
    let mut person = Maker::of("bob");
    person.is_bound = true;
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
    let mut somebody = Maker::of("alice");
    (somebody.is_bound, somebody.person) = (true, Some(PersonId::new("i", "s")));
    assert!(queue.maker_seen(&somebody, false).await.unwrap().is_empty());
    assert_eq!(queue.maker_seen(&Maker::of("alice"), false).await.unwrap().len(), 1);
}
