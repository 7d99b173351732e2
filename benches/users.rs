//! What very many users cost.
//!
//! `cargo bench --bench users -- --users 100000` fills an empty database with so many credentials, and with ten targets of
//! deliveries for each hundredth user, and prints what starting, calls, receipts and rotating the key take. `--pending N`
//! adds so many deliveries that wait for a thousand paused targets. `--database-url postgres://user@host/database`
//! measures that database, `--dir PATH` says which disk.
//!
//! Credentials and deliveries are stored as the gateway and `portreeve vault copy` store them. Calls are made at a gateway
//! in the same process, 500 a second, each by another user, who looks up the stored password; and four at a time that list
//! the webhooks, for which a server takes 22 ms as a real one does. In *busy* seconds there come 50 receipts a second, each for
//! ten targets, which another thread of this process answers.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use portreeve::deliveries::queue::Accounts;
use portreeve::deliveries::{
    Deliveries, Limits, Maker, Networks, NewReceipt, Queue, ReceiptId, Target, TargetId,
    TargetSettings, TargetState, Worker,
};
use portreeve::gateway::{AnswerBody, Gateway, Settings};
use portreeve::groupware::{DeliveryAuth, Groupware, WebhookSecret};
use portreeve::identity::{BearerToken, Caller, TokenVerifier, VerifyError};
use portreeve::server::{self, Bounds};
use portreeve::vault::{
    AppPassword, Change, Keyring, MemoryStore, SqliteStore, Store, Table, Vault,
};
use tokio_util::sync::CancellationToken;
use tower::util::BoxCloneService;
use tower::{ServiceExt as _, service_fn};

const OLD_KEY: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
const NEW_KEY: &str = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";
const GATEWAY: &str = "https://gateway.test";
const RECEIVE: &str = "/webhooks/nextcloud";
/// Where the targets are.
const RECEIVER: &str = "127.0.0.1:18642";
/// Where the groupware server is, and how long a Nextcloud took for an answer to an app password.
const GROUPWARE: &str = "127.0.0.1:18643";
const GROUPWARE_TAKES: Duration = Duration::from_millis(22);
/// Calls of it that are under way at once.
const LISTS: u32 = 4;
const CLASS: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";

/// Changes that are made at once.
const AT_ONCE: usize = 256;
/// How long idle and busy times are, in turn, and how many of each.
const SLICE: Duration = Duration::from_secs(3);
const SLICES: usize = 5;

type Served = BoxCloneService<Request<Full<Bytes>>, Response<AnswerBody>, Infallible>;

/// When receipts were sent, and how long after that each attempt came.
type Arrivals = Arc<Mutex<(HashMap<u32, Instant>, Vec<Duration>)>>;

/// The token is the name of the user.
struct Anybody;

impl TokenVerifier for Anybody {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        Ok(Caller::new(token.expose()))
    }
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(run());
}

async fn run() {
    let users: u32 = argument("--users").map_or(10_000, |text| text.parse().unwrap());
    if let Some(dir) = argument("--measure") {
        return measure(Path::new(&dir), users).await;
    }
    let dir = argument("--dir").map_or_else(tempfile::tempdir, tempfile::tempdir_in);
    let dir = dir.unwrap();
    fill(dir.path(), users).await;
    // In a process that has not done anything else.
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(std::env::args().skip(1));
    again.arg("--measure").arg(dir.path());
    assert!(again.status().unwrap().success());
}

async fn open(dir: &Path) -> (Arc<dyn Store>, Queue) {
    #[cfg(feature = "postgres")]
    if let Some(url) = argument("--database-url") {
        use portreeve::vault::PostgresStore;

        let store = PostgresStore::open(url.parse().unwrap()).await.unwrap();
        let queue = Queue::in_postgres(&store);
        return (Arc::new(store), queue);
    }
    let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    (Arc::new(store), queue)
}

async fn fill(dir: &Path, users: u32) {
    let (store, queue) = open(dir).await;
    let began = Instant::now();
    for first in (0..users).step_by(AT_ONCE) {
        let page = Vault::new(keys(&[OLD_KEY]), MemoryStore::new());
        for number in (first..users).take(AT_ONCE) {
            let password = AppPassword::new(&format!("{:x<72}", user(number))).unwrap();
            page.put(&user(number), &user(number), &password).await.unwrap();
        }
        let page = page.store().page(Table::Credential, None, None, AT_ONCE);
        let page = page.await.unwrap().into_iter();
        let page = page.map(|row| Change::add(Table::Credential, row)).collect();
        assert!(store.commit("store credentials", page).await.unwrap().is_done());
    }
    println!("{users} credentials stored in {:.1?}", began.elapsed());
    let vault = Vault::with_shared_store(keys(&[OLD_KEY]), store);
    let deliveries = Deliveries::new(vault, queue, Limits::default());
    let began = Instant::now();
    let owners = (0..users / 100).flat_map(|number| [number * 100; 10]);
    let added = stream::iter(owners).for_each_concurrent(AT_ONCE, |owner| {
        let deliveries = &deliveries;
        async move {
            let settings = TargetSettings::new(
                format!("http://{RECEIVER}/"),
                WebhookSecret::generate().unwrap().expose(),
            );
            deliveries
                .add_target(Some(&user(owner)), &settings, Maker::of(&user(owner)))
                .await
                .unwrap();
        }
    });
    added.await;
    println!("{} targets stored in {:.1?}", users / 100 * 10, began.elapsed());
    if let Some(pending) = argument("--pending") {
        wait(deliveries.queue(), pending.parse().unwrap()).await;
    }
}

/// Has so many deliveries wait, each of a receipt of its own.
async fn wait(queue: &Queue, pending: usize) {
    let began = Instant::now();
    let mut targets = Vec::new();
    for number in 0..1_000 {
        let (id, account) = (TargetId::random().unwrap(), format!("waiting-{number}"));
        let mut target = Target::new(id, Some(&account), vec![8; 300].into(), Maker::of("alice"));
        target.state = TargetState::Paused;
        targets.push(target.id);
        queue.add_target(target).await.unwrap();
    }
    let inserted = stream::iter(0..pending).for_each_concurrent(AT_ONCE, |_| async {
        let receipt = NewReceipt {
            id: ReceiptId::random().unwrap(),
            account: Some("waiting".into()),
            class: CLASS.into(),
            sealed: vec![7; 700].into(),
        };
        queue.insert(receipt, u64::MAX >> 1).await.unwrap();
    });
    inserted.await;
    let mut target = targets.iter().cycle();
    loop {
        let receipts = queue.lease(500, Accounts::AllBut(&[])).await.unwrap();
        if receipts.is_empty() {
            break;
        }
        let wanted = receipts.iter().map(|it| (it.position, vec![*target.next().unwrap()]));
        queue.fan_out(wanted.collect()).await.unwrap();
    }
    println!("{pending} deliveries wait, after {:.1?}", began.elapsed());
}

async fn measure(dir: &Path, users: u32) {
    let sizes = std::fs::read_dir(dir).unwrap();
    let bytes: u64 = sizes.map(|file| file.unwrap().metadata().unwrap().len()).sum();
    let (before, began) = (resident(), Instant::now());
    let (store, queue) = open(dir).await;
    // The new key first: what is stored has the old one.
    let vault = Vault::with_shared_store(keys(&[NEW_KEY, OLD_KEY]), store);
    let deliveries = Deliveries::new(vault.clone(), queue, Limits::default());
    let networks = ["127.0.0.0/8".parse().unwrap()];
    let worker = Worker::new(deliveries.clone(), Networks::new(networks));
    let auth = DeliveryAuth::derived("secret".into()).unwrap();
    let credential = auth.authorization_for(&format!("{GATEWAY}{RECEIVE}"));
    let mut settings = Settings::default();
    settings.delivery = Some(auth);
    settings.public_url = Some(GATEWAY.parse().unwrap());
    let groupware = format!("http://{GROUPWARE}").parse().unwrap();
    let gateway = Gateway::new(Anybody, vault.clone())
        .groupware(Groupware::new(groupware, Default::default()).unwrap())
        .settings(settings)
        .deliveries(worker.clone())
        .into_service()
        .unwrap();
    let gateway = Served::new(gateway);
    deliveries.queue().counts().await.unwrap();
    call(gateway.clone(), STATUS, 1).await;
    println!("on disk {} MiB; the first answer after {:.1?}", bytes >> 20, began.elapsed());
    println!("memory {before} KiB before that, {} KiB after", resident());

    let arrivals = receive().await;
    answer_slowly().await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(worker.run(stop.clone()));
    let (mut idle, mut busy, mut receipts) = (Vec::new(), Vec::new(), Vec::new());
    let mut sent = 0;
    for _ in 0..SLICES {
        idle.push(calls(&gateway, users, tokio::time::sleep(SLICE)).await);
        let receiving = async {
            let began = Instant::now();
            while began.elapsed() < SLICE {
                sent += 1;
                let owner = user(sent * 7919 % (users / 100) * 100);
                let body = format!(
                    r#"{{"event":{{"node":{{"id":{sent},"path":"/{owner}/a"}},"class":{}}},"user":{{"uid":"{owner}"}}}}"#,
                    serde_json::to_string(CLASS).unwrap()
                );
                let request = Request::post(RECEIVE).header("authorization", credential.expose());
                let request = request.body(Full::<Bytes>::from(body)).unwrap();
                let posted = Instant::now();
                arrivals.lock().unwrap().0.insert(sent, posted);
                let answer = gateway.clone().oneshot(request).await.unwrap();
                assert_eq!(answer.status(), StatusCode::OK);
                receipts.push(posted.elapsed());
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        busy.push(calls(&gateway, users, receiving).await);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    println!("a call, the median of {SLICES} times in turn:");
    for (at, what) in ["a stored password", "the webhooks"].into_iter().enumerate() {
        let (idle, busy) = (middle(&idle, at), middle(&busy, at));
        println!("    {what}: idle {idle}, busy {busy}");
    }
    println!("a receipt until its answer: {}", shown(&mut receipts));
    let mut arrivals = std::mem::take(&mut arrivals.lock().unwrap().1);
    println!(
        "a receipt until the attempts: {} of {}: {}",
        arrivals.len(),
        sent * 10,
        shown(&mut arrivals)
    );

    let began = Instant::now();
    let rotating = async {
        let resealed = vault.rotate_keys().await.unwrap().resealed;
        let targets = deliveries.rotate_keys().await.unwrap().resealed;
        println!(
            "{resealed} credentials and {targets} targets resealed in {:.1?}",
            began.elapsed()
        );
    };
    let meanwhile = calls(&gateway, users, rotating).await;
    println!("a call meanwhile: {}", middle(&[meanwhile], 0));
    println!("memory {} KiB at the end", resident());
    stop.cancel();
    working.await.unwrap();
}

/// The median of some calls, and the 99th of 100.
type Percentiles = [Duration; 2];

const STATUS: &str = "/api/v1/background-sync/status";
const WEBHOOKS: &str = "/api/v1/webhooks";

/// Makes calls of both kinds until `work` is done.
async fn calls(gateway: &Served, users: u32, work: impl Future<Output = ()>) -> [Percentiles; 2] {
    let stop = CancellationToken::new();
    let calling = |path, first: u32, pause| {
        let (gateway, until) = (gateway.clone(), stop.clone());
        tokio::spawn(async move {
            let (mut times, mut number) = (Vec::new(), first);
            let mut tick = tokio::time::interval(pause);
            while !until.is_cancelled() {
                tick.tick().await;
                number += 1;
                let began = Instant::now();
                call(gateway.clone(), path, number * 7919 % users).await;
                times.push(began.elapsed());
            }
            times
        })
    };
    let looking_up = calling(STATUS, 0, Duration::from_millis(2));
    let listing = (0..LISTS).map(|n| calling(WEBHOOKS, n * 1000, Duration::from_millis(1)));
    let listing: Vec<_> = listing.collect();
    work.await;
    stop.cancel();
    let mut listed = Vec::new();
    for times in listing {
        listed.extend(times.await.unwrap());
    }
    [looking_up.await.unwrap(), listed].map(|mut times| percentiles(&mut times))
}

/// One call of a user.
async fn call(gateway: Served, path: &str, number: u32) {
    let request = Request::get(path);
    let request = request.header("authorization", format!("Bearer {}", user(number)));
    let answer = gateway.oneshot(request.body(Full::default()).unwrap()).await;
    let (head, body) = answer.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    assert_eq!(head.status, StatusCode::OK, "{body:?}");
}

/// The receiver at the targets.
async fn receive() -> Arrivals {
    let arrivals = Arrivals::default();
    let noted = arrivals.clone();
    let service = service_fn(move |attempt: Request<Incoming>| {
        let noted = noted.clone();
        async move {
            let came = Instant::now();
            let body = attempt.into_body().collect().await.unwrap().to_bytes();
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let mut noted = noted.lock().unwrap();
            let sent = noted.0[&(body["event"]["node"]["id"].as_u64().unwrap() as u32)];
            noted.1.push(came - sent);
            Ok::<_, Infallible>(Response::<String>::default())
        }
    });
    let listener = tokio::net::TcpListener::bind(RECEIVER).await.unwrap();
    tokio::spawn(async move {
        server::serve(listener, service, Bounds::default(), std::future::pending()).await
    });
    arrivals
}

/// The groupware server.
async fn answer_slowly() {
    let service = service_fn(async |request: Request<Incoming>| {
        tokio::time::sleep(GROUPWARE_TAKES).await;
        let login = request.headers()["authorization"].to_str().unwrap();
        let login = match login.strip_prefix("Basic ") {
            Some(login) => String::from_utf8(STANDARD.decode(login).unwrap()).unwrap(),
            // An app password, which begins with the user.
            None => login["Bearer ".len()..].to_owned(),
        };
        let user = &login[..user(0).len()];
        let answer = Response::builder().header("x-user-id", user);
        let body = match request.uri().path().ends_with("/cloud/user") {
            true => format!(
                r#"{{"ocs":{{"meta":{{"status":"ok","statuscode":200,"message":"OK"}},"data":{{"id":"{user}","groups":["admin"]}}}}}}"#
            ),
            false => include_str!("gateway/src/webhooks.json").to_owned(),
        };
        Ok::<_, Infallible>(answer.body(body).unwrap())
    });
    let listener = tokio::net::TcpListener::bind(GROUPWARE).await.unwrap();
    tokio::spawn(async move {
        server::serve(listener, service, Bounds::default(), std::future::pending()).await
    });
}

fn user(number: u32) -> String {
    format!("user-{number:07}")
}

fn keys(keys: &[&str]) -> Keyring {
    Keyring::from_base64_keys(keys.iter().copied()).unwrap()
}

fn percentiles(times: &mut [Duration]) -> Percentiles {
    times.sort();
    [times[times.len() / 2], times[times.len() * 99 / 100]]
}

fn shown(times: &mut [Duration]) -> String {
    let [median, most] = percentiles(times);
    format!("median {median:.2?}, 99 of 100 within {most:.2?}")
}

/// The medians of both, of the calls of one kind.
fn middle(times: &[[Percentiles; 2]], kind: usize) -> String {
    let [median, most] = [0, 1].map(|which| {
        let mut of: Vec<_> = times.iter().map(|times| times[kind][which]).collect();
        percentiles(&mut of)[0]
    });
    format!("median {median:.2?}, 99 of 100 within {most:.2?}")
}

/// KiB of this process in memory.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or_default()
}

fn argument(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1)
}
