//! A hundred users store, grant, use, remove and revoke through three gateways on one PostgreSQL
//! database; what they see is compared with a model (docs/OPERATIONS.md, "What is promised").

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::several::{serve, write_keys};
use crate::support::binary::{Served, exchange, has_access};
use crate::support::gateway::Answer;
use crate::support::nextcloud::Nextcloud;
use crate::support::postgres::shared;
use crate::support::seed;

const USERS: usize = 100;
const THREADS: usize = 10;
const SECOND: Duration = Duration::from_secs(1);
const CREDENTIALS: &str = "/api/v1/background-sync/credentials";
const FLOW: &str = "/api/v1/background-sync/login-flow";

/// A call and its answer.
struct Call {
    began: Instant,
    ended: Instant,
    outcome: Outcome,
}

/// What a call did, or found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// A change: whether something is stored after it.
    Change(bool),
    /// A use: whether something was stored.
    Use(bool),
    /// A use of a password that the server no longer knew: it had been stored, and was destroyed when
    /// it was replaced or revoked.
    StaleUse,
}

/// The gateways and the groupware server behind them.
struct Scene<'s> {
    /// Of the load balancer in front of the gateways.
    address: SocketAddr,
    gateways: [SocketAddr; 3],
    nextcloud: &'s Nextcloud,
    passwords: &'s AtomicUsize,
}

// === impl Scene ===

impl Scene<'_> {
    /// Stores a new app password of the user; returns whether it was stored.
    fn store(&self, user: &str, token: &str) -> bool {
        let number = self.passwords.fetch_add(1, Ordering::Relaxed);
        let password = format!("app0password0of0a0user0{number:010}");
        self.nextcloud.allow(user, user, &password);
        let answer = store(self.address, token, &password);
        is_done(&answer)
    }

    /// Removes the app password; returns whether it was removed.
    fn remove(&self, token: &str, query: &str) -> bool {
        let answer = exchange(self.address, "DELETE", &format!("{CREDENTIALS}{query}"), token);
        is_done(&answer.unwrap())
    }

    /// Starts a login flow at gateway `first`, grants it, and polls at both others at once. Returns
    /// when the first poll after the grant began, or `None` if too many of the user's passwords were
    /// refused.
    fn grant(&self, first: usize, user: &str, token: &str) -> Option<Instant> {
        let [one, other, another] = [0, 1, 2].map(|at| self.gateways[(first + at) % 3]);
        let started = exchange(one, "POST", FLOW, token).unwrap();
        assert_eq!(started.status, 200, "{started:?}");
        let started = started.json();
        let path = format!("{FLOW}/{}", started["flow_id"].as_str().unwrap());
        let poll = |gateway| {
            let answer = exchange(gateway, "GET", &path, token).unwrap();
            is_done(&answer).then(|| answer.json()["status"] == "granted")
        };
        assert!(!poll(other)?, "it is not granted yet");
        self.nextcloud.grant(started["login_url"].as_str().unwrap(), user);
        let began = Instant::now();
        loop {
            let granted = std::thread::scope(|scope| {
                let polls = [other, another].map(|gateway| scope.spawn(move || poll(gateway)));
                // Both are polled, whatever the first one answers.
                polls.map(|it| it.join().unwrap())
            });
            if granted.contains(&None) {
                return None;
            }
            if granted.contains(&Some(true)) {
                break;
            }
            assert!(began.elapsed() < 60 * SECOND, "the grant is lost");
        }
        assert!(poll(one)?, "every gateway knows of the grant");
        Some(began)
    }

    /// `None` if too many of the user's passwords were refused.
    fn use_password(&self, token: &str) -> Option<Outcome> {
        let answer = exchange(self.address, "GET", "/api/v1/apps", token).unwrap();
        Some(match answer.status {
            200 => Outcome::Use(true),
            428 => Outcome::Use(false),
            429 => return None,
            500 => {
                let message = answer.assert_error(500, "Internal error");
                let refused = "The groupware server did not accept the stored app password.";
                assert_eq!(message, refused);
                Outcome::StaleUse
            }
            _ => panic!("a use was answered {answer:?}"),
        })
    }
}

/// Whether a change was made; if not, too many of the user's passwords were refused.
fn is_done(answer: &Answer) -> bool {
    assert!([200, 429].contains(&answer.status), "{answer:?}");
    answer.status == 200
}

/// A use sees what was stored when it began, or up to a second before, and nothing older.
#[test]
fn the_history_of_each_user_is_consistent_with_a_single_store() {
    let Some(server) = shared() else { return };
    let url = server.database();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_keys(dir, &[1]);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let nextcloud = runtime.block_on(Nextcloud::start());
    for answer in ["capabilities-admin-app-password", "user-alice", "apppassword-delete"] {
        nextcloud.answer(answer);
    }
    nextcloud.accounts([]);
    nextcloud.keep_login_flows();
    let users: Vec<_> = (0..USERS).map(|user| format!("user{user:02}")).collect();
    let tokens_file = portreeve::identity::TokensFile::new(dir.join("tokens"));
    let token = |user: &String| {
        let token = tokens_file.new_token(user, [], None).unwrap().token;
        token.expose().to_owned()
    };
    let tokens: Vec<_> = users.iter().map(token).collect();
    let served = [(); 3].map(|()| {
        let mut command = serve(&url, dir);
        command.args(["--groupware-url", nextcloud.url()]);
        Served::start(&mut command)
    });
    let gateways = served.each_ref().map(|it| it.address);
    let scene = Scene {
        address: balance(gateways),
        gateways,
        nextcloud: &nextcloud,
        passwords: &AtomicUsize::new(0),
    };
    let began = Instant::now();
    let calls = AtomicUsize::new(0);
    // A machine that is busy with other tests takes longer to make enough calls.
    let goes_on = || match calls.fetch_add(1, Ordering::Relaxed) {
        0..600 => began.elapsed() < 60 * SECOND,
        _ => began.elapsed() < 8 * SECOND,
    };
    let grants = AtomicUsize::new(0);
    let mut random = seed::rng();
    let histories: Vec<(Vec<Call>, bool)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (users, tokens, grants) = (&users, &tokens, &grants);
                let (scene, goes_on) = (&scene, &goes_on);
                let mut random = random.fork();
                scope.spawn(move || {
                    let mut histories: Vec<_> = (0..USERS / THREADS).map(|_| vec![]).collect();
                    let mut limited = [false; USERS / THREADS];
                    while goes_on() && limited.contains(&false) {
                        let at = random.usize(..USERS / THREADS);
                        if limited[at] {
                            continue;
                        }
                        let user = THREADS * at + thread;
                        let (user, token) = (&users[user], &tokens[user]);
                        let mut began = Instant::now();
                        let outcome = match random.u8(..10) {
                            0 => scene.store(user, token).then_some(Outcome::Change(true)),
                            1 => scene.grant(random.usize(..3), user, token).map(|polled| {
                                began = polled;
                                grants.fetch_add(1, Ordering::Relaxed);
                                Outcome::Change(true)
                            }),
                            2 => scene.remove(token, "").then_some(Outcome::Change(false)),
                            3 => {
                                let removed = scene.remove(token, "?revoke=true");
                                removed.then_some(Outcome::Change(false))
                            }
                            _ => scene.use_password(token),
                        };
                        // On a busy machine the other gateways learn of a removal late, and uses are
                        // refused until the user has reached the limit. Such a user stops calling.
                        let Some(outcome) = outcome else {
                            limited[at] = true;
                            continue;
                        };
                        histories[at].push(Call { began, ended: Instant::now(), outcome });
                    }
                    histories.into_iter().zip(limited).collect::<Vec<_>>()
                })
            })
            .collect();
        let threads = threads.into_iter();
        threads.flat_map(|it| it.join().unwrap()).collect()
    });
    let (mut uses, mut changes) = (0, 0);
    for (history, _) in &histories {
        for (at, call) in history.iter().enumerate() {
            match call.outcome {
                Outcome::Change(_) => changes += 1,
                _ => {
                    uses += 1;
                    assert!(is_explained(history, at), "{:?}: {}", call.outcome, describe(history));
                }
            }
        }
    }
    let grants = grants.into_inner();
    assert!(
        uses > 100 && changes > 50 && grants > 10,
        "{uses} uses, {changes} changes, {grants} of them grants"
    );
    // In the end all gateways agree with the last change.
    std::thread::sleep(SECOND);
    for (at, (history, is_limited)) in histories.iter().enumerate() {
        if *is_limited {
            continue;
        }
        let token = &tokens[THREADS * (at % THREADS) + at / THREADS];
        let last = history.iter().rev().find_map(|it| it.outcome.stored());
        let last = last.unwrap_or(false);
        for gateway in gateways {
            assert_eq!(has_access(gateway, token), Some(last), "{}", describe(history));
        }
    }
    println!("{uses} uses and {changes} changes of {USERS} users, {grants} of them grants");
}

// === impl Outcome ===

impl Outcome {
    /// Whether something is stored after a change.
    fn stored(self) -> Option<bool> {
        match self {
            Self::Change(stored) => Some(stored),
            _ => None,
        }
    }
}

/// Whether the use at index `at` of a user's history found what was stored when it began, or up to a
/// second before.
fn is_explained(history: &[Call], at: usize) -> bool {
    let call = &history[at];
    // Nothing is stored at first.
    let mut held = vec![(None, false)];
    held.extend(history.iter().filter_map(|it| Some((Some(it), it.outcome.stored()?))));
    held.iter().enumerate().any(|(at, (change, stored))| {
        let has_begun = change.is_none_or(|it| it.began <= call.ended);
        let next = held.get(at + 1).and_then(|(next, _)| *next);
        let has_lasted = next.is_none_or(|next| next.ended + SECOND >= call.began);
        let fits = match call.outcome {
            Outcome::Use(found) => *stored == found,
            // The next change was already under way.
            _ => *stored && next.is_some_and(|next| next.began <= call.ended),
        };
        fits && has_begun && has_lasted
    })
}

/// A history as text.
fn describe(history: &[Call]) -> String {
    let Some(first) = history.first() else {
        return "nothing happened".to_owned();
    };
    let at = |instant: Instant| instant.duration_since(first.began).as_millis();
    let lines = history
        .iter()
        .map(|call| format!("\n{}-{} ms {:?}", at(call.began), at(call.ended), call.outcome));
    lines.collect()
}

/// Starts a load balancer that forwards connections to the gateways in turn; returns its address.
fn balance(gateways: [SocketAddr; 3]) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for (client, gateway) in listener.incoming().flatten().zip(gateways.iter().cycle()) {
            let Ok(server) = TcpStream::connect(gateway) else {
                continue;
            };
            let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            let (mut answers, mut back) = (server, client);
            std::thread::spawn(move || std::io::copy(&mut from, &mut to));
            std::thread::spawn(move || {
                std::io::copy(&mut answers, &mut back).ok();
                back.shutdown(std::net::Shutdown::Both).ok();
            });
        }
    });
    address
}

/// Sends an app password to be stored.
fn store(address: SocketAddr, token: &str, password: &str) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    let body = format!("{{\"appPassword\": \"{password}\"}}");
    let request = format!(
        "POST {CREDENTIALS} HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\
         Authorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok();
    Answer::parse(&bytes)
}
