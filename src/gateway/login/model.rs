//! The whole of [`Logins`] against a model of the server's count, in simulated time: users who call at
//! once, try passwords, were stored with a wrong login name and are revoked together, through one gateway or three,
//! with restarts.
//!
//! The store keeps times of the real clock, so what was refused before a restart does not grow old here.
//! That makes permits scarcer than they are, and never more plentiful.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use futures_util::future::join_all;
use parking_lot::Mutex;
use portreeve_test_support::seed;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::permits::WINDOW;
use super::{BearerLogins, LoginPolicy, Logins, unstored};
use crate::gateway::Error;
use crate::groupware::{Access, Groupware, GroupwareError, LoginEvidence, Reply};
use crate::vault::{self, AppPassword, Keyring, MemoryStore, Vault};

/// The first half of them is never revoked.
const USERS: usize = 50;

/// The last of those that are never revoked: HTTP Basic refuses their passwords, as the stored login name is not the
/// one that they were made under.
const MISNAMED: std::ops::Range<usize> = USERS / 2 - 5..USERS / 2;

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
    /// The stored passwords of these, as often as HTTP Basic refused one.
    misnamed: Vec<usize>,
    /// Calls by HTTP Basic with stored passwords that are under way, by user, and the most at once of one user.
    under_way: HashMap<usize, usize>,
    most_under_way: usize,
    throttled: usize,
}

/// What a user tries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Password {
    Stored,
    /// Not stored, and with the right login name.
    Good,
    Wrong,
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

    fn log_in(&mut self, user: usize, password: Password, is_bearer: bool) -> LoginEvidence {
        let works = password != Password::Wrong && !self.revoked.contains(&user);
        let is_misnamed =
            password == Password::Stored && MISNAMED.contains(&user) && self.takes_bearer;
        let evidence = match works {
            _ if is_bearer && !self.takes_bearer => LoginEvidence::Refused,
            _ if is_misnamed && !is_bearer => LoginEvidence::Refused,
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
                self.misnamed.extend(is_misnamed.then_some(user));
                self.fail(user);
            }
        }
        evidence
    }

    fn begin(&mut self, user: usize) {
        let under_way = self.under_way.entry(user).or_default();
        *under_way += 1;
        self.most_under_way = self.most_under_way.max(*under_way);
    }

    fn end(&mut self, user: usize) {
        *self.under_way.get_mut(&user).unwrap() -= 1;
    }
}

async fn request(
    server: Arc<Mutex<Server>>,
    user: usize,
    password: Password,
    access: Access,
) -> Result<Reply<()>, Error> {
    let is_bearer = access.account.is_bearer();
    let takes_turns = password == Password::Stored && !is_bearer;
    if takes_turns {
        server.lock().begin(user);
    }
    let travel = || {
        let millis = server.lock().random.u64(..=TRAVEL);
        tokio::time::sleep(Duration::from_millis(millis))
    };
    travel().await;
    let login = server.lock().log_in(user, password, is_bearer);
    travel().await;
    if takes_turns {
        server.lock().end(user);
    }
    let result = match login {
        LoginEvidence::Refused => Err(GroupwareError::Refused),
        LoginEvidence::Throttled => Err(GroupwareError::Throttled),
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
        let request = request(server.clone(), user, Password::Stored, access);
        async { Ok::<_, Error>(request.await?.and_then(Ok::<_, Error>)) }
    };
    let used = logins.use_stored(&name, &groupware, None, &mut counted);
    let result = used.await;
    Ended {
        result,
        requests,
        time: began.elapsed(),
    }
}

async fn try_password(
    logins: Logins,
    groupware: Groupware,
    server: Arc<Mutex<Server>>,
    user: usize,
    password: Password,
) -> Result<(), Error> {
    let name = name(user);
    let tried = vault::Login {
        name: name.as_str().into(),
        password: AppPassword::new("tried-tried-tried-tried-tried").unwrap(),
    };
    let mut login = unstored(&groupware, &name, &tried, None);
    let call = |access| request(server.clone(), user, password, access);
    // Only the good ones are counted, so that none of them is refused for the wrong ones.
    let users = (password == Password::Good).then(|| logins.users());
    let tried = logins.try_password(&mut login, users, call).await;
    tried.map(drop)
}

fn name(user: usize) -> String {
    format!("user{user}")
}

/// A day with `gateways` on one store.
async fn model(
    gateways: usize,
    takes_bearer: bool,
    bearer: BearerLogins,
) -> (Server, Vec<(usize, Ended)>) {
    let mut random = seed::rng();
    let policy = LoginPolicy {
        refused_retry: Duration::ZERO,
        bearer,
        ..LoginPolicy::default()
    };
    let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    let url = "http://127.0.0.1:9".parse().unwrap();
    let groupware = Groupware::new(url, Default::default()).unwrap();
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
        misnamed: Vec::new(),
        under_way: HashMap::new(),
        most_under_way: 0,
        throttled: 0,
    }));
    let start = || Logins::new(vault.clone(), policy, TaskTracker::new());
    let mut logins: Vec<_> = (0..gateways).map(|_| start()).collect();
    let (mut ended, mut tried) = (Vec::new(), Vec::new());
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
                    0 => drop(tokio::spawn(try_password(
                        logins,
                        groupware,
                        server,
                        user,
                        Password::Wrong,
                    ))),
                    // Never a password that is revoked meanwhile.
                    2 if user < USERS / 2 && bearer == BearerLogins::Off => {
                        tried.push(tokio::spawn(try_password(
                            logins,
                            groupware,
                            server,
                            user,
                            Password::Good,
                        )));
                    }
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
        // Whoever shows good passwords is never locked out, whatever the permits are.
        for tried in join_all(tried.drain(..)).await {
            let tried = tried.unwrap();
            let is_fair = matches!(tried, Ok(()) | Err(Error::TooManyRefused(_)));
            assert!(is_fair, "{tried:?}");
        }
        // Longer than any call, and sometimes longer than the server counts.
        tokio::time::sleep(Duration::from_millis(random.u64(2000..600_000))).await;
        {
            let mut server = server.lock();
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
    (server.into_inner(), ended)
}

async fn nobody_pays_for_others(gateways: usize) {
    let (server, ended) = model(gateways, true, BearerLogins::Auto).await;
    // It is a test only if there are refusals of both kinds, and blocks by others.
    assert!(server.refused > PERMITS, "{}", server.refused);
    assert!(server.throttled > 0);
    assert!(
        server.most_of_gateways <= PERMITS,
        "{}",
        server.most_of_gateways
    );
    assert_eq!(server.most_under_way, 1);
    // Each of them costs one permit, and none of its calls fails.
    let mut misnamed = server.misnamed.clone();
    misnamed.sort_unstable();
    misnamed.dedup();
    assert!(!misnamed.is_empty());
    assert_eq!(misnamed.len(), server.misnamed.len());
    for (user, call) in ended.iter().filter(|(user, _)| MISNAMED.contains(user)) {
        assert!(call.result.is_ok(), "user{user}: {:?}", call.result);
    }
    let of_healthy = || ended.iter().filter(|(user, _)| *user < MISNAMED.start);
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
    permits_bound_refusals(BearerLogins::Auto).await;
}

#[tokio::test(start_paused = true)]
async fn with_bearer_logins_off_the_server_never_counts_more_than_there_are_permits() {
    permits_bound_refusals(BearerLogins::Off).await;
}

async fn permits_bound_refusals(bearer: BearerLogins) {
    let (server, ended) = model(1, false, bearer).await;
    assert_eq!(server.most_under_way, 1);
    assert!(server.refused >= PERMITS, "{}", server.refused);
    assert!(
        server.most_of_gateways <= PERMITS,
        "{}",
        server.most_of_gateways
    );
    let rejected = ended.iter().filter(
        |(_, call)| matches!(call.result, Err(Error::TooManyRefused(wait)) if wait <= WINDOW),
    );
    assert!(rejected.count() > 0);
    let served = ended.iter().filter(|(_, call)| call.result.is_ok());
    assert!(served.count() > 100);
}
