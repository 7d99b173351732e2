//! Reading goes on in a database that has become another one: nothing is passed over in silence.

use portreeve::deliveries::queue::Mark;
use portreeve::deliveries::{Queue, ReceiptId, Scope};

use super::{Place, SECOND, at, for_each_store};

for_each_store! {
    after_a_restore_nothing_is_passed_over_although_positions_are_used_again,
    a_copy_of_what_has_gone_uses_no_position_again,
    somebody_elses_event_that_is_removed_is_no_gap,
    a_database_that_has_begun_anew_has_nothing_that_was_read_before,
    a_copy_begins_where_its_source_did,
}

const SCOPE: Scope<'_> = Scope::Account("alice");

/// What follows, and whether there is a gap.
async fn read(queue: &Queue, after: Mark) -> (Vec<ReceiptId>, bool, Mark) {
    let events = queue.events(SCOPE, after, 300).await.unwrap();
    let ids = events.receipts.iter().map(|it| it.id).collect();
    (ids, events.is_gap, events.through)
}

/// Whoever has read events, also somebody else's, that the database has lost: by the time they come back it has as many
/// events, fewer or more.
async fn after_a_restore_nothing_is_passed_over_although_positions_are_used_again(restored: Place) {
    let lost = Place::sqlite().await.unwrap();
    let (kept, _) = lost.receive("alice").await;
    let unchanged = read(lost.queue(), at(0)).await.2;
    lost.copy_to(&restored).await.unwrap();
    let mut marks = Vec::new();
    for account in ["alice", "bob", "alice"] {
        lost.receive(account).await;
        marks.push(read(lost.queue(), at(0)).await.2);
    }
    let mut expected = vec![kept];
    for _ in 0..5 {
        for mark in &marks {
            let (found, is_gap, through) = read(restored.queue(), *mark).await;
            assert!(is_gap, "{mark:?} of {}", expected.len());
            assert_eq!(found, expected);
            // It is told once.
            assert_eq!(read(restored.queue(), through).await, (vec![], false, through));
        }
        let (found, is_gap, _) = read(restored.queue(), unchanged).await;
        assert_eq!((&found[..], is_gap), (&expected[1..], false));
        expected.push(restored.receive("alice").await.0);
    }
}

async fn a_copy_of_what_has_gone_uses_no_position_again(place: Place) {
    place.receive("alice").await;
    let (_, newest) = place.receive("bob").await;
    let minute = std::time::Duration::from_secs(60);
    place.pass(minute);
    while place.queue().clean(minute / 2).await.unwrap() > 0 {}
    let through = read(place.queue(), at(newest)).await.2;
    assert_eq!(through.position, newest);
    let other = Place::sqlite().await.unwrap();
    assert_eq!(place.copy_to(&other).await.unwrap(), 0);
    for place in [place, other] {
        let (next, position) = place.receive("alice").await;
        assert_eq!(position, newest + 1);
        let (found, is_gap, _) = read(place.queue(), through).await;
        assert_eq!((found, is_gap), (vec![next], false));
    }
    // Elsewhere something has the position of what was gone.
    let elsewhere = Place::sqlite().await.unwrap();
    for _ in 0..3 {
        elsewhere.receive("alice").await;
    }
    let (found, is_gap, _) = read(elsewhere.queue(), through).await;
    assert_eq!((found.len(), is_gap), (3, true));
}

async fn somebody_elses_event_that_is_removed_is_no_gap(place: Place) {
    place.receive("alice").await;
    place.receive("bob").await;
    let (_, _, through) = read(place.queue(), at(place.receive("bob").await.1)).await;
    place.queue().remove_account("bob").await.unwrap();
    let (next, _) = place.receive("alice").await;
    let (found, is_gap, _) = read(place.queue(), through).await;
    assert_eq!((found, is_gap), (vec![next], false));
}

/// As many have come meanwhile, and somebody else's have gone again.
async fn a_database_that_has_begun_anew_has_nothing_that_was_read_before(anew: Place) {
    let former = Place::sqlite().await.unwrap();
    former.queue().sign_of_life(60 * SECOND).await.unwrap();
    let of_none = read(former.queue(), at(0)).await.2;
    for _ in 0..3 {
        former.receive("alice").await;
    }
    let (found, is_gap, of_last) = read(former.queue(), of_none).await;
    assert_eq!((found.len(), is_gap), (3, false));
    anew.pass(SECOND);
    anew.queue().sign_of_life(60 * SECOND).await.unwrap();
    let kept = [anew.receive("alice").await.0, anew.receive("alice").await.0];
    for _ in 0..5 {
        anew.receive("bob").await;
    }
    anew.queue().remove_account("bob").await.unwrap();
    // One of a database that began before such positions were noted.
    let of_older = Mark { position: 3, event: Some(7), gap: 0 };
    for mark in [of_none, of_last, of_older] {
        let (found, is_gap, through) = read(anew.queue(), mark).await;
        assert_eq!((&found[..], is_gap), (&kept[..], true), "{mark:?}");
        let (found, is_gap, _) = read(anew.queue(), through).await;
        assert_eq!((found, is_gap), (vec![], false));
    }
    let fresh = anew.queue().events(SCOPE, Mark::default(), 300).await.unwrap();
    assert_eq!((fresh.receipts.len(), fresh.is_gap), (2, false));
}

async fn a_copy_begins_where_its_source_did(place: Place) {
    place.queue().sign_of_life(60 * SECOND).await.unwrap();
    let of_none = read(place.queue(), at(0)).await.2;
    let (kept, _) = place.receive("alice").await;
    place.queue().leave().await.unwrap();
    let other = Place::sqlite().await.unwrap();
    place.copy_to(&other).await.unwrap();
    other.pass(60 * SECOND);
    other.queue().sign_of_life(600 * SECOND).await.unwrap();
    let (found, is_gap, _) = read(other.queue(), of_none).await;
    assert_eq!((found, is_gap), (vec![kept], false));
}
