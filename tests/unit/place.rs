use std::sync::Barrier;

use super::*;
use crate::deliveries::{Maker, Networks, TargetId};

/// Two that come at the same time have one place between them.
#[test]
fn no_two_take_the_last_place() {
    let sender = Sender::with_system_roots(Networks::default());
    let id = TargetId::random().unwrap();
    let target = Arc::new(Target::new(id, Some("alice"), Box::default(), Maker::of("alice")));
    let both = Barrier::new(2);
    let rounds = || {
        let taken = (0..60_000).filter(|_| {
            both.wait();
            let place = sender.try_place(target.clone());
            both.wait();
            place.is_some()
        });
        taken.count()
    };
    let one = || Shares::new(1);
    *sender.places.lock() = Places { all: one(), failing: one() };
    let taken = std::thread::scope(|scope| {
        let other = scope.spawn(rounds);
        rounds() + other.join().unwrap()
    });
    assert_eq!(taken, 60_000);
}
