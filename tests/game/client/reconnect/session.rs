//! What is restored, and what the reader of the events learns.

use std::time::Duration;

use futures_util::StreamExt;
use portreeve::game::client::{
    CallError, Credentials, End, FloodLimits, Note, Role, Settings, SlowReader,
};
use portreeve::game::event::GameJoined;
use portreeve::game::{Command, CommandContainer, ResponseCode, Text, command};
use tokio::io::AsyncWriteExt;

use super::super::script::frame;
use super::super::server::{
    IDENTIFIED, answered, expect, framed, in_session, read, room_event, script,
};
use super::{OK, connect, listener, next, quick, reconnecting};

/// `session_event { [Event_GameJoined.ext] { resuming: true } }`
const RESUMED: &[u8] = b"\x08\x01\x1a\x05\x8a\x3f\x02\x30\x01";

/// The bytes of a command after its `cmd_id`, which takes five bytes and a tag.
fn without_id(bytes: &[u8]) -> &[u8] {
    &bytes[6..]
}

/// The session is restored: login, lists and rooms, in this order and before waiting commands. The
/// outcome of a command in flight is unknown, an unwritten command is sent, and the events show where
/// the gap was.
#[tokio::test]
async fn a_session_is_restored_after_its_connection_is_lost() {
    let (listener, address) = listener("tcp").await;
    let mut limits = FloodLimits::servatrice();
    limits.messages = 1;
    limits.window = Duration::from_secs(3600);
    let mut settings = Settings::default();
    settings.reconnect = Some(quick());
    settings.flood_limits = Some(limits);
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
    let (client, mut events) = connect(&settings, &address).await;
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
    assert_eq!(waiting.unwrap().response.code(), Some(OK));
    client.close().await;
    serve.await.unwrap();

    let mut seen = Vec::new();
    let mut positions = Vec::new();
    while let Some(event) = events.next().await {
        positions.push(event.position);
        seen.push(match event.as_note() {
            Some(Note::Gap(End::HungUp { .. })) => "gap",
            Some(Note::Restored) => "restored",
            Some(note) => panic!("{note:?}"),
            None => {
                assert_eq!(event.role, Role::Event);
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
    assert!(matches!(events.ended().await, End::Closed));
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
            let (listener, address) = listener("tcp").await;
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
            let (client, mut events) = connect(&reconnecting(quick()), &address).await;
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
    let (client, mut events) = connect(&reconnecting(quick()), &server.tcp).await;
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

/// However much was skipped, a slow reader learns that the connection was lost meanwhile.
#[tokio::test]
async fn notes_are_not_skipped() {
    let room_event = r#"< {"message_type":"ROOM_EVENT","room_event":{"room_id":1}}"#;
    let server = script(&[
        IDENTIFIED.to_owned(),
        "-".to_owned(),
        IDENTIFIED.to_owned(),
        answered(1, &in_session("ListUsers"), "RespOk"),
        [room_event; 100].join("\n"),
        // All of that has arrived.
        answered(2, &in_session("ListRooms"), "RespOk"),
    ])
    .await;
    let mut settings = Settings::default();
    settings.reconnect = Some(quick());
    settings.event_queue = 4;
    settings.slow_reader = SlowReader::Skip;
    let (client, mut events) = connect(&settings, &server.tcp).await;
    // What was written to the connection that is lost ends as unknown, and is asked again.
    while let Err(error) = client.send(Command::list_users()).await {
        assert!(matches!(error, CallError::Unknown(_)), "{error:?}");
    }
    client.send(Command::list_rooms()).await.unwrap();
    drop(client);
    server.finish().await.unwrap();
    let mut notes = Vec::new();
    while let Some(event) = events.next().await {
        notes.extend(event.as_note().map(|note| format!("{note:?}")));
    }
    assert!(notes[0].starts_with("Gap") && notes[1] == "Restored", "{notes:?}");
    assert!(events.missed() > 90, "{}", events.missed());
}
