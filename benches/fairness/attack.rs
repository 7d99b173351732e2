//! Those who do their worst.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::sync::{Barrier, Semaphore};
use tokio::task::JoinSet;

use super::{House, TICK, until_parent_ends};

pub(super) const ATTACKS: [&str; 7] =
    ["hang", "anew", "filters", "fails", "burst", "lists", "backlog"];

impl House {
    /// Of those of all attackers, so many are sent at once as by a server with very many workers: a gateway takes 256.
    async fn event_of_attacker(&self, user: &str) {
        static WORKERS: Semaphore = Semaphore::const_new(200);

        let _worker = WORKERS.acquire().await.unwrap();
        self.event(user, u64::MAX >> 1).await;
    }

    /// Sends its part of so many events, 200 at once from all accounts.
    async fn burst(&self, user: &str, of_all: usize, accounts: usize) {
        let at_once = (200 / accounts).max(1);
        let events = futures_util::stream::iter(0..of_all / accounts);
        let sent = events.for_each_concurrent(at_once, async |_| {
            self.event_of_attacker(user).await;
        });
        sent.await;
    }

    /// Does its worst in one way, until it is dropped: so many accounts do the same, once all have their targets.
    async fn attack(self, attack: &str, user: String, accounts: usize, begin: Arc<Barrier>) {
        let filter = |n: usize| {
            let part = |k| json!({"event.node.path": format!("/(?:a?){{{}}}b/", 200 + 5 * n + k)});
            let parts = [0, 1, 2, 3, 4].map(part);
            json!({ "$or": parts })
        };
        let mut targets = Vec::new();
        let number = match attack {
            "burst" | "lists" => 1,
            "fails" | "backlog" => 5,
            _ => 100,
        };
        for n in 0..number {
            targets.push(match attack {
                "fails" | "backlog" => self.target(&user, "127.0.0.1:9", Value::Null).await,
                "filters" => self.target(&user, &self.good, filter(n)).await,
                "burst" | "lists" => self.target(&user, &self.good, Value::Null).await,
                _ => self.target(&user, &self.hanging, Value::Null).await,
            });
        }
        if attack == "backlog" {
            self.burst(&user, 60_000, accounts).await;
            // Until their deliveries are made, and each target has failed for a while.
            tokio::time::sleep(Duration::from_secs(30)).await;
        }
        begin.wait().await;
        match attack {
            "backlog" => std::future::pending().await,
            "burst" => self.burst(&user, 20_000, accounts).await,
            "fails" => {
                self.burst(&user, 20_000, accounts).await;
                loop {
                    self.event_of_attacker(&user).await;
                    tokio::time::sleep(TICK).await;
                }
            }
            "lists" => {
                for _ in 0..300 {
                    self.event_of_attacker(&user).await;
                }
                let mut loops = JoinSet::new();
                for _ in 0..8 {
                    let (house, user, path) = (self.clone(), user.clone(), targets[0].clone());
                    loops.spawn(async move {
                        let all = json!({"since": "2026-01-01T00:00:00Z", "all": true});
                        loop {
                            let list = format!("{path}/deliveries");
                            house.call(&user, "GET", &list, Value::Null).await;
                            let replay = format!("{path}/replay");
                            house.call(&user, "POST", &replay, all.clone()).await;
                        }
                    });
                }
                loops.join_all().await;
            }
            "anew" => loop {
                for path in &mut targets {
                    self.event_of_attacker(&user).await;
                    self.call(&user, "DELETE", path, Value::Null).await;
                    *path = self.target(&user, &self.hanging, Value::Null).await;
                }
            },
            _ => loop {
                self.event_of_attacker(&user).await;
                tokio::time::sleep(TICK).await;
            },
        }
    }
}

/// So many accounts divide `attacks` among themselves, until the process that has begun this one ends.
pub(crate) async fn attack(attacks: &str, gateway: &str, accounts: usize) {
    let house = House::new(gateway).await;
    let attacks: Vec<_> = attacks.split(',').map(str::to_owned).collect();
    let of_each = accounts.div_ceil(attacks.len());
    let begin = Arc::new(Barrier::new(of_each * attacks.len() + 1));
    let mut attacking = JoinSet::new();
    for attack in attacks {
        for number in 0..of_each {
            let (house, user, attack) =
                (house.clone(), format!("{attack}-{number}"), attack.clone());
            let begin = begin.clone();
            attacking.spawn(async move { house.attack(&attack, user, of_each, begin).await });
        }
    }
    begin.wait().await;
    println!("begun");
    until_parent_ends().await;
}
