//! The whole of [`Logins`] against a model of the server's count, in simulated time: users who call at
//! once, try passwords, were stored with a wrong login name and are revoked together, also while their calls are in
//! flight, through one gateway or three, which are restarted and killed.
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
use tokio_util::sync::CancellationToken;
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
#[derive(Default)]
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
    /// When these users' stored passwords were last accepted.
    accepted: HashMap<usize, Instant>,
    throttled: usize,
}

/// Once it is killed, it sends nothing and gets no answer, but what it has sent arrives.
#[derive(Clone)]
struct Gateway {
    logins: Logins,
    groupware: Groupware,
    server: Arc<Mutex<Server>>,
    killed: CancellationToken,
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
            LoginEvidence::Accepted => {
                self.failures.retain(|(_, by)| *by != user);
                if password == Password::Stored {
                    self.accepted.insert(user, Instant::now());
                }
            }
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
        let accepted = self.accepted.get(&user);
        let is_proven = accepted.is_some_and(|at| at.elapsed() < Duration::from_secs(10));
        assert!(*under_way == 1 || is_proven, "user{user}: {under_way}");
    }

    fn end(&mut self, user: usize) {
        // Nothing is under way of those that were killed.
        if let Some(under_way) = self.under_way.get_mut(&user) {
            *under_way = under_way.saturating_sub(1);
        }
    }
}

// === impl Gateway ===

impl Gateway {
    fn kill(&self) {
        self.killed.cancel();
        self.logins.close();
        self.server.lock().under_way.clear();
    }

    fn spawn(&self, work: impl Future<Output: Send> + Send + 'static) {
        let killed = self.killed.clone();
        tokio::spawn(async move { killed.run_until_cancelled(work).await.map(drop) });
    }

    async fn request(
        self,
        user: usize,
        password: Password,
        access: Access,
    ) -> Result<Reply<()>, Error> {
        let (server, is_bearer) = (&self.server, access.account.is_bearer());
        if self.killed.is_cancelled() {
            return Err(Error::Suspended);
        }
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
        if self.killed.is_cancelled() {
            return Err(Error::Suspended);
        }
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

    async fn call(self, user: usize) -> Ended {
        let began = Instant::now();
        let mut requests = 0;
        let name = name(user);
        let mut counted = |access| {
            requests += 1;
            let request = self.clone().request(user, Password::Stored, access);
            async { Ok::<_, Error>(request.await?.and_then(Ok::<_, Error>)) }
        };
        let (logins, groupware) = (&self.logins, &self.groupware);
        let used = logins.use_stored(&name, groupware, None, |_| Ok(()), &mut counted);
        let result = used.await;
        Ended { result, requests, time: began.elapsed() }
    }

    async fn try_password(self, user: usize, password: Password) -> Result<(), Error> {
        let name = name(user);
        let tried = vault::Login {
            name: name.as_str().into(),
            password: AppPassword::new("tried-tried-tried-tried-tried").unwrap(),
        };
        let mut login = unstored(&self.groupware, &name, &tried, None);
        let call = |access| self.clone().request(user, password, access);
        // Only the good ones are counted, so that none of them is refused for the wrong ones.
        let users = (password == Password::Good).then(|| &self.logins.inner.users);
        let tried = self.logins.try_password(&mut login, users, call).await;
        tried.map(drop)
    }
}

fn name(user: usize) -> String {
    format!("user{user}")
}

/// A server, and what starts gateways on one store with its users.
async fn site(
    random: Rng,
    takes_bearer: bool,
    bearer: BearerLogins,
) -> (Arc<Mutex<Server>>, impl Fn() -> Gateway) {
    let policy = LoginPolicy { refused_retry: Duration::ZERO, bearer, ..LoginPolicy::default() };
    let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    let url = "http://127.0.0.1:9".parse().unwrap();
    let groupware = Groupware::new(url, Default::default()).unwrap();
    let password = AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee").unwrap();
    for user in (0..USERS).map(name) {
        vault.put(&user, &user, &password).await.unwrap();
    }
    let server = Arc::new(Mutex::new(Server { random, takes_bearer, ..Server::default() }));
    let of_gateways = server.clone();
    let start = move || Gateway {
        logins: Logins::new(vault.clone(), policy, TaskTracker::new()),
        groupware: groupware.clone(),
        server: of_gateways.clone(),
        killed: CancellationToken::new(),
    };
    (server, start)
}

/// A day with this many gateways on one store, one of which is killed now and then if it `dies`.
async fn model(
    count: usize,
    takes_bearer: bool,
    bearer: BearerLogins,
    dies: bool,
) -> (Server, Vec<(usize, Ended)>) {
    let mut random = seed::rng();
    let (server, start) = site(random.fork(), takes_bearer, bearer).await;
    let mut gateways: Vec<_> = (0..count).map(|_| start()).collect();
    let (mut ended, mut tried) = (Vec::new(), Vec::new());
    let mut last_death = Instant::now();
    for round in 0..300 {
        let mut calls = Vec::new();
        // The order decides who gets a permit.
        let mut users: Vec<_> = (0..USERS).collect();
        random.shuffle(&mut users);
        for user in users {
            for _ in 0..random.usize(..3) {
                let gateway = gateways[random.usize(..count)].clone();
                let again = gateway.clone();
                match random.u8(..10) {
                    0 => gateway.spawn(again.try_password(user, Password::Wrong)),
                    // Never a password that is revoked meanwhile.
                    2 if user < USERS / 2 && bearer == BearerLogins::Off => {
                        tried.push(tokio::spawn(again.try_password(user, Password::Good)));
                    }
                    1 => {
                        // Its caller disconnects during the call.
                        let time = Duration::from_millis(random.u64(..2 * TRAVEL));
                        gateway.spawn(tokio::time::timeout(time, again.call(user)));
                    }
                    _ => calls.push(tokio::spawn(async move { (user, again.call(user).await) })),
                }
            }
        }
        ended.extend(join_all(calls).await.into_iter().map(Result::unwrap));
        // Some call many times at once, and the passwords of some are revoked meanwhile.
        let (hasty, gateway) = (random.usize(..USERS), random.usize(..count));
        for user in [[hasty; 12], [random.usize(..USERS); 12]].concat() {
            let time = Duration::from_millis(random.u64(..2 * TRAVEL));
            let call = gateways[gateway].clone().call(user);
            gateways[gateway].spawn(async move {
                tokio::time::sleep(time).await;
                call.await
            });
        }
        tokio::time::sleep(Duration::from_millis(random.u64(..3 * TRAVEL))).await;
        if hasty >= USERS / 2 && random.bool() {
            server.lock().revoked.insert(hasty);
        }
        if dies && last_death.elapsed() > WINDOW {
            gateways[gateway].kill();
            gateways[gateway] = start();
            last_death = Instant::now();
        }
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
            gateways[round / 25 % count] = start();
        }
    }
    drop((gateways, start));
    let server = Arc::into_inner(server).expect("all calls have ended");
    (server.into_inner(), ended)
}

async fn nobody_pays_for_others(gateways: usize) {
    let (server, ended) = model(gateways, true, BearerLogins::Auto, false).await;
    // It is a test only if there are refusals of both kinds, and blocks by others.
    assert!(server.refused > PERMITS, "{}", server.refused);
    assert!(server.throttled > 0);
    assert!(server.most_of_gateways <= PERMITS, "{}", server.most_of_gateways);
    // A password takes turns, or all permits but one while it is known to work.
    assert_eq!(server.most_under_way, PERMITS - 1);
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
        assert!(call.time <= longest, "user{user}: {:?} for {}", call.time, call.requests);
    }
    let twice = of_healthy().filter(|(_, call)| call.requests > 1).count();
    assert!(twice <= server.throttled, "{twice} of {}", server.throttled);
    let dead = ended.iter().filter(|(_, call)| call.result.is_err());
    for (user, call) in dead {
        let error = call.result.as_ref().unwrap_err();
        assert!(!matches!(error, Error::TooManyRefused(_)), "user{user}: {error}");
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
    let (server, ended) = model(1, false, bearer, false).await;
    assert!(server.most_under_way < PERMITS);
    assert!(server.refused >= PERMITS, "{}", server.refused);
    assert!(server.most_of_gateways <= PERMITS, "{}", server.most_of_gateways);
    let rejected = ended.iter().filter(
        |(_, call)| matches!(call.result, Err(Error::TooManyRefused(wait)) if wait <= WINDOW),
    );
    assert!(rejected.count() > 0);
    let served = ended.iter().filter(|(_, call)| call.result.is_ok());
    assert!(served.count() > 100);
}

#[tokio::test(start_paused = true)]
async fn never_an_eleventh_however_gateways_are_killed() {
    let (server, _) = model(3, true, BearerLogins::Auto, true).await;
    assert!((2..=2 * PERMITS).contains(&server.most_of_gateways), "{}", server.most_of_gateways);
}

/// All permits are those of calls with passwords that are revoked, when the gateway is killed; and then again, and
/// nothing is killed.
#[tokio::test(start_paused = true)]
async fn a_kill_at_the_worst_moment_makes_ten_refusals_and_no_eleventh() {
    let (server, start) = site(seed::rng(), true, BearerLogins::Auto).await;
    let (hasty, slow) = (USERS - 1, USERS - 2);
    for dies in [true, false] {
        let gateway = start();
        let call = |user| gateway.clone().call(user);
        server.lock().revoked.clear();
        assert!(call(hasty).await.result.is_ok());
        server.lock().revoked.extend([hasty, slow]);
        let calls = (0..20).map(|at| call(if at == 7 { slow } else { hasty }));
        let calls = tokio::spawn(join_all(calls.collect::<Vec<_>>()));
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let under_way: usize = server.lock().under_way.values().sum();
        assert_eq!(under_way, PERMITS);
        if dies {
            gateway.kill();
        }
        calls.await.unwrap();
        tokio::time::sleep(Duration::from_millis(3 * TRAVEL)).await;
    }
    let server = server.lock();
    assert_eq!((server.of_gateways.len(), server.throttled), (2 * PERMITS, 0));
}
