//! `portreeve game connect --record`: a session is recorded once, and played to whoever is to be tested
//! (docs/GAME_CLIENT.md, "A session as a test").

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Output, Stdio};

use portreeve::game::Command;
use portreeve::game::client::{Client, Credentials};
use portreeve::game::connection::Address;
use portreeve::game::testing::Server;

use crate::support::binary::{assert_contains, portreeve};

const INPUT: &str = r#"{"session_command":[{"[Command_JoinRoom.ext]":{"room_id":0}}]}
{"room_id":0,"room_command":[{"[Command_RoomSay.ext]":{"message":"hi"}}]}
"#;

/// A session of `ann`, who has this password, with these lines as its input.
async fn connect(
    address: Address,
    folder: &Path,
    password: &str,
    input: &str,
    more: &[&str],
) -> Output {
    let file = folder.join("password.txt");
    fs::write(&file, password).unwrap();
    let mut command = portreeve();
    command.args(["game", "connect", &address.to_string(), "--user", "ann"]);
    command.arg("--password-file").arg(file).args(more);
    command.current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let input = input.to_owned();
    let run = move || {
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

/// The messages of a script in one direction.
fn one_way<'a>(script: &'a str, direction: &str) -> Vec<&'a str> {
    let lines = script.lines();
    lines.filter(|line| line.starts_with(direction)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_recorded_and_played() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let real = Server::builder().account("ann", "s3cret").start().await.unwrap();
    let record = ["--record", "session.script"];
    let recorded = connect(real.tcp.clone(), folder, "s3cret", INPUT, &record).await;
    assert!(recorded.status.success(), "{recorded:?}");
    let path = folder.join("session.script");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let script = fs::read_to_string(&path).unwrap();
    assert!(script.contains(r#""hashed_password":"***""#), "{script}");
    assert!(!script.contains("s3cret") && !script.contains("=="), "{script}");

    // It is never overwritten.
    let again = connect(real.tcp.clone(), folder, "s3cret", INPUT, &record).await;
    assert_eq!(again.status.code(), Some(1));
    let said = String::from_utf8(again.stderr).unwrap();
    assert_contains(&said, &["session.script: it exists, and a recording is never overwritten"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), script);

    // The same session with another password, over either transport; recorded, it is the same session.
    for is_websocket in [false, true] {
        let server = Server::script(&script).unwrap();
        let server = server.start().await.unwrap();
        let address = if is_websocket { server.websocket.clone() } else { server.tcp.clone() };
        let copy = format!("copy_{is_websocket}.script");
        let played = connect(address, folder, "an0ther", INPUT, &["--record", &copy]).await;
        assert!(played.status.success(), "{played:?}");
        server.finish().await.unwrap();
        let copy = fs::read_to_string(folder.join(copy)).unwrap();
        // A line of input does not wait for the answer to the one before it, so only each direction has an order.
        for direction in [">", "<"] {
            assert_eq!(one_way(&copy, direction), one_way(&script, direction));
        }
    }

    // A bot that does the same, and one that says something else.
    for (text, is_same) in [("hi", true), ("ho", false)] {
        let server = Server::script(&script).unwrap().start().await.unwrap();
        let (client, _events) = Client::connect(&server.tcp).await.unwrap();
        let ann = Credentials::account("ann", "an0ther".to_owned());
        client.login(&ann).await.unwrap();
        // The recorded client did not wait for the answer to the first of them.
        let (_, said) = tokio::join!(
            client.send(Command::join_room(0)),
            client.send(Command::room_say(0, text)),
        );
        assert_eq!(said.is_ok(), is_same);
        client.close().await;
        match server.finish().await {
            Ok(()) => assert!(is_same),
            Err(error) => {
                let found = error.problem.contains(r#""message":"ho""#);
                assert!(!is_same && found, "{error}");
            }
        }
    }
}

/// A server that cannot be reached leaves no empty recording behind, which would be in the way of the next attempt.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_does_not_begin_leaves_no_recording() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let record = ["--record", "session.script"];
    let failed = connect(address.parse().unwrap(), folder, "s3cret", INPUT, &record).await;
    assert_eq!(failed.status.code(), Some(1));
    assert!(!folder.join("session.script").exists());
}
