use std::time::Duration;

use crate::game::schema::ResponseCode;

/// A way in which a [`Server`](super::Server) misbehaves, from when it is
/// [injected](super::Server::inject) until the server [recovers](super::Server::recover).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Connections are closed as soon as they are made, without a byte.
    RefuseConnections,
    /// Logins are refused with this code.
    RefuseLogins(ResponseCode),
    /// Each message to a client is delayed by this much after the previous one.
    Delay(Duration),
    /// Commands are neither executed nor answered.
    Silence,
    /// Chat is refused with `RespChatFlood` once a connection has sent this many of them within `window`.
    Flood {
        /// The number of commands that are accepted within `window`.
        commands: usize,
        /// The period of time.
        window: Duration,
    },
}
