use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::{Uri, header};
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{accept_async_with_config, client_async_with_config};

use super::{
    Activity, Address, ConnectError, Connection, ConnectionError, HandshakeCause, Io, READ_BUFFER,
    Scheme, WEBSOCKET_SEND_LIMIT, WriteError,
};

/// The code of a close frame that has none (RFC 6455, section 7.4.1).
const NO_CODE: u16 = 1005;

/// Performs the WebSocket handshake (RFC 6455, section 4.1). Bytes right after the response are not lost.
pub(super) async fn handshake(
    io: impl Io + 'static,
    address: &Address,
    limit: usize,
) -> Result<Connection, Error> {
    let activity = Activity::default();
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(READ_BUFFER)
        .max_message_size(Some(limit))
        .max_frame_size(Some(limit));
    let (stream, response) =
        client_async_with_config(uri(address)?, activity.meter(io), Some(config)).await?;
    // None was offered, and the library does not check that.
    let extensions = header::SEC_WEBSOCKET_EXTENSIONS;
    if response.headers().contains_key(&extensions) {
        return Err(ProtocolError::InvalidHeader(extensions.into()).into());
    }
    Ok(Connection::websocket(stream, activity, limit))
}

pub(in crate::game) async fn accept(io: impl Io + 'static) -> Result<Connection, Error> {
    let (limit, activity) = (WEBSOCKET_SEND_LIMIT, Activity::default());
    let config =
        WebSocketConfig::default().max_message_size(Some(limit)).max_frame_size(Some(limit));
    let stream = accept_async_with_config(activity.meter(io), Some(config)).await?;
    Ok(Connection::websocket(stream, activity, limit))
}

/// The URI of the request; without the scheme's default port, as in its `Host` field (RFC 9110, section 7.2).
fn uri(address: &Address) -> Result<Uri, Error> {
    let (scheme, port) = match address.scheme() {
        Scheme::SecureWebSocket => ("wss", ":443"),
        Scheme::Tcp | Scheme::WebSocket => ("ws", ":80"),
    };
    let authority = address.authority();
    let authority = authority.strip_suffix(port).unwrap_or(&authority);
    Ok(format!("{scheme}://{authority}{}", address.path).parse::<Uri>()?)
}

pub(super) fn refused(error: &Error, address: Address) -> ConnectError {
    let (problem, cause) = match error {
        Error::Http(response) => {
            let retry_after = response.headers().get(header::RETRY_AFTER);
            let seconds = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
            let cause = HandshakeCause::Status {
                status: response.status().as_u16(),
                retry_after: seconds.map(Duration::from_secs),
            };
            (format!("it answered {}", response.status()), cause)
        }
        // A game server over TCP begins with its greeting.
        Error::Protocol(ProtocolError::HttparseError(_)) => {
            let authority = address.authority();
            let problem = format!(
                "it does not speak HTTP; a game server without WebSocket is at tcp://{authority}"
            );
            (problem, HandshakeCause::Protocol)
        }
        Error::Io(_)
        | Error::ConnectionClosed
        | Error::Protocol(ProtocolError::HandshakeIncomplete) => {
            (error.to_string(), HandshakeCause::Interrupted)
        }
        error => (error.to_string(), HandshakeCause::Protocol),
    };
    ConnectError::Handshake { address, problem, cause }
}

/// The binary message that a WebSocket message is, if any; an end without a close frame is none.
pub(super) fn received(
    message: Result<Message, Error>,
    limit: usize,
) -> Option<Result<Bytes, ConnectionError>> {
    let error = match message {
        Ok(Message::Binary(bytes)) => return Some(Ok(bytes)),
        Ok(Message::Close(frame)) => {
            let (code, text) = frame.map_or((NO_CODE, String::new()), |frame| {
                (frame.code.into(), frame.reason.as_str().to_owned())
            });
            ConnectionError::Closed { code, text }
        }
        Ok(Message::Text(_)) => ConnectionError::WebSocket(
            "received a text message; all messages must be binary".into(),
        ),
        // The library answers pings; pongs are unsolicited.
        Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => return None,
        // The server closed the connection without a close frame, as it does at shutdown. The stream ends after that.
        Err(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => return None,
        Err(Error::Io(error)) => error.into(),
        Err(Error::Capacity(_)) => ConnectionError::MessageLimit(limit),
        Err(error) => ConnectionError::WebSocket(error.to_string()),
    };
    Some(Err(error))
}

impl From<Error> for WriteError {
    fn from(error: Error) -> Self {
        Self(match error {
            Error::Io(error) => error.into(),
            Error::ConnectionClosed | Error::AlreadyClosed => {
                io::Error::from(io::ErrorKind::NotConnected).into()
            }
            error => ConnectionError::WebSocket(error.to_string()),
        })
    }
}
