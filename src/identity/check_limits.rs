//! Limits how many checks wait for an introspection endpoint.
//!
//! Every unknown token costs a call for which a request waits. Without a bound, a client that sends
//! random tokens faster than the provider answers would fill the gateway with waiting requests, and
//! callers with cached tokens would be refused. So unknown tokens have their own limit, beyond which they
//! are refused; tokens that the provider has accepted before have a separate one.

use std::sync::Arc;

use quick_cache::sync::Cache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::VerifyError;
use super::digest::TokenDigest;

/// The default limit of requests that wait for the check of an unknown token.
pub(super) const WAITING: usize = 256;

/// Maximum number of calls about unknown tokens that are in flight or queued.
const QUEUED: usize = 128;

/// Maximum number of calls about unknown tokens in flight: half of the provider client's limit.
const CALLS: usize = 32;

/// How many tokens that were accepted before are remembered.
const MAX_ACCEPTED: usize = 16_384;

pub(super) struct CheckLimits {
    unknown: Lane,
    known: Lane,
    accepted: Cache<TokenDigest, ()>,
}

/// The limits for unknown or for known tokens. Checks of the same token share a call.
pub(super) struct Lane {
    waiting: Arc<Semaphore>,
    queued: Arc<Semaphore>,
    calls: Arc<Semaphore>,
}

// === impl CheckLimits ===

impl CheckLimits {
    /// Allows `waiting` requests with unknown tokens, and as many with known ones.
    pub(super) fn new(waiting: usize) -> Self {
        Self {
            unknown: Lane::new(waiting, QUEUED, CALLS),
            known: Lane::new(waiting, waiting, waiting),
            accepted: Cache::new(MAX_ACCEPTED),
        }
    }

    pub(super) fn lane(&self, digest: &TokenDigest) -> &Lane {
        if self.accepted.get(digest).is_some() { &self.known } else { &self.unknown }
    }

    /// Records whether the provider accepted a token.
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
        Self { waiting: room(waiting), queued: room(queued), calls: room(calls) }
    }

    /// Counts a request as waiting until the permit is dropped.
    pub(super) fn wait(&self) -> Result<OwnedSemaphorePermit, VerifyError> {
        acquire(&self.waiting)
    }

    /// The same call, which waits for its turn before it is made; it is queued until it ends or is dropped.
    pub(super) fn queue<C: Future>(
        &self,
        call: C,
    ) -> Result<impl Future<Output = C::Output> + use<C>, VerifyError> {
        let (calls, queued) = (self.calls.clone(), acquire(&self.queued)?);
        Ok(async move {
            let _queued = queued;
            let _call = calls.acquire().await.expect("never closed");
            call.await
        })
    }
}

fn acquire(room: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, VerifyError> {
    Arc::clone(room).try_acquire_owned().map_err(|_| VerifyError::Overloaded)
}
