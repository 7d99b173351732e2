//! What is kept of receipts, targets and deliveries: the interface of a store, and what every store promises.

mod copy;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod rows;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::fmt;
use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;
use tokio::sync::Notify;

use super::{
    Claimed, Completed, Completion, Delivery, DeliveryId, DeliveryState, NewReceipt, StoredReceipt,
    StoredTarget, TargetId, TargetState,
};
use crate::vault::{StoreError, VaultError};

pub use copy::{CopyError, copy};
#[cfg(feature = "postgres")]
pub use postgres::PostgresQueue;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteQueue;

/// How long a claim is in force. It is longer than an attempt may take, so that only what ends a gateway
/// makes a delivery arrive twice.
pub const LEASE: Duration = Duration::from_secs(45);

/// The attempts at one target that are under way at once, over all gateways: one, while all its attempts fail.
pub const AT_ONCE: i64 = 4;

/// How long every attempt at a target must have failed before it is disabled.
pub const DISABLE_AFTER: Duration = Duration::from_secs(5 * 24 * 3600);

/// The most targets of one account.
pub const MAX_TARGETS: i64 = 100;

/// The most entries of a page.
pub const MAX_PAGE: usize = 300;

/// Bytes that a receipt takes besides its body, in the sum that `deliveries_max` limits.
pub const OVERHEAD: u64 = 512;

/// Keeps receipts, targets and deliveries. It sees no body, secret or filter but sealed ones.
///
/// Each method is one transaction: it takes effect at one instant, as all gateways on the database see it, or not
/// at all; and what was answered with `Ok` is on disk. Times are those of the database's clock.
pub trait Queue: fmt::Debug + Send + Sync + 'static {
    /// Keeps a receipt, and returns its position: of two receipts, the one that was committed first has the lower
    /// one, and whoever sees a receipt sees all with lower positions. Receipts that wait at the same time are
    /// committed together.
    ///
    /// The error is [`QueueError::Full`] if the receipts would have more than `max` bytes.
    fn insert(&self, receipt: NewReceipt, max: u64) -> QueueFuture<'_, i64>;

    /// Up to `limit` receipts, the oldest first, for which no deliveries were made yet. Nobody else gets them for
    /// [`LEASE`].
    fn unmatched(&self, limit: usize) -> QueueFuture<'_, Vec<StoredReceipt>>;

    /// The targets that may want a receipt of `account`: those of the account and those of all accounts, active
    /// or paused.
    fn targets_for<'a>(&'a self, account: Option<&'a str>) -> QueueFuture<'a, Vec<StoredTarget>>;

    /// Makes the deliveries of receipts, by position, for the targets that want them, which are due at once. A
    /// receipt for which that was done before, or that is gone, and a target that is gone or disabled are passed
    /// over.
    fn fan_out(&self, wanted: Vec<(i64, Vec<TargetId>)>) -> QueueFuture<'_, ()>;

    /// Claims up to `limit` deliveries (64 at most) that are due, of the targets that have been due for longest
    /// first. What is claimed counts as tried. No target has more than [`AT_ONCE`] claims in force, over all
    /// gateways; one whose attempts fail has one. The cost does not grow with what waits for targets that
    /// have all their claims.
    fn claim(&self, limit: usize) -> QueueFuture<'_, Vec<Claimed>>;

    /// Notes how attempts ended, in the order given.
    fn complete(&self, ended: Vec<Completion>) -> QueueFuture<'_, Vec<Completed>>;

    /// The receipt at `position`.
    fn receipt(&self, position: i64) -> QueueFuture<'_, Option<StoredReceipt>>;

    /// Keeps a new target; its times and its revision are not read. The error is [`QueueError::TooManyTargets`] if the
    /// account has [`MAX_TARGETS`].
    fn add_target(&self, target: StoredTarget) -> QueueFuture<'_, ()>;

    /// The target, if it is one of `scope`.
    fn target<'a>(
        &'a self,
        scope: Scope<'a>,
        id: TargetId,
    ) -> QueueFuture<'a, Option<StoredTarget>>;

    /// Up to `limit` targets of `scope`, in ascending order of their ids, after `after`.
    fn targets<'a>(
        &'a self,
        scope: Scope<'a>,
        after: Option<TargetId>,
        limit: usize,
    ) -> QueueFuture<'a, Vec<StoredTarget>>;

    /// Replaces state and settings of a target of `scope`, if it has the `revision` that they were made from: then it
    /// has the next one. A target that becomes active goes on with what waits when that is due. `false` if it was changed meanwhile or is gone.
    fn change_target<'a>(
        &'a self,
        scope: Scope<'a>,
        id: TargetId,
        revision: i64,
        state: TargetState,
        sealed: Box<[u8]>,
    ) -> QueueFuture<'a, bool>;

    /// Removes a target of `scope`, and its deliveries later; `false` if there is none.
    fn remove_target<'a>(&'a self, scope: Scope<'a>, id: TargetId) -> QueueFuture<'a, bool>;

    /// Up to `limit` deliveries to a target of `scope`, the newest first, of receipts before the position `before`; in
    /// `state`, if one is named. `None` if there is no such target.
    fn deliveries<'a>(
        &'a self,
        scope: Scope<'a>,
        target: TargetId,
        state: Option<DeliveryState>,
        before: Option<i64>,
        limit: usize,
    ) -> QueueFuture<'a, Option<Vec<Delivery>>>;

    /// The delivery, if its target is one of `scope`.
    fn delivery<'a>(
        &'a self,
        scope: Scope<'a>,
        id: DeliveryId,
    ) -> QueueFuture<'a, Option<Delivery>>;

    /// Makes a delivery to a target of `scope` due at once, with all its tries before it, unless an attempt is under
    /// way; `false` if there is none.
    fn retry<'a>(&'a self, scope: Scope<'a>, id: DeliveryId) -> QueueFuture<'a, bool>;

    /// Does that with up to 500 deliveries to a target of `scope` that failed, or with `all` also with those that were
    /// delivered, of receipts received since `since` and with positions after `after`. `None` if there is no such
    /// target; otherwise how many, and the `after` of the next call, if there may be more.
    fn replay<'a>(
        &'a self,
        scope: Scope<'a>,
        target: TargetId,
        since: SystemTime,
        all: bool,
        after: i64,
    ) -> QueueFuture<'a, Option<(u64, Option<i64>)>>;

    /// Up to `limit` receipts of `scope` (an account's own ones) with positions after `after`; fewer, if they have
    /// more than 4 MiB.
    fn events<'a>(&'a self, scope: Scope<'a>, after: i64, limit: usize) -> QueueFuture<'a, Events>;

    /// Which receipts of all accounts have positions after `after`, the oldest [`MAX_PAGE`] of them.
    fn arrivals(&self, after: i64) -> QueueFuture<'_, Arrivals>;

    /// Removes up to a few hundred receipts, with their deliveries, that are older than `keep`, the oldest first, and
    /// what is left of removed targets. Returns how many receipts and deliveries; call it again until it is 0.
    fn clean(&self, keep: Duration) -> QueueFuture<'_, u64>;

    /// What waits, and what is kept.
    fn counts(&self) -> QueueFuture<'_, Counts>;

    /// Is notified when there may be new receipts or deliveries that are due, as far as that is known: poll once a
    /// second besides.
    fn changed(&self) -> &Notify;
}

/// Whose targets, deliveries and receipts a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'a> {
    /// Those of one account.
    Account(&'a str),
    /// Those of all accounts, and those of none: for administrators.
    All,
}

/// Receipts that follow a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Events {
    /// The receipts, in the order of their positions.
    pub receipts: Vec<StoredReceipt>,
    /// The position to go on after: that of the last receipt, or of the newest one of all if there is none.
    pub through: i64,
    /// Whether receipts after `after` were removed before they were read; or the position is one of another database,
    /// since the newest one here is lower: then all that is kept follows.
    pub is_gap: bool,
}

/// Which receipts follow a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// Their positions, in ascending order, and accounts.
    pub receipts: Vec<(i64, Option<Box<str>>)>,
    /// The position to go on after: that of the last one if there are [`MAX_PAGE`], otherwise that of the newest one
    /// there has been.
    pub through: i64,
}

/// What waits, and what is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The deliveries that wait for active targets, and receipts whose deliveries are not made yet.
    pub pending: u64,
    /// When the oldest of their receipts was received.
    pub oldest_pending: Option<SystemTime>,
    /// The receipts that are kept.
    pub receipts: u64,
    /// Their bytes, which `deliveries_max` limits.
    pub bytes: u64,
}

/// The future of a queue's answer.
pub type QueueFuture<'a, T> = BoxFuture<'a, Result<T, QueueError>>;

/// Why an operation on deliveries failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// The receipts have as many bytes as they may.
    #[error(
        "the receipts that are kept take all of the {max} bytes that deliveries_max allows: raise it, or shorten deliveries_keep"
    )]
    Full {
        /// How many.
        max: u64,
    },
    /// The account has as many targets as it may.
    #[error("the account has {MAX_TARGETS} targets, which is the limit: delete one first")]
    TooManyTargets,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Sealing or opening failed.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

// === impl QueueError ===

impl QueueError {
    /// Whether there is no room: the limit is reached, or the disk is full.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Full { .. } => true,
            Self::Store(error) => error.is_read_only(),
            _ => false,
        }
    }
}

// === impl Scope ===

impl<'a> Scope<'a> {
    /// The account; `None` for all.
    pub fn account(self) -> Option<&'a str> {
        match self {
            Self::Account(account) => Some(account),
            Self::All => None,
        }
    }
}
