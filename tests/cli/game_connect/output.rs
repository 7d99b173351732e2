//! What is printed of the server's messages, and for whom.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::Duration;

use portreeve::game::event::{RoomEvent, RoomSay};
use portreeve::game::frame::{self, greeting};
use portreeve::game::testing::Server;
use portreeve::game::{Extended, MessageType, Nested, ServerMessage};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::{Connect, LIST, SESSION_COMMAND, closed, peak_memory, room_say, script, signal, wait};
use crate::support::binary::{assert_contains, portreeve};

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_message_is_printed_and_makes_the_exit_code_1() {
    let server = Server::start().await.unwrap();
    let mut connect = Connect::start(server.tcp.clone(), &["--user", "ann"]);
    while connect.line()["type"] != json!("RESPONSE") {}
    server.send(b"\xff\xff\xff\xff");
    let mut lines = std::iter::repeat_with(|| connect.line());
    let report = lines.find(|line| line["type"] == json!("UNREADABLE")).unwrap();
    assert!(report["error"].is_string(), "{report}");
    connect.close_input();
    let (code, _, said) = connect.end();
    assert_eq!(code, Some(1));
    assert!(said.contains("messages that cannot be read: 1"), "{said}");
}

/// Answers, events and what cannot be read have the same form: offset, size and type come first.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_printed_as_decode_prints_it() {
    let server = Server::start().await.unwrap();
    let mut connect = Connect::start(server.tcp.clone(), &["--user", "ann"]);
    connect.write(&format!("{LIST}\n"));
    while connect.line()["type"] != json!("RESPONSE") {}
    server.send(b"\xff\xff\xff\xff");
    for line in &connect.lines {
        let (head, rest) = line.split_once(",\"type\":\"").unwrap();
        let numbers = head.strip_prefix("{\"offset\":").unwrap().split_once(",\"size\":").unwrap();
        numbers.0.parse::<u64>().and(numbers.1.parse::<u64>()).unwrap();
        if rest.starts_with("UNREADABLE\",\"error\":\"") {
            break;
        }
        let (kind, rest) = rest.split_once("\",\"").unwrap();
        assert!(rest.starts_with(&kind.to_lowercase()), "{line}");
    }
    connect.close_input();
    connect.end();
}

/// Neither a line nor standard error passes on what a terminal would interpret.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_says_is_escaped() {
    let evil = "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}";
    let server = script([SESSION_COMMAND, &closed("SERVER_SHUTDOWN", evil), "-"]).await;
    let mut connect = Connect::start(server.tcp.clone(), &[]);
    connect.line();
    connect.write(&format!("{LIST}\n"));
    let mut raw = Vec::new();
    for line in &connect.lines {
        raw.push(line);
    }
    assert!(raw.iter().any(|line| line.contains("\"LINE\"")), "{raw:?}");
    let (code, _, said) = connect.end();
    assert_eq!(code, Some(1));
    assert_contains(&said, &["owned"]);
    raw.push(said.trim_end().to_owned());
    for line in raw {
        let interpreted = |char: char| char.is_control() || char == '\u{202e}';
        assert!(!line.contains(interpreted), "{line:?}");
    }
}

/// The frame of a message in a room.
fn said(text: &str) -> Vec<u8> {
    let say = RoomSay { message: Some(text.into()), ..RoomSay::default() };
    let say = say.into();
    let event = RoomEvent { payload: Extended::from(&say), ..RoomEvent::default() };
    let message = ServerMessage {
        message_type: Some(MessageType::RoomEvent),
        room_event: Nested::from(&event),
        ..ServerMessage::default()
    };
    let mut frame = Vec::new();
    frame::append(&message, &mut frame);
    frame
}

/// A slow reader gets everything, while memory stays bounded and the session alive. A reader that
/// does not read at all does not delay a signal.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_reader_gets_everything() {
    const MESSAGES: usize = 20_000;
    for reads in [true, false] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("tcp://{}", listener.local_addr().unwrap());
        let mut child = portreeve()
            .args(["game", "connect", &url, "--watch"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let (mut read, mut write) = stream.into_split();
        // `session_event { [Event_ServerIdentification.ext] { protocol_version: 14 } }`
        write.write_all(&greeting(14)).await.unwrap();
        let identification = b"\0\0\0\x09\x08\x01\x1a\x05\xa2\x1f\x02\x18\x0e";
        write.write_all(identification).await.unwrap();
        let keep_alives = tokio::spawn(async move {
            let (mut bytes, mut count) = ([0; 1024], 0);
            while let Ok(length @ 1..) = read.read(&mut bytes).await {
                count += length;
            }
            count
        });
        let flood = tokio::spawn(async move {
            for number in 0..MESSAGES {
                let frame = said(&format!("{number} {}", "x".repeat(1000)));
                if write.write_all(&frame).await.is_err() {
                    break;
                }
            }
            write
        });
        tokio::time::sleep(Duration::from_secs(8)).await;
        assert!(!flood.is_finished(), "the server is slowed down");
        if reads {
            let stdout = BufReader::new(child.stdout.take().unwrap());
            let mut lines = stdout.lines().map(Result::unwrap).skip(1);
            for number in 0..MESSAGES {
                let line = lines.next().unwrap();
                let start = format!("\"message\":\"{number} x");
                assert!(line.contains(&start), "{start}: {}", &line[..200]);
            }
            let peak = peak_memory(&child);
            assert!(peak < 64, "{peak} MiB");
            signal(&child, "TERM");
            assert!(lines.next().is_none());
        } else {
            signal(&child, "TERM");
        }
        assert_eq!(wait(&mut child), Some(0));
        drop(flood.await.unwrap());
        // A keep-alive has about 20 bytes.
        let keep_alives = keep_alives.await.unwrap();
        assert!(keep_alives >= 20, "{keep_alives} bytes of keep-alives");
    }
}

/// As in `portreeve game connect | head`.
#[tokio::test(flavor = "multi_thread")]
async fn a_closed_output_pipe_ends_the_session() {
    let server = script(vec![room_say("anybody?"); 100]).await;
    let mut child = portreeve()
        .args(["game", "connect", &server.tcp.to_string(), "--watch"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(wait(&mut child), Some(0));
    // It may end before all have been sent.
    if let Err(error) = server.finish().await {
        assert!(error.to_string().contains("the client disconnected"), "{error}");
    }
}
