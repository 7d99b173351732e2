//! Servers that do what no server should: the session ends with a reason, or continues, and no call
//! gets the answer to another.

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{FutureExt, SinkExt, StreamExt};
use portreeve::game::client::{CallError, Client, End, Role, Settings, SlowReader, StartError};
use portreeve::game::connection::{ConnectError, ConnectionError, Connector, WEBSOCKET_SEND_LIMIT};
use portreeve::game::frame::{DEFAULT_LIMIT, greeting};
use portreeve::game::{Command, PayloadKind, ResponseCode, ServerMessage, check_with_text};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role as Side;
use tower::{Service, ServiceExt};

use crate::bytes::field;

use super::script::{fragment, frame, http_request};
use super::server::{
    IDENTIFICATION, Io, PING, accept, address, answer, answer_all, answer_with, cmd_id, command,
    framed, room_event, session, start, with,
};

fn ping() -> Command {
    command(PING).unwrap()
}

/// A WebSocket session in memory, and the server's side of it, on which a test writes raw frames.
async fn websocket() -> (Client, portreeve::game::client::Events, impl Io) {
    let (here, there) = tokio::io::duplex(64 << 10);
    let server = tokio::spawn(upgrade(there));
    let mut connector = Connector::default();
    connector.message_limit = 1 << 20;
    let connection = connector.over(here, &address(true)).await.unwrap();
    let mut there = server.await.unwrap();
    there.write_all(&fragment(0x82, IDENTIFICATION)).await.unwrap();
    let (client, events) = Settings::default().start(connection).await.unwrap();
    (client, events, there)
}

pub(super) async fn upgrade(mut there: impl Io) -> impl Io {
    let key = http_request(&mut there).await;
    let accept = derive_accept_key(key.as_bytes());
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    there.write_all(answer.as_bytes()).await.unwrap();
    there
}

#[tokio::test]
async fn a_frame_over_the_limit_ends_the_session() {
    let (client, _, mut server) = session(&Settings::default()).await;
    server.write_all(&[0x7f, 0xff, 0xff, 0xff, 0]).await.unwrap();
    let End::Failed(error) = client.ended().await else {
        panic!("{client:?}");
    };
    assert!(matches!(*error, ConnectionError::MessageLimit(DEFAULT_LIMIT)), "{error}");
    // It says what to do.
    assert!(error.to_string().contains("--message-limit"), "{error}");
    assert!(matches!(client.send(ping()).await, Err(CallError::NotSent(End::Failed(_)))));
}

/// A message of endless fragments, and one announced as too long, end at the limit.
#[tokio::test]
async fn a_websocket_message_over_the_limit_ends_the_session() {
    let (client, _, mut server) = websocket().await;
    let endless = tokio::spawn(async move {
        let part = vec![0; 60_000];
        server.write_all(&fragment(0x02, &part)).await.unwrap();
        // Until the client disconnects.
        while server.write_all(&fragment(0x00, &part)).await.is_ok() {}
    });
    let end = client.ended().await;
    assert!(end.to_string().contains("longer than the limit of 1048576"), "{end}");
    endless.await.unwrap();

    let (client, _, mut server) = websocket().await;
    server.write_all(&[0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0]).await.unwrap();
    let end = client.ended().await;
    assert!(end.to_string().contains("longer than the limit of 1048576"), "{end}");
}

/// A frame or fragments that trickle for ever without completing a message count as silence.
#[tokio::test(start_paused = true)]
async fn a_message_that_is_never_completed_counts_as_silence() {
    let (client, _, mut server) = session(&Settings::default()).await;
    let trickle = tokio::spawn(async move {
        let _ = server.write_all(&[0, 0x10, 0, 0]).await;
        while server.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
    });
    assert!(matches!(client.ended().await, End::Silent(_)));
    trickle.await.unwrap();

    let (client, _, mut server) = websocket().await;
    let trickle = tokio::spawn(async move {
        let _ = server.write_all(&fragment(0x02, b"")).await;
        while server.write_all(&fragment(0x00, b"")).await.is_ok() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    assert!(matches!(client.ended().await, End::Silent(_)));
    trickle.await.unwrap();
}

/// A violation of the WebSocket protocol ends the session; no part of it becomes a message.
#[tokio::test]
async fn damaged_websocket_frames_end_the_session() {
    for (damaged, reason) in [
        (&[0xc2, 0x01, 0x00][..], "eserved"),
        (&[0x83, 0x00], "opcode"),
        (&[0x80, 0x00], "ontinu"),
        (&[0x09, 0x00], "ragment"),
        (&[0x82, 0x81, 1, 2, 3, 4, 5], "mask"),
        (&[0x81, 0x02, b'h', b'i'], "text message"),
        (&[0x81, 0x01, 0xff], "UTF-8"),
        (&[0x02, 0x01, 0x08, 0x82, 0x00], "fragment"),
    ] {
        let (client, mut events, mut server) = websocket().await;
        server.write_all(damaged).await.unwrap();
        let end = client.ended().await;
        assert!(matches!(end, End::Failed(_)), "{damaged:x?}: {end:?}");
        let said = end.to_string();
        assert!(said.contains(reason), "{damaged:x?}: {said}");
        assert_eq!(events.next().await.unwrap().bytes, IDENTIFICATION);
        assert!(events.next().await.is_none());
    }
}

#[tokio::test]
async fn websocket_pings_are_answered() {
    let (client, _events, server) = websocket().await;
    let mut server =
        tokio_tungstenite::WebSocketStream::from_raw_socket(server, Side::Server, None).await;
    for round in 0..3_u8 {
        let ping = tokio_tungstenite::tungstenite::Message::Ping(Bytes::from(vec![round; 3]));
        server.send(ping).await.unwrap();
        let pong = server.next().await.unwrap().unwrap();
        assert_eq!(pong.into_data(), vec![round; 3]);
    }
    server.close(None).await.unwrap();
    assert!(matches!(client.ended().await, End::HungUp { code: Some(1005), .. }));
}

/// No call gets the answer to another; answers that no call waits for are among the events.
#[tokio::test]
async fn answers_that_no_call_waits_for_become_events() {
    let (client, mut events, mut server) = session(&Settings::default()).await;
    assert_eq!(events.next().await.unwrap().role, Role::Event);
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.send(ping()).await }
    });
    let id = cmd_id(&frame(&mut server).await.unwrap());
    let ok = |id| framed(&answer(id, ResponseCode::RespOk));
    for bytes in
        [ok(id + 1), ok(u64::MAX), framed(b"\xff\xff\xff\xff"), ok(id), ok(id), room_frame(3)]
    {
        server.write_all(&bytes).await.unwrap();
    }
    let answer = call.await.unwrap().unwrap();
    assert_eq!((answer.response.cmd_id(), answer.position), (id, 4));
    let mut roles = Vec::new();
    for _ in 0..5 {
        let event = events.next().await.unwrap();
        roles.push((event.position, event.role));
    }
    assert_eq!(
        roles,
        [
            (1, Role::Unmatched),
            (2, Role::Unmatched),
            (3, Role::Unreadable),
            (5, Role::Duplicate),
            (6, Role::Event),
        ]
    );
    // An answer with damaged text is an error of its call, and the session continues.
    let call = client.send(ping());
    let serve = async {
        let id = cmd_id(&frame(&mut server).await.unwrap());
        // A salt that is not UTF-8.
        let damaged = answer_with(id, b"\xca\x3f\x03\x0a\x01\xff");
        server.write_all(&framed(&damaged)).await.unwrap();
    };
    let (answer, ()) = tokio::join!(call, serve);
    assert!(matches!(answer, Err(CallError::Damaged(_))), "{answer:?}");
    assert!(events.ended().now_or_never().is_none());
}

/// Nobody waits for it, and its check takes long: it has every payload twice, in pieces.
#[tokio::test]
async fn an_answer_that_no_call_waits_for_is_not_checked() {
    let payloads = PayloadKind::ALL.iter().map(|kind| field(kind.number(), b""));
    let payloads = field(2, &payloads.collect::<Vec<_>>().concat()).repeat(2);
    let pieces = field(2, b"\x10\x00").repeat(100_000);
    let head = [b"\x08\x00", &*field(2, b"\x08\x63")].concat();
    let unsolicited = [&*head, &payloads, &pieces].concat();
    let begun = Instant::now();
    let _ = check_with_text::<ServerMessage<'_>>(&unsolicited);
    let checked = begun.elapsed();

    let (client, mut events, mut server) = session(&Settings::default()).await;
    assert_eq!(events.next().await.unwrap().role, Role::Event);
    let begun = Instant::now();
    server.write_all(&framed(&unsolicited)).await.unwrap();
    let event = events.next().await.unwrap();
    let received = begun.elapsed();
    assert_eq!((event.role, event.bytes.len()), (Role::Unmatched, unsolicited.len()));
    assert!(received < checked / 2, "{received:?} of {checked:?}");
    drop(client);
}

fn room_frame(room: u8) -> Vec<u8> {
    framed(&room_event(room))
}

/// Peers that are not a game server, or speak another version of the protocol.
#[tokio::test(start_paused = true)]
async fn peers_that_are_not_a_game_server_are_refused() {
    let begin = |bytes: Vec<u8>, stays: bool| async move {
        let (here, mut there) = tokio::io::duplex(1 << 10);
        there.write_all(&bytes).await.unwrap();
        let there = stays.then_some(there);
        let connection = Connector::default().over(here, &address(false)).await.unwrap();
        let started = Settings::default().start(connection).await;
        drop(there);
        started.map(drop).unwrap_err()
    };
    let greeted = |bytes: &[u8]| [&greeting(14), bytes].concat();
    let error = begin(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec(), true).await;
    assert!(matches!(error, StartError::Ended(End::Failed(_))), "{error}");
    for no_identification in [
        framed(&answer(1, ResponseCode::RespOk)),
        framed(b""),
        framed(b"\xff"),
        framed(&room_event(1)).repeat(16),
    ] {
        let error = begin(greeted(&no_identification), true).await;
        assert!(matches!(error, StartError::NoServer), "{error}");
    }
    // A server that is shutting down may send nothing but that notice.
    let closed = framed(b"\x08\x01\x1a\x05\xd2\x3e\x02\x08\x02");
    let error = begin(greeted(&closed), true).await;
    assert!(matches!(error, StartError::Ended(End::Shutdown(_))), "{error}");
    let newer = b"\x08\x01\x1a\x05\xa2\x1f\x02\x18\x0f";
    let error = begin(greeted(&framed(newer)), true).await;
    assert!(matches!(error, StartError::Protocol { found: 15, .. }), "{error}");
    let error = begin(greeting(14), true).await;
    assert!(matches!(error, StartError::Ended(End::Silent(_))), "{error}");
    let (here, there) = tokio::io::duplex(1 << 10);
    let silent = Connector::default().over(here, &address(true)).await;
    assert!(matches!(silent, Err(ConnectError::Timeout { .. })), "{silent:?}");
    drop(there);
}

/// Events that come before the identification are not lost.
#[tokio::test]
async fn events_before_the_identification_are_delivered() {
    let (here, mut there) = tokio::io::duplex(1 << 10);
    let first = [framed(&room_event(1)), framed(&room_event(2))].concat();
    there.write_all(&[&greeting(14)[..], &first, &framed(IDENTIFICATION)].concat()).await.unwrap();
    let (client, mut events) = start(&Settings::default(), here).await;
    assert_eq!(frame(&mut there).await, Some(Vec::new()));
    let serve = tokio::spawn(answer_all(there));
    assert_eq!(client.server().server_name().unwrap(), "test");
    assert_eq!(client.send(ping()).await.unwrap().position, 3);
    for (position, bytes) in
        [room_event(1), room_event(2), IDENTIFICATION.to_vec()].into_iter().enumerate()
    {
        let event = events.next().await.unwrap();
        assert_eq!(event.position, position as u64);
        assert_eq!((event.role, &*event.bytes), (Role::Event, &*bytes));
    }
    drop(client);
    serve.await.unwrap();
}

/// As long as there is no identification, nobody reads them.
#[tokio::test]
async fn a_megabyte_before_the_identification_is_too_much() {
    let long = [
        &[0x08, 0x03, 0x2a, 0x02, 0x08, 0x02][..],
        &b"\xa2\x3f\x80\x80\x20"[..],
        &vec![0; 1 << 19],
    ]
    .concat();
    for (count, is_accepted) in [(1, true), (2, false)] {
        let (here, mut there) = tokio::io::duplex(4 << 20);
        there.write_all(&greeting(14)).await.unwrap();
        for _ in 0..count {
            there.write_all(&framed(&long)).await.unwrap();
        }
        there.write_all(&framed(IDENTIFICATION)).await.unwrap();
        let connection = Connector::default().over(here, &address(false)).await.unwrap();
        let started = Settings::default().start(connection).await;
        match started {
            Ok(_) => assert!(is_accepted),
            Err(error) => assert!(matches!(error, StartError::NoServer) && !is_accepted, "{error}"),
        }
    }
}

/// HTTP servers that do not agree to use WebSocket.
#[tokio::test]
async fn http_servers_that_do_not_upgrade_to_websocket_are_refused() {
    let agree = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n";
    for (answer, problem) in [
        ("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".to_owned(), "400"),
        ("HTTP/1.1 200 OK\r\n\r\nhello".to_owned(), "200"),
        (format!("{agree}Upgrade: h2c\r\n\r\n"), "Upgrade: websocket"),
        (
            format!("{agree}Upgrade: websocket\r\nSec-WebSocket-Accept: AAAA\r\n\r\n"),
            "Sec-WebSocket-Accept",
        ),
        (
            "HTTP/1.1 101 Switching Protocols\r\nConnection: close\r\nUpgrade: websocket\r\n\r\n"
                .to_owned(),
            "Connection: upgrade",
        ),
        (format!("{agree}{}", "X: y\r\n".repeat(10_000)), ""),
        (String::new(), ""),
        ("SSH-2.0-OpenSSH_9.6\r\n".to_owned(), ""),
    ] {
        let (here, mut there) = tokio::io::duplex(1 << 20);
        let server = tokio::spawn(async move {
            http_request(&mut there).await;
            // The client may disconnect before it has read all of it.
            let _ = there.write_all(answer.as_bytes()).await;
        });
        let refused = Connector::default().over(here, &address(true)).await;
        server.await.unwrap();
        match refused {
            Err(ConnectError::Handshake { problem: found, .. }) => {
                assert!(found.contains(problem), "{found}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A message that would make the server close the connection is not sent.
#[tokio::test]
async fn commands_over_the_limit_are_not_sent() {
    let (client, _events, mut server) = websocket().await;
    // An unknown field of the container, which a server ignores, makes it long: 6 bytes of a
    // `cmd_id`, 6 of the ping, 4 of the field's tag and length.
    let padded = |length: usize| [PING, &field(5, &vec![0; length - 16])].concat();
    let serve = tokio::spawn(async move {
        let (_, message) = super::script::websocket_message(&mut server).await.unwrap();
        let answer = answer(cmd_id(&message), ResponseCode::RespOk);
        server.write_all(&fragment(0x82, &answer)).await.unwrap();
        (message.len(), server)
    });
    for length in [WEBSOCKET_SEND_LIMIT + 1, 2_000_000] {
        let request = command(&padded(length)).unwrap();
        let refused = client.send(request).await;
        assert!(
            matches!(refused, Err(CallError::TooLong { length: found, limit }) if found == length && limit == WEBSOCKET_SEND_LIMIT),
            "{refused:?}"
        );
        assert!(client.send_raw(&padded(length + 6)).await.is_err());
    }
    let request = command(&padded(WEBSOCKET_SEND_LIMIT)).unwrap();
    client.send(request).await.unwrap();
    assert_eq!(serve.await.unwrap().0, WEBSOCKET_SEND_LIMIT);
}

/// A reader that does not read: nothing is lost, memory is bounded, and the session is kept.
#[tokio::test(start_paused = true)]
async fn a_slow_reader_is_waited_for() {
    let mut settings = Settings::default();
    settings.event_queue = 4;
    settings.slow_reader = SlowReader::Wait;
    let (client, mut events, server) = session(&settings).await;
    let (mut read, mut write) = tokio::io::split(server);
    let flood = tokio::spawn(async move {
        for number in 0..50_000_u32 {
            write.write_all(&room_frame(number as u8 % 60)).await.unwrap();
        }
        write
    });
    let pings = tokio::spawn(async move {
        let mut pings = 0;
        while let Ok(length) = read.read_u32().await {
            let mut ping = vec![0; length as usize];
            read.read_exact(&mut ping).await.unwrap();
            pings += 1;
        }
        pings
    });
    // Ten minutes: the session would have ended long ago if either side took the other for silent.
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert!(!flood.is_finished() && events.ended().now_or_never().is_none());
    for number in 0..=50_000 {
        let event = events.next().await.unwrap();
        assert_eq!(event.position, number);
    }
    let write = flood.await.unwrap();
    drop((client, write));
    while events.next().await.is_some() {}
    assert!(pings.await.unwrap() >= 190);
    assert_eq!(events.missed(), 0);
}

/// The other policy: the oldest events are dropped and counted, and calls do not wait.
#[tokio::test]
async fn a_slow_reader_misses_the_oldest_events() {
    let mut settings = Settings::default();
    settings.event_queue = 4;
    settings.slow_reader = SlowReader::Skip;
    let (client, mut events, mut server) = session(&settings).await;
    let serve = tokio::spawn(async move {
        for number in 0..100 {
            server.write_all(&room_frame(number % 60)).await.unwrap();
        }
        answer_all(server).await;
    });
    let answer = client.send(ping()).await.unwrap();
    assert_eq!(answer.position, 101);
    assert_eq!(events.missed(), 97);
    let kept: Vec<_> = (&mut events).take(4).map(|event| event.position).collect().await;
    assert_eq!(kept, [97, 98, 99, 100]);
    drop(client);
    serve.await.unwrap();
}

/// A server that reads nothing: writing stops, every call fails, and the session ends as silent.
#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_read_ends_the_session() {
    let (here, there) = tokio::io::duplex(256);
    let server = tokio::spawn(accept(there));
    let (client, _events) = start(&with(|settings| settings.max_in_flight = 8), here).await;
    let server = server.await.unwrap();
    let calls = (0..100).map(|_| client.send(ping()));
    let ends = futures_util::future::join_all(calls).await;
    assert!(ends.iter().all(Result::is_err));
    assert!(matches!(client.ended().await, End::Silent(_)));
    drop(server);
}

/// A service that was polled ready and never called, or whose call was dropped, releases its permit.
#[tokio::test]
async fn permits_of_unused_and_dropped_calls_are_released() {
    let (client, _events, server) = session(&with(|settings| settings.max_in_flight = 1)).await;
    let serve = tokio::spawn(answer_all(server));
    for _ in 0..10 {
        let mut ready = client.clone();
        ready.ready().await.unwrap();
        drop(ready);
        let mut dropped = client.clone();
        drop(dropped.ready().await.unwrap().call(ping()));
        client.send(ping()).await.unwrap();
    }
    drop(client);
    serve.await.unwrap();
}

/// A million calls are dropped, some before they are written and some after, and leave no memory
/// behind.
#[test]
fn dropped_calls_hold_no_memory() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // The server answers nothing.
    let settings = with(|settings| settings.keep_alive = Duration::from_secs(3600));
    let (mut client, events, mut server) = runtime.block_on(session(&settings));
    drop(events);
    runtime.spawn(async move { while frame(&mut server).await.is_some() {} });
    let mut drop_calls = |number: u32| {
        let work = async {
            for index in 0..number {
                let call = client.ready().await.unwrap().call(ping());
                // Time for the driver to write it.
                if index % 10 == 0 {
                    tokio::task::yield_now().await;
                    tokio::task::yield_now().await;
                }
                drop(call);
            }
        };
        allocation_counter::measure(|| runtime.block_on(work)).bytes_current
    };
    // The memory for calls in flight stays allocated from then on.
    drop_calls(20_000);
    let held = drop_calls(1_000_000);
    assert!(held < 100_000, "{held} bytes");
}
