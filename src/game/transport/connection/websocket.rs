use std::io;

use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::{Activity, Address, Connection, ConnectionError, Io, READ_BUFFER, Scheme};

/// The code of a close frame that has none (RFC 6455, section 7.4.1).
const NO_CODE: u16 = 1005;
/// The maximum size of the HTTP response, in bytes.
const ANSWER_LIMIT: usize = 16 << 10;

/// Performs the WebSocket handshake on `io` (RFC 6455, section 4.1). Bytes that immediately follow the
/// response are not lost. Errors are descriptions.
pub(super) async fn handshake(
    io: impl Io + 'static,
    address: Address,
    limit: usize,
) -> Result<Connection, String> {
    let upgraded = upgrade(io, address).await?;
    let activity = Activity::default();
    let io = activity.meter(TokioIo::new(upgraded));
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(READ_BUFFER)
        .max_message_size(Some(limit))
        .max_frame_size(Some(limit));
    let stream = WebSocketStream::from_raw_socket(io, Role::Client, Some(config)).await;
    Ok(Connection::websocket(stream, activity, limit))
}

/// The HTTP part.
async fn upgrade(io: impl Io + 'static, address: Address) -> Result<Upgraded, String> {
    let key = generate_key();
    let request = Request::get(&address.path)
        .header(header::HOST, host(&address))
        .header(header::CONNECTION, "Upgrade")
        .header(header::UPGRADE, "websocket")
        .header(header::SEC_WEBSOCKET_VERSION, "13")
        .header(header::SEC_WEBSOCKET_KEY, &key)
        .body(String::new())
        .map_err(|error| error.to_string())?;
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(ANSWER_LIMIT)
        .handshake(TokioIo::new(io))
        .await
        .map_err(|error| error.to_string())?;
    let upgrade = async move {
        let answer = sender.send_request(request).await;
        let answer = answer.map_err(|error| error.to_string())?;
        check(&answer, &key)?;
        let upgraded = hyper::upgrade::on(answer).await;
        upgraded.map_err(|error| error.to_string())
    };
    // The connection ends with the upgrade, which fails if the connection does.
    let (_, upgraded) = tokio::join!(connection.with_upgrades(), upgrade);
    upgraded
}

/// Checks that the server accepted the upgrade.
fn check(answer: &Response<Incoming>, key: &str) -> Result<(), String> {
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Err(format!("it answered {}", answer.status()));
    }
    let field = |name| {
        answer
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
    };
    if !field(header::UPGRADE).is_some_and(|value| value.eq_ignore_ascii_case("websocket")) {
        return Err("it did not upgrade to WebSocket".into());
    }
    let mut options = field(header::CONNECTION).unwrap_or_default().split(',');
    if !options.any(|option| option.trim().eq_ignore_ascii_case("upgrade")) {
        return Err("its `Connection` header lacks `Upgrade`".into());
    }
    if field(header::SEC_WEBSOCKET_ACCEPT) != Some(&derive_accept_key(key.as_bytes())) {
        return Err("its `Sec-WebSocket-Accept` header does not match the request".into());
    }
    // Neither was offered.
    if field(header::SEC_WEBSOCKET_EXTENSIONS).is_some()
        || field(header::SEC_WEBSOCKET_PROTOCOL).is_some()
    {
        return Err("it selected an extension or subprotocol that was not offered".into());
    }
    Ok(())
}

/// The binary message that a WebSocket message is, if any; an error of `None` is the end without a close frame.
pub(super) fn received(
    message: Result<Message, Error>,
    limit: usize,
) -> Result<Option<Bytes>, Option<ConnectionError>> {
    match message {
        Ok(Message::Binary(bytes)) => Ok(Some(bytes)),
        Ok(Message::Close(frame)) => Err(Some(frame.map_or_else(
            || ConnectionError::Closed {
                code: NO_CODE,
                text: String::new(),
            },
            |frame| ConnectionError::Closed {
                code: frame.code.into(),
                text: frame.reason.as_str().to_owned(),
            },
        ))),
        Ok(Message::Text(_)) => Err(Some(ConnectionError::WebSocket(
            "received a text message; all messages must be binary".into(),
        ))),
        // The library answers pings; pongs are unsolicited.
        Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => Ok(None),
        Err(Error::ConnectionClosed | Error::AlreadyClosed) => Err(None),
        // The server closed the connection without a close frame, as it does at shutdown.
        Err(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => Err(None),
        Err(Error::Io(error)) => Err(Some(error.into())),
        Err(Error::Capacity(_)) => Err(Some(ConnectionError::WebSocket(format!(
            "a message is longer than the limit of {limit} bytes"
        )))),
        Err(error) => Err(Some(ConnectionError::WebSocket(error.to_string()))),
    }
}

/// Why a message could not be written.
pub(super) fn cannot_write(error: Error) -> ConnectionError {
    match error {
        Error::Io(error) => error.into(),
        Error::ConnectionClosed | Error::AlreadyClosed => {
            io::Error::from(io::ErrorKind::NotConnected).into()
        }
        error => ConnectionError::WebSocket(error.to_string()),
    }
}

/// The `Host` field, without the port if it is the default of the scheme (RFC 9110, section 7.2).
fn host(address: &Address) -> String {
    let authority = address.authority();
    let own = match address.scheme() {
        Scheme::SecureWebSocket => ":443",
        Scheme::Tcp | Scheme::WebSocket => ":80",
    };
    authority
        .strip_suffix(own)
        .map_or(authority.clone(), str::to_owned)
}
