//! What a hostile server sends, over TCP and WebSocket: in one piece or in many it is the same
//! messages, none longer than the limit; and the session of a client ends, its calls too.

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use portreeve::game::Command;
use portreeve::game::client::{Role, Settings};
use portreeve::game::connection::{Address, ConnectError, Connection, Connector};
use portreeve::game::frame::greeting;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, duplex, sink, split};
use tokio::runtime::Builder;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// How long a message may be.
const LIMIT: usize = 1 << 12;

/// `ServerMessage { session_event { [Event_ServerIdentification.ext] { … } } }`, version 14.
const IDENTIFICATION: &[u8] = b"\x08\x01\x1a\x0d\xa2\x1f\x0a\x0a\x04test\x18\x0e\x20\x01";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Tcp,
    WebSocket,
    /// The answer to the WebSocket request too is what the server likes.
    Http,
}

pub(crate) fn run(data: &[u8]) {
    let [mode, step, bytes @ ..] = data else {
        return;
    };
    let way = match mode & 3 {
        0 => Way::Tcp,
        1 => Way::Http,
        _ => Way::WebSocket,
    };
    let step = usize::from(*step) + 1;
    let whole = received(way, bytes, usize::MAX);
    let pieces = received(way, bytes, step);
    if way == Way::Http {
        // The answer to a key that the server does not look at.
        assert!(whole.is_none() && pieces.is_none());
        return;
    }
    assert_eq!(whole, pieces);
    let identification = match way {
        Way::Tcp => [&[0, 0, 0, IDENTIFICATION.len() as u8], IDENTIFICATION].concat(),
        _ => [&[0x82, IDENTIFICATION.len() as u8], IDENTIFICATION].concat(),
    };
    session(way, &[&identification, bytes].concat(), step);
}

/// The messages of a connection, and how it ended; `None` if there was no connection.
fn received(way: Way, bytes: &[u8], step: usize) -> Option<(Vec<Bytes>, Option<String>)> {
    played(way, bytes, step, async |connected| {
        let mut connection = match connected {
            Ok(connection) => connection,
            Err(error) => {
                let expected =
                    matches!(error, ConnectError::Handshake { .. } | ConnectError::Timeout { .. });
                assert!(expected, "{error}");
                return None;
            }
        };
        let mut messages = Vec::new();
        let mut end = None;
        while let Some(message) = connection.next().await {
            match message {
                Ok(message) => {
                    assert!(end.is_none() && message.len() <= LIMIT);
                    messages.push(message);
                }
                Err(error) => {
                    assert!(end.is_none());
                    end = Some(error.to_string());
                }
            }
        }
        Some((messages, end))
    })
}

/// A session in which a command is sent.
fn session(way: Way, bytes: &[u8], step: usize) {
    played(way, bytes, step, async |connected| {
        let connection = connected.unwrap();
        let mut settings = Settings::default();
        settings.answers_among_events = true;
        // The identification may be merged with what follows it in no message: it is the first.
        let (client, mut events) = settings.start(connection).await.unwrap();
        let call = tokio::spawn({
            let client = client.clone();
            async move { client.send(Command::ping()).await }
        });
        let mut answers = 0;
        let mut position = 0;
        while let Some(event) = events.next().await {
            assert!(event.position >= position);
            position = event.position + 1;
            answers += usize::from(event.role == Role::Answer);
            let response = event.message().and_then(|message| message.response());
            assert_eq!(event.role == Role::Unreadable, response.is_err());
        }
        assert!(events.ended().now_or_never().is_some());
        let answered = call.await.unwrap().is_ok();
        assert!(usize::from(answered) <= answers && answers <= 1);
        client.ended().await;
    });
}

/// What `client` makes of a connection to a server that sends these bytes in pieces of `step`.
fn played<T>(
    way: Way,
    bytes: &[u8],
    step: usize,
    client: impl AsyncFnOnce(Result<Connection, ConnectError>) -> T,
) -> T {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let (here, there) = duplex(1 << 16);
        let server = tokio::spawn(serve(way, there, bytes.to_vec(), step));
        let address: Address = match way {
            Way::Tcp => "tcp://test.example".parse().unwrap(),
            _ => "ws://test.example".parse().unwrap(),
        };
        let mut connector = Connector::default();
        connector.message_limit = LIMIT;
        let result = client(connector.over(here, &address).await).await;
        // The client has let go of the connection.
        server.await.unwrap();
        result
    })
}

async fn serve(way: Way, io: DuplexStream, bytes: Vec<u8>, step: usize) {
    let (mut read, mut write) = split(io);
    let head = match way {
        Way::Tcp => greeting(14),
        Way::Http => request(&mut read).await.map_or(Vec::new(), |_| Vec::new()),
        Way::WebSocket => {
            let key = request(&mut read).await.unwrap();
            let accept = derive_accept_key(key.as_bytes());
            format!(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\
                 Connection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
            )
            .into_bytes()
        }
    };
    // tungstenite refuses an answer to the handshake in more than 64 small pieces.
    let head_step = step.max(head.len().div_ceil(64));
    for piece in head.chunks(head_step.max(1)).chain(bytes.chunks(step)) {
        if write.write_all(piece).await.is_err() {
            break;
        }
        tokio::task::yield_now().await;
    }
    let _ = write.shutdown().await;
    // Until the client goes.
    let _ = tokio::io::copy(&mut read, &mut sink()).await;
}

/// The key of a WebSocket request.
async fn request(read: &mut ReadHalf<DuplexStream>) -> Option<String> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(read.read_u8().await.ok()?);
    }
    let request = String::from_utf8(request).unwrap();
    let (_, key) = request
        .lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(name, _)| name.eq_ignore_ascii_case("sec-websocket-key"))?;
    Some(key.to_owned())
}
