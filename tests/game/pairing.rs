//! Each answer belongs to one command: an answer carries the `cmd_id` of its command
//! (docs/ARCHITECTURE.md, "The reader").

use portreeve::game::pairing::{Match, Pairing};

#[test]
fn answers_may_come_in_any_order() {
    let mut pairing = Pairing::default();
    let ids: Vec<u64> = (0..100).map(|waiter| pairing.register(waiter)).collect();
    assert_eq!(ids, (0..100).collect::<Vec<_>>());
    for &id in ids.iter().rev() {
        assert_eq!(pairing.take(id), Match::For(id));
    }
    assert!(pairing.is_empty());
}

#[test]
fn unmatched_duplicate_and_forgotten_answers_are_told_apart() {
    let mut pairing = Pairing::default();
    // The id in a server's answer to a command without a `cmd_id`.
    assert_eq!(pairing.take(u64::MAX), Match::<()>::Unmatched);
    let id = pairing.register(());
    assert_eq!(pairing.take(id), Match::For(()));
    assert_eq!(pairing.take(id), Match::Duplicate);
    let id = pairing.register(());
    assert_eq!(pairing.forget(id), Some(()));
    assert_eq!(pairing.take(id), Match::Forgotten);
    assert_eq!(pairing.take(id), Match::Duplicate);
    assert_eq!(pairing.forget(id), None);
}

/// Memory does not grow with the answers; the oldest are forgotten first.
#[test]
fn memory_is_bounded() {
    let mut pairing = Pairing::default();
    for _ in 0..5_000 {
        let id = pairing.register(());
        assert_eq!(pairing.take(id), Match::For(()));
    }
    assert_eq!(pairing.take(4_999), Match::Duplicate);
    assert_eq!(pairing.take(0), Match::Unmatched);
}

/// An id that is assigned again is in flight, whatever happened to its earlier call.
#[test]
fn an_id_can_be_used_again() {
    let mut pairing = Pairing::default();
    assert_eq!(pairing.register('a'), 0);
    assert_eq!(pairing.take(0), Match::For('a'));
    let _ = pairing.drain();
    for first in ['b', 'c'] {
        assert_eq!(pairing.register(first), 0);
        assert_eq!(pairing.take(0), Match::For(first));
        let _ = pairing.drain();
    }
}
