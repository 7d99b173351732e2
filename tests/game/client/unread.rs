//! Calls of a reader that has not read the events before their answers.

use std::time::Duration;

use futures_util::StreamExt;
use portreeve::game::client::{
    CallError, Client, Credentials, Event, Events, Reconnect, Role, Settings, SlowReader,
};
use portreeve::game::command::RoomCommandPayload;
use portreeve::game::connection::Address;
use portreeve::game::event::{JoinRoom, RoomEvent, RoomEventPayload, RoomSay};
use portreeve::game::info::User;
use portreeve::game::testing::Server;
use portreeve::game::{
    Command, Extended, Message as _, MessageType, Nested, ResponseCode, ServerMessage,
};
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, sleep, timeout};
use tower::BoxError;

use super::examples::greeting_bot;
use super::script::frame;
use super::server::{
    Io, PING, answer, answer_all, cmd_id, command, framed, room_event, session, with,
};

/// Less than after which a call times out.
const SOON: Duration = Duration::from_secs(20);

/// The message with this event in room 0.
macro_rules! in_room {
    ($event:expr) => {{
        let event = RoomEventPayload::from($event);
        let payload = Extended::from(&event);
        let event = RoomEvent { room_id: Some(0), payload, ..RoomEvent::default() };
        ServerMessage {
            message_type: Some(MessageType::RoomEvent),
            room_event: Nested::from(&event),
            ..ServerMessage::default()
        }
        .to_vec()
    }};
}

fn say(text: &str) -> Vec<u8> {
    let (name, message) = (Some("ann".into()), Some(text.into()));
    in_room!(RoomSay { name, message, ..RoomSay::default() })
}

fn joins(name: &str) -> Vec<u8> {
    let user = User { name: Some(name.into()), ..User::default() };
    let user_info = Nested::from(&user);
    in_room!(JoinRoom { user_info, ..JoinRoom::default() })
}

/// What is said in the room next.
async fn said(server: &Server) -> String {
    loop {
        let received = timeout(SOON, server.next_command()).await.expect("nothing was said");
        for command in received.command.container().room_command() {
            if let Ok(Some(RoomCommandPayload::RoomSay(say))) = command.unwrap().payload() {
                return say.message().unwrap().to_owned();
            }
        }
    }
}

/// Waits until the bot is in the room.
async fn until_it_is_in_the_room(server: &Server) {
    for _ in ["LOGIN", "JOIN_ROOM"] {
        timeout(SOON, server.next_command()).await.unwrap();
    }
}

/// The bot of docs/GAME_CLIENT.md.
async fn greet(server: &Address) -> Result<(), BoxError> {
    let (client, mut events) = Client::connect(server).await?;
    client.login(&Credentials::guest("greeter")).await?;
    client.request(Command::join_room(0)).await?;
    while let Some(received) = events.next().await {
        if let Event::Room { room_id, event: RoomEventPayload::RoomSay(say) } = received.event()
            && say.message()? == "hello"
        {
            let answer = format!("Hello, {}!", say.name()?);
            client.request(Command::room_say(room_id, &answer)).await?;
        }
    }
    Ok(())
}

/// The answer of a call comes behind more messages than the queue of events holds, and the bot reads none of them
/// before it has that answer.
#[tokio::test]
async fn the_bot_of_the_page_works_under_load() {
    for load in [1_500, 20_000] {
        let server = Server::start().await.unwrap();
        let address = server.tcp.clone();
        let bot = tokio::spawn(async move { greet(&address).await });
        until_it_is_in_the_room(&server).await;
        for _ in 0..2 {
            server.send(&say("hello"));
            (0..load).for_each(|_| server.send(&say("chatter")));
        }
        for _ in 0..2 {
            assert_eq!(said(&server).await, "Hello, ann!");
        }
        server.cut();
        bot.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn the_bot_of_the_example_works_under_load() {
    for load in [1_500, 20_000] {
        let server = Server::start().await.unwrap();
        let url = server.websocket.to_string();
        let bot = tokio::spawn(async move { greeting_bot::greet(&url, "greeter", 0).await });
        until_it_is_in_the_room(&server).await;
        for name in ["dana", "eve"] {
            server.send(&joins(name));
            (0..load).for_each(|_| server.send(&say("chatter")));
        }
        for name in ["dana", "eve"] {
            assert_eq!(said(&server).await, format!("Welcome, {name}!"));
        }
        server.cut();
        bot.await.unwrap().unwrap();
    }
}

fn ping() -> Command {
    command(PING).unwrap()
}

fn few() -> Settings {
    with(|settings| {
        settings.event_queue = 4;
        settings.slow_reader = SlowReader::Wait;
        settings.flood_limits = None;
    })
}

/// Sends these messages one after the other, as fast as they are read; returns how many were.
async fn flood(server: &mut impl Io, messages: impl Iterator<Item = Vec<u8>>) -> usize {
    let mut sent = 0;
    for message in messages {
        match timeout(Duration::from_secs(3), server.write_all(&framed(&message))).await {
            Ok(written) => written.unwrap(),
            Err(_) => break,
        }
        sent += 1;
    }
    sent
}

/// The next events, and that they come in order.
async fn in_order(events: &mut Events, positions: std::ops::Range<u64>) {
    for position in positions {
        assert_eq!(events.next().await.unwrap().position, position);
    }
}

/// Of small messages, what it takes to hold them counts. Once the call is dropped, the number counts again.
#[tokio::test(start_paused = true)]
async fn a_call_does_not_make_the_queue_unbounded() {
    let (client, mut events, mut server) = session(&few()).await;
    let mut call = Box::pin(client.send(ping()));
    assert!(timeout(Duration::from_millis(1), &mut call).await.is_err());
    frame(&mut server).await.unwrap();
    let sent = flood(&mut server, (0..1000).map(|_| room_event(1))).await;
    assert_eq!(sent, 1000);
    drop(call);
    // What fits between the two sides.
    let sent = flood(&mut server, (0..100_000).map(|_| room_event(1))).await;
    assert!(sent < 50_000, "{sent}");
    in_order(&mut events, 0..1000).await;
    drop((client, server));
}

#[tokio::test(start_paused = true)]
async fn a_call_behind_too_many_small_messages_says_so() {
    let (client, _events, mut server) = session(&few()).await;
    let call = tokio::spawn(async move { client.send(ping()).await });
    frame(&mut server).await.unwrap();
    let sent = flood(&mut server, (0..1_000_000).map(|_| room_event(1))).await;
    assert!((100_000..400_000).contains(&sent), "{sent}");
    let ended = call.await.unwrap();
    assert!(matches!(ended, Err(CallError::Unread { .. })), "{ended:?}");
}

/// The call says why it has no answer, and long before it would time out; nothing is lost, and the session goes on.
#[tokio::test(start_paused = true)]
async fn a_call_behind_too_many_bytes_says_so() {
    ends_behind_too_many_bytes(0).await;
    // Too many are left.
    ends_behind_too_many_bytes(1).await;
}

/// The events are not read but for so many.
async fn ends_behind_too_many_bytes(read: u64) {
    let (client, mut events, mut server) = session(&few()).await;
    let begun = Instant::now();
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.send(ping()).await }
    });
    let id = cmd_id(&frame(&mut server).await.unwrap());
    let text = "x".repeat(1 << 20);
    let serve = tokio::spawn(async move {
        for _ in 0..40 {
            server.write_all(&framed(&say(&text))).await.unwrap();
        }
        server.write_all(&framed(&answer(id, ResponseCode::RespOk))).await.unwrap();
        server
    });
    sleep(Duration::from_secs(1)).await;
    in_order(&mut events, 0..read).await;
    let error = call.await.unwrap().unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert!(error.was_sent());
    let text = error.to_string();
    assert!(text.contains("the events that came before it have not been read"), "{text}");
    in_order(&mut events, read..41).await;
    assert_eq!(events.next().await.unwrap().role, Role::Abandoned);
    tokio::spawn(answer_all(serve.await.unwrap()));
    client.send(ping()).await.unwrap();
}

/// A connection is restored although the number of events is at its limit: their reader may be in a call that waits for
/// that.
#[tokio::test]
async fn a_call_does_not_keep_the_client_from_reconnecting() {
    let server = Server::start().await.unwrap();
    let mut settings = few();
    let mut policy = Reconnect::default();
    policy.first_delay = Duration::from_millis(1);
    settings.reconnect = Some(policy);
    settings.keep_alive = Duration::from_millis(100);
    let (client, _events) = settings.connect(&server.tcp).await.unwrap();
    client.login(&Credentials::guest("ann")).await.unwrap();
    (0..100).for_each(|_| server.send(&say("chatter")));
    server.cut();
    // Over the connection that is lost, or the next one.
    let first = timeout(SOON, client.send(ping())).await.unwrap();
    assert!(matches!(first, Ok(_) | Err(CallError::Unknown(_))), "{first:?}");
    timeout(SOON, client.request(ping())).await.unwrap().unwrap();
}

/// A reader that is slow, but reads, is waited for.
#[tokio::test(start_paused = true)]
async fn a_call_of_a_slow_reader_is_answered() {
    let (client, mut events, mut server) = session(&few()).await;
    let call = tokio::spawn(async move { client.send(ping()).await });
    let id = cmd_id(&frame(&mut server).await.unwrap());
    let text = "x".repeat(1 << 20);
    tokio::spawn(async move {
        for _ in 0..40 {
            server.write_all(&framed(&say(&text))).await.unwrap();
        }
        server.write_all(&framed(&answer(id, ResponseCode::RespOk))).await.unwrap();
        std::future::pending::<()>().await;
    });
    for _ in 0..40 {
        sleep(Duration::from_secs(2)).await;
        events.next().await.unwrap();
        if call.is_finished() {
            break;
        }
    }
    call.await.unwrap().unwrap();
}
