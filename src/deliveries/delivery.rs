//! One receipt for one target.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::{AttemptOutcome, IdError, Receipt, ReceiptId, Target, TargetId};
use crate::labels::labels;

/// Names a delivery, the same at each attempt: 48 hexadecimal digits, those of its receipt and of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeliveryId {
    /// What is delivered.
    pub receipt: ReceiptId,
    /// Where to.
    pub target: TargetId,
}

labels! {
    /// How far a delivery is.
    pub enum DeliveryState {
        /// It is tried, now or later.
        Waiting = "pending",
        /// The target took it.
        Delivered = "delivered",
        /// It is not tried any more.
        Failed = "failed",
        /// It was given up for lack of room, and its event is gone.
        Expired = "expired",
    }
}

/// One attempt, as it is looked at afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastAttempt {
    /// When it ended, by the clock of the database.
    pub at: SystemTime,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
}

/// A delivery as it is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivery {
    /// Its id.
    pub id: DeliveryId,
    /// The position of its receipt: the cursor of a list.
    pub position: i64,
    /// The class of the event.
    pub class: Box<str>,
    /// When the event was received.
    pub received_at: SystemTime,
    /// How far it is.
    pub state: DeliveryState,
    /// When it is tried next; `None` unless it waits, and while an attempt is under way.
    pub due_at: Option<SystemTime>,
    /// The last attempts, those before a retry or replay too, the oldest first: about 25 at most.
    pub attempts: Vec<PastAttempt>,
}

/// A delivery that whoever claimed it has for [`LEASE`](super::queue::LEASE).
#[derive(Clone, Debug)]
pub struct Claimed {
    /// The receipt, without what was sealed if that is large.
    pub receipt: Arc<Receipt>,
    /// Where to.
    pub target: Arc<Target>,
    /// How often it was tried since it was made, or made due by a retry or replay; this time included.
    pub tries: u32,
    /// The bytes of the attempts that are kept of it.
    pub(super) attempts_len: i64,
    /// Names the claim: those that have the same one are attempted one after another.
    pub claim: i64,
}

/// The end of one attempt.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The delivery: if its claim is not the one in force any more, nothing is changed.
    pub claimed: Claimed,
    /// How the attempt ended; `None` if there was none.
    pub outcome: Option<AttemptOutcome>,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// After what time it is tried again; `None` if it is not. It must be `None` for
    /// [`AttemptOutcome::Delivered`], and some time if there was no attempt.
    pub again: Option<Duration>,
}

/// What asking for an attempt led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retried {
    /// It is due.
    Due,
    /// Nothing was changed: an attempt is under way.
    UnderWay,
    /// Nothing was changed: it has been delivered.
    Delivered,
}

/// What a [`Completion`] led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed {
    /// It is noted.
    Done,
    /// It is noted, and its target is disabled now: it answered 410, or every attempt has failed for
    /// [`DISABLE_AFTER`](super::queue::DISABLE_AFTER).
    Disabled,
    /// Nothing was changed: the lease had run out and another claim is in force, or the delivery is gone.
    Stale,
}

// === impl Claimed ===

impl Claimed {
    /// The id of the delivery.
    pub fn id(&self) -> DeliveryId {
        DeliveryId { receipt: self.receipt.id, target: self.target.id }
    }

    /// Whether `next` is attempted after this one.
    pub(super) fn are_in_one_run(&self, next: &Self) -> bool {
        self.claim == next.claim
    }

    /// It is due again after some time, without an attempt.
    pub(super) fn given_back(self, after: Duration) -> Completion {
        Completion { claimed: self, outcome: None, status: None, again: Some(after) }
    }
}

// === impl Completion ===

impl Completion {
    /// The state that the attempt leaves the delivery in.
    pub(super) fn state_after(&self) -> DeliveryState {
        match (self.outcome, self.again) {
            (Some(AttemptOutcome::Delivered), _) => DeliveryState::Delivered,
            (_, Some(_)) => DeliveryState::Waiting,
            (_, None) => DeliveryState::Failed,
        }
    }
}

// === impl DeliveryId ===

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.receipt, self.target)
    }
}

impl FromStr for DeliveryId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let (receipt, target) = text.split_at_checked(32).ok_or(IdError)?;
        Ok(Self { receipt: receipt.parse()?, target: target.parse()? })
    }
}

// === impl DeliveryState ===

impl FromStr for DeliveryState {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        Self::named(text).ok_or(IdError)
    }
}
