//! A connection to a server: messages in both directions, over TCP or WebSocket.
//!
//! A [`Connection`] is a `Stream` of the server's messages and a `Sink` for the client's. Each item is the
//! bytes of one message; [`client`](crate::game::client) interprets them.
//!
//! | | TCP | WebSocket |
//! |---|---|---|
//! | one message | a [frame](super::frame) | one binary message, in one WebSocket frame or several |
//! | at the start | the server's greeting, then an empty message from the client | the HTTP upgrade |
//! | maximum length of a message to the server | 2 GiB | [`WEBSOCKET_SEND_LIMIT`] |
//! | maximum length of a message from the server | [`Connector::message_limit`] | the same |
//! | TLS | none | `wss://`, by rustls |

mod address;
mod connector;
mod dial;
mod error;
mod meter;
mod observer;
mod websocket;

use std::future::ready;
use std::pin::Pin;
use std::task::{self, Context, Poll};

use bytes::Bytes;
use futures_util::{Sink, SinkExt, Stream, StreamExt, TryStreamExt};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_util::codec::Framed;

pub use address::{Address, AddressError, Scheme};
pub use connector::Connector;
pub use error::{CaError, ConnectError, ConnectionError, HandshakeCause};
pub(in crate::game) use meter::Activity;
pub use meter::Io;
pub(in crate::game) use observer::Traffic;
pub(in crate::game) use websocket::accept as accept_websocket;

use super::frame::{FrameCodec, Framing, ReadError};
use crate::opaque::opaque_debug;
pub use crate::tls::PemError;
use meter::Metered;
use observer::Observer;

/// The maximum length of a message to a server over WebSocket, in bytes; beyond it, the server closes the connection.
pub const WEBSOCKET_SEND_LIMIT: usize = 1_500_000;

/// The maximum length of a message to a server over TCP, in bytes: it reads the length as a signed number.
pub const TCP_SEND_LIMIT: usize = i32::MAX as usize;

const READ_BUFFER: usize = 8 << 10;

/// A connection to a server, made by a [`Connector`].
pub struct Connection {
    transport: Pin<Box<dyn Transport>>,
    send_limit: usize,
    activity: Activity,
    /// Whether an error or the end was returned.
    ended: bool,
    observer: Option<Observer>,
}

/// The messages of TCP or WebSocket, in both directions. It may be used again after an error, unlike what `sink_map_err`
/// makes: a connection that cannot be written to is still read and closed.
trait Transport:
    Stream<Item = Result<Bytes, ConnectionError>> + Sink<Bytes, Error = WriteError> + Send
{
}

impl<T> Transport for T where
    T: Stream<Item = Result<Bytes, ConnectionError>> + Sink<Bytes, Error = WriteError> + Send
{
}

/// Why a message was not written: a type of its own, so that the library for WebSocket is not in the public interface.
struct WriteError(ConnectionError);

impl Connection {
    /// The maximum length of a message to the server, in bytes.
    pub fn send_limit(&self) -> usize {
        self.send_limit
    }

    pub(in crate::game) fn activity(&self) -> Activity {
        self.activity.clone()
    }

    /// The messages over TCP, which a client begins with the hello and a server with the greeting.
    pub(in crate::game) fn tcp(io: impl Io + 'static, limit: usize) -> Self {
        let activity = Activity::default();
        let codec = FrameCodec::with_framing(Framing::with_limit(limit));
        let frames = Framed::with_capacity(activity.meter(io), codec, READ_BUFFER);
        let messages = frames.err_into().with(|message: Bytes| ready(Ok(message)));
        Self::new(messages, activity, TCP_SEND_LIMIT)
    }

    fn websocket(stream: WebSocketStream<Metered>, activity: Activity, limit: usize) -> Self {
        let messages = stream
            .with(|message| ready(Ok(Message::Binary(message))))
            .filter_map(move |message| ready(websocket::received(message, limit)));
        Self::new(messages, activity, WEBSOCKET_SEND_LIMIT)
    }

    fn new(transport: impl Transport + 'static, activity: Activity, send_limit: usize) -> Self {
        Self { transport: Box::pin(transport), send_limit, activity, ended: false, observer: None }
    }
}

/// The messages from the server. The stream ends after an error.
impl Stream for Connection {
    type Item = Result<Bytes, ConnectionError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let next = task::ready!(self.transport.as_mut().poll_next(cx));
        if let (Some(Ok(message)), Some(observer)) = (&next, &self.observer) {
            (observer.0)(Traffic::Received(message));
        }
        self.ended = !matches!(next, Some(Ok(_)));
        Poll::Ready(next)
    }
}

/// The messages to the server. One longer than [`send_limit`](Connection::send_limit) is rejected with
/// [`ConnectionError::TooLong`] and not sent; the connection remains usable.
impl Sink<Bytes> for Connection {
    type Error = ConnectionError;

    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.transport.as_mut().poll_ready(cx).map_err(|error| error.0)
    }

    fn start_send(mut self: Pin<&mut Self>, message: Bytes) -> Result<(), ConnectionError> {
        let (length, limit) = (message.len(), self.send_limit);
        if length > limit {
            return Err(ConnectionError::TooLong { length, limit });
        }
        if let Some(observer) = &self.observer {
            (observer.0)(Traffic::Sent(&message));
        }
        self.transport.as_mut().start_send(message).map_err(|error| error.0)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.transport.as_mut().poll_flush(cx).map_err(|error| error.0)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.transport.as_mut().poll_close(cx).map_err(|error| error.0)
    }
}

impl From<ReadError> for WriteError {
    fn from(error: ReadError) -> Self {
        Self(error.into())
    }
}

opaque_debug!(Connection);
