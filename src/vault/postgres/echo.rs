//! The proof that a connection is sent notifications: it hears one that another connection sends.
//!
//! A pooler that passes a connection from client to client (pgbouncer's `pool_mode = transaction`) answers `LISTEN` and
//! every statement after it, and drops the notifications, which come when nobody has the connection. So the proof
//! is a notification that comes while nothing is said on the connection.

use std::fmt;
use std::time::Duration;

use tokio::sync::watch;

/// How long an answer takes at most, and a notification after it was sent.
const DEADLINE: Duration = Duration::from_secs(1);

/// What is to blame if there is no proof.
pub(super) const NO_ECHO: &str = "notifications do not arrive, as behind a pooler that passes connections from client to client: \
     set pool_mode = session in pgbouncer, or connect to PostgreSQL itself";

/// A channel that one connection alone listens on, and what came on it last.
#[derive(Debug)]
pub(super) struct Echo {
    channel: Box<str>,
    heard: watch::Sender<Box<str>>,
}

impl Echo {
    pub(super) fn new() -> Result<Self, getrandom::Error> {
        Ok(Self {
            channel: format!("portreeve_echo_{:016x}", getrandom::u64()?).into(),
            heard: watch::Sender::default(),
        })
    }

    pub(super) fn listen(&self) -> String {
        format!("LISTEN {}", self.channel)
    }

    pub(super) fn hear(&self, channel: &str, payload: &str) {
        if *channel == *self.channel {
            self.heard.send_replace(payload.into());
        }
    }

    /// Whether a notification comes that `send` sends on another connection: channel and payload. It may not have been sent.
    pub(super) async fn comes_back<E: fmt::Display>(
        &self,
        send: impl AsyncFnOnce(&str, &str) -> Result<(), E>,
    ) -> Result<bool, String> {
        let random = getrandom::u64().map_err(|error| error.to_string())?;
        let payload = format!("{random:016x}");
        in_time(send(&self.channel, &payload)).await?;
        let mut heard = self.heard.subscribe();
        let hearing = heard.wait_for(|heard| **heard == *payload);
        Ok(tokio::time::timeout(DEADLINE, hearing).await.is_ok())
    }
}

pub(super) async fn in_time<T, E: fmt::Display>(
    answer: impl Future<Output = Result<T, E>>,
) -> Result<T, String> {
    match tokio::time::timeout(DEADLINE, answer).await {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(_) => Err(format!("no answer within {DEADLINE:?}")),
    }
}
