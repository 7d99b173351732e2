use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::driver::{self, Driver};
use super::events::Queue;
use super::flood::Flood;
use super::shared::Shared;
use super::{Client, End, Events, FloodLimits, PROTOCOL, Received, Role, SlowReader, StartError};
use crate::game::schema::ServerMessage;
use crate::game::schema::event::ServerIdentification;
use crate::game::transport::connection::{Address, Connection, Connector};

/// How many events may come before the server says who it is.
const BEFORE_IDENTIFICATION: u64 = 16;

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
    /// long no byte comes from the server, the connection ends with [`End::Silent`].
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

    /// Shows the answers to calls among the events too, as [`Role::Answer`], for whoever needs all
    /// messages in their order. Answers to signs of life are never shown.
    #[must_use]
    pub fn answers_among_events(mut self, shown: bool) -> Self {
        self.answers_among_events = shown;
        self
    }

    /// Connects to a server and waits until it said who it is.
    ///
    /// # Errors
    /// [`StartError`] if there is no server of the game to talk to.
    pub async fn connect(&self, address: &Address) -> Result<(Client, Events), StartError> {
        let connection = self.connector.connect(address).await?;
        self.start(connection).await
    }

    /// Begins a session over a connection. Needs a tokio runtime: the connection is driven by a
    /// task.
    ///
    /// # Errors
    /// [`StartError`] if the server does not say who it is, or speaks another protocol.
    pub async fn start(&self, mut connection: Connection) -> Result<(Client, Events), StartError> {
        let events = Queue::new(self.event_queue, self.slow_reader);
        let identified = self.identified(&mut connection, &events);
        let (position, identification) = identified.await?;
        let limit = connection.send_limit();
        let shared = Arc::new(Shared::new(
            events,
            self.max_in_flight,
            identification,
            limit,
        ));
        let (sender, commands) = mpsc::unbounded_channel();
        let driver = Driver {
            shared: shared.clone(),
            call_timeout: self.call_timeout,
            keep_alive: self.keep_alive,
            answers_among_events: self.answers_among_events,
            messages: AtomicU64::new(position + 1),
        };
        tokio::spawn(driver.run(connection, commands, Flood::new(self.flood_limits)));
        Ok((Client::new(shared.clone(), sender), Events(shared)))
    }

    /// Waits until the server says who it is; gives that message, and its position. It is the first
    /// as a rule. Whatever comes before is among the events, as it is itself.
    async fn identified(
        &self,
        connection: &mut Connection,
        events: &Queue,
    ) -> Result<(u64, Bytes), StartError> {
        let silence = self.keep_alive * driver::SILENT_INTERVALS;
        let until = Instant::now() + silence;
        for position in 0..BEFORE_IDENTIFICATION {
            let bytes = match timeout_at(until, connection.next()).await {
                Ok(Some(Ok(bytes))) => bytes,
                Ok(Some(Err(error))) => return Err(StartError::Ended(driver::failed(error))),
                Ok(None) => return Err(StartError::Ended(driver::hung_up())),
                Err(_) => return Err(StartError::Ended(End::Silent(silence))),
            };
            let identified = is_identification(&bytes)?;
            events.push(Received::new(position, Role::Event, bytes.clone()));
            if identified {
                return Ok((position, bytes));
            }
        }
        Err(StartError::NoServer)
    }
}

/// Whether a message tells which server it is, and it is one that can be talked to.
///
/// # Errors
/// It is none of a server of the game, one of another protocol, or the server's last.
fn is_identification(bytes: &[u8]) -> Result<bool, StartError> {
    let message = ServerMessage::parse(bytes).map_err(|_| StartError::NoServer)?;
    let event = message.session_event().map_err(|_| StartError::NoServer)?;
    if let Some(notice) = driver::close_notice(bytes) {
        return Err(StartError::Ended(End::by_server(notice)));
    }
    let server = match event.map(|event| event.get::<ServerIdentification<'_>>()) {
        Some(Ok(Some(server))) => server,
        Some(Ok(None)) => return Ok(false),
        // An answer to nothing, or what has no event in it.
        None if message.room_event.is_present() || message.game_event_container.is_present() => {
            return Ok(false);
        }
        None | Some(Err(_)) => return Err(StartError::NoServer),
    };
    match server.protocol_version() {
        PROTOCOL => Ok(true),
        found => Err(StartError::Protocol {
            found,
            expected: PROTOCOL,
        }),
    }
}
