use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::game::schema::info::UserLevel;

/// The session of a connection.
#[derive(Debug)]
pub(super) struct Session {
    outgoing: mpsc::UnboundedSender<Bytes>,
    cut: CancellationToken,
    pub(super) user: Option<User>,
    pub(super) rooms: BTreeSet<u32>,
    /// Whether it requested the list of users, after which it is sent changes.
    pub(super) watches_users: bool,
    /// When it sent the commands that count towards the flood limit.
    counted: VecDeque<Instant>,
}

/// A user who is logged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct User {
    pub(super) name: String,
    pub(super) registered: bool,
}

// === impl Session ===

impl Session {
    pub(super) fn new(outgoing: mpsc::UnboundedSender<Bytes>, cut: CancellationToken) -> Self {
        Self {
            outgoing,
            cut,
            user: None,
            rooms: BTreeSet::new(),
            watches_users: false,
            counted: VecDeque::new(),
        }
    }

    pub(super) fn send(&self, message: &Bytes) {
        // The session of a closed connection is removed soon.
        let _ = self.outgoing.send(message.clone());
    }

    pub(super) fn cut(&self) {
        self.cut.cancel();
    }

    pub(super) fn is_of(&self, user: &str) -> bool {
        self.user.as_ref().is_some_and(|known| known.name == user)
    }

    /// Counts a command; returns whether it exceeds the limit.
    pub(super) fn floods(&mut self, commands: usize, window: Duration) -> bool {
        let now = Instant::now();
        while self
            .counted
            .front()
            .is_some_and(|&sent| now.duration_since(sent) >= window)
        {
            self.counted.pop_front();
        }
        if self.counted.len() >= commands {
            return true;
        }
        self.counted.push_back(now);
        false
    }
}

// === impl User ===

impl User {
    /// Its `ServerInfo_User`.
    pub(super) fn info(&self) -> Value {
        let level = match self.registered {
            true => UserLevel::USER | UserLevel::REGISTERED,
            false => UserLevel::USER,
        };
        json!({"name": self.name, "user_level": level.bits()})
    }
}
