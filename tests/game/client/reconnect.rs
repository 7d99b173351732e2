//! A connection that is lost and restored, over sockets.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use portreeve::game::client::{
    CallError, Client, Credentials, End, Events, FloodLimits, Note, Reconnect, Role, Settings,
    SlowReader, StartError,
};
use portreeve::game::connection::Address;
use portreeve::game::event::GameJoined;
use portreeve::game::frame::greeting_of;
use portreeve::game::{Command, CommandContainer, ResponseCode, Text, command};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message as Frame;

use super::script::{frame, http_request};
use super::server::{
    IDENTIFICATION, IDENTIFIED, Io, accept, answer, answer_all, answered, cmd_id, expect, framed,
    in_session, read, room_event, script, with,
};

/// `session_event { [Event_GameJoined.ext] { resuming: true } }`
const RESUMED: &[u8] = b"\x08\x01\x1a\x05\x8a\x3f\x02\x30\x01";

const QUICK: Reconnect = Reconnect {
    first_delay: Duration::from_millis(1),
    longest_delay: Duration::from_millis(20),
    attempts: 200,
};

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("tcp://{}", listener.local_addr().unwrap());
    (listener, url)
}

async fn next(listener: &TcpListener) -> impl Io + use<> {
    accept(listener.accept().await.unwrap().0).await
}

fn reconnecting(policy: Reconnect) -> Settings {
    with(|settings| settings.reconnect = Some(policy))
}

async fn connect(settings: &Settings, url: &str) -> (Client, Events) {
    settings.connect(&url.parse().unwrap()).await.unwrap()
}

/// The bytes of a command after its `cmd_id`, which takes five bytes and a tag.
fn without_id(bytes: &[u8]) -> &[u8] {
    &bytes[6..]
}

const OK: ResponseCode = ResponseCode::RespOk;

/// The session is restored: login, lists and rooms, in this order and before waiting commands. The
/// outcome of a command in flight is unknown, an unwritten command is sent, and the events show where
/// the gap was.
#[tokio::test]
async fn a_session_is_restored_after_its_connection_is_lost() {
    let (listener, url) = listener().await;
    let limits =
        FloodLimits { messages: 1, window: Duration::from_secs(3600), ..FloodLimits::servatrice() };
    let settings =
        Settings { reconnect: Some(QUICK), flood_limits: Some(limits), ..Settings::default() };
    let serve = tokio::spawn(async move {
        let mut server = next(&listener).await;
        let login = expect(&mut server, "LOGIN", OK).await;
        expect(&mut server, "LIST_ROOMS", OK).await;
        expect(&mut server, "LIST_USERS", ResponseCode::RespInternalError).await;
        let joined = expect(&mut server, "JOIN_ROOM", OK).await;
        expect(&mut server, "JOIN_ROOM", OK).await;
        expect(&mut server, "JOIN_ROOM", ResponseCode::RespNameNotFound).await;
        expect(&mut server, "LEAVE_ROOM", OK).await;
        server.write_all(&framed(&room_event(5))).await.unwrap();
        // Written and never answered; the next one is held by the limits.
        read(&mut server, "ROOM_SAY").await;
        drop(server);

        // A server that is not ready yet.
        drop(listener.accept().await.unwrap());
        let mut server = next(&listener).await;
        let again = expect(&mut server, "LOGIN", OK).await;
        assert_eq!(without_id(&again), without_id(&login));
        server.write_all(&framed(RESUMED)).await.unwrap();
        expect(&mut server, "LIST_ROOMS", OK).await;
        let again = expect(&mut server, "JOIN_ROOM", OK).await;
        assert_eq!(without_id(&again), without_id(&joined));
        expect(&mut server, "PING", OK).await;
        expect(&mut server, "ROOM_SAY", OK).await;
        assert_eq!(frame(&mut server).await, None);
    });
    let (client, mut events) = connect(&settings, &url).await;
    client.login(&Credentials::guest("ann")).await.unwrap();
    client.send(Command::list_rooms()).await.unwrap();
    client.send(Command::list_users()).await.unwrap();
    for room in [5, 6, 7] {
        client.send(Command::join_room(room)).await.unwrap();
    }
    client.send(Command::leave_room(6)).await.unwrap();
    let (written, waiting) = tokio::join!(
        client.send(Command::room_say(5, "one")),
        client.send(Command::room_say(5, "two")),
    );
    assert!(
        matches!(&written, Err(error @ CallError::Unknown(End::HungUp { .. })) if error.was_sent()),
        "{written:?}"
    );
    assert_eq!(waiting.unwrap().code(), Some(OK));
    client.close().await;
    serve.await.unwrap();

    let mut seen = Vec::new();
    let mut positions = Vec::new();
    while let Some(event) = events.next().await {
        positions.push(event.position());
        seen.push(match event.as_note() {
            Some(Note::Gap(End::HungUp { .. })) => "gap",
            Some(Note::Restored) => "restored",
            Some(note) => panic!("{note:?}"),
            None => {
                assert_eq!(event.role(), Role::Event);
                let message = event.message().unwrap();
                let event = message.session_event().unwrap();
                match event.map(|event| event.get::<GameJoined<'_>>().unwrap()) {
                    None => "in a room",
                    Some(None) => "server",
                    Some(Some(joined)) => {
                        assert!(joined.resuming());
                        "resumed"
                    }
                }
            }
        });
    }
    assert_eq!(seen, ["server", "in a room", "gap", "server", "resumed", "restored"]);
    assert!(positions.is_sorted(), "{positions:?}");
    assert!(matches!(events.end(), Some(End::Closed)));
}

/// A client that was kicked or banned does not reconnect, and one whose password is no longer
/// accepted gives up.
#[tokio::test]
async fn kicked_banned_and_refused_clients_do_not_reconnect() {
    // Logged in elsewhere, banned.
    for reason in [7, 4] {
        let (listener, url) = listener().await;
        let closed = [0x08, 0x01, 0x1a, 0x05, 0xd2, 0x3e, 0x02, 0x08, reason];
        let serve = tokio::spawn(async move {
            let mut server = next(&listener).await;
            server.write_all(&framed(&closed)).await.unwrap();
            listener
        });
        let (client, events) = connect(&reconnecting(QUICK), &url).await;
        let end = client.ended().await;
        assert!(matches!(end, End::Kicked(_) | End::Banned(_)), "{end:?}");
        assert_eq!(events.count().await, 2);
        drop(serve);
    }
    // The account has been removed meanwhile.
    let (listener, url) = listener().await;
    let serve = tokio::spawn(async move {
        let mut server = next(&listener).await;
        expect(&mut server, "LOGIN", OK).await;
        drop(server);
        let mut server = next(&listener).await;
        expect(&mut server, "LOGIN", ResponseCode::RespServerFull).await;
        // A full server may have room later, so that the client tries again.
        let mut server = next(&listener).await;
        expect(&mut server, "LOGIN", ResponseCode::RespWrongPassword).await;
        frame(&mut server).await
    });
    let (client, _events) = connect(&reconnecting(QUICK), &url).await;
    client.login(&Credentials::guest("ann")).await.unwrap();
    let End::LoginRefused(refused) = client.ended().await else {
        panic!("{client:?}");
    };
    assert_eq!(refused.code, Some(ResponseCode::RespWrongPassword));
    assert_eq!(serve.await.unwrap(), None);
}

/// There are as many attempts as configured, whether nothing listens or the server hangs up each time.
#[tokio::test]
async fn reconnect_attempts_are_limited() {
    let policy = Reconnect { attempts: 3, longest_delay: Duration::from_secs(3600), ..QUICK };
    for comes_back in [false, true] {
        let (listener, url) = listener().await;
        let serve = tokio::spawn(async move {
            drop(next(&listener).await);
            for _ in 0..if comes_back { 3 } else { 0 } {
                drop(next(&listener).await);
            }
        });
        let (client, mut events) = connect(&reconnecting(policy), &url).await;
        let call = client.send(Command::list_users()).await;
        assert!(call.is_err(), "{call:?}");
        let End::Unreachable { attempts, .. } = client.ended().await else {
            panic!("{client:?}");
        };
        assert_eq!(attempts, 3);
        let mut gaps = 0;
        while let Some(event) = events.next().await {
            gaps += usize::from(matches!(event.as_note(), Some(Note::Gap(_))));
        }
        // Attempts that did not restore the session belong to the same gap.
        assert!((1..=4).contains(&gaps), "{gaps}");
        serve.await.unwrap();
    }
}

/// Closing does not wait for an attempt that is due in an hour, and a waiting command is not sent.
#[tokio::test]
async fn closing_does_not_wait_for_the_next_attempt() {
    let policy = Reconnect {
        first_delay: Duration::from_secs(3600),
        longest_delay: Duration::from_secs(3600),
        attempts: 3,
    };
    let (listener, url) = listener().await;
    let (client, mut events) = connect_and_cut(&reconnecting(policy), &listener, &url).await;
    while !matches!(events.next().await.unwrap().as_note(), Some(Note::Gap(_))) {}
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.send(Command::ping()).await }
    });
    while !format!("{client:?}").contains("in_flight: 1") {
        tokio::task::yield_now().await;
    }
    client.close().await;
    let call = waiting.await.unwrap();
    assert!(matches!(call, Err(CallError::NotSent(End::Closed))), "{call:?}");
    assert!(matches!(client.ended().await, End::Closed));
}

async fn connect_and_cut(
    settings: &Settings,
    listener: &TcpListener,
    url: &str,
) -> (Client, Events) {
    let (connected, server) = tokio::join!(connect(settings, url), next(listener));
    drop(server);
    connected
}

/// The password of the last login, as it was sent: in plain text, and hashed.
fn password(login: &[u8]) -> (Option<String>, Option<String>) {
    let container = CommandContainer::parse(login).unwrap();
    let login = container.session_command().next().unwrap().unwrap();
    let login = login.get::<command::Login<'_>>().unwrap().unwrap();
    assert_eq!(login.user_name().unwrap(), "ann");
    let text = |text: Option<Text<'_>>| text.map(|text| text.to_str().unwrap().to_owned());
    (text(login.password), text(login.hashed_password))
}

/// A password that was changed, or set anew with a token, in the meantime.
#[tokio::test]
async fn the_login_is_repeated_with_the_current_password() {
    let text = |text: &str| Some(text.to_owned());
    let login = || {
        Command::session(command::Login {
            user_name: Some("ann".into()),
            hashed_password: Some("old".into()),
            ..command::Login::default()
        })
    };
    let changes = [
        (
            Command::session(command::AccountPassword {
                hashed_new_password: Some("new".into()),
                ..command::AccountPassword::default()
            }),
            (None, text("new")),
        ),
        (
            Command::session(command::AccountPassword {
                new_password: Some("new".into()),
                ..command::AccountPassword::default()
            }),
            (text("new"), None),
        ),
        (
            Command::session(command::ForgotPasswordReset {
                hashed_new_password: Some("new".into()),
                ..command::ForgotPasswordReset::new("ann")
            }),
            (None, text("new")),
        ),
        (
            Command::session(command::ForgotPasswordReset {
                hashed_new_password: Some("new".into()),
                ..command::ForgotPasswordReset::new("ben")
            }),
            (None, text("old")),
        ),
    ];
    for (change, expected) in changes {
        for code in [OK, ResponseCode::RespWrongPassword] {
            let (listener, url) = listener().await;
            let kind = change.kinds().next().unwrap().name();
            let serve = tokio::spawn(async move {
                let mut server = next(&listener).await;
                expect(&mut server, "LOGIN", OK).await;
                expect(&mut server, kind, code).await;
                drop(server);
                let mut server = next(&listener).await;
                let login = expect(&mut server, "LOGIN", OK).await;
                expect(&mut server, "PING", OK).await;
                // The client sees the answer before the connection ends.
                assert_eq!(frame(&mut server).await, None);
                password(&login)
            });
            let (client, mut events) = connect(&reconnecting(QUICK), &url).await;
            client.send(login()).await.unwrap();
            client.send(change.clone()).await.unwrap();
            while !matches!(events.next().await.unwrap().as_note(), Some(Note::Restored)) {}
            let expected = match code {
                OK => expected.clone(),
                _ => (None, text("old")),
            };
            client.close().await;
            assert_eq!(serve.await.unwrap(), expected, "{kind}");
        }
    }
}

/// It is requested again after the next gap.
#[tokio::test]
async fn a_room_that_cannot_be_joined_again_is_reported() {
    let join = |cmd_id, room: i32, code| {
        let join =
            format!(r#""session_command":[{{"[Command_JoinRoom.ext]":{{"room_id":{room}}}}}]"#);
        answered(cmd_id, &join, code)
    };
    let ask = |cmd_id| answered(cmd_id, &in_session("GetUserInfo"), "RespOk");
    let again = || ["-", IDENTIFIED].join("\n");
    let server = script(&[
        IDENTIFIED.to_owned(),
        join(1, 5, "RespOk"),
        join(2, 6, "RespOk"),
        again(),
        join(3, 5, "RespOk"),
        join(4, 6, "RespNameNotFound"),
        ask(5),
        again(),
        join(6, 5, "RespOk"),
        join(7, 6, "RespOk"),
        ask(8),
    ])
    .await;
    let (client, mut events) = connect(&reconnecting(QUICK), &server.tcp().to_string()).await;
    client.send(Command::join_room(5)).await.unwrap();
    client.send(Command::join_room(6)).await.unwrap();
    let mut seen = Vec::new();
    while seen.len() < 5 {
        let event = events.next().await.unwrap();
        if matches!(event.as_note(), Some(Note::Restored)) {
            let ask = Command::session(command::GetUserInfo::default());
            client.send(ask).await.unwrap();
        }
        seen.extend(event.as_note().map(|note| match note {
            Note::Gap(_) => "gap".to_owned(),
            Note::Restored => "restored".to_owned(),
            Note::NotRestored { command, room_id, refused } => {
                format!("{command} {room_id:?}: {:?}", refused.code.unwrap())
            }
            note => panic!("{note:?}"),
        }));
    }
    let refused = "JOIN_ROOM Some(6): RespNameNotFound";
    assert_eq!(seen, ["gap", refused, "restored", "gap", "restored"]);
    client.close().await;
    server.finish().await.unwrap();
}

/// Dropped connections, then one that is served; a server that speaks something else is reported at once.
#[tokio::test]
async fn the_first_connection_is_tried_again_too() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: Address = format!("tcp://{}", listener.local_addr().unwrap()).parse().unwrap();
    let serve = tokio::spawn(async move {
        // Two attempts: after each the client looks whether this is a server for WebSocket.
        for _ in 0..4 {
            drop(listener.accept().await.unwrap());
        }
        answer_all(accept(listener.accept().await.unwrap().0).await).await;
        let mut other = listener.accept().await.unwrap().0;
        other.write_all(&greeting_of(14)).await.unwrap();
        other.write_all(&framed(b"\x0f")).await.unwrap();
        frame(&mut other).await;
        listener
    });
    let policy =
        |first_delay, attempts| Reconnect { first_delay, longest_delay: first_delay, attempts };
    let patient = reconnecting(policy(Duration::from_millis(1), 2));
    let (client, _events) = patient.connect(&address).await.unwrap();
    client.close().await;
    let hour = Duration::from_secs(3600);
    let error = reconnecting(policy(hour, 5)).connect(&address).await;
    assert!(matches!(error, Err(StartError::NoServer)), "{error:?}");
    // Nobody listens.
    drop(serve.await.unwrap());
    let error = patient.connect(&address).await;
    assert!(matches!(error, Err(StartError::Connect(_))), "{error:?}");
}

/// A web server or a proxy that answers a request to upgrade with this status.
async fn refuse(listener: &TcpListener, status: u16) {
    let (mut stream, _) = listener.accept().await.unwrap();
    http_request(&mut stream).await;
    let answer = format!("HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n");
    stream.write_all(answer.as_bytes()).await.unwrap();
}

async fn upgrade(listener: &TcpListener) -> WebSocketStream<TcpStream> {
    let (stream, _) = listener.accept().await.unwrap();
    let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
    socket.send(Frame::binary(IDENTIFICATION)).await.unwrap();
    socket
}

async fn websocket_listener() -> (TcpListener, Address) {
    let (listener, url) = listener().await;
    (listener, url.replace("tcp", "ws").parse().unwrap())
}

/// What stands before the server says that it is away for the moment, at first and after a lost connection.
#[tokio::test]
async fn a_proxy_whose_server_is_away_is_tried_again() {
    let (listener, address) = websocket_listener().await;
    let serve = tokio::spawn(async move {
        for status in [429, 500, 502, 503, 504, 520, 524] {
            refuse(&listener, status).await;
        }
        drop(upgrade(&listener).await);
        for status in [502, 404] {
            refuse(&listener, status).await;
        }
        let mut socket = upgrade(&listener).await;
        // The PING that ends the restoring.
        let ping = socket.next().await.unwrap().unwrap().into_data();
        let pong = answer(cmd_id(&ping), OK);
        socket.send(Frame::binary(pong)).await.unwrap();
        socket
    });
    let (client, mut events) = reconnecting(QUICK).connect(&address).await.unwrap();
    while !matches!(events.next().await.unwrap().as_note(), Some(Note::Restored)) {}
    drop(serve.await.unwrap());
    drop(client);
}

/// A wrong path, or a proxy that wants a password, does not become right by waiting; after a lost connection the latter
/// does not either.
#[tokio::test]
async fn what_will_not_pass_is_reported_at_once() {
    for status in [400, 401, 403, 404] {
        let (listener, address) = websocket_listener().await;
        let settings = reconnecting(QUICK);
        let (error, ()) = tokio::join!(settings.connect(&address), refuse(&listener, status));
        assert!(matches!(error, Err(StartError::Connect(_))), "{error:?}");
    }
    let (listener, address) = websocket_listener().await;
    let serve = tokio::spawn(async move {
        drop(upgrade(&listener).await);
        refuse(&listener, 403).await;
    });
    let (client, _events) = reconnecting(QUICK).connect(&address).await.unwrap();
    let end = client.ended().await;
    assert!(matches!(end, End::Unreachable { attempts: 1, .. }), "{end:?}");
    serve.await.unwrap();
}

/// Nobody is left who needs the connection that is due in an hour.
#[tokio::test]
async fn a_dropped_client_does_not_connect_again() {
    let policy = Reconnect {
        first_delay: Duration::from_secs(3600),
        longest_delay: Duration::from_secs(3600),
        attempts: 3,
    };
    let (listener, url) = listener().await;
    let (client, mut events) = connect_and_cut(&reconnecting(policy), &listener, &url).await;
    while !matches!(events.next().await.unwrap().as_note(), Some(Note::Gap(_))) {}
    drop(client);
    assert!(events.next().await.is_none());
}

/// However much was skipped, a slow reader learns that the connection was lost meanwhile.
#[tokio::test]
async fn notes_are_not_skipped() {
    let (listener, url) = listener().await;
    let settings = Settings {
        reconnect: Some(QUICK),
        event_queue: 4,
        slow_reader: SlowReader::Skip,
        ..Settings::default()
    };
    let serve = tokio::spawn(async move {
        drop(next(&listener).await);
        let mut server = next(&listener).await;
        expect(&mut server, "PING", OK).await;
        for _ in 0..100 {
            server.write_all(&framed(&room_event(1))).await.unwrap();
        }
        // All of that has arrived.
        expect(&mut server, "LIST_USERS", OK).await;
    });
    let (client, mut events) = connect(&settings, &url).await;
    // What was written to the connection that is lost ends as unknown, and is asked again.
    while let Err(error) = client.send(Command::list_users()).await {
        assert!(matches!(error, CallError::Unknown(_)), "{error:?}");
    }
    serve.await.unwrap();
    drop(client);
    let mut notes = Vec::new();
    while let Some(event) = events.next().await {
        notes.extend(event.as_note().map(|note| format!("{note:?}")));
    }
    assert!(notes[0].starts_with("Gap") && notes[1] == "Restored", "{notes:?}");
    assert!(events.missed() > 90, "{}", events.missed());
}
