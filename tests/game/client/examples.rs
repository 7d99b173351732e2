//! The examples, against the server of the tests; they are the layers of a user too.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use portreeve::game::client::{Client, Credentials, LoginError, hashed_password};
use portreeve::game::command::{Login, RoomSay};
use portreeve::game::{Command, CommandContainer, ResponseCode};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::script::frame;
use super::server::{accept, answer, answer_all, cmd_id, framed, session};

#[allow(dead_code)]
#[path = "../../../examples/greeting_bot.rs"]
mod greeting_bot;
#[allow(dead_code)]
#[path = "../../../examples/logging_proxy.rs"]
mod logging_proxy;
#[allow(dead_code)]
#[path = "../../../examples/replay_to_csv.rs"]
mod replay_to_csv;

/// `room_event { room_id: 0 [Event_JoinRoom.ext] { user_info { name: "dana" } } }`
const JOINED: &[u8] = b"\x08\x03\x2a\x0d\x08\x00\xca\x3e\x08\x0a\x06\x0a\x04dana";

fn said(command: &[u8]) -> Option<String> {
    let container = CommandContainer::parse(command).unwrap();
    let command = container.room_command().next()?.unwrap();
    let say = command.get::<RoomSay<'_>>().unwrap()?;
    Some(say.message().unwrap().to_owned())
}

/// The bot logs in, enters, greets, and greets again what was refused as too much.
#[tokio::test]
async fn the_bot_greets() {
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

#[test]
fn the_replay_becomes_rows() {
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

/// A login with salt and hash, as recorded; without an account there is none.
#[tokio::test]
async fn a_login_is_hashed() {
    // A password and its hash from a recorded session.
    let recorded = "labsalt00000000164AtBe/fqDjuCXOChhVlIpVnSPxVysaOxLJ8WIVrqnKp+HIoAB0vyCJHqEIhkAH6vqaA+Uz7fEV7hATGtKif7g==";
    assert_eq!(*hashed_password("labsalt000000001", "labpass1"), recorded);
    let (client, mut events, mut server) = session(&Client::builder()).await;
    events.next().await.unwrap();
    let credentials = Credentials::account("lab_alice", "labpass1".to_owned().into());
    assert!(!format!("{credentials:?}").contains("labpass1"));
    let serve = tokio::spawn(async move {
        let id = cmd_id(&frame(&mut server).await.unwrap());
        let salt = b"\x0a\x10labsalt000000001";
        let head = [0x08, id as u8, 0x10, 0x01, 0xca, 0x3f, salt.len() as u8];
        let response = [&head[..], salt].concat();
        let message = [&[0x08, 0x00, 0x12, response.len() as u8], &response[..]].concat();
        server.write_all(&framed(&message)).await.unwrap();
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
            Err(LoginError::Refused {
                code: Some(ResponseCode::RespRegistrationRequired),
                ..
            })
        ),
        "{refused:?}"
    );
    serve.await.unwrap();
}
