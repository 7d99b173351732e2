//! TLS on the listener (docs/OPERATIONS.md, "TLS").

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http_body_util::Empty;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ClientConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::scrape::{self, Scrape};
use crate::support::binary::{
    Served, assert_contains, failure, portreeve, run, serve_in, text, token, wait,
};
use crate::support::certificates::{Authority, Certified, client, client_that_trusts_anybody};
use crate::support::slow_disk::SlowDisk;

const PROBE: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
const KEPT: &str = "stays in use";
const RELOADED: &str = "reloaded the changed certificate";

/// `serve` with TLS, with the files in `dir`.
fn serve_tls(dir: &Path, certified: &Certified) -> Command {
    let (cert, key) = certified.write(dir);
    token(dir, "alice");
    let mut command = serve_in(dir);
    command.arg("--tls-cert").arg(cert);
    command.arg("--tls-key").arg(key);
    command
}

async fn connect(
    address: SocketAddr,
    client: &Arc<ClientConfig>,
) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(address).await?;
    let name = "localhost".try_into().unwrap();
    TlsConnector::from(client.clone()).connect(name, stream).await
}

/// The status of a probe over HTTP/1.1 on `stream`, which stays open.
async fn probe(stream: &mut TlsStream<TcpStream>) -> std::io::Result<u16> {
    stream.write_all(PROBE).await?;
    let mut answer = [0; 1024];
    let len = stream.read(&mut answer).await?;
    let status = text(&answer[..len]).split(' ').nth(1).map(str::to_owned);
    let status = status.ok_or(std::io::ErrorKind::UnexpectedEof)?;
    Ok(status.parse().unwrap())
}

async fn ask(address: SocketAddr, client: &Arc<ClientConfig>) -> std::io::Result<u16> {
    probe(&mut connect(address, client).await?).await
}

#[test]
fn curl_connects_with_both_versions_of_tls_and_of_http() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new("curl");
    let ca = dir.path().join("ca.pem");
    fs::write(&ca, authority.pem()).unwrap();
    let served = Served::start(&mut serve_tls(dir.path(), &authority.ending_in(90)));
    let url = format!("https://localhost:{}/healthz", served.address.port());
    for tls in ["1.2", "1.3"] {
        for (http, version) in [("--http1.1", "1.1"), ("--http2", "2")] {
            let mut curl = Command::new("curl");
            curl.args(["-sS", "--max-time", "20", "--tls-max", tls, http])
                .arg(format!("--tlsv{tls}"))
                .args(["-o", "/dev/null", "-w", "%{http_code} %{http_version}"])
                .arg("--cacert")
                .arg(&ca)
                .args(["--connect-to", &format!("localhost::127.0.0.1:{}", served.address.port())])
                .arg(&url);
            let output = run(&mut curl, "");
            assert_eq!(text(&output.stdout), format!("200 {version}"), "{output:?}");
        }
    }
    // Plain HTTP is refused.
    let mut curl = Command::new("curl");
    curl.args(["-sS", "--max-time", "20", &url.replace("https", "http")]);
    assert!(!run(&mut curl, "").status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn alpn_negotiates_the_protocol_with_a_rust_client() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new("rust");
    let served = Served::start(&mut serve_tls(dir.path(), &authority.ending_in(90)));
    let ca = authority.pem();
    for (offered, chosen) in
        [(&["h2", "http/1.1"][..], Some("h2")), (&["http/1.1"], Some("http/1.1")), (&[], None)]
    {
        let mut stream = connect(served.address, &client(&ca, None, offered)).await.unwrap();
        let alpn = stream.get_ref().1.alpn_protocol();
        assert_eq!(alpn, chosen.map(str::as_bytes), "{offered:?}");
        if chosen != Some("h2") {
            assert_eq!(probe(&mut stream).await.unwrap(), 200);
            continue;
        }
        let (mut sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
                .await
                .unwrap();
        tokio::spawn(connection);
        for _ in 0..3 {
            let request = http::Request::get("https://localhost/healthz");
            let request = request.body(Empty::<bytes::Bytes>::new()).unwrap();
            assert_eq!(sender.send_request(request).await.unwrap().status(), 200);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_certificate_is_replaced_under_load_and_no_request_fails() {
    for by_signal in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::new("load");
        let mut served = Served::start(&mut serve_tls(dir.path(), &authority.ending_in(-1)));
        let said = served.before_listening.iter();
        let said = said.filter(|line| line.contains("expired at")).count();
        assert_eq!(said, 1, "{:#?}", served.before_listening);
        let address = served.address;
        let strict = client(&authority.pem(), None, &[]);
        assert!(ask(address, &strict).await.is_err(), "it is expired");

        // Half of the clients stay on one connection, half open a new one for each request.
        let lax = client_that_trusts_anybody();
        let done = Arc::new(AtomicBool::new(false));
        let answered = Arc::new(AtomicUsize::new(0));
        let load: Vec<_> = (0..16)
            .map(|at| {
                let (lax, done, answered) = (lax.clone(), done.clone(), answered.clone());
                tokio::spawn(async move {
                    let mut stays = connect(address, &lax).await.unwrap();
                    while !done.load(Ordering::Relaxed) {
                        let status = match at % 2 {
                            0 => probe(&mut stays).await,
                            _ => ask(address, &lax).await,
                        };
                        assert_eq!(status.unwrap(), 200);
                        answered.fetch_add(1, Ordering::Relaxed);
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                    // This connection was opened before the change.
                    assert_eq!(probe(&mut stays).await.unwrap(), 200);
                })
            })
            .collect();
        wait("all are under way", || answered.load(Ordering::Relaxed) >= 32);
        authority.ending_in(90).write(dir.path());
        if by_signal {
            served.signal("HUP");
            served.line_with("reloaded the settings");
        } else {
            served.line_with(RELOADED);
        }
        let before = answered.load(Ordering::Relaxed);
        assert_eq!(ask(address, &strict).await.unwrap(), 200);
        wait("they go on", || answered.load(Ordering::Relaxed) > before + 32);
        done.store(true, Ordering::Relaxed);
        for client in load {
            client.await.unwrap();
        }
        served.terminate();
        assert_eq!(served.wait().code(), Some(0));
    }
}

/// Breaks a file.
type Fault<'a> = Box<dyn Fn() + 'a>;

/// Ways to break the files, each with what the error must contain.
fn faults(dir: &Path) -> Vec<(&'static str, Fault<'_>)> {
    let (cert, key) = (dir.join("tls.pem"), dir.join("tls.key"));
    let write = |path: &Path, text: &str| fs::write(path, text).unwrap();
    let another = Authority::new("another").ending_in(90);
    let (of_key, of_both) = (key.clone(), key.clone());
    vec![
        ("tls.pem", Box::new(move || fs::remove_file(&cert).unwrap())),
        ("tls.key", Box::new(move || write(&of_key, "no key"))),
        ("does not match the key", Box::new(move || write(&of_both, &another.key))),
        ("tls.pem", Box::new(move || write(&dir.join("tls.pem"), "no certificate"))),
        (
            "tls.pem",
            Box::new(move || {
                let broken = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
                write(&dir.join("tls.pem"), broken);
            }),
        ),
        ("tls.key", Box::new(move || write(&key, ""))),
    ]
}

#[test]
fn a_broken_certificate_or_key_prevents_startup_with_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let good = Authority::new("start").ending_in(90);
    for (said, fault) in faults(dir.path()) {
        let mut command = serve_tls(dir.path(), &good);
        fault();
        let line = failure(command.env("RUST_LOG", "off"), 1);
        assert!(line.contains(said), "{said}: {line}");
        assert!(!line.contains("MAA="), "{line}");
    }
    for (set, named) in [
        ("--tls-cert", "PORTREEVE_TLS_KEY"),
        ("--tls-key", "PORTREEVE_TLS_CERT"),
        ("--tls-client-ca", "PORTREEVE_TLS_CERT"),
    ] {
        let line = failure(serve_in(dir.path()).args([set, "/nowhere"]), 1);
        assert!(line.contains(named), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_certificate_or_key_is_refused_and_the_old_pair_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new("kept");
    let good = authority.ending_in(90);
    let served = Served::start(&mut serve_tls(dir.path(), &good));
    let strict = client(&authority.pem(), None, &[]);
    for (said, fault) in faults(dir.path()) {
        // The signal comes before the next periodic check of the files.
        fault();
        served.signal("HUP");
        let line = served.line_with("the settings were not reloaded");
        assert!(line.contains(said), "{said}: {line}");
        assert_eq!(ask(served.address, &strict).await.unwrap(), 200);
        // The periodic check reports it, too.
        let line = served.line_with(KEPT);
        assert!(line.contains(said), "{said}: {line}");
        assert_eq!(ask(served.address, &strict).await.unwrap(), 200);
        good.write(dir.path());
        served.line_with(RELOADED);
    }
    // Nothing is logged twice.
    assert_eq!(served.lines().join("\n").matches(KEPT).count(), 0);
}

/// The check of the former files takes 4 seconds, and a reload does not wait for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_reload_replaces_files_on_a_slow_disk_without_waiting_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let authority = Authority::new("slow");
    let (former, config) = (dir.join("former.pem"), dir.join("portreeve.toml"));
    let expired = authority.ending_in(-1);
    fs::write(&former, expired.certificate + &expired.key).unwrap();
    let settings = |cert: &Path, key: &Path| {
        let (cert, key) = (cert.display(), key.display());
        fs::write(&config, format!("tls_cert = \"{cert}\"\ntls_key = \"{key}\"\n")).unwrap();
    };
    settings(&former, &former);
    token(dir, "alice");
    let disk = SlowDisk::new();
    let mut command = serve_in(dir);
    command.arg("--config").arg(&config);
    let served = Served::start(disk.under_with(&mut command, &former));
    let strict = client(&authority.pem(), None, &[]);
    assert!(ask(served.address, &strict).await.is_err(), "it is expired");

    disk.slow(1900);
    // The next check has begun by then.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let (cert, key) = authority.ending_in(90).write(dir);
    settings(&cert, &key);
    let begun = Instant::now();
    served.signal("HUP");
    served.line_with("reloaded the settings");
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!(ask(served.address, &strict).await.unwrap(), 200);
    // That check has ended before the new files are followed.
    authority.ending_in(80).write(dir);
    served.line_with(RELOADED);
    assert_eq!(ask(served.address, &strict).await.unwrap(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_need_a_certificate_from_the_client_authority() {
    let dir = tempfile::tempdir().unwrap();
    let (servers, clients) = (Authority::new("servers"), Authority::new("clients"));
    let client_ca = dir.path().join("clients.pem");
    fs::write(&client_ca, clients.pem()).unwrap();
    let mut command = serve_tls(dir.path(), &servers.ending_in(90));
    command.args(["--metrics-listen", "127.0.0.1:0"]);
    let served = Served::start(command.arg("--tls-client-ca").arg(&client_ca));
    let ca = servers.pem();
    let ask_with =
        async |own: Option<&Certified>| ask(served.address, &client(&ca, own, &[])).await;
    let (known, expired) = (clients.ending_in(90), clients.ending_in(-1));
    let stranger = Authority::new("clients").ending_in(90);
    assert_eq!(ask_with(Some(&known)).await.unwrap(), 200);
    assert!(ask_with(None).await.is_err());
    assert!(ask_with(Some(&stranger)).await.is_err());
    assert!(ask_with(Some(&expired)).await.is_err());
    assert!(ask_with(Some(&servers.ending_in(90))).await.is_err());

    // With byte order marks: the first authority of several, the certificate and its key are not lost.
    let (marked, extra) = (tempfile::tempdir().unwrap(), Authority::new("extra").pem());
    let own = servers.ending_in(90);
    let own = Certified {
        certificate: format!("\u{feff}{}{ca}", own.certificate),
        key: format!("\u{feff}{}", own.key),
    };
    let mut command = serve_tls(marked.path(), &own);
    let authorities = marked.path().join("clients.pem");
    fs::write(&authorities, format!("\u{feff}{}{extra}", clients.pem())).unwrap();
    let of_marked = Served::start(command.arg("--tls-client-ca").arg(&authorities));
    let presenting = client(&ca, Some(&known), &[]);
    assert_eq!(ask(of_marked.address, &presenting).await.unwrap(), 200);
    drop(of_marked);

    // A port scan, and a client that does not speak TLS.
    drop(TcpStream::connect(served.address).await.unwrap());
    let mut plain = TcpStream::connect(served.address).await.unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    plain.read_to_end(&mut Vec::new()).await.ok();
    let refused = r#"portreeve_rejected_total{kind="tls_handshake"}"#;
    let metrics = scrape::address(&served);
    wait("failed handshakes are counted", || Scrape::of(metrics).value(refused) == 6.0);
    let line = served.line_with("tls_handshake");
    assert_contains(&line, &["portreeve::rejected", "count="]);

    // The authority is replaced; open connections stay open.
    let mut stays = connect(served.address, &client(&ca, Some(&known), &[])).await.unwrap();
    let newcomers = Authority::new("newcomers");
    fs::write(&client_ca, newcomers.pem()).unwrap();
    served.line_with(RELOADED);
    assert!(ask_with(Some(&known)).await.is_err());
    assert_eq!(ask_with(Some(&newcomers.ending_in(9))).await.unwrap(), 200);
    assert_eq!(probe(&mut stays).await.unwrap(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_a_tls_handshake_is_disconnected_and_delays_no_others() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new("slow");
    let mut command = serve_tls(dir.path(), &authority.ending_in(90));
    let mut served = Served::start(command.args(["--head-timeout", "5s"]));
    let strict = client(&authority.pem(), None, &[]);
    // The first bytes of a ClientHello, or none.
    let mut silent = Vec::new();
    for at in 0..200 {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(&b"\x16\x03\x01\x02"[..at % 5]).await.unwrap();
        silent.push(stream);
    }
    let begun = Instant::now();
    assert_eq!(ask(served.address, &strict).await.unwrap(), 200);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    for mut stream in silent {
        let mut bytes = [0; 64];
        let read = tokio::time::timeout(Duration::from_secs(60), stream.read(&mut bytes));
        assert_eq!(read.await.expect("it is disconnected").unwrap_or(0), 0);
    }
    assert!(begun.elapsed() > Duration::from_secs(1), "{:?}", begun.elapsed());
    // Such a client does not delay the shutdown, either.
    let _silent = TcpStream::connect(served.address).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let ends = Instant::now();
    served.terminate();
    assert_eq!(served.wait().code(), Some(0));
    assert!(ends.elapsed() < Duration::from_secs(5), "{:?}", ends.elapsed());
}

#[test]
fn exposed_files_and_expiring_certificates_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new("files");
    let mode = |name: &str, mode| {
        let path = dir.path().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let mut command = serve_tls(dir.path(), &authority.ending_in(90));
    mode("tls.pem", 0o644);
    let quiet = Served::start(&mut command);
    let said = quiet.before_listening.join("\n");
    assert!(!said.contains("tls_"), "{said}");
    drop(quiet);

    let mut command = serve_tls(dir.path(), &authority.ending_in(3));
    mode("tls.key", 0o640);
    let served = Served::start(&mut command);
    let said = served.before_listening.join("\n");
    assert!(said.contains("tls_key: other users can read"), "{said}");
    assert_contains(&said, &["tls_cert: the certificate in", "expires at"]);
    drop(served);

    for name in ["tls.key", "tls.pem"] {
        let mut command = serve_tls(dir.path(), &authority.ending_in(90));
        mode(name, 0o666);
        let line = failure(&mut command, 1);
        assert_contains(&line, &["other users can write", name]);
    }
}

#[test]
fn check_config_checks_the_certificate_and_accepts_a_public_address_with_tls() {
    let dir = tempfile::tempdir().unwrap();
    let certified = Authority::new("check").ending_in(3);
    let (cert, key) = certified.write(dir.path());
    token(dir.path(), "alice");
    let check = || {
        let mut command = portreeve();
        command.args(["check-config", "--listen", "0.0.0.0:0", "--data-dir"]);
        command.arg(dir.path()).arg("--tokens-file").arg(dir.path().join("tokens"));
        command.arg("--tls-cert").arg(&cert).arg("--tls-key").arg(&key);
        command
    };
    let output = run(&mut check(), "");
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(!printed.contains("without TLS"), "{printed}");
    assert_contains(printed, &["# ! warning: tls_cert", "expires at"]);
    fs::write(&key, Authority::new("other").ending_in(3).key).unwrap();
    let output = run(&mut check(), "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("does not match the key"), "{output:?}");
}
