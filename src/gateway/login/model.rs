//! A model of the groupware server's count, against which the places are held: random interleavings
//! of 50 users, revocations, restarts and time (docs/ARCHITECTURE.md, "Refused logins").

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use super::login;
use super::places::{Login, Places, Shares, WINDOW};
use crate::vault::LoginPurpose;

const USERS: usize = 50;
const BUDGET: usize = 9;

/// What a real server was seen to do (docs/ARCHITECTURE.md, "Refused logins"): it counts failures
/// under the login name that was sent, and a success clears those under the account id.
#[derive(Default)]
struct Server {
    failures: Vec<(Instant, String)>,
    most: usize,
}

struct Gateway {
    places: Places,
    /// What the store keeps: when, by which place.
    stored: Vec<(Instant, u64, Login)>,
    in_flight: BTreeMap<u64, Attempt>,
    last: u64,
}

struct Attempt {
    login: Login,
    login_name: String,
    began: Instant,
    /// What the server has said, which the gateway learns later.
    works: Option<bool>,
}

/// A random number generator that a failure can be repeated with (xorshift64*).
struct Random(u64);

// === impl Server ===

impl Server {
    fn refuse(&mut self, now: Instant, login_name: &str) {
        self.failures.retain(|(at, _)| now - *at < WINDOW);
        self.failures.push((now, login_name.to_owned()));
        self.most = self.most.max(self.failures.len());
    }

    fn accept(&mut self, user_id: &str) {
        self.failures.retain(|(_, name)| name != user_id);
    }
}

// === impl Gateway ===

impl Gateway {
    fn new(stored: Vec<(Instant, u64, Login)>, last: u64, now: Instant) -> Self {
        let mut places = Places::new(BUDGET);
        for (at, id, login) in &stored {
            if now - *at < WINDOW {
                places.add_refused(*id, login.clone(), *at + WINDOW);
            }
        }
        Self {
            places,
            stored,
            in_flight: BTreeMap::new(),
            last,
        }
    }

    fn begin(&mut self, user_id: &str, purpose: LoginPurpose, login_name: &str, now: Instant) {
        self.last += 1;
        let login = login(user_id, login_name, purpose);
        if self
            .places
            .reserve(self.last, login.clone(), Shares::All, now)
            .is_ok()
        {
            let attempt = Attempt {
                login,
                login_name: login_name.to_owned(),
                began: now,
                works: None,
            };
            self.in_flight.insert(self.last, attempt);
        }
    }

    /// The server decides; the next step of the same call lets the gateway learn it.
    fn step(&mut self, id: u64, works: bool, server: &mut Server, now: Instant) {
        let attempt = self.in_flight.get_mut(&id).unwrap();
        let user_id = attempt.login.user_id.clone();
        match attempt.works {
            None => {
                attempt.works = Some(works);
                match works {
                    true => server.accept(&user_id),
                    false => server.refuse(now, &attempt.login_name),
                }
                return;
            }
            Some(true) => {
                let forgiven = self.places.forgive(&user_id, attempt.began);
                self.stored.retain(|(_, id, _)| !forgiven.contains(id));
            }
            Some(false) => {
                self.places.refused(id, now).unwrap();
                self.stored.push((now, id, attempt.login.clone()));
            }
        }
        self.places.release(id);
        self.in_flight.remove(&id);
    }
}

// === impl Random ===

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }
}

#[tokio::test]
async fn never_more_refusals_than_places() {
    use LoginPurpose::{Basic, FirstUse, Granted, New, Recent, Retry};

    let (mut refused, mut most, mut most_granted) = (0, 0, 0);
    for seed in 1..=400_u64 {
        let with_granted = seed % 2 == 0;
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut now = Instant::now();
        let mut server = Server::default();
        let mut gateway = Gateway::new(Vec::new(), 0, now);
        let mut works = [true; USERS];
        for _ in 0..1500 {
            let user = random.below(USERS);
            let user_id = format!("user{user}");
            match random.below(20) {
                0..=8 => {
                    let purposes = [Recent, Recent, New, Basic, FirstUse, Retry, Granted];
                    let count = purposes.len() - usize::from(!with_granted);
                    let purpose = purposes[random.below(count)];
                    let login_name = match random.below(3) {
                        0 => format!("{user_id}@example.org"),
                        _ => user_id.clone(),
                    };
                    gateway.begin(&user_id, purpose, &login_name, now);
                }
                9..=15 => {
                    let ids: Vec<_> = gateway.in_flight.keys().copied().collect();
                    if !ids.is_empty() {
                        let id = ids[random.below(ids.len())];
                        let user_id = &gateway.in_flight[&id].login.user_id;
                        let user: usize = user_id["user".len()..].parse().unwrap();
                        refused += usize::from(!works[user]);
                        gateway.step(id, works[user], &mut server, now);
                    }
                }
                16 => works[user] = !works[user],
                17 if random.below(20) == 0 => works = [false; USERS],
                18 if random.below(10) == 0 => {
                    // A graceful one: what is in flight ends first.
                    while let Some((&id, _)) = gateway.in_flight.first_key_value() {
                        gateway.step(id, random.below(2) == 0, &mut server, now);
                    }
                    gateway = Gateway::new(gateway.stored, gateway.last, now);
                }
                _ => now += Duration::from_secs(random.below(120) as u64),
            }
        }
        match with_granted {
            false => most = most.max(server.most),
            true => most_granted = most_granted.max(server.most),
        }
    }
    assert!(refused > 1000, "the model revokes: {refused}");
    assert_eq!(most, BUDGET);
    // The passwords of granted login flows have one place beyond the budget.
    assert_eq!(most_granted, BUDGET + 1);
}

/// Twelve dead passwords are polled every 40 seconds for a day, with the retries that are due to
/// them, while another user brings a good password every ten minutes and uses it.
#[tokio::test]
async fn dead_passwords_leave_room_for_good_ones() {
    use super::stored::pause;

    let mut now = Instant::now();
    let mut gateway = Gateway::new(Vec::new(), 0, now);
    let mut server = Server::default();
    let mut suspended: [Option<(Instant, u32)>; 12] = [None; 12];
    let (mut turned_away, mut retries) = (0, 0);
    for poll in 0..24 * 60 * 60 / 40 {
        for (user, state) in suspended.iter_mut().enumerate() {
            let first = Duration::from_secs(30 * 60);
            let purpose = match *state {
                Some((at, refusals)) if now - at < pause(first, refusals) => continue,
                Some(_) => LoginPurpose::Retry,
                None => LoginPurpose::FirstUse,
            };
            let user_id = format!("dead{user}");
            gateway.begin(&user_id, purpose, &user_id, now);
            while let Some((&id, _)) = gateway.in_flight.first_key_value() {
                gateway.step(id, false, &mut server, now);
                if !gateway.in_flight.contains_key(&id) {
                    let refusals = state.map_or(0, |(_, refusals)| refusals);
                    *state = Some((now, refusals + 1));
                    retries += usize::from(purpose == LoginPurpose::Retry);
                }
            }
        }
        if poll % 15 == 0 {
            for purpose in [LoginPurpose::New, LoginPurpose::Recent] {
                gateway.begin("good", purpose, "good", now);
                match gateway.in_flight.first_key_value() {
                    None => turned_away += 1,
                    Some((&id, _)) => {
                        gateway.step(id, true, &mut server, now);
                        gateway.step(id, true, &mut server, now);
                    }
                }
            }
        }
        now += Duration::from_secs(40);
    }
    assert_eq!(turned_away, 0);
    assert!(suspended.iter().all(Option::is_some), "each had its turn");
    assert!(retries > 12, "{retries}");
    assert!(server.most <= BUDGET / 3, "{}", server.most);
}
