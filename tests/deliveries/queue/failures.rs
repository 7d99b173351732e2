//! What counts as a failure, of an attempt and of a target, and what follows from it.

use std::time::Duration;

use portreeve::deliveries::queue::LEASE;
use portreeve::deliveries::{
    AttemptOutcome, Completed, DeliveryState, Scope, Target, TargetId, TargetState,
};

use super::{Halves as _, Place, ended, for_each_store};

for_each_store! {
    what_is_not_noted_costs_no_step,
    a_paused_or_idle_target_is_not_disabled_by_one_failure,
    one_that_fails_for_longer_is_asked_less_often,
    five_days_of_failures_disable_a_target,
    a_disabled_target_counts_what_it_misses_and_gets_it_by_a_replay,
    what_waits_for_a_target_that_answers_again_is_due_at_once,
    one_event_that_is_refused_among_others_keeps_its_schedule,
}

const SCOPE: Scope<'_> = Scope::Account("alice");
const DAY: Duration = Duration::from_secs(24 * 3600);
const HOUR: Duration = Duration::from_secs(3600);

impl Place {
    /// Claims what is due, one delivery, and notes how it ended; what its number of tries is and what that led to.
    async fn attempt(&self, outcome: AttemptOutcome, again: Option<Duration>) -> (u32, Completed) {
        let claimed = self.queue().claim(1, None).await.unwrap().remove(0);
        let done = vec![ended(&claimed, outcome, again)];
        (claimed.tries, self.queue().complete(done).await.unwrap()[0])
    }

    async fn fails(&self) -> Completed {
        self.attempt(AttemptOutcome::Rejected, Some(Duration::ZERO)).await.1
    }

    async fn found(&self, target: TargetId) -> Target {
        let found = self.queue().target(SCOPE, target).await;
        found.unwrap().unwrap()
    }

    /// By its owner.
    async fn set(&self, target: TargetId, state: TargetState) {
        let found = self.found(target).await;
        let change = (found.revision, state);
        let changing = self.queue().change_target(SCOPE, target, change, found.sealed, None);
        assert!(changing.await.unwrap());
    }
}

async fn what_is_not_noted_costs_no_step(place: Place) {
    let target = place.target("alice").await;
    place.due(&[target]).await;
    for _ in 0..10 {
        // Whoever claims it is gone before anything is noted.
        let claimed = place.queue().claim(64, None).await.unwrap();
        assert_eq!(claimed[0].tries, 1);
        place.pass(LEASE);
    }
    // The key is missing, which is no fault of the target.
    let unopened = place.attempt(AttemptOutcome::Unopened, Some(Duration::ZERO));
    assert_eq!(unopened.await, (1, Completed::Done));
    assert_eq!(place.found(target).await.failing_since, None);
    for tries in 1..4 {
        let failed = place.attempt(AttemptOutcome::Rejected, Some(Duration::ZERO));
        assert_eq!(failed.await, (tries, Completed::Done));
    }
}

async fn a_paused_or_idle_target_is_not_disabled_by_one_failure(place: Place) {
    let (active, paused) = (TargetState::Active, TargetState::Paused);
    let target = place.target("alice").await;
    place.due(&[target]).await;
    assert_eq!(place.fails().await, Completed::Done);
    let since = place.found(target).await.failing_since;
    // Idle, and the gateway is stopped: it has not failed on the days before.
    place.pass(6 * DAY);
    assert_eq!(place.fails().await, Completed::Done);
    assert_eq!(place.found(target).await.failing_since, since);
    place.pass(DAY);
    assert_eq!(place.fails().await, Completed::Done);
    // A day without any, and it begins again.
    place.pass(2 * DAY);
    for _ in 0..2 {
        assert_eq!(place.fails().await, Completed::Done);
        place.pass(DAY);
    }
    place.set(target, paused).await;
    assert!(place.found(target).await.failing_since.is_some());
    place.set(target, active).await;
    assert_eq!(place.found(target).await.failing_since, None);
    assert_eq!(place.fails().await, Completed::Done);
    assert_eq!(place.found(target).await.state, active);
}

async fn one_that_fails_for_longer_is_asked_less_often(place: Place) {
    let seconds = Duration::from_secs;
    let target = place.target("alice").await;
    for _ in 0..8 {
        place.due(&[target]).await;
    }
    // What failed is due at once here, and so are the others: it is the target that has to wait.
    let mut failing_for = 0;
    for (more, pause) in [(0, 0), (8, 1000), (8, 2000), (100, 5000), (10_000, 5000)] {
        place.pass(seconds(more));
        assert_eq!(place.fails().await, Completed::Done);
        failing_for += more;
        if pause > 0 {
            // Less than the time that a step here may take on a busy machine.
            place.pass(Duration::from_millis(pause - 500));
            place.due(&[target]).await;
            let claimed = place.queue().claim(64, None).await.unwrap();
            assert!(claimed.is_empty(), "{failing_for} s");
            place.pass(Duration::from_millis(500));
        }
    }
    let answers = place.attempt(AttemptOutcome::Delivered, None);
    assert_eq!(answers.await.1, Completed::Done);
    let claimed = place.queue().claim(64, None).await.unwrap();
    assert!(claimed.len() > 1, "{}", claimed.len());
}

async fn five_days_of_failures_disable_a_target(place: Place) {
    let target = place.target("alice").await;
    place.due(&[target]).await;
    for day in 0..6 {
        let expected = match day {
            5 => Completed::Disabled,
            _ => Completed::Done,
        };
        for hour in [0, 9] {
            assert_eq!(place.fails().await, expected, "day {day}");
            if day == 5 {
                break;
            }
            place.pass((9 + 6 * u32::from(hour == 9)) * HOUR);
        }
    }
    assert_eq!(place.found(target).await.state, TargetState::Disabled);
}

async fn a_disabled_target_counts_what_it_misses_and_gets_it_by_a_replay(place: Place) {
    let (target, other) = (place.target("alice").await, place.target("alice").await);
    place.due(&[target]).await;
    let gone = place.attempt(AttemptOutcome::Gone, None).await;
    assert_eq!(gone.1, Completed::Disabled);
    let mut missed = Vec::new();
    for wanted in [vec![target, other], vec![target], vec![other]] {
        let position = place.due(&wanted).await;
        missed.extend(wanted.contains(&target).then_some(position));
    }
    let found = place.found(target).await;
    assert_eq!((found.missed, found.waiting), (2, 0));
    assert_eq!(place.found(other).await.missed, 0);
    // It is asked what it wants.
    let asked = place.queue().targets_for(Some("alice")).await.unwrap();
    assert!(asked.iter().any(|it| it.id == target));
    place.set(target, TargetState::Active).await;
    assert_eq!(place.found(target).await.missed, 0);
    let replayed = place.queue().replay(SCOPE, target, missed, false);
    assert_eq!(replayed.await.unwrap(), Some(2));
    assert_eq!(place.found(target).await.waiting, 2);
}

async fn what_waits_for_a_target_that_answers_again_is_due_at_once(place: Place) {
    let target = place.target("alice").await;
    // More than are brought forward at once.
    for _ in 0..300 {
        place.due(&[target]).await;
    }
    let failed = place.queue().claim(64, None).await.unwrap();
    assert_eq!(failed.len(), 16);
    let done = failed.iter().map(|it| ended(it, AttemptOutcome::Rejected, Some(20 * HOUR)));
    place.queue().complete(done.collect()).await.unwrap();
    let pause = Duration::from_secs(5);
    for _ in 0..284 {
        place.pass(pause);
        place.attempt(AttemptOutcome::TimedOut, Some(20 * HOUR)).await;
    }
    let clean = async || while place.queue().clean(30 * DAY).await.unwrap() > 0 {};
    clean().await;
    assert!(place.queue().claim(64, None).await.unwrap().is_empty());
    place.due(&[target]).await;
    place.pass(pause);
    place.attempt(AttemptOutcome::Delivered, None).await;
    clean().await;
    for _ in 0..300 {
        place.attempt(AttemptOutcome::Delivered, None).await;
    }
    assert_eq!(place.found(target).await.waiting, 0);
}

async fn one_event_that_is_refused_among_others_keeps_its_schedule(place: Place) {
    let target = place.target("alice").await;
    place.due(&[target]).await;
    place.attempt(AttemptOutcome::Rejected, Some(20 * HOUR)).await;
    place.due(&[target]).await;
    place.attempt(AttemptOutcome::Delivered, None).await;
    while place.queue().clean(30 * DAY).await.unwrap() > 0 {}
    let listed = place.queue().deliveries(SCOPE, target, None, None, 300);
    let listed = listed.await.unwrap().unwrap();
    assert_eq!(listed[1].state, DeliveryState::Waiting);
    assert!(listed[1].due_at.unwrap() > listed[1].received_at + 19 * HOUR);
}
