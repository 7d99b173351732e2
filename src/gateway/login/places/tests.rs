//! Who gets a place while others are taken, by a clock of the test.

use super::*;
use LoginPurpose::{Basic, FirstUse, Granted, New, Recent, Retry};

struct Table {
    places: Places,
    now: Instant,
    last: u64,
}

fn login(user_id: &str, purpose: LoginPurpose) -> Login {
    Login {
        user_id: user_id.into(),
        purpose,
        forgivable: true,
    }
}

impl Table {
    fn new(budget: usize) -> Self {
        Self {
            places: Places::new(budget),
            now: Instant::now(),
            last: 0,
        }
    }

    fn reserve(&mut self, user_id: &str, purpose: LoginPurpose) -> Result<u64, Full> {
        self.last += 1;
        let login = login(user_id, purpose);
        self.places
            .reserve(self.last, login, Shares::All, self.now)?;
        Ok(self.last)
    }

    fn refuse(&mut self, user_id: &str, purpose: LoginPurpose) -> Result<(), Full> {
        let id = self.reserve(user_id, purpose)?;
        self.places.refused(id, self.now).unwrap();
        Ok(())
    }

    fn until(&self, minutes: u64, by_own: bool) -> Result<(), Full> {
        let until = self.now + Duration::from_secs(60 * minutes);
        Err(Full::Until { until, by_own })
    }
}

#[tokio::test]
async fn three_are_left_to_passwords_that_work() {
    let mut table = Table::new(9);
    for user in 0..3 {
        table.refuse(&format!("new{user}"), New).unwrap();
    }
    assert_eq!(table.refuse("other", New), table.until(30, false));
    table.refuse("retry", Retry).unwrap();
    assert_eq!(table.refuse("other", Retry), table.until(30, false));
    table.refuse("first1", FirstUse).unwrap();
    table.refuse("first2", FirstUse).unwrap();
    assert_eq!(table.refuse("other", FirstUse), table.until(30, false));
    for user in 0..3 {
        table.refuse(&format!("recent{user}"), Recent).unwrap();
    }
    assert_eq!(table.refuse("other", Recent), table.until(30, false));
    // The password of a granted flow may have one beyond the budget, once.
    table.refuse("granted", Granted).unwrap();
    assert_eq!(table.refuse("other", Granted), table.until(30, false));
    table.now += WINDOW;
    for purpose in [New, Retry, FirstUse, Recent, Granted] {
        table.refuse("other2", purpose).ok();
    }
    table.refuse("other", Recent).unwrap();
}

#[tokio::test]
async fn nobody_has_more_than_two() {
    let mut table = Table::new(9);
    table.refuse("alice", New).unwrap();
    table.now += Duration::from_secs(60);
    table.refuse("alice", FirstUse).unwrap();
    for purpose in [New, FirstUse, Retry] {
        assert_eq!(table.refuse("alice", purpose), table.until(29, true));
    }
    // Unless the password has just worked.
    table.refuse("alice", Recent).unwrap();
    assert_eq!(table.refuse("alice", Recent), table.until(29, true));
    table.refuse("bob", New).unwrap();
    // A success clears the user's own, here as at the server.
    let earlier = table.now - Duration::from_secs(30);
    assert_eq!(table.places.forgive("alice", earlier).len(), 1);
    table.now += Duration::from_secs(1);
    assert_eq!(table.places.forgive("alice", table.now).len(), 2);
    assert_eq!(table.places.forgive("alice", table.now).len(), 0);
    table.refuse("alice", New).unwrap();
    table.refuse("alice", FirstUse).unwrap();
    assert_eq!(table.refuse("alice", New), table.until(30, true));
}

#[tokio::test]
async fn what_strangers_bring_in_a_name_takes_nothing_from_the_user() {
    let mut table = Table::new(9);
    table.refuse("alice", Basic).unwrap();
    table.refuse("alice", Basic).unwrap();
    assert!(table.refuse("alice", Basic).is_err());
    assert_eq!(table.refuse("bob", Basic), table.until(30, false));
    // One of the places for passwords that are brought is left to those who have a token.
    table.refuse("alice", New).unwrap();
    assert_eq!(table.refuse("bob", New), table.until(30, false));
    table.refuse("alice", FirstUse).unwrap();
    table.refuse("alice", Recent).unwrap();
    assert_eq!(table.refuse("alice", Recent), table.until(30, true));
    // The success of the user clears them, here as at the server.
    table.now += Duration::from_secs(1);
    assert_eq!(table.places.forgive("alice", table.now).len(), 5);
    // They wait for those with a token, too.
    for user in 0..3 {
        table.refuse(&format!("new{user}"), New).unwrap();
    }
    assert_eq!(table.refuse("alice", Basic), table.until(30, false));
    // With a small budget all share one place.
    let mut table = Table::new(5);
    table.refuse("alice", Basic).unwrap();
    assert_eq!(table.refuse("bob", New), table.until(30, false));
}

#[tokio::test]
async fn the_limit_that_holds_longest_says_how_long_to_wait() {
    let mut table = Table::new(9);
    table.refuse("alice", New).unwrap();
    table.refuse("alice", New).unwrap();
    table.now += Duration::from_secs(10 * 60);
    table.refuse("bob", New).unwrap();
    assert_eq!(table.refuse("alice", New), table.until(20, true));
    table.refuse("carol", Recent).unwrap();
    table.now += Duration::from_secs(60);
    for user in 0..5 {
        table.refuse(&format!("recent{user}"), Recent).unwrap();
    }
    // Two of alice's come free in 19 minutes, and with them places of all.
    assert_eq!(table.refuse("alice", New), table.until(19, true));
    let mut table = Table::new(3);
    table.refuse("alice", Recent).unwrap();
    table.now += Duration::from_secs(10 * 60);
    table.refuse("alice", New).unwrap();
    // One of alice's comes free in 20 minutes, but the third for new ones in 30.
    assert_eq!(table.refuse("alice", New), table.until(30, false));
}

#[tokio::test]
async fn a_place_in_flight_may_come_back() {
    let mut table = Table::new(1);
    let id = table.reserve("alice", Recent).unwrap();
    assert_eq!(table.reserve("bob", Recent), Err(Full::ForNow));
    table.places.release(id);
    let id = table.reserve("bob", Recent).unwrap();
    table.places.refused(id, table.now);
    table.places.release(id);
    assert_eq!(table.refuse("alice", Recent), table.until(30, false));
}

#[tokio::test]
async fn a_refusal_that_is_not_forgivable_stays() {
    let mut table = Table::new(9);
    let login = Login {
        forgivable: false,
        ..login("alice", New)
    };
    let until = table.now + WINDOW;
    table.places.add_refused(1000, login.clone(), until);
    table.places.add_refused(1000, login, until);
    assert!(table.places.forgive("alice", until).is_empty());
    assert_eq!(table.places.occupied.len(), 1, "the same one");
}
