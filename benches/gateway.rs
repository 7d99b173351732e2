//! CPU per request of the gateway, beside a bare hyper forwarder that checks nothing, in the same
//! run and before the same stand-in for the groupware server, which answers recorded bodies.
//!
//! ```sh
//! cargo bench --bench gateway
//! ```
//!
//! The server under test has one thread of its own, whose CPU time the kernel counts; client and
//! stand-in run on other threads and are not counted. Rounds alternate, so that noise of the
//! machine meets both; the median of the rounds is shown. Then the binary itself serves requests
//! and tells its resident memory.

use std::convert::Infallible;
use std::fs;
use std::future::pending;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Request, Response, Uri};
use http_body_util::{BodyExt as _, Empty, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use portreeve::gateway::Gateway;
use portreeve::groupware::Groupware;
use portreeve::identity::{StaticTokens, TokensFile};
use portreeve::server::{self, Bounds};
use portreeve::vault::{AppPassword, Keyring, SqliteStore, Vault};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tower::{Service, service_fn};

const CONNECTIONS: usize = 16;
const ROUNDS: usize = 9;
const REQUESTS: usize = 6_000;

const ENDPOINTS: [(&str, &str); 2] = [
    (
        "/api/v1/webhooks",
        "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks?format=json",
    ),
    ("/api/v1/apps", "/ocs/v2.php/cloud/capabilities?format=json"),
];

fn main() {
    // `cargo test` runs benches for a look whether they work at all.
    let quick = std::env::args().any(|argument| argument == "--test");
    let (rounds, requests) = if quick { (1, 64) } else { (ROUNDS, REQUESTS) };

    let data = tempfile::tempdir().unwrap();
    let token = provision(&data);
    let stand_in = spawn(|| async { service_fn(answer_recorded) });
    let bare = {
        let origin = format!("http://{}", stand_in.address);
        spawn(move || async move { forwarder(origin) })
    };
    let gateway = {
        let url = format!("http://{}", stand_in.address);
        let dir = data.path().to_owned();
        spawn(move || async move { gateway(url, dir).await })
    };

    let client = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    println!(
        "CPU per request in µs, median of {rounds} rounds of {requests} requests over {CONNECTIONS} connections"
    );
    println!(
        "{:<20} {:>8} {:>8} {:>7} {:>12} {:>12}",
        "", "bare", "gateway", "ratio", "bare req/s", "gateway req/s"
    );
    for (path, forwarded) in ENDPOINTS {
        let mut measured = Vec::new();
        for _ in 0..rounds {
            measured.push((
                client.block_on(bare.measure(forwarded, None, requests)),
                client.block_on(gateway.measure(path, Some(&token), requests)),
            ));
        }
        let (bare_cpu, bare_rate) = medians(measured.iter().map(|(bare, _)| bare));
        let (cpu, rate) = medians(measured.iter().map(|(_, gateway)| gateway));
        let ratio = median(
            measured
                .iter()
                .map(|(bare, gateway)| gateway.cpu / bare.cpu),
        );
        println!(
            "{path:<20} {bare_cpu:>8.2} {cpu:>8.2} {ratio:>7.3} {bare_rate:>12.0} {rate:>12.0}"
        );
    }
    memory(&client, data.path(), stand_in.address, &token, requests);
}

/// Stores a credential and makes a token.
fn provision(data: &TempDir) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let vault = open_vault(data.path()).await;
        let password = AppPassword::new(&"FAKEAppPassword".repeat(4)).unwrap();
        vault.put("admin", "admin", &password).await.unwrap();
    });
    let tokens = TokensFile::new(data.path().join("tokens"));
    tokens
        .new_token("admin", [])
        .unwrap()
        .token
        .expose()
        .to_owned()
}

async fn open_vault(dir: &Path) -> Vault<SqliteStore> {
    let keyring = Keyring::read_or_create(dir.join("vault.key")).unwrap();
    Vault::new(
        keyring,
        SqliteStore::open(dir.join("portreeve.db")).await.unwrap(),
    )
}

async fn gateway(
    url: String,
    dir: PathBuf,
) -> impl Service<Request<Incoming>, Response = Response<Full<Bytes>>, Error = Infallible, Future: Send>
+ Clone
+ Send
+ 'static {
    let verifier = StaticTokens::open(dir.join("tokens")).unwrap();
    let mut gateway = Gateway::new(verifier, open_vault(&dir).await);
    gateway = gateway.groupware(Groupware::builder(url.parse().unwrap()).build().unwrap());
    gateway.into_service()
}

/// Passes each request on to the same path at `origin`, and the answer back.
fn forwarder(
    origin: String,
) -> impl Service<Request<Incoming>, Response = Response<Incoming>, Error = Infallible, Future: Send>
+ Clone
+ Send
+ 'static {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let client: Client<_, Incoming> = Client::builder(TokioExecutor::new()).build(connector);
    service_fn(move |mut request: Request<Incoming>| {
        let path = request.uri().path_and_query().unwrap().as_str();
        *request.uri_mut() = format!("{origin}{path}").parse::<Uri>().unwrap();
        request.headers_mut().remove("host");
        let answer = client.request(request);
        async move { Ok::<_, Infallible>(answer.await.unwrap()) }
    })
}

/// The stand-in for the groupware server.
async fn answer_recorded(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body: &'static [u8] = match request.uri().path() {
        "/ocs/v2.php/cloud/capabilities" => include_bytes!("gateway/capabilities.json"),
        _ => include_bytes!("gateway/webhooks.json"),
    };
    let mut answer = Response::new(Full::from(body));
    let headers = answer.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        "application/json; charset=utf-8".parse().unwrap(),
    );
    // By which the real server says that the login was good.
    headers.insert("x-user-id", "admin".parse().unwrap());
    Ok(answer)
}

/// A server on a thread of its own.
struct Spawned {
    address: SocketAddr,
    /// The kernel's count of the thread's CPU time.
    schedstat: String,
}

struct Round {
    /// µs per request.
    cpu: f64,
    /// Requests per second.
    rate: f64,
}

fn spawn<S, B, F>(make: impl FnOnce() -> F + Send + 'static) -> Spawned
where
    F: Future<Output = S>,
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static,
    B: http_body::Body<Data: Send, Error: Into<tower::BoxError>> + Send + 'static,
{
    let (started, starting) = mpsc::channel();
    std::thread::spawn(move || {
        let thread = fs::read_link("/proc/thread-self").unwrap();
        let schedstat = format!("/proc/{}/schedstat", thread.display());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let service = make().await;
            let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
            let address = listener.local_addr().unwrap();
            started.send(Spawned { address, schedstat }).unwrap();
            server::serve(listener, service, Bounds::default(), pending()).await;
        });
    });
    starting.recv().unwrap()
}

impl Spawned {
    async fn measure(&self, path: &str, token: Option<&str>, requests: usize) -> Round {
        load(self.address, path, token, requests / 10).await;
        let (cpu, start) = (self.cpu(), Instant::now());
        load(self.address, path, token, requests).await;
        let (cpu, time) = (self.cpu() - cpu, start.elapsed());
        Round {
            cpu: cpu.as_secs_f64() * 1e6 / requests as f64,
            rate: requests as f64 / time.as_secs_f64(),
        }
    }

    fn cpu(&self) -> Duration {
        let text = fs::read_to_string(&self.schedstat).unwrap();
        Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
    }
}

/// Makes about `requests` requests, evenly over the connections, and checks each answer.
async fn load(address: SocketAddr, path: &str, token: Option<&str>, requests: usize) {
    let connections = (0..CONNECTIONS).map(|_| {
        let (path, authorization) = (
            path.to_owned(),
            token.map(|token| format!("Bearer {token}")),
        );
        tokio::spawn(async move {
            let stream = TcpStream::connect(address).await.unwrap();
            stream.set_nodelay(true).unwrap();
            let (mut sender, connection) =
                hyper::client::conn::http1::handshake(TokioIo::new(stream))
                    .await
                    .unwrap();
            tokio::spawn(connection);
            for _ in 0..requests.div_ceil(CONNECTIONS) {
                let mut request = Request::get(&path)
                    .header("host", "gateway")
                    .body(Empty::<Bytes>::new())
                    .unwrap();
                if let Some(authorization) = &authorization {
                    request
                        .headers_mut()
                        .insert(AUTHORIZATION, authorization.parse().unwrap());
                }
                let answer = sender.send_request(request).await.unwrap();
                assert_eq!(answer.status(), 200);
                assert!(answer.into_body().collect().await.unwrap().to_bytes().len() > 100);
            }
        })
    });
    for connection in connections.collect::<Vec<_>>() {
        connection.await.unwrap();
    }
}

/// Whether the binary's memory grows with the requests it has served.
fn memory(
    client: &tokio::runtime::Runtime,
    data: &Path,
    groupware: SocketAddr,
    token: &str,
    requests: usize,
) {
    let address = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap()
    };
    let start = Instant::now();
    let mut binary = Command::new(env!("CARGO_BIN_EXE_portreeve"))
        .args([
            "serve",
            "--listen",
            &address.to_string(),
            "--groupware-url",
            &format!("http://{groupware}"),
        ])
        .arg("--data-dir")
        .arg(data)
        .arg("--tokens-file")
        .arg(data.join("tokens"))
        .env("RUST_LOG", "warn")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while std::net::TcpStream::connect(address).is_err() {
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "the binary does not listen"
        );
        std::thread::sleep(Duration::from_micros(200));
    }
    client.block_on(load(address, ENDPOINTS[0].0, Some(token), 1));
    println!(
        "\nfirst answers {:.1} ms after the start of the binary",
        start.elapsed().as_secs_f64() * 1e3
    );
    let status = format!("/proc/{}/status", binary.id());
    let mut served = CONNECTIONS;
    for _ in 0..4 {
        let resident = fs::read_to_string(&status).unwrap();
        let resident = resident
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .unwrap();
        println!(
            "resident memory after {served:>7} requests: {}",
            resident.trim()
        );
        client.block_on(load(address, ENDPOINTS[0].0, Some(token), requests * 2));
        served += requests * 2;
    }
    binary.kill().unwrap();
    binary.wait().unwrap();
}

fn medians<'a>(rounds: impl Iterator<Item = &'a Round> + Clone) -> (f64, f64) {
    (
        median(rounds.clone().map(|round| round.cpu)),
        median(rounds.map(|round| round.rate)),
    )
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
