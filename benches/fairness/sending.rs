//! How many deliveries are brought to targets, beside a bare loop that posts the same:
//! `cargo bench --bench deliveries -- --sent`.
//!
//! So many targets that answer at once are paused while events come; then all of it is delivered. The receiver is in this
//! process, so its CPU time counts for both. The loop keeps its connections, and stores nothing.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::House;

/// Deliveries of each round.
const DELIVERIES: u64 = 19_000;

pub(crate) async fn run(dir: &Path) {
    let house = House::new(crate::open(&dir.join("sent.db")).await).await;
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
async fn post(uri: String, count: u64) {
    let uri: http::Uri = uri.parse().unwrap();
    let host = uri.authority().unwrap().as_str();
    let stream = TcpStream::connect(host).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let io = TokioIo::new(stream);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
    tokio::spawn(connection);
    let body = Bytes::from(super::body("alice", u64::MAX >> 1));
    for _ in 0..count {
        let request = Request::post("/").header("host", host);
        let request = request.header("content-type", "application/json");
        let request = request.body(Full::new(body.clone())).unwrap();
        let answer = sender.send_request(request).await.unwrap();
        answer.into_body().collect().await.unwrap();
    }
}

/// The seconds that this process has had a core.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1.split_whitespace();
    let ticks: Vec<f64> = fields
        .skip(11)
        .take(2)
        .map(|it| it.parse().unwrap())
        .collect();
    // A hundred ticks a second on every Linux.
    (ticks[0] + ticks[1]) / 100.0
}
