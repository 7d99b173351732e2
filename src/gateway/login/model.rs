//! The whole of [`Logins`] against a model of the server's count, in simulated time: users who call at
//! once, try wrong passwords and are revoked together, through one gateway or three, with restarts.
//!
//! The store keeps times of the real clock, so what was refused before a restart does not grow old here.
//! That makes permits scarcer than they are, and never more plentiful.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fastrand::Rng;
use futures_util::future::join_all;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::attempt::Order;
use super::permits::WINDOW;
use super::{LoginPolicy, Logins, unstored};
use crate::gateway::Error;
use crate::groupware::{Access, Groupware, GroupwareError, LoginEvidence, Reply};
use crate::seed;
use crate::vault::{AppPassword, Keyring, MemoryStore, Vault};

/// The first half of them is never revoked.
const USERS: usize = 50;

const PERMITS: usize = 5;

/// The longest time that a request, or its answer, is on its way.
const TRAVEL: u64 = 200;

/// Counts, clears and blocks as a real server does (tests/recordings, "Throttling").
struct Server {
    random: Rng,
    takes_bearer: bool,
    revoked: HashSet<usize>,
    failures: Vec<(Instant, usize)>,
    /// The same, without failures of others, and not cleared by a successful login.
    of_gateways: Vec<Instant>,
    most_of_gateways: usize,
    refused: usize,
    throttled: usize,
}

/// The outcome of a call.
struct Ended {
    result: Result<(), Error>,
    requests: usize,
    time: Duration,
}

// === impl Server ===

impl Server {
    /// Users with numbers above are somebody else's.
    fn fail(&mut self, user: usize) {
        let now = Instant::now();
        self.failures.push((now, user));
        if user < USERS {
            self.of_gateways.retain(|at| now - *at < WINDOW);
            self.of_gateways.push(now);
            self.most_of_gateways = self.most_of_gateways.max(self.of_gateways.len());
        }
    }

    fn log_in(&mut self, user: usize, works: bool, is_bearer: bool) -> LoginEvidence {
        let evidence = match works {
            _ if is_bearer && !self.takes_bearer => LoginEvidence::Refused,
            true => LoginEvidence::Accepted,
            false => LoginEvidence::Refused,
        };
        if is_bearer {
            return evidence;
        }
        self.failures.retain(|(at, _)| at.elapsed() < WINDOW);
        if self.failures.len() > 10 {
            self.throttled += 1;
            return LoginEvidence::Throttled;
        }
        match evidence {
            LoginEvidence::Accepted => self.failures.retain(|(_, by)| *by != user),
            _ => {
                self.refused += 1;
                self.fail(user);
            }
        }
        evidence
    }
}

async fn request(
    server: Arc<Mutex<Server>>,
    user: usize,
    is_wrong: bool,
    access: Access,
) -> Result<Reply<(), Error>, Error> {
    let travel = || {
        let millis = server.lock().unwrap().random.u64(..=TRAVEL);
        tokio::time::sleep(Duration::from_millis(millis))
    };
    travel().await;
    let login = {
        let mut server = server.lock().unwrap();
        let works = !is_wrong && !server.revoked.contains(&user);
        server.log_in(user, works, access.account().is_bearer())
    };
    travel().await;
    let result = match login {
        LoginEvidence::Refused => Err(GroupwareError::Refused.into()),
        LoginEvidence::Throttled => Err(GroupwareError::Throttled.into()),
        _ => Ok(()),
    };
    Ok(Reply { result, login })
}

async fn call(
    logins: Logins,
    groupware: Groupware,
    server: Arc<Mutex<Server>>,
    user: usize,
) -> Ended {
    let began = Instant::now();
    let mut requests = 0;
    let name = name(user);
    let mut counted = |access| {
        requests += 1;
        request(server.clone(), user, false, access)
    };
    let used = logins.use_stored(&name, &groupware, None, &mut counted);
    let result = used.await;
    Ended {
        result,
        requests,
        time: began.elapsed(),
    }
}

async fn try_a_wrong_password(
    logins: Logins,
    groupware: Groupware,
    server: Arc<Mutex<Server>>,
    user: usize,
) {
    let name = name(user);
    let password = AppPassword::new("wrong-wrong-wrong-wrong-wrong").unwrap();
    let login = unstored(&groupware, &name, (&name, &password), None);
    let mut wrong = |access| request(server.clone(), user, true, access);
    // On a server without bearer logins it may be turned away.
    _ = logins.log_in(&login, Order::Bearer, &mut wrong).await;
}

fn name(user: usize) -> String {
    format!("user{user}")
}

/// A day with `gateways` on one store.
async fn model(gateways: usize, takes_bearer: bool) -> (Server, Vec<(usize, Ended)>) {
    let mut random = seed::rng();
    let policy = LoginPolicy::default().refused_retry(Duration::ZERO);
    let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    let groupware = Groupware::builder("http://127.0.0.1:9".parse().unwrap());
    let groupware = groupware.build().unwrap();
    let password = AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee").unwrap();
    for user in 0..USERS {
        vault
            .put(&name(user), &name(user), &password)
            .await
            .unwrap();
    }
    let server = Arc::new(Mutex::new(Server {
        random: random.fork(),
        takes_bearer,
        revoked: HashSet::new(),
        failures: Vec::new(),
        of_gateways: Vec::new(),
        most_of_gateways: 0,
        refused: 0,
        throttled: 0,
    }));
    let start = || Logins::new(vault.clone(), policy, TaskTracker::new());
    let mut logins: Vec<_> = (0..gateways).map(|_| start()).collect();
    let mut ended = Vec::new();
    for round in 0..300 {
        let mut calls = Vec::new();
        // The order decides who gets a permit.
        let mut users: Vec<_> = (0..USERS).collect();
        random.shuffle(&mut users);
        for user in users {
            for _ in 0..random.usize(..3) {
                let logins = logins[random.usize(..gateways)].clone();
                let (groupware, server) = (groupware.clone(), server.clone());
                match random.u8(..10) {
                    0 => drop(tokio::spawn(try_a_wrong_password(
                        logins, groupware, server, user,
                    ))),
                    1 => {
                        // Its caller disconnects during the call.
                        let call = call(logins, groupware, server, user);
                        let time = Duration::from_millis(random.u64(..2 * TRAVEL));
                        tokio::spawn(tokio::time::timeout(time, call));
                    }
                    _ => calls.push(tokio::spawn(async move {
                        (user, call(logins, groupware, server, user).await)
                    })),
                }
            }
        }
        ended.extend(join_all(calls).await.into_iter().map(Result::unwrap));
        // Longer than any call, and sometimes longer than the server counts.
        tokio::time::sleep(Duration::from_millis(random.u64(2000..600_000))).await;
        {
            let mut server = server.lock().unwrap();
            for user in USERS / 2..USERS {
                match random.u8(..40) {
                    0 => drop(server.revoked.insert(user)),
                    1..10 => drop(server.revoked.remove(&user)),
                    _ => {}
                }
            }
            if round % 40 == 39 {
                server.revoked.extend(USERS / 2..USERS);
            }
            if takes_bearer && round % 50 == 30 {
                // Somebody else behind the same address.
                (0..11).for_each(|_| server.fail(USERS));
            }
        }
        if round % 25 == 24 {
            logins[round / 25 % gateways] = start();
        }
    }
    drop(logins);
    let server = Arc::into_inner(server).expect("all calls have ended");
    (server.into_inner().unwrap(), ended)
}

async fn nobody_pays_for_others(gateways: usize) {
    let (server, ended) = model(gateways, true).await;
    // It is a test only if there are refusals of both kinds, and blocks by others.
    assert!(server.refused > PERMITS, "{}", server.refused);
    assert!(server.throttled > 0);
    assert!(
        server.most_of_gateways <= PERMITS,
        "{}",
        server.most_of_gateways
    );
    let of_healthy = || ended.iter().filter(|(user, _)| *user < USERS / 2);
    for (user, call) in of_healthy() {
        assert!(call.result.is_ok(), "user{user}: {:?}", call.result);
        // One call, and the time it takes; another one only if the server has blocked the first.
        let longest = Duration::from_millis(2 * TRAVEL + 5) * u32::try_from(call.requests).unwrap();
        assert!(
            call.time <= longest,
            "user{user}: {:?} for {}",
            call.time,
            call.requests
        );
    }
    let twice = of_healthy().filter(|(_, call)| call.requests > 1).count();
    assert!(twice <= server.throttled, "{twice} of {}", server.throttled);
    let dead = ended.iter().filter(|(_, call)| call.result.is_err());
    for (user, call) in dead {
        let error = call.result.as_ref().unwrap_err();
        assert!(
            !matches!(error, Error::TooManyRefused(_)),
            "user{user}: {error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_pays_for_the_passwords_of_others() {
    nobody_pays_for_others(1).await;
}

#[tokio::test(start_paused = true)]
async fn nobody_pays_for_the_passwords_of_others_through_three_gateways() {
    nobody_pays_for_others(3).await;
}

#[tokio::test(start_paused = true)]
async fn without_bearer_logins_the_server_never_counts_more_than_there_are_permits() {
    let (server, ended) = model(1, false).await;
    assert!(server.refused >= PERMITS, "{}", server.refused);
    assert!(
        server.most_of_gateways <= PERMITS,
        "{}",
        server.most_of_gateways
    );
    let turned_away = ended.iter().filter(
        |(_, call)| matches!(call.result, Err(Error::TooManyRefused(wait)) if wait <= WINDOW),
    );
    assert!(turned_away.count() > 0);
    let served = ended.iter().filter(|(_, call)| call.result.is_ok());
    assert!(served.count() > 100);
}
