//! SIGHUP reloads the settings, all of them or none (docs/OPERATIONS.md, "Changes without a
//! restart").

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::binary::{
    Served, assert_contains, credentials, eventually, get, http, portreeve, serve_in, token,
};
use crate::support::gateway::{Answer, PASSWORD};
use crate::support::issuer::{Key, StandIn};
use crate::support::nextcloud::Nextcloud;

const FIRST: &str = "the first of the shared keys";
const SECOND: &str = "the second of the shared keys";
const DONE: &str = "reloaded the settings";
const REFUSED: &str = "the settings were not reloaded";

fn with_config(dir: &Path, text: &str) -> (Command, PathBuf) {
    let path = dir.join("portreeve.toml");
    fs::write(&path, text).unwrap();
    let mut command = serve_in(dir);
    command.arg("--config").arg(&path);
    (command, path)
}

/// A request with a shared key; the connection stays open unless `more` says otherwise.
fn request(key: &str, token: &str, more: &str) -> String {
    format!(
        "GET /api/v1/background-sync/status HTTP/1.1\r\nHost: g\r\nX-API-Key: {key}\r\nAuthorization: Bearer {token}\r\n{more}\r\n"
    )
}

fn status(address: SocketAddr, key: &str, token: &str) -> u16 {
    http(address, &request(key, token, "Connection: close\r\n")).status
}

async fn exchange(stream: &mut TcpStream, request: &str) -> Answer {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = vec![0; 4096];
    let len = stream.read(&mut bytes).await.unwrap();
    assert!(len > 0, "the connection was closed");
    Answer::parse(&bytes[..len])
}

#[tokio::test(flavor = "multi_thread")]
async fn sighup_reloads_settings_and_keeps_connections() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    let (mut command, config) =
        with_config(dir.path(), &format!("mcp_server_api_key = \"{FIRST}\""));
    let served = Served::start(&mut command);
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    for (in_force, other) in [(FIRST, SECOND), (SECOND, FIRST)] {
        fs::write(&config, format!("mcp_server_api_key = \"{in_force}\"")).unwrap();
        served.signal("HUP");
        served.line_with(DONE);
        // On the connection that was open before, too.
        for (key, expected) in [(in_force, 200), (other, 401)] {
            let answer = exchange(&mut stream, &request(key, &token, "")).await;
            assert_eq!(answer.status, expected, "{key}");
            assert_eq!(status(served.address, key, &token), expected, "{key}");
        }
    }
}

#[test]
fn a_failed_reload_changes_nothing_and_is_one_log_line() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    let good = format!("mcp_server_api_key = \"{FIRST}\"");
    let (mut command, config) = with_config(dir.path(), &good);
    let served = Served::start(&mut command);
    let changed = format!("mcp_server_api_key = \"{SECOND}\"");
    let key_file = dir.path().join("vault.key");
    let tokens_file = dir.path().join("tokens");
    let keys = fs::read(&key_file).unwrap();
    let tokens = fs::read(&tokens_file).unwrap();
    type Break<'a> = Box<dyn Fn() + 'a>;
    let faults: [(&str, Break<'_>); 6] = [
        (
            "is not TOML",
            Box::new(|| fs::write(&config, "no toml").unwrap()),
        ),
        (
            "unknown setting",
            Box::new(|| fs::write(&config, format!("{changed}\nshared = 1")).unwrap()),
        ),
        (
            "max_body",
            Box::new(|| fs::write(&config, format!("{changed}\nmax_body = \"much\"")).unwrap()),
        ),
        (
            "cannot be read",
            Box::new(|| fs::remove_file(&config).unwrap()),
        ),
        (
            "vault.key",
            Box::new(|| fs::write(&key_file, "no key").unwrap()),
        ),
        (
            "tokens",
            Box::new(|| fs::write(&tokens_file, "no tokens").unwrap()),
        ),
    ];
    for (said, fault) in faults {
        fs::write(&config, &changed).unwrap();
        fault();
        served.signal("HUP");
        let line = served.line_with(REFUSED);
        assert!(line.contains(said), "{said}: {line}");
        assert_eq!(status(served.address, FIRST, &token), 200, "{said}");
        assert_eq!(status(served.address, SECOND, &token), 401, "{said}");
        let others = served.lines();
        let others = others.iter().filter(|line| line.contains("ERROR")).count();
        assert_eq!(others, 0, "{said}");
        // A file that is as it was is left alone: the gateway might read it while it is written.
        for (file, content) in [(&key_file, &keys), (&tokens_file, &tokens)] {
            if fs::read(file).unwrap() != *content {
                fs::write(file, content).unwrap();
            }
        }
    }
    fs::write(&config, &changed).unwrap();
    served.signal("HUP");
    served.line_with(DONE);
    assert_eq!(status(served.address, SECOND, &token), 200);
}

#[test]
fn settings_that_need_a_restart_are_named_at_each_reload() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let (mut command, config) = with_config(dir.path(), "");
    let served = Served::start(&mut command);
    fs::write(&config, "max_in_flight = 7\nmax_body = \"1 KiB\"").unwrap();
    // The second reload has nothing new to apply.
    for applied in [true, false] {
        served.signal("HUP");
        let line = served.line_with(DONE);
        assert_eq!(line.contains("max_body"), applied, "{line}");
        assert!(!line.contains("max_in_flight"), "{line}");
        let line = served.line_with("need a restart");
        assert!(
            line.contains("max_in_flight") && !line.contains("max_body"),
            "{line}"
        );
    }
}

/// The settings of a provider are checked against the address of the groupware server, which must
/// never get a token, so they are not applied while the old address is in use.
#[test]
fn a_new_groupware_server_is_refused_without_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    let (mut command, config) = with_config(dir.path(), "groupware_url = \"http://127.0.0.1:1\"");
    let served = Served::start(&mut command);
    let changed = format!(
        "groupware_url = \"http://127.0.0.1:2\"\nmcp_server_api_key = \"{SECOND}\"\n\
         introspection_url = \"http://127.0.0.1:1/introspect\"\n\
         introspection_client_id = \"portreeve\"\naudience = [\"portreeve\"]\n\
         introspection_client_secret = \"secret\""
    );
    fs::write(&config, changed).unwrap();
    served.signal("HUP");
    let line = served.line_with(REFUSED);
    assert_contains(&line, &["groupware_url", "restart"]);
    // The shared key in the new file is not required, as nothing of that file is in force.
    assert_eq!(status(served.address, FIRST, &token), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_hold_across_a_reload_and_requests_in_flight_are_answered() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    nextcloud.delay(Duration::from_millis(1500));
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    credentials(dir.path(), &["put", "--user", "admin"], PASSWORD);
    let (mut command, _) = with_config(dir.path(), "max_in_flight = 1");
    let served = Served::start(command.args(["--groupware-url", nextcloud.url()]));
    let address = served.address;
    let of_thread = token.clone();
    let in_flight = std::thread::spawn(move || get(address, "/api/v1/webhooks", &of_thread).status);
    eventually("the call is in flight", || !nextcloud.seen().is_empty());
    served.signal("HUP");
    served.line_with(DONE);
    get(address, "/api/v1/webhooks", &token).assert_error(503, "Overloaded");
    assert_eq!(in_flight.join().unwrap(), 200);
    assert_eq!(get(address, "/api/v1/webhooks", &token).status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drain_takes_as_long_as_the_reloaded_settings_allow() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    nextcloud.delay(Duration::from_secs(3));
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    credentials(dir.path(), &["put", "--user", "admin"], PASSWORD);
    let (mut command, path) = with_config(dir.path(), "request_timeout = \"1s\"");
    let mut served = Served::start(command.args(["--groupware-url", nextcloud.url()]));
    fs::write(path, "request_timeout = \"50s\"").unwrap();
    served.signal("HUP");
    served.line_with(DONE);
    let address = served.address;
    let in_flight = std::thread::spawn(move || get(address, "/api/v1/webhooks", &token).status);
    eventually("the call is in flight", || !nextcloud.seen().is_empty());
    served.terminate();
    assert_eq!(in_flight.join().unwrap(), 200);
    assert_eq!(served.wait().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_issuer_is_contacted_before_a_reload_applies_it() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    let (mut command, config) = with_config(dir.path(), "");
    let served = Served::start(&mut command);
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let text = |url: &str| format!("issuer = \"{url}\"\naudience = [\"portreeve\"]");
    fs::write(&config, text(&format!("http://{closed}"))).unwrap();
    served.signal("HUP");
    let line = served.line_with(REFUSED);
    assert!(line.contains("issuer"), "{line}");
    assert_eq!(status(served.address, "", &token), 200);

    let issuer = StandIn::start().await;
    issuer.publish(&[Key::ed25519().jwk("a")]);
    fs::write(&config, text(&issuer.url)).unwrap();
    served.signal("HUP");
    let line = served.line_with(DONE);
    assert!(line.contains("issuer"), "{line}");
    assert_eq!(status(served.address, "", &token), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_in_a_secret_file_are_reloaded() {
    let nextcloud = Nextcloud::start().await;
    nextcloud.answer("webhooks-list-admin");
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    let keys = dir.path().join("keys");
    let old = "6xMK1GSYBlnfdL1iGKZcfQfmgMAyY8CQjNNoVVkVKKM=";
    let new = "7xMK1GSYBlnfdL1iGKZcfQfmgMAyY8CQjNNoVVkVKKM=";
    fs::write(&keys, old).unwrap();
    let mut command = serve_in(dir.path());
    command
        .args(["--groupware-url", nextcloud.url()])
        .env("PORTREEVE_ENCRYPTION_KEYS_FILE", &keys);
    let served = Served::start(&mut command);
    fs::write(&keys, format!("{new},{old}")).unwrap();
    served.signal("HUP");
    served.line_with(DONE);
    // Sealed by another process with the new key.
    let mut put = portreeve();
    put.args(["credentials", "put", "--user", "admin", "--data-dir"])
        .arg(dir.path())
        .env("PORTREEVE_ENCRYPTION_KEYS_FILE", &keys);
    crate::support::binary::success(&mut put, PASSWORD);
    assert_eq!(get(served.address, "/api/v1/webhooks", &token).status, 200);
}

/// Such as a secret in `/dev/fd/63` at the start: nobody writes to it at a reload.
#[test]
fn a_pipe_in_the_place_of_a_file_is_read_at_the_start_and_stops_no_reload() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    let (mut command, config) = with_config(dir.path(), "");
    let secret = dir.path().join("secret");
    let kept = |path: &Path| path.with_extension("kept");
    let replace_by_pipe = |path: &Path| {
        fs::rename(path, kept(path)).unwrap();
        let made = Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    };
    fs::write(&secret, FIRST).unwrap();
    replace_by_pipe(&secret);
    let pipe = secret.clone();
    let writer = std::thread::spawn(move || fs::write(pipe, FIRST).unwrap());
    let mut served = Served::start(command.env("MCP_SERVER_API_KEY_FILE", &secret));
    writer.join().unwrap();
    assert_eq!(status(served.address, FIRST, &token), 200);

    let in_dir = |name| dir.path().join(name);
    for path in [secret, config, in_dir("vault.key"), in_dir("tokens")] {
        if !kept(&path).exists() {
            replace_by_pipe(&path);
        }
        served.signal("HUP");
        let line = served.line_with(REFUSED);
        let shown = path.to_str().unwrap();
        assert_contains(&line, &[shown, "it is not a regular file"]);
        assert_eq!(status(served.address, FIRST, &token), 200);
        fs::rename(kept(&path), &path).unwrap();
    }
    served.signal("HUP");
    served.line_with(DONE);
    served.terminate();
    assert!(served.wait().success());
}
