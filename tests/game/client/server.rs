//! A stand-in server: it answers commands, and tests can make it misbehave. What is only commands and their answers over
//! sockets is a script.

use portreeve::game::client::{Client, Events, Settings};
use portreeve::game::connection::{Address, Connector};
use portreeve::game::frame::greeting;
use portreeve::game::testing::{ScriptedServer, Server};
use portreeve::game::{
    Command, CommandContainer, DecodeError, Message, Payload, Response, ResponseCode,
};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, DuplexStream};

use super::script::frame;
use crate::bytes::field;

pub(super) trait Io: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> Io for T {}

/// `ServerMessage { session_event { [Event_ServerIdentification.ext] { … } } }`, version 14, with
/// hashed passwords.
pub(super) const IDENTIFICATION: &[u8] =
    b"\x08\x01\x1a\x0d\xa2\x1f\x0a\x0a\x04test\x18\x0e\x20\x01";

/// A ping without its `cmd_id`.
pub(super) const PING: &[u8] = b"\xa2\x06\x03\xc2\x3e\x00";

/// A command from the bytes of its container.
pub(super) fn command(container: &[u8]) -> Result<Command, DecodeError> {
    CommandContainer::parse(container).map(|container| Command::from_container(&container))
}

/// The default settings but for this change.
pub(super) fn with(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = Settings::default();
    change(&mut settings);
    settings
}

/// The address that the client believes it is connected to.
pub(super) fn address(websocket: bool) -> Address {
    let address = if websocket { "ws://test.example" } else { "tcp://test.example" };
    address.parse().unwrap()
}

/// A message as a frame of TCP.
pub(super) fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_be_bytes(), message].concat()
}

/// An answer, as a `ServerMessage`.
pub(super) fn answer(cmd_id: u64, code: ResponseCode) -> Vec<u8> {
    enveloped(&Response::new(cmd_id, code).to_vec())
}

/// An answer with the bytes of a payload, as a `ServerMessage`.
pub(super) fn answer_with(cmd_id: u64, payload: &[u8]) -> Vec<u8> {
    let response = Response::new(cmd_id, ResponseCode::RespOk).to_vec();
    enveloped(&[&*response, payload].concat())
}

/// An answer with a payload, as a `ServerMessage`.
pub(super) fn answer_of<'a>(cmd_id: u64, code: ResponseCode, payload: &'a Payload<'a>) -> Vec<u8> {
    enveloped(&Response::new(cmd_id, code).with_payload(payload).to_vec())
}

fn enveloped(response: &[u8]) -> Vec<u8> {
    [b"\x08\x00", &*field(2, response)].concat()
}

/// An event in this room: `ServerMessage { room_event { room_id: … } }`.
pub(super) fn room_event(room: u8) -> Vec<u8> {
    vec![0x08, 0x03, 0x2a, 0x02, 0x08, room * 2]
}

/// What a server sends first, as a line of a script.
pub(super) const IDENTIFIED: &str = r#"< {"message_type":"SESSION_EVENT","session_event":{"[Event_ServerIdentification.ext]":{"protocol_version":14}}}"#;

/// The command with this number, which has these members, and its answer.
pub(super) fn answered(cmd_id: u64, members: &str, code: &str) -> String {
    answered_with(cmd_id, members, code, "")
}

/// The same with members of the answer, each after a comma.
pub(super) fn answered_with(cmd_id: u64, members: &str, code: &str, payload: &str) -> String {
    let response = format!(r#"{{"cmd_id":{cmd_id},"response_code":"{code}"{payload}}}"#);
    format!(
        "> {{\"cmd_id\":{cmd_id},{members}}}\n< {{\"message_type\":\"RESPONSE\",\"response\":{response}}}"
    )
}

/// A command of this name about the session, with any fields.
pub(super) fn in_session(name: &str) -> String {
    format!(r#""session_command":[{{"[Command_{name}.ext]":"***"}}]"#)
}

pub(super) async fn script(lines: &[String]) -> ScriptedServer {
    let script = Server::script(&lines.join("\n")).unwrap();
    script.start().await.unwrap()
}

/// The `cmd_id` of a container.
pub(super) fn cmd_id(container: &[u8]) -> u64 {
    let mut reader = portreeve::game::wire::Reader::new(container);
    assert_eq!(reader.tag().unwrap().field_number(), 1);
    reader.varint().unwrap()
}

/// The server's side of a TCP session that has begun.
pub(super) async fn accept(mut io: impl Io) -> impl Io {
    io.write_all(&greeting(14)).await.unwrap();
    assert_eq!(frame(&mut io).await, Some(Vec::new()));
    io.write_all(&framed(IDENTIFICATION)).await.unwrap();
    io
}

/// A client in memory, and the server's side of its session.
pub(super) async fn session(settings: &Settings) -> (Client, Events, impl Io) {
    let (here, there) = tokio::io::duplex(64 << 10);
    let server = tokio::spawn(accept(there));
    let (client, events) = start(settings, here).await;
    (client, events, server.await.unwrap())
}

pub(super) async fn start(settings: &Settings, io: DuplexStream) -> (Client, Events) {
    let connection = Connector::default().over(io, &address(false)).await.unwrap();
    settings.start(connection).await.unwrap()
}

/// Answers every command with `RespOk` until the client disconnects.
pub(super) async fn answer_all(mut io: impl Io) {
    while let Some(command) = frame(&mut io).await {
        let answer = answer(cmd_id(&command), ResponseCode::RespOk);
        if io.write_all(&framed(&answer)).await.is_err() {
            return;
        }
    }
}

/// Reads a command, which must be of this kind, and answers it.
pub(super) async fn expect(server: &mut impl Io, kind: &str, code: ResponseCode) -> Vec<u8> {
    let bytes = read(server, kind).await;
    let answer = answer(cmd_id(&bytes), code);
    server.write_all(&framed(&answer)).await.unwrap();
    bytes
}

/// Reads a command, which must be of this kind.
pub(super) async fn read(server: &mut impl Io, kind: &str) -> Vec<u8> {
    let bytes = frame(server).await.unwrap();
    let kinds: Vec<_> =
        CommandContainer::parse(&bytes).unwrap().kinds().map(|kind| kind.name()).collect();
    assert_eq!(kinds, [kind]);
    bytes
}
