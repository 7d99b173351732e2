//! Behaviour over time: keep-alive pings, flood limits, timeouts, and typed ends.

use std::time::Duration;

use futures_util::StreamExt;
use portreeve::game::client::{CallError, End, FloodLimits, Role, Settings, SlowReader};
use portreeve::game::connection::Connector;
use portreeve::game::event::CloseReason;
use portreeve::game::{Command, ResponseCode};
use tokio::io::AsyncWriteExt;
use tokio::time::Instant;
use tower::{Service, ServiceExt};

use super::script::frame;
use super::server::{
    Io, PING, accept, answer, answer_all, cmd_id, command, framed, room_event, session, start, with,
};

/// After how long without a command a server drops a client.
const SILENCE: Duration = Duration::from_secs(16);

fn ping() -> Command {
    command(PING).unwrap()
}

fn say(text: &str) -> Command {
    Command::room_say(1, text)
}

/// A server that drops clients that are silent for 16 seconds, as Servatrice does; returns the times
/// of the commands.
async fn strict(mut io: impl Io) -> Vec<Instant> {
    let mut times = Vec::new();
    loop {
        match tokio::time::timeout(SILENCE, frame(&mut io)).await {
            Err(_) => panic!("the client was silent for {SILENCE:?}"),
            Ok(None) => return times,
            Ok(Some(command)) => {
                times.push(Instant::now());
                let answer = answer(cmd_id(&command), ResponseCode::RespOk);
                let _ = io.write_all(&framed(&answer)).await;
            }
        }
    }
}

/// An hour without commands, and some minutes with one every few seconds.
#[tokio::test(start_paused = true)]
async fn a_session_is_kept_alive() {
    let (client, mut events, server) = session(&Settings::default()).await;
    let server = tokio::spawn(strict(server));
    tokio::time::sleep(Duration::from_secs(3600)).await;
    for _ in 0..100 {
        client.send(ping()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(2900)).await;
    }
    client.close().await;
    let times = server.await.unwrap();
    // One every three seconds, and none where other commands have the same effect.
    assert!((1200..=1301).contains(&times.len()), "{}", times.len());
    // The answers to keep-alive pings are not among the events.
    assert_eq!(events.next().await.unwrap().role, Role::Event);
    assert!(events.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_ends_the_session() {
    let (client, _events, server) = session(&Settings::default()).await;
    let start = Instant::now();
    let call = client.send(ping()).await;
    assert!(matches!(call, Err(CallError::Unknown(End::Silent(_)))), "{call:?}");
    let waited = start.elapsed();
    assert!((15..=17).contains(&waited.as_secs()), "{waited:?}");
    drop(server);
}

/// A server that sends and does not read was not silent: the end says what it did not do.
#[tokio::test(start_paused = true)]
async fn a_server_that_sends_and_does_not_read_did_not_take_the_message() {
    let (here, there) = tokio::io::duplex(256);
    let server = tokio::spawn(accept(there));
    let (client, events) = start(&Settings::default(), here).await;
    let mut server = server.await.unwrap();
    let events = tokio::spawn(events.count());
    let sending = tokio::spawn(async move {
        while server.write_all(&framed(&room_event(1))).await.is_ok() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    assert!(client.send(say(&"x".repeat(500))).await.is_err());
    let end = client.ended().await;
    assert!(matches!(end, End::NotTaken(_)), "{end}");
    sending.await.unwrap();
    assert!(events.await.unwrap() > 100);
}

/// Settings at their largest values work like no limit, and no clock overflows.
#[tokio::test(start_paused = true)]
async fn settings_may_have_their_largest_values() {
    let mut limits = FloodLimits::servatrice();
    limits.messages = 1;
    limits.message_bytes = usize::MAX;
    limits.game_commands = u32::MAX;
    limits.window = Duration::MAX;
    let mut connector = Connector::default();
    connector.timeout = Duration::MAX;
    let mut settings = Settings::default();
    settings.call_timeout = Duration::MAX;
    settings.keep_alive = Duration::MAX;
    settings.flood_limits = Some(limits);
    settings.event_queue = usize::MAX;
    settings.slow_reader = SlowReader::Wait;
    settings.max_in_flight = usize::MAX;
    settings.connector = connector;
    let (client, _events, server) = session(&settings).await;
    let serve = tokio::spawn(answer_all(server));
    for request in [say("hi"), ping(), say("a day later")] {
        client.send(request).await.unwrap();
    }
    client.close().await;
    serve.await.unwrap();
}

/// Closing does not wait for a server that reads nothing and sends without end.
#[tokio::test(start_paused = true)]
async fn closing_does_not_wait_for_the_server() {
    let (here, there) = tokio::io::duplex(256);
    let server = tokio::spawn(accept(there));
    let (client, events) = start(&with(|settings| settings.max_in_flight = 8), here).await;
    drop(events);
    let (read, mut write) = tokio::io::split(server.await.unwrap());
    let talk = tokio::spawn(async move {
        while write.write_all(&framed(&room_event(1))).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    let calls: Vec<_> = (0..8)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.send(say(&"x".repeat(80))).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert!(!calls[7].is_finished());
    let begun = Instant::now();
    client.close().await;
    assert!(begun.elapsed() <= Duration::from_secs(5), "{:?}", begun.elapsed());
    for call in calls {
        assert!(matches!(
            call.await.unwrap(),
            Err(CallError::Unknown(End::Closed) | CallError::NotSent(End::Closed))
        ));
    }
    talk.await.unwrap();
    drop(read);
}

/// A chat message that waits for its turn does not hold back pings, and can be dropped.
#[tokio::test(start_paused = true)]
async fn a_dropped_command_is_not_sent() {
    let settings = with(|settings| settings.max_in_flight = 100);
    let (client, _events, mut server) = session(&settings).await;
    let mut service = client.clone();
    let mut calls = Vec::new();
    for _ in 0..30 {
        calls.push(service.ready().await.unwrap().call(say("hi")));
    }
    let after = service.ready().await.unwrap().call(ping());
    for _ in 0..10 {
        frame(&mut server).await.unwrap();
    }
    // The others wait for the windows; they are dropped before.
    drop(calls);
    let mut last = Vec::new();
    let serve = async {
        last = frame(&mut server).await.unwrap();
        let answer = answer(cmd_id(&last), ResponseCode::RespOk);
        server.write_all(&framed(&answer)).await.unwrap();
    };
    let start = Instant::now();
    let (answer, ()) = tokio::join!(after, serve);
    answer.unwrap();
    assert!(start.elapsed() < Duration::from_secs(3));
    assert!(last.ends_with(PING));
}

/// Each call has its own timeout; an answer that comes too late goes to no other call.
#[tokio::test(start_paused = true)]
async fn an_answer_after_the_timeout_goes_to_no_other_call() {
    let settings = with(|settings| settings.call_timeout = Duration::from_secs(5));
    let (client, mut events, mut server) = session(&settings).await;
    events.next().await.unwrap();
    let serve = tokio::spawn(async move {
        let first = cmd_id(&frame(&mut server).await.unwrap());
        tokio::time::sleep(Duration::from_secs(6)).await;
        for id in [first, first] {
            let late = answer(id, ResponseCode::RespOk);
            server.write_all(&framed(&late)).await.unwrap();
        }
        answer_all(server).await;
    });
    let late = client.send(ping()).await;
    assert!(
        matches!(late, Err(CallError::Timeout { limit, .. }) if limit.as_secs() == 5),
        "{late:?}"
    );
    client.send(ping()).await.unwrap();
    assert_eq!(events.next().await.unwrap().role, Role::Abandoned);
    assert_eq!(events.next().await.unwrap().role, Role::Duplicate);
    drop(client);
    serve.await.unwrap();
}

/// `session_event { [Event_ConnectionClosed.ext] { reason, reason_str, end_time } }`
fn closed(reason: u8, text: &str) -> Vec<u8> {
    let text_field = [&[0x12, text.len() as u8], text.as_bytes()].concat();
    let event = [&[0x08, reason], &*text_field, &[0x18, 0x2a]].concat();
    let event = [&[0xd2, 0x3e, event.len() as u8], &*event].concat();
    [&[0x08, 0x01, 0x1a, event.len() as u8], &*event].concat()
}

/// The reason that the server gives before it closes the connection is reported to the client, to
/// waiting calls and to the events.
#[tokio::test(start_paused = true)]
async fn the_reason_why_the_server_closes_is_reported() {
    for (number, reason) in [
        (2, CloseReason::ServerShutdown),
        (3, CloseReason::TooManyConnections),
        (4, CloseReason::Banned),
        (6, CloseReason::UserLimitReached),
        (7, CloseReason::Demoted),
        (8, CloseReason::LoggedInElsewhere),
    ] {
        let (client, events, mut server) = session(&Settings::default()).await;
        let call = tokio::spawn({
            let client = client.clone();
            async move { client.send(ping()).await }
        });
        frame(&mut server).await.unwrap();
        server.write_all(&framed(&closed(number, "be gone"))).await.unwrap();
        server.write_all(&framed(&room_event(1))).await.unwrap();
        // The session ends even if the server leaves the connection open.
        let server = (number % 2 == 0).then_some(server);
        let end = client.ended().await;
        let notice = end.notice().unwrap();
        assert_eq!(
            (notice.reason, &*notice.text, notice.until),
            (Some(reason), "be gone", Some(42))
        );
        let kind = match end {
            End::Shutdown(_) => 2,
            End::Banned(_) => 4,
            End::Refused(_) => 3,
            End::Kicked(_) => 7,
            _ => 0,
        };
        let expected = match number {
            6 => 3,
            8 => 7,
            number => number,
        };
        assert_eq!(kind, expected);
        assert!(
            matches!(call.await.unwrap(), Err(CallError::Unknown(end)) if end.notice().is_some())
        );
        // Everything received before can still be read.
        assert_eq!(events.count().await, 3);
        drop(server);
    }
}

/// The last handle closes the connection, but not before its calls are answered.
#[tokio::test(start_paused = true)]
async fn dropping_the_client_closes_the_connection() {
    let (client, mut events, mut server) = session(&Settings::default()).await;
    let call = client.clone().oneshot(ping());
    let serve = async {
        let id = cmd_id(&frame(&mut server).await.unwrap());
        tokio::time::sleep(Duration::from_secs(1)).await;
        let answer = answer(id, ResponseCode::RespOk);
        server.write_all(&framed(&answer)).await.unwrap();
        assert_eq!(frame(&mut server).await, None);
    };
    drop(client);
    let (answer, ()) = tokio::join!(call, serve);
    answer.unwrap();
    events.next().await.unwrap();
    assert!(events.next().await.is_none());
    assert!(matches!(events.ended().await, End::Closed));
}

/// Dropped at the moment at which the flood limits let it through.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_in_the_queue_is_not_sent() {
    let mut limits = FloodLimits::servatrice();
    limits.messages = 1;
    let settings = with(|settings| settings.flood_limits = Some(limits));
    for _ in 0..32 {
        let (client, _, server) = session(&settings).await;
        let server = tokio::spawn(strict(server));
        client.send(say("one")).await.unwrap();
        let free = Instant::now() + Duration::from_secs(12);
        let mut waiting = Box::pin(client.send(say("two")));
        let almost = free - Duration::from_millis(1);
        assert!(tokio::time::timeout_at(almost, &mut waiting).await.is_err());
        drop(waiting);
        tokio::time::advance(Duration::from_millis(1)).await;
        client.send(ping()).await.unwrap();
        client.close().await;
        let commands = server.await.unwrap();
        // The keep-alives of nine seconds, the first message, and the last command.
        assert!(commands.len() <= 6, "{commands:?}");
    }
}

/// Reads commands, among them those that keep the session alive, until the one with this id.
async fn until_seven(server: &mut impl Io) {
    while cmd_id(&frame(server).await.unwrap()) != 7 {}
}

/// The answer to a command that nobody waits for any more is not taken for that to another one with its id.
#[tokio::test(start_paused = true)]
async fn an_id_is_free_again_once_its_command_is_answered() {
    let settings = with(|settings| settings.call_timeout = Duration::from_secs(5));
    let (client, mut events, mut server) = session(&settings).await;
    events.next().await.unwrap();
    let mut service = client.clone();
    for times_out in [false, true] {
        let call = service.ready().await.unwrap().call_with_id(7, ping());
        let first = until_seven(&mut server);
        if times_out {
            let (late, ()) = tokio::join!(call, first);
            assert!(matches!(late, Err(CallError::Timeout { .. })), "{late:?}");
        } else {
            tokio::select! {
                _ = call => panic!("nobody has answered"),
                () = first => {}
            }
        }
        let again = service.ready().await.unwrap().call_with_id(7, ping()).await;
        assert!(matches!(again, Err(CallError::CmdId { cmd_id: 7 })), "{again:?}");
        let refused = answer(7, ResponseCode::RespContextError);
        server.write_all(&framed(&refused)).await.unwrap();
        assert_eq!(events.next().await.unwrap().role, Role::Abandoned);
        let call = service.ready().await.unwrap().call_with_id(7, ping());
        let serve = async {
            until_seven(&mut server).await;
            let done = answer(7, ResponseCode::RespOk);
            server.write_all(&framed(&done)).await.unwrap();
        };
        let (answer, ()) = tokio::join!(call, serve);
        assert_eq!(answer.unwrap().response.code(), Some(ResponseCode::RespOk));
    }
}
