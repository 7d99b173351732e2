//! The metrics of `serve` (docs/OPERATIONS.md, "Metrics"), scraped from the running binary and
//! compared with known traffic.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::net::TcpStream;

use super::scrape::{self, Scrape};
use crate::support::binary::{
    Served, credentials, eventually, http, portreeve, serve_in, success, token,
};
use crate::support::gateway::{Answer, PASSWORD};
use crate::support::nextcloud::Nextcloud;

fn send(address: SocketAddr, head: &str, body: &str) -> Answer {
    let length = body.len();
    http(
        address,
        &format!("{head}Host: g\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"),
    )
}

/// `serve` with its metrics, in front of a stand-in where `admin` has a credential.
fn start(dir: &std::path::Path, nextcloud: &Nextcloud, more: &[&str]) -> Served {
    credentials(
        dir,
        &["put", "--user", "admin", "--unchecked"],
        &format!("{PASSWORD}\n"),
    );
    Served::start(
        serve_in(dir)
            .args(["--groupware-url", nextcloud.url()])
            .args(["--metrics-listen", "127.0.0.1:0"])
            .args(more),
    )
}

fn expected<'a>(pairs: &[(&'a str, f64)]) -> BTreeMap<&'a str, f64> {
    pairs.iter().copied().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_series_counts_exactly_what_happened() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    nextcloud.delay(Duration::from_millis(30));
    let dir = tempfile::tempdir().unwrap();
    let (admin, carol) = (token(dir.path(), "admin"), token(dir.path(), "carol"));
    let served = start(dir.path(), &nextcloud, &[]);
    let (gateway, metrics) = (served.address, scrape::address(&served));

    let before = Scrape::of(metrics);
    assert!(before.counted("portreeve_http_requests_total").is_empty());
    assert!(
        before
            .counted("portreeve_groupware_requests_total")
            .is_empty()
    );

    let call = |token: &str, line: &str, body: &str| {
        let head = format!("{line} HTTP/1.1\r\nAuthorization: Bearer {token}\r\n");
        send(gateway, &head, body).status
    };
    let list = "GET /api/v1/webhooks";
    for _ in 0..3 {
        assert_eq!(call(&admin, list, ""), 200);
    }
    assert_eq!(call(&admin, "POST /api/v1/webhooks", "{}"), 400);
    // A form: the client's fault, though it is a 500.
    assert_eq!(call(&admin, "POST /api/v1/webhooks", "event=x&uri=y"), 500);
    assert_eq!(call(&admin, "DELETE /api/v1/webhooks/x", ""), 400);
    assert_eq!(call(&admin, "BREW /api/v1/webhooks/1", ""), 405);
    assert_eq!(call(&admin, "GET /api/v1/background-sync/status", ""), 200);
    assert_eq!(call(&carol, "GET /api/v1/apps", ""), 428);
    for secret in ["/etc/alice?token=x", "/api/v2/webhooks"] {
        assert_eq!(call(&admin, &format!("GET {secret}"), ""), 404);
    }
    for _ in 0..2 {
        assert_eq!(call("wrong", list, ""), 401);
    }
    assert_eq!(
        send(gateway, "GET /api/v1/apps HTTP/1.1\r\n", "").status,
        401
    );
    for _ in 0..2 {
        assert_eq!(send(gateway, "GET /healthz HTTP/1.1\r\n", "").status, 200);
    }
    // Its password was revoked: refused once, then suspended.
    nextcloud.answer("webhooks-list-wrong-password");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(call(&admin, list, ""), 500);
    assert_eq!(call(&admin, list, ""), 428);

    let scrape = Scrape::of(metrics);
    assert_eq!(
        scrape.counted("portreeve_http_requests_total"),
        expected(&[
            (
                r#"portreeve_http_requests_total{method="GET",route="/api/v1/apps",status="401"}"#,
                1.0
            ),
            (
                r#"portreeve_http_requests_total{method="GET",route="/api/v1/apps",status="428"}"#,
                1.0
            ),
            (
                r#"portreeve_http_requests_total{method="GET",route="/api/v1/background-sync/status",status="200"}"#,
                1.0
            ),
            (
                r#"portreeve_http_requests_total{method="GET",route="/api/v1/webhooks",status="200"}"#,
                3.0
            ),
            (
                r#"portreeve_http_requests_total{method="GET",route="/api/v1/webhooks",status="401"}"#,
                2.0
            ),
            (
                r#"portreeve_http_requests_total{method="GET",route="/api/v1/webhooks",status="428"}"#,
                1.0
            ),
            (
                r#"portreeve_http_requests_total{method="GET",route="/api/v1/webhooks",status="500"}"#,
                1.0
            ),
            (
                r#"portreeve_http_requests_total{method="GET",route="/healthz",status="200"}"#,
                2.0
            ),
            (
                r#"portreeve_http_requests_total{method="GET",route="other",status="404"}"#,
                2.0
            ),
            (
                r#"portreeve_http_requests_total{method="DELETE",route="/api/v1/webhooks/{webhook_id}",status="400"}"#,
                1.0
            ),
            (
                r#"portreeve_http_requests_total{method="POST",route="/api/v1/webhooks",status="400"}"#,
                1.0
            ),
            (
                r#"portreeve_http_requests_total{method="POST",route="/api/v1/webhooks",status="500"}"#,
                1.0
            ),
            (
                r#"portreeve_http_requests_total{method="other",route="/api/v1/webhooks/{webhook_id}",status="405"}"#,
                1.0
            ),
        ])
    );
    assert_eq!(
        scrape.counted("portreeve_http_request_duration_seconds_count"),
        expected(&[
            (
                r#"portreeve_http_request_duration_seconds_count{route="/api/v1/apps"}"#,
                2.0
            ),
            (
                r#"portreeve_http_request_duration_seconds_count{route="/api/v1/background-sync/status"}"#,
                1.0
            ),
            (
                r#"portreeve_http_request_duration_seconds_count{route="/api/v1/webhooks"}"#,
                9.0
            ),
            (
                r#"portreeve_http_request_duration_seconds_count{route="/api/v1/webhooks/{webhook_id}"}"#,
                2.0
            ),
            (
                r#"portreeve_http_request_duration_seconds_count{route="/healthz"}"#,
                2.0
            ),
            (
                r#"portreeve_http_request_duration_seconds_count{route="other"}"#,
                2.0
            ),
        ])
    );
    assert_eq!(scrape.value("portreeve_http_requests_in_flight"), 0.0);
    assert_eq!(
        scrape.counted("portreeve_groupware_requests_total"),
        expected(&[
            (
                r#"portreeve_groupware_requests_total{outcome="ok",route="webhooks"}"#,
                3.0
            ),
            (
                r#"portreeve_groupware_requests_total{outcome="unauthorized",route="webhooks"}"#,
                2.0
            ),
        ])
    );
    assert_eq!(
        scrape.counted("portreeve_token_checks_total"),
        expected(&[
            (
                r#"portreeve_token_checks_total{outcome="accepted",verifier="static"}"#,
                13.0
            ),
            (
                r#"portreeve_token_checks_total{outcome="not_accepted",verifier="none"}"#,
                2.0
            ),
        ])
    );
    assert_eq!(
        scrape.counted("portreeve_token_refusals_total"),
        expected(&[(r#"portreeve_token_refusals_total{reason="unknown"}"#, 2.0)])
    );
    assert_eq!(
        scrape.counted("portreeve_rejected_total"),
        expected(&[
            (r#"portreeve_rejected_total{kind="no_token"}"#, 1.0),
            (r#"portreeve_rejected_total{kind="not_json"}"#, 1.0),
            (r#"portreeve_rejected_total{kind="refused_token"}"#, 2.0),
        ])
    );
    assert_eq!(
        scrape.counted("portreeve_refused_logins_total"),
        expected(&[(r#"portreeve_refused_logins_total{by="basic"}"#, 1.0)])
    );
    assert_eq!(
        scrape.counted("portreeve_login_permits"),
        expected(&[
            (r#"portreeve_login_permits{state="free"}"#, 4.0),
            (r#"portreeve_login_permits{state="spent"}"#, 1.0),
        ])
    );
    assert_eq!(
        scrape.counted("portreeve_credentials"),
        expected(&[(r#"portreeve_credentials{state="suspended"}"#, 1.0)])
    );
    // The calls to Nextcloud took less time than the requests, which took less than ten seconds.
    let sum = |series: &str| scrape.value(series);
    let there = sum(r#"portreeve_groupware_request_duration_seconds_sum{route="webhooks"}"#);
    let whole = sum(r#"portreeve_http_request_duration_seconds_sum{route="/api/v1/webhooks"}"#);
    assert!(
        0.12 <= there && there < whole && whole < 10.0,
        "{there} {whole}"
    );
    let fast =
        r#"portreeve_groupware_request_duration_seconds_bucket{route="webhooks",le="0.025"}"#;
    let all = r#"portreeve_groupware_request_duration_seconds_bucket{route="webhooks",le="+Inf"}"#;
    assert_eq!((scrape.value(fast), scrape.value(all)), (0.0, 5.0));

    // A request that the groupware server delays is in flight.
    nextcloud.delay(Duration::from_secs(2));
    credentials(
        dir.path(),
        &["put", "--user", "admin", "--unchecked"],
        &format!("{PASSWORD}\n"),
    );
    let held = std::thread::spawn({
        let head = format!("{list} HTTP/1.1\r\nAuthorization: Bearer {admin}\r\n");
        move || send(gateway, &head, "").status
    });
    eventually("a request is in flight", || {
        let scrape = Scrape::of(metrics);
        scrape.value("portreeve_http_requests_in_flight") == 1.0
            && scrape.value(r#"portreeve_login_permits{state="in_flight"}"#) == 1.0
            && scrape.value(r#"portreeve_credentials{state="active"}"#) == 1.0
    });
    held.join().unwrap();
    assert_eq!(
        Scrape::of(metrics).value("portreeve_http_requests_in_flight"),
        0.0
    );
}

/// Dashboards depend on these names and labels.
#[tokio::test(flavor = "multi_thread")]
async fn names_types_and_labels_are_stable() {
    let nextcloud = Nextcloud::start().await;
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    let audit_log = dir.path().join("audit.log");
    let more = ["--audit-log", audit_log.to_str().unwrap()];
    let served = start(dir.path(), &nextcloud, &more);
    let head = format!("GET /api/v1/apps HTTP/1.1\r\nAuthorization: Bearer {token}\r\n");
    send(served.address, &head, "");
    let scrape = Scrape::of(scrape::address(&served));
    let mut labels: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for series in scrape.series.keys() {
        let (name, rest) = series.split_once('{').unwrap_or((series, ""));
        let own = rest
            .split("\",")
            .map(|pair| pair.split('=').next().unwrap());
        let own = own.filter(|label| !["", "le"].contains(label)).collect();
        let name = ["_bucket", "_sum", "_count"]
            .iter()
            .find_map(|suffix| name.strip_suffix(suffix))
            .unwrap_or(name);
        labels.insert(name, own);
    }
    let seen: Vec<_> = scrape
        .types
        .iter()
        .map(|(name, kind)| {
            (
                name.as_str(),
                kind.as_str(),
                labels[name.as_str()].as_slice(),
            )
        })
        .collect();
    let documented: &[(&str, &str, &[&str])] = &[
        ("portreeve_audit_lines_lost_total", "counter", &[]),
        ("portreeve_build_info", "gauge", &["revision", "version"]),
        ("portreeve_connections", "gauge", &["protocol"]),
        ("portreeve_credentials", "gauge", &["state"]),
        (
            "portreeve_groupware_request_duration_seconds",
            "histogram",
            &["route"],
        ),
        (
            "portreeve_groupware_requests_total",
            "counter",
            &["outcome", "route"],
        ),
        (
            "portreeve_groupware_writes_total",
            "counter",
            &["effect", "route"],
        ),
        (
            "portreeve_http_request_duration_seconds",
            "histogram",
            &["route"],
        ),
        ("portreeve_http_requests_in_flight", "gauge", &[]),
        (
            "portreeve_http_requests_total",
            "counter",
            &["method", "route", "status"],
        ),
        ("portreeve_login_permits", "gauge", &["state"]),
        ("portreeve_refused_logins_total", "counter", &["by"]),
        ("portreeve_rejected_total", "counter", &["kind"]),
        (
            "portreeve_store_operations_total",
            "counter",
            &["operation", "outcome"],
        ),
        (
            "portreeve_token_checks_total",
            "counter",
            &["outcome", "verifier"],
        ),
        ("portreeve_token_refusals_total", "counter", &["reason"]),
        ("process_cpu_seconds_total", "counter", &[]),
        ("process_max_fds", "gauge", &[]),
        ("process_open_fds", "gauge", &[]),
        ("process_resident_memory_bytes", "gauge", &[]),
        ("process_start_time_seconds", "gauge", &[]),
        ("process_threads", "gauge", &[]),
        ("process_virtual_memory_bytes", "gauge", &[]),
    ];
    assert_eq!(seen, documented);
    assert_eq!(
        scrape.counted("portreeve_build_info").values().sum::<f64>(),
        1.0
    );
    // The same as `--version` prints.
    let version = success(portreeve().arg("--version"), "");
    let (_, rest) = version.split_once("(revision ").unwrap();
    let revision = rest.split(',').next().unwrap();
    let build = format!(
        "portreeve_build_info{{revision={revision:?},version={:?}}}",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(scrape.value(&build), 1.0);
    let count =
        r#"portreeve_store_operations_total{operation="count_the_credentials",outcome="ok"}"#;
    assert!(scrape.value(count) >= 1.0);
    let now = std::time::SystemTime::now();
    let now = now
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs_f64();
    let age = now - scrape.value("process_start_time_seconds");
    assert!((-2.0..60.0).contains(&age), "{age}");
    assert!(scrape.value("process_open_fds") > 5.0);
    assert!(scrape.value("process_resident_memory_bytes") > 1e6);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_counted_by_protocol_until_they_end() {
    let nextcloud = Nextcloud::start().await;
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "admin");
    let more = ["--max-connections-per-address", "5"];
    let served = start(dir.path(), &nextcloud, &more);
    let metrics = scrape::address(&served);
    let counts = || {
        let scrape = Scrape::of(metrics);
        ["new", "http1", "http2"].map(|protocol| {
            scrape.value(&format!("portreeve_connections{{protocol={protocol:?}}}"))
        })
    };
    let open = async |bytes: &[u8]| {
        use tokio::io::AsyncWriteExt as _;
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream
    };
    let silent = open(b"").await;
    let first = open(b"GET /healthz HTTP/1.1\r\nHost: g\r\n\r\n").await;
    let second = [
        open(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await,
        open(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await,
    ];
    eventually("they are counted", || counts() == [1.0, 1.0, 2.0]);
    drop(second);
    eventually("two have ended", || counts() == [1.0, 1.0, 0.0]);
    let others = [open(b"").await, open(b"").await, open(b"").await];
    eventually("there are five", || counts() == [4.0, 1.0, 0.0]);
    for _ in 0..7 {
        open(b"").await;
    }
    eventually("those over the limit were counted", || {
        let refused = r#"portreeve_rejected_total{kind="connections_of_address"}"#;
        Scrape::of(metrics).value(refused) == 7.0
    });
    drop((silent, first, others));
    eventually("all have ended", || counts() == [0.0; 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_served_only_on_their_own_listener() {
    let nextcloud = Nextcloud::start().await;
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "admin");
    let served = start(dir.path(), &nextcloud, &[]);
    let metrics = scrape::address(&served);
    let status = |address, line: &str| send(address, &format!("{line} HTTP/1.1\r\n"), "").status;
    assert_eq!(status(served.address, "GET /metrics"), 401);
    for path in ["/metrics", "/healthz", "/readyz"] {
        assert_eq!(status(metrics, &format!("GET {path}")), 200, "{path}");
        assert_eq!(status(metrics, &format!("POST {path}")), 405, "{path}");
    }
    assert_eq!(status(metrics, "GET /api/v1/apps"), 404);
    // Nothing of this listener is in the metrics of the API.
    assert_eq!(
        Scrape::of(metrics).counted("portreeve_http_requests_total"),
        expected(&[(
            r#"portreeve_http_requests_total{method="GET",route="other",status="401"}"#,
            1.0
        )])
    );
}

/// The metrics listener serves until the last request is answered, as a drain is worth watching.
#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_served_during_a_drain() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-empty-admin");
    nextcloud.delay(Duration::from_secs(2));
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    let mut served = start(dir.path(), &nextcloud, &[]);
    let (gateway, metrics) = (served.address, scrape::address(&served));
    let began = Instant::now();
    let held = std::thread::spawn(move || {
        let head = format!("GET /api/v1/webhooks HTTP/1.1\r\nAuthorization: Bearer {token}\r\n");
        send(gateway, &head, "").status
    });
    let in_flight = || Scrape::of(metrics).value("portreeve_http_requests_in_flight");
    eventually("a request is in flight", || in_flight() == 1.0);
    served.terminate();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(in_flight(), 1.0);
    assert_eq!(held.join().unwrap(), 200);
    assert!(served.wait().success());
    assert!(began.elapsed() < Duration::from_secs(10));
}
