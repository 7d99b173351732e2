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
    /// Chat and game commands are refused with `RespChatFlood` once a connection has sent this many of
    /// them within `window`.
    Flood {
        /// The number of commands that are accepted within `window`.
        commands: usize,
        /// The period of time.
        window: Duration,
    },
}

/// The faults that are active.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) refuse_connections: bool,
    pub(super) refuse_logins: Option<ResponseCode>,
    pub(super) delay: Duration,
    pub(super) silence: bool,
    pub(super) flood: Option<(usize, Duration)>,
}

impl Faults {
    pub(super) fn add(&mut self, fault: Fault) {
        match fault {
            Fault::RefuseConnections => self.refuse_connections = true,
            Fault::RefuseLogins(code) => self.refuse_logins = Some(code),
            Fault::Delay(delay) => self.delay = delay,
            Fault::Silence => self.silence = true,
            Fault::Flood { commands, window } => self.flood = Some((commands, window)),
        }
    }
}
