//! Recorded sessions, replayed: the client sends, receives and ends as recorded, in whatever pieces
//! the bytes arrive.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use portreeve::game::client::{Answer, CallError, Client, End, ResponseFuture, Role, Settings};
use portreeve::game::connection::Connector;
use portreeve::game::event::ConnectionClosed;
use portreeve::game::{Response, ServerMessage};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;

use crate::bytes::varint;
use crate::data::TWO_WAY;

use super::script::{Ending, Session, sessions};
use super::server::{Io, address, command};

/// Plays the server over `there` and the client over `here`.
async fn replay(session: &Session, here: impl Io, there: impl Io, piece: usize) {
    let script = session.clone();
    let server = tokio::spawn(async move { script.play(there, piece).await });
    let connection = Connector::default().over(here, &address(session.websocket)).await.unwrap();
    let mut settings = Settings::default();

    // The recorded clients sent their own pings, and exceeded the flood limits.
    settings.keep_alive = Duration::from_secs(3600);
    settings.flood_limits = None;
    settings.max_in_flight = 1000;
    settings.answers_among_events = true;
    let started = settings.start(connection).await;
    let Ok((mut client, mut events)) = started else {
        // A server that accepts no clients says so, or disconnects, before it identifies itself.
        panic!("{}: {:?}", session.name, started.err());
    };
    let calls = send_commands(&mut client, &session.commands).await;
    for (position, expected) in session.messages.iter().enumerate() {
        let received = events.next().await.unwrap_or_else(|| {
            panic!("{}: {position} {:?}", session.name, events.ended().now_or_never())
        });
        assert_eq!(received.position, position as u64, "{}", session.name);
        assert_eq!(received.bytes, expected, "{} {position}", session.name);
        assert_role(received.role, expected, &session.name);
    }
    if session.ending == Ending::Client {
        client.close().await;
    }
    assert!(events.next().await.is_none(), "{}", session.name);
    assert_end(&client.ended().await, session);
    assert_answers(calls, session).await;
    server.await.unwrap();
}

/// Sends the recorded commands, as calls where the recorded `cmd_id`s count up.
pub(super) async fn send_commands(
    client: &mut Client,
    commands: &[Vec<u8>],
) -> Vec<(u64, ResponseFuture)> {
    // The recorded clients counted from 1.
    let mut calls = Vec::new();
    for bytes in commands {
        let request = command(bytes).unwrap();
        let cmd_id = calls.len() as u64 + 1;
        if bytes.starts_with(&[&[0x08], &*varint(cmd_id)].concat()) {
            // A connection that the server has closed meanwhile accepts no more calls.
            let Ok(ready) = client.ready().await else {
                break;
            };
            calls.push((cmd_id, ready.call_with_id(cmd_id, request)));
        } else if client.send_raw(bytes).await.is_err() {
            break;
        }
    }
    calls
}

fn assert_role(role: Role, message: &[u8], name: &str) {
    let is_answer = ServerMessage::parse(message).unwrap().response().unwrap().is_some();
    assert_eq!(is_answer, role != Role::Event, "{name} {role:?}");
}

/// Every recorded answer reached its call, with its position among the events.
async fn assert_answers(calls: Vec<(u64, ResponseFuture)>, session: &Session) {
    let mut answers: VecDeque<(usize, &Vec<u8>)> = session
        .messages
        .iter()
        .enumerate()
        .filter(|(_, message)| Response::parse_enveloped(message).unwrap().is_some())
        .collect();
    for (cmd_id, call) in calls {
        let recorded = answers.iter().position(|(_, message)| {
            Response::parse_enveloped(message).unwrap().unwrap().cmd_id() == cmd_id
        });
        let recorded = recorded.map(|index| answers.remove(index).unwrap());
        let answer: Result<Answer, CallError> = call.await;
        match recorded {
            Some((position, message)) => {
                let answer = answer.unwrap_or_else(|error| panic!("{}: {error}", session.name));
                assert_eq!(answer.position, position as u64, "{}", session.name);
                assert_eq!(answer.response.as_inner(), message, "{}", session.name);
            }
            None => assert!(
                matches!(answer, Err(CallError::Unknown(_) | CallError::NotSent(_))),
                "{answer:?}"
            ),
        }
    }
}

fn assert_end(end: &End, session: &Session) {
    let last = session.messages.last().unwrap();
    let said = ServerMessage::parse(last).unwrap().session_event().unwrap();
    let said = said.and_then(|event| event.get::<ConnectionClosed<'_>>().unwrap());
    match (&session.ending, said, end) {
        (Ending::Client, None, End::Closed) => {}
        (Ending::Server(_), Some(said), end) => {
            let notice = end.notice().unwrap_or_else(|| panic!("{}: {end:?}", session.name));
            assert_eq!(notice.reason, said.reason);
            assert_eq!(notice.text, said.reason_str().unwrap());
            assert_eq!(notice.until, said.end_time);
        }
        // The server had warned that the client was idle.
        (Ending::Server(_), None, End::Idle) => assert_eq!(session.name, "websocket-idle"),
        (Ending::Server(frame), None, End::HungUp { code, text }) => {
            assert_ne!(session.name, "websocket-idle");
            let expected = frame.clone().unzip();
            assert_eq!((*code, text.clone()), (expected.0, expected.1.unwrap_or_default()));
        }
        (expected, _, end) => panic!("{}: {expected:?}, and not {end:?}", session.name),
    }
}

async fn replay_in_memory(session: &Session, piece: usize) {
    let (here, there) = tokio::io::duplex(1 << 20);
    let replayed = replay(session, here, there, piece);
    tokio::time::timeout(Duration::from_secs(120), replayed)
        .await
        .unwrap_or_else(|_| panic!("{} has no end in pieces of {piece}", session.name));
}

#[tokio::test]
async fn recorded_sessions_end_as_recorded() {
    let mut connections = 0;
    for session in TWO_WAY.iter().flat_map(|name| sessions(name)) {
        replay_in_memory(&session, usize::MAX).await;
        connections += 1;
    }
    assert_eq!(connections, 38);
}

/// First every byte arrives by itself, so that the client waits at every boundary; then the bytes come
/// in pieces of other lengths. Long sessions come in larger pieces.
#[tokio::test]
async fn recorded_sessions_may_arrive_in_any_pieces() {
    for session in TWO_WAY.iter().flat_map(|name| sessions(name)) {
        let large = session.messages.iter().any(|message| message.len() > 100_000);
        for piece in if large { [997, 4099, 65_537] } else { [1, 2, 7] } {
            replay_in_memory(&session, piece).await;
        }
    }
}

#[tokio::test]
async fn recorded_sessions_end_as_recorded_over_sockets() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    for name in ["tcp-room-chat", "websocket-shutdown", "odd-transport"] {
        for session in sessions(name) {
            let here = TcpStream::connect(address).await.unwrap();
            let (there, _) = listener.accept().await.unwrap();
            replay(&session, here, there, usize::MAX).await;
        }
    }
}

/// Each WebSocket message in two frames, split at every position for a short session and at some
/// positions for the others.
#[tokio::test]
async fn websocket_messages_may_be_fragmented_anywhere() {
    for name in TWO_WAY {
        for session in sessions(name) {
            if !session.websocket {
                continue;
            }
            let longest = session.messages.iter().map(Vec::len).max().unwrap();
            let cuts: Vec<_> = match name {
                "websocket-idle" => (0..=longest).collect(),
                _ => vec![0, 1, 2, 40, 125, 126, 1000],
            };
            for cut in cuts {
                replay_in_memory(&session.fragmented(cut), usize::MAX).await;
            }
        }
    }
}
