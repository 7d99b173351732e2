//! How many checks wait for an introspection endpoint.
//!
//! Every unknown token costs a call, and a request waits for it. Without a bound, whoever sends random
//! tokens faster than the provider answers fills the gateway with requests that wait, and callers whose
//! tokens are remembered are turned away. So unknown tokens have room of their own, and are turned away
//! once it is full; tokens that the provider has accepted before have theirs beside it.

use std::sync::Arc;

use quick_cache::sync::Cache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::VerifyError;
use super::digest::TokenDigest;

/// Requests that wait for the check of an unknown token, unless set otherwise.
pub(super) const WAITING: usize = 256;

/// Calls about unknown tokens that are in flight or wait for that.
const QUEUED: usize = 128;

/// Calls about unknown tokens in flight: half of what the client of the provider has in flight.
const CALLS: usize = 32;

/// Tokens that were accepted before.
const MAX_ACCEPTED: usize = 16_384;

/// The room for checks.
pub(super) struct Admission {
    unknown: Lane,
    known: Lane,
    accepted: Cache<TokenDigest, ()>,
}

/// The room for one kind of tokens. Checks of one token share a call.
pub(super) struct Lane {
    waiting: Arc<Semaphore>,
    queued: Arc<Semaphore>,
    calls: Arc<Semaphore>,
}

/// The right to call the provider, once there is room for that.
pub(super) struct Queued {
    calls: Arc<Semaphore>,
    _queued: OwnedSemaphorePermit,
}

// === impl Admission ===

impl Admission {
    /// Room for `waiting` requests with unknown tokens, and as many with known ones.
    pub(super) fn new(waiting: usize) -> Self {
        Self {
            unknown: Lane::new(waiting, QUEUED, CALLS),
            known: Lane::new(waiting, waiting, waiting),
            accepted: Cache::new(MAX_ACCEPTED),
        }
    }

    /// The room for this token.
    pub(super) fn lane(&self, digest: &TokenDigest) -> &Lane {
        match self.accepted.get(digest) {
            Some(()) => &self.known,
            None => &self.unknown,
        }
    }

    /// Notes what the provider said of a token.
    pub(super) fn note(&self, digest: TokenDigest, is_accepted: bool) {
        if is_accepted {
            self.accepted.insert(digest, ());
        } else {
            self.accepted.remove(&digest);
        }
    }
}

// === impl Lane ===

impl Lane {
    fn new(waiting: usize, queued: usize, calls: usize) -> Self {
        let room = |permits: usize| Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS)));
        Self {
            waiting: room(waiting),
            queued: room(queued),
            calls: room(calls),
        }
    }

    /// A request begins to wait; it does until what this returns is dropped.
    pub(super) fn wait(&self) -> Result<OwnedSemaphorePermit, VerifyError> {
        acquire(&self.waiting)
    }

    /// A call begins to wait for its turn.
    pub(super) fn queue(&self) -> Result<Queued, VerifyError> {
        Ok(Queued {
            calls: self.calls.clone(),
            _queued: acquire(&self.queued)?,
        })
    }
}

fn acquire(room: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, VerifyError> {
    let permit = Arc::clone(room).try_acquire_owned();
    permit.map_err(|_| VerifyError::Overloaded)
}

// === impl Queued ===

impl Queued {
    /// Waits for the turn of this call, then makes it.
    pub(super) async fn run<T>(self, call: impl Future<Output = T>) -> T {
        let _call = self.calls.acquire().await.expect("never closed");
        call.await
    }
}
