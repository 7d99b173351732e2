//! What an account notices of others that do their worst: `cargo bench --bench deliveries -- --fair 1,3,100`; with
//! `--attack NAME`, of one attack.
//!
//! A gateway with its worker is one process, the attackers another one, with one thread; in this one is *alice*. Twenty times
//! a second an event of hers comes, and she lists her deliveries; a receiver notes when each attempt comes. First for a while
//! nothing else happens. Then so many accounts make each attack, on an empty database, and at last the same number divides all
//! attacks among itself (one each at least):
//!
//! | attack | each account |
//! |---|---|
//! | hang | has 100 targets that take connections and never answer, and 20 events a second |
//! | anew | removes them one after the other, and makes them again, as fast as it can |
//! | filters | has 100 targets with filters that take as long as filters may, and 20 events a second |
//! | fails | has 5 targets that refuse connections, its part of 20,000 events, and then 20 a second |
//! | burst | has a target, and its part of 20,000 events, as fast as they are taken |
//! | lists | lists its deliveries and replays them in a loop, eight at once |
//! | backlog | has 5 targets that refuse connections, and its part of 60,000 events, which have come before |

mod attack;
mod gateway;
pub(crate) mod sending;

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use portreeve::server::{self, Bounds};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tower::service_fn;

use attack::ATTACKS;
pub(crate) use attack::attack;
pub(crate) use gateway::serve_gateway;

const RECEIVE: &str = "/webhooks/nextcloud";
const TARGETS: &str = "/api/v1/deliveries/targets";
/// How long each is measured, after it has begun.
const TIME: Duration = Duration::from_secs(8);
const TICK: Duration = Duration::from_millis(50);

/// When each event was sent that has not arrived, and how long those took that have.
type Arrivals = (HashMap<u64, Instant>, Vec<Duration>);

/// Whoever uses a gateway, and has receivers.
#[derive(Clone)]
struct House {
    /// Its address.
    gateway: Arc<str>,
    credential: Arc<str>,
    /// Connections to the gateway.
    idle: Arc<Mutex<Vec<Connection>>>,
    /// Addresses of receivers.
    good: String,
    hanging: String,
    /// When each event of alice was sent, and how long after that its attempt came.
    arrivals: Arc<Mutex<Arrivals>>,
    /// How many have come, of all.
    attempts: Arc<AtomicU64>,
}

impl House {
    async fn new(gateway: &str) -> Self {
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
        let address = |listener: &TcpListener| listener.local_addr().unwrap().to_string();
        let house = Self {
            gateway: gateway.into(),
            credential: gateway::credential().into(),
            idle: Arc::default(),
            good: address(&good),
            hanging: address(&hanging),
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
        let idle = || self.idle.lock().unwrap().pop();
        let mut connection = loop {
            let Some(mut connection) = idle() else { break Connection::open(&self.gateway).await };
            if connection.sender.ready().await.is_ok() {
                break connection;
            }
        };
        let answer = connection.send(request, body.into()).await;
        self.idle.lock().unwrap().push(connection);
        answer
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

    async fn target(&self, user: &str, address: &str, filter: Value) -> String {
        let target = json!({"uri": format!("http://{address}/"), "eventFilter": filter});
        let (status, made) = self.call(user, "POST", TARGETS, target).await;
        let made: Value = serde_json::from_slice(&made).unwrap_or_default();
        assert_eq!(status, StatusCode::CREATED, "{made}");
        format!("{TARGETS}/{}", made["id"].as_str().unwrap())
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

/// One over which requests are made one after the other.
struct Connection {
    host: Arc<str>,
    sender: SendRequest<Full<Bytes>>,
}

impl Connection {
    async fn open(host: &str) -> Self {
        let stream = TcpStream::connect(host).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let io = TokioIo::new(stream);
        let (sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
        tokio::spawn(connection);
        Self { host: host.into(), sender }
    }

    async fn send(&mut self, request: http::request::Builder, body: Bytes) -> (StatusCode, Bytes) {
        let request = request.header("host", &*self.host).body(Full::new(body)).unwrap();
        self.sender.ready().await.unwrap();
        let (head, body) = self.sender.send_request(request).await.unwrap().into_parts();
        (head.status, body.collect().await.unwrap().to_bytes())
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

/// A process of this program that ends with this one.
struct Process {
    /// The first line that it has printed.
    line: String,
    _child: Child,
}

impl Process {
    async fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(arguments).kill_on_drop(true);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next_line().await.unwrap().expect("it has begun");
        Self { line, _child: child }
    }
}

/// Until the process that has begun this one ends.
async fn until_parent_ends() {
    _ = tokio::io::copy(&mut tokio::io::stdin(), &mut tokio::io::sink()).await;
}

pub(crate) async fn run(dir: &Path, accounts: &str) {
    let (gateway, alice, list) = with_alice(&dir.join("idle")).await;
    println!("alice, in milliseconds | receipt to attempt: p50, p99 | list: p50, p99");
    println!("idle | {}", alice.measure(&list).await);
    drop(gateway);
    for accounts in accounts.split(',') {
        let alone = ATTACKS.map(|attack| vec![attack]);
        for attacks in alone.into_iter().chain([ATTACKS.to_vec()]) {
            let what = if attacks.len() > 1 { "all" } else { attacks[0] };
            if crate::argument("--attack").is_some_and(|wanted| wanted != what) {
                continue;
            }
            let dir = dir.join(format!("{what}-{accounts}"));
            let (gateway, alice, list) = with_alice(&dir).await;
            let attacks = attacks.join(",");
            let attackers = ["--bench", "--as-attackers", &attacks, "--at", &gateway.line];
            let attackers = [&attackers[..], &["--accounts", accounts]].concat();
            let attackers = Process::start(&attackers).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            println!("{what}, {accounts} accounts | {}", alice.measure(&list).await);
            drop((attackers, gateway));
        }
    }
}

/// A gateway on an empty database, alice, and the path of her list of deliveries to her target.
async fn with_alice(dir: &Path) -> (Process, House, String) {
    crate::make_empty(dir).await;
    let mut arguments = vec!["--bench", "--as-gateway", dir.to_str().unwrap()];
    let url = crate::argument("--database-url");
    arguments.extend(url.iter().flat_map(|url| ["--database-url", url]));
    let gateway = Process::start(&arguments).await;
    let alice = House::new(&gateway.line).await;
    let target = alice.target("alice", &alice.good, Value::Null).await;
    (gateway, alice, format!("{target}/deliveries"))
}
