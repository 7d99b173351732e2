//! SIGHUP reloads the settings, all of them or none (docs/OPERATIONS.md, "Changes without a
//! restart").

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::binary::{Served, assert_contains, http, serve_in, token};
use crate::support::gateway::Answer;

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
