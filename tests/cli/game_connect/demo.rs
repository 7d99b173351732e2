//! `portreeve game demo`: a server to try out a bot in any language.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use super::{Connect, signal, wait};
use crate::support::binary::portreeve;

/// A server to try out a bot in any language.
#[tokio::test(flavor = "multi_thread")]
async fn the_demo_answers() {
    let mut demo = portreeve()
        .args(["game", "demo", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut at = BufReader::new(demo.stdout.take().unwrap()).lines();
    let [tcp, websocket] = [(); 2].map(|()| at.next().unwrap().unwrap());
    assert!(tcp.starts_with("tcp://") && websocket.starts_with("ws://"), "{tcp} {websocket}");
    let mut connect = Connect::start(&websocket, &["--user", "ann"]);
    let join = r#"{"session_command":[{"[Command_JoinRoom.ext]":{"room_id":0}}]}"#;
    let say = r#"{"room_id":0,"room_command":[{"[Command_RoomSay.ext]":{"message":"hi"}}]}"#;
    connect.write(&format!("{join}\n{say}\n"));
    for expected in ["@ann welcome", "@ann you said: hi"] {
        let mut lines = std::iter::repeat_with(|| connect.line());
        lines.find(|line| line["room_event"]["[Event_RoomSay.ext]"]["message"] == expected);
    }
    connect.close_input();
    assert_eq!(connect.end().0, Some(0));
    python_bot(&tcp);
    signal(&demo, "TERM");
    assert_eq!(wait(&mut demo), Some(0));
}

/// The example in Python greets who enters, with the messages that Debian's `protoc` makes of `proto/`.
fn python_bot(tcp: &str) {
    let run = |program: &str, arguments: &[&str]| Command::new(program).args(arguments).output();
    let protobuf = run("python3", &["-c", "import google.protobuf"]);
    if run("protoc", &["--version"]).is_err()
        || !protobuf.is_ok_and(|output| output.status.success())
    {
        println!("left out: the bot in Python needs protoc and python3-protobuf");
        return;
    }
    let root = env!("CARGO_MANIFEST_DIR");
    let messages = tempfile::tempdir().unwrap();
    let compile = format!(
        "protoc -I proto --python_out={} $(find proto -name '*.proto')",
        messages.path().display()
    );
    assert!(
        Command::new("sh").args(["-c", &compile]).current_dir(root).status().unwrap().success()
    );
    let (host, port) = tcp.trim_start_matches("tcp://").rsplit_once(':').unwrap();
    let path = std::env::var("PYTHONPATH").unwrap_or_default();
    let mut bot = Command::new("python3")
        .args(["examples/greeting_bot.py", host, port, "greeter"])
        .current_dir(root)
        .env("PYTHONPATH", format!("{}:{path}", messages.path().display()))
        .spawn()
        .unwrap();
    let welcomed = |name: &str| {
        let mut connect = Connect::start(tcp, &["--user", name]);
        connect.write("{\"session_command\":[{\"[Command_JoinRoom.ext]\":{\"room_id\":0}}]}\n");
        // The bot itself may enter later.
        connect.write("{\"room_id\":0,\"room_command\":[{\"[Command_RoomSay.ext]\":{\"message\":\"here\"}}]}\n");
        let expected = format!("Welcome, {name}!");
        let mut lines = std::iter::repeat_with(|| connect.line())
            .map(|line| line["room_event"]["[Event_RoomSay.ext]"]["message"].clone());
        let found =
            lines.find(|said| *said == expected || *said == format!("@{name} you said: here"));
        found.unwrap() == expected
    };
    // Until it has entered, nobody is greeted.
    assert!((0..50).any(|number| welcomed(&format!("u{number}"))));
    bot.kill().unwrap();
    bot.wait().unwrap();
}
