//! What a store of sealed records has to do.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::future::BoxFuture;

use super::{BindOutcome, CredentialCounts, PermitLease};

/// Records that are read at once to be counted.
const COUNTED: usize = 256;

/// The sealed credential of one user, as a store keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The account id of the user it belongs to: 1 to 255 bytes.
    pub user_id: Arc<str>,
    /// A random number of 63 bits, new with each store of a password.
    pub revision: u64,
    /// The sealed bytes, a few hundred at most.
    pub sealed: Box<[u8]>,
    /// When the groupware server last refused the password; whole milliseconds.
    pub suspended_at: Option<SystemTime>,
    /// How often in a row the password was refused: 0 unless it is suspended.
    pub refusals: u32,
}

/// A sealed login flow, as a store keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowRecord {
    /// Names the flow to its owner; unique in the store.
    pub flow_id: Arc<str>,
    /// The account id of the user that started it, or [`PersonId::as_owner`](super::PersonId::as_owner)
    /// of a person who had no account then.
    pub user_id: Arc<str>,
    /// The time at which it expires; whole milliseconds.
    pub expires_at: SystemTime,
    /// The sealed bytes, different after each change.
    pub sealed: Box<[u8]>,
    /// Whether a password is in it that the groupware server handed out and that is neither stored
    /// nor destroyed yet. Such a flow ends by [`Store::remove_flow`] alone.
    pub holds_password: bool,
}

/// A sealed binding of a person to an account, as a store keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindingRecord {
    /// Names the person ([`PersonId`](super::PersonId)); unique in the store.
    pub person_id: Arc<str>,
    /// The account id; unique in the store, too.
    pub user_id: Arc<str>,
    /// The sealed bytes.
    pub sealed: Box<[u8]>,
}

/// A password that a login flow handed out, with the change of its flow: they are stored together.
#[derive(Clone, Debug)]
pub struct FlowGrant {
    /// The record of the password.
    pub record: Record,
    /// The change of the flow.
    pub swap: FlowSwap,
}

/// Replaces the sealed bytes of a record, if they are still those of `from`.
#[derive(Clone, Debug)]
pub struct Reseal {
    /// The record as it was read.
    pub from: Arc<Record>,
    /// Its new sealed bytes.
    pub to: Box<[u8]>,
}

/// Replaces the sealed bytes of a login flow, if they are still `from`.
#[derive(Clone, Debug)]
pub struct FlowSwap {
    /// Which flow.
    pub flow_id: Arc<str>,
    /// Its sealed bytes as they were read.
    pub from: Box<[u8]>,
    /// Its new sealed bytes.
    pub to: Box<[u8]>,
    /// Whether a password is in it from now on (see [`FlowRecord`]).
    pub holds_password: bool,
}

/// Keeps sealed records. It never sees a password or a key.
///
/// Implement it to keep them elsewhere than in memory or in SQLite.
///
/// Each method takes effect at one instant between its call and its answer, as other callers and
/// other processes on the same store see it: once [`remove`](Self::remove) has answered, no later
/// [`record`](Self::record) anywhere returns what was removed. A change that was answered with
/// `Ok` survives the sudden end of the process.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// What [`record`](Self::record) would give, if it is known without waiting; `None` otherwise, and
    /// always unless you implement it. It is asked for every request: do not block here.
    fn cached_record(&self, user_id: &str) -> Option<Option<Arc<Record>>> {
        _ = user_id;
        None
    }

    /// As [`cached_record`](Self::cached_record), of [`binding`](Self::binding).
    fn cached_binding(&self, person_id: &str) -> Option<Option<Arc<BindingRecord>>> {
        _ = person_id;
        None
    }

    /// The record of `user_id`.
    fn record<'a>(
        &'a self,
        user_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Arc<Record>>, StoreError>>;

    /// Stores `record` in place of whatever the user had.
    ///
    /// With a `grant`, both the record and the flow change; or neither, if the flow is no longer as
    /// the swap says: then the answer is `false`.
    fn put(
        &self,
        record: Record,
        grant: Option<FlowSwap>,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Stores those of `records` whose users have nothing stored, and tells how many they were.
    ///
    /// Each takes effect by itself unless a store does better; a copy of many is faster if it does.
    fn add(&self, records: Vec<Arc<Record>>) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move {
            let mut added = 0;
            for record in records {
                if self.record(&record.user_id).await?.is_none() {
                    self.put(Record::clone(&record), None).await?;
                    added += 1;
                }
            }
            Ok(added)
        })
    }

    /// Removes the record of `user_id`; `false` if there was none.
    fn remove<'a>(&'a self, user_id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Sets the time of suspension and adds one to the refusals in a row, or clears both, if
    /// `revision` is still stored; else `false`.
    fn mark<'a>(
        &'a self,
        user_id: &'a str,
        revision: u64,
        suspended_at: Option<SystemTime>,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Notes that the groupware server refused, and counted, a login at `at`, and drops what was noted
    /// of those before `forget_before`.
    fn put_refused_login(
        &self,
        at: SystemTime,
        forget_before: SystemTime,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// When the logins noted by [`put_refused_login`](Self::put_refused_login) were refused, of
    /// `since` or later; whole milliseconds.
    fn refused_logins(
        &self,
        since: SystemTime,
    ) -> BoxFuture<'_, Result<Vec<SystemTime>, StoreError>>;

    /// Notes that the groupware server at the address `server` took an app password as a bearer token.
    fn put_bearer_server<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Whether [`put_bearer_server`](Self::put_bearer_server) noted that address.
    fn is_bearer_server<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// The login permits of all gateways on this store, if none of them has them: whoever gets them
    /// has them until the lease is dropped or [lost](PermitLease::holds). It must not block; a gateway
    /// without the permits asks a few times a second.
    fn lease_permits(&self) -> Option<Box<dyn PermitLease>>;

    /// Up to `limit` records in ascending order of the user ids' bytes, beginning after `after`.
    fn page<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, StoreError>>;

    /// How many credentials there are. It reads all of them, unless you implement it.
    fn count(&self) -> BoxFuture<'_, Result<CredentialCounts, StoreError>> {
        Box::pin(async {
            let mut counts = CredentialCounts::default();
            let mut after: Option<Arc<str>> = None;
            loop {
                let page = self.page(after.as_deref(), COUNTED).await?;
                for record in &page {
                    match record.suspended_at {
                        Some(_) => counts.suspended += 1,
                        None => counts.active += 1,
                    }
                }
                match page.last() {
                    Some(last) if page.len() == COUNTED => after = Some(last.user_id.clone()),
                    _ => return Ok(counts),
                }
            }
        })
    }

    /// Makes each replacement whose record is unchanged, and returns the others, which were too
    /// late.
    fn reseal(&self, batch: Vec<Reseal>) -> BoxFuture<'_, Result<Vec<Reseal>, StoreError>>;

    /// The login flow `flow_id`, expired or not.
    fn flow<'a>(
        &'a self,
        flow_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<FlowRecord>, StoreError>>;

    /// Stores a new login flow and drops the user's oldest ones above `limit`. Those that hold a
    /// password are neither counted nor dropped.
    fn put_flow(&self, flow: FlowRecord, limit: usize) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Makes the replacement; `false` if the flow is gone or changed.
    fn swap_flow(&self, swap: FlowSwap) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Up to `limit` login flows in ascending order of their ids, beginning after `after`.
    fn flow_page<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<FlowRecord>, StoreError>>;

    /// Removes the login flow, if its sealed bytes are still `sealed`; else `false`.
    fn remove_flow<'a>(
        &'a self,
        flow_id: &'a str,
        sealed: &'a [u8],
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Drops the flows that have expired at `now` and hold no password, and returns how many there
    /// were.
    fn remove_expired_flows(&self, now: SystemTime) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// The binding of the person `person_id`.
    fn binding<'a>(
        &'a self,
        person_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<Arc<BindingRecord>>, StoreError>>;

    /// Stores `binding`, unless the person or the account is bound already.
    ///
    /// With a `grant`, its password is stored and its flow changed at the same instant; or nothing
    /// changes, if the flow is no longer as the swap says, or they cannot be bound. If the person is
    /// bound to this very account, the grant is made and the binding stays as it is.
    fn bind(
        &self,
        binding: BindingRecord,
        grant: Option<FlowGrant>,
    ) -> BoxFuture<'_, Result<BindOutcome, StoreError>>;

    /// Removes the binding of the person `person_id`; `false` if there was none.
    fn unbind<'a>(&'a self, person_id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Up to `limit` bindings in ascending order of the persons' ids, beginning after `after`.
    fn binding_page<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<BindingRecord>, StoreError>>;

    /// Replaces the sealed bytes of a binding, if they are still those of `from`; else `false`.
    fn reseal_binding<'a>(
        &'a self,
        from: &'a BindingRecord,
        to: Box<[u8]>,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Erases the remains of records that were replaced or removed, as far as the store can.
    fn scrub(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Whether the store answers.
    fn ready(&self) -> BoxFuture<'_, Result<(), StoreError>>;
}

/// An error of a store: what was tried, on what, and why.
#[derive(Debug, thiserror::Error)]
#[error("{action}: {source}")]
pub struct StoreError {
    action: Box<str>,
    source: Box<dyn StdError + Send + Sync>,
}

impl StoreError {
    /// An error of `action` ("store a credential in /var/lib/…"), caused by `source`.
    pub fn new(
        action: impl Into<Box<str>>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self {
            action: action.into(),
            source: source.into(),
        }
    }
}
