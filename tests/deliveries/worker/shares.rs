//! How many places for attempts an account may take, and how many are left to the others.

use portreeve::deliveries::Shares;

#[test]
fn places_that_were_given_beyond_all_of_them_are_not_more_afterwards() {
    let mut shares = Shares::new(2);
    for account in ["alice", "bob", "carol"] {
        shares.take(account);
        assert!(!shares.has_room("dave") || account == "alice");
    }
    assert_eq!(shares.free(), 0);
    for (account, free) in [("carol", 0), ("bob", 1), ("alice", 2), ("alice", 2)] {
        shares.give_back(account);
        assert_eq!(shares.free(), free);
    }
}

#[test]
fn however_many_accounts_take_all_they_may_some_places_are_left() {
    for (accounts, each, left) in [(1, 256, 768), (3, 128, 640), (100, 5, 500)] {
        let mut shares = Shares::new(1024);
        let names: Vec<_> = (0..accounts).map(|number| number.to_string()).collect();
        let mut taken = vec![0; accounts];
        loop {
            let before = shares.free();
            for (name, taken) in names.iter().zip(&mut taken) {
                if shares.has_room(name) {
                    shares.take(name);
                    *taken += 1;
                }
            }
            if shares.free() == before {
                break;
            }
        }
        assert!(taken.iter().all(|it| [each, each + 1].contains(it)), "{taken:?}");
        assert!(shares.free() >= left && shares.has_room("new"));
        for _ in 0..taken[0] {
            shares.give_back("0");
        }
        assert!(shares.has_room("0"));
        shares.give_back("0");
        assert_eq!(shares.free(), 1024 - taken[1..].iter().sum::<usize>());
    }
}

/// As those come whose targets hang.
#[test]
fn those_who_come_one_after_the_other_leave_places_too() {
    let mut shares = Shares::new(1024);
    for account in (0..120).map(|number| number.to_string()) {
        assert!(shares.has_room(&account), "{account}");
        while shares.has_room(&account) {
            shares.take(&account);
        }
    }
    assert!(shares.has_room("alice") && shares.free() > 0);
}
