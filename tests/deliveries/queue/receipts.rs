//! Receipts: the order in which they are kept and found, and the deliveries that are made of them.

use futures_util::future::join_all;
use portreeve::deliveries::queue::{Accounts, LEASE, MAX_PAGE, MAX_TARGETS};
use portreeve::deliveries::{DeliveryId, NewReceipt, Scope};

use super::{Halves as _, MAX, Place, SECOND, at, for_each_store, receipt};

for_each_store! {
    positions_are_in_the_order_of_commits,
    a_receipt_is_matched_once,
    a_new_receipt_comes_before_those_whose_lease_has_run_out,
    a_receipt_that_is_given_back_comes_again_at_once,
    large_receipts_are_matched_in_portions,
    very_many_accounts_that_have_no_turn_hide_no_others,
    nobody_waits_for_the_backlogs_of_very_many,
    the_receipts_of_accounts_are_matched_in_turn,
    an_account_with_one_target_does_not_wait_for_all_targets_of_others,
    an_account_with_several_targets_does_not_wait_for_all_receipts_of_others,
    very_many_deliveries_are_made_in_portions,
    a_position_of_another_database_is_a_gap,
    whose_receipts_have_arrived_is_known_for_all_accounts,
    a_receipt_that_the_database_cannot_store_fails_alone,
    the_classes_that_have_arrived_are_those_of_the_newest_receipts,
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
        let events = place.queue().events(Scope::All, at(after), 7).await.unwrap();
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
    let first = queue.lease(10, Accounts::AllBut(&[])).await.unwrap();
    assert_eq!(first.len(), 1);
    assert_eq!((first[0].id, first[0].position), (id, position));
    assert_eq!(&*first[0].sealed, [7; 100]);
    assert_eq!(queue.lease(10, Accounts::AllBut(&[])).await.unwrap(), []);
    place.pass(LEASE + SECOND);
    assert_eq!(place.gateways[1].lease(10, Accounts::AllBut(&[])).await.unwrap().len(), 1);
    let wanted = vec![(position, vec![one])];
    // Both gateways do it.
    queue.fan_out(wanted.clone()).await.unwrap();
    place.gateways[1].fan_out(wanted).await.unwrap();
    let claimed = queue.claim(64, None).await.unwrap();
    assert_eq!(claimed.len(), 1);
    let delivery = DeliveryId { receipt: id, target: one };
    assert_eq!((claimed[0].id(), claimed[0].tries), (delivery, 1));
    assert_eq!(claimed[0].target.waiting, 1);
    place.pass(LEASE + SECOND);
    assert_eq!(queue.lease(10, Accounts::AllBut(&[])).await.unwrap(), []);
}

/// Whatever is not matched, and however often: what is new does not wait for it.
async fn a_new_receipt_comes_before_those_whose_lease_has_run_out(place: Place) {
    let queue = place.queue();
    let (_, first) = place.receive("alice").await;
    let (_, second) = place.receive("alice").await;
    assert_eq!(queue.lease(1, Accounts::AllBut(&[])).await.unwrap()[0].position, first);
    place.pass(SECOND);
    assert_eq!(queue.lease(1, Accounts::AllBut(&[])).await.unwrap()[0].position, second);
    place.pass(LEASE + SECOND);
    let (_, new) = place.receive("alice").await;
    let mut order = Vec::new();
    for _ in 0..3 {
        order.push(queue.lease(1, Accounts::AllBut(&[])).await.unwrap()[0].position);
    }
    assert_eq!(order, [new, first, second]);
    // Also if there is no room for all of them.
    place.pass(LEASE + SECOND);
    let large = |account: &str| NewReceipt { sealed: vec![7; 3 << 20].into(), ..receipt(account) };
    let old = queue.insert(large("alice"), MAX).await.unwrap();
    assert_eq!(queue.lease(1, Accounts::AllBut(&[])).await.unwrap()[0].position, old);
    place.pass(LEASE + SECOND);
    let new = queue.insert(large("alice"), MAX).await.unwrap();
    let newest = queue.insert(large("alice"), MAX).await.unwrap();
    let found = queue.lease(64, Accounts::AllBut(&[])).await.unwrap();
    let found = found.iter().map(|it| it.position);
    assert_eq!(found.collect::<Vec<_>>(), [new, newest]);
}

async fn a_receipt_that_is_given_back_comes_again_at_once(place: Place) {
    let queue = place.queue();
    let (_, first) = place.receive("alice").await;
    assert_eq!(queue.lease(64, Accounts::AllBut(&[])).await.unwrap().len(), 1);
    queue.release(vec![first]).await.unwrap();
    let (_, second) = place.receive("alice").await;
    for expected in [first, second] {
        let found = place.gateways[1].lease(1, Accounts::AllBut(&[])).await.unwrap();
        assert_eq!(found[0].position, expected);
    }
    assert_eq!(queue.lease(64, Accounts::AllBut(&[])).await.unwrap(), []);
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
        let portion = place.queue().lease(64, Accounts::AllBut(&[])).await.unwrap();
        if portion.is_empty() {
            break;
        }
        assert!(portion.iter().all(|it| it.sealed.len() == 1_050_000));
        portions.push(portion.iter().map(|it| it.position).collect::<Vec<_>>());
    }
    assert_eq!(portions.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 2]);
    assert_eq!(portions.concat(), expected);
}

/// More than one transaction looks at.
async fn very_many_accounts_that_have_no_turn_hide_no_others(place: Place) {
    let names: Vec<_> = (0..600).map(|number| format!("a{number:03}")).collect();
    for name in &names {
        place.receive(name).await;
    }
    let (zoes, _) = place.receive("zoe").await;
    let apart: Vec<_> = names.iter().map(|name| Some(name.as_str().into())).collect();
    for _ in 0..2 {
        let found = place.queue().lease(10, Accounts::AllBut(&apart)).await.unwrap();
        let found: Vec<_> = found.iter().map(|it| it.id).collect();
        assert_eq!(found, [zoes]);
        // Its lease counts: now nobody has anything, and the search ends.
        assert!(place.queue().lease(10, Accounts::AllBut(&apart)).await.unwrap().is_empty());
        let all = place.queue().events(Scope::Account("zoe"), at(0), 1).await.unwrap();
        let positions = all.receipts.iter().map(|it| it.position).collect();
        place.queue().release(positions).await.unwrap();
    }
}

/// However many wait, and whoever is matched apart beside them.
async fn nobody_waits_for_the_backlogs_of_very_many(place: Place) {
    for (many, is_apart) in [(300, false), (60, true)] {
        let inserting = (0..10 * many).map(|number| {
            let receipt = receipt(&format!("m{is_apart}{}", number % many));
            let queue = place.queue().clone();
            tokio::spawn(async move { queue.insert(receipt, MAX).await.unwrap() })
        });
        for inserted in inserting.collect::<Vec<_>>() {
            inserted.await.unwrap();
        }
        let name = format!("alice{is_apart}");
        place.targets(&name, 3).await;
        place.receive(&name).await;
        place.targets("apart", 5).await;
        let (apart, mut before) = ([Some("apart".into())], 0);
        loop {
            if is_apart {
                place.receive("apart").await;
                let found = place.queue().lease(8, Accounts::Only(&apart)).await.unwrap();
                assert_eq!(found.len(), 1);
            }
            let found = place.queue().lease(64, Accounts::AllBut(&apart)).await.unwrap();
            if found.iter().any(|it| it.account.as_deref() == Some(&name)) {
                break;
            }
            before += found.len();
        }
        // Each of the others has had as much as this one event costs.
        assert!(before <= 5 * many, "{before} of {}", 10 * many);
        while !place.queue().lease(256, Accounts::AllBut(&apart)).await.unwrap().is_empty() {}
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
    let found = queue.lease(4, Accounts::AllBut(&[])).await.unwrap();
    assert_eq!(accounts(found), " alice mallory zoe");
    // Fewer than there are accounts: the next batch goes on with the others.
    let mut four = String::new();
    for _ in 0..2 {
        four += &accounts(queue.lease(2, Accounts::AllBut(&[])).await.unwrap());
        four.push(' ');
    }
    assert_eq!(four, " alice mallory zoe ");
    place.receive("bob").await;
    let found = queue.lease(64, Accounts::AllBut(&[Some("mallory".into())])).await.unwrap();
    assert_eq!(accounts(found), "bob");
    let mallory = [Some("mallory".into()), Some("nobody".into())];
    assert_eq!(queue.lease(8, Accounts::Only(&mallory)).await.unwrap().len(), 8);
    let found = queue.lease(64, Accounts::AllBut(&mallory)).await.unwrap();
    assert_eq!(found, []);
    // None is forgotten.
    let mut rest = 0;
    loop {
        match queue.lease(64, Accounts::AllBut(&[])).await.unwrap().len() {
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
        let found = queue.lease(32, Accounts::AllBut(&[])).await.unwrap();
        let hers = found.iter().filter(|it| it.account.as_deref() == Some("alice"));
        let hers = hers.count();
        of_alice += hers;
        others += found.len() - hers;
        batches += 1;
    }
    // One by one they would be 26.
    assert!(batches <= 8, "{batches}");
    // Nor do they wait for her.
    assert!(others >= 40, "{others}");
}

async fn an_account_with_several_targets_does_not_wait_for_all_receipts_of_others(place: Place) {
    let queue = place.queue();
    let mut accounts = vec![("alice".to_owned(), 4, 3)];
    accounts.extend((0..10).map(|number| (format!("mallory{number}"), 1, 100)));
    for (account, targets, receipts) in &accounts {
        place.targets(account, *targets).await;
        for _ in 0..*receipts {
            place.receive(account).await;
        }
    }
    let (mut of_alice, mut others) = (0, 0);
    while of_alice < 3 {
        let found = queue.lease(32, Accounts::AllBut(&[])).await.unwrap();
        let hers = found.iter().filter(|it| it.account.as_deref() == Some("alice")).count();
        of_alice += hers;
        others += found.len() - hers;
    }
    // Each of hers costs as much as two or three of each of theirs.
    assert!((20..=100).contains(&others), "{others}");
}

async fn very_many_deliveries_are_made_in_portions(place: Place) {
    let queue = place.queue();
    let targets = place.targets("alice", MAX_TARGETS as usize).await;
    let mut wanted = Vec::new();
    for _ in 0..20 {
        wanted.push((place.receive("alice").await.1, targets.clone()));
    }
    queue.fan_out(wanted).await.unwrap();
    assert_eq!(queue.counts().await.unwrap().pending, 2000);
}

async fn a_position_of_another_database_is_a_gap(place: Place) {
    let (_, first) = place.receive("alice").await;
    for scope in [Scope::All, Scope::Account("alice"), Scope::Account("bob")] {
        let events = place.queue().events(scope, at(first + 1000), 10).await.unwrap();
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

async fn the_classes_that_have_arrived_are_those_of_the_newest_receipts(place: Place) {
    let receive = async |account: &str, class: &str| {
        let receipt = NewReceipt { class: class.into(), ..receipt(account) };
        place.queue().insert(receipt, MAX).await.unwrap()
    };
    let missing = async || {
        let [one, other] = [0, 1].map(|at| place.gateways[at].not_arrived(&["A", "B", "C"]));
        let (one, other) = (one.await.unwrap(), other.await.unwrap());
        assert_eq!(one, other);
        one.concat()
    };
    assert_eq!(missing().await, "ABC");
    receive("alice", "A").await;
    assert_eq!(missing().await, "BC");
    receive("bob", "B").await;
    receive("bob", "C").await;
    assert_eq!(missing().await, "");
    // Its events were the newest.
    place.queue().remove_account("bob").await.unwrap();
    assert_eq!(missing().await, "BC");
    receive("alice", "C").await;
    assert_eq!(missing().await, "B");
    let last = place.receive("carol").await.1;
    join_all((last..10_000).map(|_| place.receive("carol"))).await;
    assert_eq!(missing().await, "B");
    assert_eq!(place.receive("carol").await.1, 10_001);
    assert_eq!(missing().await, "AB");
}
