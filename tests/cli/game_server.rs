//! A game server for the tests: it speaks both transports, and sends what a test tells it to.

use std::sync::Arc;

use futures_util::{SinkExt as _, StreamExt as _};
use portreeve::game::event::{
    CloseReason, ConnectionClosed, Notification, NotifyUser, RoomEvent, RoomSay,
    ServerIdentification, ServerOptions, SessionEvent, SessionEventPayload,
};
use portreeve::game::frame::greeting_of;
use portreeve::game::pairing::MAX_CMD_ID;
use portreeve::game::payload::Login;
use portreeve::game::{
    CommandContainer, Extended, Message as _, MessageType, Payload, Response, ResponseCode,
};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message as Frame;

/// The `cmd_id` of a client's keep-alives.
const KEEP_ALIVE_ID: u64 = MAX_CMD_ID;

/// Where clients connect to.
pub(crate) struct GameServer {
    listener: TcpListener,
    transport: Transport,
}

/// How clients connect.
#[derive(Clone)]
pub(crate) enum Transport {
    Tcp,
    WebSocket,
    Tls(Arc<ServerConfig>),
}

/// The server's side of a session.
pub(crate) enum Peer {
    Tcp(TcpStream),
    WebSocket(Box<WebSocketStream<Box<dyn Io>>>),
}

pub(crate) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

// === impl GameServer ===

impl GameServer {
    pub(crate) async fn bind(transport: Transport) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self {
            listener,
            transport,
        }
    }

    pub(crate) fn url(&self) -> String {
        let port = self.listener.local_addr().unwrap().port();
        match self.transport {
            Transport::Tcp => format!("tcp://127.0.0.1:{port}"),
            Transport::WebSocket => format!("ws://127.0.0.1:{port}"),
            Transport::Tls(_) => format!("wss://localhost:{port}"),
        }
    }

    /// Accepts the next client and identifies itself; `None` if the client disconnects before that.
    pub(crate) async fn accept(&self) -> Option<Peer> {
        let (mut stream, _) = self.listener.accept().await.unwrap();
        let io: Box<dyn Io> = match &self.transport {
            Transport::Tcp => {
                stream.write_all(&greeting_of(14)).await.ok()?;
                // The empty frame that opens a session.
                assert_eq!(stream.read_u32().await.ok()?, 0);
                let mut peer = Peer::Tcp(stream);
                peer.send(&identification()).await;
                return Some(peer);
            }
            Transport::WebSocket => Box::new(stream),
            Transport::Tls(config) => {
                let acceptor = TlsAcceptor::from(config.clone());
                Box::new(acceptor.accept(stream).await.ok()?)
            }
        };
        let stream = tokio_tungstenite::accept_async(io).await.ok()?;
        let mut peer = Peer::WebSocket(Box::new(stream));
        peer.send(&identification()).await;
        Some(peer)
    }
}

// === impl Peer ===

impl Peer {
    /// Sends a message, or nothing if the client has disconnected.
    pub(crate) async fn send(&mut self, message: &[u8]) {
        match self {
            Self::Tcp(stream) => {
                let _ = stream.write_all(&framed(message)).await;
            }
            Self::WebSocket(stream) => {
                let _ = stream.send(Frame::binary(message.to_vec())).await;
            }
        }
    }

    /// The next command, with its `cmd_id`; `None` if the client has disconnected. Keep-alives are
    /// answered here.
    pub(crate) async fn command(&mut self) -> Option<(u64, Vec<u8>)> {
        loop {
            let bytes = self.message().await?;
            let cmd_id = CommandContainer::parse(&bytes).unwrap().cmd_id();
            if cmd_id != KEEP_ALIVE_ID {
                return Some((cmd_id, bytes));
            }
            self.send(&ok(cmd_id)).await;
        }
    }

    async fn message(&mut self) -> Option<Vec<u8>> {
        match self {
            Self::Tcp(stream) => {
                let length = stream.read_u32().await.ok()?;
                let mut message = vec![0; length as usize];
                stream.read_exact(&mut message).await.ok()?;
                Some(message)
            }
            Self::WebSocket(stream) => match stream.next().await? {
                Ok(Frame::Binary(message)) => Some(message.to_vec()),
                Ok(Frame::Close(_)) | Err(_) => None,
                Ok(other) => panic!("{other:?} from a client"),
            },
        }
    }
}

// === messages ===

pub(crate) fn identification() -> Vec<u8> {
    session_event(
        &ServerIdentification {
            server_name: Some("test".into()),
            server_version: Some("3.1.0 ()".into()),
            protocol_version: Some(14),
            server_options: Some(ServerOptions::SupportsPasswordHash),
            ..ServerIdentification::default()
        }
        .into(),
    )
}

/// The event that a server sends before it closes a connection.
pub(crate) fn closed(reason: CloseReason, text: &str) -> Vec<u8> {
    session_event(
        &ConnectionClosed {
            reason: Some(reason),
            reason_str: Some(text.into()),
            ..ConnectionClosed::default()
        }
        .into(),
    )
}

/// The warning that the server will close the connection if the user stays idle.
pub(crate) fn idle_warning() -> Vec<u8> {
    session_event(
        &NotifyUser {
            r#type: Some(Notification::IdleWarning),
            ..NotifyUser::default()
        }
        .into(),
    )
}

/// The response to a login that is refused for its name, with the rules for names.
pub(crate) fn name_refused(cmd_id: u64, rules: &str) -> Vec<u8> {
    let login = Payload::from(Login {
        denied_reason_str: Some(rules.into()),
        ..Login::default()
    });
    let response = Response::new(cmd_id, ResponseCode::RespUsernameInvalid).with_payload(&login);
    enveloped(MessageType::Response, 2, &response.to_vec())
}

pub(crate) fn room_say(text: &str) -> Vec<u8> {
    let say = RoomSay {
        name: Some("ann".into()),
        message: Some(text.into()),
        ..RoomSay::default()
    };
    let say = say.into();
    let event = RoomEvent {
        room_id: Some(1),
        payload: Extended::from(&say),
        ..RoomEvent::default()
    };
    enveloped(MessageType::RoomEvent, 5, &event.to_vec())
}

pub(crate) fn ok(cmd_id: u64) -> Vec<u8> {
    response(cmd_id, ResponseCode::RespOk)
}

pub(crate) fn response(cmd_id: u64, code: ResponseCode) -> Vec<u8> {
    enveloped(
        MessageType::Response,
        2,
        &Response::new(cmd_id, code).to_vec(),
    )
}

pub(crate) fn ok_with<'a>(cmd_id: u64, payload: &'a Payload<'a>) -> Vec<u8> {
    let response = Response::new(cmd_id, ResponseCode::RespOk).with_payload(payload);
    enveloped(MessageType::Response, 2, &response.to_vec())
}

fn session_event<'a>(payload: &'a SessionEventPayload<'a>) -> Vec<u8> {
    let event = SessionEvent {
        payload: Extended::from(payload),
        ..SessionEvent::default()
    };
    enveloped(MessageType::SessionEvent, 3, &event.to_vec())
}

/// A `ServerMessage` with this field.
fn enveloped(kind: MessageType, field: u8, bytes: &[u8]) -> Vec<u8> {
    let mut message = vec![0x08, kind as u8, field << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        message.push(length as u8 | 0x80);
        length >>= 7;
    }
    message.push(length as u8);
    message.extend_from_slice(bytes);
    message
}

/// A message framed for TCP.
pub(crate) fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_be_bytes(), message].concat()
}
