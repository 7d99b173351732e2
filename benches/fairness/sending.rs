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
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use portreeve::server::{self, Bounds};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tower::{BoxError, ServiceExt as _, service_fn};

use super::{House, RECEIVE};

/// Deliveries of each round.
const DELIVERIES: u64 = 19_000;

pub(crate) async fn run(dir: &Path) {
    let house = House::new(crate::open_empty(dir).await).await;
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
    let receiving = {
        let service = house.service.clone();
        move |request: Request<Incoming>| {
            let service = service.clone();
            async move {
                let (head, body) = request.into_parts();
                let body = Full::from(body.collect().await.unwrap().to_bytes());
                service.oneshot(Request::from_parts(head, body)).await
            }
        }
    };
    let gateway = serve(service_fn(receiving)).await;
    let relaying = {
        let uri = house.good.clone();
        move |request: Request<Incoming>| relay(uri.clone(), request)
    };
    let relay = serve(service_fn(relaying)).await;
    let by_gateway = sent_to(&house, &gateway).await;
    let by_relay = sent_to(&house, &relay).await;
    println!("events with their attempts: {by_gateway} | by a relay {by_relay}");
}

/// The address of a server of `service`.
async fn serve<S, B>(service: S) -> String
where
    S: tower::Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send + 'static,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        server::serve(listener, service, Bounds::default(), std::future::pending()).await
    });
    uri
}

/// Posts what comes on, over a connection of the thread's own.
async fn relay(
    uri: String,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    static IDLE: Mutex<Vec<Post>> = Mutex::new(Vec::new());
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let idle = IDLE.lock().unwrap().pop();
    let mut post = match idle {
        Some(post) => post,
        None => Post::connect(&uri).await,
    };
    post.send("/", "", body).await;
    IDLE.lock().unwrap().push(post);
    Ok(Response::default())
}

/// What events take that come over 64 connections.
async fn sent_to(house: &House, uri: &str) -> String {
    let sending = async {
        let mut sending = JoinSet::new();
        for _ in 0..64 {
            let (uri, credential) = (uri.to_owned(), house.credential.clone());
            sending.spawn(async move {
                let mut post = Post::connect(&uri).await;
                for _ in 0..DELIVERIES / 64 {
                    let body = super::body("eve", u64::MAX >> 1);
                    post.send(RECEIVE, &credential, body.into()).await;
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
async fn post(uri: String, count: u64) {
    let mut post = Post::connect(&uri).await;
    let body = Bytes::from(super::body("alice", u64::MAX >> 1));
    for _ in 0..count {
        post.send("/", "", body.clone()).await;
    }
}

/// A connection that posts.
struct Post {
    host: String,
    sender: SendRequest<Full<Bytes>>,
}

impl Post {
    async fn connect(uri: &str) -> Self {
        let uri: http::Uri = uri.parse().unwrap();
        let host = uri.authority().unwrap().to_string();
        let stream = TcpStream::connect(&host).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let io = TokioIo::new(stream);
        let (sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
        tokio::spawn(connection);
        Self { host, sender }
    }

    async fn send(&mut self, path: &str, credential: &str, body: Bytes) {
        let request = Request::post(path).header("host", &self.host);
        let request = request.header("content-type", "application/json");
        let request = request.header("authorization", credential);
        let request = request.body(Full::new(body)).unwrap();
        self.sender.ready().await.unwrap();
        let answer = self.sender.send_request(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        answer.into_body().collect().await.unwrap();
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
