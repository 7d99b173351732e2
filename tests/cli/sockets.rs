//! The sockets of `serve` (docs/OPERATIONS.md, "Listening").

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::binary::{
    Served, assert_contains, credentials, failure, get, portreeve, run, serve_in, text, token, wait,
};
use crate::support::gateway::{Answer, PASSWORD};
use crate::support::nextcloud::Nextcloud;

/// `serve` on a port and on the unix socket that is returned.
fn serve_both(dir: &Path) -> (Command, PathBuf) {
    let path = dir.join("portreeve.sock");
    let mut command = serve_on(dir, &format!("127.0.0.1:0, unix:{}", path.display()));
    command.env("PORTREEVE_LOG_FORMAT", "json");
    (command, path)
}

fn serve_on(dir: &Path, listen: &str) -> Command {
    let mut command = portreeve();
    command.args(["serve", "--listen", listen, "--data-dir"]).arg(dir);
    command.arg("--tokens-file").arg(dir.join("tokens"));
    command
}

fn exchange(mut stream: impl std::io::Read + std::io::Write, request: &str) -> Answer {
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok();
    Answer::parse(&bytes)
}

pub(crate) fn get_unix(path: &Path, target: &str, token: &str) -> Answer {
    let request = format!(
        "GET {target} HTTP/1.1\r\nHost: g\r\nConnection: close\r\nX-Forwarded-For: 198.51.100.7\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    exchange(UnixStream::connect(path).unwrap(), &request)
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test(flavor = "multi_thread")]
async fn all_sockets_serve_and_drain_together() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    nextcloud.holds();
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    credentials(dir.path(), &["put", "--user", "admin"], PASSWORD);
    let (mut command, path) = serve_both(dir.path());
    let mut served = Served::start(command.args(["--groupware-url", nextcloud.url()]));
    wait("the socket is there", || path.exists());
    assert_eq!(mode(&path), 0o660);
    let (address, of_thread, by_path) = (served.address, token.clone(), path.clone());
    let threads = [
        std::thread::spawn(move || get(address, "/api/v1/webhooks", &token).status),
        std::thread::spawn(move || get_unix(&by_path, "/api/v1/webhooks", &of_thread).status),
    ];
    wait("both are in flight", || nextcloud.seen().len() == 2);
    served.terminate();
    wait("no socket is left for others", || !path.exists());
    wait("no port is open", || TcpStream::connect(address).is_err());
    nextcloud.goes_on();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), 200);
    }
    assert_eq!(served.wait().code(), Some(0));
}

#[test]
fn a_stale_socket_is_replaced_and_a_live_one_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    let status = |path: &Path| get_unix(path, "/api/v1/background-sync/status", &token).status;
    let (mut command, path) = serve_both(dir.path());
    command.env("PORTREEVE_UNIX_SOCKET_MODE", "0600");
    let first = Served::start(&mut command);
    assert_eq!(mode(&path), 0o600);
    assert_eq!(status(&path), 200);
    // A second process leaves it alone, and the first one still serves.
    let line = failure(serve_both(dir.path()).0.env("RUST_LOG", "off"), 1);
    assert_contains(&line, &["another process is listening", "portreeve.sock"]);
    assert_eq!(status(&path), 200);
    first.kill();
    assert!(path.exists(), "a killed process removes nothing");
    let mut second = Served::start(&mut serve_both(dir.path()).0);
    assert_eq!(status(&path), 200);
    // Another process has put its own socket there in the meantime.
    fs::remove_file(&path).unwrap();
    let other = UnixListener::bind(&path).unwrap();
    second.terminate();
    second.wait();
    assert!(path.exists());
    drop(other);

    // Of several processes that start at once on a stale socket, one gets it.
    let mut all: Vec<_> = (0..6)
        .map(|_| {
            let mut command = serve_on(dir.path(), &format!("unix:{}", path.display()));
            command.stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    let running = |all: &mut Vec<Child>| {
        let lives = all.iter_mut().map(|child| child.try_wait().unwrap().is_none());
        lives.filter(|lives| *lives).count()
    };
    wait("one of them listens, the others have ended", || {
        running(&mut all) == 1 && UnixStream::connect(&path).is_ok()
    });
    assert_eq!(status(&path), 200);
    for mut child in all {
        child.kill().ok();
        child.wait().unwrap();
    }

    // A file that is not a socket is never removed.
    fs::remove_file(&path).unwrap();
    fs::write(&path, "precious").unwrap();
    let line = failure(serve_both(dir.path()).0.env("RUST_LOG", "off"), 1);
    assert!(line.contains("is not a socket"), "{line}");
    assert_eq!(fs::read(&path).unwrap(), b"precious");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_on_a_unix_socket_is_trusted_only_if_it_is_listed() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    credentials(dir.path(), &["put", "--user", "admin"], PASSWORD);
    for (trusted, sent_on) in [("10.0.0.0/8", None), ("10.0.0.0/8,unix:", Some("198.51.100.7"))] {
        let (mut command, path) = serve_both(dir.path());
        command.args(["--groupware-url", nextcloud.url(), "--forward-client-address"]).args([
            "--max-connections-per-address",
            "1",
            "--trusted-proxies",
            trusted,
        ]);
        let _served = Served::start(&mut command);
        // They have no address, so the limit per address does not apply.
        let _others: Vec<_> = (0..5).map(|_| UnixStream::connect(&path).unwrap()).collect();
        assert_eq!(get_unix(&path, "/api/v1/webhooks", &token).status, 200);
        let seen = nextcloud.seen();
        let seen = seen.last().unwrap().headers.get("x-forwarded-for");
        assert_eq!(seen.map(|it| it.to_str().unwrap()), sent_on, "{trusted}");
    }
}

#[test]
fn unusable_listen_addresses_are_named_in_the_error() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    for (listen, said) in [
        ("localhost:8000", "localhost:8000"),
        ("unix:relative.sock", "absolute path"),
        ("127.0.0.1:8000,127.0.0.1:8000", "listed twice"),
        (",", "has no address"),
        ("unix:/nonexistent/portreeve.sock", "/nonexistent/portreeve.sock"),
        (&format!("unix:/{}", "x".repeat(200)), "cannot listen"),
    ] {
        let output = run(serve_on(dir.path(), listen).env("RUST_LOG", "off"), "");
        let line = text(&output.stderr);
        assert!(!output.status.success() && line.lines().count() == 1, "{output:?}");
        assert!(line.contains(said), "{listen}: {line}");
    }
    let mut command = serve_on(dir.path(), "127.0.0.1:0");
    let line = failure(command.env("PORTREEVE_UNIX_SOCKET_MODE", "rw"), 1);
    assert!(line.contains("octal"), "{line}");
}

/// `serve` with `tcp` as descriptor 3 and `unix` as 4, as systemd hands them over.
fn serve_with_inherited_sockets(dir: &Path, tcp: OwnedFd, unix: OwnedFd, pid: &str) -> Command {
    let script = format!(
        "exec 3<&0 4<&1 0</dev/null 1>/dev/null; LISTEN_FDS=2 LISTEN_PID={pid} exec \"$@\""
    );
    let mut bash = Command::new("bash");
    let serve = serve_in(dir);
    bash.args(["-c", &script, "bash"]).arg(serve.get_program()).args(serve.get_args());
    bash.env_clear().env("HOME", "/nonexistent").env("PATH", std::env::var_os("PATH").unwrap());
    bash.stdin(tcp).stdout(unix).stderr(Stdio::piped());
    bash
}

/// Kills the process when the test ends.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn sockets_from_systemd_replace_the_listen_setting() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    let path = dir.path().join("handed.sock");
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = tcp.local_addr().unwrap();
    let unix = UnixListener::bind(&path).unwrap();
    let (kept_tcp, kept_unix) = (tcp.try_clone().unwrap(), unix.try_clone().unwrap());
    // A client connects before anything runs, as to an idle socket unit.
    let early = TcpStream::connect(address).unwrap();
    let mut command = serve_with_inherited_sockets(dir.path(), tcp.into(), unix.into(), "$$");
    let mut running = Running(command.spawn().unwrap());
    drop(command);
    let request = "GET /healthz HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\r\n";
    assert_eq!(exchange(early, request).status, 200);
    let target = "/api/v1/background-sync/status";
    assert_eq!(get(address, target, &token).status, 200);
    assert_eq!(get_unix(&path, target, &token).status, 200);
    let status = Command::new("kill").arg(running.0.id().to_string()).status().unwrap();
    assert!(status.success());
    let mut log = String::new();
    running.0.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(running.0.wait().unwrap().success(), "{log}");
    assert_eq!(log.matches("listening").count(), 2, "{log}");
    // The sockets are systemd's, which starts the gateway again at the next connection.
    assert!(fs::symlink_metadata(&path).unwrap().file_type().is_socket());
    drop((kept_tcp, kept_unix));
}

#[test]
fn sockets_meant_for_another_process_are_not_used() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let path = dir.path().join("handed.sock");
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = tcp.local_addr().unwrap();
    let unix = UnixListener::bind(&path).unwrap();
    let mut running = Running(
        serve_with_inherited_sockets(dir.path(), tcp.into(), unix.into(), "1").spawn().unwrap(),
    );
    let lines = BufReader::new(running.0.stderr.take().unwrap()).lines();
    let line = lines.map_while(Result::ok).find(|line| line.contains("listening"));
    let line = line.expect("it listens");
    assert!(!line.contains(&address.to_string()), "{line}");
}

#[test]
fn descriptors_that_are_not_listening_sockets_prevent_startup() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let listening = || TcpListener::bind("127.0.0.1:0").unwrap();
    let datagram = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let peer = listening();
    let connected = TcpStream::connect(peer.local_addr().unwrap()).unwrap();
    let file = fs::File::create(dir.path().join("file")).unwrap();
    for other in [OwnedFd::from(datagram), connected.into(), file.into()] {
        let mut command = serve_with_inherited_sockets(dir.path(), listening().into(), other, "$$");
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        let line = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(line.lines().count(), 1, "{line}");
        assert_contains(line, &["socket 1", "ListenStream="]);
    }
}
