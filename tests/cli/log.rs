//! The log of `serve` (docs/OPERATIONS.md, "The log"): one line per request with stable field
//! names, and no flood of lines about requests that are rejected.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::binary::{Served, address_in, credentials, serve_in, token, wait};
use crate::support::gateway::{Answer, PASSWORD};
use crate::support::nextcloud::Nextcloud;

/// `serve` in front of a stand-in, with JSON lines.
fn start(dir: &std::path::Path, nextcloud: &Nextcloud, more: &[&str]) -> Served {
    credentials(dir, &["put", "--user", "admin", "--unchecked"], &format!("{PASSWORD}\n"));
    Served::start(
        serve_in(dir)
            .args(["--groupware-url", nextcloud.url()])
            .args(["--log-format", "json"])
            .args(more),
    )
}

async fn send(address: SocketAddr, head: &str) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("{head}Host: g\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.ok();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.ok();
    Answer::parse(&bytes)
}

/// The lines of one target that have been written since the last call.
fn of_target(served: &Served, target: &str) -> Vec<Value> {
    let lines = served.lines().into_iter();
    let lines = lines.map(|line| serde_json::from_str::<Value>(&line).expect(&line));
    lines.filter(|line| line["target"] == target).collect()
}

fn field_names(line: &Value) -> Vec<&str> {
    line.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_request_is_one_line_with_stable_field_names() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    nextcloud.delay(Duration::from_millis(60));
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    let served = start(dir.path(), &nextcloud, &[]);
    let authorization = format!("Authorization: Bearer {token}\r\n");

    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let head = format!(
        "GET /api/v1/webhooks?secret=hush HTTP/1.1\r\n{authorization}X-Request-Id: r-1\r\n\
         traceparent: 00-{trace}-00f067aa0ba902b7-01\r\n"
    );
    assert_eq!(send(served.address, &head).await.status, 200);
    for path in ["/healthz", "/readyz"] {
        let probe = send(served.address, &format!("GET {path} HTTP/1.1\r\n")).await;
        assert_eq!(probe.status, 200);
    }
    let head = format!(
        "CONJURE /api/v1/webhooks/4711 HTTP/1.1\r\n{authorization}X-Request-Id: r-2\r\n\
         traceparent: 00-{trace}-00F067AA0BA902B7-01\r\n"
    );
    assert_eq!(send(served.address, &head).await.status, 405);
    let head = format!("GET /files/alice HTTP/1.1\r\n{authorization}X-Request-Id: r-3\r\n");
    assert_eq!(send(served.address, &head).await.status, 404);

    let mut lines = Vec::new();
    wait("three requests are logged", || {
        lines.extend(of_target(&served, "portreeve::request"));
        lines.len() >= 3
    });
    let [listed, refused, unknown] = &lines[..] else {
        panic!("{lines:#?}");
    };
    let always = ["caller", "duration_ms", "level", "message", "method", "request_id", "route"];
    let always: Vec<_> = always.into_iter().chain(["status", "target", "timestamp"]).collect();
    let mut all = [&always[..], &["groupware_ms", "trace_id"]].concat();
    all.sort_unstable();
    let mut seen = field_names(listed);
    seen.sort_unstable();
    assert_eq!(seen, all, "{listed}");
    assert_eq!(listed["level"], "INFO");
    assert_eq!(listed["message"], "request");
    assert_eq!(listed["method"], "GET");
    assert_eq!(listed["route"], "/api/v1/webhooks");
    assert_eq!(listed["status"], 200);
    assert_eq!(listed["caller"], "admin");
    assert_eq!(listed["request_id"], "r-1");
    assert_eq!(listed["trace_id"], trace);
    let (whole, there) = (&listed["duration_ms"], &listed["groupware_ms"]);
    let (whole, there) = (whole.as_f64().unwrap(), there.as_f64().unwrap());
    assert!(60.0 <= there && there < whole && whole < 60_000.0, "{listed}");

    let mut seen = field_names(refused);
    seen.sort_unstable();
    assert_eq!(seen, always, "a wrong traceparent is ignored: {refused}");
    assert_eq!(refused["method"], "other");
    assert_eq!(refused["route"], "/api/v1/webhooks/{webhook_id}");
    assert_eq!((&refused["status"], &refused["request_id"]), (&405.into(), &"r-2".into()));
    assert_eq!((&unknown["route"], &unknown["status"]), (&"other".into(), &404.into()));
    for line in lines {
        let line = line.to_string();
        for secret in ["hush", &token[4..], PASSWORD, "files", "4711"] {
            assert!(!line.contains(secret), "{secret}: {line}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_over_the_in_flight_limit_are_counted_in_one_line_per_second() {
    flood(&["--max-in-flight", "2"], &[("in_flight_limit", 503)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_limited_callers_and_wrong_tokens_are_counted_in_one_line_per_second() {
    flood(&["--max-in-flight-per-caller", "2"], &[("caller_limit", 429), ("refused_token", 401)])
        .await;
}

/// Sends requests, of which a few exhaust the limit, and a quarter have a wrong token, until many were rejected for
/// each of the `expected` reasons.
async fn flood(more: &[&str], expected: &[(&str, u16)]) {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    nextcloud.delay(Duration::from_millis(700));
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    let mut served = start(dir.path(), &nextcloud, more);
    let began = Instant::now();
    let left = expected.iter().map(|(_, status)| (*status, AtomicI32::new(25)));
    let left: Arc<[_]> = left.collect();
    let clients = (0..12).map(|client| {
        let (address, left) = (served.address, left.clone());
        let authorization = match client % 4 {
            0 => "Authorization: Bearer wrong\r\n".to_owned(),
            _ => format!("Authorization: Bearer {token}\r\n"),
        };
        tokio::spawn(async move {
            let mut seen = Vec::new();
            while left.iter().any(|(_, left)| left.load(Relaxed) > 0) {
                let head = format!("GET /api/v1/webhooks HTTP/1.1\r\n{authorization}");
                let status = send(address, &head).await.status;
                if let Some((_, left)) = left.iter().find(|(it, _)| *it == status) {
                    left.fetch_sub(1, Relaxed);
                }
                seen.push(status);
            }
            seen
        })
    });
    let mut seen = Vec::new();
    for client in clients.collect::<Vec<_>>() {
        seen.extend(client.await.unwrap());
    }
    // The counts of the last second are logged at shutdown at the latest.
    served.terminate();
    assert!(served.wait().success());
    let time = began.elapsed();

    let lines = served.rest().into_iter();
    let lines: Vec<Value> = lines.map(|line| serde_json::from_str(&line).unwrap()).collect();
    let rejected = lines.iter().filter(|line| line["target"] == "portreeve::rejected");
    for kind in ["in_flight_limit", "caller_limit", "refused_token"] {
        let of_kind: Vec<_> = rejected.clone().filter(|line| line["kind"] == kind).collect();
        let counts = of_kind.iter().map(|line| line["count"].as_u64().unwrap());
        let status = match kind {
            "in_flight_limit" => 503,
            "caller_limit" => 429,
            _ => 401,
        };
        let answered = seen.iter().filter(|seen| **seen == status).count();
        assert_eq!(counts.sum::<u64>(), answered as u64, "{kind}: {of_kind:#?}");
        // One immediately, one after each second, and one at shutdown.
        let most = time.as_secs() + 2;
        assert!(of_kind.len() as u64 <= most, "{of_kind:#?}");
        for line in of_kind {
            assert_eq!(line["status"], status);
            assert_eq!(line["level"], if status == 401 { "INFO" } else { "WARN" });
        }
    }
    let requests = lines.iter().filter(|line| line["target"] == "portreeve::request");
    let served = seen.iter().filter(|seen| **seen == 200).count();
    assert_eq!(requests.count(), served, "no others have a line");
    // The lines of startup and shutdown.
    let others = lines.len() - served - rejected.count();
    assert!(others <= 8, "{lines:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_over_the_limit_of_an_address_are_logged_as_counts() {
    let nextcloud = Nextcloud::start().await;
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "admin");
    let mut served = start(dir.path(), &nextcloud, &["--max-connections-per-address", "3"]);
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(TcpStream::connect(served.address).await.unwrap());
    }
    let probe = "GET /healthz HTTP/1.1\r\n";
    wait("the limit is reached", || {
        let closed = tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(send(served.address, probe))
        });
        closed.status == 0
    });
    for _ in 0..300 {
        assert_eq!(send(served.address, probe).await.status, 0);
    }
    served.terminate();
    drop(held);
    assert!(served.wait().success());
    let lines: Vec<Value> =
        served.rest().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_kind: Vec<_> =
        lines.iter().filter(|line| line["kind"] == "connections_of_address").collect();
    let counted: u64 = of_kind.iter().map(|line| line["count"].as_u64().unwrap()).sum();
    assert!(counted >= 301 && of_kind.len() < 20, "{of_kind:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_that_a_client_resets_write_no_lines() {
    let nextcloud = Nextcloud::start().await;
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "admin");
    let mut served = start(dir.path(), &nextcloud, &[]);
    // A request is one frame, and is reset by the next.
    let mut flood = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    for stream in (1..200_u32).step_by(2) {
        flood.extend(b"\0\0\x06\x01\x05");
        flood.extend(stream.to_be_bytes());
        flood.extend(b"\x82\x84\x86\x41\x01g\0\0\x04\x03\0");
        flood.extend(stream.to_be_bytes());
        flood.extend(b"\0\0\0\x08");
    }
    for _ in 0..20 {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        // The server ends the connection in the middle.
        let _ = stream.write_all(&flood).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        // GOAWAY for too many resets.
        assert!(answer.windows(4).any(|end| end == [0, 0, 0, 11]), "{answer:?}");
    }
    served.terminate();
    assert!(served.wait().success());
    let lines = served.rest().join("\n");
    assert!(!lines.contains("h2::"), "{lines}");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_anybody_can_send_have_few_lines_and_are_counted() {
    const REQUESTS: u64 = 400;
    let nextcloud = Nextcloud::start().await;
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    let mut served = start(dir.path(), &nextcloud, &[]);
    let began = Instant::now();
    for _ in 0..REQUESTS {
        let head = "GET /api/v1/status HTTP/1.1\r\n";
        assert_eq!(send(served.address, head).await.status, 200);
    }
    // A caller who is known has a line for each request.
    let head =
        format!("GET /api/v1/background-sync/status HTTP/1.1\r\nAuthorization: Bearer {token}\r\n");
    for _ in 0..30 {
        assert_eq!(send(served.address, &head).await.status, 200);
    }
    served.terminate();
    assert!(served.wait().success());
    let rest = served.rest();
    let lines: Vec<Value> = rest.iter().map(|it| serde_json::from_str(it).unwrap()).collect();
    let of = |caller: Option<&str>| {
        let lines = lines.iter().filter(|line| line["message"] == "request");
        lines.filter(|line| line["caller"].as_str() == caller).count() as u64
    };
    let left_out = "more requests without a known caller were answered than are listed";
    let left_out = lines.iter().filter(|line| line["message"] == left_out);
    let left_out: u64 = left_out.map(|line| line["count"].as_u64().unwrap()).sum();
    assert!(of(None) <= 10 * (began.elapsed().as_secs() + 2), "{}", of(None));
    assert_eq!(of(None) + left_out, REQUESTS);
    assert_eq!(of(Some("admin")), 30);
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_that_make_room_are_logged_as_counts() {
    let nextcloud = Nextcloud::start().await;
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "admin");
    let more = ["--max-connections", "3", "--metrics-listen", "127.0.0.1:0"];
    let mut served = start(dir.path(), &nextcloud, &more);
    let mut lines = served.before_listening.iter();
    let serving = lines.find(|line| line.contains("serving metrics"));
    let metrics = address_in(serving.unwrap()).unwrap();
    let mut held = Vec::new();
    for _ in 0..303 {
        held.push(TcpStream::connect(served.address).await.unwrap());
    }
    let counted = r#"portreeve_rejected_total{kind="idle_connections"}"#;
    wait("they are counted", || crate::scrape::Scrape::of(metrics).value(counted) == 300.0);
    served.terminate();
    assert!(served.wait().success());
    let lines = served.rest();
    let lines = lines.iter().map(|line| serde_json::from_str(line).unwrap());
    let of_kind: Vec<Value> =
        lines.filter(|line: &Value| line["kind"] == "idle_connections").collect();
    let counts = of_kind.iter().map(|line| line["count"].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), 300);
    assert!(of_kind.len() < 20, "{of_kind:#?}");
    assert_eq!(of_kind[0]["level"], "WARN");
}
