//! For whom the deliveries to targets of all accounts count: for those who made the targets.

use portreeve::deliveries::{Maker, Scope, TargetState};

use super::{Halves as _, Place, at, for_each_store, receipt};

for_each_store! {
    whoever_made_targets_of_all_accounts_has_one_turn_with_them_and_their_own,
    rows_of_a_target_of_all_accounts_are_given_up_by_whoever_has_it,
}

async fn whoever_made_targets_of_all_accounts_has_one_turn_with_them_and_their_own(place: Place) {
    // All are made by alice.
    let (first, second) = (place.target("").await, place.target("").await);
    let (own, bobs) = (place.target("alice").await, place.target("bob").await);
    for targets in [[first, second], [own, bobs]] {
        for _ in 0..3 {
            place.due(&targets).await;
        }
    }
    let claimed = place.queue().claim(2, None).await.unwrap();
    assert!(claimed.iter().any(|it| it.target.id == bobs), "{claimed:?}");
    // Whatever else there is, all get their turn.
    let rest = place.queue().claim(64, None).await.unwrap();
    let of = |target| rest.iter().chain(&claimed).filter(|it| it.target.id == target).count();
    assert_eq!([first, second, own, bobs].map(of), [3; 4]);
}

async fn rows_of_a_target_of_all_accounts_are_given_up_by_whoever_has_it(place: Place) {
    let queue = place.queue();
    // What was given up has no bytes, or is gone.
    let kept = async |account: &str| {
        let events = queue.events(Scope::Account(account), at(0), 300).await;
        let receipts = events.unwrap().receipts.into_iter();
        receipts.filter(|it| !it.sealed.is_empty()).count()
    };
    let all = [place.target("").await, place.target("").await];
    for account in ["alice", "bob", "alice", "bob", "alice", "bob", "alice", "bob", "alice"] {
        let (_, position) = place.receive(account).await;
        queue.fan_out(vec![(position, all.to_vec())]).await.unwrap();
    }
    for _ in 0..5 {
        place.receive("bob").await;
    }
    // Alice has fewer events than bob, and more bytes with the rows of the target, as long as that is hers.
    let mut before = (kept("alice").await, kept("bob").await);
    assert_eq!(before, (5, 9));
    for (adopter, loses) in [("root", "bob"), ("alice", "alice")] {
        for id in all {
            let target = queue.target(Scope::All, id).await.unwrap().unwrap();
            let change = (target.revision, TargetState::Active);
            let maker = Maker::of(adopter);
            let adopting = queue.change_target(Scope::All, id, change, target.sealed, Some(&maker));
            assert!(adopting.await.unwrap());
        }
        let full = queue.counts().await.unwrap().bytes;
        queue.insert(receipt("carol"), full).await.unwrap();
        let now = (kept("alice").await, kept("bob").await);
        let has_lost = (now.0 < before.0, now.1 < before.1);
        assert_eq!(has_lost, (loses == "alice", loses == "bob"), "{adopter}");
        before = now;
    }
}
