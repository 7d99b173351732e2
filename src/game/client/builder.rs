use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::sync::mpsc;

use super::driver::{self, Driver, Outbox};
use super::identification::identified;
use super::queue::Queue;
use super::reconnect::{Memory, Reconnector};
use super::replays::Replays;
use super::session_state::SessionState;
use super::{Client, Events, FloodLimits, Reconnect, SlowReader, StartError};
use crate::game::transport::connection::{Address, Connection, Connector};

/// Longer than any session; the clock cannot count much further.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 86_400);

/// How a [`Client`] behaves.
///
/// | | without a word |
/// |---|---|
/// | [`call_timeout`](Self::call_timeout) | 30 s |
/// | [`keep_alive`](Self::keep_alive) | 3 s, five times as long without a byte is the end |
/// | [`flood_limits`](Self::flood_limits) | [`FloodLimits::servatrice`] |
/// | [`max_in_flight`](Self::max_in_flight) | 64 calls |
/// | [`event_queue`](Self::event_queue) | 1,024 messages, [`SlowReader::Wait`] |
/// | [`answers_among_events`](Self::answers_among_events) | no |
/// | [`reconnect`](Self::reconnect) | no |
/// | [`save_replays`](Self::save_replays) | no |
#[derive(Clone, Debug)]
pub struct ClientBuilder {
    connector: Connector,
    call_timeout: Duration,
    keep_alive: Duration,
    flood_limits: Option<FloodLimits>,
    max_in_flight: usize,
    event_queue: usize,
    slow_reader: SlowReader,
    answers_among_events: bool,
    reconnect: Option<Reconnect>,
    replays: Option<PathBuf>,
}

impl Client {
    /// Connects to a server and waits until it said who it is.
    ///
    /// # Errors
    /// [`StartError`] if there is no server of the game to talk to.
    pub async fn connect(address: &Address) -> Result<(Self, Events), StartError> {
        Self::builder().connect(address).await
    }

    /// A client with settings of your own.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }
}

impl ClientBuilder {
    fn new() -> Self {
        Self {
            connector: Connector::new(),
            call_timeout: Duration::from_secs(30),
            keep_alive: Duration::from_secs(3),
            flood_limits: Some(FloodLimits::servatrice()),
            max_in_flight: 64,
            event_queue: 1024,
            slow_reader: SlowReader::default(),
            answers_among_events: false,
            reconnect: None,
            replays: None,
        }
    }

    /// How connections are made.
    #[must_use]
    pub fn connector(mut self, connector: Connector) -> Self {
        self.connector = connector;
        self
    }

    /// How long a call waits for its answer, from when its command is written.
    #[must_use]
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = timeout.min(FOREVER);
        self
    }

    /// After how long without a command a sign of life is sent. A server drops a client that was
    /// silent for 16 seconds; what counts is a whole command, refused ones too. If five times as
    /// long no byte comes from the server, the connection ends with [`End::Silent`](super::End::Silent).
    #[must_use]
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.keep_alive = interval.clamp(Duration::from_millis(1), FOREVER / 10);
        self
    }

    /// How much the server accepts in a while; `None` sends whatever comes at once.
    #[must_use]
    pub fn flood_limits(mut self, limits: Option<FloodLimits>) -> Self {
        self.flood_limits = limits;
        self
    }

    /// How many calls may be queued or in flight; others wait in `poll_ready`.
    #[must_use]
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.max_in_flight = calls;
        self
    }

    /// How many messages [`Events`] holds for a slow reader, and what is done then.
    #[must_use]
    pub fn event_queue(mut self, messages: usize, slow_reader: SlowReader) -> Self {
        self.event_queue = messages;
        self.slow_reader = slow_reader;
        self
    }

    /// Shows the answers to calls among the events too, as [`Role::Answer`](super::Role::Answer), for whoever needs all
    /// messages in their order. Answers to signs of life are never shown.
    #[must_use]
    pub fn answers_among_events(mut self, shown: bool) -> Self {
        self.answers_among_events = shown;
        self
    }

    /// Makes a lost connection again, and the session in it: the login, the lists that were asked for,
    /// the rooms that were joined. The server resumes the seats of registered users in running games.
    /// Without a word a lost connection is the end.
    ///
    /// Among the [`Events`] a [`Note::Gap`](super::Note::Gap) then stands where the connection was
    /// lost, and a [`Note::Restored`](super::Note::Restored) behind what the server tells of the
    /// session. Calls whose commands were written end with
    /// [`CallError::Unknown`](super::CallError::Unknown); the others wait until the session is
    /// restored. The login is kept in memory until the end, as it was sent.
    ///
    /// A connection that the server ended for another login, or a ban, is not made again.
    #[must_use]
    pub fn reconnect(mut self, policy: Reconnect) -> Self {
        self.reconnect = Some(policy);
        self
    }

    /// Saves the replays of games that were taken part in, when they have ended, as
    /// [`Client::save_replay`] does. What became of each is among the [`Events`], as
    /// [`Note::ReplaySaved`](super::Note::ReplaySaved) or
    /// [`Note::ReplayNotSaved`](super::Note::ReplayNotSaved).
    #[must_use]
    pub fn save_replays(mut self, folder: impl Into<PathBuf>) -> Self {
        self.replays = Some(folder.into());
        self
    }

    /// Connects to a server and waits until it said who it is.
    ///
    /// # Errors
    /// [`StartError`] if there is no server of the game to talk to.
    pub async fn connect(&self, address: &Address) -> Result<(Client, Events), StartError> {
        let connection = self.connector.connect(address).await?;
        let reconnector = self.reconnect.map(|policy| Reconnector {
            connector: self.connector.clone(),
            address: address.clone(),
            policy,
        });
        self.begin(connection, reconnector).await
    }

    /// Begins a session over a connection, which is not [made again](Self::reconnect). Needs a tokio
    /// runtime: the connection is driven by a task.
    ///
    /// # Errors
    /// [`StartError`] if the server does not say who it is, or speaks another protocol.
    pub async fn start(&self, connection: Connection) -> Result<(Client, Events), StartError> {
        self.begin(connection, None).await
    }

    async fn begin(
        &self,
        mut connection: Connection,
        reconnector: Option<Reconnector>,
    ) -> Result<(Client, Events), StartError> {
        let events = Queue::new(self.event_queue, self.slow_reader);
        let silence = self.keep_alive * driver::SILENT_INTERVALS;
        let identified = identified(&mut connection, &events, 0, silence);
        let (position, identification) = identified.await?;
        let limit = connection.send_limit();
        let shared = Arc::new(SessionState::new(
            events,
            self.max_in_flight,
            identification,
            limit,
        ));
        let (sender, commands) = mpsc::unbounded_channel();
        let (own_sender, own) = mpsc::unbounded_channel();
        let (replay_ids, replays) = self.replays.clone().map(Replays::new).unzip();
        let driver = Driver {
            shared: shared.clone(),
            call_timeout: self.call_timeout,
            keep_alive: self.keep_alive,
            flood_limits: self.flood_limits,
            answers_among_events: self.answers_among_events,
            messages: AtomicU64::new(position + 1),
            own: own_sender,
            replay_ids,
            reconnector,
            memory: Memory::default(),
        };
        let outbox = Outbox {
            own,
            commands,
            held: None,
        };
        tokio::spawn(driver.run(connection, outbox, replays));
        Ok((Client::new(shared.clone(), sender), Events(shared)))
    }
}
