//! How many deliveries are brought to targets, beside a bare loop that posts the same:
//! `cargo bench --bench deliveries -- --sent`.
//!
//! So many targets that answer at once are paused while events come; then all of it is delivered. At last events come over
//! 64 connections to a target that is active, beside a relay that posts each on and answers then. Senders and receiver are in
//! this process, so their CPU time counts for both. Loop and relay keep their connections, and store nothing.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tower::service_fn;

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
                    posting.spawn(post(house.good.clone(), all / connections));
                }
                posting.join_all().await;
            };
            by_loop.push(measured(&house, all / connections * connections, posting).await);
        }
        println!("{targets} targets: {by_gateway} | {}", by_loop.join(" | "));
    }
    house.target("eve", &house.good, Value::Null).await;
    let relaying = {
        let address = house.good.clone();
        move |request: Request<Incoming>| relay(address.clone(), request)
    };
    let relay = gateway::serve(service_fn(relaying)).await;
    let by_gateway = sent_to(&house, &address).await;
    let by_relay = sent_to(&house, &relay).await;
    println!("events with their attempts: {by_gateway} | by a relay {by_relay}");
}

/// Posts what comes on, over connections that it keeps.
async fn relay(
    address: String,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    static IDLE: Mutex<Vec<Connection>> = Mutex::new(Vec::new());
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let idle = IDLE.lock().unwrap().pop();
    let mut connection = match idle {
        Some(connection) => connection,
        None => Connection::open(&address).await,
    };
    connection.post("/", "", body).await;
    IDLE.lock().unwrap().push(connection);
    Ok(Response::default())
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
async fn post(address: String, count: u64) {
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
