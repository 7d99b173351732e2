//! Which connections are tried again, how often, and for whom.

use std::future::ready;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use portreeve::game::client::{
    CallError, Client, Credentials, End, Events, Note, Received, Reconnect, StartError,
};
use portreeve::game::frame::greeting;
use portreeve::game::{Command, ResponseCode};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message as Frame;

use super::super::script::{frame, http_request};
use super::super::server::{
    IDENTIFICATION, IDENTIFIED, accept, answer, answer_all, answered, cmd_id, expect, framed,
    in_session, script,
};
use super::{OK, connect, listener, next, quick, reconnecting};

/// A client that was kicked or banned does not reconnect, and one whose password is no longer
/// accepted gives up.
#[tokio::test]
async fn kicked_banned_and_refused_clients_do_not_reconnect() {
    for reason in ["LOGGEDINELSEWERE", "BANNED"] {
        let event = format!(r#"{{"[Event_ConnectionClosed.ext]":{{"reason":"{reason}"}}}}"#);
        let closed = format!(r#"< {{"message_type":"SESSION_EVENT","session_event":{event}}}"#);
        let server = script(&[IDENTIFIED.to_owned(), closed, "-".to_owned()]).await;
        let (client, events) = connect(&reconnecting(quick()), &server.tcp).await;
        let end = client.ended().await;
        assert!(matches!(end, End::Kicked(_) | End::Banned(_)), "{end:?}");
        assert_eq!(events.count().await, 2);
        server.finish().await.unwrap();
    }
    // The account has been removed meanwhile.
    let (listener, address) = listener("tcp").await;
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
    let (client, events) = connect(&reconnecting(quick()), &address).await;
    client.login(&Credentials::guest("ann")).await.unwrap();
    let End::LoginRefused(refused) = client.ended().await else {
        panic!("{client:?}");
    };
    assert_eq!(refused.code, Some(ResponseCode::RespWrongPassword));
    assert_eq!(gaps(events).await, 1);
    assert_eq!(serve.await.unwrap(), None);
}

/// There are as many attempts as configured, whether nothing listens or the server hangs up each time.
#[tokio::test]
async fn reconnect_attempts_are_limited() {
    let mut policy = quick();
    policy.attempts = 3;
    policy.longest_delay = Duration::from_secs(3600);
    for comes_back in [false, true] {
        let connections = if comes_back { 1 + 3 } else { 1 };
        let server = script(&vec![[IDENTIFIED, "-"].join("\n"); connections]).await;
        let (client, events) = connect(&reconnecting(policy), &server.tcp).await;
        let call = client.send(Command::list_users()).await;
        assert!(call.is_err(), "{call:?}");
        let End::Unreachable { attempts, last } = client.ended().await else {
            panic!("{client:?}");
        };
        assert_eq!(attempts, 3);
        // It says that the server was there, if it was.
        let was_there = matches!(*last, StartError::Lost(End::HungUp { .. }));
        assert_eq!(was_there, comes_back, "{last}");
        assert_eq!(gaps(events).await, 1);
        server.finish().await.unwrap();
    }
}

/// However long the server takes to refuse, a session that was not restored has not lasted.
#[tokio::test]
async fn attempts_that_restore_nothing_are_limited() {
    let (listener, address) = listener("tcp").await;
    let serve = tokio::spawn(async move {
        let mut code = OK;
        loop {
            let mut server = next(&listener).await;
            sleep(2 * quick().longest_delay).await;
            expect(&mut server, "LOGIN", code).await;
            code = ResponseCode::RespServerFull;
        }
    });
    let mut policy = quick();
    policy.attempts = 3;
    let (client, events) = connect(&reconnecting(policy), &address).await;
    client.login(&Credentials::guest("ann")).await.unwrap();
    let end = timeout(Duration::from_secs(10), client.ended()).await.expect("it goes on");
    assert!(matches!(end, End::Unreachable { attempts: 3, .. }), "{end:?}");
    assert_eq!(gaps(events).await, 1);
    serve.abort();
}

/// A server that sends events, and never answers the login that is repeated, was not silent.
#[tokio::test]
async fn a_repeated_login_without_an_answer_is_reported_as_such() {
    let event = r#"< {"message_type":"ROOM_EVENT","room_event":{"room_id":1}}"#;
    let server = script(&[
        IDENTIFIED.to_owned(),
        answered(1, &in_session("Login"), "RespOk"),
        "-".to_owned(),
        IDENTIFIED.to_owned(),
        format!("> {{{}}}", in_session("Login")),
        [event; 5].join("\n"),
        // Until the client gives up.
        "> {}".to_owned(),
    ])
    .await;
    let mut policy = quick();
    policy.attempts = 1;
    policy.longest_delay = Duration::from_secs(3600);
    let mut settings = reconnecting(policy);
    settings.call_timeout = Duration::from_millis(300);
    let (client, _events) = connect(&settings, &server.tcp).await;
    client.login(&Credentials::guest("ann")).await.unwrap();
    let end = client.ended().await.to_string();
    assert!(end.contains("could not be restored: no answer to command"), "{end}");
}

/// Attempts that do not restore the session belong to the same gap.
async fn gaps(events: Events) -> usize {
    let is_gap = |event: &Received| ready(matches!(event.as_note(), Some(Note::Gap(_))));
    events.filter(is_gap).count().await
}

/// Closing does not wait for an attempt that is due in an hour, and a waiting command is not sent.
#[tokio::test]
async fn closing_does_not_wait_for_the_next_attempt() {
    let (client, events) = lost_for_an_hour().await;
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
    drop(events);
}

/// A session whose connection is lost, and is to be restored in an hour.
async fn lost_for_an_hour() -> (Client, Events) {
    let hour = Duration::from_secs(3600);
    let mut policy = Reconnect::default();
    policy.first_delay = hour;
    policy.longest_delay = hour;
    policy.attempts = 3;
    let server = script(&[IDENTIFIED.to_owned(), "-".to_owned()]).await;
    let (client, mut events) = connect(&reconnecting(policy), &server.tcp).await;
    while !matches!(events.next().await.unwrap().as_note(), Some(Note::Gap(_))) {}
    server.finish().await.unwrap();
    (client, events)
}

/// Dropped connections, then one that is served; a server that speaks something else is reported at once.
#[tokio::test]
async fn the_first_connection_is_tried_again_too() {
    let (listener, address) = listener("tcp").await;
    let serve = tokio::spawn(async move {
        // Two attempts: after each the client looks whether this is a server for WebSocket.
        for _ in 0..4 {
            drop(listener.accept().await.unwrap());
        }
        answer_all(accept(listener.accept().await.unwrap().0).await).await;
        let mut other = listener.accept().await.unwrap().0;
        other.write_all(&greeting(14)).await.unwrap();
        other.write_all(&framed(b"\x0f")).await.unwrap();
        frame(&mut other).await;
        listener
    });
    let policy = |first_delay, attempts| {
        let mut policy = Reconnect::default();
        policy.first_delay = first_delay;
        policy.longest_delay = first_delay;
        policy.attempts = attempts;
        policy
    };
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

/// What stands before the server says that it is away for the moment, at first and after a lost connection.
#[tokio::test]
async fn a_proxy_whose_server_is_away_is_tried_again() {
    let (listener, address) = listener("ws").await;
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
    let (client, mut events) = reconnecting(quick()).connect(&address).await.unwrap();
    while !matches!(events.next().await.unwrap().as_note(), Some(Note::Restored)) {}
    drop(serve.await.unwrap());
    drop(client);
}

/// A wrong path, or a proxy that wants a password, does not become right by waiting; after a lost connection the latter
/// does not either.
#[tokio::test]
async fn what_will_not_pass_is_reported_at_once() {
    for status in [400, 401, 403, 404] {
        let (listener, address) = listener("ws").await;
        let settings = reconnecting(quick());
        let (error, ()) = tokio::join!(settings.connect(&address), refuse(&listener, status));
        assert!(matches!(error, Err(StartError::Connect(_))), "{error:?}");
    }
    let (listener, address) = listener("ws").await;
    let serve = tokio::spawn(async move {
        drop(upgrade(&listener).await);
        refuse(&listener, 403).await;
    });
    let (client, _events) = reconnecting(quick()).connect(&address).await.unwrap();
    let end = client.ended().await;
    assert!(matches!(end, End::Unreachable { attempts: 1, .. }), "{end:?}");
    serve.await.unwrap();
}

/// Nobody is left who needs the connection that is due in an hour.
#[tokio::test]
async fn a_dropped_client_does_not_connect_again() {
    let (client, mut events) = lost_for_an_hour().await;
    drop(client);
    assert!(events.next().await.is_none());
}
