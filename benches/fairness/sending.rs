//! How many deliveries are brought to targets, beside a bare loop that posts the same:
//! `cargo bench --bench deliveries -- --sent`.
//!
//! So many targets that answer at once are paused while events come; then all of it is delivered. At last events come over
//! 64 connections to a target that is active, beside a relay on axum and reqwest, with their defaults: it finds out whose each
//! is, signs it, posts it on and answers then. Senders and receiver are in this process, so their CPU time counts for both.
//! Loop and relay keep their connections, and store nothing.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use aws_lc_rs::hmac;
use axum::Router;
use axum::extract::State;
use axum::routing::post;
use axum::serve::ListenerExt as _;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::{Connection, House, RECEIVE, gateway};

/// Deliveries of each round.
const DELIVERIES: u64 = 19_000;

pub(crate) async fn run(dir: &Path) {
    crate::make_empty(dir).await;
    let address = gateway::serve_on(crate::open(&dir.join("portreeve.db")).await).await;
    let house = House::new(&address).await;
    println!("deliveries a second, CPU of each in µs | by a loop of 4 connections and of 64");
    for targets in [1, 19] {
        let (user, events) = (format!("user{targets}"), DELIVERIES / targets);
        let mut paths = Vec::new();
        for _ in 0..targets {
            let path = house.target(&user, &house.good, Value::Null).await;
            let paused = json!({"paused": true});
            house.call(&user, "PATCH", &path, paused).await;
            paths.push(path);
        }
        let mut sending = JoinSet::new();
        for _ in 0..64 {
            let (house, user) = (house.clone(), user.clone());
            sending.spawn(async move {
                for _ in 0..events / 64 + 1 {
                    assert!(house.event(&user, u64::MAX >> 1).await, "it is refused");
                }
            });
        }
        sending.join_all().await;
        // Until all are matched.
        tokio::time::sleep(Duration::from_secs(3)).await;
        let all = (events / 64 + 1) * 64 * targets;
        let by_gateway = measured(&house, all, async {
            for path in &paths {
                let resumed = json!({"paused": false});
                house.call(&user, "PATCH", path, resumed).await;
            }
        });
        let by_gateway = by_gateway.await;
        let mut by_loop = Vec::new();
        for connections in [4, 64] {
            let posting = async {
                let mut posting = JoinSet::new();
                for _ in 0..connections {
                    posting.spawn(post_all(house.good.clone(), all / connections));
                }
                posting.join_all().await;
            };
            by_loop.push(measured(&house, all / connections * connections, posting).await);
        }
        println!("{targets} targets: {by_gateway} | {}", by_loop.join(" | "));
    }
    house.target("eve", &house.good, Value::Null).await;
    let relay = serve_relay(&house).await;
    let by_gateway = sent_to(&house, &address).await;
    let by_relay = sent_to(&house, &relay).await;
    println!("events with their attempts: {by_gateway} | by a relay {by_relay}");
}

/// A client, the receiver's address, what the server shows, and what signs.
type With = (reqwest::Client, String, Arc<str>, hmac::Key);

/// The address of a relay to the receiver.
async fn serve_relay(house: &House) -> String {
    #[derive(serde::Deserialize)]
    struct Event {
        user: User,
    }
    #[derive(serde::Deserialize)]
    struct User {
        uid: String,
    }
    static IDS: AtomicU64 = AtomicU64::new(0);
    let key = hmac::Key::new(hmac::HMAC_SHA256, &[7; 32]);
    let target = format!("http://{}/", house.good);
    let with = Arc::new((reqwest::Client::new(), target, house.credential.clone(), key));
    let relay = async |State(with): State<Arc<With>>, headers: HeaderMap, body: Bytes| {
        let (client, target, credential, key) = &*with;
        if headers.get("authorization").is_none_or(|it| it != &**credential) {
            return StatusCode::UNAUTHORIZED;
        }
        let event: Event = serde_json::from_slice(&body).unwrap();
        assert_eq!(event.user.uid, "eve");
        let id = format!("{:048x}", IDS.fetch_add(1, Ordering::Relaxed));
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let mut signing = hmac::Context::with_key(key);
        signing.update(format!("{id}.{time}.").as_bytes());
        signing.update(&body);
        let signature = format!("v1,{}", BASE64_STANDARD.encode(signing.sign()));
        let posting = client.post(target).header("content-type", "application/json");
        let posting = posting.header("webhook-id", id).header("webhook-timestamp", time);
        posting.header("webhook-signature", signature).body(body).send().await.unwrap().status()
    };
    let router = Router::new().route(RECEIVE, post(relay)).with_state(with);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// What events take that come over 64 connections.
async fn sent_to(house: &House, address: &str) -> String {
    let sending = async {
        let mut sending = JoinSet::new();
        for _ in 0..64 {
            let (address, credential) = (address.to_owned(), house.credential.clone());
            sending.spawn(async move {
                let mut connection = Connection::open(&address).await;
                for _ in 0..DELIVERIES / 64 {
                    let body = super::body("eve", u64::MAX >> 1);
                    connection.post(RECEIVE, &credential, body.into()).await;
                }
            });
        }
        sending.join_all().await;
    };
    measured(house, DELIVERIES / 64 * 64, sending).await
}

/// What it takes until so many attempts have come.
async fn measured(house: &House, all: u64, work: impl Future<Output = ()>) -> String {
    let (began, cpu) = (Instant::now(), cpu());
    let before = house.attempts.load(Ordering::SeqCst);
    work.await;
    while house.attempts.load(Ordering::SeqCst) < before + all {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let rate = all as f64 / began.elapsed().as_secs_f64();
    let each = (self::cpu() - cpu) / all as f64;
    format!("{rate:.0}, {:.0}", each * 1e6)
}

/// Posts the same event again and again.
async fn post_all(address: String, count: u64) {
    let mut connection = Connection::open(&address).await;
    let body = Bytes::from(super::body("alice", u64::MAX >> 1));
    for _ in 0..count {
        connection.post("/", "", body.clone()).await;
    }
}

impl Connection {
    async fn post(&mut self, path: &str, credential: &str, body: Bytes) {
        let request = Request::post(path).header("content-type", "application/json");
        let request = request.header("authorization", credential);
        assert_eq!(self.send(request, body).await.0, StatusCode::OK);
    }
}

/// The seconds that this process has had a core.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1.split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).map(|it| it.parse().unwrap()).collect();
    // A hundred ticks a second on every Linux.
    (ticks[0] + ticks[1]) / 100.0
}
