//! Nobody reads or changes what belongs to another account, whatever they ask for.

use portreeve::deliveries::{DeliveryId, Scope, TargetState};

use super::{Halves as _, Place, at, for_each_store};

for_each_store! {
    nobody_gets_at_anything_of_another_account,
    no_target_gets_a_receipt_of_another_account_whatever_is_asked_for,
}

/// After a failover a position may be that of another receipt.
async fn no_target_gets_a_receipt_of_another_account_whatever_is_asked_for(place: Place) {
    let queue = place.queue();
    let (alice, all) = (place.target("alice").await, place.target("").await);
    let (_, of_bob) = place.receive("bob").await;
    let (_, of_nobody) = place.receive("").await;
    let wanted = [of_bob, of_nobody].map(|position| (position, vec![alice, all]));
    queue.fan_out(wanted.into()).await.unwrap();
    let replaying = queue.replay(Scope::All, alice, vec![of_bob, of_nobody], true);
    assert_eq!(replaying.await.unwrap(), Some(0));
    let claimed = queue.claim(64, None).await.unwrap();
    assert!(claimed.len() == 2 && claimed.iter().all(|it| it.target.id == all));
}

async fn nobody_gets_at_anything_of_another_account(place: Place) {
    let queue = place.queue();
    let of_alice = place.target("alice").await;
    let of_all = place.target("").await;
    let (receipt, position) = place.receive("alice").await;
    place.receive("").await;
    queue.fan_out(vec![(position, vec![of_alice, of_all])]).await.unwrap();
    let delivery = |target| DeliveryId { receipt, target };
    // The last ones are how the stores write "of all accounts", and what they cannot hold.
    for account in ["bob", "ALICE", "alice ", "*", "%", "", "\0", "alice\0", "\n"] {
        let scope = Scope::Account(account);
        for target in [of_alice, of_all] {
            assert_eq!(queue.target(scope, target).await.unwrap(), None);
            let found = queue.deliveries(scope, target, None, None, 300).await;
            assert_eq!(found.unwrap(), None);
            let found = queue.delivery(scope, delivery(target)).await;
            assert_eq!(found.unwrap(), None);
            let retried = queue.retry(scope, delivery(target)).await;
            assert_eq!(retried.unwrap(), None);
            let replayed = queue.replay(scope, target, vec![position], true).await;
            assert_eq!(replayed.unwrap(), None);
            let state = TargetState::Disabled;
            let changed = queue.change_target(scope, target, (1, state), Box::from([0; 9]), None);
            assert!(!changed.await.unwrap());
            assert!(!queue.remove_target(scope, target).await.unwrap());
        }
        assert_eq!(queue.targets(scope, None, 300).await.unwrap(), []);
        for after in [-1, 0, position - 1, i64::MIN] {
            let events = queue.events(scope, at(after), 300).await.unwrap();
            assert_eq!(events.receipts, [], "{account:?}");
        }
    }
    // Alice herself, who does not see the target of all accounts.
    let scope = Scope::Account("alice");
    assert!(queue.target(scope, of_alice).await.unwrap().is_some());
    assert_eq!(queue.target(scope, of_all).await.unwrap(), None);
    assert_eq!(queue.targets(scope, None, 300).await.unwrap().len(), 1);
    assert_eq!(queue.events(scope, at(0), 300).await.unwrap().receipts.len(), 1);
    assert!(queue.delivery(scope, delivery(of_alice)).await.unwrap().is_some());
    assert_eq!(queue.delivery(scope, delivery(of_all)).await.unwrap(), None);
    // An administrator.
    assert_eq!(queue.targets(Scope::All, None, 300).await.unwrap().len(), 2);
    assert_eq!(queue.events(Scope::All, at(0), 300).await.unwrap().receipts.len(), 2);
    let ids = async |account| {
        let targets = queue.targets_for(account).await.unwrap();
        targets.iter().map(|it| it.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(Some("bob")).await, [of_all]);
    assert_eq!(ids(None).await, [of_all]);
    assert_eq!(ids(Some("alice")).await.len(), 2);
}
