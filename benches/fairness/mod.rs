//! What an account notices of others that do their worst: `cargo bench --bench deliveries -- --fair 1,3,100`; with
//! `--attack NAME`, of one attack.
//!
//! A gateway with its worker serves in this process. Twenty times a second an event of *alice* comes, and she lists her
//! deliveries; a receiver notes when each attempt comes. First for a while nothing else happens. Then so many accounts make
//! each attack, on an empty database, and at last the same number divides all attacks among itself (one each at least):
//!
//! | attack | each account |
//! |---|---|
//! | hang | has 100 targets that take connections and never answer, and 20 events a second |
//! | anew | removes them one after the other, and makes them again, as fast as it can |
//! | filters | has 100 targets with filters that take as long as filters may, and 20 events a second |
//! | fails | has 5 targets that refuse connections, its part of 20,000 events, and then 20 a second |
//! | burst | has a target, and its part of 20,000 events, as fast as they are taken |
//! | lists | lists its deliveries and replays them in a loop, eight at once |

pub(crate) mod sending;

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt as _;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use portreeve::deliveries::{Deliveries, Limits, Networks, Queue, Worker};
use portreeve::gateway::{AnswerBody, Gateway, Settings};
use portreeve::groupware::DeliveryAuth;
use portreeve::identity::{BearerToken, Caller, TokenVerifier, VerifyError};
use portreeve::server::{self, Bounds};
use portreeve::vault::{Keyring, MemoryStore, Vault};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Barrier, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tower::util::BoxCloneSyncService;
use tower::{ServiceExt as _, service_fn};

const GATEWAY: &str = "https://gateway.test";
const RECEIVE: &str = "/webhooks/nextcloud";
const TARGETS: &str = "/api/v1/deliveries/targets";
const ATTACKS: [&str; 6] = ["hang", "anew", "filters", "fails", "burst", "lists"];
/// How long each is measured, after it has begun.
const TIME: Duration = Duration::from_secs(8);
const TICK: Duration = Duration::from_millis(50);

/// When each event was sent that has not arrived, and how long those took that have.
type Arrivals = (HashMap<u64, Instant>, Vec<Duration>);

/// The token is the name of the user.
struct Anybody;

impl TokenVerifier for Anybody {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        Ok(Caller::new(token.expose()))
    }
}

/// A gateway, and whoever uses it.
#[derive(Clone)]
struct House {
    _worker: Arc<AbortOnDropHandle<()>>,
    service: BoxCloneSyncService<Request<Full<Bytes>>, Response<AnswerBody>, Infallible>,
    credential: Arc<str>,
    good: String,
    hanging: String,
    /// When each event of alice was sent, and how long after that its attempt came.
    arrivals: Arc<Mutex<Arrivals>>,
    /// How many have come, of all.
    attempts: Arc<AtomicU64>,
}

impl House {
    async fn new(queue: Queue) -> Self {
        let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
        let deliveries = Deliveries::new(vault.clone(), queue, Limits::default());
        let networks = Networks::new(["127.0.0.0/8".parse().unwrap()]);
        let worker = Worker::new(deliveries, networks);
        let auth = DeliveryAuth::derived("secret".into()).unwrap();
        let credential = auth.authorization_for(&format!("{GATEWAY}{RECEIVE}"));
        let mut settings = Settings::default();
        settings.delivery = Some(auth);
        settings.public_url = Some(GATEWAY.parse().unwrap());
        let gateway = Gateway::new(Anybody, vault).settings(settings);
        let gateway = gateway.deliveries(worker.clone());
        let worker = tokio::spawn(worker.run(CancellationToken::new()));
        let arrivals = Arc::<Mutex<Arrivals>>::default();
        let (noted, attempts) = (arrivals.clone(), Arc::<AtomicU64>::default());
        let counted = attempts.clone();
        let receiver = service_fn(move |attempt: Request<Incoming>| {
            let (noted, counted) = (noted.clone(), counted.clone());
            async move {
                let came = Instant::now();
                let body = attempt.into_body().collect().await.unwrap().to_bytes();
                let body: Value = serde_json::from_slice(&body).unwrap();
                counted.fetch_add(1, Ordering::SeqCst);
                let mut noted = noted.lock().unwrap();
                let number = body["event"]["node"]["id"].as_u64().unwrap();
                if let Some(sent) = noted.0.remove(&number) {
                    noted.1.push(came - sent);
                }
                Ok::<_, Infallible>(Response::<String>::default())
            }
        });
        let good = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri = |listener: &TcpListener| format!("http://{}/", listener.local_addr().unwrap());
        let house = Self {
            _worker: Arc::new(AbortOnDropHandle::new(worker)),
            service: BoxCloneSyncService::new(gateway.into_service().unwrap()),
            credential: credential.expose().into(),
            good: uri(&good),
            hanging: uri(&hanging),
            arrivals,
            attempts,
        };
        tokio::spawn(async move {
            server::serve(good, receiver, Bounds::default(), std::future::pending()).await
        });
        tokio::spawn(async move {
            let mut open = std::collections::VecDeque::new();
            while let Ok((connection, _)) = hanging.accept().await {
                open.push_back(connection);
                // Attempts end by themselves.
                if open.len() > 2000 {
                    open.pop_front();
                }
            }
        });
        house
    }

    async fn send(&self, request: http::request::Builder, body: String) -> (StatusCode, Bytes) {
        let request = request.body(Full::from(body)).unwrap();
        let (head, body) = self.service.clone().oneshot(request).await.unwrap().into_parts();
        // Not read by those who only attack: clients are elsewhere.
        (head.status, body.collect().await.unwrap().to_bytes())
    }

    async fn call(&self, user: &str, method: &str, path: &str, body: Value) -> (StatusCode, Bytes) {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("authorization", format!("Bearer {user}"));
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.send(request, body).await
    }

    async fn event(&self, user: &str, number: u64) -> bool {
        let request = Request::post(RECEIVE).header("authorization", &*self.credential);
        self.send(request, body(user, number)).await.0 == StatusCode::OK
    }

    /// Of those of all attackers, so many are sent at once as by a server with very many workers: a gateway takes 256.
    async fn event_of_attacker(&self, user: &str) {
        static WORKERS: Semaphore = Semaphore::const_new(200);

        let _worker = WORKERS.acquire().await.unwrap();
        self.event(user, u64::MAX >> 1).await;
    }

    async fn target(&self, user: &str, uri: &str, filter: Value) -> String {
        let target = json!({"uri": uri, "eventFilter": filter});
        let (status, made) = self.call(user, "POST", TARGETS, target).await;
        let made: Value = serde_json::from_slice(&made).unwrap_or_default();
        assert_eq!(status, StatusCode::CREATED, "{made}");
        format!("{TARGETS}/{}", made["id"].as_str().unwrap())
    }

    /// Sends its part of 20,000 events, 200 at once from all accounts.
    async fn burst(&self, user: &str, accounts: usize) {
        let at_once = (200 / accounts).max(1);
        let events = futures_util::stream::iter(0..20_000 / accounts);
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
            "fails" => 5,
            _ => 100,
        };
        for n in 0..number {
            targets.push(match attack {
                "fails" => self.target(&user, "http://127.0.0.1:9/", Value::Null).await,
                "filters" => self.target(&user, &self.good, filter(n)).await,
                "burst" | "lists" => self.target(&user, &self.good, Value::Null).await,
                _ => self.target(&user, &self.hanging, Value::Null).await,
            });
        }
        begin.wait().await;
        match attack {
            "burst" => self.burst(&user, accounts).await,
            "fails" => {
                self.burst(&user, accounts).await;
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

    /// What alice notices.
    async fn measure(&self, list: &str) -> String {
        let (mut calls, mut number, mut refused) = (Vec::new(), 0, 0);
        let began = Instant::now();
        let mut tick = tokio::time::interval(TICK);
        while began.elapsed() < TIME {
            tick.tick().await;
            number += 1;
            self.arrivals.lock().unwrap().0.insert(number, Instant::now());
            if !self.event("alice", number).await {
                refused += 1;
                self.arrivals.lock().unwrap().0.remove(&number);
            }
            let began = Instant::now();
            let (status, _) = self.call("alice", "GET", list, Value::Null).await;
            assert_eq!(status, StatusCode::OK);
            calls.push(began.elapsed());
        }
        let waiting = || self.arrivals.lock().unwrap().0.len();
        for _ in 0..100 {
            if waiting() == 0 {
                break;
            }
            tokio::time::sleep(TICK).await;
        }
        let late = std::mem::take(&mut self.arrivals.lock().unwrap().0);
        let mut arrived = self.arrivals.lock().unwrap().1.clone();
        arrived.extend(late.values().map(Instant::elapsed));
        let mut more = String::new();
        for (count, what) in [(late.len(), "later than 5 s"), (refused, "refused")] {
            if count > 0 {
                more += &format!(", {count} {what}");
            }
        }
        format!("{} | {}{more}", shown(&mut arrived), shown(&mut calls))
    }
}

/// An event as the server sends it.
fn body(user: &str, number: u64) -> String {
    let path = "a".repeat(200);
    let body = json!({
        "event": {"node": {"id": number, "path": format!("/{user}/files/{path}")},
                  "class": r"OCP\Files\Events\Node\NodeCreatedEvent"},
        "user": {"uid": user, "displayName": user}, "time": 1,
    });
    body.to_string()
}

fn shown(times: &mut [Duration]) -> String {
    times.sort();
    let [median, most] = [50, 99].map(|part| times.get(times.len() * part / 100));
    let millis = |time: Option<&Duration>| time.map_or(f64::NAN, |it| it.as_secs_f64() * 1e3);
    format!("{:.1}, {:.1}", millis(median), millis(most))
}

pub(crate) async fn run(dir: &Path, accounts: &str) {
    let (house, list) = with_alice(&dir.join("idle")).await;
    println!("alice, in milliseconds | receipt to attempt: p50, p99 | list: p50, p99");
    println!("idle | {}", house.measure(&list).await);
    drop(house);
    for accounts in accounts.split(',').map(|text| text.parse::<usize>().unwrap()) {
        let alone = ATTACKS.map(|attack| vec![attack]);
        for attacks in alone.into_iter().chain([ATTACKS.to_vec()]) {
            let what = if attacks.len() > 1 { "all" } else { attacks[0] };
            if crate::argument("--attack").is_some_and(|wanted| wanted != what) {
                continue;
            }
            let (house, list) = with_alice(&dir.join(format!("{what}-{accounts}"))).await;
            let of_each = accounts.div_ceil(attacks.len());
            let begin = Arc::new(Barrier::new(of_each * attacks.len() + 1));
            let mut attacking = JoinSet::new();
            for attack in attacks {
                for number in 0..of_each {
                    let (house, user) = (house.clone(), format!("{attack}-{number}"));
                    attacking.spawn(house.attack(attack, user, of_each, begin.clone()));
                }
            }
            begin.wait().await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            println!("{what}, {accounts} accounts | {}", house.measure(&list).await);
            attacking.shutdown().await;
        }
    }
}

/// A gateway on an empty database, and the path of alice's list of deliveries to her target.
async fn with_alice(dir: &Path) -> (House, String) {
    let house = House::new(crate::open_empty(dir).await).await;
    let target = house.target("alice", &house.good, Value::Null).await;
    (house, format!("{target}/deliveries"))
}
