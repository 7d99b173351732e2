//! Receiving deliveries: a full table, a full disk, kills, and what an operator sees of each (docs/DELIVERIES.md, "What is
//! lost when").

mod reader;
mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use portreeve::groupware::DeliveryAuth;
use serde_json::{Value, json};

use super::scrape::{self, Scrape};
use crate::support::binary::{
    LONGEST, Served, assert_contains, exchange, failure, serve_in, success, token, wait,
};
use crate::support::gateway::Answer;

const ADDRESS: &str = "https://gate.example.org";
const SECRET: &str = "a secret of the tests";

/// `serve` with deliveries and metrics, whose targets may be on loopback.
pub(super) fn receiving(serve: &mut Command) -> &mut Command {
    serve.env("WEBHOOK_SECRET", SECRET).arg("--deliveries");
    serve.args(["--public-url", ADDRESS, "--metrics-listen", "127.0.0.1:0"]);
    serve.args(["--delivery-networks", "127.0.0.0/8"])
}

fn request(address: SocketAddr, line: &str, authorization: &str, body: &str) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(LONGEST)).ok()?;
    let length = body.len();
    let head = format!(
        "{line} HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: {authorization}\r\n\
         Content-Length: {length}\r\n\r\n"
    );
    stream.write_all((head + body).as_bytes()).ok()?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok()?;
    (!bytes.is_empty()).then(|| Answer::parse(&bytes))
}

/// Sends a delivery, as Nextcloud does; `None` if there is no answer.
pub(super) fn deliver(address: SocketAddr, body: &str) -> Option<Answer> {
    let auth = DeliveryAuth::derived(SECRET.into()).unwrap();
    let credential = auth.authorization_for(&format!("{ADDRESS}/webhooks/nextcloud"));
    request(address, "POST /webhooks/nextcloud", credential.expose(), body)
}

/// A class whose events belong to whoever causes them.
const TAG: &str = r"OCP\SystemTag\TagAssignedEvent";

/// Event `n` of alice, somewhat larger than `size` bytes.
pub(super) fn event(n: u32, size: usize) -> String {
    let padding = "x".repeat(size);
    json!({"event": {"class": TAG}, "user": {"uid": "alice"}, "time": n, "padding": padding})
        .to_string()
}

/// A call of alice.
pub(super) fn call(address: SocketAddr, token: &str, line: &str, body: Value) -> Value {
    let (method, path) = line.split_once(' ').unwrap();
    let line = format!("{method} /api/v1/deliveries/{path}");
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let answer = request(address, &line, &format!("Bearer {token}"), &body).unwrap();
    assert!(matches!(answer.status, 200 | 201), "{line}: {answer:?}");
    answer.json()
}

/// The numbers of the events of alice that are kept.
fn kept(address: SocketAddr, token: &str) -> BTreeSet<u32> {
    let (mut numbers, mut cursor) = (BTreeSet::new(), String::new());
    loop {
        let page = call(address, token, &format!("GET events{cursor}"), Value::Null);
        let events = page["events"].as_array().unwrap();
        if events.is_empty() {
            return numbers;
        }
        let times = events.iter().map(|it| it["body"]["time"].as_u64().unwrap());
        numbers.extend(times.map(|n| u32::try_from(n).unwrap()));
        cursor = format!("?cursor={}", page["cursor"].as_str().unwrap());
    }
}

/// What `/readyz` says while it is 200.
pub(super) fn readyz(address: SocketAddr) -> String {
    let answer = exchange(address, "GET", "/readyz", "none").unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

/// Asserts that both listeners say that the last delivery was refused, and are ready for everything else.
fn assert_says_full(addresses: [SocketAddr; 2]) {
    for address in addresses {
        let said = readyz(address);
        let at = said.strip_prefix("ready, but the last delivery was refused at ");
        let at = at.and_then(|rest| rest.strip_suffix(": queue full\n"));
        assert!(at.is_some_and(|at| at.ends_with('Z')), "{said}");
    }
}

fn assert_refused(answer: &Answer) {
    assert_eq!(answer.status, 503, "{answer:?}");
    let body = json!({"status": "unavailable", "reason": "queue full"});
    assert_eq!(answer.json(), body);
    assert!(answer.header("retry-after").is_some());
}

pub(super) const REFUSED: &str = "deliveries are refused, and their sender does not repeat them";

fn count(lines: &[String], part: &str) -> usize {
    lines.iter().filter(|line| line.contains(part)).count()
}

/// An attempt as it arrives at a target.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub(super) path: String,
    pub(super) id: String,
    /// In seconds since 1970.
    pub(super) timestamp: u64,
    pub(super) number: u32,
}

/// A target that takes everything.
pub(super) struct Target {
    pub(super) address: SocketAddr,
    arrivals: Arc<Mutex<Vec<Arrival>>>,
}

impl Target {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let arrivals = Arc::<Mutex<Vec<Arrival>>>::default();
        let seen = arrivals.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let seen = seen.clone();
                thread::spawn(move || Self::serve(stream, &seen));
            }
        });
        Self { address, arrivals }
    }

    /// One attempt; `None` if it is cut off.
    fn serve(stream: TcpStream, seen: &Mutex<Vec<Arrival>>) -> Option<()> {
        let mut reader = BufReader::new(stream);
        let (mut head, mut fields) = (String::new(), BTreeMap::new());
        reader.read_line(&mut head).ok()?;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            match line.trim_end().split_once(": ") {
                Some((name, value)) => _ = fields.insert(name.to_lowercase(), value.to_owned()),
                None if line == "\r\n" => break,
                None => {}
            }
        }
        let mut body = vec![0; fields["content-length"].parse().unwrap()];
        reader.read_exact(&mut body).ok()?;
        let body: Value = serde_json::from_slice(&body).unwrap();
        seen.lock().unwrap().push(Arrival {
            path: head.split(' ').nth(1)?.to_owned(),
            id: fields["webhook-id"].clone(),
            timestamp: fields["webhook-timestamp"].parse().unwrap(),
            number: u32::try_from(body["time"].as_u64().unwrap()).unwrap(),
        });
        // So that some are under way at any time.
        let is_slow = head.contains("/slow ");
        thread::sleep(Duration::from_millis(if is_slow { 3000 } else { 20 }));
        let status = if head.contains("/gone ") { "410 Gone" } else { "200 OK" };
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        reader.into_inner().write_all(answer.as_bytes()).ok()
    }

    fn uri(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub(super) fn arrivals(&self) -> Vec<Arrival> {
        self.arrivals.lock().unwrap().clone()
    }

    fn numbers(&self) -> BTreeSet<u32> {
        self.arrivals().iter().map(|it| it.number).collect()
    }
}

/// It fills with what cannot be delivered: the oldest goes, and nothing is refused but what alone is too large.
#[test]
fn api_12_1_a_full_table_refuses_nothing_and_gives_up_the_oldest() {
    const MAX: u32 = 20 * 1024;
    let dir = tempfile::tempdir().unwrap();
    let alice = token(dir.path(), "alice");
    let mut serve = serve_in(dir.path());
    let served = Served::start(receiving(serve.args(["--deliveries-max", "20 KiB"])));
    let (address, metrics) = (served.address, scrape::address(&served));
    let nobody = json!({"uri": "http://127.0.0.1:9/"});
    let target = call(address, &alice, "POST targets", nobody);
    let target = target["id"].as_str().unwrap();
    let scraped = Scrape::of(metrics);
    assert_eq!(scraped.value("portreeve_deliveries_bytes"), 0.0);
    assert_eq!(scraped.value("portreeve_deliveries_max_bytes"), f64::from(MAX));
    for n in 0..40 {
        assert_eq!(deliver(address, &event(n, 2000)).unwrap().status, 200);
    }
    assert_eq!(readyz(address), "ready\n");
    let newest = kept(address, &alice);
    assert!(newest.contains(&39) && !newest.contains(&0), "{newest:?}");
    let scraped = Scrape::of(metrics);
    assert!(scraped.value("portreeve_deliveries_expired_total") > 20.0);
    assert_eq!(scraped.value("portreeve_deliveries_received_total"), 40.0);
    let oldest = scraped.value("portreeve_deliveries_oldest_pending_seconds");
    assert!(oldest > 0.0 && oldest < 600.0, "{oldest}");

    for _ in 0..30 {
        assert_refused(&deliver(address, &event(1000, 30_000)).unwrap());
    }
    assert_says_full([address, metrics]);
    let scraped = Scrape::of(metrics);
    let refused = scraped.value(r#"portreeve_rejected_total{kind="queue_full"}"#);
    assert_eq!(refused, 30.0);
    let receiver = Target::start();
    let uri = json!({"uri": receiver.uri()});
    call(address, &alice, &format!("PATCH targets/{target}"), uri);
    assert_eq!(deliver(address, &event(2000, 2000)).unwrap().status, 200);
    wait("it is delivered", || receiver.numbers().contains(&2000));
    for address in [address, metrics] {
        assert_eq!(readyz(address), "ready\n");
    }
    served.terminate();
    let lines = served.rest();
    assert_eq!(count(&lines, REFUSED), 1, "{lines:#?}");
    assert_eq!(count(&lines, "deliveries are received again"), 1, "{lines:#?}");
    let line = lines.iter().find(|line| line.contains(REFUSED)).unwrap();
    let parts = ["ERROR", "count=1", "deliveries_max"];
    assert!(parts.iter().all(|part| line.contains(part)), "{line}");
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn api_12_1_a_full_disk_loses_nothing_says_so_once_and_recovers() {
    use crate::support::slow_disk::SlowDisk;

    let dir = tempfile::tempdir().unwrap();
    let alice = token(dir.path(), "alice");
    let disk = SlowDisk::new();
    let mut serve = serve_in(dir.path());
    let served = Served::start(disk.under(receiving(&mut serve)));
    let (address, metrics) = (served.address, scrape::address(&served));
    let mut stored = BTreeSet::from([0]);
    assert_eq!(deliver(address, &event(0, 50_000)).unwrap().status, 200);
    disk.fill();
    let mut refused = 0;
    for n in 1..40 {
        let answer = deliver(address, &event(n, 50_000)).unwrap();
        // There may be room in the files that there are.
        if answer.status == 200 {
            stored.insert(n);
            continue;
        }
        assert_refused(&answer);
        refused += 1;
    }
    assert!(refused > 20, "{stored:?}");
    assert_says_full([address, metrics]);
    // The rest goes on.
    assert_eq!(kept(address, &alice), stored);
    let scraped = Scrape::of(metrics);
    let rejected = scraped.value(r#"portreeve_rejected_total{kind="queue_full"}"#);
    assert_eq!(rejected, f64::from(refused));
    disk.heal();
    assert_eq!(deliver(address, &event(99, 50_000)).unwrap().status, 200);
    stored.insert(99);
    assert_eq!(readyz(address), "ready\n");
    assert_eq!(readyz(metrics), "ready\n");
    // The line may come after the answer.
    let mut lines = Vec::new();
    wait("it is said that they are received again", || {
        lines.extend(served.lines());
        lines.iter().any(|line| line.contains("deliveries are received again"))
    });
    let said: Vec<_> = lines.iter().filter(|line| line.contains(REFUSED)).collect();
    assert_eq!(said.len(), 1, "{lines:#?}");
    assert!(said[0].contains("disk is full"), "{said:?}");
    let again = lines.iter().find(|line| line.contains("deliveries are received again"));
    let count = format!("count={refused}");
    assert!(again.is_some_and(|line| line.contains(&count)), "{lines:#?}");
    served.kill();
    let served = Served::start(receiving(&mut serve_in(dir.path())));
    assert_eq!(kept(served.address, &alice), stored);
}

/// What is too old goes, and whoever reads learns that something is missing.
#[test]
fn api_12_5_what_deliveries_keep_has_removed_is_a_gap() {
    let dir = tempfile::tempdir().unwrap();
    let alice = token(dir.path(), "alice");
    let mut serve = serve_in(dir.path());
    let served = Served::start(receiving(serve.args(["--deliveries-keep", "3s"])));
    let address = served.address;
    let began = call(address, &alice, "GET events?cursor=now", Value::Null);
    let path = format!("GET events?cursor={}", began["cursor"].as_str().unwrap());
    assert_eq!(deliver(address, &event(1, 1)).unwrap().status, 200);
    let page = call(address, &alice, &path, Value::Null);
    assert_eq!((&page["gap"], &page["events"][0]["body"]["time"]), (&json!(false), &json!(1)));
    wait("it is removed", || {
        let page = call(address, &alice, &path, Value::Null);
        page["gap"] == true && page["events"] == json!([])
    });
}

/// The database refuses a text with a NUL, and with it all of its transaction.
#[cfg(feature = "postgres")]
#[test]
fn api_12_1_a_class_that_postgresql_cannot_hold_costs_no_other_delivery() {
    let Some(server) = crate::support::postgres::shared() else {
        return;
    };
    let (url, dir) = (server.database(), tempfile::tempdir().unwrap());
    let alice = token(dir.path(), "alice");
    let served = Served::start(receiving(&mut super::several::serve(&url, dir.path())));
    let address = served.address;
    // Those that arrive at the same time share a transaction.
    thread::scope(|scope| {
        for n in 0..64 {
            scope.spawn(move || {
                let (class, status) = match n % 4 {
                    0 => ("A\0", 400),
                    _ => (TAG, 200),
                };
                let mut event: Value = serde_json::from_str(&event(n, 1)).unwrap();
                event["event"]["class"] = class.into();
                let answer = deliver(address, &event.to_string()).unwrap();
                assert_eq!(answer.status, status, "{n}: {answer:?}");
            });
        }
    });
    let stored = (0..64).filter(|n| n % 4 != 0).collect();
    assert_eq!(kept(address, &alice), stored);
}

/// However short requests are: an attempt that was cut off would be made again.
#[test]
fn api_12_3_an_attempt_under_way_when_the_gateway_stops_is_not_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let alice = token(dir.path(), "alice");
    let receiver = Target::start();
    let start = || {
        let mut serve = serve_in(dir.path());
        Served::start(receiving(serve.args(["--request-timeout", "1s"])))
    };
    let mut served = start();
    let uri = json!({"uri": format!("{}slow", receiver.uri())});
    call(served.address, &alice, "POST targets", uri);
    assert_eq!(deliver(served.address, &event(1, 1)).unwrap().status, 200);
    wait("it is under way", || receiver.arrivals().len() == 1);
    served.terminate();
    assert!(served.wait().success());
    let served = start();
    assert_eq!(deliver(served.address, &event(2, 1)).unwrap().status, 200);
    wait("the next one comes", || receiver.numbers().contains(&2));
    let numbers = receiver.arrivals().into_iter().map(|it| it.number);
    assert_eq!(numbers.collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn what_is_given_up_and_a_target_that_is_disabled_are_counted_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let alice = token(dir.path(), "alice");
    let served = Served::start(receiving(&mut serve_in(dir.path())));
    let (address, receiver) = (served.address, Target::start());
    let metrics = scrape::address(&served);
    for uri in [receiver.uri(), format!("{}gone", receiver.uri())] {
        call(address, &alice, "POST targets", json!({"uri": uri}));
    }
    let numbers = || {
        let scraped = Scrape::of(metrics);
        let of_state = |state| format!("portreeve_deliveries_targets{{state=\"{state}\"}}");
        let targets = ["active", "paused", "disabled"].map(|it| scraped.value(&of_state(it)));
        (scraped.value("portreeve_deliveries_given_up_total"), targets)
    };
    assert_eq!(numbers(), (0.0, [2.0, 0.0, 0.0]));
    assert_eq!(deliver(address, &event(1, 1)).unwrap().status, 200);
    wait("one is disabled", || numbers() == (1.0, [1.0, 0.0, 1.0]));
    let line = served.line_with("a target of deliveries is disabled");
    assert!(line.contains("account=\"alice\""), "{line}");
}
