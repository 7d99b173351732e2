use std::time::Duration;

use crate::game::schema::ResponseCode;

/// How a [`Server`](super::Server) misbehaves, from when it is [injected](super::Server::inject) until
/// the server [recovers](super::Server::recover).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Connections are closed as soon as they are made, without a byte.
    RefuseConnections,
    /// Logins are refused with this code.
    RefuseLogins(ResponseCode),
    /// Each message to a client leaves so much later than the one before it.
    Delay(Duration),
    /// Commands are neither carried out nor answered.
    Silence,
    /// Chat and commands in games are refused with `RespChatFlood` once a connection sent this many of
    /// them within `window`.
    Flood {
        /// How many are accepted.
        commands: usize,
        /// In how long.
        window: Duration,
    },
}
