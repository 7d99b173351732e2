//! The examples, run against the stand-in server, and the login that they use.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use portreeve::game::client::{
    Client, Credentials, LoginError, Reconnect, RefusedError, Settings, hashed_password,
};
use portreeve::game::command::Login;
use portreeve::game::{Command, CommandContainer, ResponseCode};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message as Frame;

use super::script::frame;
use super::server::{
    IDENTIFICATION, IDENTIFIED, accept, answer, answer_with, answered, cmd_id, framed, in_session,
    script, session,
};

#[allow(dead_code)]
#[path = "../../../examples/greeting_bot.rs"]
pub(super) mod greeting_bot;
#[allow(dead_code)]
#[path = "../../../examples/logging_proxy.rs"]
mod logging_proxy;
#[allow(dead_code)]
#[path = "../../../examples/play_a_land.rs"]
mod play_a_land;
#[allow(dead_code)]
#[path = "../../../examples/watch_game_server.rs"]
mod watch_game_server;

/// The bot logs in, joins the room, greets, and repeats a greeting that was refused as a flood.
#[tokio::test]
async fn the_bot_greets_newcomers() {
    let joined = r#"{"room_id":0,"[Event_JoinRoom.ext]":{"user_info":{"name":"dana"}}}"#;
    let greeting =
        r#""room_id":0,"room_command":[{"[Command_RoomSay.ext]":{"message":"Welcome, dana!"}}]"#;
    let server = script(&[
        IDENTIFIED.to_owned(),
        answered(1, &in_session("Login"), "RespOk"),
        answered(2, &in_session("JoinRoom"), "RespOk"),
        format!(r#"< {{"message_type":"ROOM_EVENT","room_event":{joined}}}"#),
        answered(3, greeting, "RespChatFlood"),
        answered(4, greeting, "RespOk"),
        "-".to_owned(),
    ])
    .await;
    let url = server.tcp.to_string();
    greeting_bot::greet(&url, "greeter", 0).await.unwrap();
    server.finish().await.unwrap();
}

/// A client behind the proxy has its session, and the log has both directions and no password.
#[tokio::test]
async fn the_proxy_logs_both_directions() {
    let server =
        script(&[IDENTIFIED.to_owned(), answered(1, &in_session("Login"), "RespOk")]).await;
    let front = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("tcp://{}", front.local_addr().unwrap());
    let log = Arc::new(Mutex::new(Vec::new()));
    let lines = log.clone();
    let proxy = tokio::spawn(logging_proxy::serve(front, server.tcp.clone(), move |line| {
        lines.lock().unwrap().push(line);
    }));
    let (client, _events) = Client::connect(&url.parse().unwrap()).await.unwrap();
    let login = Login {
        user_name: Some("ann".into()),
        password: Some("s3cret".into()),
        ..Login::default()
    };
    client.send(Command::session(login)).await.unwrap();
    client.close().await;
    server.finish().await.unwrap();
    let log = log.lock().unwrap().join("\n");
    assert!(log.contains("-> ") && log.contains("ann"), "{log}");
    assert!(log.contains("<- ") && log.contains("RespOk"), "{log}");
    assert!(!log.contains("s3cret"), "{log}");
    proxy.abort();
}

/// The player creates a game, plays a land in its turn and passes; its connection is cut in its second
/// turn, it comes back to its seat, and plays that turn.
#[tokio::test]
async fn the_player_resumes_its_game_after_the_connection_is_cut() {
    let joined = |resuming: bool| {
        let joined =
            format!(r#"{{"game_info":{{"game_id":3}},"player_id":1,"resuming":{resuming}}}"#);
        let event = format!(r#"{{"[Event_GameJoined.ext]":{joined}}}"#);
        format!(r#"< {{"message_type":"SESSION_EVENT","session_event":{event}}}"#)
    };
    let happens = |name: &str, event: &str| {
        let events = format!(r#"[{{"player_id":-1,"[Event_{name}.ext]":{event}}}]"#);
        let events = format!(r#"{{"game_id":3,"event_list":{events}}}"#);
        format!(r#"< {{"message_type":"GAME_EVENT_CONTAINER","game_event_container":{events}}}"#)
    };
    let in_game =
        |name: &str| format!(r#""game_id":3,"game_command":[{{"[Command_{name}.ext]":"***"}}]"#);
    // The player holds land 8, and it is its turn.
    let hand = r#"[{"name":"hand","card_count":1,"card_list":[{"id":8,"name":"Forest"}]}]"#;
    let players = format!(r#"[{{"properties":{{"player_id":1}},"zone_list":{hand}}}]"#);
    let state = happens(
        "GameStateChanged",
        &format!(r#"{{"player_list":{players},"game_started":true,"active_player_id":1}}"#),
    );
    let turn = |cmd_id: u64| {
        let steps = (cmd_id..).zip(["DrawCards", "MoveCard", "NextTurn"]);
        let steps = steps.map(|(cmd_id, name)| answered(cmd_id, &in_game(name), "RespOk"));
        steps.collect::<Vec<_>>().join("\n")
    };
    let create = r#""room_id":0,"room_command":[{"[Command_CreateGame.ext]":"***"}]"#;
    let server = script(&[
        IDENTIFIED.to_owned(),
        answered(1, &in_session("Login"), "RespOk"),
        answered(2, &in_session("JoinRoom"), "RespOk"),
        answered(3, create, "RespOk"),
        joined(false),
        answered(4, &in_game("DeckSelect"), "RespOk"),
        answered(5, &in_game("ReadyStart"), "RespOk"),
        state.clone(),
        turn(6),
        happens("SetActivePlayer", r#"{"active_player_id":1}"#),
        // The draw is in flight.
        format!("> {{{}}}\n-", in_game("DrawCards")),
        IDENTIFIED.to_owned(),
        answered(10, &in_session("Login"), "RespOk"),
        joined(true),
        state,
        answered(11, &in_session("JoinRoom"), "RespOk"),
        // The turn as the state shows it, from its start.
        turn(12),
        happens("GameClosed", "{}"),
    ])
    .await;
    let mut policy = Reconnect::default();
    policy.first_delay = Duration::from_millis(1);
    let (url, guest) = (server.tcp.to_string(), Credentials::guest("ann"));
    let played = play_a_land::play(&url, &guest, 0, policy).await;
    played.unwrap();
    server.finish().await.unwrap();
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
        assert_eq!((sent.user_name().unwrap(), sent.password), ("lab_alice", None));
        assert_eq!(sent.clientid().unwrap().len(), 15);
        // Features that the current and the previous version of the server may require.
        for feature in ["2.7.0_min_version", "2.8.0_min_version"] {
            assert!(sent.clientfeatures().any(|sent| sent.unwrap() == feature));
        }
        server.write_all(&framed(&answer(cmd_id(&login), ResponseCode::RespOk))).await.unwrap();
        // The second time there is no salt; the third time the server refuses the guest.
        let id = cmd_id(&frame(&mut server).await.unwrap());
        server.write_all(&framed(&answer(id, ResponseCode::RespOk))).await.unwrap();
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
            Err(LoginError::Refused(RefusedError {
                code: Some(ResponseCode::RespRegistrationRequired),
                ..
            }))
        ),
        "{refused:?}"
    );
    serve.await.unwrap();
}
