//! A cache of verified tokens, by their digests.

use std::time::{Duration, Instant, SystemTime};

use quick_cache::sync::Cache;

use super::Caller;
use super::digest::TokenDigest;
use crate::opaque::opaque_debug;

/// How long verified tokens are cached, and how many.
///
/// A token is cached until it expires, but at most for [`ttl`](Self::ttl). So a token can be accepted for
/// that long after its issuer has revoked it. Refusals are not cached here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheLimits {
    /// The maximum time; zero disables the cache.
    pub ttl: Duration,
    /// The maximum number of tokens; zero disables the cache.
    pub entries: usize,
}

// === impl CacheLimits ===

impl Default for CacheLimits {
    /// 60 seconds, 10,000 tokens.
    fn default() -> Self {
        Self { ttl: Duration::from_secs(60), entries: 10_000 }
    }
}

pub(super) struct TokenCache {
    entries: Cache<TokenDigest, Entry>,
    ttl: Duration,
}

#[derive(Clone)]
struct Entry {
    caller: Caller,
    until: Instant,
}

// === impl TokenCache ===

impl TokenCache {
    /// `None` if the limits disable the cache.
    pub(super) fn new(limits: CacheLimits) -> Option<Self> {
        (limits.entries > 0 && !limits.ttl.is_zero())
            .then(|| Self { entries: Cache::new(limits.entries), ttl: limits.ttl })
    }

    pub(super) fn caller(&self, digest: &TokenDigest) -> Option<Caller> {
        let entry = self.entries.get(digest)?;
        if Instant::now() < entry.until {
            return Some(entry.caller);
        }
        self.entries.remove_if(digest, |entry| entry.until <= Instant::now());
        None
    }

    pub(super) fn remember(&self, digest: TokenDigest, caller: &Caller) {
        let remaining = match caller.expires_at {
            None => self.ttl,
            Some(at) => match at.duration_since(SystemTime::now()) {
                Ok(remaining) => remaining.min(self.ttl),
                Err(_) => return,
            },
        };
        let Some(until) = Instant::now().checked_add(remaining) else {
            return;
        };
        let caller = caller.clone();
        self.entries.insert(digest, Entry { caller, until });
    }
}

opaque_debug!(TokenCache);
