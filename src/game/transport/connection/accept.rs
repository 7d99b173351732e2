//! The server side of a connection, for the test server.

use tokio_tungstenite::accept_async_with_config;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::{Activity, Connection, Io, WEBSOCKET_SEND_LIMIT};
use crate::game::transport::frame::DEFAULT_LIMIT;

impl Connection {
    /// The messages of a client over TCP. The caller sends the greeting.
    pub(in crate::game) fn accept_tcp(io: impl Io + 'static) -> Self {
        Self::tcp(io, DEFAULT_LIMIT)
    }

    /// The messages of a client that requests a WebSocket.
    ///
    /// # Errors
    /// It requests something else, or disconnects.
    pub(in crate::game) async fn accept_websocket(io: impl Io + 'static) -> Result<Self, Error> {
        let config = WebSocketConfig::default()
            .max_message_size(Some(WEBSOCKET_SEND_LIMIT))
            .max_frame_size(Some(WEBSOCKET_SEND_LIMIT));
        let activity = Activity::default();
        let stream = accept_async_with_config(activity.meter(io), Some(config)).await?;
        Ok(Self::websocket(stream, activity, WEBSOCKET_SEND_LIMIT))
    }
}
