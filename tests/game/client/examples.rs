//! The examples, run against the stand-in server, and the login that they use.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use portreeve::game::client::{
    Client, Credentials, LoginError, Reconnect, Refused, Settings, hashed_password,
};
use portreeve::game::command::{Login, RoomSay};
use portreeve::game::event::{
    GameClosed, GameEvent, GameEventPayload, GameStateChanged, SetActivePlayer,
};
use portreeve::game::info::{Card, Player, PlayerProperties, Zone};
use portreeve::game::{Command, CommandContainer, Extended, Message, ResponseCode};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message as Frame;

use super::script::frame;
use super::server::{
    IDENTIFICATION, Io, accept, answer, answer_all, answer_with, cmd_id, expect, framed, session,
};

#[allow(dead_code)]
#[path = "../../../examples/greeting_bot.rs"]
mod greeting_bot;
#[allow(dead_code)]
#[path = "../../../examples/logging_proxy.rs"]
mod logging_proxy;
#[allow(dead_code)]
#[path = "../../../examples/play_a_land.rs"]
mod play_a_land;
#[allow(dead_code)]
#[path = "../../../examples/replay_to_csv.rs"]
mod replay_to_csv;
#[allow(dead_code)]
#[path = "../../../examples/watch_game_server.rs"]
mod watch_game_server;

/// `room_event { room_id: 0 [Event_JoinRoom.ext] { user_info { name: "dana" } } }`
const JOINED: &[u8] = b"\x08\x03\x2a\x0d\x08\x00\xca\x3e\x08\x0a\x06\x0a\x04dana";

fn said(command: &[u8]) -> Option<String> {
    let container = CommandContainer::parse(command).unwrap();
    let command = container.room_command().next()?.unwrap();
    let say = command.get::<RoomSay<'_>>().unwrap()?;
    Some(say.message().unwrap().to_owned())
}

/// The bot logs in, joins the room, greets, and repeats a greeting that was refused as a flood.
#[tokio::test]
async fn the_bot_greets_newcomers() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("tcp://{}", listener.local_addr().unwrap());
    let bot = tokio::spawn(async move { greeting_bot::greet(&url, "greeter", 0).await });
    let mut server = accept(listener.accept().await.unwrap().0).await;
    let mut greetings = Vec::new();
    for code in ["ok", "ok and joined", "flood", "ok"] {
        let command = frame(&mut server).await.unwrap();
        greetings.extend(said(&command));
        let response = match code {
            "flood" => ResponseCode::RespChatFlood,
            _ => ResponseCode::RespOk,
        };
        let id = cmd_id(&command);
        server
            .write_all(&framed(&answer(id, response)))
            .await
            .unwrap();
        if code == "ok and joined" {
            server.write_all(&framed(JOINED)).await.unwrap();
        }
    }
    drop(server);
    bot.await.unwrap().unwrap();
    assert_eq!(greetings, ["Welcome, dana!", "Welcome, dana!"]);
}

/// A client behind the proxy has its session, and the log has both directions and no password.
#[tokio::test]
async fn the_proxy_logs_both_directions() {
    let behind = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("tcp://{}", behind.local_addr().unwrap());
    let front = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("tcp://{}", front.local_addr().unwrap());
    let log = Arc::new(Mutex::new(Vec::new()));
    let lines = log.clone();
    let proxy = tokio::spawn(logging_proxy::serve(
        front,
        address.parse().unwrap(),
        move |line| {
            lines.lock().unwrap().push(line);
        },
    ));
    tokio::spawn(async move { answer_all(accept(behind.accept().await.unwrap().0).await).await });
    let (client, _events) = Client::connect(&url.parse().unwrap()).await.unwrap();
    let login = Login {
        user_name: Some("ann".into()),
        password: Some("s3cret".into()),
        ..Login::default()
    };
    client.send(Command::session(login)).await.unwrap();
    client.close().await;
    let log = log.lock().unwrap().join("\n");
    assert!(log.contains("-> ") && log.contains("ann"), "{log}");
    assert!(log.contains("<- ") && log.contains("RespOk"), "{log}");
    assert!(!log.contains("s3cret"), "{log}");
    proxy.abort();
}

/// A container of game 3 with one event of this player.
fn in_game<'a>(player: i32, payload: &'a GameEventPayload<'a>) -> Vec<u8> {
    let event = GameEvent {
        player_id: Some(player),
        payload: Extended::from(payload),
        ..GameEvent::default()
    }
    .to_vec();
    let container = [&[0x08, 0x03, 0x12, event.len() as u8], &*event].concat();
    [&[0x08, 0x02, 0x22, container.len() as u8], &*container].concat()
}

/// The state of game 3: player 1 holds land 8, and it is the turn of `active`.
fn state(active: i32) -> Vec<u8> {
    let cards = [Card {
        id: Some(8),
        name: Some("Forest".into()),
        ..Card::default()
    }];
    let zones = [Zone {
        name: Some("hand".into()),
        card_list: (&cards).into(),
        ..Zone::default()
    }];
    let properties = PlayerProperties {
        player_id: Some(1),
        ..PlayerProperties::default()
    };
    let players = [Player {
        properties: (&properties).into(),
        zone_list: (&zones).into(),
        ..Player::default()
    }];
    let state = GameStateChanged {
        player_list: (&players).into(),
        game_started: Some(true),
        active_player_id: Some(active),
        ..GameStateChanged::default()
    };
    in_game(-1, &state.into())
}

/// The player creates a game, plays a land in its turn and passes; its connection is cut in its second
/// turn, it comes back to its seat, and plays that turn.
#[tokio::test]
async fn the_player_resumes_its_game_after_the_connection_is_cut() {
    /// `session_event { [Event_GameJoined.ext] { game_info { game_id: 3 } player_id: 1 resuming: … } }`
    fn joined(resuming: u8) -> Vec<u8> {
        let payload = [0x0a, 0x02, 0x18, 0x06, 0x20, 0x02, 0x30, resuming];
        [&[0x08, 0x01, 0x1a, 0x0b, 0x8a, 0x3f, 0x08][..], &payload].concat()
    }
    /// Answers commands of these kinds.
    async fn serve(server: &mut impl Io, kinds: &[&str]) {
        for kind in kinds {
            expect(server, kind, ResponseCode::RespOk).await;
        }
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("tcp://{}", listener.local_addr().unwrap());
    let policy = Reconnect {
        first_delay: Duration::from_millis(1),
        ..Reconnect::default()
    };
    let player = tokio::spawn(async move {
        let guest = Credentials::guest("ann");
        play_a_land::play(&url, &guest, 0, policy).await
    });
    let mut server = accept(listener.accept().await.unwrap().0).await;
    serve(&mut server, &["LOGIN", "JOIN_ROOM", "CREATE_GAME"]).await;
    server.write_all(&framed(&joined(0))).await.unwrap();
    serve(&mut server, &["DECK_SELECT", "READY_START"]).await;
    server.write_all(&framed(&state(1))).await.unwrap();
    serve(&mut server, &["DRAW_CARDS", "MOVE_CARD", "NEXT_TURN"]).await;
    let turn = |player| {
        let turn = SetActivePlayer {
            active_player_id: Some(player),
            ..SetActivePlayer::default()
        };
        in_game(-1, &turn.into())
    };
    server.write_all(&framed(&turn(1))).await.unwrap();
    // The draw is in flight.
    frame(&mut server).await.unwrap();
    drop(server);
    let mut server = accept(listener.accept().await.unwrap().0).await;
    serve(&mut server, &["LOGIN"]).await;
    server.write_all(&framed(&joined(1))).await.unwrap();
    server.write_all(&framed(&state(1))).await.unwrap();
    serve(&mut server, &["JOIN_ROOM", "PING"]).await;
    // The turn as the state shows it, from its start.
    serve(&mut server, &["DRAW_CARDS", "MOVE_CARD", "NEXT_TURN"]).await;
    let closed = in_game(-1, &GameClosed::default().into());
    server.write_all(&framed(&closed)).await.unwrap();
    player.await.unwrap().unwrap();
}

/// The watcher sends keep-alive pings, on either transport, and reports how the session ended.
#[tokio::test]
async fn the_watcher_sends_pings_and_reports_the_end() {
    for websocket in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let scheme = if websocket { "ws" } else { "tcp" };
        let url = format!("{scheme}://{}", listener.local_addr().unwrap());
        let serve = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            if websocket {
                let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
                socket.send(Frame::binary(IDENTIFICATION)).await.unwrap();
                let ping = socket.next().await.unwrap().unwrap().into_data();
                socket.close(None).await.unwrap();
                ping.to_vec()
            } else {
                let mut server = accept(stream).await;
                frame(&mut server).await.unwrap()
            }
        });
        let mut lines = Vec::new();
        let ended = watch_game_server::watch(&url, |line| lines.push(line.to_owned())).await;
        let ended = ended.unwrap_err().to_string();
        assert!(ended.contains("closed the connection"), "{ended}");
        assert!(lines[0].contains("Event_ServerIdentification"), "{lines:?}");
        let ping = serve.await.unwrap();
        let container = CommandContainer::parse(&ping).unwrap();
        assert_eq!(container.kinds().next().unwrap().name(), "PING");
    }
}

#[test]
fn a_replay_is_converted_to_csv() {
    // Seconds 5; Join of player 3 `user_info { name: "a\"b" }`; GameSay "hi".
    let join = b"\xc2\x3e\x0b\x0a\x09\x08\x06\x12\x05\x0a\x03a\"b";
    let join = [&[0x12, join.len() as u8], &join[..]].concat();
    let say = b"\x08\x06\x8a\x3f\x04\x0a\x02hi";
    let say = [&[0x12, say.len() as u8], &say[..]].concat();
    let events = [&join[..], &say, b"\x20\x05"].concat();
    let replay = [&[0x1a, events.len() as u8], &events[..]].concat();
    let mut rows = Vec::new();
    replay_to_csv::convert(&replay, &mut rows).unwrap();
    assert_eq!(
        String::from_utf8(rows).unwrap(),
        "second,player,event,text\n5,\"\",JOIN,\"\"\n5,\"a\"\"b\",GAME_SAY,\"hi\"\n"
    );
}

/// A login with salt and hash, as recorded; a name without an account has no salt and is refused.
#[tokio::test]
async fn a_login_sends_the_hash_of_the_password() {
    // A password and its hash from a recorded session.
    let recorded = "labsalt00000000164AtBe/fqDjuCXOChhVlIpVnSPxVysaOxLJ8WIVrqnKp+HIoAB0vyCJHqEIhkAH6vqaA+Uz7fEV7hATGtKif7g==";
    assert_eq!(*hashed_password("labsalt000000001", "labpass1"), recorded);
    let (client, mut events, mut server) = session(&Settings::default()).await;
    events.next().await.unwrap();
    let credentials = Credentials::account("lab_alice", "labpass1".to_owned());
    assert!(!format!("{credentials:?}").contains("labpass1"));
    let serve = tokio::spawn(async move {
        let id = cmd_id(&frame(&mut server).await.unwrap());
        let salt = answer_with(id, b"\xca\x3f\x12\x0a\x10labsalt000000001");
        server.write_all(&framed(&salt)).await.unwrap();
        let login = frame(&mut server).await.unwrap();
        let container = CommandContainer::parse(&login).unwrap();
        let command = container.session_command().next().unwrap().unwrap();
        let sent = command.get::<Login<'_>>().unwrap().unwrap();
        assert_eq!(sent.hashed_password().unwrap(), recorded);
        assert_eq!(
            (sent.user_name().unwrap(), sent.password),
            ("lab_alice", None)
        );
        assert_eq!(sent.clientid().unwrap().len(), 15);
        // Features that the current and the previous version of the server may require.
        for feature in ["2.7.0_min_version", "2.8.0_min_version"] {
            assert!(sent.clientfeatures().any(|sent| sent.unwrap() == feature));
        }
        server
            .write_all(&framed(&answer(cmd_id(&login), ResponseCode::RespOk)))
            .await
            .unwrap();
        // The second time there is no salt; the third time the server refuses the guest.
        let id = cmd_id(&frame(&mut server).await.unwrap());
        server
            .write_all(&framed(&answer(id, ResponseCode::RespOk)))
            .await
            .unwrap();
        let id = cmd_id(&frame(&mut server).await.unwrap());
        let refused = answer(id, ResponseCode::RespRegistrationRequired);
        server.write_all(&framed(&refused)).await.unwrap();
    });
    client.login(&credentials).await.unwrap();
    let unknown = client.login(&credentials).await;
    assert!(matches!(unknown, Err(LoginError::NoAccount)), "{unknown:?}");
    let refused = client.login(&Credentials::guest("bob")).await;
    assert!(
        matches!(
            &refused,
            Err(LoginError::Refused(Refused {
                code: Some(ResponseCode::RespRegistrationRequired),
                ..
            }))
        ),
        "{refused:?}"
    );
    serve.await.unwrap();
}
