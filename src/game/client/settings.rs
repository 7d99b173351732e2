use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::sleep;

use super::driver::Driver;
use super::identification::identify;
use super::queue::Queue;
use super::reconnect::may_pass;
use super::shared::Shared;
use super::{Client, End, Events, FloodLimits, Reconnect, SlowReader, StartError};
use crate::game::transport::connection::{Address, Connection, ConnectionError, Connector, Scheme};

/// The time after which a server over TCP that has not said anything may be one for WebSocket.
const GREETING: Duration = Duration::from_secs(2);

/// The number of keep-alive intervals without a byte after which the connection ends, as in the official client.
const SILENT_INTERVALS: u32 = 5;

const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);

/// Longer than any session, and still within the range of the clock.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 86_400);

/// The settings of a [`Client`]: [`Settings::default`], and what is set in it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The connector for new connections.
    pub connector: Connector,
    /// The time limit for the answer to a call, from when its command is written; by default 30 seconds.
    pub call_timeout: Duration,
    /// The time without a command after which a keep-alive is sent, by default 3 seconds. A server drops a
    /// client that sent no complete command for 16 seconds; refused commands count. If no byte arrives from the
    /// server for five times this interval, the connection ends with [`End::Silent`].
    pub keep_alive: Duration,
    /// The limits of the server on commands in a period of time, by default [`FloodLimits::servatrice`]; with
    /// `None`, commands are sent immediately.
    pub flood_limits: Option<FloodLimits>,
    /// The maximum number of calls that are queued or in flight, by default 64; further ones wait in `poll_ready`.
    pub max_in_flight: usize,
    /// The number of messages that [`Events`] buffers for a slow reader, by default 1,024, besides their limit of 32 MiB.
    pub event_queue: usize,
    /// The policy when that buffer is full.
    pub slow_reader: SlowReader,
    /// Delivers the answers to calls among the events too, as [`Role::Answer`](super::Role::Answer), for
    /// callers that need all messages in order. Answers to keep-alives are never delivered.
    pub answers_among_events: bool,
    /// Reconnects when the connection is lost, and restores the session: the login, the lists that were
    /// requested, the rooms that were joined. By default a lost connection ends the session.
    ///
    /// A [`Note::Gap`](super::Note::Gap) among the [`Events`] marks where the connection was lost, and a
    /// [`Note::Restored`](super::Note::Restored) follows what the server sends about the restored session. The
    /// login is kept in memory, as it was sent, until the client ends. docs/GAME_CLIENT.md ("A lost connection")
    /// says what becomes of calls, and after which ends the client does not reconnect.
    ///
    /// [`connect`](Self::connect) tries again too, while the server does not answer, hangs up or is full, or what stands
    /// before it says so (429, 500, 502 to 504, 520 to 524).
    pub reconnect: Option<Reconnect>,
}

impl Client {
    /// Connects to a server with the default [`Settings`] and waits for its identification.
    ///
    /// # Errors
    /// [`StartError`] if no game server can be reached there.
    pub async fn connect(address: &Address) -> Result<(Self, Events), StartError> {
        Settings::default().connect(address).await
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connector: Connector::default(),
            call_timeout: Duration::from_secs(30),
            keep_alive: Duration::from_secs(3),
            flood_limits: Some(FloodLimits::servatrice()),
            max_in_flight: 64,
            event_queue: 1024,
            slow_reader: SlowReader::default(),
            answers_among_events: false,
            reconnect: None,
        }
    }
}

impl Settings {
    /// Connects to a server and waits for its identification; with [`reconnect`](Self::reconnect), as often as that allows.
    ///
    /// # Errors
    /// [`StartError`] if no game server can be reached there.
    pub async fn connect(&self, address: &Address) -> Result<(Client, Events), StartError> {
        let mut failed = 0;
        loop {
            let connected = self.connect_once(address).await;
            match (&connected, self.reconnect) {
                (Err(error), Some(to)) if failed < to.attempts && may_pass(error, false) => {
                    sleep(to.delay_after(failed, error)).await;
                    failed += 1;
                }
                _ => return connected,
            }
        }
    }

    async fn connect_once(&self, address: &Address) -> Result<(Client, Events), StartError> {
        let expected = || self.connector.expects_websocket(address);
        if address.scheme() != Scheme::Tcp {
            return match self.reach(address).await {
                Err(StartError::Connect(error))
                    if address.scheme() == Scheme::WebSocket && error.may_be_tls() =>
                {
                    let websocket = expected().await;
                    Err(websocket.map_or(error.into(), |websocket| not_here(address, websocket)))
                }
                reached => reached,
            };
        }
        let mut started = pin!(self.reach(address));
        let (expected, error) = tokio::select! {
            started = &mut started => match started {
                Err(error @ StartError::Ended(End::HungUp { .. } | End::Failed(_))) => (expected().await, Some(error)),
                started => return started,
            },
            // A game server over TCP is the first to speak, one over WebSocket waits.
            expected = async { sleep(GREETING).await; expected().await } => (expected, None),
        };
        if let Some(websocket) = expected {
            return Err(not_here(address, websocket));
        }
        let Some(error) = error else {
            return started.await;
        };
        use ConnectionError::{Frame, MessageLimit};
        Err(match error {
            // Not even lengths of messages.
            StartError::Ended(End::Failed(failed))
                if matches!(*failed, Frame(_) | MessageLimit(_)) =>
            {
                StartError::NoServer
            }
            error => error,
        })
    }

    async fn reach(&self, address: &Address) -> Result<(Client, Events), StartError> {
        let connection = self.connector.connect(address).await?;
        let reconnect = self.reconnect.map(|policy| (policy, address.clone()));
        self.begin(connection, reconnect).await
    }

    /// Starts a session over an existing connection, without [reconnecting](Self::reconnect) if it is
    /// lost. Needs a tokio runtime, since a task drives the connection.
    ///
    /// # Errors
    /// [`StartError`] if the server does not identify itself, or speaks another protocol.
    pub async fn start(&self, connection: Connection) -> Result<(Client, Events), StartError> {
        self.begin(connection, None).await
    }

    async fn begin(
        &self,
        mut connection: Connection,
        reconnect: Option<(Reconnect, Address)>,
    ) -> Result<(Client, Events), StartError> {
        let mut settings = self.clone();
        settings.call_timeout = self.call_timeout.min(FOREVER);
        settings.keep_alive = self.keep_alive.clamp(SHORTEST_INTERVAL, FOREVER / 10);
        let events = Queue::new(self.event_queue, self.slow_reader);
        let identified = identify(&mut connection, &events, 0, settings.silence());
        let (position, identification) = identified.await?;
        let (slots, limit) = (self.max_in_flight, connection.send_limit());
        let shared = Arc::new(Shared::new(events, slots, identification, limit));
        let (sender, commands) = mpsc::unbounded_channel();
        let driver = Driver::new(shared.clone(), settings, reconnect, commands, position + 1);
        tokio::spawn(driver.run(connection));
        let slots = shared.slots.clone();
        Ok((Client::new(shared.clone(), sender, slots), Events(shared)))
    }

    /// The time after which a server that sends nothing is gone.
    pub(super) fn silence(&self) -> Duration {
        self.keep_alive * SILENT_INTERVALS
    }
}

fn not_here(address: &Address, websocket: Address) -> StartError {
    let address = address.clone();
    StartError::ExpectsWebSocket { address, websocket }
}
