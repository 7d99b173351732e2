use std::pin::{Pin, pin};

use futures_util::FutureExt as _;

use super::*;

/// Whether it has come by now.
fn has_come<T>(turn: &mut Pin<&mut impl Future<Output = T>>) -> Option<T> {
    turn.as_mut().now_or_never()
}

#[test]
fn whoever_has_fewer_calls_under_way_reads_first() {
    let turns = Turns::new();
    let _many: Vec<_> = (0..8).map(|_| turns.call("mallory")).collect();
    let _one = turns.call("alice");
    let mut reading: Vec<_> =
        (0..AT_ONCE).map(|_| turns.take("mallory").now_or_never().unwrap()).collect();

    let mut others = [pin!(turns.take("mallory")), pin!(turns.take("mallory"))];
    assert!(others.iter_mut().all(|it| has_come(it).is_none()));
    let mut gone = Box::pin(turns.take("alice"));
    let mut alice = pin!(turns.take("alice"));
    assert!(gone.as_mut().now_or_never().is_none() && has_come(&mut alice).is_none());
    // It had been its turn.
    drop(gone);
    drop(reading.pop());
    assert!(others.iter_mut().all(|it| has_come(it).is_none()));
    drop(has_come(&mut alice).unwrap());
    // Then in the order in which they came.
    let first = has_come(&mut others[0]).unwrap();
    assert!(has_come(&mut others[1]).is_none());
    drop(first);
    drop(has_come(&mut others[1]).unwrap());
    drop(reading);

    let line = turns.0.lock();
    assert_eq!((line.free, line.waiting.len()), (AT_ONCE, 0));
}

#[test]
fn a_turn_that_was_given_to_somebody_who_has_left_goes_on() {
    let turns = Turns::new();
    let mut reading: Vec<_> =
        (0..AT_ONCE).map(|_| turns.take("mallory").now_or_never().unwrap()).collect();
    let mut left = Box::pin(turns.take("bob"));
    let mut alice = pin!(turns.take("alice"));
    assert!(left.as_mut().now_or_never().is_none() && has_come(&mut alice).is_none());
    // It is given, but not taken any more.
    drop(reading.pop());
    drop(left);
    drop(has_come(&mut alice).unwrap());
    drop(reading);
    assert_eq!(turns.0.lock().free, AT_ONCE);
}

/// Others always have fewer calls under way than bob, and one of them always waits.
#[test]
fn nobody_waits_for_ever() {
    let turns = Turns::new();
    let _bob = [turns.call("bob"), turns.call("bob")];
    let _others = ["a", "b", "c", "d"].map(|other| turns.call(other));
    let take = |account: &'static str| {
        let turns = turns.clone();
        Box::pin(async move { turns.take(account).await })
    };
    let mut reading: Vec<_> = ["a", "b"].map(|it| take(it).now_or_never().unwrap()).into();
    let mut waiting = [take("bob"), take("c"), take("d")];
    assert!(waiting.iter_mut().all(|it| it.as_mut().now_or_never().is_none()));
    for given in 1.. {
        assert!(given <= ONE_OF, "bob waits still");
        drop(reading.remove(0));
        let come = waiting.iter_mut().map(|it| it.as_mut().now_or_never());
        let (at, turn) =
            come.enumerate().find_map(|(at, turn)| Some((at, turn?))).expect("it is given");
        reading.push(turn);
        if at == 0 {
            break;
        }
        // Whoever has had a turn asks at once for another.
        waiting[at] = take("c");
        assert!(waiting[at].as_mut().now_or_never().is_none());
    }
}
