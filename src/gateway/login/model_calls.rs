//! The whole of [`Logins`] against a model of the server's count, in simulated time: 50 users who
//! call at once, bring passwords and are revoked, with restarts in between.
//!
//! The store keeps times of the real clock, so the refusals in it do not grow old here. That makes
//! places scarcer than they are, and never more plentiful. Where gateways read it all the time, the model
//! removes what is old.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures_util::future::join_all;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::places::WINDOW;
use super::{LoginPolicy, Logins, login};
use crate::gateway::Error;
use crate::groupware::{Groupware, GroupwareError, LoginEvidence, Reply};
use crate::vault::{AppPassword, Keyring, LoginPurpose, MemoryStore, Store as _, Vault};

const USERS: usize = 50;

/// Counts failures as a real server does.
#[derive(Default)]
struct Server {
    revoked: HashSet<String>,
    failures: Vec<(Instant, String)>,
    most: usize,
    refused: usize,
}

// === impl Server ===

impl Server {
    fn log_in(&mut self, user_id: &str, works: bool) -> LoginEvidence {
        if works {
            self.failures.retain(|(_, name)| name != user_id);
            return LoginEvidence::Accepted;
        }
        let now = Instant::now();
        self.failures.retain(|(at, _)| now - *at < WINDOW);
        self.failures.push((now, user_id.to_owned()));
        self.most = self.most.max(self.failures.len());
        self.refused += 1;
        LoginEvidence::Refused
    }
}

fn below(limit: u64) -> u64 {
    getrandom::u64().unwrap() % limit
}

/// The time that a request is on its way.
async fn travel() {
    tokio::time::sleep(Duration::from_millis(below(200))).await;
}

fn reply(login: LoginEvidence) -> Reply<(), Error> {
    Reply {
        result: match login {
            LoginEvidence::Refused => Err(GroupwareError::Refused.into()),
            _ => Ok(()),
        },
        login,
    }
}

async fn call(logins: Logins<MemoryStore>, server: Arc<Mutex<Server>>, user_id: String) -> bool {
    let groupware = Groupware::builder("http://127.0.0.1:9".parse().unwrap());
    let groupware = groupware.build().unwrap();
    let name = user_id.clone();
    let outcome = logins.use_stored(&user_id, groupware, None, move |_| async move {
        travel().await;
        let evidence = {
            let mut server = server.lock().unwrap();
            let works = !server.revoked.contains(&name);
            server.log_in(&name, works)
        };
        travel().await;
        Ok::<_, Error>(reply(evidence))
    });
    outcome.await.is_ok()
}

async fn bring_a_wrong_one(
    logins: Logins<MemoryStore>,
    server: Arc<Mutex<Server>>,
    user_id: String,
) -> bool {
    let purpose = match below(2) {
        0 => LoginPurpose::New,
        _ => LoginPurpose::Basic,
    };
    let new = login(&user_id, &user_id, purpose);
    let Ok(permit) = logins.permit(new.clone()).await else {
        return false;
    };
    travel().await;
    server.lock().unwrap().log_in(&user_id, false);
    travel().await;
    logins.count_refused(Some(permit), new).await.unwrap();
    false
}

#[tokio::test(start_paused = true)]
async fn never_more_refusals_than_places_whatever_is_called() {
    let (refused, served, most) = model(1, MemoryStore::new()).await;
    // It is a test only if logins are refused, and only if others work.
    assert!(refused > 20, "{refused}");
    assert!(served > 100, "{served}");
    assert!(most <= 9, "{most}");
}

/// Three gateways on one store, which are restarted one by one.
#[tokio::test(start_paused = true)]
async fn never_more_refusals_than_places_by_three_gateways_together() {
    let store = MemoryStore::for_several_gateways();
    let (refused, served, most) = model(3, store).await;
    assert!(refused > 20, "{refused}");
    assert!(served > 100, "{served}");
    assert!(most <= 9, "{most}");
}

/// How many logins were refused, how many calls were served, and how many refusals the server counted at
/// most.
async fn model(gateways: usize, store: MemoryStore) -> (usize, usize, usize) {
    let policy = LoginPolicy::default().refused_retry(Duration::ZERO);
    let vault = Vault::new(Keyring::generate().unwrap(), store);
    let password = AppPassword::new("aaaaa-bbbbb-ccccc-ddddd-eeeee").unwrap();
    let users: Vec<_> = (0..USERS).map(|user| format!("user{user}")).collect();
    for user in &users {
        vault.put(user, user, &password).await.unwrap();
    }
    let server = Arc::new(Mutex::new(Server::default()));
    let start = || Logins::new(vault.clone(), None, policy, TaskTracker::new());
    let mut logins: Vec<_> = (0..gateways).map(|_| start()).collect();
    let mut seen: HashMap<u64, Instant> = HashMap::new();
    let mut served = 0;
    for round in 0..300 {
        let mut calls = Vec::new();
        for user in &users {
            for _ in 0..below(3) {
                let logins = &logins[below(gateways as u64) as usize];
                let task = match below(8) {
                    0 => tokio::spawn(bring_a_wrong_one(
                        logins.clone(),
                        server.clone(),
                        user.clone(),
                    )),
                    _ => tokio::spawn(call(logins.clone(), server.clone(), user.clone())),
                };
                calls.push(task);
            }
        }
        let answers = join_all(calls).await;
        served += answers
            .into_iter()
            .filter(|it| *it.as_ref().unwrap())
            .count();
        // Longer than a password counts as having worked a moment ago.
        tokio::time::sleep(Duration::from_millis(300 + below(300_000))).await;
        {
            let mut server = server.lock().unwrap();
            for user in &users {
                match below(40) {
                    0 => drop(server.revoked.insert(user.clone())),
                    1..10 => drop(server.revoked.remove(user)),
                    _ => {}
                }
            }
            if round % 40 == 39 {
                server.revoked.extend(users.iter().cloned());
            }
        }
        if round % 25 == 24 {
            logins[round / 25 % gateways] = start();
        }
        if gateways > 1 {
            let kept = vault.store().refused_logins(SystemTime::UNIX_EPOCH).await;
            let now = Instant::now();
            let old = kept.unwrap().into_iter().map(|it| it.id);
            let old = old.filter(|id| now - *seen.entry(*id).or_insert(now) >= WINDOW);
            let old = old.collect();
            vault.store().remove_refused_logins(old).await.unwrap();
        }
    }
    let server = server.lock().unwrap();
    (server.refused, served, server.most)
}
