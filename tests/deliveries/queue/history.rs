//! A random history of receipts, attempts and acknowledgements in simulated time, compared with a model.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use portreeve::deliveries::queue::{LEASE, MAX_CONCURRENT_PER_TARGET};
use portreeve::deliveries::{AttemptOutcome, Claimed, Completed, Scope, TargetId};

use super::{Halves as _, Place, ended, for_each_store};
use crate::support::seed;

for_each_store! {
    a_history_is_that_of_the_model,
}

/// A delivery, as it must be.
#[derive(Debug, Default)]
struct Model {
    is_over: bool,
    /// Those that were noted.
    tries: u32,
    /// When it is due: at the end of its lease, while it is claimed.
    due_at: Duration,
    claim: Option<i64>,
}

async fn a_history_is_that_of_the_model(place: Place) {
    let mut random = seed::rng();
    let targets = place.targets("alice", 5).await;
    let mut now = Duration::ZERO;
    // The real clock runs too.
    let began = Instant::now();
    let mut model: BTreeMap<(i64, TargetId), Model> = BTreeMap::new();
    let mut under_way: Vec<Claimed> = Vec::new();
    let mut step = 0;
    loop {
        step += 1;
        // At first more comes than goes; then all goes.
        let is_ending = step > 400;
        let queue = &place.gateways[random.usize(0..3)];
        match random.u32(0..10) {
            0..3 if !is_ending => {
                let wanted: Vec<_> = targets.iter().copied().filter(|_| random.bool()).collect();
                let position = place.due(&wanted).await;
                for target in wanted {
                    let due = Model { due_at: now, ..Model::default() };
                    assert!(model.insert((position, target), due).is_none());
                }
            }
            0..6 => {
                let claimed = queue.claim(random.usize(1..64), None).await.unwrap();
                for claimed in &claimed {
                    let known =
                        model.get_mut(&(claimed.receipt.position, claimed.target.id)).unwrap();
                    let is_due = known.due_at <= now + began.elapsed();
                    assert!(is_due && !known.is_over, "{known:?} at {now:?}");
                    assert_eq!(claimed.tries, known.tries + 1);
                    known.claim = Some(claimed.claim);
                    known.due_at = now + LEASE;
                }
                for target in &targets {
                    let in_force = model.iter().filter(|(key, it)| {
                        key.1 == *target && it.claim.is_some() && it.due_at > now + began.elapsed()
                    });
                    let runs: BTreeSet<_> = in_force.map(|(_, it)| it.claim).collect();
                    assert!(runs.len() as i64 <= MAX_CONCURRENT_PER_TARGET);
                }
                under_way.extend(claimed);
            }
            6..9 if !under_way.is_empty() => {
                // One that was lost comes back when its lease ends.
                let claimed = match is_ending {
                    true => under_way.pop().expect("there is one"),
                    false => under_way.swap_remove(random.usize(0..under_way.len())),
                };
                if !is_ending && random.u32(0..4) == 0 {
                    continue;
                }
                let again = Duration::from_secs(random.u64(0..300));
                let (outcome, again) = match random.u32(0..3) {
                    0 if !is_ending => (AttemptOutcome::Rejected, Some(again)),
                    1 if !is_ending => (AttemptOutcome::TimedOut, None),
                    _ => (AttemptOutcome::Delivered, None),
                };
                let done = queue.complete(vec![ended(&claimed, outcome, again)]).await.unwrap();
                let known = model.get_mut(&(claimed.receipt.position, claimed.target.id)).unwrap();
                if known.claim != Some(claimed.claim) {
                    assert_eq!(done, [Completed::Stale]);
                    continue;
                }
                assert_eq!(done, [Completed::Done]);
                known.claim = None;
                known.tries += 1;
                known.is_over = again.is_none();
                known.due_at = now + again.unwrap_or_default();
            }
            _ => {
                let time = Duration::from_secs(random.u64(0..100));
                now += time;
                place.pass(time);
            }
        }
        if is_ending && model.values().all(|it| it.is_over) {
            break;
        }
        assert!(step < 20_000, "{} are not over", model.values().filter(|it| !it.is_over).count());
        if step % 50 == 0 {
            let pending = model.values().filter(|it| !it.is_over).count() as u64;
            assert_eq!(queue.counts().await.unwrap().pending, pending);
        }
    }
    assert_eq!(place.queue().counts().await.unwrap().pending, 0);
    for target in targets {
        let kept = place.queue().target(Scope::All, target).await.unwrap().unwrap();
        assert_eq!(kept.waiting, 0);
    }
}
