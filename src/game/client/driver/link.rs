use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use tokio::time::Instant;

use crate::game::client::flood::Flood;
use crate::game::client::{End, Settings};
use crate::game::transport::connection::{Activity, Connection, ConnectionError};

/// The time for a complete message, even over a slow line. A server that exceeds it is treated as silent.
const MESSAGE_LIMIT: Duration = Duration::from_secs(120);

/// The longest pause between two checks whether the server is silent.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

pub(super) struct Link {
    pub(super) connection: Connection,
    activity: Activity,
    pub(super) flood: Flood,
    keep_alive: Duration,
    /// The next message, until the connection takes it.
    next: Option<Bytes>,
    /// By when the message that is being written must be; `None` if none is.
    pub(super) write_until: Option<Instant>,
    pub(super) ping_at: Instant,
    /// How the connection is going to end, and when at the latest. Nothing more is written.
    pub(super) ending: Option<(End, Instant)>,
    /// Since when the session is ready for commands of its users.
    pub(super) ready_since: Instant,
    /// The number of bytes received, when the last of them came, and when the last complete message.
    received: u64,
    last_byte: Instant,
    pub(super) last_message: Instant,
    pub(super) check_at: Instant,
}

pub(super) enum Io {
    Written(Result<(), ConnectionError>),
    Received(Option<Result<Bytes, ConnectionError>>),
}

impl Link {
    pub(super) fn new(connection: Connection, settings: &Settings) -> Self {
        let now = Instant::now();
        let activity = connection.activity();
        Self {
            flood: Flood::new(settings.flood_limits),
            keep_alive: settings.keep_alive,
            next: None,
            write_until: None,
            ping_at: now + settings.keep_alive,
            ending: None,
            ready_since: now,
            received: activity.bytes(),
            last_byte: now,
            last_message: now,
            check_at: now,
            activity,
            connection,
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.write_until.is_none() && self.ending.is_none()
    }

    pub(super) fn write(&mut self, message: Bytes, until: Instant) {
        self.next = Some(message);
        self.write_until = Some(until);
    }

    /// Writes and reads, neither of which waits for the other.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, reads: bool) -> Poll<Io> {
        if self.write_until.is_some()
            && let Poll::Ready(written) = self.poll_write(cx)
        {
            self.write_until = None;
            self.ping_at = Instant::now() + self.keep_alive;
            return Poll::Ready(Io::Written(written));
        }
        if reads { self.connection.poll_next_unpin(cx).map(Io::Received) } else { Poll::Pending }
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ConnectionError>> {
        if self.next.is_some() {
            ready!(self.connection.poll_ready_unpin(cx))?;
            if let Some(message) = self.next.take() {
                self.connection.start_send_unpin(message)?;
            }
        }
        self.connection.poll_flush_unpin(cx)
    }

    /// Whether the server has been silent for too long. Any byte counts, as a large message takes time.
    pub(super) fn check(&mut self, now: Instant, limit: Duration, reads: bool) -> Result<(), End> {
        let received = self.activity.bytes();
        // Nothing is read while the event queue is full.
        if !reads || self.received != received {
            (self.received, self.last_byte) = (received, now);
        }
        if !reads {
            self.last_message = now;
        }
        self.check_at = now + self.keep_alive.min(LONGEST_PAUSE);
        let message = (self.last_message, MESSAGE_LIMIT.max(limit));
        for (since, limit) in [(self.last_byte, limit), message] {
            if now.duration_since(since) >= limit {
                return Err(End::Silent(limit));
            }
        }
        Ok(())
    }
}
